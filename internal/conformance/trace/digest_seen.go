package trace

import "fakepi.example/watchdog"

// seen takes one observation.
func (d *Digest) seen(o *watchdog.Observation) {
	d.tag(tagSeen)
	d.int(int64(o.N))
	d.instant(o.At)
	d.text(o.Worker)
	d.int(int64(o.Generation))
	d.text(string(o.Body.Kind()))
	switch b := o.Body.(type) {
	case watchdog.Bytes:
		d.stream(b.Stream)
		d.int(b.Offset)
		d.bytes(b.Data)
	case watchdog.Closed:
		d.stream(b.Stream)
	case watchdog.File:
		d.stream(b.Stream)
		d.text(string(b.Change))
	case watchdog.Gap:
		d.stream(b.Stream)
		d.int(b.Missing)
	case watchdog.Exited:
		d.int(int64(b.Code))
		d.text(b.Signal)
	case watchdog.Outcome:
		d.text(b.Key)
		d.text(string(b.Result))
		d.text(b.Reason)
		d.text(b.Digest)
		d.text(b.Token)
	case watchdog.Probe:
		d.probe(&b)
	case watchdog.Inspect:
		d.text(b.Key)
		d.text(string(b.What))
		d.stream(b.Stream)
		d.int(b.Offset)
		d.text(b.World)
	default:
		d.fact(o.Body)
	}
}

// fact takes the rarer bodies.
func (d *Digest) fact(body watchdog.Body) {
	switch b := body.(type) {
	case watchdog.Spawned:
		d.text(string(b.Mode))
		d.text(string(b.Source))
		d.bool(b.Parent)
		d.bool(b.Autonomous)
		d.int(int64(b.PID))
		d.int(b.Start)
		d.texts([]string{b.Task, b.Model, b.Session, b.Worktree, b.Credential})
		if b.Agent != "" || b.Version != "" { // else the digest is that of a suite that knew one agent
			d.texts([]string{b.Agent, b.Version})
		}
	case watchdog.Worktree:
		d.bool(b.Missing)
		d.bool(b.Dirty)
		d.int(int64(b.Ahead))
		d.texts([]string{b.Head, b.Remote, b.Intended, b.Digest})
		d.bool(b.Midway)
		for _, g := range b.Gates {
			d.texts([]string{g.Name, string(g.Status), g.By, g.Head})
		}
	case watchdog.Task:
		d.texts([]string{b.ID, b.Status, b.Assignee, b.Lease})
		d.wall(b.LeaseUntil)
		d.wall(b.Heartbeat)
		d.bool(b.PullRequest)
		d.texts(b.Gates)
		d.texts(b.Vetoes)
	case watchdog.Owner:
		d.text(b.Item)
		d.bool(b.Approve)
		d.text(b.Digest)
		d.wall(b.NotAfter)
		d.proof(&b.Proof)
	case watchdog.Operator:
		d.text(string(b.Intent))
		d.proof(&b.Proof)
	case watchdog.Link:
		d.bool(b.Up)
	}
}

func (d *Digest) proof(p *watchdog.Proof) {
	d.wall(p.Given)
	d.text(string(p.Caller))
	d.text(p.Signature)
}

func (d *Digest) probe(p *watchdog.Probe) {
	d.text(p.Key)
	d.text(string(p.What))
	d.text(p.Source)
	d.text(string(p.Result))
	d.text(p.Text)
	d.int(int64(p.Generation))
	if p.State != nil {
		d.bool(p.State.Streaming)
		d.bool(p.State.Compacting)
		d.int(int64(p.State.Pending))
	}
	for i := range p.Processes {
		q := &p.Processes[i]
		d.int(int64(q.PID))
		d.int(int64(q.Parent))
		d.int(q.Start)
		d.duration(q.CPU)
		d.int(q.IO)
		d.text(q.State)
		d.text(string(q.Role))
		d.text(q.ToolCall)
		d.bool(q.HoldsPipe)
		d.bool(q.ReadsTTY)
	}
}
