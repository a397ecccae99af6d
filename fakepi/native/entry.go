package native

// SessionHeader is the first line of a session file and of json mode's stdout.
type SessionHeader struct {
	Version       int64
	ID            string
	Timestamp     string // ISO-8601 with ms and Z, see [AppendISO]
	CWD           string
	ParentSession Opt[string]
	Odd           *Odd
}

// Entry is a line of a session file after the header (docs/pi-formats.md, section 8).
type Entry interface {
	Record
	entry()
}

// EntryBase is what every entry has.
type EntryBase struct {
	ID        string // 8 lower-case hex digits, unique in its file
	ParentID  string // "" is null: the first entry
	Timestamp string // ISO-8601 with ms and Z, when it was appended
}

type (
	// ModelChange records the model.
	ModelChange struct {
		EntryBase
		Provider string
		ModelID  string
		Odd      *Odd
	}

	// ThinkingLevelChange records the thinking level.
	ThinkingLevelChange struct {
		EntryBase
		ThinkingLevel string
		Odd           *Odd
	}

	// MessageEntry records a finished message.
	MessageEntry struct {
		EntryBase
		Message Message
		Odd     *Odd
	}

	// CompactionEntry replaces what stands before its first kept entry.
	CompactionEntry struct {
		EntryBase
		Summary          string
		FirstKeptEntryID string
		TokensBefore     int64
		Details          Value
		Usage            *Usage // nil when absent
		FromHook         Opt[bool]
		SystemMessage    *SystemMessage // nil when absent
		Odd              *Odd
	}

	// ContextEdit drops a failed assistant message before a retry.
	ContextEdit struct {
		EntryBase
		TargetID    string
		Replacement Value // null
		Odd         *Odd
	}

	// SessionInfo names the session.
	SessionInfo struct {
		EntryBase
		Name string
		Odd  *Odd
	}

	// OtherEntry is an entry that Pi names but that was never recorded: custom,
	// custom_message, branch_summary, label, usage. Its fields are free.
	OtherEntry struct{ Value Object }

	// UnknownEntry is an entry of an unknown type, where an entry stands inside a record, or a value that is no object.
	UnknownEntry struct{ Value Value }
)

func (*SessionHeader) Type() string       { return "session" }
func (*ModelChange) Type() string         { return "model_change" }
func (*ThinkingLevelChange) Type() string { return "thinking_level_change" }
func (*MessageEntry) Type() string        { return "message" }
func (*CompactionEntry) Type() string     { return "compaction" }
func (*ContextEdit) Type() string         { return "context_edit" }
func (*SessionInfo) Type() string         { return "session_info" }

// Type returns the entry's "type".
func (e *OtherEntry) Type() string {
	name, _ := e.Value.Get("type").(String)
	return string(name)
}

// Type returns the entry's "type", or "".
func (e *UnknownEntry) Type() string {
	o, _ := e.Value.(Object)
	name, _ := o.Get("type").(String)
	return string(name)
}

func (*SessionHeader) record()       {}
func (*ModelChange) record()         {}
func (*ThinkingLevelChange) record() {}
func (*MessageEntry) record()        {}
func (*CompactionEntry) record()     {}
func (*ContextEdit) record()         {}
func (*SessionInfo) record()         {}
func (*OtherEntry) record()          {}
func (*UnknownEntry) record()        {}

func (*ModelChange) entry()         {}
func (*ThinkingLevelChange) entry() {}
func (*MessageEntry) entry()        {}
func (*CompactionEntry) entry()     {}
func (*ContextEdit) entry()         {}
func (*SessionInfo) entry()         {}
func (*OtherEntry) entry()          {}
func (*UnknownEntry) entry()        {}
