package world

import (
	"strings"
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// play lets the world or its people do their step i.
func (w *World) play(i int) {
	s := &w.cfg.Steps[i]
	switch a := s.Action.(type) {
	case script.Link:
		w.linkDown = !a.Up
		w.observe(watchdog.Link{Up: a.Up}, nil)
	case script.Suspend:
		w.suspend(a.D.D)
	case script.Clock:
		w.setClock(a)
	case script.Reboots:
		w.reboot()
	case script.Gap:
		w.gap(a)
	case script.Truncates:
		w.refile(a.Worker, a.Stream, watchdog.FileTruncated)
	case script.Replaces:
		w.refile(a.Worker, a.Stream, watchdog.FileReplaced)
	case script.Probes:
		w.setProbes(a)
	case script.Healed:
		w.heal()
	case script.Task:
		w.setRow(a)
	case script.Dirty:
		w.dirty(a.Worker)
	case script.Intends:
		if word, ok := w.word(watchdog.Operator{Intent: watchdog.Intent(a.Intent)}, a.By, a.Worker); ok {
			w.tell(a.Worker, word)
		}
	case script.Answers:
		w.reply(i, a.Of, a.Value, false)
	case script.Cancels:
		w.reply(i, a.Of, "", true)
	default:
		w.playAround(a)
	}
	if len(w.seen) > 0 {
		w.stepSubject(trace.WhySeen)
	}
}

// playAround plays what only a watchdog that acts comes to know.
func (w *World) playAround(a script.Action) {
	switch a := a.(type) {
	case script.Worktree:
		if i, ok := w.byID[a.Worker]; ok {
			w.workers[i].tree.by(a.Change)
		}
	case script.Gate:
		if i, ok := w.byID[a.Worker]; ok {
			w.workers[i].tree.gate(a)
		}
	case script.Outcome:
		w.scripted = append(w.scripted, scriptedFate{Outcome: a, left: max(1, a.Times)})
	case script.Disk:
		w.setDisk(a.Full)
	case script.Decides:
		w.rules(a)
	}
}

// born returns a worker that has been spawned, or nil.
func (w *World) born(id string) *worker {
	i, ok := w.byID[id]
	if !ok || w.workers[i].generation == 0 {
		return nil
	}
	return w.workers[i]
}

// tell shows the subject a fact about a worker.
func (w *World) tell(id string, b watchdog.Body) {
	if k := w.born(id); k != nil {
		w.observe(b, k.life)
	}
}

// suspend lets the host sleep. Nothing of it is on the script's clock; the subject learns of it by its own clocks.
func (w *World) suspend(d time.Duration) {
	w.clocks.asleep += d
	w.fault(trace.FaultSuspend, -1, d)
}

func (w *World) setClock(a script.Clock) {
	if a.Zone != "" {
		if t, err := time.Parse("-07:00", a.Zone); err == nil {
			_, offset := t.Zone()
			w.clocks.zone = time.FixedZone("", offset)
		}
	}
	w.clocks.jumped += a.Jumps.D
	w.fault(trace.FaultJump, -1, a.Jumps.D)
}

// reboot ends every process. Nobody is left to report the exits; the boot id tells, and the spawner is back.
func (w *World) reboot() {
	w.clocks.reboot()
	for _, k := range w.workers {
		for _, l := range append(k.older[:len(k.older):len(k.older)], k.life) {
			l.vanish(w)
		}
	}
	w.fault(trace.FaultReboot, -1, 0)
	w.observe(watchdog.Link{Up: true}, nil)
}

// vanish ends every process of a life without a word.
func (l *life) vanish(w *World) {
	if l.generation == 0 {
		return
	}
	for _, p := range l.processes(nil, w.clocks.mono) {
		l.signal(w, p.PID, "SIGKILL")
	}
	if l.exit == nil {
		l.exit = &watchdog.Exited{Code: -1, Signal: "SIGKILL"}
	}
	l.out = l.out[:0]
	l.schedule(w)
}

// gap drops what the worker writes next to a stream. The holder says so at once.
func (w *World) gap(a script.Gap) {
	k := w.born(a.Worker)
	if k == nil || !k.carries(watchdog.Stream(a.Stream)) {
		return
	}
	stream := watchdog.Stream(a.Stream)
	k.drops = append(k.drops, drop{stream, a.Bytes})
	missing := a.Bytes
	if a.Unknown {
		missing = -1
	}
	w.fault(trace.FaultDrop, k.index, 0)
	w.observe(watchdog.Gap{Stream: stream, Missing: missing}, k.life)
}

// refile gives a followed stream an empty file.
func (w *World) refile(id, stream string, change watchdog.FileChange) {
	k := w.born(id)
	if k == nil || !k.carries(watchdog.Stream(stream)) {
		return
	}
	k.sizes[watchdog.Stream(stream)] = 0
	w.observe(watchdog.File{Stream: watchdog.Stream(stream), Change: change}, k.life)
}

// heal ends every fault.
func (w *World) heal() {
	for _, k := range w.workers {
		k.probes = probing{}
	}
	w.linkDown, w.scripted = false, nil
	w.setDisk(false)
	w.observe(watchdog.Link{Up: true}, nil)
}

// setDisk makes the disk full, or gives it room.
func (w *World) setDisk(full bool) {
	if full == w.diskFull {
		return
	}
	w.diskFull = full
	w.store.fill(full)
	kind := trace.FaultFree
	if full {
		kind = trace.FaultFull
	}
	w.fault(kind, -1, 0)
}

// setRow changes a row of the tracker and shows it.
func (w *World) setRow(a script.Task) {
	i, ok := w.byID[a.Worker]
	if !ok {
		return
	}
	row := &w.rows[i]
	set := func(field *string, value string) {
		if value != "" {
			*field = value
		}
	}
	set(&row.Status, a.Status)
	set(&row.Assignee, a.Assignee)
	switch {
	case a.NoHeartbeat:
		row.Heartbeat = time.Time{}
	case a.Heartbeat.Given():
		row.Heartbeat = w.clocks.now().Wall.Add(a.Heartbeat.D)
	}
	if a.PullRequest != "" {
		row.PullRequest = a.PullRequest == "open"
	}
	switch a.Vetoes {
	case "":
	case "none":
		row.Vetoes = nil
	default:
		row.Vetoes = strings.Split(a.Vetoes, ",")
	}
	if a.Lease != "" {
		k := w.workers[i]
		if k.lease.holder != a.Lease {
			k.lease.token++ // a lease that is prolonged keeps its token
		}
		k.lease.holder, k.lease.until = a.Lease, w.clocks.now().Wall.Add(a.LeaseFor.D)
		row.Lease, row.LeaseUntil = a.Lease, k.lease.until
	}
	w.workers[i].rowed = w.workers[i].generation == 0
	w.tell(a.Worker, *row)
}

func (w *World) dirty(id string) {
	if k := w.born(id); k != nil {
		k.tree.edit()
		w.observe(k.tree.facts(), k.life)
	}
}

// reply lets the user answer or cancel a dialog: that of the label, else the one that was asked last before step i.
func (w *World) reply(i int, label, value string, cancel bool) {
	k := w.asker(i, label)
	if k == nil {
		return
	}
	if line := k.process.Answer(value, cancel); line != nil {
		k.send(w, line)
		k.deliver(w)
	}
}

// asker is the worker that asks.
func (w *World) asker(i int, label string) *worker {
	var found *worker
	for j := range w.cfg.Steps {
		s := &w.cfg.Steps[j]
		if _, ok := s.Action.(script.Asks); !ok {
			continue
		}
		switch {
		case label != "" && s.Label == label:
			return w.born(s.Actor)
		case label == "" && s.At <= w.cfg.Steps[i].At:
			if k := w.born(s.Actor); k != nil && k.truth(w.clocks.mono).Dialog != "" {
				found = k
			}
		}
	}
	return found
}
