package play_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/benbjohnson/clock"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/play"
	"fakepi.example/fakepi/script"
)

// arrivals notes when each write came.
type arrivals struct {
	start time.Time
	at    []time.Duration
	bytes.Buffer
}

func (a *arrivals) Write(p []byte) (int, error) {
	a.at = append(a.at, time.Since(a.start))
	return a.Buffer.Write(p)
}

const played = "0s prompt \"x\"\n+2s says \"one two\" over 4s\n+0s settles\n+4s exits 3 \"bye\""

// The player waits for each output as long as the script says, divided by its speed, and writes stdout alone.
func TestPlayer(t *testing.T) {
	for _, tt := range []struct {
		speed float64
		total time.Duration
	}{{1, 10 * time.Second}, {4, 2500 * time.Millisecond}, {0, 0}} {
		synctest.Test(t, func(t *testing.T) {
			out := &arrivals{start: time.Now()}
			var stderr bytes.Buffer
			p := play.Player{Worker: newWorker(t, played), Clock: clock.New(), Out: out, Err: &stderr, Speed: tt.speed}
			exit, err := p.Play(context.Background())
			if err != nil || exit == nil || exit.Code != 3 {
				t.Errorf("speed %v: got %v, %v, want exit 3", tt.speed, exit, err)
			}
			if got := time.Since(out.start); got != tt.total {
				t.Errorf("speed %v: took %s, want %s", tt.speed, got, tt.total)
			}
			if want := stdout(newWorker(t, played)); out.String() != want {
				t.Errorf("speed %v: got %d bytes, want %d", tt.speed, out.Len(), len(want))
			}
			if stderr.String() != "bye\n" {
				t.Errorf("speed %v: got stderr %q", tt.speed, stderr.String())
			}
			if tt.speed == 1 && out.at[len(out.at)-1] != 6*time.Second {
				t.Errorf("got the last line at %s, want 6s", out.at[len(out.at)-1])
			}
		})
	}
}

// The player stops in the middle of a wait when its context ends.
func TestPlayerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		p := play.Player{Worker: newWorker(t, played), Out: &bytes.Buffer{}, Speed: 1}
		start := time.Now()
		exit, err := p.Play(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || exit != nil || time.Since(start) != 3*time.Second {
			t.Errorf("got %v, %v after %s, want the deadline at 3s", exit, err, time.Since(start))
		}
	})
}

// The user's replies come at their time and end the dialogs; the play stops at Until.
func TestPlayerReplies(t *testing.T) {
	const asked = "0s prompt \"x\"\n+1s tool bash \"rm\" runs 2s as=rm\n@rm asks select \"Sure?\" \"Yes\"\n+0s user answers \"Yes\" after 10s\n" +
		"@rm.end+1s says \"Done.\"\n+0s settles"
	for _, tt := range []struct {
		reason string
		until  time.Duration
		want   string // a record that must be there
		not    string // and one that must not
	}{
		{"the answer lets the tool run and the run settle", 0, `"type":"agent_settled"`, "no such record"},
		{"before the answer nothing goes on", 10 * time.Second, `"extension_ui_request"`, `"tool_execution_end"`},
	} {
		s := parse(t, asked)
		out := &bytes.Buffer{}
		p := play.Player{Worker: newWorker(t, asked), Replies: s.For("user"), Out: out, Until: tt.until}
		if _, err := p.Play(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.Contains(got, tt.want) || strings.Contains(got, tt.not) {
			t.Errorf("%s: until %s: got\n%s", tt.reason, tt.until, got)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

var errBroken = errors.New("broken pipe")

// A reader that is gone ends the play.
func TestPlayerReportsWriter(t *testing.T) {
	p := play.Player{Worker: newWorker(t, played), Out: broken{}}
	if _, err := p.Play(context.Background()); !errors.Is(err, errBroken) {
		t.Errorf("got %v, want %v", err, errBroken)
	}
}

// parse reads a script.
func parse(t *testing.T, src string) *script.Script {
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
func newWorker(t *testing.T, src string) *fakepi.Worker {
	t.Helper()
	w, err := fakepi.New(fakepi.Config{Steps: parse(t, src).For(script.DefaultActor), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// stdout is all that a worker prints there by itself.
func stdout(w *fakepi.Worker) string {
	var b strings.Builder
	for _, o := range w.Step(time.Hour, nil) {
		if o.Stream == fakepi.Out {
			b.Write(o.Data)
		}
	}
	return b.String()
}
