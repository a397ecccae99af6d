package mutants

import (
	"bytes"
	"fmt"

	"fakepi.example/fakepi/native"
)

// The edits of this file remember what came before on the stream.

// settledInRun takes every terminal event for the end, also the one inside an open run, whose rest it does not read.
func settledInRun() edit {
	open, over := false, false
	return func(line []byte, s *native.Skimmed) []byte {
		switch s.Kind {
		case native.KindAgentStart:
			open, over = true, false
		case native.KindAgentEnd:
			open = false
		case native.KindAgentSettled:
			if open {
				open, over = false, true
				return before(endRecord, line)
			}
		}
		if over {
			return nil
		}
		return line
	}
}

// deafened reads nothing more behind a malformed line, like a reader that has died of it.
func deafened() edit {
	deaf := false
	return func(line []byte, s *native.Skimmed) []byte {
		deaf = deaf || s.Kind == native.KindMalformed
		if deaf {
			return nil
		}
		return line
	}
}

// lateToolEnd does not see a tool end before the next message starts.
func lateToolEnd() edit {
	waiting := false
	return func(line []byte, s *native.Skimmed) []byte {
		switch s.Kind {
		case native.KindToolStart:
			waiting = true
		case native.KindToolEnd, native.KindTurnEnd, native.KindTurnStart:
			if waiting {
				return nil
			}
		case native.KindMessageStart, native.KindMessageEnd:
			if waiting && s.Role == native.RoleToolResult {
				return nil
			}
			waiting = false
		case native.KindMessageUpdate, native.KindAgentEnd, native.KindAgentStart:
			waiting = false
		}
		return line
	}
}

// oneCall takes parallel calls for one: the first, which ends when any of them does.
func oneCall() edit {
	first := ""
	return func(line []byte, s *native.Skimmed) []byte {
		switch s.Kind {
		case native.KindToolStart:
			if first != "" {
				return nil
			}
			first = string(s.ToolCallID)
		case native.KindToolUpdate, native.KindToolEnd:
			if first == "" {
				return nil
			}
			line = with(line, `"toolCallId":"`+first+`"`)
			if s.Kind == native.KindToolEnd {
				first = ""
			}
		}
		return line
	}
}

// freshPartials makes every accumulated partial result differ from the one before.
func freshPartials() edit {
	n := 0
	return func(line []byte, s *native.Skimmed) []byte {
		if s.Kind != native.KindToolUpdate {
			return line
		}
		n++
		return with(line, fmt.Sprintf(`"partialResult":{"content":[{"type":"text","text":"%d"}]}`, n))
	}
}

// endlessCompaction starts the compaction afresh at each marker.
func endlessCompaction() edit {
	compacting := false
	return func(line []byte, s *native.Skimmed) []byte {
		again := compacting && s.Kind == native.KindCompactionStart
		switch s.Kind {
		case native.KindCompactionStart:
			compacting = true
		case native.KindCompactionEnd, native.KindAgentStart:
			compacting = false
		}
		if again {
			return before(abortRecord, line)
		}
		return line
	}
}

// maxOpen bounds the open calls that runsOnly remembers; without it, it would have a second defect.
const maxOpen = 64

// runsOnly lets a result repeat only where the same call was made twice in a row, so that no cycle of two stands out.
func runsOnly() edit {
	calls := map[string]string{} // by id
	last, salt := "", 0
	return func(line []byte, s *native.Skimmed) []byte {
		switch s.Kind {
		case native.KindToolStart:
			if len(calls) == maxOpen {
				clear(calls)
			}
			calls[string(s.ToolCallID)] = string(s.ToolName) + string(s.Args)
		case native.KindToolEnd:
			call := calls[string(s.ToolCallID)]
			delete(calls, string(s.ToolCallID))
			if call != last {
				last = call
				salt++
			}
			return with(line, fmt.Sprintf(`"result":{"salt":%d,"was":%s}`, salt, orNull(s.Result)))
		}
		return line
	}
}

// hoard keeps every line.
func hoard() edit {
	var kept [][]byte
	return func(line []byte, _ *native.Skimmed) []byte {
		kept = append(kept, bytes.Clone(line))
		return line
	}
}

func orNull(value []byte) string {
	if len(value) == 0 {
		return "null"
	}
	return string(value)
}
