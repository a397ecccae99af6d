package model_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/model"
	"fakepi.example/internal/fakepi/native/pi16"
)

// author writes random scripts that a worker can play.
type author struct {
	t      *rapid.T
	lines  strings.Builder
	labels int
}

func (a *author) n(least, most int) int { return rapid.IntRange(least, most).Draw(a.t, "n") }

func (a *author) span() string { return fmt.Sprintf("%dms", a.n(1, 5000)) }

func (a *author) pick(words ...string) string { return rapid.SampledFrom(words).Draw(a.t, "pick") }

func (a *author) line(format string, args ...any) {
	fmt.Fprintf(&a.lines, "+%dms "+format+"\n", append([]any{a.n(0, 3000)}, args...)...)
}

func (a *author) text() string {
	return script.Quote(rapid.StringMatching(`[a-zé😀" \n]{1,40}`).Draw(a.t, "text"))
}

func (a *author) pace() string {
	return a.pick("", " over "+a.span(), fmt.Sprintf(" chunks %d", a.n(1, 60)), fmt.Sprintf(" over %s chunks %d", a.span(), a.n(1, 9)))
}

func (a *author) script() string {
	a.lines.WriteString("0s prompt \"go\"\n")
	for range a.n(0, 4) {
		a.say()
		a.goOn()
	}
	a.say()
	a.line("%s", a.pick("settles", "ends length\n+0s settles", "refused auth\n+0s settles", "stalls"))
	return a.lines.String()
}

// say opens a message and says things.
func (a *author) say() {
	a.line("opens%s", a.pick("", " headers"))
	for range a.n(0, 3) {
		switch a.n(0, 4) {
		case 0:
			a.line("thinks %s", a.span())
		case 1:
			a.line("thinks %s%s", a.text(), a.pace())
		case 2:
			a.line("thinks %s keepalive=%s", a.span(), a.span())
		default:
			a.line("says %s%s", a.text(), a.pace())
		}
	}
	if a.n(0, 3) == 0 {
		a.line("reports input %d output %d cached 1", a.n(1, 9999), a.n(0, 999))
	}
}

// goOn ends the message so that another follows.
func (a *author) goOn() {
	a.labels++
	switch a.n(0, 3) {
	case 0:
		a.line("refused transient%s", a.pick("", " by=close", " by=event", " by=end", ` "Slow down"`))
		a.line("retries %s", a.span())
	case 1:
		a.line("calls bash %s%s as=c%d", a.text(), a.pace(), a.labels)
		a.line("closes")
		a.line("tool @c%d runs %s", a.labels, a.span())
	default:
		a.line("tool %s %s runs 6s as=t%d", a.pick("bash", "read", "ls"), a.text(), a.labels)
		for range a.n(0, 2) {
			fmt.Fprintf(&a.lines, "@t%d+1s tool bash args %s runs %s\n", a.labels, a.text(), a.span())
		}
		fmt.Fprintf(&a.lines, "@t%d.end+6s %s\n", a.labels, "thinks 1ms")
	}
}

// heard is a reply as it comes: what at which time since the request.
type heard struct {
	parts  []string
	output int64 // tokens, where the provider counted
}

func (h *heard) add(at time.Duration, kind, text string) {
	h.parts = append(h.parts, fmt.Sprintf("%v %s %q", at, kind, text))
}

// sent plays replies on paper.
func sent(replies []model.Reply) []heard {
	var all []heard
	for _, r := range replies {
		var h heard
		var at time.Duration
		for _, op := range r.Ops {
			switch op := op.(type) {
			case model.Wait:
				at += op.D
			case model.Text:
				h.add(at, "text_delta", op.Delta)
			case model.Thinking:
				h.add(at, "thinking_delta", op.Delta)
			case model.Call:
				h.add(at, "toolcall_delta", "") // openai-completions has an empty one
			case model.Arguments:
				h.add(at, "toolcall_delta", op.Delta)
			case model.Usage:
				h.output = op.Output
			}
		}
		all = append(all, h)
	}
	return all
}

// ear hears replies in what a worker of pi-1.6 prints.
type ear struct {
	replies []heard
	asked   time.Time // the request of the last one
}

func (e *ear) hear(at time.Time, rec native.Record) {
	switch rec := rec.(type) {
	case *native.MessageStart:
		if m, ok := rec.Message.(*native.AssistantMessage); ok {
			e.replies, e.asked = append(e.replies, heard{}), time.UnixMilli(m.Timestamp)
		}
	case *native.MessageUpdate:
		if strings.HasSuffix(rec.Event.Type, "_delta") {
			e.replies[len(e.replies)-1].add(at.Sub(e.asked), rec.Event.Type, rec.Event.Delta.V)
		}
	case *native.MessageEnd:
		if m, ok := rec.Message.(*native.AssistantMessage); ok {
			e.replies[len(e.replies)-1].output = m.Usage.Output
		}
	}
}

func printed(t *rapid.T, s *script.Script) []heard {
	epoch := time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC)
	w, err := fakepi.New(fakepi.Config{Steps: s.For(script.DefaultActor), Mode: script.ModeJSON, Epoch: epoch})
	if err != nil {
		t.Fatal(err)
	}
	var outs []fakepi.Output
	for at, ok := w.Next(); ok; at, ok = w.Next() {
		outs = w.Step(at, outs)
	}
	var e ear
	for _, o := range outs {
		if o.Stream != fakepi.Out || o.Data == nil {
			continue
		}
		rec, err := pi16.Codec{}.Decode(o.Data[:len(o.Data)-1])
		if err != nil {
			t.Fatal(err)
		}
		e.hear(epoch.Add(o.At), rec)
	}
	return e.replies
}

// What the model sends a real Pi is what the worker prints in its place: the same pieces at the same times since the same
// request, and the same count.
func TestSameAsWorker(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := author{t: rt}
		src := a.script()
		s, err := script.Parse("script", []byte(src))
		if err != nil {
			rt.Fatalf("%v\n%s", err, src)
		}
		if err := s.Resolve(nil); err != nil {
			rt.Fatalf("%v\n%s", err, src)
		}
		replies, err := model.Compile(s.For(script.DefaultActor), nil)
		if err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff(sent(replies), printed(rt, s), cmp.AllowUnexported(heard{})); d != "" {
			rt.Fatalf("%s-sent +printed\n%s", src, d)
		}
	})
}
