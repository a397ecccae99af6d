package main

import (
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fakepi.example/watchdog/evidence"
	"fakepi.example/watchdog/recovery"
)

func keyCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "key",
		Short: "Make the owner's key, with which approvals are signed",
		Long: `key writes a private key, which only its owner may read, and beside it the public one, NAME.pub. Keep the private key
where no worker can read it: a worker that runs as the same user can. An existing key is never overwritten.`,
		Example: `  piwatch key
  piwatch key --out /media/owner/piwatch.key`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := recovery.Free(os.Getpid(), 0); err != nil {
				return err
			}
			if err := recovery.NewKey(file); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s.pub\n", file, file)
			return err
		},
	}
	cmd.Flags().StringVar(&file, "out", defaultKey(), "the `file` of the private key")
	return cmd
}

// defaultKey is where the owner's key lies.
func defaultKey() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "piwatch.key"
	}
	return filepath.Join(dir, "piwatch", "owner.key")
}

// defaultGrace is the limit grace of the default policy.
const defaultGrace = 10 * time.Second

func planCommand() *cobra.Command {
	var l looking
	var m recovery.Means
	var snapshot, folder string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "plan --worktree DIR --evidence DIR [flags]",
		Short: "Plan what could be done about a stuck or dead worker; do none of it",
		Long: `plan diagnoses as "piwatch diagnose" does and writes a case folder with plan.json: each item with its exact command, reason
and rollback. The evidence must be a snapshot of the worktree as it is now. Nothing is done: the owner approves items one
by one ("piwatch approve"), and "piwatch apply" carries out what is approved.

What may be run is the owner's: --resume starts the successor (default: pi --session @session --print @brief), --remote
and --gate are for work that is done but not published, --repair writes the tracker's row. Each takes one word a flag;
no shell is involved. An item whose means are not named is not planned.`,
		Example: `  piwatch plan --worktree ~/src/demo --session x.jsonl --pid 4711 --evidence ~/evidence/demo-1
  piwatch plan --worktree . --evidence /backup/e1 --remote git@host:demo.git --gate make --gate test`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m.Remote = l.remote
			at, err := places(l.worktree, snapshot, folder)
			if err != nil {
				return err
			}
			p, brief, err := makePlan(cmd, &l, at, m)
			if err != nil {
				return err
			}
			folder := at.Case
			if err := p.Write(folder, brief); err != nil {
				return err
			}
			for _, e := range []recovery.Event{
				{Event: recovery.EventDetected, Text: string(p.Class) + "; the worktree is " + string(p.Debris)},
				{Event: recovery.EventPlanned, Text: itemNames(p)},
			} {
				e.Time, e.Recovery, e.Digest = p.Made, p.ID, p.Digest
				if err := recovery.Record(folder, e); err != nil {
					return err
				}
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), p)
			}
			return printPlan(cmd.OutOrStdout(), folder, p)
		},
	}
	l.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&snapshot, "evidence", "", "evidence `folder` of the worktree as it is now")
	f.StringVar(&folder, "case", "", "the case `folder` to make (default: the evidence folder's name with .case)")
	f.StringArrayVar(&m.Resume, "resume", nil, "a `word` of the command that starts a successor; @session and @brief are the two files")
	f.StringArrayVar(&m.Gate, "gate", nil, "a `word` of the command that must succeed before publishing")
	f.StringArrayVar(&m.Repair, "repair", nil, "a `word` of the command that repairs the tracker's row")
	f.DurationVar(&m.Grace, "grace", defaultGrace, "how long a worker has to end politely")
	f.BoolVar(&asJSON, "json", false, "print the plan as JSON")
	require(cmd, "worktree", "evidence")
	return cmd
}

// places makes the folders' paths absolute.
func places(worktree, snapshot, folder string) (recovery.Places, error) {
	at := recovery.Places{
		Worktree: worktree, Evidence: snapshot, Case: orElse(folder, strings.TrimRight(snapshot, "/")+".case"),
	}
	for _, path := range []*string{&at.Worktree, &at.Evidence, &at.Case} {
		var err error
		if *path, err = filepath.Abs(*path); err != nil {
			return at, err
		}
	}
	return at, nil
}

func makePlan(cmd *cobra.Command, l *looking, at recovery.Places, m recovery.Means) (*recovery.Plan, string, error) {
	ctx, stop := interruptible(cmd)
	defer stop()
	record, err := evidence.Verify(ctx, at.Evidence)
	if err != nil {
		return nil, "", err
	}
	facts, limits, err := l.facts(cmd)
	if err != nil {
		return nil, "", err
	}
	var boot string
	if facts.Process != nil && !facts.Process.Gone {
		tree, err := evidence.Processes(l.pid)
		if err != nil {
			return nil, "", err
		}
		boot = tree.BootID
	}
	p, err := recovery.Make(facts, recovery.Diagnose(facts, limits), at, record, m, boot)
	if err != nil {
		return nil, "", err
	}
	return p, recovery.Brief(p, facts), nil
}

func itemNames(p *recovery.Plan) string {
	names := make([]string, len(p.Items))
	for i := range p.Items {
		names[i] = p.Items[i].ID
	}
	return strings.Join(names, ", ")
}

