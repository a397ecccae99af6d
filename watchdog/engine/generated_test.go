package engine_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

const (
	// generated is the golden file of generated dialogues: a line a seed, with the beginning of the digest of what was said.
	generated = "testdata/generated.golden"
	dialogues = 400
	paragraph = 24 // phrases of a dialogue
)

// TestGenerated plays dialogues that a seed writes, likely ones with unlikely turns, and compares what the engine decided, and
// what an engine with durable state wrote into its journal, with what was recorded. No case is judged here: it is how a
// change of the engine shows that no dialogue of testdata and no scenario has thought of. To see one:
// go test -v -run TestGenerated/17 ./watchdog/engine
func TestGenerated(t *testing.T) {
	was := strings.Fields(readOrNone(t, generated))
	var now strings.Builder
	for seed := range dialogues {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			script := write(uint64(seed))
			said, all := playAll(t, script)
			digest := fmt.Sprintf("%x", sha256.Sum256([]byte(said+all)))[:16]
			now.WriteString(digest + "\n")
			if testing.Verbose() {
				t.Logf("\n%s\n%s", script, said)
			}
			if !*update && (seed >= len(was) || was[seed] != digest) {
				t.Errorf("the engine says something else than recorded; if that is meant: go test ./watchdog/engine -update")
			}
		})
	}
	if *update {
		if err := os.WriteFile(generated, []byte(now.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func readOrNone(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	return string(data)
}

// author writes one dialogue.
type author struct {
	*rand.Rand
	text    strings.Builder
	at      time.Duration
	acts    bool   // the engine has durable state
	fleet   bool   // of six workers
	worker  string // that the phrases are about
	started map[string]int
	calls   int
}

// write returns the dialogue of a seed.
func write(seed uint64) string {
	a := &author{Rand: rand.New(rand.NewPCG(seed, 1)), acts: seed%2 == 1, fleet: seed%8 == 7, started: map[string]int{}}
	a.preface()
	for range paragraph {
		a.phrase()
	}
	a.linef("until %s", a.at+a.pause()+20*time.Minute)
	if a.acts {
		a.linef("disk free")
		a.linef("restart")
		a.linef("until %s", a.at+2*time.Hour)
		a.linef("journal")
	}
	return a.text.String()
}

func (a *author) chance(percent int) bool { return a.IntN(100) < percent }

func (a *author) linef(format string, args ...any) { fmt.Fprintf(&a.text, format+"\n", args...) }

// one draws one of some texts.
func (a *author) one(texts ...string) string { return texts[a.IntN(len(texts))] }

// pauses are such that limits are met at their very boundary, too.
var pauses = []time.Duration{
	time.Millisecond, time.Second, 2 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 90 * time.Second,
	2 * time.Minute, 5 * time.Minute, 6 * time.Minute, 10 * time.Minute, time.Hour,
}

func (a *author) pause() time.Duration {
	switch k := a.IntN(10); {
	case k < 5:
		return 0
	case k < 7:
		return time.Duration(a.IntN(4000)) * time.Millisecond
	}
	return pauses[a.IntN(len(pauses))]
}

// say tells what happens to the worker, one event after the other: now and then one is missing, comes twice, or late.
func (a *author) say(events ...string) {
	for _, event := range events {
		for range 1 + a.IntN(50)/49 {
			if !a.chance(3) {
				a.linef("%s %s %s", a.at, a.worker, event)
			}
		}
		if a.chance(20) {
			a.at += a.pause()
		}
	}
}

// preface draws the policy, who answers and what comes of commands.
func (a *author) preface() {
	if a.acts {
		a.linef("durable %s", a.one("autonomous", "autonomous", "asks"))
		for _, class := range []string{"task_state", "publish"} {
			a.linef("policy effects.%s=%s", class, a.one("auto", "ask", "never"))
		}
		a.linef("policy dirty=%s", a.one("commit_wip", "ask"))
	}
	for _, limit := range []string{
		"stall=5m", "stall=10m", "first_token=90s", "stream_gap=1m", "tool=10m", "tool=2m", "startup=30s", "settle=10s", "settle=1m",
		"compaction=2m", "attention=1m", "user_wait=10m", "confirmations=0", "confirmations=3", "loop_repeats=2", "resume_attempts=1",
		"restarts=1", "attempts_total=2", "stability=5m", "backoff=1s", "backoff_cap=2m", "grace=30s", "recoveries=1", "tokens=1000", "cost_usd=0.5",
	} {
		if a.chance(25) {
			a.linef("policy %s", limit)
		}
	}
	if a.chance(10) {
		a.linef("override tool=read tool=1m")
		a.linef("override model=demo-2 stall=20m")
	}
	for range 3 {
		a.answers()
	}
	if a.acts {
		a.linef("on snapshot done digest=d1")
		a.linef("on acquire_lease done token=7")
		for range 4 {
			a.outcomes()
		}
	}
}

func (a *author) answers() {
	switch a.IntN(5) {
	case 0, 1:
		a.linef("answer processes %s", a.one(
			"100:agent:S:1s", "100:agent:S:1s", "100:agent:S:grows", "100:agent:S:1s 200:shell:S:0s", "100:agent:S:1s 200:shell:S:0s 201:tool:R:grows",
			"100:agent:S:1s 201:tool:S:1s:pipe", "100:agent:S:1s 200:shell:S:0s 201:tool:S:1s:pipe", "100:agent:S:1s 200:shell:S:0s 201:tool:S:0s:tty",
			"100:agent:Z:1s", "102:agent:S:1s", "200:shell:Z:0s 100:agent:S:2s", "fail", "unknown", "gone proc", "gone tmux"))
	case 2:
		a.linef("answer state %s", a.one("idle", "streaming", "fail", "unknown"))
	case 3:
		a.linef("answer stream %s", a.one("same", "same", "more"))
	case 4:
		a.linef("answer world %s", a.world())
	}
}

func (a *author) world() string {
	return a.one("d1", "d1", "d1", "d2") + a.one("", " head=h1", " head=h2 ahead=1", " head=h1 dirty", " head=h2 ahead=1 dirty", " midway", " missing",
		" head=h2 ahead=2 remote=h1 gate=tests:passed:ci", " head=h2 ahead=1 gate=tests:running", " head=h1 ahead=1 gate=tests:failed:ci", " head=h2 remote=h2")
}

func (a *author) outcomes() {
	kind := a.one("snapshot", "abort", "interrupt", "terminate", "kill", "stop_tool", "steer", "acquire_lease", "respawn", "escalate", "propose",
		"notify", "commit_wip", "publish", "repair_row", "adopt", "prove_restore", "lock_worktree", "release_lease")
	a.linef("on %s %s", kind, a.one("", "done digest=d1", "done digest=d1", "done digest=d2 token=8", "done token=7", "failed reason=busy", "refused reason=held", "unknown"))
}

// phrase writes what a worker is seen to do next, or what happens around it.
func (a *author) phrase() {
	a.worker = a.one("w1", "w1", "w1", "w2")
	if a.fleet {
		a.worker = a.one("w1", "w2", "w3", "w4", "w5", "w6")
	}
	if a.started[a.worker] == 0 || a.chance(4) {
		a.spawn()
	}
	if n := a.started[a.worker]; n > 1 {
		a.worker = fmt.Sprintf("%s.%d", a.worker, n)
	}
	switch k := a.IntN(20); {
	case k < 3:
		a.turn()
	case k < 6:
		a.message()
	case k < 9:
		a.tool()
	case k < 11:
		a.end()
	case k < 13:
		a.between()
	case k < 14 && (!a.acts || a.chance(10)): // two messages of one parent are a veto for ever
		a.file()
	case k < 14:
		a.death()
	case k < 15:
		a.lost()
	case k < 16:
		a.answers()
	case k < 17 && a.acts:
		a.around()
	case k < 18:
		a.host()
	}
	a.at += a.pause()
	if a.acts && a.chance(6) {
		a.linef("disk free")
		a.linef("restart%s", a.one("", " lost"))
	}
}

func (a *author) spawn() {
	a.started[a.worker]++
	id := a.worker
	if n := a.started[a.worker]; n > 1 {
		id = fmt.Sprintf("%s.%d", id, n)
	}
	mode := a.one("rpc", "rpc", "rpc", "json", "json source=followed", "print source=followed", "tui", "tui source=followed")
	if a.acts {
		mode = a.one("rpc", "rpc", "rpc", "json")
	}
	a.linef("%s %s spawn %s%s%s", a.at, id, mode, a.one("", "", " credential=team", " model=demo-2"), a.one("", "", "", "", "", "", " parent=no", " autonomous=no"))
}

// turn begins a run.
func (a *author) turn() {
	a.say("in prompt", a.one("response prompt started", "response prompt started", "response prompt", "response prompt handled"))
	a.say("agent_start", "turn_start", "start user", "end user")
	a.stream()
}

func (a *author) stream() {
	a.say("start assistant" + a.one("", "", " model=demo-2"))
	for range a.IntN(4) {
		a.say(a.one("delta", "delta", "delta", "old_delta"))
	}
}

// message ends a message, and says why.
func (a *author) message() {
	if a.chance(50) {
		a.stream()
	}
	if a.chance(30) {
		a.say(`{ "type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"hi"}],"model":"demo-1",` +
			`"usage":{"input":100,"output":400,"cacheRead":0,"cacheWrite":0,"totalTokens":500,"cost":{"total":0.25}},"stopReason":"stop","timestamp":1}}`)
		return
	}
	a.say("end assistant " + a.one("", "", "stop=toolUse calls=1", "stop=toolUse calls=2", "stop=length", "stop=aborted", "stop=other", "text=no", "calls=1",
		"stop=error error="+a.trouble()))
}

// trouble is what a provider says.
func (a *author) trouble() string {
	status := a.one("", "401: ", "402 ", "403: ", "429: ", "500 ", "4029 ", "40", "529 ")
	what := a.one("overloaded", "usage limit reached", "Insufficient_Quota", "invalid api key", "token expired", "your weekly limit", "no idea")
	return status + what + a.one("", ", resets at 2026-03-01T14:00:00Z", ", resets at 2026-03-01t12:30:00.5+01:00", ", reset 1772370000", ", reset: 1772370000000",
		", reset 17723700001", ", try again in 2h 30m", " in 5 min and 3 seconds", ", try after 45 s, please", " in: 1day", " in 3 parsecs", " in 1234567s", " in a day after 90sec")
}

// tool runs calls, now and then the same one over and over.
func (a *author) tool() {
	times := 1
	if a.chance(30) {
		times = 2 + a.IntN(3)
	}
	kind := a.one("", "", " name=read", " name=task", " timeout=60", " cmd=ls", " name=ls")
	results := a.results()
	for range times {
		a.calls++
		id := fmt.Sprintf("c%d", 1+a.calls%3)
		if a.chance(70) {
			a.say("end assistant stop=toolUse calls=1")
		}
		a.say("tool " + id + kind)
		if a.chance(40) {
			a.say("output "+id, "output "+id+" "+a.one("tick", "tock"))
		}
		if a.chance(80) {
			a.say("tool_end "+id+" "+results[a.IntN(len(results))],
				`{ "type":"message_end","message":{"role":"toolResult","toolCallId":"`+id+`","content":[]}}`)
		}
		if a.chance(50) {
			a.say("turn_end", "turn_start")
		}
	}
}

// results are texts that stand for one result, or nearly.
func (a *author) results() []string {
	lists := [][]string{
		{"same"}, {"same", "other"}, {"ok 1.5s", "ok 2s"}, {"ok 10 ms", "ok 7 ms"}, {"in /tmp/a1/x", "in /tmp/b22/x"}, {"in /tmp/a", "in /tmp/a, then"},
		{"took 3 minutes", "took 4 minutes"}, {"took 3  minutes", "took 4  minutes"}, {"v1s", "v2s"}, {"1 sect", "2 sect"}, {"(/var/tmp/q)", "(/var/tmp/r)"}, {"_1s Z9h", "_2s Z8h"},
	}
	return lists[a.IntN(len(lists))]
}

// end ends a run, or a process.
func (a *author) end() {
	switch a.IntN(6) {
	case 0, 1:
		a.say("turn_end", "agent_end"+a.one("", " old"), "agent_settled"+a.one("", "", " aborted"))
	case 2:
		a.say("agent_end retry", "retry "+a.one("2000", "60000"), "agent_start", "turn_start")
		if a.chance(50) {
			a.say("retry_end " + a.one("ok", "no"))
		}
	case 3:
		a.say("agent_end" + a.one("", " old"))
	case 4:
		a.say(a.one("exit 0", "exit 0", "exit 1", "killed SIGKILL", "killed SIGTERM", "closed out"))
	case 5:
		a.say("agent_settled")
	}
}

// between are records that may stand anywhere.
func (a *author) between() {
	switch a.IntN(6) {
	case 0:
		a.say("compaction" + a.one("", " manual"))
		if a.chance(80) {
			a.say(a.one("compacted", "compacted before=1000 after=900", "compacted before=1000 after=899", "compacted before=1000 after=999 retry=yes", "compacted after=0"))
		}
	case 1:
		a.say("ask " + a.one("select", "confirm", "confirm timeout=4000", "notify", "setStatus", "shout"))
		a.say(a.one("in answered", "delta", "output c1"))
	case 2:
		a.say(a.one("response abort", "response new_session", "response get_state"), "retry "+a.one("1", "30000"), "retry_end "+a.one("ok", "no"))
	case 3:
		a.say(a.one("weird", `raw "no json\n"`, `raw "{\"type\":\"agent_"`, `{ "type":"message_update","assistantMessageEvent":{"type":"odd"}}`, "session_info"))
	case 4:
		a.say(a.one("pull_request open", "pull_request closed", "worktree h1", "worktree h2", "worktree h2+", "row status=failed", "row status=done", "row veto=plan_pending", "row"))
	case 5:
		a.say("osc "+a.one("idle", "working", "blocked", "done", "error", "clear"), a.one("spin", "osc working"))
	}
}

// file are entries of the session file.
func (a *author) file() {
	for range 1 + a.IntN(4) {
		a.say("entry " + a.one("message user", "message assistant", "message assistant stop=toolUse calls=1", "message assistant stop=toolUse calls=2",
			"message toolResult", "message assistant stop=error error="+a.trouble(), "compaction", "context_edit", "model_change", "message system"))
	}
}

// lost is what is not seen.
func (a *author) lost() {
	a.say(a.one("gap out", "gap out", "gap in", "gap session", "gap err", "truncated session", "truncated out", "closed in", "closed err", "closed pty"))
}

// host is what happens to the machine.
func (a *author) host() {
	switch a.IntN(5) {
	case 4:
		a.massDeath()
	case 0:
		a.linef("suspend %s", a.one("90ms", "200ms", "2h"))
	case 1:
		a.linef("clock %s", a.one("-1h", "1h", "3h"))
	case 2:
		a.linef("until %s", a.at+10*time.Minute)
		a.at += 10 * time.Minute
	case 3:
		if a.chance(50) {
			a.linef("boot b%d", a.IntN(3))
		}
	}
}

// death ends a process, tells what is left of it, and lets time pass until somebody has started the next.
func (a *author) death() {
	a.linef("answer processes %s", a.one("gone proc", "gone proc", "200:shell:S:0s", "200:tool:R:grows", "200:tool:Z:0s"))
	a.linef("answer world %s", a.world())
	a.say(a.one("killed SIGKILL", "killed SIGTERM", "exit 1"))
	a.linef("until %s", a.at+time.Minute)
	a.at += time.Minute
	if a.chance(50) {
		a.linef("answer processes gone proc")
	}
	a.at += a.pause()
	if a.chance(50) {
		id, _, _ := strings.Cut(a.worker, ".")
		a.worker = id
		a.spawn()
		a.worker = fmt.Sprintf("%s.%d", id, a.started[id])
		a.turn()
		a.linef("answer processes %d:agent:S:1s", 100+a.started[id])
	}
}

// massDeath kills most of the workers within a minute.
func (a *author) massDeath() {
	for _, id := range []string{"w1", "w2", "w3", "w4", "w5", "w6"} {
		if n := a.started[id]; n > 0 && a.chance(90) {
			a.worker = fmt.Sprintf("%s.%d", id, n)
			a.say("killed SIGKILL")
		}
	}
}

// around is what happens to an engine that acts.
func (a *author) around() {
	id := strings.TrimSuffix(strings.Fields(strings.ReplaceAll(a.worker, ".", " "))[0], ".")
	switch a.IntN(10) {
	case 8:
		what := a.one("snapshot", "abort", "interrupt", "lease", "respawn", "commit_wip", "publish", "repair", "steer")
		a.say(fmt.Sprintf("outcome %s/%d/%d/%s/1 %s", id, max(1, a.started[id]), 1+a.IntN(3), what,
			a.one("done digest=d1 token=7", "failed reason=unreachable", "failed reason=busy", "refused reason=old", "unknown")))
	case 9:
		a.say(a.one("row lease=other until=10m", "row status=todo lease=other until=1h", "row status=dead"), a.one("row", "row lease=other until=20m", "row status=done", "delta"))
		if a.chance(30) {
			for range 3 {
				a.say("row status=open", "row status=review")
			}
		}
	case 0, 1:
		a.outcomes()
	case 2:
		a.linef("link %s", a.one("up", "up", "down"))
	case 3, 4:
		what := a.one("abort", "stop_tool", "interrupt", "terminate", "repair_row", "commit_wip", "publish", "lease", "lease", "steer", "reap")
		a.linef("owner %s/%d/%d/propose_%s/1 %s", id, max(1, a.started[id]), 1+a.IntN(3), what, a.one("yes d1", "yes", "no", "yes d2", "yes d1 for 1m", "yes d1 for -1s"))
	case 5:
		a.say("operator "+a.one("stop", "pause", "resume", "rearm"), "operator "+a.one("resume", "rearm"))
	case 6:
		a.linef("disk %s", a.one("full", "free", "free"))
	case 7:
		a.say("facts " + a.world())
	}
}
