package fakepi_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// Two commands in one write: the order in which both are answered, and what else is told, is that of the real Pi, which was
// asked for each pair (docs/pi-formats.md, section 6). A line of the file has the dialect, the state of the worker, the two
// commands, and what was printed: 1 and 2 are the answers, ! marks an error, and of get_state stand whether it streams, and
// how many messages there are and wait. Pairs are left out that end in a race with a process or a run.
func TestTogether(t *testing.T) {
	data, err := os.ReadFile("testdata/together.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) < 1000 {
		t.Fatalf("%d pairs, want at least 1000", len(lines))
	}
	for _, line := range lines {
		f := strings.Fields(line)
		got := together(t, native.Dialect("pi-"+f[0]), f[1], f[2:4])
		if want := strings.Join(f[4:], " "); got != want {
			t.Errorf("%s: got %s", line, got)
		}
	}
}

// together prints what a worker in a state does about commands of one write.
func together(t *testing.T, dialect native.Dialect, state string, names []string) string {
	reply := `
0s     prompt "hello"
+50ms  says "Hi there."
+0s    settles
`
	src := reply + strings.Replace(reply, "0s ", "+1s", 1)
	if state == "stream" {
		src = reply + `
+1s    prompt "hello"
+50ms  says "One" chunks 1
+1h    settles
`
	}
	w := newWorker(t, src, func(c *fakepi.Config) { c.Driven, c.Dialect = true, dialect })
	at := time.Second
	entry := "none"
	prompt := func() {
		w.Send(at, []byte(`{"type":"prompt","message":"hello"}`+"\n"), nil)
		at += time.Minute
		play(w, at, nil)
	}
	play(w, at, nil)
	if state != "fresh" {
		prompt()
		entry = between(text(w.Send(at, []byte(`{"type":"get_fork_messages"}`+"\n"), nil)), `"entryId":"`, `"`)
	}
	if state == "stream" {
		prompt()
	}
	var sent strings.Builder
	for i, name := range names {
		line := strings.ReplaceAll(togetherLine(t, name), "ENTRY", entry)
		sent.WriteString(strings.Replace(line, "{", fmt.Sprintf(`{"id":%d,`, i+1), 1) + "\n")
	}
	out := text(w.Send(at, []byte(sent.String()), nil))
	out += text(play(w, at+10*time.Second, nil))
	return inShort(t, out, names)
}

// The answers of commands of one write in the delay before a retry, ! for an error, and what came between; asked of both Pis.
func TestTogetherInADelay(t *testing.T) {
	const src = `
0s     prompt "hello"
+50ms  refused transient
+0s    retries 60s
+50ms  says "Back."
+0s    settles
+1s    prompt "new"
+50ms  says "New."
+0s    settles
`
	tests := []struct{ commands, pi16, pi073, reason string }{
		{"abort get_state", "auto_retry_end 2 agent_settled 1", "auto_retry_end 2 1", ""},
		{"get_state abort", "1 auto_retry_end agent_settled 2", "1 auto_retry_end 2", ""},
		{"abort_retry get_state", "auto_retry_end 1 2 agent_settled", "auto_retry_end 1 2", ""},
		{"get_state abort_retry get_state", "1 auto_retry_end 2 3 agent_settled", "1 auto_retry_end 2 3", ""},
		{"abort prompt", "auto_retry_end 2! agent_settled 1", "auto_retry_end 2 1 agent_start agent_end", "0.73 takes the prompt"},
		{"steer abort", "auto_retry_end agent_settled 1 2", "auto_retry_end 1 2", ""},
		{"abort steer", "auto_retry_end agent_settled 2 1", "auto_retry_end 1 2", ""},
		{"abort abort", "auto_retry_end agent_settled 1 2", "auto_retry_end 1 2", ""},
		{"steer abort_retry", "auto_retry_end 2 1 agent_start agent_end agent_settled", "auto_retry_end 2 1", "1.6 goes on with the steer at once"},
		{"abort_retry steer", "auto_retry_end 1 2 agent_start agent_end agent_settled", "auto_retry_end 1 2", ""},
	}
	for _, tt := range tests {
		for dialect, want := range map[native.Dialect]string{native.Pi16: tt.pi16, native.Pi073: tt.pi073} {
			w := newWorker(t, src, func(c *fakepi.Config) { c.Driven, c.Dialect = true, dialect })
			w.Send(0, []byte(`{"type":"prompt","message":"hello"}`+"\n"), nil)
			play(w, time.Second, nil)
			var sent strings.Builder
			for i, name := range strings.Fields(tt.commands) {
				fmt.Fprintf(&sent, `{"id":"%d","type":"%s","message":"new"}`+"\n", i+1, name)
			}
			out := text(w.Send(time.Second, []byte(sent.String()), nil)) + text(play(w, 10*time.Second, nil))
			if got := inADelay(t, out); got != want {
				t.Errorf("%s in %s (%s): got %s, want %s", tt.commands, dialect, tt.reason, got, want)
			}
		}
	}
}

