//go:build unix

package smoke_test

import (
	"os/exec"
	"testing"
)

// testSupervised lets each Pi, fake and real, live through its story in a terminal under piwatch run: a person must not
// notice it.
func testSupervised(t *testing.T, fakepi, piwatch command) {
	for _, s := range append(fakes(fakepi), reals(fakepi)...) {
		t.Run(s.name, func(t *testing.T) {
			s := supervised(s, piwatch)
			t.Run("a conversation", func(t *testing.T) { interact(t, s) })
			t.Run("resume", func(t *testing.T) { resume(t, s) })
		})
	}
}

// supervised is a subject that piwatch runs.
func supervised(s *subject, piwatch command) *subject {
	under := *s
	under.prepare = func(t *testing.T, script string) worker {
		w := s.prepare(t, script)
		run, dir := w.run, t.TempDir()
		w.run = func(args ...string) *exec.Cmd {
			cmd := run(args...)
			return exec.Command(string(piwatch), append([]string{"run", "--dir", dir, "--", cmd.Path}, cmd.Args[1:]...)...)
		}
		return w
	}
	return &under
}
