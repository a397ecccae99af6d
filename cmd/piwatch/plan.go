package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fakepi.example/internal/watchdog/evidence"
	"fakepi.example/internal/watchdog/recovery"
)

func keyCommand() *cobra.Command {
	var file string
	var asJSON bool
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
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), struct {
					Private string `json:"private"`
					Public  string `json:"public"`
				}{file, file + ".pub"})
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s.pub\n", file, file)
			return err
		},
	}
	cmd.Flags().StringVar(&file, "out", defaultKey(), "the `file` of the private key")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the names of the two files as JSON")
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
no shell is involved. An item whose means are not named is not planned. To publish, the tracker's row must also name a
gate that has passed; see "piwatch diagnose --help" for the row.`,
		Example: `  piwatch plan --worktree ~/src/demo --session x.jsonl --pid 4711 --evidence ~/evidence/demo-1
  piwatch plan --worktree . --evidence /backup/e1 --remote git@host:demo.git --gate make --gate test \
    --task-cmd tracker --task-cmd show --task-cmd 7`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := l.settle(); err != nil {
				return err
			}
			m.Remote = l.remote
			at, err := places(l.worktree, snapshot, folder)
			if err != nil {
				return err
			}
			p, brief, err := makePlan(cmd, &l, at, m)
			if err != nil {
				return err
			}
			if err := writeCase(at.Case, p, brief); err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), p)
			}
			return printPlan(cmd.OutOrStdout(), at.Case, p)
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

// writeCase makes a case's folder, and begins its log.
func writeCase(folder string, p *recovery.Plan, brief string) error {
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
	return nil
}

// places makes the folders' paths absolute, and the worktree's free of links.
func places(worktree, snapshot, folder string) (recovery.Places, error) {
	at := recovery.Places{
		Worktree: worktree, Evidence: snapshot, Case: cmp.Or(folder, strings.TrimRight(snapshot, "/")+".case"),
	}
	if real, err := filepath.EvalSymlinks(at.Worktree); err == nil { // it may be gone
		at.Worktree = real
	}
	if err := absolute(&at.Worktree, &at.Evidence, &at.Case); err != nil {
		return at, err
	}
	for _, dir := range []string{at.Worktree, at.Evidence} { // nothing of ours is left where the successor works
		if rel, err := filepath.Rel(dir, at.Case); err == nil && filepath.IsLocal(rel) {
			return at, fmt.Errorf("the case %s lies in %s, which is to stay as it is; name another folder with --case", at.Case, dir)
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
	if err := facts.LookForWork(ctx, at.Worktree); err != nil {
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
	for _, why := range p.Omitted {
		fmt.Fprintf(w, "  not planned: %s\n", why)
	}
	for i := range p.Items {
		fmt.Fprintf(w, "  %s\n", p.Items[i].ID)
		if err := printItem(w, &p.Items[i]); err != nil {
			return err
		}
	}
	return nil
}

// printItem prints what an item runs, takes and leaves.
func printItem(w io.Writer, it *recovery.Item) error {
	for _, command := range it.Commands {
		fmt.Fprintf(w, "    run:      %s\n", recovery.Spell(command))
	}
	printFiles(w, it)
	_, err := fmt.Fprintf(w, "    reason:   %s\n    rollback: %s\n", it.Reason, it.Rollback)
	return err
}

// maxListed is how many files of an item are printed; plan.json has them all.
const maxListed = 20

// printFiles lists what a commit takes up, and which new files it leaves.
func printFiles(w io.Writer, it *recovery.Item) {
	for i, name := range it.Files {
		if i == maxListed {
			fmt.Fprintf(w, "    takes:    %d more\n", len(it.Files)-i)
			break
		}
		fmt.Fprintf(w, "    takes:    %s\n", recovery.Spell([]string{name}))
	}
	for i, l := range it.Leave {
		if i == maxListed {
			fmt.Fprintf(w, "    leaves:   %d more\n", len(it.Leave)-i)
			break
		}
		fmt.Fprintf(w, "    leaves:   %s: %s\n", recovery.Spell([]string{l.Path}), l.Why)
	}
}
