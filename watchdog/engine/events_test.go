package engine_test

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/watchdog"
)

// events lists what a word stands for.
func events(event string) []string {
	switch word, rest, _ := strings.Cut(event, " "); word {
	case "begins":
		spawn := []string{"spawn " + or(rest, "rpc")}
		if !strings.HasPrefix(spawn[0], "spawn json") {
			spawn = append(spawn, "in prompt", "response prompt started")
		}
		return append(spawn, "agent_start", "turn_start", "start user", "end user", "delta")
	case "settles":
		return []string{"end assistant", "turn_end", "agent_end", "agent_settled"}
	}
	return []string{event}
}

// body turns one event word of a dialogue into an observation. The records are cut to the keys that matter, in Pi's
// order; real recordings are played by the tests of package observe.
func (d *dialogue) body(worker, event string) (watchdog.Body, error) {
	kind, rest, _ := strings.Cut(event, " ")
	args := options(rest)
	switch kind {
	case "spawn":
		s := watchdog.Spawned{Mode: watchdog.Mode(firstWord(rest)), Source: watchdog.SourceHeld, Parent: true, PID: 100, Start: 7, Credential: args["credential"], Model: args["model"]}
		if d.durable != nil {
			id, n, _ := strings.Cut(worker, ".")
			s.Autonomous, s.Session, s.Worktree = args["autonomous"] != "no", or(args["session"], id+".jsonl"), or(args["worktree"], id)
			if s.Worktree == "none" {
				s.Worktree, s.Session = "", ""
			}
			if g, err := strconv.Atoi(n); err == nil {
				s.PID += g
			}
			for _, stream := range []watchdog.Stream{watchdog.StreamOut, watchdog.StreamIn, watchdog.StreamSession} {
				delete(d.offsets, id+string(stream))
			}
		}
		if args["start"] == "no" {
			s.Start = 0
		}
		if args["source"] == "followed" {
			s.Source = watchdog.SourceFollowed
		}
		s.Parent = args["parent"] != "no"
		return s, nil
	case "exit":
		code, err := strconv.Atoi(rest)
		return watchdog.Exited{Code: code}, err
	case "killed":
		code, err := strconv.Atoi(or(args["code"], "-1"))
		return watchdog.Exited{Code: code, Signal: firstWord(rest)}, err
	case "gap":
		return watchdog.Gap{Stream: watchdog.Stream(rest), Missing: -1}, nil
	case "closed":
		return watchdog.Closed{Stream: watchdog.Stream(rest)}, nil
	case "anew": // truncated, and written anew
		id, _, _ := strings.Cut(worker, ".")
		delete(d.offsets, id+rest)
		return watchdog.File{Stream: watchdog.Stream(rest), Change: watchdog.FileTruncated}, nil
	case "truncated":
		return watchdog.File{Stream: watchdog.Stream(rest), Change: watchdog.FileTruncated}, nil
	case "pull_request":
		return watchdog.Task{ID: "t1", PullRequest: rest == "open"}, nil
	case "worktree":
		return watchdog.Worktree{Head: rest, Dirty: strings.HasSuffix(rest, "+")}, nil
	case "outcome":
		key, more, _ := strings.Cut(rest, " ")
		return watchdog.Outcome{Key: key, Result: watchdog.Result(firstWord(more)), Digest: args["digest"], Reason: args["reason"], Token: args["token"]}, nil
	case "operator":
		return d.intent(worker, firstWord(rest), args)
	case "row":
		row := watchdog.Task{ID: "t1", Status: or(args["status"], "in_progress"), Lease: args["lease"]}
		if args["until"] != "" {
			span, err := time.ParseDuration(args["until"])
			if err != nil {
				return nil, err
			}
			row.LeaseUntil = d.now.Wall.Add(span)
		}
		if args["veto"] != "" {
			row.Vetoes = []string{args["veto"]}
		}
		return row, nil
	case "looked": // that nobody asked for
		return watchdog.Probe{What: watchdog.WhatProcesses, Source: "proc", Result: watchdog.ProbeOK}, nil
	case "stated":
		return watchdog.Probe{What: watchdog.WhatState, Source: "rpc", Result: watchdog.ProbeOK, State: &watchdog.RPCState{}}, nil
	case "inspected":
		return watchdog.Inspect{What: watchdog.WhatStream, Stream: watchdog.Stream(rest), Offset: d.offsets[worker+rest]}, nil
	case "facts":
		facts := d.facts(&watchdog.Command{}, watchdog.Inspect{What: watchdog.WhatWorld, World: rest})
		return facts[0], nil
	case "in":
		return d.bytes(worker, watchdog.StreamIn, record(rest)+"\n"), nil
	case "entry":
		return d.bytes(worker, watchdog.StreamSession, entry(rest)+"\n"), nil
	case "osc":
		return d.bytes(worker, watchdog.StreamPTY, "\x1b]7501;state="+rest+":app=pi\x1b\\"), nil
	case "spin":
		return d.bytes(worker, watchdog.StreamPTY, "\x1b[2K\u280b Working..."), nil
	case "raw":
		s, err := strconv.Unquote(rest)
		return d.bytes(worker, watchdog.StreamOut, s), err
	case "piece":
		stream, text, _ := strings.Cut(rest, " ")
		s, err := strconv.Unquote(text)
		return d.bytes(worker, watchdog.Stream(stream), s), err
	case "endless": // a line that is too long to be read, whatever it begins with
		stream, head, _ := strings.Cut(rest, " ")
		return d.bytes(worker, watchdog.Stream(stream), record(head)+strings.Repeat(" ", native.MaxLine)+"\n"), nil
	}
	return d.bytes(worker, watchdog.StreamOut, record(event)+"\n"), nil
}

