package fidelity_test

import (
	"os/exec"
	"regexp"
	"slices"
	"testing"

	"fakepi.example/internal/fakepi/fidelity"
	"fakepi.example/internal/fakepi/fidelity/realpi"
)

var (
	optionForm = regexp.MustCompile(`(?m)^  (--[a-z][a-z-]*)(?:, (-[a-z]+))?`)
	wordForm   = regexp.MustCompile(`--?[a-z][a-z-]*`)
)

// Every option that the help of the real Pi names, the fake's names too. What each takes is a table of cmd/fakepi's tests.
func TestHelp(t *testing.T) {
	var fake []string
	for _, d := range dialects {
		pi := realPi(t, fidelity.Version(d)) // or it skips
		if fake == nil {
			fake = wordForm.FindAllString(helpText(t, exec.Command(install(t), "--help")), -1)
		}
		real := optionForm.FindAllStringSubmatch(helpText(t, pi.Command("--help")), -1)
		if len(real) < 30 {
			t.Errorf("%s: the real Pi's help names only %q", d, real)
		}
		for _, m := range real {
			for _, name := range m[1:] {
				if name != "" && !slices.Contains(fake, name) {
					t.Errorf("%s: the fake's help does not name %s", d, name)
				}
			}
		}
	}
}

// helpText is what a help prints; Pi 0.73 prints it on stderr.
func helpText(t *testing.T, help *exec.Cmd) string {
	t.Helper()
	help.Dir = t.TempDir()
	help.Env = realpi.Env(help.Dir)
	out, err := help.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}
