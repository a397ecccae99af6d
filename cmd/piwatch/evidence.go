package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"fakepi.example/internal/watchdog/evidence"
)

// interruptible ends with SIGINT or SIGTERM: what is half built is then removed. What has not ended by the grace after it, since the
// system does not answer, is ended all the same.
func interruptible(cmd *cobra.Command) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	ended := make(chan struct{})
	go func() {
		select {
		case <-ended:
			return
		case <-ctx.Done():
		}
		select {
		case <-ended:
		case <-time.After(graceAfterSignal):
			fmt.Fprintln(cmd.ErrOrStderr(), "ended while the system did not answer; a folder with .partial- in its name may be left, and removed")
			os.Exit(exitSignalled)
		}
	}()
	return ctx, sync.OnceFunc(func() { close(ended); stop() })
}

// What a signal leads to: so long a time to tidy up, and this exit status after it.
const (
	graceAfterSignal = 10 * time.Second
	exitSignalled    = 143
)

func snapshotCommand() *cobra.Command {
	var o evidence.Options
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "snapshot --worktree DIR --out DIR [flags]",
		Short: "Capture a worktree, with or without git, before anything is done about it",
		Long: `snapshot writes an evidence folder: commits that no remote has, edits, the index, untracked files, the stash, a copy of
the tracker's database, the session and the process tree, sealed by MANIFEST.sha256, which sha256sum can check.

The worktree is only read: its tree, index and database have the same hashes before and after, which the record tells.
Nothing that is configured in it runs: no hook, filter, fsmonitor or external diff. A worktree that changes meanwhile is
captured again, three times at most; the last capture is kept, and lists what changed. Before the folder is put in its
place it is restored into a private one and compared; --fast leaves that out, and nothing is ever removed on the strength
of such a snapshot. Where git cannot read the repository, the tree and git's files are kept as they lie there.
The folder must not exist or be empty, and is there whole or not at all; evidence is never overwritten.

docs/evidence.md tells the files of the folder. "piwatch restore" rebuilds the worktree from it.`,
		Example: `  piwatch snapshot --worktree ~/src/demo --out ~/evidence/demo-1
  piwatch snapshot --worktree . --db ~/tasks.db --session ~/.pi/agent/sessions/x.jsonl --pid 4711 --out /backup/e1 --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Wait < 0 {
				return fmt.Errorf("--wait %s: a wait is 0 or longer, such as 30s", o.Wait)
			}
			if o.GitLimit <= 0 {
				return fmt.Errorf("--git-limit %s: a limit is longer than 0, such as 15m", o.GitLimit)
			}
			ctx, stop := interruptible(cmd)
			defer stop()
			record, err := evidence.Take(ctx, o)
			if errors.Is(err, evidence.ErrDatabase) {
				return fmt.Errorf("%w; leave out --db to go on without it", err)
			}
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), record)
			}
			return printRecord(cmd.OutOrStdout(), o.Out, record)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Worktree, "worktree", "", "root of the `worktree`")
	f.StringVar(&o.Out, "out", "", "the evidence `folder` to make")
	f.StringVar(&o.Database, "db", "", "SQLite `file` of the tracker, copied consistently")
	f.StringVar(&o.Session, "session", "", "session `file` of the worker")
	f.Var((*pid)(&o.PID), "pid", "`pid` of the worker, whose process tree is listed")
	f.BoolVar(&o.Fast, "fast", false, "leave out the proof that it restores")
	f.DurationVar(&o.GitLimit, "git-limit", evidence.DefaultGitLimit, "how long one run of git may take")
	f.BoolVar(&o.AllRefs, "all", false, "bundle the remote-tracking refs too")
	f.BoolVar(&o.IgnoredContents, "ignored", false, "keep the contents of ignored files too")
	f.Int64Var(&o.MaxUntracked, "max-untracked", evidence.DefaultMaxUntracked, "refuse more `bytes` of untracked files than this")
	f.DurationVar(&o.Wait, "wait", evidence.DefaultWait, "how long to wait for a busy database")
	f.BoolVar(&asJSON, "json", false, "print the record as JSON")
	require(cmd, "worktree", "out")
	return cmd
}

func verifyCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify DIR",
		Short: "Check that an evidence folder is what was captured",
		Long: `verify compares every file with MANIFEST.sha256, refuses what is missing or was added, computes the digest anew, and lets git
check the bundle.`,
		Example: `  piwatch verify ~/evidence/demo-1`,
		Args:    oneFolder,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interruptible(cmd)
			defer stop()
			record, err := evidence.Verify(ctx, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), record)
			}
			return printRecord(cmd.OutOrStdout(), args[0], record)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the record as JSON")
	return cmd
}

func restoreCommand() *cobra.Command {
	var to string
	var linked, asJSON bool
	cmd := &cobra.Command{
		Use:   "restore DIR --to DIR",
		Short: "Rebuild a worktree from an evidence folder, and prove it",
		Long: `restore verifies the evidence, rebuilds the worktree with its repository, index and stash in a new folder, and compares
each file with what was captured, byte for byte. The folder must not exist or be empty; on any error it is not made.

With --linked, what was a linked worktree ("git worktree add") becomes one of its repository again, on its branch, which
must still be at the commit of the snapshot.`,
		Example: `  piwatch restore ~/evidence/demo-1 --to ~/src/demo-restored
  piwatch restore ~/evidence/demo-1 --to ~/src/demo --linked`,
		Args: oneFolder,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interruptible(cmd)
			defer stop()
			restore := evidence.Restore
			if linked {
				restore = evidence.Recreate
			}
			record, err := restore(ctx, args[0], to)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), record)
			}
			out := cmd.OutOrStdout()
			if _, err := fmt.Fprintf(out, "%s: %d files, %d bytes, as captured at %s\n", to, record.Files, record.Bytes, record.Taken.Format("2006-01-02 15:04:05Z")); err != nil {
				return err
			}
			return printLeftOut(out, record)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "the `folder` to make")
	cmd.Flags().BoolVar(&linked, "linked", false, "join it to the repository that it was a linked worktree of, if it was one")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the record as JSON")
	require(cmd, "to")
	return cmd
}

// require makes flags compulsory, and says so in the project's words.
func require(cmd *cobra.Command, flags ...string) {
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		for _, name := range flags {
			if !cmd.Flags().Changed(name) {
				return fmt.Errorf("%s needs --%s; see %s --help", cmd.Name(), name, cmd.CommandPath())
			}
		}
		return nil
	}
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no argument %q; see %s --help", cmd.Name(), args[0], cmd.CommandPath())
	}
	return nil
}

func oneFolder(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("%s takes one evidence folder; see %s --help", cmd.Name(), cmd.CommandPath())
	}
	return nil
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func writeLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// printRecord sums a snapshot up.
func printRecord(w io.Writer, dir string, r *evidence.Record) error {
	_, err := fmt.Fprintf(w, "%s: digest %.16s\n  files: %d, of %d bytes; ignored and listed: %d\n", dir, r.Digest, r.Files, r.Bytes, r.Ignored)
	if err != nil {
		return err
	}
	if g := r.Git; g != nil {
		fmt.Fprintf(w, "  git: %s; commits that no remote has: %d; stash entries: %d\n", cmp.Or(g.Branch, "detached at "+g.Head), g.Unpushed, len(g.Stashes))
	}
	if len(r.Nested) > 0 {
		fmt.Fprintf(w, "  nested repositories: %d\n", len(r.Nested))
	}
	if d := r.Database; d != nil {
		fmt.Fprintf(w, "  database: integrity %s, tables: %d\n", d.Integrity, len(d.Tables))
	}
	switch {
	case r.Proven:
		fmt.Fprintln(w, "  proof: it was restored, and was as captured")
	case r.Fast:
		fmt.Fprintln(w, "  proof: none was made (--fast)")
	}
	return printLeftOut(w, r)
}

// printLeftOut lists what a snapshot does not have, or a restore did not bring back.
func printLeftOut(w io.Writer, r *evidence.Record) error {
	if r.Unreadable != "" {
		fmt.Fprintf(w, "  git cannot read this repository: its files and git's are kept as they lay there\n")
	}
	if r.Ignored > 0 && !r.IgnoredTar {
		fmt.Fprintf(w, "  ignored files, listed in %s and not captured: %d\n", evidence.IgnoredFile, r.Ignored)
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "  not captured: %q: %s\n", s.Path, s.Why)
	}
	for _, s := range r.Missing {
		fmt.Fprintf(w, "  missing: %q: %s\n", s.Path, s.Why)
	}
	for _, name := range r.Changing {
		fmt.Fprintf(w, "  changed while it was captured: %q\n", name)
	}
	for _, s := range r.NotRestored {
		fmt.Fprintf(w, "  %s: %q\n", s.Why, s.Path)
	}
	return nil
}
