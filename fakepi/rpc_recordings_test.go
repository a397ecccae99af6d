package fakepi_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/recording"
)

// recordedModels are those that the recordings were made with.
func recordedModels() []native.Model {
	demo := func(id, name string, thinks bool, window, most int64) native.Model {
		return native.Model{
			ID: id, Name: name, API: "openai-completions", Provider: "demo", BaseURL: "http://127.0.0.1:9/v1", Reasoning: thinks,
			Input: []string{"text"}, ContextWindow: window, MaxTokens: most,
			Cost: native.ModelCost{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75},
		}
	}
	return []native.Model{
		demo("demo-1", "Demo 1", false, 128000, 16384), demo("demo-r1", "Demo R1", true, 128000, 16384),
		demo("demo-small", "Demo Small", false, 8000, 1000),
		{
			ID: "demo-a1", Name: "Demo A1", API: "anthropic-messages", Provider: "demo-anth", BaseURL: "http://127.0.0.1:9",
			Reasoning: true, Input: []string{"text"}, ContextWindow: 200000, MaxTokens: 16384,
			Cost: native.ModelCost{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75},
		},
	}
}

// A worker that is sent what a real Pi was sent, each line at its recorded time, answers with the same bytes: responses, what
// is told of the queues, of names and of levels, and the session file. Ids, times and places are masked, and what stands in
// the system prompt.
func TestRecordedCommands(t *testing.T) {
	words := strings.Repeat("word ", 800)
	summaries := map[native.Dialect]string{ // 0.73 asks for both at once, so that they came the other way round
		native.Pi16:  `gives "## Goal\nSummary text." turn "After compaction." input 2120 output 43`,
		native.Pi073: `gives "After compaction." turn "## Goal\nSummary text."`,
	}
	counts := "\n+0s reports input 120 output 3\n+0s settles\n"
	tests := []struct{ name, src string }{
		{"14d-steer-idle", "0s prompt \"x\"\n+5ms says \"First.\"" + counts + "+0s prompt \"x\"\n+5ms says \"Second.\"" + counts},
		{"16a-compact-manual", "0s prompt \"x\"\n+5ms says \"" + words + "\"\n+0s reports input 900 output 800\n+0s settles\n" +
			"+0s prompt \"x\"\n+5ms says \"" + words + "\"\n+0s reports input 1800 output 800\n+0s settles\n" +
			"+0s compacts manual runs 5s {summaries}\n+0s prompt \"x\"\n+1ms says \"ok\"\n+0s reports input 10 output 1\n+0s settles"},
		{"19-malformed-stdin", "0s prompt \"x\"\n+5ms says \"Fine.\"" + counts},
		{"21b-prompt-while-streaming", "0s prompt \"x\"\n+5ms says \"First answer, slowly.\" over 1500ms\n+0s reports input 120 output 3\n+0s closes\n" +
			"+9ms says \"Second.\"\n+0s reports input 120 output 3\n+0s closes\n+9ms says \"Third.\"" + counts},
		{"26a-command-tour", "0s prompt \"x\"\n+5ms calls bash \"echo hi\" as=c\n+0s reports input 100 output 20\n" +
			"+0s closes\n+1ms tool @c runs 10ms gives \"hi\\n\" as=t\n@t.end+5ms says \"Hello.\"" + counts},
	}
	for _, lang := range tongues {
		for _, tt := range tests {
			name := lang.version + "/rpc/" + tt.name
			dir := filepath.Join("native/testdata/recordings", name)
			events, err := recording.ReadFile(filepath.Join(dir, recording.EventsFile))
			if err != nil {
				t.Fatal(err)
			}
			w := newWorker(t, strings.ReplaceAll(tt.src, "{summaries}", summaries[lang.dialect]), in(lang.dialect), func(c *fakepi.Config) {
				c.Driven, c.Models, c.Settings = true, recordedModels(), keeps(600)
			})
			outs := play(w, time.Hour, answer(w, events))
			if d := cmp.Diff(told(recorded(t, dir)), told(lines(outs, fakepi.Out))); d != "" {
				t.Errorf("%s: -recorded +answered\n%s", name, d)
			}
			if d := cmp.Diff(masked(recordedSession(t, dir)), masked(lines(outs, fakepi.Session))); d != "" {
				t.Errorf("%s, session: -recorded +saved\n%s", name, d)
			}
		}
	}
}

// answer sends a worker what was recorded on stdin.
func answer(w *fakepi.Worker, events []recording.Event) (outs []fakepi.Output) {
	for _, e := range events {
		if e.Dir == recording.In {
			outs = w.Send(e.At, e.Line, play(w, e.At, outs))
		}
	}
	return outs
}

// told are the lines that tell of commands.
func told(lines [][]byte) []string {
	var list [][]byte
	for _, line := range lines {
		var s native.Skimmed
		native.Skim(line, &s)
		switch s.Kind {
		case native.KindResponse, native.KindQueueUpdate, native.KindSessionInfoChanged, native.KindThinkingLevelChanged, native.KindCompactionEnd:
			list = append(list, line)
		}
	}
	return masked(list)
}

var (
	loose = regexp.MustCompile(`"(sections|description|timestamp|responseId|durationMs|sessionFile|cwd|estimatedTokensAfter)":("[^"]*"|[0-9]+|\{[^}]*\})`)
	hexID = regexp.MustCompile(`"([0-9a-f]{8}|[0-9a-f]{8}-[0-9a-f-]{27}|call_[0-9A-Za-z]+)"`)
	port  = regexp.MustCompile(`127\.0\.0\.1:[0-9]+`)
)

func masked(lines [][]byte) []string {
	var list []string
	for _, line := range lines {
		s := loose.ReplaceAllString(strings.TrimSpace(string(line)), `"$1":_`)
		list = append(list, fmt.Sprintln(port.ReplaceAllString(hexID.ReplaceAllString(s, `"ID"`), "HOST")))
	}
	return list
}
