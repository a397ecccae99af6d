package fakepi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/native/grammar"
	"fakepi.example/internal/fakepi/native/pi073"
	"fakepi.example/internal/fakepi/native/pi16"
)

// parse reads the lines of one worker.
func parse(t testing.TB, src string) *script.Script {
	t.Helper()
	s, err := script.Parse("test", []byte(src))
	if err == nil {
		err = s.Resolve(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// newWorker makes a worker of a script, without the lines of its user.
func newWorker(t testing.TB, src string, change ...func(*fakepi.Config)) *fakepi.Worker {
	t.Helper()
	s := parse(t, src)
	c := fakepi.Config{Steps: s.For(script.DefaultActor), Files: s.Files, Seed: 1}
	for _, f := range change {
		f(&c)
	}
	w, err := fakepi.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// play steps a worker from event to event, up to a time.
func play(w *fakepi.Worker, until time.Duration, out []fakepi.Output) []fakepi.Output {
	for {
		at, ok := w.Next()
		if !ok || at > until {
			return w.Step(until, out)
		}
		out = w.Step(at, out)
	}
}

// tongue is a dialect, with what reads and checks it.
type tongue struct {
	dialect native.Dialect
	version string // of Pi
	codec   native.Codec
	grammar func(mode string) *grammar.Checker
}

var tongues = []tongue{
	{native.Pi16, "1.6.0", pi16.Codec{}, grammar.Pi16},
	{native.Pi073, "0.73.1", pi073.Codec{}, grammar.Pi073},
}

func drawTongue(t *rapid.T) tongue {
	return tongues[rapid.IntRange(0, len(tongues)-1).Draw(t, "dialect")]
}

// speakAnthropic gives a worker a model of the other API.
func speakAnthropic(c *fakepi.Config) {
	c.Models = []native.Model{{ID: "m", Name: "m", API: "anthropic-messages", Provider: "p", Input: []string{"text"}}}
}

// in makes a worker speak a dialect.
func in(d native.Dialect) func(*fakepi.Config) { return func(c *fakepi.Config) { c.Dialect = d } }

const horizon = 24 * time.Hour

// tokens writes outputs as short words: an event by its type, a message as +role and -role, a delta by its name, a line
// of another stream with its name before it. Repeated words are counted.
func tokens(outs []fakepi.Output) string {
	var list []string
	for i := range outs {
		list = append(list, token(&outs[i]))
	}
	var b strings.Builder
	for i := 0; i < len(list); {
		n := 1
		for i+n < len(list) && list[i+n] == list[i] {
			n++
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(list[i])
		if n > 1 {
			fmt.Fprintf(&b, "*%d", n)
		}
		i += n
	}
	return b.String()
}

func token(o *fakepi.Output) string {
	switch {
	case o.Exit != nil && o.Exit.Signal != "":
		return o.Exit.Signal
	case o.Exit != nil:
		return fmt.Sprintf("exit:%d", o.Exit.Code)
	case o.Closed:
		return "closed:" + o.Stream
	case o.Progress && o.Data == nil:
		return "unseen"
	case o.Stream == fakepi.PTY, o.Stream == fakepi.Err:
		return o.Stream
	}
	var s native.Skimmed
	native.Skim(o.Data, &s)
	word := s.Kind.String()
	switch s.Kind {
	case native.KindMessageStart:
		word = "+" + role(s.Role)
	case native.KindMessageEnd:
		word = "-" + role(s.Role)
	case native.KindMessageUpdate:
		word = delta(s.Delta)
	case native.KindToolUpdate:
		if string(s.Partial) == `{"content":[]}` {
			word += "{}"
		}
	case native.KindMessageEntry:
		word = role(s.Role)
	case native.KindResponse:
		if !s.Success {
			word = "refused"
		}
	}
	if o.Stream != fakepi.Out {
		word = o.Stream + ":" + word
	}
	return word
}

func role(r native.Role) string {
	return map[native.Role]string{
		native.RoleUser: "user", native.RoleAssistant: "assistant", native.RoleToolResult: "result",
		native.RoleSystem: "system",
	}[r]
}

func delta(d native.DeltaKind) string {
	for _, name := range []string{
		"text_start", "text_delta", "text_end", "thinking_start", "thinking_delta", "thinking_end",
		"toolcall_start", "toolcall_delta", "toolcall_end",
	} {
		if native.ParseDelta(name) == d {
			return name
		}
	}
	return "other"
}

// without drops the outputs of some streams.
func without(outs []fakepi.Output, streams ...string) []fakepi.Output {
	var kept []fakepi.Output
	for _, o := range outs {
		drop := false
		for _, s := range streams {
			drop = drop || o.Stream == s && o.Exit == nil
		}
		if !drop {
			kept = append(kept, o)
		}
	}
	return kept
}

// expand writes out the short forms of the tables.
func expand(want string) string {
	r := strings.NewReplacer(
		"{prompt}", "in:prompt response agent_start turn_start +system -system +user -user",
		"{again}", "in:prompt response agent_start turn_start +user -user",
		"{run}", "agent_start turn_start +system -system +user -user",
		"{says}", "+assistant text_start text_delta text_end -assistant",
		"{call}", "+assistant toolcall_start toolcall_delta*3 toolcall_end -assistant",
		"{bash}", "+assistant toolcall_start toolcall_delta*3 toolcall_end -assistant tool_execution_start tool_execution_update{}",
		"{done}", "tool_execution_end +result -result turn_end turn_start",
		"{end}", "turn_end agent_end agent_settled",
		"{failed}", "+assistant -assistant turn_end agent_end",
		"{exit}", "closed:out closed:err",
	)
	return strings.Join(strings.Fields(r.Replace(want)), " ")
}

// newRapidWorker is newWorker for a property.
func newRapidWorker(t *rapid.T, src string, d native.Dialect) *fakepi.Worker {
	s, err := script.Parse("drawn", []byte(src))
	if err == nil {
		err = s.Resolve(nil)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	c := fakepi.Config{Steps: s.For(script.DefaultActor), Files: s.Files, Seed: 7, Dialect: d}
	if rapid.Bool().Draw(t, "anthropic") {
		speakAnthropic(&c)
	}
	w, err := fakepi.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// keeps are settings with which a compaction keeps so many tokens.
func keeps(tokens int) fakepi.Settings {
	keep := fakepi.Setting{Section: "compaction", Key: "keepRecentTokens", Value: native.Number(tokens)}
	return fakepi.Settings{Global: keep.In(nil)}
}
