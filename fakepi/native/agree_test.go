package native_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/recording"
)

// view is a Skimmed with its raw parts read, so that it can be compared with what a
// decoded record says.
type view struct {
	native.Skimmed
	ID, ParentID, Args, Result, Partial                             native.Value
	ToolCallID, ToolName, Command, Reason, Model, Provider, Err, UI native.Opt[string]
}

func viewOfSkim(t *testing.T, s native.Skimmed) view {
	value := func(raw []byte) native.Value {
		if raw == nil {
			return nil
		}
		v, err := native.ParseValue(raw)
		if err != nil {
			t.Fatalf("the skim returned %q, which is no JSON: %v", raw, err)
		}
		return v
	}
	text := func(raw []byte) native.Opt[string] {
		if raw == nil {
			return native.Opt[string]{}
		}
		return native.Some(native.Unescape(raw))
	}
	v := view{
		Skimmed: s,
		ID:      value(s.ID), ParentID: value(s.ParentID),
		Args: value(s.Args), Result: value(s.Result), Partial: value(s.Partial),
		ToolCallID: text(s.ToolCallID), ToolName: text(s.ToolName), Command: text(s.Command),
		Reason: text(s.Reason), Model: text(s.Model), Provider: text(s.Provider),
		Err: text(s.Error), UI: text(s.Text),
	}
	v.Skimmed.ID, v.Skimmed.ParentID, v.Skimmed.Args, v.Skimmed.Result, v.Skimmed.Partial = nil, nil, nil, nil, nil
	v.Skimmed.ToolCallID, v.Skimmed.ToolName, v.Skimmed.Command, v.Skimmed.Reason = nil, nil, nil, nil
	v.Skimmed.Model, v.Skimmed.Provider, v.Skimmed.Error, v.Skimmed.Text = nil, nil, nil, nil
	return v
}

// has reports whether a typed field came from the line: odd objects may lack it.
func has(odd *native.Odd, key string) bool {
	return odd == nil || slices.Contains(odd.Keys, key) && odd.Extra.Get(key) == nil
}

func extra(odd *native.Odd, key string) native.Value {
	if odd == nil {
		return nil
	}
	return odd.Extra.Get(key)
}

func textIf(odd *native.Odd, key, s string) (o native.Opt[string]) {
	if has(odd, key) {
		o = native.Some(s)
	}
	return o
}

func valueIf(odd *native.Odd, key, s string) native.Value {
	if has(odd, key) {
		return native.String(s)
	}
	return nil
}

// anyIf is valueIf for a member whose value may be of another type than a string, too.
func anyIf(odd *native.Odd, key, s string) native.Value {
	if v := valueIf(odd, key, s); v != nil {
		return v
	}
	return extra(odd, key)
}

// rawLen is the length of s between its quotes, as Pi writes it.
func rawLen(s string) int { return len(native.AppendString(nil, s)) - 2 }

