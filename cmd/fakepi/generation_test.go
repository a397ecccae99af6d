package main

import (
	"fmt"
	"strings"
	"testing"

	"fakepi.example/fakepi/script"
)

// What a one-shot plays of a script: its messages take the places of prompts, as the prompts of a client do.
func TestOneShot(t *testing.T) {
	const three = "0s chatter queue\n1s prompt \"one\"\n+1s says \"1\"\n+0s settles\n+1m prompt two.txt\n+1s says \"2\"\n+0s settles\n" +
		"+1m prompt \"three\"\n+1s says \"3\"\n+0s settles\n-- two.txt --\ntwo\n"
	tests := []struct {
		src      string
		messages []string
		want     string
		reason   string
	}{
		{three, []string{"hm"}, "1s hm, 2s 1", "the first"},
		{three, []string{"hm", "hm"}, "1s hm, 2s 1, 1m2s hm, 1m3s 2", "by number"},
		{three, []string{"three"}, "1s three, 2s 3", "by its text, when the first would have come"},
		{three, []string{"two\n", "one"}, "1s two\n, 2s 2, 1m2s one, 1m3s 3", "a text of a file; what was passed over is gone"},
		{three, []string{"three", "one"}, "1s three, 2s 3, 2s one, 2s Noted.", "behind the last"},
		{"0s prompt \"x\"\n+1s says \"1\"\n+0s stalls", []string{"a", "b"}, "0s a, 1s 1", "nobody comes to the second"},
		{"0s says \"1\"", []string{"a"}, "0s 1, 0s a, 0s Noted.", "no prompt at all"},
		{three, nil, "", "no message: it leaves before the first prompt"},
	}
	for _, tt := range tests {
		parsed, err := script.Parse("script", []byte(tt.src))
		if err == nil {
			err = parsed.Resolve(nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		s := story{steps: parsed.For(script.DefaultActor), files: parsed.Files}
		var got []string
		for _, step := range s.oneShot(tt.messages) {
			switch a := step.Action.(type) {
			case script.Prompt:
				got = append(got, fmt.Sprintf("%v %s", step.At, a.Text.Value))
			case script.Says:
				got = append(got, fmt.Sprintf("%v %s", step.At, a.Text.Value))
			}
		}
		if all := strings.Join(got, ", "); all != tt.want {
			t.Errorf("%s: got %q, want %q", tt.reason, all, tt.want)
		}
	}
}
