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

// ErrPolicy is wrapped by every error about a policy.
var ErrPolicy = errors.New("policy")

// effectPrefix stands before an effect class where a permission is named like a limit.
const effectPrefix = "effects."

// LimitNames lists the names that Set and Get take, in the order of docs/policy.md; the last ones are effects.CLASS.
func LimitNames() []string {
	var names []string
	for _, f := range new(Limits).fields() {
		names = append(names, f.name)
	}
	for _, c := range EffectClasses() {
		names = append(names, effectPrefix+string(c))
	}
	return names
}

// Set gives one limit a value by its name in docs/policy.md: a duration as Go writes it ("90s", "2h"), a number, or
// for effects.CLASS one of auto, ask, never. On an error, which wraps ErrPolicy, nothing is changed.
func (l *Limits) Set(name, value string) error {
	if class, ok := strings.CutPrefix(name, effectPrefix); ok {
		return l.setEffect(EffectClass(class), Permission(value))
	}
	f, ok := l.field(name)
	if !ok {
		return fmt.Errorf("%w: unknown limit %q; known: %s", ErrPolicy, name, strings.Join(LimitNames(), ", "))
	}
	if err := f.set(value); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrPolicy, name, err)
	}
	return nil
}

// Get returns the value of a limit in the form that Set takes: empty for a name that Set does not know, for a
// permission that was never given, and for first_token and stream_gap while they follow stall.
func (l *Limits) Get(name string) string {
	if class, ok := strings.CutPrefix(name, effectPrefix); ok {
		return string(l.Effects[EffectClass(class)])
	}
	f, ok := l.field(name)
	if !ok {
		return ""
	}
	return f.get()
}

func (l *Limits) setEffect(class EffectClass, p Permission) error {
	switch {
	case !slices.Contains(EffectClasses(), class):
		return fmt.Errorf("%w: unknown effect class %q; known: %s", ErrPolicy, class, joinWords(EffectClasses()))
	case p != PermitAuto && p != PermitAsk && p != PermitNever:
		return fmt.Errorf("%w: effects.%s: %q is none of auto, ask, never", ErrPolicy, class, p)
	case class == EffectRemove && p == PermitAuto:
		return fmt.Errorf("%w: effects.remove: removal is never automatic; use ask or never", ErrPolicy)
	}
	effects := maps.Clone(l.Effects)
	if effects == nil {
		effects = map[EffectClass]Permission{}
	}
	effects[class] = p
	l.Effects = effects
	return nil
}

// field is one limit by name: where its value lies and the least that it may be.
type field struct {
	name  string
	at    any // *time.Duration, *int, *int64, *float64 or *DirtyPolicy
	least int64
}

func (l *Limits) field(name string) (field, bool) {
	for _, f := range l.fields() {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

func (l *Limits) fields() []field {
	return []field{
		{"stall", &l.Stall, 1},
		{"startup", &l.Startup, 1},
		{"settle", &l.Settle, 1},
		{"declared_grace", &l.DeclaredGrace, 0},
		{"first_token", &l.FirstToken, 1},
		{"stream_gap", &l.StreamGap, 1},
		{"tool", &l.Tool, 1},
		{"compaction", &l.Compaction, 1},
		{"user_wait", &l.UserWait, 1},
		{"attention", &l.Attention, 1},
		{"confirmations", &l.Confirmations, 0},
		{"confirm_every", &l.ConfirmEvery, 1},
		{"loop_repeats", &l.LoopRepeats, 2},
		{"resume_attempts", &l.ResumeAttempts, 0},
		{"restarts", &l.Restarts, 0},
		{"restart_window", &l.RestartWindow, 1},
		{"stability", &l.Stability, 1},
		{"attempts_total", &l.AttemptsTotal, 0},
		{"backoff", &l.BackoffBase, 1},
		{"backoff_factor", &l.BackoffFactor, 1},
		{"backoff_cap", &l.BackoffCap, 1},
		{"grace", &l.Grace, 1},
		{"recoveries", &l.Recoveries, 1},
		{"mass_window", &l.MassWindow, 1},
		{"cost_usd", &l.CostUSD, 0},
		{"tokens", &l.Tokens, 0},
		{"dirty", &l.Dirty, 0},
	}
}

func (f field) set(text string) error {
	switch at := f.at.(type) {
	case *time.Duration:
		return setDuration(at, text, time.Duration(f.least))
	case *float64:
		return setNumber(at, text, float64(f.least))
	case *int:
		return setCount(at, text, f.least)
	case *int64:
		return setCount(at, text, f.least)
	case *DirtyPolicy:
		return at.UnmarshalText([]byte(text))
	}
	panic(fmt.Sprintf("watchdog: limit %s has a type without a text form", f.name))
}

func (f field) get() string {
	switch at := f.at.(type) {
	case *time.Duration:
		if *at < time.Duration(f.least) {
			return ""
		}
		return at.String()
	case *float64:
		return strconv.FormatFloat(*at, 'g', -1, 64)
	case *int:
		return strconv.Itoa(*at)
	case *int64:
		return strconv.FormatInt(*at, 10)
	case *DirtyPolicy:
		return string(*at)
	}
	panic(fmt.Sprintf("watchdog: limit %s has a type without a text form", f.name))
}

func setDuration(d *time.Duration, text string, least time.Duration) error {
	v, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("%q is no duration; write it like 90s, 5m or 2h", text)
	}
	if v < least {
		return fmt.Errorf("%s is too short; the least is %s", text, least)
	}
	*d = v
	return nil
}

func setCount[T int | int64](n *T, text string, least int64) error {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < least || int64(T(v)) != v {
		return fmt.Errorf("%q is no whole number of at least %d", text, least)
	}
	*n = T(v)
	return nil
}

func setNumber(f *float64, text string, least float64) error {
	v, err := strconv.ParseFloat(text, 64)
	// Written so that NaN fails too; what costs more than this is a mistake.
	if err != nil || !(v >= least && v <= 1e12) {
		return fmt.Errorf("%q is no number of at least %g", text, least)
	}
	*f = v
	return nil
}
