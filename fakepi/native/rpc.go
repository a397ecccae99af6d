package native

// The names of the RPC commands (docs/pi-formats.md, section 6).
const (
	CmdPrompt               = "prompt"
	CmdSteer                = "steer"
	CmdFollowUp             = "follow_up"
	CmdAbort                = "abort"
	CmdGetState             = "get_state"
	CmdGetMessages          = "get_messages"
	CmdGetSessionStats      = "get_session_stats"
	CmdGetLastAssistantText = "get_last_assistant_text"
	CmdGetAvailableModels   = "get_available_models"
	CmdSetModel             = "set_model"
	CmdCycleModel           = "cycle_model"
	CmdSetThinkingLevel     = "set_thinking_level"
	CmdCycleThinkingLevel   = "cycle_thinking_level"
	CmdGetThinkingLevels    = "get_available_thinking_levels"
	CmdSetSteeringMode      = "set_steering_mode"
	CmdSetFollowUpMode      = "set_follow_up_mode"
	CmdSetAutoCompaction    = "set_auto_compaction"
	CmdSetAutoRetry         = "set_auto_retry"
	CmdSetSessionName       = "set_session_name"
	CmdAbortRetry           = "abort_retry"
	CmdAbortBash            = "abort_bash"
	CmdNewSession           = "new_session"
	CmdSwitchSession        = "switch_session"
	CmdFork                 = "fork"
	CmdClone                = "clone"
	CmdCompact              = "compact"
	CmdBash                 = "bash"
	CmdGetCommands          = "get_commands"
	CmdGetForkMessages      = "get_fork_messages"
	CmdClearQueue           = "clear_queue"
	CmdGetEntries           = "get_entries"
	CmdGetTree              = "get_tree"
	CmdExportHTML           = "export_html"
)

// Command is a line sent to Pi's stdin. Which fields are set follows from Name; a client
// may leave out any of them.
type Command struct {
	ID                 Value  // any JSON value, echoed by the response; nil when absent
	Name               string // the "type"
	Message            Opt[string]
	Images             []Block // nil when absent
	StreamingBehavior  Opt[string]
	Provider           Opt[string]
	ModelID            Opt[string]
	Level              Opt[string]
	Mode               Opt[string]
	Enabled            Opt[bool]
	SessionName        Opt[string] // "name"
	SessionPath        Opt[string]
	ParentSession      Opt[string]
	EntryID            Opt[string]
	CustomInstructions Opt[string]
	Command            Opt[string] // of bash
	OutputPath         Opt[string]
	Odd                *Odd
}

// Response answers a command.
type Response struct {
	ID      Value       // nil when the command had none
	Command Opt[string] // absent when the line had no type
	Success bool
	Data    Data // nil when absent
	Error   Opt[string]
	Odd     *Odd
}

func (c *Command) Type() string { return c.Name }
func (*Response) Type() string  { return "response" }

func (*Command) record()  {}
func (*Response) record() {}

// Data is the data of a successful response.
type Data interface{ data() }

