package script

import "time"

// Time is a time as written: an anchor and what is added to it. Without an anchor it counts from the end of the line
// before (from its start, where that has no end).
type Time struct {
	Label    string // counts from the step of this label; empty if none
	End      bool   // from that step's end instead of its start
	Absolute bool   // counts from the script's start
	Terms    []Term
}

// Term is a signed duration or limit of the policy.
type Term struct {
	Minus bool
	D     time.Duration // of a term without a limit
	Limit string        // "first_token"; resolved by Resolve
}

// Span is a duration as written in an action. The zero Span says that none was given.
type Span struct {
	Terms []Term
	Never bool          // "never": without end
	D     time.Duration // the sum of the terms; where they name limits, set by Resolve
}

// SpanOf makes the Span of a plain duration.
func SpanOf(d time.Duration) Span { return Span{Terms: []Term{{D: d}}, D: d} }

// Given reports whether the script wrote this span.
func (s Span) Given() bool { return s.Never || len(s.Terms) > 0 }

// Finite reports whether the span was given and ends.
func (s Span) Finite() bool { return !s.Never && len(s.Terms) > 0 }
