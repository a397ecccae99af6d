package world

import "fakepi.example/watchdog"

// noRoom is why evidence cannot be kept.
const noRoom = "no space left on device"

// snapshot ends a snapshot. What changed while it was taken is torn in it.
func (w *World) snapshot(e *effect, k *worker) outcome {
	digest := k.tree.digest()
	switch {
	case w.diskFull:
		return ended(watchdog.ResultFailed, noRoom)
	case digest != e.before:
		return ended(watchdog.ResultFailed, "changed")
	}
	w.snapshots = append(w.snapshots, digest)
	o := done()
	o.Digest = digest
	return o
}

// prove restores a snapshot, byte for byte.
func (w *World) prove(c *watchdog.Command, _ *worker) outcome {
	if w.diskFull {
		return ended(watchdog.ResultFailed, noRoom)
	}
	for _, s := range w.snapshots {
		if c.IfDigest == "" || s == c.IfDigest {
			o := done()
			o.Digest = s
			return o
		}
	}
	return ended(watchdog.ResultFailed, "no such snapshot")
}

// changeTree does what changes a worktree, its branch, its remote or the session, and shows the facts that come of it.
func (w *World) changeTree(c *watchdog.Command, k *worker) outcome {
	t := &k.tree
	switch {
	case t.missing && c.Kind != watchdog.CmdRemoveBranch && c.Kind != watchdog.CmdRemoveSession && c.Kind != watchdog.CmdPublish:
		return ended(watchdog.ResultFailed, "there is no worktree")
	case t.midway && c.Kind == watchdog.CmdCommitWIP:
		return ended(watchdog.ResultFailed, "a merge is under way")
	case t.locked && c.Kind == watchdog.CmdRemoveWorktree:
		return ended(watchdog.ResultFailed, "the worktree is locked")
	case w.diskFull && c.Kind == watchdog.CmdCommitWIP:
		return ended(watchdog.ResultFailed, noRoom)
	}
	o := done()
	switch c.Kind {
	case watchdog.CmdCommitWIP:
		o.effect = t.edited+t.untracked > 0
		if o.effect {
			t.commit()
		}
	case watchdog.CmdPublish:
		o.effect = t.push()
	case watchdog.CmdLockWorktree:
		t.locked = true
	case watchdog.CmdRemoveWorktree:
		t.remove()
	case watchdog.CmdRemoveBranch:
		t.commits, t.summary = t.commits[:t.pushed], ""
	case watchdog.CmdRemoveSession:
	default:
		return ended(watchdog.ResultFailed, "this world cannot do that")
	}
	if w.cfg.Recovery != nil {
		w.observe(t.facts(), k.life)
	}
	return o
}
