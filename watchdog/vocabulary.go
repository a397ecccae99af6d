package watchdog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrUnknownWord is wrapped by the error about a word outside its vocabulary.
var ErrUnknownWord = errors.New("unknown word")

// causeLimits lists the limits that a cause can name, in the order of docs/policy.md.
func causeLimits() []Limit {
	return []Limit{
		LimitStall, LimitStartup, LimitSettle, LimitDeclaredGrace, LimitFirstToken, LimitStreamGap, LimitTool,
		LimitCompaction, LimitUserWait, LimitAttention, LimitLoopRepeats, LimitAttempts, LimitCost, LimitTokens,
	}
}

// UnmarshalText implements encoding.TextUnmarshaler, as do the methods below: each refuses a word that it does not
// know, with ErrUnknownWord and the words that it does.
func (n *VerdictName) UnmarshalText(text []byte) error {
	return readWord(n, "verdict", text, VerdictNames()...)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *CommandKind) UnmarshalText(text []byte) error {
	return readWord(k, "command", text, CommandKinds()...)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *EffectClass) UnmarshalText(text []byte) error {
	return readWord(c, "effect class", text, EffectClasses()...)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *ObservationKind) UnmarshalText(text []byte) error {
	return readWord(k, "kind of observation", text, ObservationKinds()...)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *Limit) UnmarshalText(text []byte) error {
	return readWord(l, "limit", text, causeLimits()...)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Status) UnmarshalText(text []byte) error {
	return readWord(s, "status", text, StatusOK, StatusSuspected, StatusConfirmed)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *Flag) UnmarshalText(text []byte) error {
	return readWord(f, "flag", text, FlagExited, FlagDirty, FlagAmbiguous)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Stream) UnmarshalText(text []byte) error {
	return readWord(s, "stream", text, StreamOut, StreamErr, StreamIn, StreamSession, StreamPTY)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *FileChange) UnmarshalText(text []byte) error {
	return readWord(c, "file change", text, FileTruncated, FileReplaced)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Mode) UnmarshalText(text []byte) error {
	return readWord(m, "mode", text, ModeRPC, ModeJSON, ModePrint, ModeTUI)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Source) UnmarshalText(text []byte) error {
	return readWord(s, "source", text, SourceHeld, SourceFollowed)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *Result) UnmarshalText(text []byte) error {
	return readWord(r, "result", text, ResultDone, ResultFailed, ResultRefused, ResultUnknown)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *ProbeResult) UnmarshalText(text []byte) error {
	return readWord(r, "probe result", text, ProbeOK, ProbeFailed, ProbeUnknown)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (w *What) UnmarshalText(text []byte) error {
	return readWord(w, "question", text, WhatState, WhatProcesses, WhatStream, WhatWorld)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *Role) UnmarshalText(text []byte) error {
	return readWord(r, "role", text, RoleAgent, RoleShell, RoleTool)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (g *GateStatus) UnmarshalText(text []byte) error {
	return readWord(g, "gate status", text, GateAbsent, GateRunning, GatePassed, GateFailed)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (i *Intent) UnmarshalText(text []byte) error {
	return readWord(i, "intent", text, IntentStop, IntentPause, IntentResume, IntentRearm)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *Caller) UnmarshalText(text []byte) error {
	return readWord(c, "caller", text, CallerOutside, CallerWorker)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Spawner) UnmarshalText(text []byte) error {
	return readWord(s, "spawner", text, SpawnerPlain, SpawnerKeyed, SpawnerFenced)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Permission) UnmarshalText(text []byte) error {
	return readWord(p, "permission", text, PermitAuto, PermitAsk, PermitNever)
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *DirtyPolicy) UnmarshalText(text []byte) error {
	return readWord(d, "dirty policy", text, DirtyAsk, DirtyCommitWIP)
}

func readWord[T ~string](dst *T, what string, text []byte, known ...T) error {
	word := T(text)
	if !slices.Contains(known, word) {
		return fmt.Errorf("%w: %s %q; known: %s", ErrUnknownWord, what, text, joinWords(known))
	}
	*dst = word
	return nil
}

func joinWords[T ~string](words []T) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return strings.Join(texts, ", ")
}
