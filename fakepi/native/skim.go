package native

import (
	"bytes"
	"time"
)

// Skim reads from a line (without its LF) what a watchdog needs. It validates the whole
// line, agrees with the decoder on every field, keeps nothing but parts of the line in s
// and allocates nothing (unless a number is beyond all doubles). s is overwritten.
func Skim(line []byte, s *Skimmed) {
	for kind := peekKind(line); ; {
		*s = Skimmed{Kind: kind}
		k := skimmer{scanner: scanner{b: line}, s: s}
		if !k.record() {
			*s = Skimmed{Kind: KindMalformed}
			return
		}
		// What a key means depends on the type. If that came late, or twice, the guess was
		// wrong and the line is read again.
		if k.kind == kind {
			return
		}
		kind = k.kind
	}
}

// skimmer reads one line into s, whose Kind is already set.
type skimmer struct {
	scanner
	s       *Skimmed
	kind    Kind   // by the last "type" in the line
	data    []byte // of a response
	partial bool   // assistantMessageEvent has "partial"
	block   block
	names   [128]byte // room to unescape a key or word; the longest key fully escaped is 126
}

// scope names the object whose members are being read.
type scope uint8

const (
	inRecord scope = iota
	inToolArgs
	inCompaction
	inDelta
	inUsage
	inCost
	inMessage
	inBlock
	inPromptData
	inStateData
	inCancelledData
)

// peekKind guesses the kind from the two forms that Pi and its clients write.
func peekKind(line []byte) Kind {
	const head, mid = `{"type":"`, `,"type":"`
	rest, ok := bytes.CutPrefix(line, []byte(head))
	if !ok {
		window := line[:min(len(line), 96)]
		i := bytes.Index(window, []byte(mid))
		if i < 0 {
			return KindUnknown
		}
		rest = line[i+len(mid):]
	}
	end := bytes.IndexByte(rest, '"')
	if end < 0 {
		return KindUnknown
	}
	return KindOf(rest[:end])
}

func (k *skimmer) record() bool {
	k.space()
	if !k.at('{') || !k.members(inRecord) {
		return false
	}
	k.space()
	if k.i < len(k.b) {
		return false
	}
	k.finish()
	return true
}

// member reads the value of a key of an object.
func (k *skimmer) member(in scope, key []byte) bool {
	switch in {
	case inRecord:
		if string(key) == "type" {
			return k.typeName()
		}
		return k.recordMember(key)
	case inUsage:
		return k.usageMember(key)
	case inCost:
		return k.costMember(key)
	case inDelta:
		return k.deltaMember(key)
	case inMessage:
		return k.messageMember(key)
	case inBlock:
		return k.blockMember(key)
	case inToolArgs:
		return k.toolArgsMember(key)
	case inCompaction:
		return k.compactionResultMember(key)
	default:
		return k.dataMember(in, key)
	}
}

// typeName reads the value of "type".
func (k *skimmer) typeName() bool {
	raw, name, ok := k.name()
	k.kind = KindOf(name)
	k.s.AutoCompaction = bytes.HasPrefix(name, []byte("auto_compaction_")) && k.kind != KindUnknown
	if k.s.Kind.IsCommand() {
		k.s.Command = raw
	}
	return ok
}

// recordMember reads what a key means for the record's kind.
func (k *skimmer) recordMember(key []byte) bool {
	switch s := k.s; s.Kind {
	case KindMessageUpdate:
		return k.updateMember(key)
	case KindMessageStart, KindMessageEnd, KindTurnEnd:
		if string(key) == "message" {
			return k.message()
		}
	case KindToolStart, KindToolUpdate, KindToolEnd:
		return k.toolMember(key)
	case KindAgentEnd, KindAgentSettled, KindRetryEnd, KindExtensionError, KindBashUpdate:
		return k.eventMember(key)
	case KindRetryStart, KindSummarizationRetry:
		return k.retryMember(key)
	case KindCompactionStart, KindCompactionEnd:
		return k.compactionMember(key)
	case KindResponse:
		return k.responseMember(key)
	case KindUIRequest, KindUIResponse:
		return k.uiMember(key)
	default:
		if s.Kind == KindHeader || s.Kind.IsEntry() {
			return k.entryMember(key)
		}
		if s.Kind.IsCommand() && string(key) == "id" {
			return k.raw(&s.ID)
		}
	}
	return k.skip()
}

// finish settles what needs the whole record.
func (k *skimmer) finish() {
	s := k.s
	if s.HasEntryTimestamp && !s.HasTimestamp {
		s.Timestamp, s.HasTimestamp = s.EntryTimestamp, true
	}
	s.Cumulative = s.Cumulative || k.partial
	if k.data != nil {
		k.responseData()
	}
}

