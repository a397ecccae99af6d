package watchdog_test

import (
	"time"

	"fakepi.example/watchdog"
)

var (
	civil = time.Date(2026, 3, 29, 1, 59, 59, 123456789, time.UTC)

	instant = watchdog.Instant{
		Mono: 90*time.Second + 500*time.Microsecond, Boot: 2*time.Hour + time.Nanosecond, Wall: civil, BootID: "b1",
	}
	cause = watchdog.Cause{Name: watchdog.VerdictStalledTool, Phase: watchdog.VerdictRunningTool, Limit: watchdog.LimitTool}
)

// bodies returns one observation body of each kind in which every field has a value, under the name of its golden
// file; bytes has two, one for each form of its data.
func bodies() map[string]watchdog.Body {
	return map[string]watchdog.Body{
		"bytes":        watchdog.Bytes{Stream: watchdog.StreamOut, Offset: 4096, Data: []byte("<é\u2028>\x00\"\n")},
		"bytes-binary": watchdog.Bytes{Stream: watchdog.StreamPTY, Offset: 1, Data: []byte{0xff, 0xfe, 'x'}},
		"closed":       watchdog.Closed{Stream: watchdog.StreamErr},
		"file":         watchdog.File{Stream: watchdog.StreamSession, Change: watchdog.FileReplaced},
		"gap":          watchdog.Gap{Stream: watchdog.StreamIn, Missing: -1},
		"spawned": watchdog.Spawned{
			Agent: "pi", Version: "1.6.0", Mode: watchdog.ModeRPC, Source: watchdog.SourceFollowed, Parent: true, Task: "t-1", Model: "slow-1", PID: 41,
			Start: 123456, Session: "s.jsonl", Worktree: "wt/1", Credential: "main", Autonomous: true,
		},
		"exited":  watchdog.Exited{Code: -1, Signal: "SIGKILL"},
		"outcome": watchdog.Outcome{Key: "k1", Result: watchdog.ResultRefused, Reason: "generation is 2", Digest: "d1", Token: "f1"},
		"probe": watchdog.Probe{
			Key: "k2", What: watchdog.WhatProcesses, Source: "proc", Result: watchdog.ProbeOK, Text: "2 processes",
			State:     &watchdog.RPCState{Streaming: true, Compacting: true, Pending: 2},
			Processes: []watchdog.Process{process()}, Generation: 3,
		},
		"inspect": watchdog.Inspect{Key: "k3", What: watchdog.WhatStream, Stream: watchdog.StreamOut, Offset: 12, World: "w1"},
		"worktree": watchdog.Worktree{
			Missing: true, Dirty: true, Ahead: 2, Head: "h1", Remote: "h0", Intended: "h2", Midway: true, Digest: "d2",
			Gates: []watchdog.Gate{{Name: "tests", Status: watchdog.GatePassed, By: "ci", Head: "h1"}},
		},
		"task": watchdog.Task{
			ID: "t-1", Status: "in_progress", Assignee: "w1", Lease: "l1", LeaseUntil: civil, Heartbeat: civil,
			PullRequest: true, Gates: []string{"tests"}, Vetoes: []string{"blocked"},
		},
		"owner":    watchdog.Owner{Item: "i1", Approve: true, Digest: "d3", NotAfter: civil, Proof: watchdog.Proof{Given: civil, Caller: watchdog.CallerWorker, Signature: "sig"}},
		"operator": watchdog.Operator{Intent: watchdog.IntentPause, Proof: watchdog.Proof{Given: civil, Caller: watchdog.CallerOutside, Signature: "sig"}},
		"link":     watchdog.Link{Up: true},
	}
}

func process() watchdog.Process {
	return watchdog.Process{
		PID: 42, Parent: 41, Start: 123499, CPU: 1250 * time.Microsecond, IO: 77, State: "S", Role: watchdog.RoleTool,
		ToolCall: "call_1", HoldsPipe: true, ReadsTTY: true,
	}
}

func observation(body watchdog.Body) watchdog.Observation {
	return watchdog.Observation{N: 7, At: instant, Worker: "w1", Generation: 2, Body: body}
}

func command() watchdog.Command {
	return watchdog.Command{
		Key: "k4", Kind: watchdog.CmdStopTool, Worker: "w1", Generation: 2, Cause: cause, Evidence: []int{5, 7},
		Text: "the tool is over its limit", What: watchdog.WhatStream, Stream: watchdog.StreamOut, ToolCall: "call_1",
		Input: []byte("y\n"), Item: "i1", Act: watchdog.CmdAbort, Session: "s.jsonl", Snapshot: "d5", Token: "f1",
		Target: &watchdog.Target{PID: 42, Start: 123499}, IfGen: 2, IfDigest: "d4", NotAfter: civil,
	}
}

func verdict() watchdog.Verdict {
	return watchdog.Verdict{
		Worker: "w1", Generation: 2, Name: watchdog.VerdictStalledTool, Status: watchdog.StatusConfirmed, Since: 90 * time.Second,
		Cause:    cause,
		Evidence: []watchdog.Evidence{{N: 5, Age: 1500 * time.Microsecond, Generation: 2}},
		Vetoes:   []string{"pull_request"}, Next: 2 * time.Minute, Flags: []watchdog.Flag{watchdog.FlagExited},
		Detail: watchdog.Detail{
			Calls: []string{"call_1"}, Holder: 43, Terminal: 44, Until: civil, Credential: "main", Dialog: "q1",
			Reason: "empty", DeadChain: true, StopReason: "stop",
		},
	}
}

func policy() watchdog.Policy {
	p := watchdog.DefaultPolicy()
	p.FirstToken, p.StreamGap, p.CostUSD, p.Tokens = 90*time.Second, 2*time.Minute, 12.5, 1_000_000
	p.Overrides = []watchdog.Override{
		{Model: "slow-1", Set: map[string]string{"first_token": "10m0s", "confirmations": "3"}},
		{Worker: "w1", Tool: "bash", Set: map[string]string{
			"tool": "4h0m0s", "backoff_factor": "1.5", "effects.stop_turn": "auto", "dirty": "commit_wip",
		}},
	}
	return p
}

func boot() watchdog.Boot {
	return watchdog.Boot{
		Policy: policy(), Incarnation: 2, Now: instant,
		Roster:  []watchdog.Worker{{ID: "w1", Generation: 2, Task: "t-1"}},
		Spawner: watchdog.SpawnerFenced, OwnerKey: []byte("key"), Poll: time.Second,
	}
}

func decision() watchdog.Decision {
	return watchdog.Decision{
		Commands: []watchdog.Command{command()}, Verdicts: []watchdog.Verdict{verdict()}, Wake: 91 * time.Second, Ack: 7,
	}
}
