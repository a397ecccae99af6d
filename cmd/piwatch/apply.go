package main

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fakepi.example/internal/watchdog/recovery"
)

func approveCommand() *cobra.Command {
	var folder, key string
	var valid time.Duration
	var worker int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "approve ITEM --case DIR",
		Short: "Approve one item of a plan, with the owner's key",
		Long: `approve signs one item for a while, bound to the plan and to the evidence that it rests on: if either changes, the approval
is void. A caller that descends from a process named pi, from the plan's worker, or from --pid, is refused: it could have
been told what to approve. Silence is no yes: what nobody approves stays as it is.`,
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
			if p, err := recovery.ReadPlan(folder); worker == 0 && err == nil && p.Target != nil {
				worker = p.Target.PID
			}
			if err := recovery.Free(os.Getpid(), worker); err != nil {
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
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), a)
			}
			p, err := recovery.ReadPlan(folder)
			if err != nil {
				return err
			}
			it, err := p.Item(a.Item)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is approved until %s\n", a.Item, a.NotAfter.Local().Format(time.DateTime))
			return printItem(cmd.OutOrStdout(), it)
		},
	}
	f := cmd.Flags()
	f.StringVar(&folder, "case", "", "the case `folder`")
	f.StringVar(&key, "key", defaultKey(), "the `file` of the owner's private key")
	f.DurationVar(&valid, "for", time.Hour, "how long the approval holds")
	f.Var((*pid)(&worker), "pid", "`pid` of the worker, from which the caller may not descend (default: that of the plan)")
	f.BoolVar(&asJSON, "json", false, "print the approval as JSON")
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
is not known is never repeated, unless the owner has looked and approves it again. A command that did not start may be
tried again under the same approval. What rests on an item that failed or was refused is not done, now or later: plan again.

Exit codes: 0 what is approved is done, and what nobody has approved is left; 1 an approval does not hold: it expired, is
signed with another key or for another plan, or its item was begun or tried before; 3 an item failed or its ground has
changed, or an error of use.`,
		Example: `  piwatch apply --case ~/evidence/demo-1.case`,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := interruptible(cmd)
			defer stop()
			at, err := filepath.Abs(folder)
			if err != nil {
				return err
			}
			registry, err := recovery.DefaultRegistry()
			if err != nil {
				return err
			}
			a := recovery.Applying{Registry: registry, Folder: at, PublicKey: key, Now: time.Now, Grace: grace, Output: cmd.ErrOrStderr()}
			results, err := a.Apply(ctx)
			if err == nil && slices.ContainsFunc(results, func(r recovery.Applied) bool { return r.Result == "refused" }) {
				err = errRefused
			}
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