// viewOfRecord reads a record that codec has decoded.
func viewOfRecord(codec native.Codec, rec native.Record) view {
	v := view{Skimmed: native.Skimmed{Kind: native.KindOf(rec.Type())}}
	modern := codec.Dialect() == native.Pi16
	switch r := rec.(type) {
	case *native.UnknownRecord:
		v.unknown(codec, r)
	case *native.AgentEnd:
		v.WillRetry, v.HasWillRetry = r.WillRetry, modern && has(r.Odd, "willRetry")
	case *native.AgentSettled:
		v.Aborted = r.Aborted
	case *native.TurnEnd:
		v.message(r.Message)
	case *native.MessageStart:
		v.message(r.Message)
	case *native.MessageEnd:
		v.message(r.Message)
	case *native.MessageUpdate:
		if v.HasUsage = modern && has(r.Odd, "usage"); v.HasUsage {
			v.Usage = usage(r.Usage)
		}
		v.update(r)
	case *native.RetryStart:
		v.Attempt, v.MaxAttempts = int(r.Attempt), int(r.MaxAttempts)
		v.Err = textIf(r.Odd, "errorMessage", r.ErrorMessage)
		if v.HasDelay = has(r.Odd, "delayMs"); v.HasDelay {
			v.Delay = native.Duration(r.DelayMs, time.Millisecond)
		}
	case *native.RetryEnd:
		v.Success, v.HasSuccess, v.Attempt, v.Err = r.Success, has(r.Odd, "success"), int(r.Attempt), r.FinalError
	case *native.SummarizationRetry:
		v.Attempt, v.MaxAttempts, v.Err, v.Reason = int(r.Attempt.V), int(r.MaxAttempts.V), r.ErrorMessage, r.Reason
		v.Delay, v.HasDelay = native.Duration(r.DelayMs.V, time.Millisecond), r.DelayMs.Set
	case *native.CompactionStart:
		v.Reason = textIf(r.Odd, "reason", r.Reason)
	case *native.CompactionEnd:
		v.Reason, v.Aborted, v.Err = textIf(r.Odd, "reason", r.Reason), r.Aborted, r.ErrorMessage
		v.WillRetry, v.HasWillRetry = r.WillRetry, has(r.Odd, "willRetry")
		v.compaction(r.Result)
	case *native.BashUpdate:
		v.ID, v.DeltaLen = r.ID, rawLen(r.Delta)
	case *native.ExtensionError:
		v.Err = textIf(r.Odd, "error", r.Error)
	default:
		v.more(codec, rec)
	}
	if v.HasEntryTimestamp && !v.HasTimestamp {
		v.Timestamp, v.HasTimestamp = v.EntryTimestamp, true
	}
	return v
}

func (v *view) more(codec native.Codec, rec native.Record) {
	switch r := rec.(type) {
	case *native.ToolStart:
		v.tool(r.Odd, r.ToolCallID, r.ToolName)
		v.Args = r.Args
		args, _ := r.Args.(native.Object)
		if n, ok := args.Get("timeout").(native.Number); ok {
			v.Timeout, v.HasTimeout = native.Duration(float64(n), time.Second), true
		}
	case *native.ToolUpdate:
		v.tool(r.Odd, r.ToolCallID, r.ToolName)
		v.Args, v.Partial = r.Args, toolResult(codec, r.Odd, "partialResult", r.PartialResult)
	case *native.ToolEnd:
		v.tool(r.Odd, r.ToolCallID, r.ToolName)
		v.Result, v.IsError = toolResult(codec, r.Odd, "result", r.Result), r.IsError
	case *native.Command:
		v.ID, v.Command = r.ID, native.Some(r.Name)
	case *native.Response:
		v.response(r)
	case *native.UIRequest:
		v.ID, v.UI = anyIf(r.Odd, "id", r.ID), r.Title
		if has(r.Odd, "method") {
			v.Method = native.ParseMethod(r.Method)
		}
		v.Timeout, v.HasTimeout = native.Duration(r.Timeout.V, time.Millisecond), r.Timeout.Set
	case *native.UIResponse:
		v.ID, v.Cancelled = anyIf(r.Odd, "id", r.ID), r.Cancelled.V
	case *native.SessionHeader:
		v.ID = valueIf(r.Odd, "id", r.ID)
		v.stamp(r.Timestamp)
	case *native.ModelChange:
		v.entry(r.EntryBase, r.Odd)
		v.Provider, v.Model = textIf(r.Odd, "provider", r.Provider), textIf(r.Odd, "modelId", r.ModelID)
	case *native.ThinkingLevelChange:
		v.entry(r.EntryBase, r.Odd)
	case *native.MessageEntry:
		v.entry(r.EntryBase, r.Odd)
		v.message(r.Message)
	case *native.CompactionEntry:
		v.entry(r.EntryBase, r.Odd)
		v.TokensBefore = r.TokensBefore
	case *native.ContextEdit:
		v.entry(r.EntryBase, r.Odd)
	case *native.SessionInfo:
		v.entry(r.EntryBase, r.Odd)
	case *native.OtherEntry:
		v.otherEntry(r.Value)
	}
}

func (v *view) tool(odd *native.Odd, id, name string) {
	v.ToolCallID, v.ToolName = textIf(odd, "toolCallId", id), textIf(odd, "toolName", name)
}

