package fidelity_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"fakepi.example/fakepi/script"
)

// tool lets the model say something, or nothing, and call a tool or several.
func (s *story) tool() {
	if s.chance(60) {
		s.talks()
	}
	pick(s, s.executes, s.executes, s.executes, s.prints, s.outlasts, s.reads, s.streams, s.writes, s.edits, s.blocked, s.misshapen, s.batch)()
	s.answered()
}

// call adds a tool, from the end of which the next line counts, and returns its label.
func (s *story) call(format string, a ...any) string {
	label := fmt.Sprintf("t%d", s.number())
	call := fmt.Sprintf(format, a...)
	s.line(soon, "tool %s as=%s", call, label)
	s.anchor = "@" + label + ".end"
	s.starts(call)
	return label
}

// with adds a line that counts from the start of a tool.
func (s *story) with(label, format string, a ...any) {
	line := fmt.Sprintf(format, a...)
	fmt.Fprintf(&s.worker, "@%s %s\n", label, line)
	s.starts(strings.TrimPrefix(line, "tool "))
}

func (s *story) starts(call string) {
	if strings.HasPrefix(call, "bash ") {
		s.printed["tool_execution_start(bash)"]++
	}
}

// executes runs a command in the worktree. One that prints waits before, and prints in one write.
func (s *story) executes() {
	command := script.Quote(pick(s,
		"sleep 0.3; echo hi", "sleep 0.3; echo oops; exit 3", "sleep 0.3; cat notes.md", "sleep 0.3; echo line >>log.txt; wc -l <log.txt",
		"sleep 0.3; echo err >&2", "sleep 0.3; echo gone >&2; exit 1", "sleep 0.3; printf 'no end'", "sleep 0.3; cat blank.txt", "sleep 0.3; pwd",
		`sleep 0.3; printf 'a\tb\303\244\n'; exit 127`, "sleep 0.3; echo $((6*7))", "sleep 0.3; ls",
		"mkdir -p d; echo x >d/f", "rm -f list.txt", "true", "false", "kill -9 $$"))
	t := s.call("bash %s runs 10ms", command)
	s.with(t, "does run %s", command)
}

// prints is a command of which the worker's half has the output, which comes at once or line by line.
func (s *story) prints() {
	if s.chance(50) {
		s.call(`bash "sleep 0.3; echo hi" runs 300ms gives "hi\n"`)
		return
	}
	t := s.call(`bash "for i in 1 2 3; do sleep 0.4; echo line $i; done; sleep 0.4" runs 10ms`)
	s.with(t, `does run "for i in 1 2 3; do sleep 0.4; echo line $i; done; sleep 0.4"`)
}

// outlasts is a command that takes longer than the model lets it.
func (s *story) outlasts() { s.call(`bash "sleep 20" runs 20s timeout=1s`) }

func (s *story) reads() {
	if s.chance(50) {
		s.call(`read "notes.md" runs 10ms gives "one\ntwo\n"`)
	} else {
		s.call(`read "none.txt" runs 10ms fails`)
	}
}

// streams is a call that comes in pieces.
func (s *story) streams() {
	label := fmt.Sprintf("t%d", s.number())
	s.line(soon, `calls read "notes.md" over 400ms chunks 3 as=%s`, label)
	s.line(0, `tool @%s runs 10ms gives "one\ntwo\n"`, label)
}

func (s *story) writes() {
	file := pick(s, "new.txt", "sub/dir/new.txt", "notes.txt")
	text := pick(s, "x\n", "no end", "a\nb\nc\n", "größe\n")
	t := s.call("write args %s runs 10ms", quoteJSON(map[string]any{"path": file, "content": text}))
	s.with(t, "does write %s %s", file, script.Quote(text))
}

// edits changes a file, or fails where it has the text not at all or twice.
func (s *story) edits() {
	file := pick(s, "a.txt", "b.txt")
	from, to := pick(s, "todo", "first", "first: todo\nsecond", "none such"), pick(s, "done", "x\ny", "größe", "")
	edit := map[string]string{"oldText": from, "newText": to}
	t := s.call("edit args %s runs 10ms", quoteJSON(map[string]any{"path": file, "edits": []any{edit}}))
	s.with(t, "does edit %s %s %s", file, script.Quote(from), script.Quote(to))
}

func quoteJSON(v map[string]any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // of texts alone, it has a form
	}
	return script.Quote(string(text))
}

// blocked calls a tool that there is not.
func (s *story) blocked() { s.call(`nothing "x" runs 0s blocked gives "Tool nothing not found"`) }

// misshapen calls one without what it needs.
func (s *story) misshapen() {
	label := fmt.Sprintf("t%d", s.number())
	s.line(soon, "calls bash args %s chunks 2 as=%s", script.Quote(pick(s, `{"cmd":"echo hi"}`, "{}")), label)
	s.line(0, "tool @%s runs 0s fails", label)
	s.starts("bash ")
}

// batch calls several at once, with ends that are 400 ms apart.
func (s *story) batch() {
	slow := s.call(`bash "sleep 1.2; echo slow" runs 1200ms gives "slow\n"`)
	if s.chance(70) {
		s.with(slow, `tool bash "sleep 0.4; echo fast" runs 400ms gives "fast\n"`)
	}
	if s.chance(40) {
		s.with(slow, `tool bash "sleep 0.8; echo next" runs 800ms gives "next\n"`)
	}
	if s.chance(50) {
		s.with(slow, `%s`, pick(s, `tool read "notes.md" runs 10ms gives "one\ntwo\n"`, `tool nothing "x" runs 0s blocked gives "Tool nothing not found"`))
	}
}

// asks calls a tool that the extension asks about; the client answers.
func (s *story) asks() {
	dialog := pick(s, dialog{"ask-select", `select "Allow this command?" "Allow" "Block"`, []string{"Allow", "Block", ""}},
		dialog{"ask-confirm", `confirm "Run command?"`, []string{"yes", "no", ""}},
		dialog{"ask-input", `input "Type yes to allow"`, []string{"yes", "other", ""}})
	answer := pick(s, dialog.answers...)
	t := s.call(`bash "sleep 0.3; echo hi # %s" runs 300ms gives "hi\n"`, dialog.word)
	s.with(t, "asks %s", dialog.asks)
	method, _, _ := strings.Cut(dialog.asks, " ")
	s.act("on extension_ui_request(%s)", method)
	s.act("wait 300ms")
	if answer == "" {
		fmt.Fprintf(&s.worker, "+0s user cancels after %s\n", quiet)
		s.act("cancel")
	} else {
		fmt.Fprintf(&s.worker, "+0s user answers %s after %s\n", script.Quote(answer), quiet)
		s.act("answer %s", script.Quote(answer))
	}
	clear(s.printed) // on counts behind what was awaited last
	s.answered()
}

// dialog is what the extension asks before a command with a word in it, and how it may be answered; "": it is closed.
type dialog struct {
	word, asks string
	answers    []string
}
