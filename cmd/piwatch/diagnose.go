package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"fakepi.example/internal/watchdog/evidence"
	"fakepi.example/internal/watchdog/recovery"
	"fakepi.example/watchdog"
)

// looking is where diagnose looks.
type looking struct {
	worktree, session, recording string
	pid                          int
	db, query                    string
	taskCmd, effectCmd           []string
	remote                       string
	policyPath                   string
	sets                         []string
}

func diagnoseCommand() *cobra.Command {
	var l looking
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diagnose --worktree DIR [flags]",
		Short: "Name what a worker is in, and what it left",
		Long: `diagnose looks at a worktree, a session, a process with its descendants (twice, a second apart) and a tracker's row, and
names one class: progressing; blocked on a prompt; waiting; hung; dead with work at risk; dead with nothing at risk; row wrong,
worker fine; undetermined. It prints what the class rests on, and what could not be told. It changes nothing, and runs
nothing that is configured in the worktree. A query or command of yours has 30 s to answer; then it is ended.

The row has a column or JSON key status, and where they are known id, assignee, heartbeat (RFC 3339 or seconds since 1970),
lease_until (RFC 3339), gates (that have passed: ["test"], in a column separated by commas) and vetoes (why nothing may be
done). Without gates, commits are never publishable.

A session file shows no dialogs. Where it matters, give a recording of the worker's output: the reference watchdog then
reads it up to now.`,
		Example: `  piwatch diagnose --worktree ~/src/demo --session ~/.pi/agent/sessions/x.jsonl --pid 4711
  piwatch diagnose --worktree . --db tasks.db --query "SELECT id, status FROM tasks WHERE id = 7" --json
  piwatch diagnose --worktree . --task-cmd tracker --task-cmd show --task-cmd 7`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			facts, limits, err := l.facts(cmd)
			if err != nil {
				return err
			}
			d := recovery.Diagnose(facts, limits)
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), d)
			}
			out := cmd.OutOrStdout()
			if _, err := fmt.Fprintf(out, "%s; the worktree is %s\n", d.Class, d.Debris); err != nil {
				return err
			}
			for _, line := range d.Evidence {
				fmt.Fprintf(out, "  %s\n", line)
			}
			for _, line := range d.Unknown {
				fmt.Fprintf(out, "  not known: %s\n", line)
			}
			return nil
		},
	}
	l.flags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object: class, debris, evidence, unknown")
	require(cmd, "worktree")
	return cmd
}

func (l *looking) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&l.worktree, "worktree", "", "root of the `worktree`; it may be gone")
	f.StringVar(&l.session, "session", "", "session `file` of the worker")
	f.StringVar(&l.recording, "recording", "", "recording (events.rec.jsonl) of the worker's output, whose last line is as old as the `file`")
	f.Var((*pid)(&l.pid), "pid", "`pid` of the worker")
	f.StringVar(&l.db, "db", "", "SQLite `file` of the tracker, read with --query")
	f.StringVar(&l.query, "query", "", "one SELECT (`SQL`) that gives the task's one row, with a column status")
	f.StringArrayVar(&l.taskCmd, "task-cmd", nil, "a `word` of the command that prints the row as JSON; once for each word, no shell")
	f.StringArrayVar(&l.effectCmd, "effect-cmd", nil, "a `word` of the command that tells whether a call without a result has acted: exit 0 yes, 1 no")
	f.StringVar(&l.remote, "remote", "", "`URL` or path of the owner's remote: it must show what the row says is done, and is where a plan publishes to")
	f.StringVar(&l.policyPath, "policy", "", "read the policy from this YAML `file`")
	f.StringArrayVar(&l.sets, "set", nil, "override one limit, as `limit=value`; may be repeated")
	completeFlags(cmd)
}

