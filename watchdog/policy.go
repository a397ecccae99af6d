package watchdog

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Policy holds the limits for all workers and what differs for some.
type Policy struct {
	Limits
	Overrides []Override // later ones win
}

// Override changes limits for the workers, models and tools that it names; an empty field matches all.
type Override struct {
	Worker string            `json:"worker,omitempty"`
	Model  string            `json:"model,omitempty"`
	Tool   string            `json:"tool,omitempty"`
	Set    map[string]string `json:"set"` // limit name to value, as Limits.Set takes them
}

// Limits are the numbers of SPEC.md's table of limits. FirstToken and StreamGap follow Stall while they are 0.
type Limits struct {
	Stall         time.Duration
	Startup       time.Duration
	Settle        time.Duration
	DeclaredGrace time.Duration
	FirstToken    time.Duration
	StreamGap     time.Duration
	Tool          time.Duration
	Compaction    time.Duration
	UserWait      time.Duration
	Attention     time.Duration
	ConfirmEvery  time.Duration
	Confirmations int
	LoopRepeats   int

	ResumeAttempts int
	Restarts       int
	RestartWindow  time.Duration
	Stability      time.Duration
	AttemptsTotal  int
	BackoffBase    time.Duration
	BackoffFactor  float64
	BackoffCap     time.Duration
	Grace          time.Duration
	Recoveries     int
	MassWindow     time.Duration
	CostUSD        float64 // 0 = off
	Tokens         int64   // 0 = off
	Effects        map[EffectClass]Permission
	Dirty          DirtyPolicy
}

// Permission says whether an effect class may be carried out.
type Permission string

// The permissions.
const (
	PermitAuto  Permission = "auto"
	PermitAsk   Permission = "ask"
	PermitNever Permission = "never"
)

// DirtyPolicy says what becomes of half-done work.
type DirtyPolicy string

// The policies for half-done work.
const (
	DirtyAsk       DirtyPolicy = "ask"
	DirtyCommitWIP DirtyPolicy = "commit_wip"
)

// DefaultPolicy returns SPEC.md's defaults, with the preset attended: every effect asks.
func DefaultPolicy() Policy {
	return Policy{Limits: Limits{
		Stall: 30 * time.Minute, Startup: 2 * time.Minute, Settle: time.Minute, DeclaredGrace: 30 * time.Second,
		Tool: 2 * time.Hour, Compaction: 10 * time.Minute, UserWait: time.Hour, Attention: 5 * time.Minute,
		ConfirmEvery: 30 * time.Second, Confirmations: 2, LoopRepeats: 3,
		ResumeAttempts: 2, Restarts: 3, RestartWindow: time.Hour, Stability: 30 * time.Minute, AttemptsTotal: 12,
		BackoffBase: 30 * time.Second, BackoffFactor: 2, BackoffCap: 10 * time.Minute,
		Grace: 10 * time.Second, Recoveries: 8, MassWindow: 30 * time.Second,
		Effects: map[EffectClass]Permission{
			EffectStopTurn: PermitAsk, EffectStopWorker: PermitAsk, EffectRespawn: PermitAsk,
			EffectTaskState: PermitAsk, EffectPublish: PermitAsk, EffectRemove: PermitAsk,
		},
		Dirty: DirtyAsk,
	}}
}

// FirstTokenLimit is the limit on the wait for a first token.
func (l *Limits) FirstTokenLimit() time.Duration {
	if l.FirstToken > 0 {
		return l.FirstToken
	}
	return l.Stall
}

// StreamGapLimit is the limit on a pause inside a message.
func (l *Limits) StreamGapLimit() time.Duration {
	if l.StreamGap > 0 {
		return l.StreamGap
	}
	return l.Stall
}

// For returns the limits that hold for one worker, model and tool. Overrides were checked when they were read; a value
// that Limits.Set refuses is skipped.
func (p *Policy) For(worker, model, tool string) Limits {
	l := p.Limits
	l.Effects = maps.Clone(p.Effects)
	for _, o := range p.Overrides {
		if !matches(o.Worker, worker) || !matches(o.Model, model) || !matches(o.Tool, tool) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(o.Set)) {
			_ = l.Set(name, o.Set[name])
		}
	}
	return l
}

func matches(want, got string) bool { return want == "" || want == got }

// ErrPolicy is wrapped by every error about a policy.
var ErrPolicy = errors.New("policy")

// Set gives one limit a value by its name in SPEC.md: a duration as Go writes it ("90s", "2h"), a number, or for
// effects.CLASS one of auto, ask, never.
func (l *Limits) Set(name, value string) error {
	if class, ok := strings.CutPrefix(name, "effects."); ok {
		return l.setEffect(EffectClass(class), Permission(value))
	}
	for _, f := range l.fields() {
		if f.name == name {
			if err := f.set(value); err != nil {
				return fmt.Errorf("%w: %s: %w", ErrPolicy, name, err)
			}
			return nil
		}
	}
	return fmt.Errorf("%w: unknown limit %q; known: %s", ErrPolicy, name, strings.Join(LimitNames(), ", "))
}

