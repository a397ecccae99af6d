package wcp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"fakepi.example/watchdog"
)

// Adapter is a watchdog in Go that is to be judged over the protocol.
type Adapter struct {
	Name     string
	Version  string
	Features []string
	Poll     time.Duration // 0: it is woken exactly
	NoLog    bool          // it keeps no state, not even where Boot.State is there
	// Open, if set, opens the state that it keeps itself in the folder of a case: its storage is then a directory.
	Open  func(dir string) (watchdog.State, error)
	Start func(watchdog.Boot) (watchdog.Watchdog, error)
}

// Serve answers the suite until in ends, then returns nil. An error says that the conversation broke; that a watchdog fails
// is told to the suite, and no error.
func Serve(in io.Reader, out io.Writer, a Adapter) error {
	s := &server{Adapter: a, in: bufio.NewReaderSize(in, 64<<10), out: bufio.NewWriterSize(out, 64<<10)}
	for {
		line, err := s.line()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := s.handle(line); err != nil {
			return err
		}
		if err := s.out.Flush(); err != nil {
			return err
		}
	}
}

// server is one conversation.
type server struct {
	Adapter
	in      *bufio.Reader
	out     *bufio.Writer
	long    []byte // a line that did not fit into the buffer
	buf     []byte
	running watchdog.Watchdog
	tick    tick
}

func (s *server) line() ([]byte, error) {
	line, err := s.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		s.long = append(s.long[:0], line...)
		line, err = s.in.ReadBytes('\n')
		s.long = append(s.long, line...)
		line = s.long
	}
	return line, err
}

func (s *server) handle(line []byte) error {
	kind, err := kindOf(line[:len(line)-1])
	if err != nil {
		return err
	}
	switch kind {
	case typeHello:
		return s.hello(line)
	case typeStart:
		return s.start(line)
	case typeTick:
		return s.step(line)
	case typeStop:
		s.running = nil
		return s.say(bare{typeBye})
	}
	return s.fail(fmt.Errorf("an unknown message %q", kind))
}

func (s *server) hello(line []byte) error {
	var h Hello
	if err := json.Unmarshal(line, &h); err != nil {
		return s.fail(err)
	}
	if !slices.Contains(h.Protocols, Version) {
		return s.fail(fmt.Errorf("no protocol of %v is spoken here; want %d", h.Protocols, Version))
	}
	ok := HelloOK{
		Type: typeHelloOK, Protocol: Version, Name: s.Name, Version: s.Version, Features: s.Features,
		Wakeups: WakeExact, Poll: millis(s.Poll), Storage: StorageLog, Reuse: true,
	}
	if s.Poll > 0 {
		ok.Wakeups = WakePoll
	}
	if s.NoLog {
		ok.Storage = StorageNone
	}
	if s.Open != nil {
		ok.Storage = StorageDirectory
	}
	return s.say(ok)
}

func (s *server) start(line []byte) error {
	var start Start
	if err := json.Unmarshal(line, &start); err != nil {
		return s.fail(err)
	}
	missing := slices.DeleteFunc(start.Needs, func(f string) bool { return slices.Contains(s.Features, f) })
	if len(missing) > 0 {
		return s.say(unsupported{typeUnsupported, "there is no " + strings.Join(missing, ", ") + " here"})
	}
	if start.Log != nil && !s.NoLog {
		start.Boot.State = &remoteLog{s: s, data: *start.Log}
	}
	var err error
	if s.Open != nil {
		if start.Boot.State, err = s.Open(start.Dir); err != nil {
			return s.fail(err)
		}
	}
	if s.running, err = s.Start(start.Boot); err != nil {
		return s.fail(err)
	}
	return s.say(bare{typeReady})
}

func (s *server) step(line []byte) error {
	if s.running == nil {
		return s.fail(errors.New("a tick before start"))
	}
	if !fastTick(line[:len(line)-1], &s.tick) {
		s.tick = tick{}
		if err := json.Unmarshal(line, &s.tick); err != nil {
			return s.fail(err)
		}
	}
	d, err := s.running.Step(s.tick.Now, s.tick.Seen)
	if err != nil {
		return s.fail(err)
	}
	for i := range d.Verdicts {
		if err := s.say(verdictLine{typeVerdict, &d.Verdicts[i]}); err != nil {
			return err
		}
	}
	for i := range d.Commands {
		if err := s.say(commandLine{typeCommand, &d.Commands[i]}); err != nil {
			return err
		}
	}
	s.buf = append(s.buf[:0], `{"type":"quiescent","wake_ms":`...)
	s.buf = appendMillis(s.buf, d.Wake)
	s.buf = append(s.buf, `,"ack":`...)
	s.buf = strconv.AppendInt(s.buf, int64(d.Ack), 10)
	return s.write(append(s.buf, '}', '\n'))
}

// fail tells the suite that the watchdog cannot go on.
func (s *server) fail(err error) error { return s.say(failed{typeFailed, err.Error()}) }

func (s *server) say(v any) (err error) {
	if s.buf, err = appendJSON(s.buf[:0], v); err != nil {
		return err
	}
	s.buf = append(s.buf, '\n')
	return s.write(s.buf)
}

func (s *server) write(line []byte) error {
	_, err := s.out.Write(line)
	return err
}
