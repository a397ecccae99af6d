package engine_test

import (
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/watchdog"
)

// An agent_end repeats all messages of its run, pictures included. One that is too long to be read is malformed, yet
// the terminal event after it is the run's (WDC-LIFE-002, OBS-001).
func TestTerminalEventAfterAnEndTooLongToRead(t *testing.T) {
	f := newFeed(t, delta)
	f.line(t, record("end assistant")+"\n")
	f.line(t, record("turn_end")+"\n")
	f.line(t, `{"type":"agent_end","messages":["`+strings.Repeat("x", native.MaxLine)+`"],"willRetry":false}`+"\n")
	f.now.Mono += time.Millisecond
	f.seen[0].N++
	f.seen[0].At = f.now
	f.seen[0].Body = watchdog.Bytes{Stream: watchdog.StreamOut, Offset: f.offset, Data: []byte(record("agent_settled") + "\n")}
	d, err := f.engine.Step(f.now, f.seen[:])
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Verdicts) != 1 || d.Verdicts[0].Name != watchdog.VerdictSettled {
		t.Errorf("said %+v, want settled", d.Verdicts)
	}
}
