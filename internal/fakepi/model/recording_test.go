package model_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/model"
	"fakepi.example/internal/fakepi/native/recording"
)

func TestFromRecording(t *testing.T) {
	src := `{"responses":[
		[{"op":"role"},{"op":"delay","ms":250},{"op":"think","text":"abc","n":2,"gap_ms":40},{"op":"text","text":"é😀","n":9,"gap_ms":0},
		 {"op":"tool","index":1,"id":"c","name":"ls","args":"{}","n":1,"gap_ms":5},{"op":"finish","reason":"tool_calls"},
		 {"op":"usage","prompt":140,"completion":30,"reasoning":20,"cached":64},{"op":"done"}],
		[{"op":"text","text":"a\ud83db","n":3,"gap_ms":0},{"op":"eof"}],
		[{"op":"text","text":"","n":1,"gap_ms":0},{"op":"rst"}],
		[{"op":"hang"}]],
		"default":[{"op":"status","code":429,"headers":{"retry-after":"5"},"body":{"a":1}}]}`
	ms := time.Millisecond
	want := []model.Reply{
		{Source: "response 0", Ops: []model.Op{
			model.Role{}, model.Wait{D: 250 * ms}, model.Thinking{Delta: "ab"}, model.Wait{D: 40 * ms}, model.Thinking{Delta: "c"},
			model.Text{Delta: "é"}, model.Text{Delta: "😀"}, model.Call{Index: 1, ID: "c", Name: "ls"}, model.Arguments{Index: 1, Delta: "{}"},
			model.Finish{Reason: model.ReasonTools}, model.Usage{Input: 140, Output: 30, Cached: 64, Reasoning: 20}, model.Done{},
		}},
		{Source: "response 1", Ops: []model.Op{model.Text{Delta: "a"}, model.Text{Delta: "\xed\xa0\xbd"}, model.Text{Delta: "b"}}},
		{Source: "response 2", Ops: []model.Op{model.Reset{}}},
		{Source: "response 3", Ops: []model.Op{model.Hang{}}},
		{Source: "default", Rest: true, Ops: []model.Op{refuse(429, 5*time.Second, `{"a":1}`)}},
	}
	got, err := model.FromRecording([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if got, err = model.FromRecording([]byte(`{"responses":[]}`)); err != nil || len(got) != 1 || !got[0].Rest || !slices.Equal(deltasOf(got), []string{"ok"}) {
		t.Errorf("without a default: got %v (%v), want ok for all", got, err)
	}
}

func refuse(status int, after time.Duration, body string) model.Refuse {
	op := model.Refuse{RetryAfter: after, Body: []byte(body)}
	op.Failure.Status = status
	return op
}

func TestFromRecordingErrors(t *testing.T) {
	tests := []struct{ src, want string }{
		{``, "EOF"},
		{`{"responses":[]} x`, "something follows the object"},
		{`{"answers":[]}`, `unknown field "answers"`},
		{`{"responses":[[{"op":"role","delay":1}]]}`, `unknown field "delay"`},
		{`{"responses":[[],[{"op":"role"},{"op":"sing"}]]}`, `response 1, step 1: op "sing" is not known`},
		{`{"responses":[[{"op":"text","text":"x"}]]}`, "response 0, step 0: text comes in 0 pieces with gaps of 0 ms; it must be 1 or more, and 0 or more"},
		{`{"responses":[[{"op":"delay","ms":-1}]]}`, "response 0, step 0: a delay of -1 ms"},
		{`{"responses":[],"default":[{"op":"status","code":200}]}`, "default, step 0: status 200 is no error"},
		{`{"responses":[[{"op":"status","code":500,"headers":{"x-a":"1"}}]]}`, "response 0, step 0: header x-a: 1 is not supported; only retry-after in seconds is"},
		{`{"responses":[[{"op":"text","text":7,"n":1}]]}`, "7 is no string"},
	}
	for _, tt := range tests {
		_, err := model.FromRecording([]byte(tt.src))
		if !errors.Is(err, model.ErrRecording) || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want an ErrRecording: ... %s", tt.src, err, tt.want)
		}
	}
}

// The recordings' model scripts are cut as the real Pi printed them, delta by delta, as far as it got.
func TestRecordedDeltas(t *testing.T) {
	dirs, err := filepath.Glob("../../../fakepi/native/testdata/recordings/*/*/*/meta.json")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no recordings (%v)", err)
	}
	compared := 0
	for _, file := range dirs {
		printed, err := recording.ReadFile(filepath.Join(filepath.Dir(file), recording.EventsFile))
		if err != nil {
			continue // of a terminal
		}
		if strings.Contains(file, "-compact-") {
			continue // summaries are not printed
		}
		want := sentDeltas(t, file)
		got := printedDeltas(t, printed)
		if len(got) > len(want) {
			t.Errorf("%s: Pi printed %d deltas of %d", file, len(got), len(want))
			continue
		}
		compared += len(got)
		if !slices.Equal(want[:len(got)], got) {
			t.Errorf("%s: -sent +printed\n%s", file, cmp.Diff(want[:len(got)], got))
		}
	}
	if compared < 100 {
		t.Errorf("compared %d deltas; the recordings have hundreds", compared)
	}
}

func sentDeltas(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var meta struct {
		Script json.RawMessage `json:"fake_llm_script"`
	}
	if err := json.Unmarshal(data, &meta); err != nil {
		t.Fatal(err)
	}
	replies, err := model.FromRecording(meta.Script)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return deltasOf(replies)
}

func deltasOf(replies []model.Reply) []string {
	var all []string
	for _, r := range replies {
		for _, op := range r.Ops {
			switch op := op.(type) {
			case model.Text:
				all = append(all, op.Delta)
			case model.Thinking:
				all = append(all, op.Delta)
			case model.Arguments:
				all = append(all, op.Delta)
			}
		}
	}
	return all
}

func printedDeltas(t *testing.T, events []recording.Event) []string {
	t.Helper()
	var all []string
	for _, e := range events {
		if e.Dir != recording.Out {
			continue
		}
		v, err := native.ParseValue(e.Line)
		if err != nil {
			continue // a response that breaks off
		}
		o, _ := v.(native.Object)
		event, _ := o.Get("assistantMessageEvent").(native.Object)
		if delta, ok := event.Get("delta").(native.String); ok && delta != "" {
			all = append(all, string(delta))
		}
	}
	return all
}

// A recording carries no command: whatever it says is a word of the model, or refused.
func TestRecordingCarriesNoCommand(t *testing.T) {
	for _, op := range []string{"run", "exec", "does", "shell"} {
		script := `{"responses":[[{"op":"role"},{"op":"` + op + `","text":"touch ran","args":"touch ran"}]]}`
		if replies, err := model.FromRecording([]byte(script)); !errors.Is(err, model.ErrRecording) {
			t.Errorf("%s: got %d replies and error %v, want %v", op, len(replies), err, model.ErrRecording)
		}
	}
}
