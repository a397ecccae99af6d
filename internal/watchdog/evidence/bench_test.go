package evidence_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"fakepi.example/internal/watchdog/evidence"
)

// BenchmarkTake captures a repository of 2,000 files and 50 commits, and lets a script of git, tar and sha256sum do the
// same, in turns. x-script is how many times as long as the script it took.
func BenchmarkTake(b *testing.B) {
	dir := b.TempDir()
	setUp := exec.Command("bash", "-euc", `git init -q -b main w; cd w; git config user.name a; git config user.email a@localhost
	for d in $(seq 40); do mkdir d$d; for f in $(seq 50); do seq $((d * f)) > d$d/f$f; done; done; git add .; git commit -qm 0
	for i in $(seq 49); do echo $i >> d1/f1; git commit -qam $i; done
	for f in $(seq 20); do echo more >> d2/f$f; echo new > n$f; done; git add d2/f1`)
	setUp.Dir = dir
	if out, err := setUp.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	script, err := filepath.Abs("testdata/by-hand.sh")
	if err != nil {
		b.Fatal(err)
	}
	var ours, theirs time.Duration
	n := 0
	for b.Loop() {
		n++
		start := time.Now()
		if _, err := evidence.Take(b.Context(), evidence.Options{Worktree: filepath.Join(dir, "w"), Out: filepath.Join(dir, fmt.Sprint("a", n))}); err != nil {
			b.Fatal(err)
		}
		ours += time.Since(start)
		start = time.Now()
		if out, err := exec.Command("bash", script, filepath.Join(dir, "w"), filepath.Join(dir, fmt.Sprint("b", n))).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		theirs += time.Since(start)
	}
	b.ReportMetric(float64(ours)/float64(theirs), "x-script")
}