// facts looks everywhere that was named.
func (l *looking) facts(cmd *cobra.Command) (*recovery.Facts, *watchdog.Limits, error) {
	ctx, stop := interruptible(cmd)
	defer stop()
	policy, err := loadPolicy(l.policyPath, l.sets)
	if err != nil {
		return nil, nil, err
	}
	if err := l.settle(); err != nil {
		return nil, nil, err
	}
	f := &recovery.Facts{}
	if f.Tracker, err = l.tracker(cmd); err != nil {
		return nil, nil, err
	}
	if err := l.look(ctx, f); err != nil {
		return nil, nil, err
	}
	f.Now = time.Now()
	probes := recovery.Probes{Worktree: l.worktree, State: f.Worktree, Remote: l.remote, Command: l.effectCmd}
	if l.recording != "" {
		if f.Verdict, probes.Output, err = recovery.Watched(l.recording, policy, f.Now); err != nil {
			return nil, nil, err
		}
	}
	if f.Session != nil && f.Session.ID != "" {
		if f.Known, _, err = recovery.Watched(l.session, policy, f.Now); err != nil {
			return nil, nil, err
		}
	}
	f.Effects = recovery.LookForEffects(ctx, f.Session, probes)
	if f.Task != nil && f.Task.Finished() {
		f.Against = recovery.CheckDone(ctx, recovery.Claim{Worktree: f.Worktree, Remote: l.remote})
	}
	return f, &policy.Limits, nil
}

// look looks at what was named: row, session, process, worktree.
func (l *looking) look(ctx context.Context, f *recovery.Facts) (err error) {
	if f.Tracker != nil {
		if f.Task, err = f.Tracker.Read(ctx); err != nil {
			return fmt.Errorf("%w; without --db, --query and --task-cmd it goes on without the row", err)
		}
	}
	if l.session != "" {
		if f.Session, err = recovery.ReadSession(l.session); err != nil {
			return err
		}
	}
	if l.pid != 0 {
		if f.Process, err = recovery.See(ctx, l.pid, recovery.Sampling); err != nil {
			return err
		}
	}
	if err := l.others(f); err != nil {
		return err
	}
	if f.Worktree, err = evidence.Inspect(ctx, l.worktree); err != nil {
		return err
	}
	if f.Place, err = filepath.EvalSymlinks(l.worktree); err != nil {
		f.Place = "" // it is gone
	}
	return nil
}

// others looks for whoever is in the worktree or in the session besides the worker and what descends from it.
func (l *looking) others(f *recovery.Facts) error {
	foreign := func(p evidence.Process) bool {
		return p.PID != l.pid && (f.Process == nil || !slices.ContainsFunc(f.Process.Descendants, func(m recovery.Moved) bool { return m.PID == p.PID }))
	}
	inside, err := evidence.Inside(l.worktree)
	if err != nil {
		return err
	}
	for _, p := range inside {
		if foreign(p) {
			f.Inside = append(f.Inside, p)
		}
	}
	if l.session == "" {
		return nil
	}
	holders, err := recovery.SessionHolders(l.session)
	for _, p := range holders {
		if foreign(p) {
			f.Holders = append(f.Holders, p)
		}
	}
	if err != nil || f.Session == nil {
		return err
	}
	strangers, err := recovery.Strangers(f.Session)
	for _, p := range strangers {
		if foreign(p) {
			f.Strangers = append(f.Strangers, p)
		}
	}
	return err
}

// tracker says where the row is read; nil: nowhere.
func (l *looking) tracker(cmd *cobra.Command) (*recovery.Tracker, error) {
	switch {
	case len(l.taskCmd) > 0 && l.db != "" || (l.query == "") != (l.db == ""):
		return nil, fmt.Errorf("name the row by --db with --query, or by --task-cmd; see %s --help", cmd.CommandPath())
	case l.db == "" && len(l.taskCmd) == 0:
		return nil, nil
	}
	return &recovery.Tracker{Database: l.db, Query: l.query, Command: l.taskCmd}, nil
}

// settle makes the paths absolute: a plan is carried out from anywhere. A remote may be a path too.
func (l *looking) settle() error {
	if _, err := os.Stat(l.remote); err != nil {
		return absolute(&l.worktree, &l.session, &l.db)
	}
	return absolute(&l.worktree, &l.session, &l.db, &l.remote)
}

func absolute(paths ...*string) error {
	for _, path := range paths {
		if *path == "" {
			continue
		}
		var err error
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	return nil
}