// A compaction and another command of one write, as both Pis were seen to do. Nobody hears of the end of a compaction that is
// stopped by who leaves the session, or that Pi 0.73 goes on with in the session that was left; but it is answered.
func TestTogetherWithCompact(t *testing.T) {
	const reply = "0s prompt \"x\"\n+1s says \"a\"\n+0s settles\n"
	const summary = "+1s compacts manual runs 300ms\n"
	const open = "+1s prompt \"x\"\n+1s says \"b\" chunks 1\n+1h settles\n"
	tests := []struct{ src, commands, pi16, pi073 string }{
		{reply + summary, "compact compact", "compaction_start compaction_start compaction_end 1 2!", "compaction_start compaction_start compaction_end 1 compaction_end 2!"},
		{reply + summary, "new_session compact", "compaction_start 2! 1", "1 2"},
		{reply + summary, "compact new_session", "compaction_start 1! 2", "compaction_start 2 1"},
		{reply + summary, "clone compact", "compaction_start 2! 1", "1 2"},
		{reply + open + summary, "compact abort", "agent_end agent_settled compaction_start 2 compaction_end 1", "compaction_start 2 compaction_end 1"},
		{reply + open + summary, "abort compact", "agent_end agent_settled compaction_start 1 compaction_end 2", "compaction_start 1 compaction_end 2"},
		{reply + open + summary, "compact compact", "agent_end agent_settled compaction_start compaction_start compaction_end 1 2!", "compaction_start compaction_start compaction_end 1 compaction_end 2!"},
		{reply + open + summary, "new_session compact", "agent_end agent_settled compaction_start 2! 1", "1 2"},
		{reply + open + summary, "compact new_session", "agent_end agent_settled compaction_start 1! 2", "2 1"},
	}
	for _, tt := range tests {
		for dialect, want := range map[native.Dialect]string{native.Pi16: tt.pi16, native.Pi073: tt.pi073} {
			w := newWorker(t, tt.src, func(c *fakepi.Config) { c.Driven, c.Dialect, c.Settings = true, dialect, keeps(1) })
			at := time.Duration(0)
			for range strings.Count(tt.src, "prompt") {
				w.Send(at, []byte(`{"type":"prompt","message":"x"}`+"\n"), nil)
				at += 10 * time.Second
				play(w, at, nil)
			}
			var sent strings.Builder
			for i, name := range strings.Fields(tt.commands) {
				fmt.Fprintf(&sent, `{"id":"%d","type":"%s"}`+"\n", i+1, name)
			}
			out := text(w.Send(at, []byte(sent.String()), nil)) + text(play(w, at+time.Minute, nil))
			if got := inADelay(t, out); got != want {
				t.Errorf("%s in %s behind %q: got %s, want %s", tt.commands, dialect, tt.src, got, want)
			}
		}
	}
}

// A compaction in the delay before a retry takes the failed reply, which the model is not shown, for the first that is kept
// where the message before it is too long to be.
func TestCompactInADelay(t *testing.T) {
	const src = "0s prompt \"x\"\n+1s refused transient\n+0s retries 60s\n+1s says \"a\"\n+0s settles\n+1s compacts manual runs 1s"
	w := newWorker(t, src, func(c *fakepi.Config) { c.Driven, c.Settings = true, keeps(1) })
	play(w, 2*time.Second, w.Send(0, []byte(`{"type":"prompt","message":"x"}`), nil))
	play(w, 10*time.Second, w.Send(3*time.Second, []byte(`{"type":"compact"}`), nil))
	out := text(w.Send(10*time.Second, []byte(`{"type":"get_messages"}`), nil))
	if n := strings.Count(out, `"role":`); n != 2 || !strings.Contains(out, "compactionSummary") {
		t.Errorf("got %d messages, want the system prompt and the summary: %s", n, out)
	}
}

