package mutants

import "fakepi.example/watchdog"

// unseenExit is a wait status that nobody has seen.
func unseenExit() watchdog.Exited { return watchdog.Exited{Code: -1, Signal: "unknown"} }

// deadIfFailed takes a probe that failed for the death of the worker.
func deadIfFailed(b watchdog.Body) watchdog.Body {
	if p, ok := b.(watchdog.Probe); ok && p.Result != watchdog.ProbeOK {
		return unseenExit()
	}
	return b
}

// deadIfMissing takes one look that does not find the worker for its death, whoever looked.
func deadIfMissing() sight {
	workers := spawns{}
	return func(o watchdog.Observation, show func(watchdog.Observation)) {
		workers.note(&o)
		if workers.missing(&o) {
			o.Body = unseenExit()
		}
		show(o)
	}
}

// immortal sees neither an exit nor a look that does not find the worker.
func immortal() sight {
	workers := spawns{}
	return func(o watchdog.Observation, show func(watchdog.Observation)) {
		workers.note(&o)
		if _, exit := o.Body.(watchdog.Exited); !exit && !workers.missing(&o) {
			show(o)
		}
	}
}

// processes changes the process trees that probes find.
func processes(change func([]watchdog.Process) []watchdog.Process) lie {
	return bodies(func(b watchdog.Body) watchdog.Body {
		p, ok := b.(watchdog.Probe)
		if !ok || p.What != watchdog.WhatProcesses || len(p.Processes) == 0 {
			return b
		}
		p.Processes = change(append([]watchdog.Process(nil), p.Processes...))
		return p
	})
}

// atRest takes all work from processes.
func atRest(tree []watchdog.Process) []watchdog.Process {
	for i := range tree {
		tree[i].CPU, tree[i].IO = 0, 0
	}
	return tree
}

// ghost is the pid of a process that there is not.
const ghost = 1 << 30

// haunted adds a process that sleeps on after all others of a tool have ended.
func haunted(tree []watchdog.Process) []watchdog.Process {
	return append(tree, watchdog.Process{PID: ghost, Parent: tree[0].PID, Role: watchdog.RoleTool, State: "S"})
}

// idleByState ends the run of a worker that answers that it neither streams nor compacts.
func idleByState() sight {
	v := views{stream: watchdog.StreamOut, fresh: always(verbatim), of: map[source]*view{}}
	return func(o watchdog.Observation, show func(watchdog.Observation)) {
		v.see(o, show)
		if p, ok := o.Body.(watchdog.Probe); ok && p.State != nil && !p.State.Streaming && !p.State.Compacting {
			v.add(o, endRecord, show)
			v.add(o, settledRecord, show)
		}
	}
}

// stuckFollower goes on reading a file behind where its end was, whatever became of the file.
func stuckFollower() sight {
	type file struct {
		source
		stream watchdog.Stream
	}
	ends, stuck := map[file]int64{}, map[file]bool{}
	return func(o watchdog.Observation, show func(watchdog.Observation)) {
		switch b := o.Body.(type) {
		case watchdog.File:
			stuck[file{sourceOf(&o), b.Stream}] = true
			return
		case watchdog.Bytes:
			f := file{sourceOf(&o), b.Stream}
			end := b.Offset + int64(len(b.Data))
			if stuck[f] && end <= ends[f] {
				return
			}
			ends[f] = max(ends[f], end)
		}
		show(o)
	}
}

// promptAtStart takes the start of an rpc worker for a prompt. The line stands on a stream that is never inspected.
func promptAtStart() sight {
	return func(o watchdog.Observation, show func(watchdog.Observation)) {
		show(o)
		if s, ok := o.Body.(watchdog.Spawned); ok && s.Mode == watchdog.ModeRPC {
			o.Body = watchdog.Bytes{Stream: watchdog.StreamIn, Data: []byte(`{"type":"prompt","message":""}` + "\n")}
			show(o)
		}
	}
}

// spawned changes how workers are said to have been started.
func spawned(change func(*watchdog.Spawned)) lie {
	return bodies(func(b watchdog.Body) watchdog.Body {
		if s, ok := b.(watchdog.Spawned); ok {
			change(&s)
			return s
		}
		return b
	})
}

// worlds changes the digest of the worktree that an inspect finds.
func worlds(change func(digest string) string) lie {
	return bodies(func(b watchdog.Body) watchdog.Body {
		if in, ok := b.(watchdog.Inspect); ok && in.What == watchdog.WhatWorld {
			in.World = change(in.World)
			return in
		}
		return b
	})
}

// sameWorld is a worktree that never changes, if it can be read at all.
func sameWorld(digest string) string {
	if digest == "" {
		return ""
	}
	return "same"
}

// noPullRequests hides them.
func noPullRequests(b watchdog.Body) watchdog.Body {
	if t, ok := b.(watchdog.Task); ok {
		t.PullRequest = false
		return t
	}
	return b
}

// noGaps hides that bytes were dropped.
func noGaps(b watchdog.Body) watchdog.Body {
	if _, ok := b.(watchdog.Gap); ok {
		return nil
	}
	return b
}
