package mutants_test

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"fakepi.example/watchdog"
)

// event turns one event of a story into observations. Records are cut to the keys that matter.
func (s *story) event(worker, event string) ([]watchdog.Body, error) {
	word, rest, _ := strings.Cut(event, " ")
	args := options(rest)
	one := func(b watchdog.Body) ([]watchdog.Body, error) { return []watchdog.Body{b}, nil }
	switch word {
	case "spawn":
		s.generation[worker]++
		return one(spawn(rest, args))
	case "run":
		return s.run(worker), nil
	case "exit":
		code, err := strconv.Atoi(rest)
		return []watchdog.Body{watchdog.Exited{Code: code}}, err
	case "killed":
		return one(watchdog.Exited{Code: -1, Signal: "SIGKILL"})
	case "gap":
		s.offsets[worker+string(watchdog.StreamOut)] += 100
		return one(watchdog.Gap{Stream: watchdog.StreamOut, Missing: 100})
	case "truncated":
		s.offsets[worker+string(watchdog.StreamSession)] = 0
		return one(watchdog.File{Stream: watchdog.StreamSession, Change: watchdog.FileTruncated})
	case "closed":
		return one(watchdog.Closed{Stream: watchdog.Stream(rest)})
	case "task":
		t := watchdog.Task{ID: "t1", PullRequest: args["pull_request"] == "open"}
		if d, err := time.ParseDuration(args["heartbeat"]); err == nil {
			t.Heartbeat = s.now.Wall.Add(d)
		}
		return one(t)
	case "in":
		return one(s.bytes(worker, watchdog.StreamIn, record(rest)+"\n"))
	case "err":
		return one(s.bytes(worker, watchdog.StreamErr, rest))
	case "entry":
		return one(s.bytes(worker, watchdog.StreamSession, entry(rest)+"\n"))
	case "pty":
		data, err := strconv.Unquote(`"` + rest + `"`)
		return []watchdog.Body{s.bytes(worker, watchdog.StreamPTY, data)}, err
	case "raw":
		data, err := strconv.Unquote(`"` + rest + `"`)
		return []watchdog.Body{s.bytes(worker, watchdog.StreamOut, data)}, err
	}
	return one(s.bytes(worker, watchdog.StreamOut, record(event)+"\n"))
}

func spawn(rest string, args map[string]string) watchdog.Spawned {
	mode, _, _ := strings.Cut(rest, " ")
	b := watchdog.Spawned{
		Mode: watchdog.Mode(mode), Source: watchdog.SourceHeld, Parent: args["parent"] != "no", PID: 100, Start: 7,
		Credential: args["credential"],
	}
	if args["source"] != "" {
		b.Source = watchdog.Source(args["source"])
	}
	return b
}

// run is a prompt and the start of its run, up to where the first token is due.
func (s *story) run(worker string) []watchdog.Body {
	bodies := []watchdog.Body{s.bytes(worker, watchdog.StreamIn, record("prompt")+"\n")}
	for _, event := range []string{"response prompt started", "agent_start", "turn_start", "end user"} {
		bodies = append(bodies, s.bytes(worker, watchdog.StreamOut, record(event)+"\n"))
	}
	return bodies
}

func (s *story) bytes(worker string, stream watchdog.Stream, data string) watchdog.Bytes {
	key := worker + string(stream)
	b := watchdog.Bytes{Stream: stream, Offset: s.offsets[key], Data: []byte(data)}
	s.offsets[key] += int64(len(data))
	return b
}

func options(rest string) map[string]string {
	out := map[string]string{}
	for _, f := range strings.Fields(rest) {
		if k, v, ok := strings.Cut(f, "="); ok {
			out[k] = v
		}
	}
	return out
}

