package recovery

import (
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is taken for simple is read by a shell as the same words.
func TestSimpleCommandsAreWhatAShellReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		command := "git commit " + rapid.StringOfN(rapid.RuneFrom([]rune(`am-"' \$&|;=~#*!{é`+"`\t")), 0, 12, -1).Draw(t, "command")
		commands, ok := simpleCommands(command)
		if !ok || len(commands) != 1 {
			return
		}
		out, err := exec.Command("bash", "-c", "printf '%s\\0' "+command).CombinedOutput()
		if want := strings.Join(commands[0], "\x00") + "\x00"; err != nil || string(out) != want {
			t.Fatalf("%s is read by a shell as %q, %v; by us as %q", command, out, err, want)
		}
	})
}

func FuzzGitCall(f *testing.F) {
	f.Add(`git add -A && git commit -m "one 'two'"`)
	f.Add(`git push origin 'main`)
	f.Fuzz(func(t *testing.T, command string) {
		args, ok := gitCall(command)
		if ok && args[0] != "commit" && args[0] != "push" {
			t.Errorf("%q was taken for %q", command, args)
		}
	})
}
