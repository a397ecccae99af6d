package fakepi_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fakepi.example/fakepi"
)

// Every row of the phase table (docs/verdicts.md), with what its limit counts from.
func TestTruth(t *testing.T) {
	const prompt = "0s prompt \"x\"\n"
	const m = time.Minute
	tests := []struct {
		name, src string
		at        time.Duration
		want      fakepi.Truth
		reason    string
	}{
		{"idle", `0s chatter queue`, m, fakepi.Truth{Phase: fakepi.Idle}, ""},
		{"starting: no answer", `0s prompt "x" takes never`, m, fakepi.Truth{Phase: fakepi.Starting, Stuck: true}, ""},
		{"starting: a slow answer", `0s prompt "x" takes 2m`, m, fakepi.Truth{Phase: fakepi.Starting}, ""},
		{"starting: a one-shot without a run", "0s spawn mode=json\n+0s stalls", m, fakepi.Truth{Phase: fakepi.Starting, Stuck: true}, "the header is no start"},
		{"first token due", prompt + "+2m says \"a\"\n+0s settles", m, fakepi.Truth{Phase: fakepi.AwaitingFirstToken}, ""},
		{"first token never comes", prompt + "+0s stalls", m, fakepi.Truth{Phase: fakepi.AwaitingFirstToken, Stuck: true}, ""},
		{"an early message_start is no token", prompt + "+30s opens\n+0s stalls", m, fakepi.Truth{Phase: fakepi.AwaitingFirstToken, LastProgress: 30 * time.Second, Stuck: true}, ""},
		{"a response without a run", `0s prompt "x" response_only`, m, fakepi.Truth{Phase: fakepi.AwaitingFirstToken, Stuck: true}, ""},
		{"first token due behind a tool", prompt + "+1s tool bash \"x\" runs 4s\n+0s stalls", m,
			fakepi.Truth{Phase: fakepi.AwaitingFirstToken, Since: 5 * time.Second, LastProgress: 5 * time.Second, Stuck: true}, ""},
		{"streaming", prompt + "+1s says \"a b\" over 10m\n+0s settles", m, fakepi.Truth{Phase: fakepi.Streaming, Since: time.Second, LastProgress: time.Second}, ""},
		{"stalled in mid-message", prompt + "+1s says \"a b\" over 10s\n+0s stalls", m,
			fakepi.Truth{Phase: fakepi.Streaming, Since: 11 * time.Second, LastProgress: 11 * time.Second, Stuck: true}, ""},
		{"a call that nobody starts", prompt + "+1s calls bash \"x\"\n+1s closes\n+0s stalls", m,
			fakepi.Truth{Phase: fakepi.Streaming, Since: 2 * time.Second, LastProgress: 2 * time.Second, Stuck: true}, "streaming, second half of the row"},
		{"silent tool", prompt + "+1s tool bash \"x\" runs 2m\n+0s settles", m, fakepi.Truth{Phase: fakepi.RunningTool, Since: time.Second, LastProgress: time.Second}, ""},
		{"hung tool", prompt + "+1s tool bash \"x\" runs never", m, fakepi.Truth{Phase: fakepi.RunningTool, Since: time.Second, LastProgress: time.Second, Stuck: true}, ""},
		{"hung tool that the script ends", prompt + "+1s tool bash \"x\" runs never as=t\n+1h ends @t\n+0s stalls", m, fakepi.Truth{Phase: fakepi.RunningTool, Since: time.Second, LastProgress: time.Second}, ""},
		{"busy tool", prompt + "+1s tool bash \"x\" runs never busy", m, fakepi.Truth{Phase: fakepi.RunningTool, Since: m, LastProgress: m}, "CPU of a descendant is progress"},
		{"tool busy for a while", prompt + "+1s tool bash \"x\" runs never busy for 29s", m, fakepi.Truth{Phase: fakepi.RunningTool, Since: 30 * time.Second, LastProgress: 30 * time.Second, Stuck: true}, ""},
		{"tool in bursts", prompt + "+1s tool bash \"x\" runs never bursts 25s", m, fakepi.Truth{Phase: fakepi.RunningTool, Since: 51 * time.Second, LastProgress: 51 * time.Second}, ""},
		{"tool that repeats itself", prompt + "+1s tool bash \"x\" runs never repeats 10s gives \"x\"", m,
			fakepi.Truth{Phase: fakepi.RunningTool, Since: 11 * time.Second, LastProgress: 11 * time.Second, Stuck: true}, "the same partial result is no progress"},
		{"tool with its own timeout", prompt + "+1s tool bash \"x\" runs never timeout=4m\n+0s stalls", m,
			fakepi.Truth{Phase: fakepi.RunningTool, Since: time.Second, LastProgress: time.Second, DeclaredUntil: 4*m + time.Second}, ""},
		{"the slower of two tools", prompt + "+1s tool bash \"x\" runs never as=t\n@t+9s tool bash \"y\" runs 3s", m,
			fakepi.Truth{Phase: fakepi.RunningTool, Since: time.Second, LastProgress: 13 * time.Second, Stuck: true}, "counted call by call"},
		{"dialog", prompt + "+1s asks confirm \"?\" timeout=10m\n+0s stalls", m,
			fakepi.Truth{Phase: fakepi.AwaitingUser, Since: time.Second, DeclaredUntil: 10*m + time.Second}, ""},
		{"dialog over", prompt + "+1s tool bash \"x\" runs never as=t\n@t+1s asks confirm \"?\" timeout=8s", m,
			fakepi.Truth{Phase: fakepi.RunningTool, Since: 10 * time.Second, LastProgress: time.Second, Stuck: true}, "judged afresh"},
		{"auth", prompt + "+1s refused auth\n+0s settles", m, fakepi.Truth{Phase: fakepi.AwaitingAuth, Since: time.Second, LastProgress: time.Second}, ""},
		{"quota with reset", prompt + "+1s refused quota reset=2h\n+0s settles", m,
			fakepi.Truth{Phase: fakepi.AwaitingQuota, Since: time.Second, LastProgress: time.Second, DeclaredUntil: 2*time.Hour + time.Second}, ""},
		{"quota that Pi retries", prompt + "+1s refused quota will_retry\n+0s stalls", m,
			fakepi.Truth{Phase: fakepi.Working, Since: time.Second, LastProgress: time.Second, Stuck: true}, "ending is without an announced retry"},
		{"backing off", prompt + "+1s refused transient\n+0s retries 2m\n+0s stalls", m,
			fakepi.Truth{Phase: fakepi.BackingOff, Since: time.Second, LastProgress: time.Second, DeclaredUntil: 2*m + time.Second}, ""},
		{"a retry that never comes", prompt + "+1s refused transient\n+0s retries 8s as=r\n@r+1s stalls", m,
			fakepi.Truth{Phase: fakepi.AwaitingFirstToken, Since: 9 * time.Second, LastProgress: time.Second, Stuck: true}, "due since the delay was over"},
		{"compacting", prompt + "+1s opens\n+0s ends\n+1s compacts runs 2m\n+0s settles", m, fakepi.Truth{Phase: fakepi.Compacting, Since: 2 * time.Second, LastProgress: 2 * time.Second}, ""},
		{"compacting for ever", prompt + "+1s opens\n+0s ends\n+1s compacts runs never", m, fakepi.Truth{Phase: fakepi.Compacting, Since: 2 * time.Second, LastProgress: 2 * time.Second, Stuck: true}, ""},
		{"first token due behind a compaction", prompt + "+1s refused overflow\n+0s compacts overflow runs 4s\n+0s stalls", m,
			fakepi.Truth{Phase: fakepi.AwaitingFirstToken, Since: 5 * time.Second, LastProgress: 5 * time.Second, Stuck: true}, ""},
		{"ending", prompt + "+1s says \"a\"\n+0s ends\n+0s stalls", m, fakepi.Truth{Phase: fakepi.Ending, Since: time.Second, LastProgress: time.Second, Stuck: true}, ""},
		{"working", prompt + "+1s says \"a\"\n+0s closes\n+0s stalls", m, fakepi.Truth{Phase: fakepi.Working, Since: time.Second, LastProgress: time.Second, Stuck: true}, "no row above holds"},
		{"settled", prompt + "+1s says \"a\"\n+0s settles", m, fakepi.Truth{Phase: fakepi.Settled, Since: time.Second, LastProgress: time.Second, Proven: true}, ""},
		{"settled, the length cut off", prompt + "+1s says \"a\"\n+0s closes length\n+0s settles", m, fakepi.Truth{Phase: fakepi.SettledUnproven, Since: time.Second, LastProgress: time.Second}, ""},
		{"settled with nothing said", prompt + "+1s opens\n+0s settles", m, fakepi.Truth{Phase: fakepi.SettledUnproven, Since: time.Second, LastProgress: time.Second}, ""},
		{"settled with spaces said", prompt + "+1s says \" \"\n+0s settles", m, fakepi.Truth{Phase: fakepi.SettledUnproven, Since: time.Second, LastProgress: time.Second}, ""},
		{"settled with toolUse and no tool", prompt + "+1s says \"a\"\n+0s closes toolUse\n+0s settles", m, fakepi.Truth{Phase: fakepi.SettledUnproven, Since: time.Second, LastProgress: time.Second}, "a contradiction"},
		{"settled aborted", prompt + "+1s says \"a\"\n+0s closes aborted\n+0s settles", m, fakepi.Truth{Phase: fakepi.SettledUnproven, Since: time.Second, LastProgress: time.Second}, ""},
		{"settled in error", prompt + "+1s refused other\n+0s settles", m, fakepi.Truth{Phase: fakepi.SettledUnproven, Since: time.Second, LastProgress: time.Second}, ""},
		{"a settled inside a run is none", prompt[:len(prompt)-1] + " twice\n+0s stalls", m, fakepi.Truth{Phase: fakepi.AwaitingFirstToken, Stuck: true}, "(21a)"},
		{"killed", prompt + "+1s says \"a\"\n+1s killed SIGKILL", m, fakepi.Truth{Phase: fakepi.Dead, Since: 2 * time.Second, LastProgress: time.Second, Exited: true}, ""},
		{"exit 0 in a run", prompt + "+1s says \"a\"\n+1s exits 0", m, fakepi.Truth{Phase: fakepi.SettledUnproven, Since: 2 * time.Second, LastProgress: time.Second, Exited: true}, ""},
		{"exit 1 behind the end", prompt + "+1s says \"a\"\n+0s settles\n+1s exits 1", m, fakepi.Truth{Phase: fakepi.Settled, Since: time.Second, LastProgress: time.Second, Exited: true, Proven: true}, "the phase stays"},
		{"killed idle", "0s chatter queue\n+1s killed SIGKILL", m, fakepi.Truth{Phase: fakepi.Idle, Exited: true}, ""},
		{"killed in a quota wait", prompt + "+1s refused quota\n+0s settles\n+1s killed SIGKILL", m, fakepi.Truth{Phase: fakepi.AwaitingQuota, Since: time.Second, LastProgress: time.Second, Exited: true}, ""},
		{"killed under a dialog", prompt + "+1s asks confirm \"?\"\n+1s killed SIGKILL", m, fakepi.Truth{Phase: fakepi.Dead, Since: 2 * time.Second, Exited: true}, "nobody can answer it now"},
	}
	for _, tt := range tests {
		w := newWorker(t, tt.src)
		play(w, tt.at, nil)
		got := w.Truth(tt.at)
		if got.Phase == fakepi.RunningTool && (len(got.Calls) != 1 || got.Slowest != got.Calls[0]) {
			t.Errorf("%s: got calls %v, slowest %s, want one", tt.name, got.Calls, got.Slowest)
		}
		if d := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(fakepi.Truth{}, "Calls", "Slowest", "Dialog")); d != "" {
			t.Errorf("%s (%s): -want +got\n%s", tt.name, tt.reason, d)
		}
	}
}

