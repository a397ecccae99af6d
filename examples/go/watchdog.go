// Command small is a small watchdog, and the adapter that has it judged over WCP/1. Its tests judge it in process.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"fakepi.example/watchdog"
)

// dog watches one worker by what it writes to stdout and what is sent to it, as docs/verdicts.md has it. Times are on Mono.
type dog struct {
	limits  watchdog.Limits
	spawned watchdog.Observation
	tails   map[watchdog.Stream][]byte // of lines that are not whole yet
	phase   watchdog.VerdictName       // of the run; calls and dialogs lie over it
	count   time.Duration              // what its limit counts from
	moved   time.Duration              // the last progress
	calls   []call
	dialogs []dialog
	last    string // the call that started last

	said              watchdog.Verdict
	suspected         time.Duration // the count that is past its limit
	checked           time.Duration // when that was last found so, checks times in a row
	checks, reminders int
	alerted, exited   bool // attention was drawn to this silence; the process has ended
	keys              int
}

// call is an open tool call, dialog a question that a person has not answered.
type call struct {
	id, output   string
	count, limit time.Duration
}
type dialog struct {
	id, call string
	until    time.Duration // its own timeout; 0: none
}

// Step implements watchdog.Watchdog.
func (w *dog) Step(now watchdog.Instant, seen []watchdog.Observation) (d watchdog.Decision, err error) {
	for _, o := range seen {
		d.Ack = o.N
		switch b := o.Body.(type) {
		case watchdog.Spawned:
			*w = dog{limits: w.limits, spawned: o, tails: map[watchdog.Stream][]byte{}, phase: watchdog.VerdictIdle}
			if b.Mode.OneShot() {
				w.enter(watchdog.VerdictStarting, o.At.Mono)
			}
		case watchdog.Bytes:
			lines := bytes.Split(append(w.tails[b.Stream], b.Data...), []byte("\n"))
			for _, line := range lines[:len(lines)-1] {
				var r record
				_ = json.Unmarshal(line, &r) // what cannot be read says nothing
				w.expire(o.At.Mono)
				if b.Stream == watchdog.StreamIn {
					w.sent(&r, o.At.Mono)
				} else if b.Stream == watchdog.StreamOut && w.wrote(&r, o.At.Mono) {
					w.moved, w.alerted = o.At.Mono, false
				}
			}
			w.tails[b.Stream] = bytes.Clone(lines[len(lines)-1])
		case watchdog.Exited:
			w.exited, w.calls, w.dialogs = true, nil, nil
			if w.phase != watchdog.VerdictSettled && w.phase != watchdog.VerdictIdle {
				w.enter(watchdog.VerdictDead, o.At.Mono)
			}
		}
	}
	if w.spawned.N > 0 {
		w.judge(now.Mono, &d)
	}
	return d, nil
}

// limit is what a phase is called past its limit, and the limit.
func (w *dog) limit() (past watchdog.VerdictName, name watchdog.Limit, span time.Duration) {
	switch w.phase {
	case watchdog.VerdictStarting:
		return watchdog.VerdictNeverStarted, watchdog.LimitStartup, w.limits.Startup
	case watchdog.VerdictAwaitingFirstToken:
		return watchdog.VerdictSlowFirstToken, watchdog.LimitFirstToken, w.limits.FirstTokenLimit()
	case watchdog.VerdictStreaming:
		return watchdog.VerdictStalledStream, watchdog.LimitStreamGap, w.limits.StreamGapLimit()
	case watchdog.VerdictEnding:
		return watchdog.VerdictStalledEnding, watchdog.LimitSettle, w.limits.Settle
	case watchdog.VerdictWorking:
		return watchdog.VerdictStalled, watchdog.LimitStall, w.limits.Stall
	}
	return "", "", 0
}

// judge gives the verdict if it has changed, tells the owner what is due, and says when to look again.
func (w *dog) judge(now time.Duration, d *watchdog.Decision) {
	w.expire(now)
	phase, count := w.phase, w.count
	past, limit, span := w.limit()
	v := watchdog.Verdict{Worker: w.spawned.Worker, Generation: w.spawned.Generation, Status: watchdog.StatusOK, Since: w.said.Since}
	if len(w.dialogs) > 0 {
		phase, past, limit = watchdog.VerdictAwaitingUser, "", watchdog.LimitUserWait
		for _, x := range w.dialogs {
			look(d, now, x.until)
		}
	} else if len(w.calls) > 0 {
		phase, past, limit = watchdog.VerdictRunningTool, watchdog.VerdictStalledTool, watchdog.LimitTool
		first := slices.MinFunc(w.calls, func(a, b call) int { return int(a.count + a.limit - b.count - b.limit) })
		count, span = first.count, first.limit
		v.Detail.Calls = []string{first.id}
	}
	v.Name, v.Cause = phase, watchdog.Cause{Name: phase, Phase: phase, Limit: limit}
	if w.said.Cause.Phase != phase {
		v.Since, w.reminders = now, 0
	}
	if phase == watchdog.VerdictAwaitingUser {
		if n := int((now - v.Since) / w.limits.UserWait); n > w.reminders {
			w.reminders = n
			w.notify(d, v.Cause, "a person is waited for")
		}
		look(d, now, v.Since+time.Duration(w.reminders+1)*w.limits.UserWait)
	}
	if past != "" {
		look(d, now, count+span)
		if now >= count+span {
			v.Name, v.Cause.Name, v.Status = past, past, watchdog.StatusSuspected
			if w.suspected != count {
				w.suspected, w.checked, w.checks = count, now, 0
			} else if now >= w.checked+w.limits.ConfirmEvery {
				w.checked, w.checks = now, w.checks+1
			}
			if w.checks >= w.limits.Confirmations {
				v.Status, w.alerted = watchdog.StatusConfirmed, true
			}
			look(d, now, w.checked+w.limits.ConfirmEvery)
		}
		if silence := max(count, w.moved) + w.limits.Attention; phase != watchdog.VerdictRunningTool && !w.alerted {
			look(d, now, silence)
			if now >= silence {
				w.alerted = true
				w.notify(d, watchdog.Cause{Name: v.Name, Phase: phase, Limit: watchdog.LimitAttention}, "silent for a while")
			}
		}
	}
	if phase == watchdog.VerdictDead {
		v.Status = watchdog.StatusConfirmed
	} else if w.exited {
		v.Flags = []watchdog.Flag{watchdog.FlagExited}
	}
	if v.Name != w.said.Name || v.Status != w.said.Status || len(v.Flags) != len(w.said.Flags) {
		if v.Status == watchdog.StatusConfirmed && w.said.Status != v.Status {
			w.notify(d, v.Cause, strings.ReplaceAll(string(v.Name), "_", " "))
		}
		v.Next = d.Wake
		d.Verdicts = append(d.Verdicts, v)
	}
	w.said = v
}

// look asks to be woken at a time, if none earlier was asked for.
func look(d *watchdog.Decision, now, at time.Duration) {
	if at > now && (d.Wake == 0 || at < d.Wake) {
		d.Wake = at
	}
}

func (w *dog) notify(d *watchdog.Decision, cause watchdog.Cause, text string) {
	w.keys++
	d.Commands = append(d.Commands, watchdog.Command{
		Key: fmt.Sprintf("%s/%d/%d", w.spawned.Worker, w.spawned.Generation, w.keys), Kind: watchdog.CmdNotify,
		Worker: w.spawned.Worker, Generation: w.spawned.Generation, Cause: cause, Evidence: []int{w.spawned.N}, Text: w.spawned.Worker + ": " + text,
	})
}
