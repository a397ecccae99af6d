package wcp

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// Limits bound what an adapter may do in answer to one message.
type Limits struct {
	Line   int           // bytes of a line; 0 = 16 MiB
	Output int           // bytes of all lines; 0 = 64 MiB
	Lines  int           // 0 = 100,000
	Answer time.Duration // real time; 0 = 10 s
}

func (l Limits) orDefaults() Limits {
	return Limits{
		Line: cmp.Or(l.Line, 16<<20), Output: cmp.Or(l.Output, 64<<20), Lines: cmp.Or(l.Lines, 100_000),
		Answer: cmp.Or(l.Answer, 10*time.Second),
	}
}

// deadliner is a reader that can be given a deadline, as a pipe can. Of another one no answer is ever late.
type deadliner interface{ SetReadDeadline(time.Time) error }

// Harness is the suite's end of one conversation. It is used by one goroutine at a time. After an error other than
// ErrUnsupported the conversation is over.
type Harness struct {
	in     *bufio.Reader
	from   io.Reader
	out    io.Writer
	limits Limits
	log    func(string) // receives the texts of log lines; nil: nobody
	tap    Tap

	hello   HelloOK
	state   watchdog.State // of the watchdog that runs
	highest int            // observation shown to it
	acked   int
	buf     []byte
	line    []byte
	lines   int // read in answer to the last message
	output  int
}

// Tap sees each line of a conversation without its line feed, which is valid until it returns.
type Tap func(toAdapter bool, line []byte)

// Tap has a function see what is said from now on.
func (h *Harness) Tap(tap Tap) { h.tap = tap }

// NewHarness returns the suite's end of a conversation with an adapter that writes to from and reads from to. log receives
// the texts of its log messages; it may be nil.
func NewHarness(from io.Reader, to io.Writer, limits Limits, log func(string)) *Harness {
	return &Harness{in: bufio.NewReaderSize(from, 64<<10), from: from, out: to, limits: limits.orDefaults(), log: log}
}

// Hello opens the conversation and returns what the adapter says of itself.
func (h *Harness) Hello(suite, nonce string) (HelloOK, error) {
	if err := h.sendValue(Hello{Type: typeHello, Protocols: []int{Version}, Suite: suite, Nonce: nonce}); err != nil {
		return HelloOK{}, err
	}
	kind, err := h.read()
	if err != nil {
		return HelloOK{}, err
	}
	switch kind {
	case typeFailed:
		return HelloOK{}, h.failure()
	case typeHelloOK:
	default:
		return HelloOK{}, broken("WCP-02", h.line, "%q in answer to hello; want hello_ok", kind)
	}
	var ok HelloOK
	if err := h.decode(&ok); err != nil {
		return HelloOK{}, err
	}
	h.hello = ok
	return ok, h.checkHello(&ok)
}

// maxPoll is the longest poll that an adapter may declare.
const maxPoll = time.Minute

func (h *Harness) checkHello(ok *HelloOK) error {
	switch {
	case ok.Protocol != Version:
		return broken("WCP-02", h.line, "protocol %d was not offered; want %d", ok.Protocol, Version)
	case ok.Name == "":
		return broken("WCP-02", h.line, "the adapter has no name")
	case ok.Wakeups != WakeExact && ok.Wakeups != WakePoll:
		return broken("WCP-02", h.line, "wakeups %q; want %s or %s", ok.Wakeups, WakeExact, WakePoll)
	case ok.Wakeups == WakeExact && ok.Poll != 0:
		return broken("WCP-02", h.line, "poll_ms belongs to wakeups %q", WakePoll)
	case ok.Wakeups == WakePoll && (ok.PollEvery() <= 0 || ok.PollEvery() > maxPoll):
		return broken("WCP-02", h.line, "wakeups %q need a poll_ms above 0 and at most %d", WakePoll, maxPoll.Milliseconds())
	case !slices.Contains([]Storage{StorageNone, StorageDirectory, StorageLog}, ok.Storage):
		return broken("WCP-02", h.line, "storage %q; want %s, %s or %s", ok.Storage, StorageNone, StorageDirectory, StorageLog)
	}
	return nil
}