// A compaction of Pi 0.73 goes on when its session is left: what it gives is saved there.
func TestLeftCompaction(t *testing.T) {
	src := "0s prompt \"x\"\n+1s says \"a\"\n+0s settles\n+1s compacts manual runs 1s gives \"SUM\""
	w := newWorker(t, src, func(c *fakepi.Config) { c.Driven, c.Dialect, c.Settings = true, native.Pi073, keeps(1) })
	play(w, 2*time.Second, w.Send(0, []byte(`{"type":"prompt","message":"x"}`), nil))
	old := w.SessionPath()
	outs := w.Send(3*time.Second, []byte(`{"id":"1","type":"compact"}`), nil)
	outs = w.Send(3500*ms, []byte(`{"id":"2","type":"new_session"}`), outs)
	outs = play(w, time.Minute, outs)
	if got, want := inADelay(t, text(outs)), "compaction_start 2 1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	saved := ""
	for _, o := range outs {
		if o.Stream == fakepi.Session && o.Path == old {
			saved += string(o.Data)
		}
	}
	if !strings.Contains(saved, `"type":"compaction"`) || !strings.Contains(saved, "SUM") || w.SessionPath() == old {
		t.Errorf("the session that was left got %q", saved)
	}
}

// A command of 1.6 that stands before abort_bash in one write is not stopped by it.
func TestBashAndAbortBash(t *testing.T) {
	for dialect, want := range map[native.Dialect]int{native.Pi16: 0, native.Pi073: 1} {
		w := newWorker(t, "0s chatter queue", func(c *fakepi.Config) { c.Driven, c.Dialect, c.Exec = true, dialect, true })
		out := text(w.Send(time.Second, []byte(`{"type":"bash","command":"ls"}`+"\n"+`{"type":"abort_bash"}`+"\n"), nil))
		if got := strings.Count(out, `"cancelled":true`); got != want {
			t.Errorf("%s: %d commands were cancelled, want %d: %s", dialect, got, want, out)
		}
	}
}

