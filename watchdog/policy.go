package watchdog

import (
	"maps"
	"slices"
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

// Limits are the limits of docs/policy.md. FirstToken and StreamGap follow Stall while they are 0.
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

// DefaultPolicy returns the defaults of docs/policy.md, with the preset attended: every effect asks.
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

// Preset returns the permissions that a name stands for: attended asks for every effect class, autonomous only for those
// that touch the task or the world, or remove. It is false for another name.
func Preset(name string) (map[EffectClass]Permission, bool) {
	effects := map[EffectClass]Permission{}
	for _, class := range EffectClasses() {
		effects[class] = PermitAsk
	}
	switch name {
	case "attended":
	case "autonomous":
		effects[EffectStopTurn], effects[EffectStopWorker], effects[EffectRespawn] = PermitAuto, PermitAuto, PermitAuto
	default:
		return nil, false
	}
	return effects, true
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
