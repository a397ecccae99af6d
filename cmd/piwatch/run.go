package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"fakepi.example/internal/watchdog/canary"
	"fakepi.example/internal/watchdog/live"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

// runOptions are the flags of run and attach.
type runOptions struct {
	root       string
	id         string
	task       string
	model      string
	mode       string
	policyPath string
	sets       []string
	notify     string
	webhook    string
	quiet      bool

	// Of canary.
	look   bool                                                   // refuse all acts
	record func(live.Folder, live.Spec) (*canary.Recorder, error) // nil: no recording
}

func runCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run [flags] -- pi [ARGUMENT]...",
		Short: "Start a worker in place of \"pi ...\" and watch it",
		Long: `run starts the command after -- and passes its stdin, stdout, stderr or terminal through, byte for byte; it ends with the
worker's exit status. Meanwhile the reference watchdog watches.

It observes: it tells a person what they should know and saves the worktree as evidence when the worker dies. It never
touches the worker or its work. What it tells goes to stderr, or as a bell where the worker has the terminal; always to
notices.jsonl in the worker's folder; and to the command of --notify, which gets one JSON object on its stdin.

The worker is the child of a small process of its own, which outlives piwatch: if piwatch dies, the worker and its
streams go on, and "piwatch attach ID" watches again from where it was.

The mode of the worker is read from its arguments as Pi reads them; --mode says otherwise.`,
		Example: `  piwatch run -- pi
  piwatch run -- pi --mode rpc
  piwatch run --policy policy.yaml --notify 'notify-send piwatch' -- pi -p "tidy the imports"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("run needs a command after --, such as: piwatch run -- pi")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	o.workerFlags(cmd)
	o.watchFlags(cmd)
	return cmd
}

// workerFlags are about the worker that is started.
func (o *runOptions) workerFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.task, "task", "", "`id` of the task that the worker works on")
	f.StringVar(&o.model, "model", "", "`name` of the model, for limits by model")
	f.StringVar(&o.mode, "mode", "", "rpc, json, print or tui, where the arguments do not tell")
	f.StringVar(&o.id, "id", "", "`name` of the worker; else its folder's name and a number")
}

func attachCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:     "attach ID [flags]",
		Short:   "Watch a worker again whose piwatch has died",
		Long:    `attach goes on watching where the last watcher of the worker had read, until the worker ends. piwatch status lists the IDs.`,
		Example: `  piwatch attach demo-1`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("attach needs one ID; piwatch status lists them")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			policy, err := loadPolicy(o.policyPath, o.sets)
			if err != nil {
				return err
			}
			folder := live.Folder(filepath.Join(o.root, "workers", filepath.Base(args[0])))
			ctx, stop := interruptible(cmd)
			defer stop()
			options, deliver, err := o.watch(cmd, folder, policy, o.quiet)
			if err != nil {
				return err
			}
			exited, err := live.Watch(ctx, options)
			deliver()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s has exited: %s\n", args[0], exitText(exited))
			return err
		},
	}
	o.watchFlags(cmd)
	return cmd
}

func (o *runOptions) watchFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.root, "dir", stateDir(), "`folder` that workers are kept in")
	f.StringVar(&o.policyPath, "policy", "", "read the policy from this YAML `file`")
	f.StringArrayVar(&o.sets, "set", nil, "override one limit, as `limit=value`; may be repeated")
	f.StringVar(&o.notify, "notify", "", "shell `command` that gets each notice as JSON on its stdin")
	f.StringVar(&o.webhook, "webhook", "", "`URL` to which each notice is posted as JSON")
	f.BoolVar(&o.quiet, "quiet", false, "tell nothing on stderr, and ring no bell")
	completeFlags(cmd)
}

// stateDir is where workers are kept: PIWATCH_DIR, else piwatch in the XDG folder for state.
func stateDir() string {
	if dir := os.Getenv("PIWATCH_DIR"); dir != "" {
		return dir
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "piwatch")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = os.TempDir()
	}
	return filepath.Join(home, ".local", "state", "piwatch")
}

func (o *runOptions) run(cmd *cobra.Command, command []string) error {
	policy, err := loadPolicy(o.policyPath, o.sets)
	if err != nil {
		return err
	}
	spec, err := o.spec(command)
	if err != nil {
		return err
	}
	folder, err := live.Create(filepath.Join(o.root, "workers"), spec)
	if err != nil {
		return err
	}
	spec, err = folder.ReadSpec()
	if err != nil {
		return err
	}
	options, deliver, err := o.watch(cmd, folder, policy, o.quiet || spec.Mode == watchdog.ModeTUI)
	if err != nil {
		return err
	}
	if o.record != nil {
		end, err := o.startRecording(&options, spec)
		if err != nil {
			return errors.Join(err, os.RemoveAll(string(folder)))
		}
		defer end()
	}
	signals, restore := catchSignals(), saveTerminal(spec.Mode)
	holder, err := startHolder(folder)
	if err != nil {
		return err
	}
	go forward(signals, holder, folder)
	exited, err := live.Watch(context.WithoutCancel(cmd.Context()), options)
	deliver()
	if err != nil {
		// Whoever uses the worker must not lose it for want of a watchdog.
		fmt.Fprintf(cmd.ErrOrStderr(), "piwatch: %s is not watched: %v\n", spec.ID, err)
		state, err := holder.Wait()
		restore()
		if err != nil {
			return err
		}
		return exitStatus(state.ExitCode())
	}
	_, err = holder.Wait()
	restore()
	if err != nil {
		return err
	}
	return statusOf(exited)
}

// spec is what the command says of the worker.
func (o *runOptions) spec(command []string) (live.Spec, error) {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return live.Spec{}, fmt.Errorf("%w; is %s installed, and in PATH?", err, command[0])
	}
	if path, err = filepath.Abs(path); err != nil {
		return live.Spec{}, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return live.Spec{}, err
	}
	if strings.ContainsAny(o.id, "/\x00") || o.id == "." || o.id == ".." {
		return live.Spec{}, fmt.Errorf("--id %q: the name of a worker is that of a folder, without a slash", o.id)
	}
	terminal := term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd()))
	mode := modeOf(command[1:], terminal)
	if o.mode != "" {
		if err := mode.UnmarshalText([]byte(o.mode)); err != nil {
			return live.Spec{}, fmt.Errorf("--mode: %w", err)
		}
	}
	return live.Spec{
		ID: o.id, Generation: 1, Command: append([]string{path}, command[1:]...), Dir: dir, Mode: mode, Task: o.task, Model: o.model,
		Autonomous: mode != watchdog.ModeTUI,
	}, nil
}

// modeOf tells the mode in which Pi runs with these arguments.
func modeOf(args []string, terminal bool) watchdog.Mode {
	mode := watchdog.ModeTUI
	for i, arg := range args {
		switch {
		case arg == "--":
			return mode
		case arg == "-p" || arg == "--print":
			mode = watchdog.ModePrint
		case arg == "--mode" && i+1 < len(args) && (args[i+1] == "rpc" || args[i+1] == "json"):
			return watchdog.Mode(args[i+1])
		}
	}
	if !terminal {
		return watchdog.ModePrint
	}
	return mode
}

// watch says how the worker of a folder is watched.
// Deliver waits, for a while, until what was told has reached people.
func (o *runOptions) watch(cmd *cobra.Command, folder live.Folder, policy watchdog.Policy, silent bool) (_ live.Options, deliver func(), err error) {
	if !o.look {
		observeOnly(&policy)
	}
	stderr := cmd.ErrOrStderr()
	failed := func(err error) { logTo(folder, err) }
	courier, err := live.NewCourier(folder, failed, o.channels()...)
	if err != nil {
		return live.Options{}, nil, err
	}
	deliver = func() {
		ctx, cancel := context.WithTimeout(context.Background(), deliverTime)
		defer cancel()
		courier.Wait(ctx)
	}
	return live.Options{
		Folder:   folder,
		Policy:   policy,
		LookOnly: o.look,
		Start:    func(b watchdog.Boot) (watchdog.Watchdog, error) { return engine.New(b) },
		Change:   func(watchdog.Verdict) {},
		Tell: func(n live.Notice) {
			switch {
			case o.quiet:
			case silent:
				_, _ = io.WriteString(stderr, "\a") // the screen is the worker's
			default:
				fmt.Fprintf(stderr, "piwatch: %s\n", n.Text)
			}
			courier.Tell(n)
		},
		Failed: failed,
	}, deliver, nil
}

// deliverTime is how long the end of a worker waits for its last notices.
const deliverTime = 10 * time.Second

// channels are those by which people are told beside stderr.
func (o *runOptions) channels() []live.Channel {
	var all []live.Channel
	if o.notify != "" {
		all = append(all, live.ByCommand(o.notify))
	}
	if o.webhook != "" {
		all = append(all, live.ByWebhook(o.webhook))
	}
	return all
}

// observeOnly takes every leave to act from a policy.
func observeOnly(p *watchdog.Policy) {
	never := map[watchdog.EffectClass]watchdog.Permission{}
	for _, class := range watchdog.EffectClasses() {
		never[class] = watchdog.PermitNever
	}
	p.Effects = never
}

// exitStatus is an error that ends piwatch with the worker's exit code.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// statusOf is how a shell reports the end of a worker: its code, or 128 and the signal's number.
func statusOf(e watchdog.Exited) error {
	code := e.Code
	if e.Signal != "" {
		code = 128 + int(signalNumber(e.Signal))
	}
	if code == 0 {
		return nil
	}
	return exitStatus(code)
}

func exitText(e watchdog.Exited) string {
	if e.Signal != "" {
		return e.Signal
	}
	return fmt.Sprintf("status %d", e.Code)
}

// saveTerminal remembers the terminal's modes, for a holder that is killed cannot bring them back.
func saveTerminal(mode watchdog.Mode) (restore func()) {
	if mode != watchdog.ModeTUI {
		return func() {}
	}
	fd := int(os.Stdin.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return func() {}
	}
	return func() { _ = term.Restore(fd, before) } // a terminal that has gone needs none
}

// catchSignals takes what somebody sends to piwatch and means for the worker.
func catchSignals() <-chan os.Signal {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGWINCH)
	return signals
}