func printPlan(w io.Writer, folder string, p *recovery.Plan) error {
	if _, err := fmt.Fprintf(w, "%s: recovery %s: %s; the worktree is %s\n", folder, p.ID, p.Class, p.Debris); err != nil {
		return err
	}
	if len(p.Items) == 0 {
		fmt.Fprintln(w, "  nothing to do but to look again")
	}
	for _, it := range p.Items {
		fmt.Fprintf(w, "  %s\n", it.ID)
		for _, command := range it.Commands {
			fmt.Fprintf(w, "    run:      %s\n", strings.Join(command, " "))
		}
		fmt.Fprintf(w, "    reason:   %s\n    rollback: %s\n", it.Reason, it.Rollback)
	}
	return nil
}

func approveCommand() *cobra.Command {
	var folder, key string
	var valid time.Duration
	var pid int
	cmd := &cobra.Command{
		Use:   "approve ITEM --case DIR",
		Short: "Approve one item of a plan, with the owner's key",
		Long: `approve signs one item for a while, bound to the plan and to the evidence that it rests on: if either changes, the approval
is void. A caller that descends from a process named pi, or from --pid, is refused: it could have been told what to
approve. Silence is no yes: what nobody approves stays as it is.`,
		Example: `  piwatch approve resume --case ~/evidence/demo-1.case
  piwatch approve publish --case ~/evidence/demo-1.case --for 10m --key /media/owner/piwatch.key`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("approve takes one item of the plan; see %s --help", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if valid <= 0 {
				return fmt.Errorf("--for %s: an approval needs a time that it holds, such as 1h", valid)
			}
			if err := recovery.Free(os.Getpid(), pid); err != nil {
				return err
			}
			a, err := recovery.Approve(folder, args[0], key, userName(), time.Now(), valid)
			if err != nil {
				return err
			}
			err = recovery.Record(folder, recovery.Event{
				Time: a.Given, Recovery: a.Recovery, Event: recovery.EventApproved, Item: a.Item, By: a.By, Digest: a.Digest,
			})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is approved until %s\n", a.Item, a.NotAfter.Local().Format(time.DateTime))
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&folder, "case", "", "the case `folder`")
	f.StringVar(&key, "key", defaultKey(), "the `file` of the owner's private key")
	f.DurationVar(&valid, "for", time.Hour, "how long the approval holds")
	f.IntVar(&pid, "pid", 0, "`pid` of the worker, from which the caller may not descend")
	require(cmd, "case")
	return cmd
}

func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "uid " + fmt.Sprint(os.Getuid())
}

func applyCommand() *cobra.Command {
	var folder, key string
	var grace time.Duration
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "apply --case DIR",
		Short: "Carry out the approved items of a plan, one by one",
		Long: `apply checks each approved item again at its moment: signature, expiry, evidence, the worktree, the process. What has
changed is refused. Each act is recorded before it is done, and its effect is looked for afterwards; an item whose outcome
is not known is never repeated. It stops at the first item that fails.`,
		Example: `  piwatch apply --case ~/evidence/demo-1.case`,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := interruptible(cmd)
			defer stop()
			at, err := filepath.Abs(folder)
			if err != nil {
				return err
			}
			a := recovery.Applying{Folder: at, PublicKey: key, Now: time.Now, Grace: grace, Output: cmd.ErrOrStderr()}
			results, err := a.Apply(ctx)
			if asJSON {
				if failed := writeJSON(cmd.OutOrStdout(), results); failed != nil {
					return failed
				}
				return err
			}
			for _, r := range results {
				fmt.Fprintln(cmd.OutOrStdout(), strings.TrimRight(r.Item+": "+r.Result+"; "+r.Reason, "; "))
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&folder, "case", "", "the case `folder`")
	f.StringVar(&key, "key", defaultKey()+".pub", "the `file` of the owner's public key")
	f.DurationVar(&grace, "grace", defaultGrace, "how long a worker has to end politely")
	f.BoolVar(&asJSON, "json", false, "print what became of each item as JSON")
	require(cmd, "case")
	return cmd
}

func logCommand() *cobra.Command {
	var folder string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "log --case DIR",
		Short:   "Tell what was detected, planned, approved, done and verified",
		Example: `  piwatch log --case ~/evidence/demo-1.case`,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			events, err := recovery.ReadEvents(folder)
			if err != nil {
				return err
			}
			for _, e := range events {
				if asJSON {
					if err := writeLine(cmd.OutOrStdout(), e); err != nil {
						return err
					}
					continue
				}
				line := fmt.Sprintf("%s  %s  %-9s %s", e.Time.Format("2006-01-02T15:04:05.000Z"), e.Recovery, e.Event, e.Item)
				for _, more := range []string{strings.Join(e.Command, " "), e.Text, e.By} {
					if more != "" {
						line += "  " + more
					}
				}
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), strings.TrimRight(line, " ")); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&folder, "case", "", "the case `folder`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the events as they are recorded, one JSON object a line")
	require(cmd, "case")
	return cmd
}