type (
	// PromptData answers prompt, steer and follow_up.
	PromptData struct {
		Disposition string // started, queued, handled
		Odd         *Odd
	}

	// StateData answers get_state.
	StateData struct {
		Model                 *Model
		ThinkingLevel         string
		IsStreaming           bool
		IsCompacting          bool
		SteeringMode          string
		FollowUpMode          string
		SessionFile           Opt[string]
		SessionID             string
		SessionName           Opt[string]
		AutoCompactionEnabled bool
		MessageCount          int64
		PendingMessageCount   int64
		Odd                   *Odd
	}

	// MessagesData answers get_messages.
	MessagesData struct {
		Messages []Message
		Odd      *Odd
	}

	// StatsData answers get_session_stats.
	StatsData struct {
		SessionFile       Opt[string]
		SessionID         string
		UserMessages      int64
		AssistantMessages int64
		ToolCalls         int64
		ToolResults       int64
		TotalMessages     int64
		Tokens            TokenTotals
		Cost              float64       // US dollars
		ContextUsage      *ContextUsage // nil when absent
		Odd               *Odd
	}

	// TokenTotals sums a session's usage.
	TokenTotals struct {
		Input      int64
		Output     int64
		CacheRead  int64
		CacheWrite int64
		Total      int64
		Odd        *Odd
	}

	// ContextUsage tells how full the context window is.
	ContextUsage struct {
		Tokens        Value // a number, or null while unknown
		ContextWindow int64
		Percent       Value // a number, or null while unknown
		Odd           *Odd
	}

	// TextData answers get_last_assistant_text.
	TextData struct {
		Text Opt[string]
		Odd  *Odd
	}

	// ModelsData answers get_available_models.
	ModelsData struct {
		Models []Model
		Odd    *Odd
	}

	// Model answers set_model and is part of other data.
	Model struct {
		ID               string
		Name             string
		API              string
		Provider         string
		BaseURL          string
		Reasoning        bool
		ThinkingLevelMap Value // the provider's names of levels, null for those that it has not; nil when absent
		Input            []string
		Cost             ModelCost
		ContextWindow    int64 // tokens
		MaxTokens        int64
		Compat           Value // nil when absent
		Odd              *Odd
	}

	// ModelCost is in US dollars per million tokens.
	ModelCost struct {
		Input      float64
		Output     float64
		CacheRead  float64
		CacheWrite float64
		Odd        *Odd
	}

	// CycleModelData answers cycle_model.
	CycleModelData struct {
		Model         Model
		ThinkingLevel string
		IsScoped      bool
		Odd           *Odd
	}

	// LevelData answers cycle_thinking_level (or [RawData] null).
	LevelData struct {
		Level string
		Odd   *Odd
	}

	// LevelsData answers get_available_thinking_levels.
	LevelsData struct {
		Levels []string
		Odd    *Odd
	}

	// CancelledData answers new_session, switch_session, fork and clone.
	CancelledData struct {
		Text      Opt[string] // fork: the text of the message forked from
		Cancelled bool
		Odd       *Odd
	}

	// BashData answers bash.
	BashData struct {
		Output         string
		ExitCode       Opt[int64] // absent when cancelled
		Cancelled      bool
		Truncated      bool
		FullOutputPath Opt[string]
		Odd            *Odd
	}

	// CommandsData answers get_commands.
	CommandsData struct {
		Commands []SlashCommand
		Odd      *Odd
	}

	// SlashCommand is a command of an extension, prompt template or skill.
	SlashCommand struct {
		Name        string
		Description Opt[string]
		Source      string
		SourceInfo  Value
		Odd         *Odd
	}

	// ForkMessagesData answers get_fork_messages.
	ForkMessagesData struct {
		Messages []ForkMessage
		Odd      *Odd
	}

	// ForkMessage is a user message that fork can start from.
	ForkMessage struct {
		EntryID string
		Text    string
		Odd     *Odd
	}

	// QueueData answers clear_queue.
	QueueData struct {
		Steering []string
		FollowUp []string
		Odd      *Odd
	}

	// EntriesData answers get_entries.
	EntriesData struct {
		Entries []Entry
		LeafID  string // "" is null
		Odd     *Odd
	}

	// TreeData answers get_tree.
	TreeData struct {
		Tree   []TreeNode
		LeafID string // "" is null
		Odd    *Odd
	}

	// TreeNode is an entry with those that follow it.
	TreeNode struct {
		Entry    Entry
		Children []TreeNode
		Label    Opt[string]
		// LabelTimestamp is when the label was given, in ISO-8601.
		LabelTimestamp Opt[string]
		Odd            *Odd
	}

	// RawData is data whose shape is not known for its command.
	RawData struct{ Value Value }
)

func (*PromptData) data()       {}
func (*StateData) data()        {}
func (*MessagesData) data()     {}
func (*StatsData) data()        {}
func (*TextData) data()         {}
func (*ModelsData) data()       {}
func (*Model) data()            {}
func (*CycleModelData) data()   {}
func (*LevelData) data()        {}
func (*LevelsData) data()       {}
func (*CancelledData) data()    {}
func (*CompactionResult) data() {}
func (*BashData) data()         {}
func (*CommandsData) data()     {}
func (*ForkMessagesData) data() {}
func (*QueueData) data()        {}
func (*EntriesData) data()      {}
func (*TreeData) data()         {}
func (*RawData) data()          {}
