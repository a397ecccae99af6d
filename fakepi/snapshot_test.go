package fakepi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/pi073"
)

// A reply that comes in one write is printed with snapshots that run ahead of their deltas; these are what Pi 0.73.1 printed
// of the same writes (docs/pi-formats.md, section 3.1). A line is an update, its message, and its partial where it differs.
func TestSnapshotsOfOneWrite(t *testing.T) {
	const prompt = "0s prompt \"x\"\n"
	tests := []struct{ name, src, want string }{
		{"one chunk", prompt + "+1s says \"abcdef\" chunks 1\n+0s settles", `
			text_start: abcdef stop
			text_delta abcdef: abcdef stop | abcdef stop counted
			text_end: abcdef stop counted`},
		{"three chunks", prompt + "+1s says \"abcdef\" chunks 3\n+0s settles", `
			text_start: abcd stop
			text_delta ab: abcdef stop
			text_delta cd: abcdef stop
			text_delta ef: abcdef stop
			text_end: abcdef stop counted`},
		{"eight chunks", prompt + "+1s says \"abcdefgh\" chunks 8\n+0s settles", `
			text_start: ab stop
			text_delta a: abc stop
			text_delta b: abc stop
			text_delta c: abcd stop
			text_delta d: abcde stop
			text_delta e: abcdef stop
			text_delta f: abcdefg stop
			text_delta g: abcdefgh stop
			text_delta h: abcdefgh stop
			text_end: abcdefgh stop counted`},
		{"thinking first", prompt + "+1s thinks \"xyz\" chunks 3\n+0s says \"abc\" chunks 3\n+0s settles", `
			thinking_start: (xy) stop
			thinking_delta x: (xyz) stop
			thinking_delta y: (xyz) stop
			thinking_delta z: (xyz)a stop
			text_start: (xyz)ab stop
			text_delta a: (xyz)abc stop
			text_delta b: (xyz)abc stop
			text_delta c: (xyz)abc stop
			thinking_end: (xyz)abc stop counted
			text_end: (xyz)abc stop counted`},
		{"a call in two chunks", prompt + "+1s calls bash args \"{\\\"command\\\": \\\"echo hi\\\"}\" chunks 2 as=c\n+0s tool @c runs 1s", `
			toolcall_start: {}<{"command":> stop
			toolcall_delta : {"command":"echo hi"}<{"command": "echo hi"}> stop
			toolcall_delta {"command":: {"command":"echo hi"}<{"command": "echo hi"}> stop
			toolcall_delta  "echo hi"}: {"command":"echo hi"}<{"command": "echo hi"}> stop | {"command":"echo hi"}<{"command": "echo hi"}> toolUse
			toolcall_end: {"command":"echo hi"} toolUse counted`},
		{"a call in one chunk", prompt + "+1s calls bash args \"{\\\"command\\\": \\\"echo hi\\\"}\" chunks 1 as=c\n+0s tool @c runs 1s", `
			toolcall_start: {"command":"echo hi"}<{"command": "echo hi"}> stop
			toolcall_delta : {"command":"echo hi"}<{"command": "echo hi"}> stop | {"command":"echo hi"}<{"command": "echo hi"}> toolUse
			toolcall_delta {"command": "echo hi"}: {"command":"echo hi"}<{"command": "echo hi"}> toolUse
			toolcall_end: {"command":"echo hi"} toolUse counted`},
		{"chunks of their own", prompt + "+1s says \"a b\" over 1s\n+0s stalls", `
			text_start: a stop
			text_delta a: a stop
			text_delta  b: a b stop`},
	}
	for _, tt := range tests {
		want := strings.Split(strings.ReplaceAll(tt.want, "\t", "")[1:], "\n")
		if d := cmp.Diff(want, snapshots(t, play(newWorker(t, tt.src, in(native.Pi073)), time.Minute, nil))); d != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, d)
		}
	}
}

func snapshots(t *testing.T, outs []fakepi.Output) []string {
	t.Helper()
	var list []string
	for _, u := range updatesOf(t, outs) {
		line := u.Event.Type
		if u.Event.Delta.Set {
			line += " " + u.Event.Delta.V
		}
		m, p := describe(u.Message), describe(u.Event.Partial)
		line += ": " + m
		if p != m {
			line += " | " + p
		}
		list = append(list, line)
	}
	return list
}

func updatesOf(t interface{ Fatal(...any) }, outs []fakepi.Output) []*native.MessageUpdate {
	var list []*native.MessageUpdate
	for _, o := range outs {
		if o.Stream != fakepi.Out || o.Data == nil {
			continue
		}
		r, err := pi073.Decode(o.Data)
		if err != nil {
			t.Fatal(err)
		}
		if u, ok := r.(*native.MessageUpdate); ok {
			list = append(list, u)
		}
	}
	return list
}

// describe writes a message short: thinking in brackets, a call as its arguments with the unfinished JSON, the stop
// reason, and whether the tokens have been counted.
func describe(m *native.AssistantMessage) string {
	text := ""
	for _, b := range m.Content {
		switch b := b.(type) {
		case *native.TextBlock:
			text += b.Text
		case *native.ThinkingBlock:
			text += "(" + b.Thinking + ")"
		case *native.ToolCall:
			text += string(native.AppendValue(nil, b.Arguments))
			if b.Scratch.PartialArgs.Set {
				text += fmt.Sprintf("<%s>", b.Scratch.PartialArgs.V)
			}
		}
	}
	text += " " + m.StopReason
	if m.Usage.Total > 0 {
		text += " counted"
	}
	return text
}

// Whatever comes at whatever time, a snapshot has at least the deltas so far, and the message is no further than the
// partial, which was read later.
func TestSnapshotsHoldTheirDeltas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := drawScript(t)
		said, last := map[int64]string{}, ""
		for _, u := range updatesOf(t, play(newRapidWorker(t, src, native.Pi073), horizon, nil)) {
			if id := u.Message.ResponseID.V; id != last {
				said, last = map[int64]string{}, id
			}
			said[u.Event.ContentIndex] += u.Event.Delta.V
			for i, text := range said {
				m, p := textAt(u.Message, i), textAt(u.Event.Partial, i)
				if !strings.HasPrefix(m, text) || !strings.HasPrefix(p, m) {
					t.Fatalf("block %d: said %q, message %q, partial %q\n%s", i, text, m, p, src)
				}
			}
		}
	})
}

// textAt is what a block has, of a call its JSON so far.
func textAt(m *native.AssistantMessage, i int64) string {
	switch b := m.Content[i].(type) {
	case *native.TextBlock:
		return b.Text
	case *native.ThinkingBlock:
		return b.Thinking
	case *native.ToolCall:
		if b.Scratch.PartialArgs.Set || b.Scratch.PartialJSON.Set {
			return b.Scratch.PartialArgs.V + b.Scratch.PartialJSON.V
		}
		return string(native.AppendValue(nil, b.Arguments))
	}
	return ""
}
