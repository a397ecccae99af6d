package fakepi

import (
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/provider"
)

// leftCompaction is one whose session a client has left: it goes on, is saved there and answered, and no event tells of it
// (docs/pi-formats.md, section 12).
type leftCompaction struct {
	compaction
	session session
	context int64
}

// leaveCompaction keeps the one under way, which who has asked for it waits for.
func (w *Worker) leaveCompaction() {
	if c := w.compaction; c.active && c.asked {
		c.unheard = true
		w.left = append(slices.Clip(w.left), leftCompaction{compaction: c, session: w.session.clone(), context: w.context})
	}
}

// endLeft ends one.
func (w *Worker) endLeft(i int) {
	l := w.left[i]
	w.left = slices.Delete(slices.Clone(w.left), i, i+1)
	if l.how.Fails {
		w.answerCompact(l.compaction, nil, "Summarization failed: "+w.statusText(provider.ServerError()))
		return
	}
	w.answerCompact(l.compaction, w.summariseLeft(&l), "")
}

// summariseLeft summarises a session that is not the current one.
func (w *Worker) summariseLeft(l *leftCompaction) *native.CompactionResult {
	current, context := w.session, w.context
	w.session, w.context = l.session, l.context
	result := w.summarise(l.how)
	w.session, w.context = current, context
	return result
}