// Start starts a watchdog. The error wraps ErrUnsupported if the adapter refuses the case.
func (h *Harness) Start(s Start) (watchdog.Watchdog, error) {
	h.state, h.highest, h.acked = nil, 0, 0
	s.Type = typeStart
	if err := h.quiet(); err != nil {
		return nil, err
	}
	if s.Boot.State != nil && h.hello.Storage == StorageLog {
		data, err := s.Boot.State.Read()
		if err != nil {
			return nil, err
		}
		blob := Blob(data)
		s.Log, h.state = &blob, s.Boot.State
	}
	if err := h.sendValue(s); err != nil {
		return nil, err
	}
	for {
		kind, err := h.read()
		if err != nil {
			return nil, err
		}
		switch kind {
		case typeReady:
			return started{h}, h.decode(&bare{})
		case typeUnsupported:
			var u unsupported
			if err := h.decode(&u); err != nil {
				return nil, err
			}
			return nil, fmt.Errorf("%w: %s", ErrUnsupported, u.Reason)
		case typeFailed:
			return nil, h.failure()
		default:
			if ok, err := h.aside(kind, false); !ok || err != nil {
				return nil, cmp.Or(err, broken("WCP-04", h.line, "%q in answer to start; want ready or unsupported", kind))
			}
		}
	}
}

// Stop ends a watchdog in good order.
func (h *Harness) Stop() error {
	if err := h.quiet(); err != nil {
		return err
	}
	if err := h.sendValue(bare{typeStop}); err != nil {
		return err
	}
	for {
		kind, err := h.read()
		if err != nil {
			return err
		}
		if kind == typeBye {
			return h.decode(&bare{})
		}
		if ok, err := h.aside(kind, false); !ok || err != nil {
			return cmp.Or(err, broken("WCP-15", h.line, "%q in answer to stop; want bye", kind))
		}
	}
}

// Quiet reports what the adapter has said out of turn within a while, or nil. Only a pipe can be asked; from another reader
// only what was read already counts.
func (h *Harness) Quiet(wait time.Duration) error {
	d, ok := h.from.(deadliner)
	if ok && wait > 0 && h.in.Buffered() == 0 {
		if err := d.SetReadDeadline(time.Now().Add(wait)); err != nil {
			return err
		}
		_, err := h.in.Peek(1)
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return h.readError(err)
		}
	}
	return h.quiet()
}

func (h *Harness) quiet() error {
	if n := h.in.Buffered(); n > 0 {
		said, _ := h.in.Peek(min(n, shownLine))
		return broken("WCP-07", said, "the adapter speaks out of turn")
	}
	return nil
}

// started is the watchdog behind a conversation.
type started struct{ *Harness }

// Step implements watchdog.Watchdog.
func (h started) Step(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
	d, err := h.tick(now, seen)
	if err != nil {
		return watchdog.Decision{}, err
	}
	return d, nil
}

func (h *Harness) tick(now watchdog.Instant, seen []watchdog.Observation) (d watchdog.Decision, err error) {
	if err := h.quiet(); err != nil {
		return d, err
	}
	if h.buf, err = appendTick(h.buf[:0], now, seen); err != nil {
		return d, err
	}
	for i := range seen {
		h.highest = max(h.highest, seen[i].N)
	}
	if err := h.send(); err != nil {
		return d, err
	}
	for {
		kind, err := h.read()
		if err != nil {
			return d, err
		}
		switch kind {
		case typeQuiescent:
			return d, h.quiescent(&d)
		case typeFailed:
			return d, h.failure()
		default:
			if err := h.answer(kind, &d); err != nil {
				return d, err
			}
		}
	}
}