// record spells a record of stdout or stdin.
func record(event string) string {
	word, rest, _ := strings.Cut(event, " ")
	first, more, _ := strings.Cut(rest, " ")
	switch word {
	case "old_end":
		return `{"type":"agent_end","messages":[]}`
	case "old_delta":
		return `{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"x","partial":{}},"message":{"role":"assistant","stopReason":"stop"}}`
	case "agent_end":
		return fmt.Sprintf(`{"type":"agent_end","messages":[],"willRetry":%t}`, rest == "retry")
	case "start", "end":
		return fmt.Sprintf(`{"type":"message_%s","message":%s}`, word, message(first, more))
	case "delta":
		return fmt.Sprintf(`{"type":"message_update","usage":{},"assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"x%s"}}`, rest)
	case "long_delta":
		n, _ := strconv.Atoi(rest)
		return record("delta " + strings.Repeat("y", n))
	case "tool":
		return fmt.Sprintf(`{"type":"tool_execution_start","toolCallId":"%s","toolName":"bash","args":{"command":"%s"}}`, first, more)
	case "output":
		return fmt.Sprintf(`{"type":"tool_execution_update","toolCallId":"%s","toolName":"bash","args":{},"partialResult":{"content":[%s]}}`, first, text(more))
	case "tool_end":
		return fmt.Sprintf(`{"type":"tool_execution_end","toolCallId":"%s","toolName":"bash","result":{"content":[%s]},"isError":false}`, first, text(more))
	case "retry":
		return fmt.Sprintf(`{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":%s,"errorMessage":"429"}`, rest)
	case "compaction":
		return `{"type":"compaction_start","reason":"threshold"}`
	case "compacted":
		return `{"type":"compaction_end","reason":"threshold","result":{"summary":"s","tokensBefore":1000,"estimatedTokensAfter":1000},"aborted":false,"willRetry":true}`
	case "ask":
		return fmt.Sprintf(`{"type":"extension_ui_request","id":"d1","method":"%s","title":"%s","timeout":%s}`, first, or(options(more)["title"], "Branch"), or(options(more)["timeout"], "0"))
	case "prompt":
		return `{"id":"1","type":"prompt","message":"go"}`
	case "response":
		return fmt.Sprintf(`{"id":"1","type":"response","command":"%s","success":true,"data":{"disposition":"%s"}}`, first, more)
	}
	return fmt.Sprintf(`{"type":"%s"}`, word)
}

// text spells the content of a result, unescaped so that a story can hold any JSON text.
func text(s string) string {
	if s == "" {
		return ""
	}
	return fmt.Sprintf(`{"type":"text","text":"%s"}`, s)
}

// message spells a message: its role, then stop=REASON, text=no, calls=N, and as the last one error=TEXT.
func message(role, rest string) string {
	if role != "assistant" {
		return fmt.Sprintf(`{"role":"%s","content":[{"type":"text","text":"x"}],"timestamp":1}`, role)
	}
	o := options(rest)
	var content []string
	if o["text"] != "no" {
		content = append(content, text(or(o["text"], "hello")))
	}
	n, _ := strconv.Atoi(o["calls"])
	for i := range n {
		content = append(content, fmt.Sprintf(`{"type":"toolCall","id":"c%d","name":"bash","arguments":{}}`, i+1))
	}
	_, failure, _ := strings.Cut(rest, "error=")
	return fmt.Sprintf(`{"role":"assistant","content":[%s],"stopReason":"%s","timestamp":1,"errorMessage":"%s"}`,
		strings.Join(content, ","), or(o["stop"], "stop"), failure)
}

// entry spells an entry of a session file.
func entry(event string) string {
	_, rest, _ := strings.Cut(event, " ")
	role, more, _ := strings.Cut(rest, " ")
	return fmt.Sprintf(`{"type":"message","id":"a","parentId":"b","timestamp":"2026-03-01T12:00:00.000Z","message":%s}`, message(role, more))
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// answer tells the watchdog what it asked for, if the story says what that is.
func (s *story) answer(c *watchdog.Command) {
	answer, known := s.answers[c.What]
	if !known {
		return
	}
	if c.Kind == watchdog.CmdInspect {
		in := watchdog.Inspect{Key: c.Key, What: c.What, Stream: c.Stream, Offset: s.offsets[c.Worker+string(c.Stream)]}
		if c.What == watchdog.WhatWorld {
			in.Offset, in.World = -1, strings.Trim(answer, "-")
		}
		s.observe(c.Worker, []watchdog.Body{in})
		return
	}
	p := watchdog.Probe{Key: c.Key, What: c.What, Source: "proc", Result: watchdog.ProbeOK}
	switch answer {
	case "fail":
		p.Result = watchdog.ProbeFailed
	case "gone":
	case "state":
		p.State = &watchdog.RPCState{Streaming: true}
	case "resting":
		p.State = &watchdog.RPCState{}
	default:
		p.Processes = s.processes(answer)
	}
	s.observe(c.Worker, []watchdog.Body{p})
}

// processes spells a tree: the worker, and "busy" or "idle" for the process of a tool.
func (s *story) processes(answer string) []watchdog.Process {
	tree := []watchdog.Process{{PID: 100, Start: 7, Role: watchdog.RoleAgent, State: "S"}}
	switch answer {
	case "busy":
		return append(tree, watchdog.Process{PID: 200, Parent: 100, Role: watchdog.RoleShell, State: "R", CPU: s.now.Mono})
	case "idle":
		return append(tree, watchdog.Process{PID: 200, Parent: 100, Role: watchdog.RoleShell, State: "S"})
	}
	return tree
}
