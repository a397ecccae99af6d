package wcp_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"fakepi.example/internal/conformance/wcp"
	"fakepi.example/watchdog"
)

const (
	helloOK = `{"type":"hello_ok","protocol":1,"name":"x","wakeups":"exact","storage":"log"}` + "\n"
	ready   = `{"type":"ready"}` + "\n"
	done    = `{"type":"quiescent","wake_ms":0,"ack":1}` + "\n"
	verdict = `{"type":"verdict","verdict":{"worker":"w1","name":"idle","status":"ok","since_ms":0,"next_ms":0}}` + "\n"
	command = `{"type":"command","command":{"key":"k1","kind":"notify"}}` + "\n"
)

// TestRules has adapters say what breaks a rule: the error names the rule.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		said   string // all that the adapter writes, whatever it is asked
		rule   string // empty: the error is want
		want   error
		reason string
	}{
		{said: helloOK + ready + verdict + command + `{"type":"log","text":"hm"}` + "\n" + done + done + `{"type":"bye"}` + "\n", reason: "all is well"},
		{said: "hello\n", rule: "WCP-01", reason: "a line that is no JSON"},
		{said: strings.Replace(helloOK, "\n", "\r\n", 1), rule: "WCP-01", reason: "CR LF"},
		{said: "{\"type\":\"hello_ok\",\"name\":\"\xff\"}\n", rule: "WCP-01", reason: "not UTF-8"},
		{said: `{"type":"hello_ok"`, rule: "WCP-01", reason: "cut in the middle of a line"},
		{said: strings.Replace(helloOK, "}\n", "} {}\n", 1), rule: "WCP-01", reason: "two objects on one line"},
		{said: `{"type":"` + strings.Repeat("x", 5000) + `"}` + "\n", rule: "WCP-01", reason: "a line above the limit"},
		{said: "", want: wcp.ErrDied, reason: "nothing at all"},
		{said: ready, rule: "WCP-02", reason: "another answer to hello"},
		{said: strings.Replace(helloOK, `:1,`, `:2,`, 1), rule: "WCP-02", reason: "a protocol that was not offered"},
		{said: strings.Replace(helloOK, `"exact"`, `"poll"`, 1), rule: "WCP-02", reason: "polls, and does not say how often"},
		{said: strings.Replace(helloOK, `"exact"`, `"poll","poll_ms":60001`, 1), rule: "WCP-02", reason: "polls too rarely"},
		{said: strings.Replace(helloOK, `"log"`, `"cloud"`, 1), rule: "WCP-02", reason: "an unknown storage"},
		{said: strings.Replace(helloOK, `"name"`, `"nom"`, 1), rule: "WCP-03", reason: "an unknown member"},
		{said: `{"typ":"hello_ok"}` + "\n", rule: "WCP-03", reason: "no type"},
		{said: helloOK + done, rule: "WCP-04", reason: "quiescent in answer to start"},
		{said: helloOK + `{"type":"unsupported","reason":"no"}` + "\n", want: wcp.ErrUnsupported, reason: "a case refused"},
		{said: helloOK + `{"type":"failed","reason":"no room"}` + "\n", want: wcp.ErrFailed, reason: "a watchdog that cannot start"},
		{said: helloOK + ready + ready, rule: "WCP-06", reason: "ready in answer to a tick"},
		{said: helloOK + ready + `{"type":"sneeze"}` + "\n", rule: "WCP-06", reason: "an unknown message"},
		{said: helloOK + ready + strings.Replace(verdict, "idle", "bored", 1), rule: "WCP-03", reason: "an unknown verdict"},
		{said: helloOK + ready + strings.Replace(command, "notify", "explode", 1), rule: "WCP-03", reason: "an unknown command"},
		{said: helloOK + ready + `{"type":"verdict"}` + "\n", rule: "WCP-03", reason: "an empty verdict"},
		{said: helloOK + ready + `{"type":"quiescent","wake_ms":0}` + "\n", rule: "WCP-03", reason: "quiescent without ack"},
		{said: helloOK + ready + strings.Replace(done, `0`, `"0"`, 1), rule: "WCP-03", reason: "a text for a number"},
		{said: helloOK + ready + strings.Replace(done, `0`, `-1`, 1), rule: "WCP-11", reason: "a wake-up before all time"},
		{said: helloOK + ready + strings.Replace(done, `0`, `1e300`, 1), rule: "WCP-03", reason: "a number that no clock can count"},
		{said: helloOK + ready + strings.Replace(done, `:1}`, `:2}`, 1), rule: "WCP-11", reason: "an ack of what was never shown"},
		{said: helloOK + ready + done + strings.Replace(done, `:1}`, `:0}`, 1), rule: "WCP-11", reason: "an ack that goes back"},
		{said: helloOK + ready + done + verdict + done, rule: "", reason: "as much as it likes in a tick"},
		{said: helloOK + ready + strings.Repeat(verdict, 20) + done, rule: "WCP-14", reason: "more lines than are read"},
		{said: helloOK + ready + command + `{"type":"sync"}` + "\n", rule: "WCP-09", reason: "made durable after the command that rests on it"},
		{said: helloOK + ready + `{"type":"truncate","size":9}` + "\n", rule: "WCP-09", reason: "a log longer than it is"},
		{said: helloOK + ready + `{"type":"append","data":{"text":"a"}}` + "\n" + done, reason: "a log that grows"},
		{said: helloOK + ready + done + done + ready, rule: "WCP-15", reason: "another answer to stop"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			t.Parallel()
			err := converse(row.said)
			v, _ := errors.AsType[*wcp.Violation](err)
			switch {
			case row.rule != "" && (v == nil || v.Rule != row.rule):
				t.Errorf("got %v, want a violation of %s", err, row.rule)
			case row.want != nil && !errors.Is(err, row.want):
				t.Errorf("got %v, want %v", err, row.want)
			case row.rule == "" && row.want == nil && err != nil && !errors.Is(err, wcp.ErrDied):
				t.Errorf("got %v, want none", err)
			}
		})
	}
}

