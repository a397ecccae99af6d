package native

func (k *skimmer) updateMember(key []byte) bool {
	switch string(key) {
	case "assistantMessageEvent":
		return k.assistantEvent()
	case "usage":
		return k.usage()
	case "message":
		k.s.Cumulative = true
	}
	return k.skip()
}

func (k *skimmer) assistantEvent() bool {
	s := k.s
	s.Delta, s.DeltaLen, s.ContentIndex, s.ToolCallID, s.ToolName = DeltaNone, 0, 0, nil, nil
	k.partial = false
	return k.members(inDelta)
}

func (k *skimmer) deltaMember(key []byte) bool {
	s := k.s
	switch string(key) {
	case "type":
		raw, name, ok := k.name()
		s.Delta = DeltaNone
		if raw != nil {
			s.Delta = ParseDelta(name)
		}
		return ok
	case "delta":
		return k.textLen(&s.DeltaLen)
	case "contentIndex":
		return k.count(&s.ContentIndex)
	case "id":
		return k.text(&s.ToolCallID)
	case "toolName":
		return k.text(&s.ToolName)
	case "partial":
		k.partial = true
	}
	return k.skip()
}

// zeroUsage is the usage of every update until the provider reports, on
// openai-completions with its last chunk.
const zeroUsage = `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,` +
	`"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`

func (k *skimmer) usage() bool {
	k.s.Usage = SkimmedUsage{}
	k.s.HasUsage = k.at('{')
	if k.take(zeroUsage) {
		return true
	}
	start := k.i
	if k.usualUsage() {
		return true
	}
	k.i = start
	return k.members(inUsage)
}

// usualUsage is the short way through a reported usage as Pi writes it. It may fail
// anywhere: the general way then begins again.
func (k *skimmer) usualUsage() bool {
	u := &k.s.Usage
	var reasoning int64
	return k.take(`{"input":`) && k.short(&u.Input) &&
		k.take(`,"output":`) && k.short(&u.Output) &&
		k.take(`,"cacheRead":`) && k.short(&u.CacheRead) &&
		k.take(`,"cacheWrite":`) && k.short(&u.CacheWrite) &&
		(!k.take(`,"reasoning":`) || k.short(&reasoning)) &&
		k.take(`,"totalTokens":`) && k.short(&u.Total) &&
		k.take(`,"cost":{`) &&
		k.take(`"input":`) && k.fraction() &&
		k.take(`,"output":`) && k.fraction() &&
		k.take(`,"cacheRead":`) && k.fraction() &&
		k.take(`,"cacheWrite":`) && k.fraction() &&
		k.take(`,"total":`) && k.float(&u.Cost) &&
		(k.take(`,"totalFrom`) && k.take(`Provider":false}}`) || k.take(`}}`))
}

func (k *skimmer) usageMember(key []byte) bool {
	u := &k.s.Usage
	switch string(key) {
	case "input":
		return k.integer(&u.Input)
	case "output":
		return k.integer(&u.Output)
	case "cacheRead":
		return k.integer(&u.CacheRead)
	case "cacheWrite":
		return k.integer(&u.CacheWrite)
	case "totalTokens":
		return k.integer(&u.Total)
	case "cost":
		u.Cost = 0
		return k.members(inCost)
	}
	return k.skip()
}

func (k *skimmer) costMember(key []byte) bool {
	if string(key) == "total" {
		return k.float(&k.s.Usage.Cost)
	}
	return k.skip()
}

// message reads a message of any role; keep then drops what its role does not have.
func (k *skimmer) message() bool {
	s := k.s
	k.keep(RoleNone)
	s.Role = RoleNone
	if k.at('{') {
		s.Role = RoleOther
	}
	ok := k.members(inMessage)
	k.keep(s.Role)
	return ok
}

func (k *skimmer) messageMember(key []byte) bool {
	s := k.s
	switch string(key) {
	case "role":
		return k.role()
	case "content":
		return k.content()
	case "usage":
		return k.usage()
	case "stopReason":
		return k.stopReason()
	case "timestamp":
		return k.integerIf(&s.Timestamp, &s.HasTimestamp)
	case "provider":
		return k.text(&s.Provider)
	case "model":
		return k.text(&s.Model)
	case "rawStopReason":
		return k.text(&s.Reason)
	case "errorMessage":
		return k.text(&s.Error)
	case "toolCallId":
		return k.text(&s.ToolCallID)
	case "toolName":
		return k.text(&s.ToolName)
	case "isError":
		return k.flag(&s.IsError, nil)
	}
	return k.skip()
}

// keep resets the message fields that a role does not have.
func (k *skimmer) keep(role Role) {
	s := k.s
	if role != RoleAssistant {
		s.Usage, s.HasUsage = SkimmedUsage{}, false
		s.Stop = StopNone
		s.Provider, s.Model, s.Reason, s.Error = nil, nil, nil, nil
	}
	if role != RoleToolResult {
		s.ToolCallID, s.ToolName, s.IsError = nil, nil, false
	}
	if role != RoleAssistant && role != RoleToolResult && role != RoleUser {
		s.Blocks, s.Calls, s.TextLen, s.ThinkingLen = 0, 0, 0, 0
	}
	if role == RoleNone || role == RoleOther {
		s.Timestamp, s.HasTimestamp = 0, false
	}
}

func (k *skimmer) role() bool {
	raw, name, ok := k.name()
	k.s.Role = RoleOther
	if raw != nil {
		k.s.Role = ParseRole(name)
	}
	return ok
}

func (k *skimmer) stopReason() bool {
	raw, name, ok := k.name()
	k.s.Stop = StopNone
	if raw != nil {
		k.s.Stop = ParseStopReason(name)
	}
	return ok
}

// block is the content block being read.
type block struct {
	kind           blockKind
	text, thinking int
}

type blockKind uint8

const (
	otherBlock blockKind = iota
	textBlock
	thinkingBlock
	toolCallBlock
)

// content counts the blocks of a message.
func (k *skimmer) content() bool {
	s := k.s
	s.Blocks, s.Calls, s.TextLen, s.ThinkingLen = 0, 0, 0, 0
	if !k.at('[') {
		return k.skip()
	}
	for more, ok := k.open(']'); ; more, ok = k.next(']') {
		if !ok || !more {
			return ok
		}
		k.block = block{}
		if !k.members(inBlock) {
			return false
		}
		s.Blocks++
		switch k.block.kind {
		case textBlock:
			s.TextLen += k.block.text
		case thinkingBlock:
			s.ThinkingLen += k.block.thinking
		case toolCallBlock:
			s.Calls++
		}
	}
}

func (k *skimmer) blockMember(key []byte) bool {
	switch string(key) {
	case "type":
		_, name, ok := k.name()
		k.block.kind = parseBlock(name)
		return ok
	case "text":
		return k.spokenLen(&k.block.text)
	case "thinking":
		return k.textLen(&k.block.thinking)
	}
	return k.skip()
}

func parseBlock(name []byte) blockKind {
	switch string(name) {
	case "text":
		return textBlock
	case "thinking":
		return thinkingBlock
	case "toolCall":
		return toolCallBlock
	}
	return otherBlock
}
