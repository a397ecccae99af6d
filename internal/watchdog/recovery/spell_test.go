package recovery_test

import (
	"os/exec"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"fakepi.example/internal/watchdog/recovery"
)

func TestSpell(t *testing.T) {
	tests := []struct {
		words []string
		want  string
	}{
		{[]string{"git", "-C", "/a/b", "push"}, "git -C /a/b push"},
		{[]string{"echo", "", "a b", "$(x)", "it's"}, `echo '' 'a b' '$(x)' 'it'\''s'`},
		{[]string{"rm", "a\nb", "\x1b[31m", "\xff"}, `rm $'a\nb' $'\033[31m' $'\377'`},
	}
	for _, test := range tests {
		if got := recovery.Spell(test.words); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

// A shell reads the very words, and a terminal nothing but text.
func TestSpellIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.Map(rapid.SliceOfN(rapid.ByteRange(1, 255), 0, 8), func(b []byte) string { return string(b) }), 1, 4).Draw(t, "words")
		spelled := recovery.Spell(words)
		if strings.ContainsFunc(spelled, unicode.IsControl) {
			t.Fatalf("%q has control characters", spelled)
		}
		out, err := exec.Command("bash", "-c", "printf '%s\\0' "+spelled).Output()
		if want := strings.Join(words, "\x00") + "\x00"; err != nil || string(out) != want {
			t.Fatalf("%s is read as %q, %v; want %q", spelled, out, err, want)
		}
	})
}