// inADelay is what came on stdout, as the table has it.
func inADelay(t *testing.T, out string) string {
	t.Helper()
	var list []string
	for line := range strings.Lines(out) {
		var r struct {
			Type, ID string
			Success  bool
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		switch {
		case r.Type == "response" && !r.Success:
			list = append(list, r.ID+"!")
		case r.Type == "response":
			list = append(list, r.ID)
		case strings.HasPrefix(r.Type, "agent_") || strings.HasPrefix(r.Type, "compaction_") || r.Type == "auto_retry_end":
			list = append(list, r.Type)
		}
	}
	return strings.Join(list, " ")
}

// The work that an abort has ended is not ended again by abort_retry of the same write.
func TestAbortAndAbortRetry(t *testing.T) {
	const src = "0s prompt \"x\"\n+1s refused transient\n+0s retries 2s\n+1s says \"a\"\n+0s settles"
	for _, order := range [][2]string{{"abort", "abort_retry"}, {"abort_retry", "abort"}} {
		w := newWorker(t, src, func(c *fakepi.Config) { c.Driven = true })
		w.Send(0, []byte(`{"type":"prompt","message":"x"}`+"\n"), nil)
		play(w, 2*time.Second, nil)
		sent := `{"id":1,"type":"` + order[0] + `"}` + "\n" + `{"id":2,"type":"` + order[1] + `"}` + "\n"
		out := text(w.Send(2*time.Second, []byte(sent), nil)) + text(play(w, time.Minute, nil))
		for part, want := range map[string]int{"agent_settled": 1, "auto_retry_end": 1, `"type":"response"`: 2} {
			if got := strings.Count(out, part); got != want {
				t.Errorf("%v: %d of %s, want %d:\n%s", order, got, part, want, out)
			}
		}
	}
}

func between(s, before, after string) string {
	_, s, _ = strings.Cut(s, before)
	s, _, _ = strings.Cut(s, after)
	return s
}

// togetherLine is the line of a command by its name in the file: that of Pi, with more where it stands for several.
func togetherLine(t *testing.T, name string) string {
	t.Helper()
	extra, known := map[string]string{
		"prompt": `"message":"hello"`, "steer": `"message":"st"`, "follow_up": `"message":"fu"`,
		"set_model": `"provider":"fake","modelId":"fake-1"`, "set_thinking_level": `"level":"high"`,
		"set_steering_mode": `"mode":"all"`, "set_follow_up_mode": `"mode":"all"`,
		"set_auto_compaction": `"enabled":true`, "set_auto_retry": `"enabled":true`, "set_session_name": `"name":"nm"`,
		"switch_session": `"sessionPath":"/home/dev/none.jsonl"`, "fork": `"entryId":"ENTRY"`, "bash": `"command":"true"`,
	}[name]
	if known {
		return `{"type":"` + name + `",` + extra + `}`
	}
	if line, known := map[string]string{
		"promptsteer":         `{"type":"prompt","message":"ps","streamingBehavior":"steer"}`,
		"promptfu":            `{"type":"prompt","message":"pf","streamingBehavior":"followUp"}`,
		"promptbad":           `{"type":"prompt","message":5}`,
		"steerbad":            `{"type":"steer"}`,
		"set_modelbad":        `{"type":"set_model","provider":"x","modelId":"y"}`,
		"set_session_namebad": `{"type":"set_session_name","name":" "}`,
		"switch_sessionbad":   `{"type":"switch_session","sessionPath":5}`,
		"forkbad":             `{"type":"fork","entryId":"no"}`,
		"unknown":             `{"type":"nope"}`,
		"parse":               `{`,
		"uiresp":              `{"type":"extension_ui_response","value":"x"}`,
	}[name]; known {
		return line
	}
	return `{"type":"` + name + `"}`
}

// inShort names what was printed as the file does.
func inShort(t *testing.T, out string, names []string) string {
	t.Helper()
	var words []string
	for line := range strings.Lines(out) {
		var r struct {
			Type, Command string
			ID            int
			Success       bool
			Data          struct {
				IsStreaming                       bool
				MessageCount, PendingMessageCount int
			}
		}
		if !strings.Contains(line, `"type":`) || !json.Valid([]byte(line)) {
			continue
		}
		_ = json.Unmarshal([]byte(line), &r) // members of other types stay zero
		short, known := map[string]string{
			"queue_update": "queue", "session_info_changed": "name", "agent_start": "run", "agent_end": "end",
			"compaction_start": "compaction_start", "compaction_end": "compaction_end",
		}[r.Type]
		if r.Type == "response" {
			short, known = fmt.Sprint(lineOf(r.ID, r.Command, names)), true
			if !r.Success {
				short += "!"
			}
			if r.Command == "get_state" {
				streaming := 0
				if r.Data.IsStreaming {
					streaming = 1
				}
				short += fmt.Sprintf("(s%d,n%d,p%d)", streaming, r.Data.MessageCount, r.Data.PendingMessageCount)
			}
		}
		if known {
			words = append(words, short)
		}
	}
	return strings.Join(words, " ")
}

// lineOf is the number of the line that was answered; an answer without id names its command.
func lineOf(id int, command string, names []string) int {
	for i, name := range names {
		if id == 0 && (name == command || command == "nope" && name == "unknown") {
			return i + 1
		}
	}
	return id
}

// Of prompts in one write one is played, and in 1.6 each other one leaves a terminal event inside the run (21d).
func TestPromptsTogether(t *testing.T) {
	prompt := `{"type":"prompt","message":"hello"}` + "\n"
	for dialect, want := range map[native.Dialect]string{
		native.Pi16: "response*4 agent_start agent_settled*3 turn_start", native.Pi073: "response*4 agent_start turn_start",
	} {
		w := newWorker(t, "0s prompt \"hello\"\n+1s says \"a\"\n+0s settles", func(c *fakepi.Config) { c.Driven, c.Dialect = true, dialect })
		outs := w.Send(time.Second, []byte(strings.Repeat(prompt, 4)), nil)
		if got := tokens(without(play(w, time.Minute, outs), fakepi.Session)); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %s, want %s ...", dialect, got, want)
		}
	}
}