func (k *skimmer) toolMember(key []byte) bool {
	s := k.s
	switch string(key) {
	case "toolCallId":
		return k.text(&s.ToolCallID)
	case "toolName":
		return k.text(&s.ToolName)
	case "args":
		if s.Kind == KindToolStart {
			return k.toolArgs()
		}
		if s.Kind == KindToolUpdate {
			return k.raw(&s.Args)
		}
	case "partialResult":
		if s.Kind == KindToolUpdate {
			return k.object(&s.Partial)
		}
	case "result":
		if s.Kind == KindToolEnd {
			return k.object(&s.Result)
		}
	case "isError":
		if s.Kind == KindToolEnd {
			return k.flag(&s.IsError, nil)
		}
	}
	return k.skip()
}

// toolArgs keeps the arguments and reads the tool's own timeout, in seconds.
func (k *skimmer) toolArgs() bool {
	start := k.i
	k.s.Timeout, k.s.HasTimeout = 0, false
	ok := k.members(inToolArgs)
	k.s.Args = k.b[start:k.i]
	return ok
}

func (k *skimmer) toolArgsMember(key []byte) bool {
	if string(key) == "timeout" {
		return k.duration(&k.s.Timeout, &k.s.HasTimeout, time.Second)
	}
	return k.skip()
}

func (k *skimmer) eventMember(key []byte) bool {
	s := k.s
	switch s.Kind {
	case KindAgentEnd:
		if string(key) == "willRetry" {
			return k.flag(&s.WillRetry, &s.HasWillRetry)
		}
	case KindAgentSettled:
		if string(key) == "aborted" {
			return k.flag(&s.Aborted, nil)
		}
	case KindExtensionError:
		if string(key) == "error" {
			return k.text(&s.Error)
		}
	case KindRetryEnd:
		switch string(key) {
		case "success":
			return k.flag(&s.Success, &s.HasSuccess)
		case "attempt":
			return k.count(&s.Attempt)
		case "finalError":
			return k.text(&s.Error)
		}
	case KindBashUpdate:
		switch string(key) {
		case "id":
			return k.raw(&s.ID)
		case "delta":
			return k.textLen(&s.DeltaLen)
		}
	}
	return k.skip()
}

// retryMember reads auto_retry_start and summarization_retry_*.
func (k *skimmer) retryMember(key []byte) bool {
	s := k.s
	switch string(key) {
	case "attempt":
		return k.count(&s.Attempt)
	case "maxAttempts":
		return k.count(&s.MaxAttempts)
	case "delayMs":
		return k.duration(&s.Delay, &s.HasDelay, time.Millisecond)
	case "errorMessage":
		return k.text(&s.Error)
	case "reason":
		if s.Kind == KindSummarizationRetry {
			return k.text(&s.Reason)
		}
	}
	return k.skip()
}

func (k *skimmer) compactionMember(key []byte) bool {
	s := k.s
	if string(key) == "reason" {
		return k.text(&s.Reason)
	}
	if s.Kind == KindCompactionStart {
		return k.skip()
	}
	switch string(key) {
	case "aborted":
		return k.flag(&s.Aborted, nil)
	case "willRetry":
		return k.flag(&s.WillRetry, &s.HasWillRetry)
	case "errorMessage":
		return k.text(&s.Error)
	case "result":
		return k.compactionResult()
	}
	return k.skip()
}

func (k *skimmer) compactionResult() bool {
	s := k.s
	s.TokensBefore, s.TokensAfter = 0, 0
	s.Usage, s.HasUsage = SkimmedUsage{}, false
	return k.members(inCompaction)
}

func (k *skimmer) compactionResultMember(key []byte) bool {
	switch string(key) {
	case "tokensBefore":
		return k.integer(&k.s.TokensBefore)
	case "estimatedTokensAfter":
		return k.integer(&k.s.TokensAfter)
	case "usage":
		return k.usage()
	}
	return k.skip()
}

func (k *skimmer) uiMember(key []byte) bool {
	s := k.s
	request := s.Kind == KindUIRequest
	switch string(key) {
	case "id":
		return k.raw(&s.ID)
	case "method":
		if request {
			return k.method()
		}
	case "title":
		if request {
			return k.text(&s.Text)
		}
	case "timeout":
		if request {
			return k.duration(&s.Timeout, &s.HasTimeout, time.Millisecond)
		}
	case "cancelled":
		if !request {
			return k.flag(&s.Cancelled, nil)
		}
	}
	return k.skip()
}

func (k *skimmer) method() bool {
	raw, name, ok := k.name()
	k.s.Method = MethodNone
	if raw != nil {
		k.s.Method = ParseMethod(name)
	}
	return ok
}
