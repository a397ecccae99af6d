package journal_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

var now = watchdog.Instant{
	Mono: 90500*time.Millisecond + 1, Boot: 2 * time.Hour, BootID: "boot-1",
	Wall: time.Date(2026, 3, 1, 12, 0, 0, 600e6, time.FixedZone("", 3600)),
}

// samples returns a body of each kind, every field of it filled, as one episode might leave them.
func samples() []journal.Body {
	const key = "w1.2.4"
	var (
		evidence = []int{9, 12}
		cause    = watchdog.Cause{Name: watchdog.VerdictStalledTool, Phase: watchdog.VerdictRunningTool, Limit: watchdog.LimitTool}
		civil    = time.Date(2026, 3, 1, 13, 0, 0, 0, time.UTC)
	)
	return []journal.Body{
		journal.Boot{Incarnation: 2, Fence: 3},
		journal.Model{Worker: "w1", Generation: 2, State: []byte(`{"phase":"running_tool","calls":["c<1>"]}`)},
		journal.Ack{N: 12},
		journal.Verdict{
			Worker: "w1", Generation: 2, Episode: 4, Name: watchdog.VerdictStalledTool, Status: watchdog.StatusConfirmed,
			Since: 1500 * time.Microsecond, Cause: cause, Evidence: evidence,
		},
		journal.Episode{
			ID: 4, Worker: "w1", Generation: 2, Step: journal.Moved, State: "approval", Aim: "terminate", Cause: cause,
			Frontier: "f00d",
			Reason:   "the abort had no effect: \"still\u2028here\"",
		},
		journal.Approval{Item: "w1/restart", Approve: true, Digest: "d4", NotAfter: civil, Given: civil, Signature: "c2ln"},
		journal.Spending{Task: "t-1", Budget: journal.BudgetRestart, Amount: -1, Key: key},
		journal.Intent{
			Key: key, Command: watchdog.CmdTerminate, Worker: "w1", Generation: 2, Episode: 4, Cause: cause,
			Evidence: evidence, Digest: "d4", NotAfter: civil,
		},
		journal.Outcome{Key: key, Result: watchdog.ResultDone, Reason: "it ended", Digest: "d5", Token: "7"},
		journal.Queue{
			Key: key, Step: journal.Queued, Command: watchdog.CmdRespawn, Worker: "w1", Generation: 2, Reason: "no spawner",
		},
		journal.Operator{Worker: "w1", Intent: watchdog.IntentRearm, Given: civil},
		journal.Notice{Key: key, Worker: "w1", Generation: 2, Episode: 4, About: "stalled_tool", Cause: cause, Text: "w1: stalled", Anchor: 9},
		journal.Call{Worker: "w1", Generation: 2, ID: "c1", Tool: "bash", State: journal.CallUnknown},
		journal.Drop{Worker: "w1", Generation: 1, What: "outcome", Reason: "late"},
	}
}

// drawBody returns any body that there can be.
func drawBody(t *rapid.T) journal.Body {
	text := func(name string) string { return rapid.String().Draw(t, name) }
	number := func(name string) int { return rapid.Int().Draw(t, name) }
	state := func() []byte {
		return []byte(rapid.SampledFrom([]string{``, `{}`, `[1,"}]"]`, `"\n{\"sum\":\""`, `-1.5e3`}).Draw(t, "state"))
	}
	civil := time.Unix(rapid.Int64Range(-62e9, 250e9).Draw(t, "seconds"), rapid.Int64Range(0, 1e9-1).Draw(t, "nanos")).UTC()
	evidence := rapid.SliceOfN(rapid.Int(), 0, 5).Draw(t, "evidence")
	cause := watchdog.Cause{Name: rapid.SampledFrom(append(watchdog.VerdictNames(), "")).Draw(t, "cause")}
	return rapid.SampledFrom([]journal.Body{
		journal.Boot{Incarnation: number("incarnation"), Fence: rapid.Int64().Draw(t, "fence")},
		journal.Model{Worker: text("worker"), Generation: number("generation"), State: state()},
		journal.Ack{N: number("n")},
		journal.Verdict{
			Worker: text("worker"), Name: rapid.SampledFrom(watchdog.VerdictNames()).Draw(t, "name"),
			Since: time.Duration(rapid.Int64().Draw(t, "since")), Cause: cause, Evidence: evidence,
		},
		journal.Episode{ID: number("id"), Step: journal.Opened, State: text("state"), Cause: cause, Reason: text("reason")},
		journal.Approval{Item: text("item"), Approve: rapid.Bool().Draw(t, "approve"), NotAfter: civil},
		journal.Spending{Task: text("task"), Budget: journal.BudgetAttempt, Amount: number("amount")},
		journal.Intent{
			Key: text("key"), Command: rapid.SampledFrom(watchdog.CommandKinds()).Draw(t, "command"), Evidence: evidence,
			NotAfter: civil,
		},
		journal.Outcome{Key: text("key"), Result: watchdog.ResultUnknown, Reason: text("reason")},
	}).Draw(t, "body")
}

// keep is a fold that collects records. It leaves out the Starts without a state, which change nothing.
type keep []journal.Record

func (k *keep) fold(r journal.Record) error {
	if s, ok := r.Body.(journal.Start); !ok || len(s.State) > 0 {
		*k = append(*k, r)
	}
	return nil
}

func (k keep) bodies() []journal.Body {
	var bodies []journal.Body
	for _, r := range k {
		bodies = append(bodies, r.Body)
	}
	return bodies
}

// diff compares records as a fold may: an empty slice is none, and times are instants in any zone.
func diff(want, got any) string { return cmp.Diff(want, got, cmpopts.EquateEmpty()) }

// written returns a journal with these bodies, and the records that it holds.
func written(t testing.TB, bodies ...journal.Body) ([]byte, keep) {
	t.Helper()
	m := new(journal.Memory)
	var records keep
	l := openLog(t, acquire(t, m), records.fold)
	for i, b := range bodies {
		add(t, l, i+1, b)
	}
	commit(t, l)
	text, err := m.Read()
	if err != nil {
		t.Fatal(err)
	}
	return text, records
}

func openLog(t testing.TB, s watchdog.State, fold func(journal.Record) error) *journal.Log {
	t.Helper()
	l, err := journal.Open(s, now, fold)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func add(t testing.TB, l *journal.Log, n int, b journal.Body) {
	t.Helper()
	if err := l.Add(journal.Record{N: n, At: now, Body: b}); err != nil {
		t.Fatal(err)
	}
}

func commit(t testing.TB, l *journal.Log) {
	t.Helper()
	if err := l.Commit(); err != nil {
		t.Fatal(err)
	}
}
