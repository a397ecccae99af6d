package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/recording"
)

const recordings = "../../fakepi/native/testdata/recordings/1.6.0/json/"

// A process prints and saves what a process of Pi did in the recording, record by record, with the same keys in the
// same order; where Pi was killed it leaves the same.
func TestLikeRecordedProcesses(t *testing.T) {
	tests := []struct {
		dir, message, src string
		kill              string // sent SIGKILL behind the line with this
	}{
		{"05-tool-bash", "Run echo hello.", `0s prompt "x"
			+100ms says "Running it." chunks 2
			+1ms tool bash "echo hello" runs 8ms gives "hello\n"
			+1ms says "It printed hello." chunks 2
			+0s settles`, ""},
		{"08a-kill9-during-tool", "Run the job.", `0s prompt "x"
			+100ms tool bash "sleep 8" runs never`, `"partialResult":{"content":[]}`},
		{"08f-kill9-first-stream", "Say something.", `0s prompt "x"
			+100ms says "The first of many words" chunks 3
			+0s stalls`, `"text_delta"`},
	}
	for _, tt := range tests {
		p := startPi(t, "", tt.src, "--mode", "json", tt.message)
		p.in.Close()
		if tt.kill != "" {
			p.await(tt.kill)
			p.signal(syscall.SIGKILL)
		}
		p.end()
		events, err := recording.ReadFile(recordings + tt.dir + "/" + recording.EventsFile)
		if err != nil {
			t.Fatal(err)
		}
		var printed []string
		for _, e := range events {
			if e.Dir == recording.Out {
				printed = append(printed, string(e.Line))
			}
		}
		if d := cmp.Diff(skeletons(t, printed), skeletons(t, p.seen)); d != "" {
			t.Errorf("%s: stdout: -recorded +played\n%s", tt.dir, d)
		}
		want, got := sessionLines(t, recordings+tt.dir+"/session"), sessionLines(t, p.home+"/.pi/agent/sessions/*")
		if d := cmp.Diff(skeletons(t, want), skeletons(t, got)); d != "" {
			t.Errorf("%s: session: -recorded +played\n%s", tt.dir, d)
		}
	}
}

func sessionLines(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(dir + "/*.jsonl")
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: got session files %v (%v), want one", dir, files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(data)))
}

// skeletons writes what each line is and its keys in their order; how the provider cut its reply is left out.
func skeletons(t *testing.T, lines []string) []string {
	t.Helper()
	list := make([]string, len(lines))
	for i, line := range lines {
		v, err := native.ParseValue([]byte(strings.TrimSuffix(line, "\n")))
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		list[i] = skeleton(v.(native.Object))
	}
	return slices.Compact(list)
}

func skeleton(o native.Object) string {
	var parts []string
	for _, m := range o {
		part := m.Key
		inner, isObject := m.Value.(native.Object)
		switch text, isText := m.Value.(native.String); {
		case isText && (m.Key == "type" || m.Key == "role" || m.Key == "stopReason"):
			part += "=" + string(text)
		case isObject && (m.Key == "message" || m.Key == "assistantMessageEvent"):
			part += skeleton(inner)
		}
		parts = append(parts, part)
	}
	return "{" + strings.Join(parts, " ") + "}"
}