// answer reads one line of the answer to a tick.
func (h *Harness) answer(kind string, d *watchdog.Decision) error {
	switch kind {
	case typeVerdict:
		line := verdictLine{Verdict: &watchdog.Verdict{}}
		if err := h.decode(&line); err != nil {
			return err
		}
		if line.Verdict.Worker == "" {
			return broken("WCP-03", h.line, "verdict without a worker")
		}
		d.Verdicts = append(d.Verdicts, *line.Verdict)
	case typeCommand:
		line := commandLine{Command: &watchdog.Command{}}
		if err := h.decode(&line); err != nil {
			return err
		}
		if line.Command.Key == "" {
			return broken("WCP-03", h.line, "command without a key")
		}
		d.Commands = append(d.Commands, *line.Command)
	default:
		if ok, err := h.aside(kind, len(d.Commands) > 0); !ok || err != nil {
			return cmp.Or(err, broken("WCP-06", h.line, "%q in answer to tick; want verdict, command, log or quiescent", kind))
		}
	}
	return nil
}

func (h *Harness) quiescent(d *watchdog.Decision) error {
	wake, ack, ok := fastQuiescent(h.line)
	if !ok {
		var q quiescent
		if err := h.decode(&q); err != nil {
			return err
		}
		if q.Wake == nil || q.Ack == nil {
			return broken("WCP-03", h.line, "quiescent needs wake_ms and ack")
		}
		wake, ack = time.Duration(*q.Wake), *q.Ack
	}
	switch {
	case wake < 0:
		return broken("WCP-11", h.line, "a wake_ms below 0")
	case ack < h.acked:
		return broken("WCP-11", h.line, "ack %d after ack %d", ack, h.acked)
	case ack > h.highest:
		return broken("WCP-11", h.line, "ack %d, but no observation above %d was shown", ack, h.highest)
	}
	h.acked = ack
	d.Wake, d.Ack = wake, ack
	return nil
}

// aside reads a line that is no answer by itself: log, and what changes the log that the suite keeps. It reports false for
// other lines.
func (h *Harness) aside(kind string, commanded bool) (bool, error) {
	switch kind {
	case typeLog:
		var l logLine
		if err := h.decode(&l); err != nil {
			return true, err
		}
		if h.log != nil {
			h.log(l.Text)
		}
		return true, nil
	case typeAppend, typeSync, typeTruncate, typeDrop:
		switch {
		case h.state == nil:
			return true, broken("WCP-09", h.line, "%s, but this case has no log of the suite's", kind)
		case commanded:
			return true, broken("WCP-09", h.line, "%s after a command: what a command rests on is durable before it", kind)
		}
		return true, h.store(kind)
	}
	return false, nil
}

// store changes the log and answers.
func (h *Harness) store(kind string) error {
	var done error
	switch kind {
	case typeAppend:
		var l appendLine
		if err := h.decode(&l); err != nil {
			return err
		}
		if l.Data == nil {
			return broken("WCP-03", h.line, "append needs data")
		}
		done = h.state.Append(*l.Data)
	case typeSync:
		if err := h.decode(&bare{}); err != nil {
			return err
		}
		done = h.state.Sync()
	default:
		var l sizeLine
		if err := h.decode(&l); err != nil {
			return err
		}
		var err error
		if done, err = h.cut(kind, l.Size); err != nil {
			return err
		}
	}
	return h.sendValue(storedAs(done))
}

// cut removes a tail or a beginning of the log.
func (h *Harness) cut(kind string, size *int64) (done, err error) {
	data, err := h.state.Read()
	if err != nil {
		return nil, err
	}
	if size == nil || *size < 0 || *size > int64(len(data)) {
		return nil, broken("WCP-09", h.line, "%s needs a size from 0 to %d, the log's", kind, len(data))
	}
	if kind == typeTruncate {
		return h.state.Truncate(*size), nil
	}
	d, ok := h.state.(journal.Dropper)
	if !ok {
		return errors.New("this log cannot give space back"), nil
	}
	return d.Drop(*size), nil
}

func storedAs(err error) stored {
	s := stored{Type: typeStored}
	switch {
	case err == nil:
		return s
	case errors.Is(err, journal.ErrFull):
		s.Error = storedFull
	case errors.Is(err, journal.ErrFenced):
		s.Error = storedFenced
	default:
		s.Error = storedFailed
	}
	s.Text = err.Error()
	return s
}

func (h *Harness) failure() error {
	var f failed
	if err := h.decode(&f); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s", ErrFailed, f.Reason)
}
