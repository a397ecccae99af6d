package native

import "time"

// entryMember reads the header and the entries of a session file.
func (k *skimmer) entryMember(key []byte) bool {
	s := k.s
	switch string(key) {
	case "id":
		return k.quoted(&s.ID)
	case "timestamp":
		return k.entryStamp()
	case "parentId":
		if s.Kind != KindHeader {
			return k.parentID()
		}
	case "message":
		if s.Kind == KindMessageEntry {
			return k.message()
		}
	case "provider":
		if s.Kind == KindModelChange {
			return k.text(&s.Provider)
		}
	case "modelId":
		if s.Kind == KindModelChange {
			return k.text(&s.Model)
		}
	case "tokensBefore":
		if s.Kind == KindCompactionEntry {
			return k.integer(&s.TokensBefore)
		}
	}
	return k.skip()
}

// parentID is a non-empty string or null.
func (k *skimmer) parentID() bool {
	start := k.i
	var text []byte
	isNull := k.at('n')
	ok := k.text(&text)
	k.s.ParentID = nil
	if isNull || len(text) > 0 {
		k.s.ParentID = k.b[start:k.i]
	}
	return ok
}

func (k *skimmer) entryStamp() bool {
	s := k.s
	var raw []byte
	ok := k.text(&raw)
	s.EntryTimestamp, s.HasEntryTimestamp = ParseISO(raw)
	return ok
}

// responseMember keeps the data for last: the command tells what it is.
func (k *skimmer) responseMember(key []byte) bool {
	s := k.s
	switch string(key) {
	case "id":
		return k.raw(&s.ID)
	case "command":
		return k.text(&s.Command)
	case "success":
		return k.flag(&s.Success, &s.HasSuccess)
	case "error":
		return k.text(&s.Error)
	case "data":
		return k.object(&k.data)
	}
	return k.skip()
}

func (k *skimmer) responseData() {
	inner := skimmer{scanner: scanner{b: k.data}, s: k.s}
	switch name := inner.word(k.s.Command); string(name) {
	case CmdPrompt, CmdSteer, CmdFollowUp:
		inner.members(inPromptData)
	case CmdGetState:
		inner.members(inStateData)
	case CmdNewSession, CmdSwitchSession, CmdFork, CmdClone, CmdBash:
		inner.members(inCancelledData)
	case CmdCompact:
		inner.compactionResult()
	}
}

func (k *skimmer) dataMember(in scope, key []byte) bool {
	s := k.s
	switch string(key) {
	case "disposition":
		if in == inPromptData {
			return k.disposition()
		}
	case "isStreaming":
		if in == inStateData {
			return k.tri(&s.Streaming)
		}
	case "isCompacting":
		if in == inStateData {
			return k.tri(&s.Compacting)
		}
	case "pendingMessageCount":
		if in == inStateData {
			return k.count(&s.Pending)
		}
	case "cancelled":
		if in == inCancelledData {
			return k.flag(&s.Cancelled, nil)
		}
	}
	return k.skip()
}

func (k *skimmer) disposition() bool {
	raw, name, ok := k.name()
	k.s.Disposition = DispositionNone
	if raw != nil {
		k.s.Disposition = ParseDisposition(name)
	}
	return ok
}

// ParseISO reads a time as [AppendISO] writes it, in epoch ms.
func ParseISO[S ~string | ~[]byte](text S) (ms int64, ok bool) {
	const shape = "dddd-dd-ddTdd:dd:dd.dddZ"
	if len(text) != len(shape) {
		return 0, false
	}
	for i := range len(shape) {
		if digit := text[i]-'0' < 10; digit != (shape[i] == 'd') || !digit && text[i] != shape[i] {
			return 0, false
		}
	}
	num := func(from, to int) (n int) {
		for _, c := range []byte(text[from:to]) {
			n = n*10 + int(c-'0')
		}
		return n
	}
	month, day := num(5, 7), num(8, 10)
	t := time.Date(num(0, 4), time.Month(month), day, num(11, 13), num(14, 16), num(17, 19), num(20, 23)*1e6, time.UTC)
	if t.Day() != day || int(t.Month()) != month || num(11, 13) > 23 || num(14, 16) > 59 || num(17, 19) > 59 {
		return 0, false
	}
	return t.UnixMilli(), true
}