func (d *dialogue) bytes(worker string, s watchdog.Stream, data string) watchdog.Body {
	id, _, _ := strings.Cut(worker, ".")
	key := id + string(s)
	at := d.offsets[key]
	d.offsets[key] += int64(len(data))
	return watchdog.Bytes{Stream: s, Offset: at, Data: []byte(data)}
}

// firstWord is the first word of a text.
func firstWord(text string) string {
	first, _, _ := strings.Cut(text, " ")
	return first
}

// intent is a word of the operator, which comes from outside of all workers or by others, now or a while ago.
func (d *dialogue) intent(worker, intent string, args map[string]string) (watchdog.Body, error) {
	o := watchdog.Operator{Intent: watchdog.Intent(intent)}
	if args["by"] == "" {
		o.Proof = outside()
		return o, nil
	}
	ago, err := time.ParseDuration(or(args["ago"], "0s"))
	o.Given = d.now.Wall.Add(-ago)
	switch args["by"] {
	case "outside":
		o.Caller = watchdog.CallerOutside
	case "worker":
		o.Caller = watchdog.CallerWorker
	case "key":
		o = o.Sign(ownerKey(1), worker)
	case "forger":
		o = o.Sign(ownerKey(2), worker)
	}
	return o, err
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

// record spells a stdout or stdin record.
func record(event string) string {
	word, rest, _ := strings.Cut(event, " ")
	first, more, _ := strings.Cut(rest, " ")
	o := options(rest)
	switch word {
	case "{":
		return event
	case "agent_end":
		if rest == "old" {
			return `{"type":"agent_end","messages":[]}`
		}
		return fmt.Sprintf(`{"type":"agent_end","messages":[],"willRetry":%t}`, rest == "retry")
	case "agent_settled":
		return fmt.Sprintf(`{"type":"agent_settled","aborted":%t}`, rest == "aborted")
	case "turn_end":
		return `{"type":"turn_end","message":{"role":"assistant"},"toolResults":[]}`
	case "start", "end":
		return fmt.Sprintf(`{"type":"message_%s","message":%s}`, word, message(first, more))
	case "delta":
		return `{"type":"message_update","usage":{},"assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"x"}}`
	case "old_delta":
		return `{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"x","partial":{}},"message":{"role":"assistant"}}`
	case "tool":
		return fmt.Sprintf(`{"type":"tool_execution_start","toolCallId":%q,"toolName":%q,"args":{%s}}`, first, or(o["name"], "bash"), toolArgs(o))
	case "output":
		content := ""
		if more != "" {
			content = fmt.Sprintf(`{"type":"text","text":%q}`, more)
		}
		return fmt.Sprintf(`{"type":"tool_execution_update","toolCallId":%q,"toolName":"bash","args":{},"partialResult":{"content":[%s]}}`, first, content)
	case "tool_end":
		return fmt.Sprintf(`{"type":"tool_execution_end","toolCallId":%q,"toolName":"bash","result":{"content":[{"type":"text","text":%q}],"structuredContent":{"wall_time_seconds":0.0%d}},"isError":false}`, first, more, len(more))
	case "retry":
		return fmt.Sprintf(`{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":%s,"errorMessage":"429"}`, rest)
	case "retry_end":
		return fmt.Sprintf(`{"type":"auto_retry_end","success":%t,"attempt":1}`, rest == "ok")
	case "compaction":
		return fmt.Sprintf(`{"type":"compaction_start","reason":%q}`, or(rest, "threshold"))
	case "compacted":
		return fmt.Sprintf(`{"type":"compaction_end","reason":"threshold","result":{"summary":"s","tokensBefore":%s,"estimatedTokensAfter":%s},"aborted":false,"willRetry":%t}`,
			or(o["before"], "1000"), or(o["after"], "100"), o["retry"] == "yes")
	case "ask":
		timeout := ""
		if o["timeout"] != "" {
			timeout = `,"timeout":` + o["timeout"]
		}
		return fmt.Sprintf(`{"type":"extension_ui_request","id":"d1","method":%q,"title":"Allow?"%s}`, first, timeout)
	case "answered":
		return `{"type":"extension_ui_response","id":"d1","value":"yes"}`
	case "prompt":
		return `{"id":"1","type":"prompt","message":"go"}`
	case "response":
		if more == "" {
			return fmt.Sprintf(`{"id":"1","type":"response","command":%q,"success":true}`, first)
		}
		return fmt.Sprintf(`{"id":"1","type":"response","command":%q,"success":true,"data":{"disposition":%q}}`, first, more)
	}
	return fmt.Sprintf(`{"type":%q}`, word)
}

func toolArgs(o map[string]string) string {
	args := `"command":"` + or(o["cmd"], "make") + `"`
	if o["timeout"] != "" {
		args += `,"timeout":` + o["timeout"]
	}
	return args
}

// message spells a message: role, then stop=, text=, calls=, error=.
func message(role, rest string) string {
	if role != "assistant" {
		return fmt.Sprintf(`{"role":%q,"content":[{"type":"text","text":"x"}],"timestamp":1}`, role)
	}
	o := options(rest)
	var content []string
	if o["text"] != "no" {
		content = append(content, `{"type":"text","text":"hello"}`)
	}
	n, _ := strconv.Atoi(o["calls"])
	for i := range n {
		content = append(content, fmt.Sprintf(`{"type":"toolCall","id":"c%d","name":"bash","arguments":{}}`, i+1))
	}
	failure := ""
	if _, text, ok := strings.Cut(rest, "error="); ok {
		failure = fmt.Sprintf(`,"errorMessage":%q`, text)
		content = nil
	}
	usage := ""
	if o["tokens"] != "" || o["cost"] != "" {
		usage = fmt.Sprintf(`,"usage":{"totalTokens":%s,"cost":{"total":%s}}`, or(o["tokens"], "0"), or(o["cost"], "0"))
	}
	return fmt.Sprintf(`{"role":"assistant","content":[%s],"model":%q%s,"stopReason":%q,"timestamp":1%s}`,
		strings.Join(content, ","), or(o["model"], "demo-1"), usage, or(o["stop"], "stop"), failure)
}

// entry spells a session entry.
func entry(event string) string {
	word, rest, _ := strings.Cut(event, " ")
	first, more, _ := strings.Cut(rest, " ")
	if word == "message" {
		parent := strconv.Quote(or(options(rest)["parent"], "b"))
		if parent == `"null"` {
			parent = "null"
		}
		return fmt.Sprintf(`{"type":"message","id":"a","parentId":%s,"timestamp":"2026-03-01T12:00:00.000Z","message":%s}`, parent, message(first, more))
	}
	return fmt.Sprintf(`{"type":%q,"id":"a","parentId":"b","timestamp":"2026-03-01T12:00:00.000Z"}`, word)
}
