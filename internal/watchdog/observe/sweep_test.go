package observe_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"fakepi.example/internal/watchdog/observe"
	"fakepi.example/watchdog"
)

// phases are the names that a verdict can have.
var phases = []watchdog.VerdictName{
	watchdog.VerdictDead, watchdog.VerdictAwaitingUser, watchdog.VerdictAwaitingAuth, watchdog.VerdictAwaitingQuota, watchdog.VerdictCompacting,
	watchdog.VerdictBackingOff, watchdog.VerdictRunningTool, watchdog.VerdictStarting, watchdog.VerdictAwaitingFirstToken, watchdog.VerdictStreaming,
	watchdog.VerdictEnding, watchdog.VerdictSettled, watchdog.VerdictSettledUnproven, watchdog.VerdictWorking, watchdog.VerdictIdle,
	watchdog.VerdictStalledCompaction, watchdog.VerdictStalledTool, watchdog.VerdictNeverStarted, watchdog.VerdictSlowFirstToken,
	watchdog.VerdictStalledStream, watchdog.VerdictStalledEnding, watchdog.VerdictStalled, watchdog.VerdictLivelock, watchdog.VerdictInconclusive,
}

// hasty is a policy whose every limit passes in every recording.
func hasty() watchdog.Policy {
	p := watchdog.DefaultPolicy()
	for name, d := range map[string]*time.Duration{
		"stall": &p.Stall, "startup": &p.Startup, "settle": &p.Settle, "tool": &p.Tool,
		"compaction": &p.Compaction, "user_wait": &p.UserWait, "attention": &p.Attention,
	} {
		*d = time.Duration(10+len(name)) * time.Millisecond
	}
	p.ConfirmEvery, p.DeclaredGrace = 7*time.Millisecond, 0
	return p
}

// TestEveryFile plays every file of the recordings, and of FAKEPI_RECORDINGS if that names a folder: whatever the
// dialect, every change obeys the rules of sound.
func TestEveryFile(t *testing.T) {
	played := 0
	for _, root := range []string{recordings, os.Getenv("FAKEPI_RECORDINGS")} {
		if root == "" {
			continue
		}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !playable(path) {
				return err
			}
			played++
			for _, opts := range []observe.Options{
				{Policy: watchdog.DefaultPolicy(), Until: 2 * time.Hour},
				{Policy: hasty()},
			} {
				got := observed(t, path, opts)
				if err := sound(path, got); err != nil {
					t.Errorf("%s, stall %s: %v\n%s", path, opts.Policy.Stall, err, list(got))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if played == 0 {
		t.Fatal("no file was played")
	}
	t.Logf("%d files", played)
}

// playable reports whether observe is meant to read a file of a recorded run.
func playable(path string) bool {
	dir := filepath.Base(filepath.Dir(path))
	switch filepath.Base(path) {
	case "events.rec.jsonl", "stdout.raw":
		return true
	}
	return filepath.Ext(path) == ".jsonl" && (dir == "session" || dir == "session_before")
}

// sound says what is wrong with the changes of a file, whatever the file holds.
func sound(file string, got []observe.Change) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	lines := bytes.Count(data, []byte("\n")) + 1
	for i := range got {
		c := &got[i]
		switch {
		case c.File != file || c.Worker == "":
			return fmt.Errorf("change %d names file %q and worker %q", i, c.File, c.Worker)
		case !slices.Contains(phases, c.Phase):
			return fmt.Errorf("change %d has an unknown phase", i)
		case c.Status != watchdog.StatusOK && c.Status != watchdog.StatusSuspected && c.Status != watchdog.StatusConfirmed:
			return fmt.Errorf("change %d has status %q", i, c.Status)
		case c.Since > c.Time:
			return fmt.Errorf("change %d holds since a later moment", i)
		case c.NextCheck != nil && *c.NextCheck <= c.Time:
			return fmt.Errorf("change %d has its next check at %g", i, *c.NextCheck)
		case i > 0 && c.Time < got[i-1].Time:
			return fmt.Errorf("change %d runs back", i)
		case i > 0 && text(c) == text(&got[i-1]):
			return fmt.Errorf("change %d changes nothing", i)
		case !slices.IsSorted(c.Evidence) || len(c.Evidence) > 0 && (c.Evidence[0] < 1 || slices.Max(c.Evidence) > lines):
			return fmt.Errorf("change %d cites lines %v of %d", i, c.Evidence, lines)
		}
	}
	if len(got) == 0 {
		return fmt.Errorf("no verdict at all")
	}
	return nil
}
