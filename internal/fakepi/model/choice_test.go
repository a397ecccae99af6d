package model_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/model"
	"fakepi.example/internal/fakepi/native/pi073"
	"fakepi.example/internal/fakepi/native/pi16"
	"fakepi.example/internal/fakepi/provider"
)

// prompts writes a script of a few prompts, whose replies all have texts of their own.
func (a *author) prompts() string {
	for range a.n(1, 5) {
		a.line("prompt %q", a.pick("a", "b", "c"))
		for range a.n(0, 2) {
			a.part()
		}
		if a.n(0, 5) == 0 {
			a.line("refused auth\n+0s settles")
			continue
		}
		a.reply()
		a.line("%s", a.pick("settles", "settles", "closes aborted\n+0s settles"))
	}
	return a.lines.String()
}

// reply says something of its own, at length.
func (a *author) reply() {
	a.labels++
	a.line("says \"r%d and more of it\" over 1s", a.labels)
}

// part is a reply behind which the run goes on.
func (a *author) part() {
	switch a.n(0, 3) {
	case 0:
		a.line("refused transient\n+0s retries 2s")
	case 1:
		a.reply()
		a.line("tool bash \"make\" runs 2s")
	case 2:
		a.line("tool bash \"ls\" runs 1s")
	default:
		a.reply()
		a.line("%s \"mine\"\n+0s closes stop", a.pick("steer", "follow_up"))
	}
}

// act is a line of a client, so long behind the one before.
func (a *author) act() (time.Duration, string) {
	text := a.pick("a", "b", "c", "x", "y")
	line := a.pick(
		`{"type":"prompt","message":"`+text+`"}`, `{"type":"prompt","message":"`+text+`"}`, `{"type":"abort"}`,
		`{"type":"steer","message":"`+text+`"}`, `{"type":"follow_up","message":"`+text+`"}`,
		`{"type":"abort_retry"}`, `{"type":"set_auto_retry","enabled":`+a.pick("true", "false")+`}`,
	)
	return time.Duration(a.n(1, 70)) * 100 * time.Millisecond, line
}

// listener hears what a worker prints, and asks a chooser what it would have said to the same requests.
type listener struct {
	t       *rapid.T
	src     string
	chooser model.Chooser
	codec   interface {
		Decode(line []byte) (native.Record, error)
	}
	messages []model.Message
	stopped  bool // a call was: Pi makes up a reply behind it, for which it asks nobody
	log      strings.Builder
}

func (l *listener) hear(rec native.Record) {
	end, ok := rec.(*native.MessageEnd)
	if !ok {
		return
	}
	switch m := end.Message.(type) {
	case *native.UserMessage:
		l.keep("user", m.Content)
	case *native.ToolResultMessage:
		l.keep("tool", m.Content)
	case *native.AssistantMessage:
		if !l.stopped {
			l.answered(m)
		}
		l.stopped = false
	}
}

func (l *listener) keep(role string, content []native.Block) {
	m := model.Message{Role: role, Text: textOf(content)}
	m.Stopped = role == "tool" && provider.Stopped(m.Text)
	l.stopped = l.stopped || m.Stopped
	l.messages = append(l.messages, m)
	fmt.Fprintf(&l.log, "%s %q\n", role, m.Text)
}

func (l *listener) answered(m *native.AssistantMessage) {
	r := model.Request{Model: "m", Messages: l.messages, Tools: 1}
	reply := l.chooser.Choose(&r, m.StopReason == "aborted")
	var said string
	refused := false
	for _, op := range reply.Ops {
		switch op := op.(type) {
		case model.Text:
			said += op.Delta
		case model.Refuse:
			refused = true
		}
	}
	text := textOf(m.Content)
	fmt.Fprintf(&l.log, "assistant %q %s; the model: %q %s\n", text, m.StopReason, said, reply.Source)
	switch {
	case !strings.HasPrefix(said, text), m.StopReason == "error" != refused && m.StopReason != "aborted", said != text && m.StopReason != "aborted":
		l.t.Fatalf("the model does not say what the worker does\n%s\n%s", l.src, l.log.String())
	case m.StopReason == "stop" || m.StopReason == "toolUse": // of another one Pi sends nothing
		l.messages = append(l.messages, model.Message{Role: "assistant", Text: text})
	}
}

func textOf(content []native.Block) string {
	var all strings.Builder
	for _, b := range content {
		if t, ok := b.(*native.TextBlock); ok {
			all.WriteString(t.Text)
		}
	}
	return all.String()
}

// One script and one client come to the same replies, whether a worker plays it in Pi's place or a model to the real Pi,
// however the client skips prompts, repeats or invents them, steers and aborts (docs/script.md, "Which reply").
func TestSameChoice(t *testing.T) {
	t.Run("pi-1.6", func(t *testing.T) { sameChoice(t, listener{codec: pi16.Codec{}}, native.Pi16) })
	t.Run("pi-0.73", func(t *testing.T) { sameChoice(t, listener{codec: pi073.Codec{}}, native.Pi073) })
}

func sameChoice(t *testing.T, l listener, d native.Dialect) {
	rapid.Check(t, func(rt *rapid.T) {
		a := author{t: rt}
		src := "0s chatter queue\n" + a.prompts()
		s, err := script.Parse("script", []byte(src))
		if err == nil {
			err = s.Resolve(nil)
		}
		if err != nil {
			rt.Fatalf("%v\n%s", err, src)
		}
		replies, err := model.Compile(s.For(script.DefaultActor), nil)
		if err != nil {
			rt.Fatal(err)
		}
		w, err := fakepi.New(fakepi.Config{Steps: s.For(script.DefaultActor), Mode: script.ModeRPC, Driven: true, Dialect: d})
		if err != nil {
			rt.Fatal(err)
		}
		l := l
		l.t, l.src, l.chooser = rt, src, model.NewChooser(replies)
		var now time.Duration
		for range a.n(1, 12) {
			after, line := a.act()
			now += after
			fmt.Fprintf(&l.log, "%v > %s\n", now, line)
			l.hearAll(w.Send(now, []byte(line+"\n"), nil))
		}
		l.hearAll(w.Step(now+time.Hour, nil))
	})
}

func (l *listener) hearAll(outs []fakepi.Output) {
	for _, o := range outs {
		if o.Stream != fakepi.Out || o.Data == nil {
			continue
		}
		rec, err := l.codec.Decode(o.Data[:len(o.Data)-1])
		if err != nil {
			l.t.Fatal(err)
		}
		l.hear(rec)
	}
}
