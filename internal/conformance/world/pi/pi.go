// Package pi lets workers of package fakepi live in a world.
package pi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/internal/conformance/world"
	"fakepi.example/internal/fakepi/native/pi16"
	"fakepi.example/watchdog"
)

// Agents are those of a world that has no other kind: workers of a dialect, where the scenario names no version.
func Agents(d native.Dialect) map[string]world.Agent {
	return map[string]world.Agent{watchdog.DefaultAgent: agent{d}}
}

// agent makes workers of a dialect.
type agent struct{ dialect native.Dialect }

// Start implements world.Agent.
func (a agent) Start(p world.Part) (world.Process, error) {
	dialect, err := a.dialectOf(p.Spawn)
	if err != nil {
		return nil, err
	}
	w, err := fakepi.New(fakepi.Config{
		Steps: p.Steps, Files: p.Files, Dialect: dialect, Epoch: p.Epoch, Seed: p.Seed, CWD: p.CWD, PID: p.PID, OtherClients: p.Others,
	})
	if err != nil {
		return nil, err
	}
	return &process{worker: w, mode: p.Spawn.Mode, quiet: dialect == native.Pi073}, nil
}

// dialectOf is the dialect of the version that a spawn names: "1.6", "1.6.2".
func (a agent) dialectOf(s script.Spawn) (native.Dialect, error) {
	if s.Version == "" {
		return a.dialect, nil
	}
	for _, d := range []native.Dialect{native.Pi073, native.Pi16} {
		line := strings.TrimPrefix(string(d), "pi-")
		if s.Version == line || strings.HasPrefix(s.Version, line+".") {
			return d, nil
		}
	}
	return "", fmt.Errorf("no fake worker plays version %q of Pi; 0.73 and 1.6 are known", s.Version)
}

// process is a fake worker.
type process struct {
	worker *fakepi.Worker
	mode   script.Mode
	quiet  bool // nothing follows the end of its last run
	out    []fakepi.Output
}

// Next implements world.Process.
func (p *process) Next() (time.Duration, bool) { return p.worker.Next() }

// Step implements world.Process.
func (p *process) Step(now time.Duration, out []world.Output) []world.Output {
	p.out = p.worker.Step(now, p.out[:0])
	return p.take(out)
}

// Send implements world.Process.
func (p *process) Send(now time.Duration, lines []byte, out []world.Output) []world.Output {
	p.out = p.worker.Send(now, lines, p.out[:0])
	return p.take(out)
}

// Signal implements world.Process.
func (p *process) Signal(now time.Duration, pid int, signal string, out []world.Output) []world.Output {
	p.out = p.worker.SignalProcess(now, pid, signal, p.out[:0])
	return p.take(out)
}

// Clone implements world.Process.
func (p *process) Clone() world.Process {
	return &process{worker: p.worker.Clone(), mode: p.mode, quiet: p.quiet}
}

// take hands on what the worker has written.
func (p *process) take(out []world.Output) []world.Output {
	for i := range p.out {
		o := &p.out[i]
		if o.Effect != nil {
			continue
		}
		next := world.Output{Stream: watchdog.Stream(o.Stream), Data: o.Data, Closed: o.Closed, Progress: o.Progress}
		if o.Exit != nil {
			next.Exit = &watchdog.Exited{Code: o.Exit.Code, Signal: o.Exit.Signal}
		}
		p.describe(o, &next.Record)
		out = append(out, next)
	}
	return out
}

// Truth implements world.Process.
func (p *process) Truth(now time.Duration) trace.Truth {
	t := p.worker.Truth(now)
	return trace.Truth{
		Phase: watchdog.VerdictName(t.Phase), Since: t.Since, LastProgress: t.LastProgress, Until: t.DeclaredUntil, Stuck: t.Stuck,
		Calls: t.Calls, Slowest: t.Slowest, Dialog: t.Dialog, Exited: t.Exited, Proven: t.Proven, QuietEnd: p.quiet,
	}
}

// Processes implements world.Process.
func (p *process) Processes(now time.Duration, all []watchdog.Process) []watchdog.Process {
	tree := p.worker.Processes(now)
	if all == nil {
		all = make([]watchdog.Process, 0, len(tree))
	}
	for _, q := range tree {
		all = append(all, watchdog.Process{
			PID: q.PID, Parent: q.Parent, Start: q.Start, CPU: q.CPU, IO: q.IO, State: q.State,
			Role: watchdog.Role(q.Role), ToolCall: q.ToolCall, HoldsPipe: q.HoldsPipe, ReadsTTY: q.ReadsTTY,
		})
	}
	return all
}

// Changes implements world.Process.
func (p *process) Changes() (writes, commits, pushed int) { return p.worker.Changes() }

