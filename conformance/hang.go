package conformance

import (
	"sync/atomic"
	"time"

	"fakepi.example/internal/conformance/trace"
)

// patience is for how long of real time a subject may be at one step. One that is longer at it hangs, as far as anybody
// can tell.
const patience = time.Minute

// pulse is a Sink that counts the steps from which a subject has come back.
type pulse struct {
	trace.Nothing
	steps atomic.Int64
}

// await waits until a history has ended. It reports false if the subject hangs.
func (p *pulse) await(ended <-chan struct{}) bool {
	look := time.NewTicker(patience)
	defer look.Stop()
	for last := int64(-1); ; {
		select {
		case <-ended:
			return true
		case <-look.C:
			now := p.steps.Load()
			if now == last {
				return false
			}
			last = now
		}
	}
}

// Step implements trace.Sink.
func (p *pulse) Step(*trace.Step) { p.steps.Add(1) }
