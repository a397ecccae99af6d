package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fakepi.example/internal/watchdog/recovery"
)

var kills = flag.Int("kills", 1, "how often to kill an apply at each of its stages")

// stages are the signs of how far an apply of commit-wip has come: files that are not there or have other contents before.
var stages = []string{"e.case/events.jsonl", "w/.git/objects", "w/.git/index.lock", "w/.git/index", "w/.git/refs/heads/main", "w/.git/logs/HEAD"}

// An apply that is killed at any stage loses nothing, and the next one finishes its work.
func TestApplyKilled(t *testing.T) {
	for i := range *kills * len(stages) {
		c := newCase(t, "", "", `echo half >> f; echo new > n; rm -f gone`)
		contents := c.sh(`cat w/f w/n; cd w; ls`)
		c.piwatch("snapshot", "--worktree", "w", "--out", "e")
		c.piwatch("plan", "--worktree", "w", "--pid", "4000000", "--evidence", "e")
		c.piwatch("key", "--out", "key")
		c.piwatch("approve", "commit-wip", "--case", "e.case", "--key", "key")
		c.applyAndKill(stages[i%len(stages)])
		c.sh(`rm -f w/.git/index.lock`) // as the message says that is given if it is there

		var results []recovery.Applied
		out := c.sh(`piwatch apply --case e.case --key key.pub --json 2>/dev/null || [ $? = 1 ]`) // 1: its outcome is not known
		if err := json.Unmarshal([]byte(out), &results); err != nil {
			t.Fatal(err)
		}
		status, log := c.sh(`git -C w status --short`), c.sh(`git -C w log --format=%s; git -C w fsck --strict --no-dangling`)
		switch got := results[0]; {
		case got.Result == "done" || strings.Contains(got.Reason, "done and verified"):
			if status != "" || log != "WIP: what a worker left\none\n" {
				t.Errorf("%+v, and git says %q, %q", got, status, log)
			}
		case !strings.Contains(got.Reason, "its outcome is not known"): // killed between the index and the branch
			t.Errorf("went on with %+v; git says %q, %q", got, status, log)
		}
		if after := c.sh(`cat w/f w/n; cd w; ls`); after != contents {
			t.Errorf("the worktree had %q and has %q", contents, after)
		}
	}
}

// applyAndKill starts an apply and kills it as soon as a file is not as it was.
func (c *workerCase) applyAndKill(file string) {
	c.t.Helper()
	state := func() string {
		info, err := os.Stat(filepath.Join(c.dir, file))
		if err != nil {
			return ""
		}
		return fmt.Sprint(info.Size(), info.ModTime())
	}
	before := state()
	cmd := exec.Command("piwatch", "apply", "--case", "e.case", "--key", "key.pub")
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(c.dir, "state"), "TMPDIR="+c.t.TempDir()) // what is killed leaves it behind
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for state() == before {
		select {
		case <-ended:
			return
		default:
		}
	}
	_ = cmd.Process.Kill()
	<-ended
}
