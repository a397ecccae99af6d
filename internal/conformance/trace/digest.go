package trace

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"time"

	"fakepi.example/watchdog"
)

// Digest is a Sink that hashes a history. It takes everything that the subject was shown, said, did and stored,
// and the truth behind it, in a fixed binary form; nothing in it depends on the time of day, a path or the host.
type Digest struct {
	hash hash.Hash
	buf  []byte
}

// NewDigest returns the digest of an empty history.
func NewDigest() *Digest { return &Digest{hash: sha256.New(), buf: make([]byte, 0, 2*flushAt)} }

// flushAt is how many bytes are gathered before they are hashed.
const flushAt = 4 << 10

// Sum returns the SHA-256 of the history so far.
func (d *Digest) Sum() [sha256.Size]byte {
	d.flush()
	var sum [sha256.Size]byte
	d.hash.Sum(sum[:0])
	return sum
}

func (d *Digest) flush() {
	d.hash.Write(d.buf)
	d.buf = d.buf[:0]
}

// The first byte of a record.
const (
	tagStep byte = iota + 1
	tagSeen
	tagTruth
	tagVerdict
	tagCommand
	tagEvidence
	tagError
	tagAct
	tagFault
	tagEnd
	tagUnsynced
)

// Advance implements Sink: the passing of time is no record.
func (d *Digest) Advance(watchdog.Instant) {}

// Step implements Sink.
func (d *Digest) Step(s *Step) {
	d.tag(tagStep)
	d.instant(s.Now)
	d.int(int64(s.Why))
	d.int(int64(s.Again))
	d.bool(s.Cut)
	for i := range s.Seen {
		d.seen(&s.Seen[i])
	}
	for i := range s.Truths {
		d.truth(&s.Truths[i])
	}
	if s.Err != nil {
		d.tag(tagError)
		d.text(s.Err.Error())
	}
	for i := range s.Decision.Verdicts {
		d.verdict(&s.Decision.Verdicts[i])
	}
	for i := range s.Decision.Commands {
		d.command(&s.Decision.Commands[i])
	}
	d.duration(s.Decision.Wake)
	d.int(int64(s.Decision.Ack))
	d.bytes(s.Stored)
	if s.Unsynced {
		d.tag(tagUnsynced)
	}
	if len(d.buf) >= flushAt {
		d.flush()
	}
}

// Act implements Sink.
func (d *Digest) Act(a *Act) {
	d.tag(tagAct)
	d.instant(a.Now)
	d.int(int64(a.Worker))
	d.command(a.Command)
	d.text(string(a.Result))
	d.text(a.Reason)
	d.bool(a.Effect)
	d.texts([]string{a.Digest, a.Token})
}

// Fault implements Sink.
func (d *Digest) Fault(f *Fault) {
	d.tag(tagFault)
	d.instant(f.Now)
	d.text(string(f.Kind))
	d.int(int64(f.Worker))
	d.duration(f.Span)
}

// End implements Sink.
func (d *Digest) End(now watchdog.Instant) {
	d.tag(tagEnd)
	d.instant(now)
}

func (d *Digest) tag(t byte)               { d.buf = append(d.buf, t) }
func (d *Digest) int(n int64)              { d.buf = binary.AppendVarint(d.buf, n) }
func (d *Digest) duration(t time.Duration) { d.int(int64(t)) }
func (d *Digest) text(s string)            { d.int(int64(len(s))); d.buf = append(d.buf, s...) }
func (d *Digest) bytes(b []byte)           { d.int(int64(len(b))); d.buf = append(d.buf, b...) }
func (d *Digest) stream(s watchdog.Stream) { d.text(string(s)) }

func (d *Digest) instant(i watchdog.Instant) {
	d.duration(i.Mono)
	d.duration(i.Boot)
	d.wall(i.Wall)
	d.text(i.BootID)
}

func (d *Digest) texts(list []string) {
	d.int(int64(len(list)))
	for _, s := range list {
		d.text(s)
	}
}

func (d *Digest) bool(b bool) {
	n := int64(0)
	if b {
		n = 1
	}
	d.int(n)
}

// wall takes the zone too: a subject that was told the same moment in another zone was told something else.
func (d *Digest) wall(t time.Time) {
	_, offset := t.Zone()
	d.int(t.Unix())
	d.int(int64(t.Nanosecond()))
	d.int(int64(offset))
}

func (d *Digest) truth(t *Truth) {
	d.tag(tagTruth)
	d.text(t.Worker)
	d.int(int64(t.Generation))
	d.text(string(t.Phase))
	d.duration(t.Since)
	d.duration(t.LastProgress)
	d.duration(t.Until)
	d.bool(t.Stuck)
	d.bool(t.Exited)
	d.bool(t.Proven)
	d.text(t.Dialog)
	d.texts(t.Calls)
	d.text(t.Slowest)
}

func (d *Digest) verdict(v *watchdog.Verdict) {
	d.tag(tagVerdict)
	d.text(v.Worker)
	d.int(int64(v.Generation))
	d.text(string(v.Name))
	d.text(string(v.Status))
	d.duration(v.Since)
	d.cause(v.Cause)
	for _, e := range v.Evidence {
		d.tag(tagEvidence)
		d.int(int64(e.N))
		d.duration(e.Age)
		d.int(int64(e.Generation))
	}
	d.duration(v.Next)
	d.texts(v.Vetoes)
	d.int(int64(len(v.Flags)))
	for _, f := range v.Flags {
		d.text(string(f))
	}
	d.detail(&v.Detail)
}

func (d *Digest) detail(t *watchdog.Detail) {
	d.texts(t.Calls)
	d.int(int64(t.Holder))
	d.int(int64(t.Terminal))
	d.wall(t.Until)
	d.text(t.Credential)
	d.text(t.Dialog)
	d.text(t.Reason)
	d.bool(t.DeadChain)
	d.text(t.StopReason)
}

func (d *Digest) cause(c watchdog.Cause) {
	d.text(string(c.Name))
	d.text(string(c.Phase))
	d.text(string(c.Limit))
}

func (d *Digest) command(c *watchdog.Command) {
	d.tag(tagCommand)
	d.text(c.Key)
	d.text(string(c.Kind))
	d.text(c.Worker)
	d.int(int64(c.Generation))
	d.cause(c.Cause)
	for _, n := range c.Evidence {
		d.tag(tagEvidence)
		d.int(int64(n))
	}
	d.text(c.Text)
	d.text(string(c.What))
	d.stream(c.Stream)
	d.text(c.ToolCall)
	d.bytes(c.Input)
	if c.Target != nil {
		d.int(int64(c.Target.PID))
		d.int(c.Target.Start)
	}
	d.int(int64(c.IfGen))
	d.text(c.IfDigest)
	d.wall(c.NotAfter)
	d.texts([]string{c.Item, string(c.Act), c.Session, c.Snapshot, c.Token})
}