// toolResult returns the free JSON value of a typed result.
func toolResult(codec native.Codec, odd *native.Odd, key string, r native.ToolResult) native.Value {
	if !has(odd, key) {
		return nil
	}
	event := &native.ToolEnd{Result: r}
	line, err := codec.Append(nil, event)
	if err != nil {
		panic(err)
	}
	v, err := native.ParseValue(line)
	if err != nil {
		panic(err)
	}
	return v.(native.Object).Get("result")
}

func (v *view) update(r *native.MessageUpdate) {
	v.Cumulative = r.Message != nil || extra(r.Odd, "message") != nil
	if !has(r.Odd, "assistantMessageEvent") {
		return
	}
	e := r.Event
	if has(e.Odd, "type") {
		v.Delta = native.ParseDelta(e.Type)
	}
	v.Cumulative = v.Cumulative || e.Partial != nil || extra(e.Odd, "partial") != nil
	v.ToolCallID, v.ToolName, v.ContentIndex = e.ID, e.ToolName, int(e.ContentIndex)
	if e.Delta.Set {
		v.DeltaLen = rawLen(e.Delta.V)
	}
}

func usage(u native.Usage) native.SkimmedUsage {
	return native.SkimmedUsage{
		Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
		Total: u.Total, Cost: u.Cost.Total,
	}
}

func (v *view) message(m native.Message) {
	stamp := func(odd *native.Odd, ms int64) {
		if has(odd, "timestamp") {
			v.Timestamp, v.HasTimestamp = ms, true
		}
	}
	if m != nil {
		v.Role = native.ParseRole(m.Role())
	}
	switch m := m.(type) {
	case *native.UserMessage:
		v.content(m.Content)
		stamp(m.Odd, m.Timestamp)
	case *native.AssistantMessage:
		v.content(m.Content)
		stamp(m.Odd, m.Timestamp)
		v.Provider, v.Model = textIf(m.Odd, "provider", m.Provider), textIf(m.Odd, "model", m.Model)
		v.Reason, v.Err = m.RawStopReason, m.ErrorMessage
		if has(m.Odd, "stopReason") {
			v.Stop = native.ParseStopReason(m.StopReason)
		}
		if v.HasUsage = has(m.Odd, "usage"); v.HasUsage {
			v.Usage = usage(m.Usage)
		}
	case *native.ToolResultMessage:
		v.content(m.Content)
		stamp(m.Odd, m.Timestamp)
		v.tool(m.Odd, m.ToolCallID, m.ToolName)
		v.IsError = m.IsError
	case *native.SystemMessage:
		stamp(m.Odd, m.Timestamp)
	case *native.BashExecutionMessage:
		stamp(m.Odd, m.Timestamp)
	}
}

func (v *view) content(blocks []native.Block) {
	v.Blocks = len(blocks)
	for _, b := range blocks {
		switch b := b.(type) {
		case *native.TextBlock:
			v.TextLen += rawLen(strings.TrimLeftFunc(b.Text, unicode.IsSpace))
		case *native.ThinkingBlock:
			v.ThinkingLen += rawLen(b.Thinking)
		case *native.ToolCall:
			v.Calls++
		}
	}
}

func (v *view) compaction(r *native.CompactionResult) {
	if r == nil {
		return
	}
	v.TokensBefore, v.TokensAfter = r.TokensBefore, r.EstimatedTokensAfter.V
	if r.Usage != nil {
		v.Usage, v.HasUsage = usage(*r.Usage), true
	}
}

// unknown reads what the skim knows and the dialect does not: auto_compaction_*, and the
// commands of later versions.
func (v *view) unknown(codec native.Codec, r *native.UnknownRecord) {
	if v.Kind.IsCommand() {
		v.ID, v.Command = r.Value.Get("id"), native.Some(r.Type())
	}
	if v.Kind != native.KindCompactionStart && v.Kind != native.KindCompactionEnd {
		return
	}
	as := make(native.Object, len(r.Value))
	for i, m := range r.Value {
		if m.Key == "type" {
			m.Value = native.String(v.Kind.String())
		}
		as[i] = m
	}
	rec, err := codec.Decode(native.AppendValue(nil, as))
	if err != nil {
		panic(err)
	}
	*v = viewOfRecord(codec, rec)
	v.AutoCompaction = true
}

