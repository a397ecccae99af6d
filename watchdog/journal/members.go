package journal

import (
	"fmt"
	"slices"
)

// Kind implements Body.
func (Start) Kind() Kind    { return KindStart }
func (Boot) Kind() Kind     { return KindBoot }
func (Ack) Kind() Kind      { return KindAck }
func (Model) Kind() Kind    { return KindModel }
func (Episode) Kind() Kind  { return KindEpisode }
func (Verdict) Kind() Kind  { return KindVerdict }
func (Intent) Kind() Kind   { return KindIntent }
func (Outcome) Kind() Kind  { return KindOutcome }
func (Spending) Kind() Kind { return KindSpending }
func (Approval) Kind() Kind { return KindApproval }
func (Operator) Kind() Kind { return KindOperator }
func (Notice) Kind() Kind   { return KindNotice }
func (Queue) Kind() Kind    { return KindQueue }
func (Call) Kind() Kind     { return KindCall }
func (Drop) Kind() Kind     { return KindDrop }

func (b Start) members(f *form) Body {
	integer(f, "version", &b.Version)
	f.raw("state", &b.State)
	return b
}

func (b Boot) members(f *form) Body {
	integer(f, "incarnation", &b.Incarnation)
	integer(f, "fence", &b.Fence)
	return b
}

func (b Ack) members(f *form) Body {
	integer(f, "n", &b.N)
	return b
}

func (b Model) members(f *form) Body {
	f.string("worker", &b.Worker)
	integer(f, "generation", &b.Generation)
	f.raw("state", &b.State)
	return b
}

func (b Episode) members(f *form) Body {
	integer(f, "id", &b.ID)
	f.string("worker", &b.Worker)
	integer(f, "generation", &b.Generation)
	word(f, "step", &b.Step)
	f.string("state", &b.State)
	f.string("aim", &b.Aim)
	f.cause("cause", &b.Cause)
	f.string("frontier", &b.Frontier)
	f.string("reason", &b.Reason)
	return b
}

func (b Verdict) members(f *form) Body {
	f.string("worker", &b.Worker)
	integer(f, "generation", &b.Generation)
	integer(f, "episode", &b.Episode)
	word(f, "name", &b.Name)
	word(f, "status", &b.Status)
	f.millis("since_ms", &b.Since)
	f.cause("cause", &b.Cause)
	f.ints("evidence", &b.Evidence)
	return b
}

func (b Intent) members(f *form) Body {
	f.string("key", &b.Key)
	word(f, "command", &b.Command)
	f.string("worker", &b.Worker)
	integer(f, "generation", &b.Generation)
	integer(f, "episode", &b.Episode)
	f.cause("cause", &b.Cause)
	f.ints("evidence", &b.Evidence)
	f.string("digest", &b.Digest)
	f.civil("not_after", &b.NotAfter)
	return b
}

func (b Outcome) members(f *form) Body {
	f.string("key", &b.Key)
	word(f, "result", &b.Result)
	f.string("reason", &b.Reason)
	f.string("digest", &b.Digest)
	f.string("token", &b.Token)
	return b
}

func (b Spending) members(f *form) Body {
	f.string("task", &b.Task)
	word(f, "budget", &b.Budget)
	integer(f, "amount", &b.Amount)
	f.string("key", &b.Key)
	return b
}

func (b Approval) members(f *form) Body {
	f.string("item", &b.Item)
	f.bool("approve", &b.Approve)
	f.string("digest", &b.Digest)
	f.civil("not_after", &b.NotAfter)
	f.civil("given", &b.Given)
	f.string("signature", &b.Signature)
	return b
}

func (b Operator) members(f *form) Body {
	f.string("worker", &b.Worker)
	word(f, "intent", &b.Intent)
	f.civil("given", &b.Given)
	return b
}

func (b Notice) members(f *form) Body {
	f.string("key", &b.Key)
	f.string("worker", &b.Worker)
	integer(f, "generation", &b.Generation)
	integer(f, "episode", &b.Episode)
	f.string("about", &b.About)
	f.cause("cause", &b.Cause)
	f.string("text", &b.Text)
	integer(f, "anchor", &b.Anchor)
	return b
}

func (b Queue) members(f *form) Body {
	f.string("key", &b.Key)
	word(f, "step", &b.Step)
	word(f, "command", &b.Command)
	f.string("worker", &b.Worker)
	integer(f, "generation", &b.Generation)
	f.string("reason", &b.Reason)
	return b
}

func (b Call) members(f *form) Body {
	f.string("worker", &b.Worker)
	integer(f, "generation", &b.Generation)
	f.string("id", &b.ID)
	f.string("tool", &b.Tool)
	word(f, "state", &b.State)
	return b
}

func (b Drop) members(f *form) Body {
	f.string("worker", &b.Worker)
	integer(f, "generation", &b.Generation)
	f.string("what", &b.What)
	f.string("reason", &b.Reason)
	return b
}

// UnmarshalText implements encoding.TextUnmarshaler, as do the methods below: each refuses a word that it does not know.
func (s *EpisodeStep) UnmarshalText(text []byte) error {
	return readWord(s, text, Opened, Moved, Closed)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *QueueStep) UnmarshalText(text []byte) error { return readWord(s, text, Queued, Dropped) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (b *Budget) UnmarshalText(text []byte) error {
	return readWord(b, text, BudgetStart, BudgetResume, BudgetRestart, BudgetAttempt, BudgetTokens, BudgetCost)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *CallState) UnmarshalText(text []byte) error {
	return readWord(s, text, CallUnknown, CallConfirmed)
}

func readWord[T ~string](dst *T, text []byte, known ...T) error {
	if !slices.Contains(known, T(text)) {
		return fmt.Errorf("unknown word %q; known: %v", text, known)
	}
	*dst = T(text)
	return nil
}