// Of parallel calls the slowest is that without progress for longest, whatever started first.
func TestSlowest(t *testing.T) {
	const two = "0s prompt \"x\"\n+1s tool bash \"x\" runs never bursts 10s call=call_x\n+3s tool bash \"y\" runs never call=call_y"
	for at, want := range map[time.Duration]string{9 * time.Second: "call_x", time.Minute: "call_y"} {
		w := newWorker(t, two)
		play(w, at, nil)
		if got := w.Truth(at); got.Slowest != want || len(got.Calls) != 2 {
			t.Errorf("at %s: got %s of %v, want %s of two", at, got.Slowest, got.Calls, want)
		}
	}
}

// While a stopped worker is on its way out, nothing about it has changed; then it is dead.
func TestTruthOfTheLeaving(t *testing.T) {
	w := newWorker(t, "0s prompt \"x\"\n+1s says \"a\"\n+0s stalls")
	w.Signal(time.Minute, "SIGTERM", nil)
	if p := w.Truth(time.Minute + ms).Phase; p != fakepi.Streaming {
		t.Errorf("got phase %s right behind SIGTERM, want streaming", p)
	}
	play(w, time.Hour, nil)
	if got := w.Truth(time.Hour); got.Phase != fakepi.Dead || !got.Exited {
		t.Errorf("got %+v behind the exit, want dead", got)
	}
}

// What a worker prints because of an abort moves nothing on.
func TestAbortIsNoProgress(t *testing.T) {
	w := newWorker(t, "0s prompt \"x\"\n+1s tool bash \"x\" runs never")
	play(w, time.Minute, nil)
	for _, o := range w.Send(time.Minute, []byte(`{"type":"abort"}`), nil) {
		if o.Progress {
			t.Errorf("got progress: %s", o.Data)
		}
	}
	if got := w.Truth(time.Minute).LastProgress; got != time.Second {
		t.Errorf("got the last progress at %s, want that of the tool's start, 1s", got)
	}
}