// LimitNames lists the names that Set takes, in SPEC.md's order.
func LimitNames() []string {
	var l Limits
	var names []string
	for _, f := range l.fields() {
		names = append(names, f.name)
	}
	return append(names, "effects.CLASS")
}

func (l *Limits) setEffect(class EffectClass, p Permission) error {
	known := []EffectClass{EffectStopTurn, EffectStopWorker, EffectRespawn, EffectTaskState, EffectPublish, EffectRemove}
	if !slices.Contains(known, class) {
		return fmt.Errorf("%w: unknown effect class %q; known: stop_turn, stop_worker, respawn, task_state, publish, remove", ErrPolicy, class)
	}
	switch {
	case p != PermitAuto && p != PermitAsk && p != PermitNever:
		return fmt.Errorf("%w: effects.%s: %q is none of auto, ask, never", ErrPolicy, class, p)
	case class == EffectRemove && p == PermitAuto:
		return fmt.Errorf("%w: effects.remove: removal is never automatic; use ask or never", ErrPolicy)
	}
	l.Effects = maps.Clone(l.Effects)
	if l.Effects == nil {
		l.Effects = map[EffectClass]Permission{}
	}
	l.Effects[class] = p
	return nil
}

// field is one limit by name.
type field struct {
	name string
	set  func(string) error
}

func (l *Limits) fields() []field {
	return []field{
		{"stall", positive(&l.Stall)},
		{"startup", positive(&l.Startup)},
		{"settle", positive(&l.Settle)},
		{"declared_grace", duration(&l.DeclaredGrace, 0)},
		{"first_token", positive(&l.FirstToken)},
		{"stream_gap", positive(&l.StreamGap)},
		{"tool", positive(&l.Tool)},
		{"compaction", positive(&l.Compaction)},
		{"user_wait", positive(&l.UserWait)},
		{"attention", positive(&l.Attention)},
		{"confirmations", count(&l.Confirmations, 0)},
		{"confirm_every", positive(&l.ConfirmEvery)},
		{"loop_repeats", count(&l.LoopRepeats, 2)},
		{"resume_attempts", count(&l.ResumeAttempts, 0)},
		{"restarts", count(&l.Restarts, 0)},
		{"restart_window", positive(&l.RestartWindow)},
		{"stability", positive(&l.Stability)},
		{"attempts_total", count(&l.AttemptsTotal, 0)},
		{"backoff", positive(&l.BackoffBase)},
		{"backoff_factor", number(&l.BackoffFactor, 1)},
		{"backoff_cap", positive(&l.BackoffCap)},
		{"grace", positive(&l.Grace)},
		{"recoveries", count(&l.Recoveries, 1)},
		{"mass_window", positive(&l.MassWindow)},
		{"cost_usd", number(&l.CostUSD, 0)},
		{"tokens", tokens(&l.Tokens)},
		{"dirty", dirty(&l.Dirty)},
	}
}

func positive(d *time.Duration) func(string) error { return duration(d, time.Nanosecond) }

func duration(d *time.Duration, least time.Duration) func(string) error {
	return func(s string) error {
		v, err := time.ParseDuration(s)
		if err != nil {
			return fmt.Errorf("%q is no duration; write it like 90s, 5m or 2h", s)
		}
		if v < least {
			return fmt.Errorf("%s is too short; it must be above zero", s)
		}
		*d = v
		return nil
	}
}

func count(n *int, least int) func(string) error {
	return func(s string) error {
		v, err := strconv.Atoi(s)
		if err != nil || v < least {
			return fmt.Errorf("%q is no whole number of at least %d", s, least)
		}
		*n = v
		return nil
	}
}

func number(f *float64, least float64) func(string) error {
	return func(s string) error {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || v < least || v > 1e12 || v != v {
			return fmt.Errorf("%q is no number of at least %g", s, least)
		}
		*f = v
		return nil
	}
}

func tokens(n *int64) func(string) error {
	return func(s string) error {
		v, err := strconv.ParseInt(s, 10, 64)
		if err != nil || v < 0 {
			return fmt.Errorf("%q is no whole number of tokens", s)
		}
		*n = v
		return nil
	}
}

func dirty(d *DirtyPolicy) func(string) error {
	return func(s string) error {
		if v := DirtyPolicy(s); v == DirtyAsk || v == DirtyCommitWIP {
			*d = v
			return nil
		}
		return fmt.Errorf("%q is none of ask, commit_wip", s)
	}
}