// converse has a whole conversation with an adapter that does not listen. It reads one byte at a time, as a slow pipe gives.
func converse(said string) error {
	h := wcp.NewHarness(slow{strings.NewReader(said)}, io.Discard, wcp.Limits{Line: 4096, Lines: 10}, nil)
	if _, err := h.Hello("test", "nonce"); err != nil {
		return err
	}
	w, err := h.Start(wcp.Start{Case: "c1", Boot: watchdog.Boot{Policy: watchdog.DefaultPolicy(), Incarnation: 1, State: &memory{}}})
	if err != nil {
		return err
	}
	seen := []watchdog.Observation{{N: 1, Body: watchdog.Link{Up: true}}}
	for range 2 {
		if _, err := w.Step(watchdog.Instant{}, seen); err != nil {
			return err
		}
		seen = nil
	}
	return h.Stop()
}

type slow struct{ io.Reader }

func (s slow) Read(p []byte) (int, error) { return s.Reader.Read(p[:min(1, len(p))]) }

// memory is a State without a past.
type memory struct{ bytes.Buffer }

func (m *memory) Read() ([]byte, error)  { return m.Bytes(), nil }
func (m *memory) Append(p []byte) error  { m.Write(p); return nil }
func (m *memory) Sync() error            { return nil }
func (m *memory) Truncate(n int64) error { m.Buffer.Truncate(int(n)); return nil }

// TestOutOfTurn: what an adapter says behind its answer is noticed before it is sent anything else.
func TestOutOfTurn(t *testing.T) {
	t.Parallel()
	for _, said := range []string{helloOK + ready, helloOK + verdict, helloOK + "\n"} {
		h := wcp.NewHarness(strings.NewReader(said), io.Discard, wcp.Limits{}, nil)
		if _, err := h.Hello("test", "nonce"); err != nil {
			t.Fatal(err)
		}
		_, err := h.Start(wcp.Start{Case: "c1"})
		if v, ok := errors.AsType[*wcp.Violation](err); !ok || v.Rule != "WCP-07" {
			t.Errorf("%q: got %v, want a violation of WCP-07", said, err)
		}
	}
}
