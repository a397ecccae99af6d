package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/recording"
	"fakepi.example/internal/watchdog/canary"
)

func replayCommand() *cobra.Command {
	var speed float64
	cmd := &cobra.Command{
		Use:   "replay [flags] RECORDING",
		Short: "Show a recorded run, with verdicts and marks beside it",
		Long: `replay prints what happened in a recording of "piwatch canary": the time, the record of the worker, and beside it the verdict that
changed, what a watchdog that may act would have done ("would"), and the person's marks. It reads a recording that is still being
made as far as it goes; what cannot be read is left out and said on stderr, but for a torn
last line.`,
		Example: `  piwatch replay runs/monday
  piwatch replay --speed 10 runs/monday`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("replay needs one RECORDING, the folder that piwatch canary has named")
			}
			if !(speed >= 0) { // not a number is neither
				return fmt.Errorf("--speed %v is no pace; use 1 for the recorded pace, 10 for ten times faster, 0 for no pauses", speed)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := canary.Read(args[0])
			if err != nil {
				return err
			}
			for _, d := range r.Damage {
				fmt.Fprintf(cmd.ErrOrStderr(), "piwatch: %s: %s\n", args[0], d)
			}
			return replay(cmd.Context(), cmd.OutOrStdout(), r, speed)
		},
	}
	cmd.Flags().Float64Var(&speed, "speed", 0, "how many `times` faster than recorded; 0: without pauses")
	return cmd
}

// scene is one line of a replay.
type scene struct {
	at   float64 // ms
	what string  // the worker did
	said string  // the watchdog or the person
}

func replay(ctx context.Context, out io.Writer, r *canary.Recording, speed float64) error {
	w := bufio.NewWriter(out)
	last := 0.0
	for _, s := range scenes(r) {
		if speed > 0 && s.at > last {
			if err := w.Flush(); err != nil {
				return err
			}
			pause := time.NewTimer(time.Duration((s.at - last) / speed * float64(time.Millisecond)))
			select {
			case <-ctx.Done():
				pause.Stop()
				return ctx.Err()
			case <-pause.C:
			}
		}
		last = max(last, s.at)
		if _, err := fmt.Fprintf(w, "%11.3f  %-32s %s\n", s.at/1000, s.what, s.said); err != nil {
			return err
		}
	}
	return w.Flush()
}

// scenes joins events, verdicts and marks by time. Pieces of one message are one scene.
func scenes(r *canary.Recording) []scene {
	var all []scene
	pieces := 0
	for i, e := range r.Events {
		name := eventName(e)
		at := float64(e.At.Microseconds()) / 1000
		if name == "message_update" {
			if pieces++; i+1 < len(r.Events) && eventName(r.Events[i+1]) == name {
				continue
			}
			if name, pieces = fmt.Sprintf("%s x%d", name, pieces), 0; strings.HasSuffix(name, " x1") {
				name = "message_update"
			}
		}
		all = append(all, scene{at: at, what: name})
	}
	for _, v := range r.Verdicts {
		all = append(all, scene{at: v.At, said: judgedText(v)})
	}
	for _, m := range r.Marks {
		all = append(all, scene{at: m.At, said: printableLine(strings.TrimSpace("MARK " + m.Kind + ": " + m.Text))})
	}
	if r.Meta.Signal != nil || r.Meta.Code != nil {
		how := "exit " + fmt.Sprint(ptr(r.Meta.Code))
		if r.Meta.Signal != nil {
			how = *r.Meta.Signal
		}
		all = append(all, scene{at: r.Meta.ExitedAt, what: how})
	}
	slices.SortStableFunc(all, func(a, b scene) int { return cmp.Compare(a.at, b.at) })
	return all
}

func ptr(code *int) int {
	if code == nil {
		return 0
	}
	return *code
}

// eventName is the type of a record, or the stream that carried something else.
func eventName(e recording.Event) string {
	if e.Dir == recording.EOF {
		return "end of " + printable(string(e.Line))
	}
	name := ""
	if v, err := native.ParseValue(e.Line); err == nil {
		if o, ok := v.(native.Object); ok {
			name = o.Text("type")
		}
	}
	switch {
	case e.Dir == recording.In:
		return "> " + printable(cmp.Or(name, "a line"))
	case e.Dir == recording.Err:
		return "stderr"
	}
	return printable(cmp.Or(name, "a line that is no record"))
}

// printableLine replaces what could drive a terminal.
func printableLine(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c >= 0x7f && c < 0xa0 || unicode.Is(unicode.Cf, c) || c == '\u2028' || c == '\u2029' {
			return '?'
		}
		return c
	}, s)
}

// printable cuts what a worker may have written, too.
func printable(s string) string {
	if s = printableLine(s); len(s) > 40 {
		s = strings.ToValidUTF8(s[:40], "") + "..."
	}
	return s
}

func judgedText(j canary.Judged) string {
	if j.Would != "" || j.Told != "" {
		text := "would " + string(j.Would)
		if j.Told != "" {
			text = "told: " + string(j.Told)
		}
		if j.Act != "" {
			text += " " + string(j.Act)
		}
		if j.Cause.Name != "" {
			text += " (" + string(j.Cause.Name) + ")"
		}
		return text
	}
	text := string(j.Name)
	if j.Status != "ok" {
		text += " " + string(j.Status)
	}
	if j.Cause.Limit != "" {
		text += fmt.Sprintf(", limit %s, since %.3f", j.Cause.Limit, j.Since/1000)
	}
	return text
}
