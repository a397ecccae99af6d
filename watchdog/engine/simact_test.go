package engine_test

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"fakepi.example/watchdog"
)

// carryOut checks a command against the truth, has its effect, and sends its outcome.
func (s *sim) carryOut(given *watchdog.Command) {
	own := *given // the next step reuses the decision
	c := &own
	w := s.worker(c.Worker)
	switch c.Kind {
	case watchdog.CmdProbe, watchdog.CmdInspect:
		s.look(w, c)
		return
	case watchdog.CmdHeartbeat:
		return
	}
	s.printf("%s %s %s", c.Kind, c.Key, c.Cause.Name)
	s.journalled(c)
	if o, ok := s.done[c.Key]; ok {
		s.outcome(w, o, 0)
		return
	}
	if c.IfGen != 0 && c.IfGen != w.generation || !c.NotAfter.IsZero() && s.now.Wall.After(c.NotAfter) {
		s.outcome(w, watchdog.Outcome{Key: c.Key, Result: watchdog.ResultRefused, Reason: "precondition"}, 0)
		return
	}
	if c.IfDigest != "" && c.Kind.Destructive() && c.IfDigest != w.world() {
		s.outcome(w, watchdog.Outcome{Key: c.Key, Result: watchdog.ResultRefused, Reason: "digest"}, 0)
		return
	}
	if c.Kind.Destructive() {
		s.judge(w, c)
		if s.wrong(5) {
			s.outcome(w, watchdog.Outcome{Key: c.Key, Result: watchdog.ResultFailed, Reason: "no luck"}, 0)
			return
		}
		if s.wrong(5) {
			return // neither effect nor outcome
		}
	}
	o := s.effect(w, c)
	o.Key = c.Key
	if o.Result == watchdog.ResultDone {
		s.done[c.Key] = o
	}
	if s.wrong(5) {
		return // the effect is there, and nobody says so
	}
	delay := time.Duration(0)
	if s.wrong(20) {
		delay = time.Duration(s.rng.IntN(60)) * time.Second
	}
	s.outcome(w, o, delay)
}

func (s *sim) outcome(w *simWorker, o watchdog.Outcome, late time.Duration) {
	boots, generation := s.boots, w.generation
	s.after(late+10*time.Millisecond, func() {
		if boots != s.boots {
			return
		}
		s.n++
		ob := watchdog.Observation{N: s.n, At: s.now, Worker: w.id, Generation: generation, Body: o}
		s.all, s.pending = append(s.all, ob), append(s.pending, ob)
	})
}

func (s *sim) look(w *simWorker, c *watchdog.Command) {
	if s.wrong(5) {
		return
	}
	boots := s.boots
	s.after(5*time.Millisecond, func() {
		if boots != s.boots {
			return
		}
		if c.What == watchdog.WhatWorld {
			s.observe(w, w.facts())
			s.observe(w, watchdog.Inspect{Key: c.Key, What: c.What, World: w.world()})
			return
		}
		p := watchdog.Probe{Key: c.Key, What: c.What, Source: "proc", Result: watchdog.ProbeOK, Generation: w.generation}
		if s.wrong(5) {
			p.Result = watchdog.ProbeUnknown
		} else {
			if w.alive {
				p.Processes = append(p.Processes, watchdog.Process{PID: 100*w.generation + 1, Start: 7, Role: watchdog.RoleAgent, State: "S"})
			}
			for i := range w.descendants(s.now.Mono) {
				p.Processes = append(p.Processes, watchdog.Process{PID: 1000 + i, Start: 9, Role: watchdog.RoleTool, State: "S", ToolCall: "c1"})
			}
		}
		s.observe(w, p)
	})
}

// journalled checks that what a command rests on is durable: its intent, and for a steer or respawn what it costs.
func (s *sim) journalled(c *watchdog.Command) {
	data, err := s.memory.Read()
	if err != nil {
		s.t.Fatal(err)
	}
	data = data[:s.memory.Synced()]
	if c.Kind == watchdog.CmdNotify && (s.diskFull || s.engine != nil && s.engine.Full()) {
		return // a word that costs nothing does not wait for the disk
	}
	want := []string{`"intent","data":{"key":"` + c.Key}
	switch c.Kind {
	case watchdog.CmdNotify:
		want[0] = `"notice","data":{"key":"` + c.Key
		if bytes.Contains(data, []byte(`"`+c.Key+`":{`)) {
			want = nil // in the state that a compaction has left
		}
		s.told[c.Key]++
		if s.told[c.Key] > 1+s.crashes {
			s.failf("told %d times: %s", s.told[c.Key], c.Key)
		}
	case watchdog.CmdRespawn:
		want = append(want, fmt.Sprintf(`"budget":"restart","amount":1,"key":%q`, c.Key))
		fallthrough
	case watchdog.CmdInput:
		want = append(want, fmt.Sprintf(`"budget":"attempt","amount":1,"key":%q`, c.Key))
	}
	for _, text := range want {
		if !bytes.Contains(data, []byte(text)) {
			s.failf("%s %s was given before %s was durable", c.Kind, c.Key, text)
		}
	}
}