// State implements world.Process.
func (p *process) State(now time.Duration) watchdog.RPCState {
	streaming, compacting, pending := p.worker.State(now)
	return watchdog.RPCState{Streaming: streaming, Compacting: compacting, Pending: pending}
}

// request is a line of a client of Pi.
type request struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Message string `json:"message,omitempty"`
}

func (r request) line() []byte {
	line, err := json.Marshal(r)
	if err != nil {
		panic(err) // three strings
	}
	return append(line, '\n')
}

// Ask implements world.Process.
func (p *process) Ask(key string) []byte { return request{ID: key, Type: "get_state"}.line() }

// Line implements world.Process.
func (p *process) Line(c *watchdog.Command) []byte {
	switch c.Kind {
	case watchdog.CmdAbort:
		return request{ID: c.Key, Type: "abort"}.line()
	case watchdog.CmdSteer:
		return request{ID: c.Key, Type: "steer", Message: string(c.Input)}.line()
	}
	return append(bytes.TrimSuffix(c.Input, []byte("\n")), '\n')
}

// Answer implements world.Process.
func (p *process) Answer(value string, cancel bool) []byte { return p.worker.Answer(value, cancel) }

// stateSequence begins what a terminal is told of the state of its program.
const stateSequence = "\x1b]7501;"

// describe says what an output means.
func (p *process) describe(o *fakepi.Output, r *trace.Record) {
	switch o.Stream {
	case fakepi.PTY:
		r.Tells = bytes.Contains(o.Data, []byte(stateSequence))
	case fakepi.Session:
		r.Tells = len(o.Data) > 0
		if e, ok := recordOf(o).(*native.MessageEntry); ok {
			r.Kind, r.Parent = trace.RecordEntry, e.ParentID
		}
	case fakepi.Out:
		if record := recordOf(o); record != nil {
			describeRecord(record, r)
		}
	}
}

// recordOf is the record that an output holds, or nil. A scenario may write one byte by byte.
func recordOf(o *fakepi.Output) native.Record {
	if o.Record != nil || len(o.Data) == 0 || o.Data[0] != '{' {
		return o.Record
	}
	line, _, _ := bytes.Cut(o.Data, []byte("\n"))
	record, err := pi16.Decode(line)
	if err != nil {
		return nil
	}
	return record
}

// describeRecord says what a record on stdout means.
func describeRecord(record native.Record, r *trace.Record) {
	switch e := record.(type) {
	case *native.AgentStart:
		r.Kind, r.Tells = trace.RecordRun, true
	case *native.TurnStart, *native.MessageUpdate, *native.TurnEnd, *native.AgentEnd, *native.AgentSettled:
		r.Tells = true
	case *native.MessageEnd:
		r.Tells = true
		switch m := e.Message.(type) {
		case *native.UserMessage:
			r.Kind = trace.RecordPerson
		case *native.AssistantMessage:
			r.Stop = m.StopReason
			if m.StopReason != "error" && m.StopReason != "aborted" {
				r.Kind = trace.RecordReply
			}
		case *native.ToolResultMessage:
			r.Kind, r.Call = trace.RecordSaved, m.ToolCallID
		}
	case *native.UIRequest:
		r.Kind = trace.RecordAnswer
	case *native.Response:
		r.Kind = trace.RecordAnswer
		if e.Success && e.Data == nil && e.Command == native.Some("prompt") {
			r.Kind = trace.RecordTaken
		}
	case *native.RetryStart:
		r.Kind = trace.RecordRetry
	case *native.CompactionEnd:
		if e.Aborted {
			break
		}
		r.Kind, r.After = trace.RecordCompacted, -1
		if e.Result != nil && e.Result.EstimatedTokensAfter.Set {
			r.Before, r.After = int64(e.Result.TokensBefore), int64(e.Result.EstimatedTokensAfter.V)
		}
	default:
		describeCall(record, r)
	}
}

// describeCall says what a record of a tool call means.
func describeCall(record native.Record, r *trace.Record) {
	switch e := record.(type) {
	case *native.ToolStart:
		r.Kind, r.Call, r.Tool = trace.RecordCall, e.ToolCallID, e.ToolName
		r.Shell = e.ToolName == "bash"
		r.Key = text(&native.ToolStart{ToolName: e.ToolName, Args: e.Args})
	case *native.ToolUpdate:
		r.Kind, r.Call = trace.RecordOutput, e.ToolCallID
	case *native.ToolEnd:
		r.Kind, r.Call = trace.RecordCallEnd, e.ToolCallID
		r.Result = text(&native.ToolEnd{ToolName: e.ToolName, Result: e.Result, IsError: e.IsError})
	}
}

// text is a record in the words of one dialect, so that two can be compared.
func text(r native.Record) string {
	line, err := pi16.Append(nil, r)
	if err != nil {
		return fmt.Sprintf("%+v", r) // an older dialect had something else there
	}
	return string(line)
}
