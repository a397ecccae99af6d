package fakepi_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
)

// A page shows the messages of a session and nothing else, with no markup of theirs.
func TestSessionPage(t *testing.T) {
	tests := []struct{ reason, lines, want string }{
		{"a text", `{"type":"message","message":{"role":"user","content":"a <b> c"}}`, "<h2>user</h2>\n<pre>a &lt;b&gt; c</pre>\n"},
		{"a reply with a call", `{"type":"message","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},` +
			`{"type":"text","text":"So"},{"type":"toolCall","name":"bash","arguments":{"command":"ls"}}]}}`,
			"<h2>assistant</h2>\n<pre>hm\nSo\nbash {&#34;command&#34;:&#34;ls&#34;}</pre>\n"},
		{"another entry", `{"type":"session_info","name":"x"}`, ""},
		{"a torn line", `{"type":"message","mess`, ""},
		{"no object", "7\nnull\n[]", ""},
	}
	for _, tt := range tests {
		page := fakepi.SessionPage("<id>", []byte(tt.lines))
		_, got, ok := strings.Cut(page, "<h1>Session &lt;id&gt;</h1>\n")
		got, whole := strings.CutSuffix(got, "</html>\n")
		if diff := cmp.Diff(tt.want, got); diff != "" || !ok || !whole {
			t.Errorf("%s (-want +got):\n%s\nthe page: %s", tt.reason, diff, page)
		}
	}
}