func (v *view) response(r *native.Response) {
	v.ID, v.Command, v.Err = r.ID, r.Command, r.Error
	v.Success, v.HasSuccess = r.Success, has(r.Odd, "success")
	switch d := r.Data.(type) {
	case *native.PromptData:
		if has(d.Odd, "disposition") {
			v.Disposition = native.ParseDisposition(d.Disposition)
		}
	case *native.StateData:
		tri := func(key string, b bool) native.Tri {
			switch {
			case !has(d.Odd, key):
				return native.Unspecified
			case b:
				return native.Yes
			}
			return native.No
		}
		v.Streaming, v.Compacting = tri("isStreaming", d.IsStreaming), tri("isCompacting", d.IsCompacting)
		v.Pending = int(d.PendingMessageCount)
	case *native.CompactionResult:
		v.compaction(d)
	case *native.CancelledData:
		v.Cancelled = d.Cancelled
	case *native.BashData:
		v.Cancelled = d.Cancelled
	}
}

func (v *view) stamp(iso string) {
	v.EntryTimestamp, v.HasEntryTimestamp = native.ParseISO(iso)
}

func (v *view) entry(e native.EntryBase, odd *native.Odd) {
	v.ID = valueIf(odd, "id", e.ID)
	if has(odd, "parentId") {
		v.ParentID = native.Null{}
		if e.ParentID != "" {
			v.ParentID = native.String(e.ParentID)
		}
	}
	v.stamp(e.Timestamp)
}

func (v *view) otherEntry(o native.Object) {
	if id, ok := o.Get("id").(native.String); ok {
		v.ID = id
	}
	switch parent := o.Get("parentId").(type) {
	case native.Null:
		v.ParentID = parent
	case native.String:
		if parent != "" {
			v.ParentID = parent
		}
	}
	stamp, _ := o.Get("timestamp").(native.String)
	v.stamp(string(stamp))
}

// agree fails if the skim and the decoder read line differently. The skim reads what any
// dialect writes: a line that has keys of several is for the decoder of pi-1.6 alone.
func agree(t *testing.T, codec native.Codec, line []byte) {
	t.Helper()
	var s native.Skimmed
	s.Attempt, s.Error = 99, []byte("left over from the last line")
	native.Skim(line, &s)
	rec, err := codec.Decode(line)
	if err != nil {
		if diff := cmp.Diff(native.Skimmed{Kind: native.KindMalformed}, s); diff != "" {
			t.Fatalf("the decoder says %v, the skim (-want +got):\n%s\nof %q", err, diff, line)
		}
		return
	}
	got, want := viewOfSkim(t, s), viewOfRecord(codec, rec)
	if again, err := codec.Append(nil, rec); err != nil || !bytes.Equal(again, line) {
		// Not written as Pi writes: lengths between the quotes may differ.
		got.DeltaLen, got.TextLen, got.ThinkingLen = 0, 0, 0
		want.DeltaLen, want.TextLen, want.ThinkingLen = 0, 0, 0
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("decoder and skim differ (-decoder +skim):\n%s\nof %q", diff, line)
	}
}

// recordedLines returns the lines of testdata, of a dialect if codec is not nil: stdout,
// stdin and session files.
func recordedLines(t testing.TB, codec native.Codec) (lines [][]byte) {
	runs, err := recording.Find(testdata)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range runs {
		if codec != nil && codecFor(run.Meta.PiVersion) != codec {
			continue
		}
		events, err := run.Events()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Dir == recording.Out || e.Dir == recording.In {
				lines = append(lines, e.Line)
			}
		}
		lines = append(lines, sessionLines(t, run)...)
	}
	if len(lines) == 0 {
		t.Fatal("no recordings in testdata")
	}
	return lines
}

// eachDialect runs f as a subtest for every dialect.
func eachDialect(t *testing.T, f func(t *testing.T, codec native.Codec)) {
	for _, d := range dialects {
		t.Run(string(d.codec.Dialect()), func(t *testing.T) { f(t, d.codec) })
	}
}