// judge checks what a destructive command needs.
func (s *sim) judge(w *simWorker, c *watchdog.Command) {
	now := s.now.Mono
	if w.stopped {
		s.failf("%s against the operator's word", c.Kind)
	}
	if s.policy.Effects[c.Kind.Effect()] != watchdog.PermitAuto {
		if d, ok := w.approved[c.Item]; c.Item == "" || !ok || d != c.IfDigest && !strings.Contains(c.Key, "reap_") {
			s.failf("%s without the owner's approval (item %q)", c.Kind, c.Item)
		}
	}
	reap := strings.Contains(c.Key, "/reap_")
	switch c.Kind {
	case watchdog.CmdAbort, watchdog.CmdStopTool, watchdog.CmdInterrupt, watchdog.CmdTerminate, watchdog.CmdKill:
		if reap {
			if w.alive || w.descendants(now) == 0 {
				s.failf("%s of a descendant that does not run, or of a living worker", c.Kind)
			}
			return
		}
		limit := simLimit
		if w.state == "tool" && w.descendants(now) == 0 {
			limit = s.policy.Settle // a call of whose processes none is left
		}
		if w.alive && w.json && w.state == "settled" && now-w.since >= s.policy.Settle && c.Kind != watchdog.CmdAbort {
			return // a one-shot that lingers
		}
		if !w.alive || w.state != "stuck" && w.state != "tool" && w.state != "aborted" || now-w.progress < limit && w.state != "aborted" {
			s.failf("%s of a worker that is %s with progress %s ago", c.Kind, w.state, now-w.progress)
		}
		if c.Kind.Effect() == watchdog.EffectStopWorker && w.shot < w.progress && w.state != "aborted" {
			s.failf("%s without a snapshot after the last progress", c.Kind)
		}
		if c.Target == nil || c.Target.PID != 100*w.generation+1 {
			s.failf("%s of target %v", c.Kind, c.Target)
		}
	case watchdog.CmdInput:
		if !w.alive || w.state != "aborted" || w.json {
			s.failf("input into a worker that is %s", w.state)
		}
	case watchdog.CmdRespawn:
		switch {
		case w.alive || w.descendants(now) > 0:
			s.failf("respawn beside a living predecessor (children %d)", w.children)
		case c.Token == "" || c.Token != w.token:
			s.failf("respawn without a lease")
		case w.shot < w.since:
			s.failf("respawn without a snapshot after the end")
		case !strings.Contains(c.Text, c.Snapshot) || c.Snapshot == "":
			s.failf("the successor is not told of the snapshot")
		}
	case watchdog.CmdCommitWIP, watchdog.CmdPublish:
		if w.alive || w.shot < w.since {
			s.failf("commit beside a living worker, or without a snapshot")
		}
	}
}

// effect has the effect of a command on the truth.
func (s *sim) effect(w *simWorker, c *watchdog.Command) watchdog.Outcome {
	done := watchdog.Outcome{Result: watchdog.ResultDone}
	switch c.Kind {
	case watchdog.CmdSnapshot:
		if s.wrong(10) {
			return watchdog.Outcome{Result: watchdog.ResultFailed, Reason: "disk full"}
		}
		w.shot, w.shotDigest = s.now.Mono, w.world()
		done.Digest = w.world()
	case watchdog.CmdAbort, watchdog.CmdStopTool:
		if w.state != "aborted" && !s.wrong(40) {
			s.after(7*time.Millisecond, func() { s.abort(w) })
		}
	case watchdog.CmdInterrupt, watchdog.CmdTerminate, watchdog.CmdKill:
		if strings.Contains(c.Key, "/reap_") {
			if c.Kind == watchdog.CmdKill || !s.wrong(50) {
				w.children = 0
			}
			break
		}
		if c.Kind == watchdog.CmdKill || !s.wrong(60) {
			s.after(20*time.Millisecond, func() {
				if w.alive {
					s.die(w, "SIGTERM")
				}
			})
		}
	case watchdog.CmdInput:
		s.run(w)
	case watchdog.CmdAcquireLease:
		if !s.link {
			return watchdog.Outcome{Result: watchdog.ResultFailed, Reason: "unreachable"}
		}
		w.token = c.Key
		done.Token = w.token
	case watchdog.CmdRespawn:
		if !s.link {
			return watchdog.Outcome{Result: watchdog.ResultFailed, Reason: "unreachable"}
		}
		s.after(500*time.Millisecond, func() { s.spawn(w) })
	case watchdog.CmdCommitWIP:
		w.digest++
		w.head++
		w.ahead = 1
	case watchdog.CmdPublish:
		if !s.wrong(20) {
			w.remote = fmt.Sprint("h", w.head)
		}
	case watchdog.CmdEscalate:
		w.escalated[c.Key] = true
		if len(w.escalated) > 1 {
			s.failf("escalated under %d keys", len(w.escalated))
		}
	case watchdog.CmdPropose:
		s.proposed(w, c)
	}
	return done
}

func (s *sim) abort(w *simWorker) {
	if !w.alive || w.state != "stuck" && w.state != "tool" {
		return
	}
	w.version++
	if w.state == "tool" {
		s.write(w, watchdog.StreamOut, "tool_end c1 aborted")
		w.children = 0
	}
	w.state = "aborted"
	s.write(w, watchdog.StreamOut, "end assistant stop=aborted", "turn_end", "agent_end", "agent_settled aborted")
}

// proposed lets the owner think about it.
func (s *sim) proposed(w *simWorker, c *watchdog.Command) {
	item, digest := c.Key, c.IfDigest
	s.after(time.Duration(s.rng.IntN(300))*time.Second, func() {
		yes := s.chance(70)
		if yes {
			w.approved[item] = digest
		} else {
			w.escalated["no"] = true
			delete(w.escalated, "no")
		}
		s.printf("owner %v to %s", yes, item)
		o := watchdog.Owner{Item: item, Approve: yes, Digest: digest, Proof: outside()}
		if s.chance(30) {
			o.NotAfter = s.now.Wall.Add(time.Duration(s.rng.IntN(60)) * time.Second)
		}
		s.observe(w, o)
	})
}
