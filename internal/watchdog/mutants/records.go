package mutants

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"fakepi.example/fakepi/native"
)

// Records that an edit puts in.
const (
	endRecord     = `{"type":"agent_end","messages":[],"willRetry":false}`
	settledRecord = `{"type":"agent_settled","aborted":false}`
	askRecord     = `{"type":"extension_ui_request","id":"0","method":"confirm","title":"?","message":"?"}`
	// tokenRecord opens a message's text; like the updates of old dialects it says nothing of how runs end.
	tokenRecord = `{"type":"message_update","assistantMessageEvent":{"type":"text_start","contentIndex":0},"message":{"role":"assistant"}}`
	abortRecord = `{"type":"compaction_end","reason":"threshold","aborted":true,"willRetry":false}`
)

// with returns the record with one more member, which overrules one of the same name before it.
func with(line []byte, member string) []byte {
	open := bytes.TrimSuffix(bytes.TrimRight(line, " "), []byte("}"))
	return slices.Concat(open, []byte(","+member+"}"))
}

// before and after put a record next to a line.
func before(record string, line []byte) []byte { return slices.Concat([]byte(record+"\n"), line) }
func after(line []byte, record string) []byte  { return slices.Concat(line, []byte("\n"+record)) }

// drop leaves out records of some kinds.
func drop(kinds ...native.Kind) edit {
	return func(line []byte, s *native.Skimmed) []byte {
		if slices.Contains(kinds, s.Kind) {
			return nil
		}
		return line
	}
}

// on applies an edit to records of one kind.
func on(kind native.Kind, e edit) edit {
	return func(line []byte, s *native.Skimmed) []byte {
		if s.Kind != kind {
			return line
		}
		return e(line, s)
	}
}

// member overrules one member of the records of a kind.
func member(kind native.Kind, text string) edit {
	return on(kind, func(line []byte, _ *native.Skimmed) []byte { return with(line, text) })
}

// messageEnd spells the end of an assistant message.
func messageEnd(stop native.StopReason, text, failure string) []byte {
	return fmt.Appendf(nil, `{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":%q}],"stopReason":%q,"timestamp":0,"errorMessage":%q}}`,
		text, stop, failure)
}

// unicodeLines cuts lines where Unicode says that a line ends.
func unicodeLines(line []byte, _ *native.Skimmed) []byte {
	for _, r := range []rune{'\u2028', '\u2029'} {
		line = bytes.ReplaceAll(line, utf8.AppendRune(nil, r), []byte{'\n'})
	}
	return line
}

// scannerLine is the longest line that a bufio.Scanner reads unless it is told otherwise.
const scannerLine = 64 << 10

func shortLines(line []byte, _ *native.Skimmed) []byte {
	if len(line) >= scannerLine {
		return nil
	}
	return line
}

// blockingNotify makes a notification a dialog.
func blockingNotify(line []byte, s *native.Skimmed) []byte {
	if s.Method != native.MethodNotify {
		return line
	}
	return with(line, `"method":"confirm"`)
}

// noDialogs leaves out the requests that block.
func noDialogs(line []byte, s *native.Skimmed) []byte {
	if s.Kind == native.KindUIRequest && s.Method.Blocks() {
		return nil
	}
	return line
}

// asking is what looks like a request to somebody who reads words.
var asking = regexp.MustCompile(`(?i)\(y/n\)|\[y/n\]|waiting for|approv|permission|allow|\?"`)

// wordyDialogs puts a dialog behind what looks like a request and is none.
func wordyDialogs(line []byte, s *native.Skimmed) []byte {
	decoration := s.Kind == native.KindUIRequest && !s.Method.Blocks() || s.Kind == native.KindToolUpdate ||
		s.Kind == native.KindMessageEnd && s.Role == native.RoleAssistant
	if !decoration || !asking.Match(line) {
		return line
	}
	return after(line, askRecord)
}

// earlyToken puts a token behind the start of an assistant's message.
func earlyToken(line []byte, s *native.Skimmed) []byte {
	if s.Role != native.RoleAssistant {
		return line
	}
	return after(line, tokenRecord)
}

// cumulative makes every update one of a dialect before 0.84, which has no terminal event.
func cumulative(line []byte, s *native.Skimmed) []byte {
	if s.Cumulative {
		return line
	}
	return with(line, `"message":{"role":"assistant"}`)
}

// deltaAlone makes an update one of a dialect since 0.84.
func deltaAlone(line []byte, s *native.Skimmed) []byte {
	if !s.Cumulative {
		return line
	}
	return fmt.Appendf(nil, `{"type":"message_update","usage":{},"assistantMessageEvent":{"type":%q,"contentIndex":%d,"delta":"x"}}`,
		s.Delta, s.ContentIndex)
}

// stopsInStream ends a message with each of its updates.
func stopsInStream(line []byte, s *native.Skimmed) []byte {
	if !s.Cumulative {
		return line
	}
	return after(line, string(messageEnd(native.StopStop, "x", "")))
}

// finalEnds leaves out the ends of runs that nothing follows.
func finalEnds(line []byte, s *native.Skimmed) []byte {
	if s.Kind == native.KindAgentSettled || s.Kind == native.KindAgentEnd && !s.WillRetry {
		return nil
	}
	return line
}

// filledMessages gives an empty reply words.
func filledMessages(line []byte, s *native.Skimmed) []byte {
	if s.Role != native.RoleAssistant || s.Stop != native.StopStop || s.TextLen+s.Calls > 0 {
		return line
	}
	return messageEnd(s.Stop, "done", "")
}

// plainErrors takes from an error what makes it a quota.
func plainErrors(line []byte, s *native.Skimmed) []byte {
	text := strings.ToLower(string(s.Error))
	quota := strings.HasPrefix(text, "402") || strings.Contains(text, "quota") || strings.Contains(text, "limit") ||
		strings.Contains(text, "credit")
	if s.Role != native.RoleAssistant || s.Stop != native.StopError || !quota || strings.HasPrefix(text, "429") {
		return line
	}
	return messageEnd(s.Stop, "", "provider error")
}

// rawResults makes results differ wherever their bytes do, durations and temporary paths included.
func rawResults(line []byte, s *native.Skimmed) []byte {
	h := fnv.New64a()
	h.Write(s.Result)
	return with(line, fmt.Sprintf(`"result":{"digest":"#%x"}`, h.Sum64()))
}
