package conformance

import (
	"errors"
	"fmt"
	"slices"

	"fakepi.example/internal/conformance/requirements"
)

// Shard is one of several parts of a run, which Merge puts together. Case number k of the whole, counted from 0, is in
// shard 1 + k mod Of.
type Shard struct{ Index, Of int }

// ErrShards is wrapped by the error about results that are not the shards of one run.
var ErrShards = errors.New("not the shards of one run")

// String returns the text of a shard, such as 2/8; "" is the whole.
func (s Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// ParseShard reads a shard as String writes it. The error wraps ErrOptions.
func ParseShard(text string) (Shard, error) {
	var s Shard
	if text == "" {
		return s, nil
	}
	if n, err := fmt.Sscanf(text, "%d/%d", &s.Index, &s.Of); n != 2 || err != nil || s.String() != text {
		return Shard{}, fmt.Errorf("%w: %q is no shard; write it like 2/8", ErrOptions, text)
	}
	if err := s.check(); err != nil {
		return Shard{}, err
	}
	return s, nil
}

func (s Shard) check() error {
	if s.Of < 0 {
		return fmt.Errorf("%w: a run has no %d shards; write one like 2/8", ErrOptions, s.Of)
	}
	if s != (Shard{}) && (s.Index < 1 || s.Index > s.Of) {
		return fmt.Errorf("%w: there is no shard %d of %d; the shards are 1/%[3]d to %[3]d/%[3]d", ErrOptions, s.Index, s.Of)
	}
	return nil
}

// holds reports whether a case is in the shard.
func (s Shard) holds(k int) bool { return s.Of == 0 || k%s.Of == s.Index-1 }

// of returns the cases of the shard.
func (s Shard) of(cases []matchCase) ([]matchCase, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	var held []matchCase
	for k := range cases {
		if s.holds(k) {
			held = append(held, cases[k])
		}
	}
	if len(held) == 0 && len(cases) > 0 {
		return nil, fmt.Errorf("%w: shard %s of %d cases is empty; take fewer shards", ErrNoCases, s, len(cases))
	}
	return held, nil
}

// Merge puts the results of all shards of a run together. The result, its digest included, is that of the run as a
// whole. The error wraps ErrShards and says which result does not belong or which is missing.
func Merge(shards []*Result) (*Result, error) {
	set, err := requirements.Load()
	if err != nil {
		return nil, err
	}
	all := slices.Clone(shards)
	slices.SortStableFunc(all, func(a, b *Result) int { return a.Shard.Index - b.Shard.Index })
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: there is none", ErrShards)
	}
	for i, r := range all {
		if err := r.follows(all[0], i); err != nil {
			return nil, err
		}
	}
	first := all[0]
	if len(all) < first.Shard.Of {
		return nil, fmt.Errorf("%w: shard %d/%d is missing", ErrShards, len(all)+1, first.Shard.Of)
	}
	for _, r := range all {
		if r.Digest != r.sum() {
			return nil, fmt.Errorf("%w: shard %s is not as it was written: its cases have another digest than it tells", ErrShards, r.Shard)
		}
	}
	whole := &Result{
		Suite: first.Suite, Subject: first.Subject, Poll: first.Poll, Profile: first.Profile, Pattern: first.Pattern, Dialect: first.Dialect,
		Seed: first.Seed, Explore: first.Explore, Most: first.Most,
	}
	whole.interleave(all)
	whole.collect(set)
	return whole, nil
}

// follows checks that a result is shard number i, counted from 0, of the run that another one is a shard of.
func (r *Result) follows(first *Result, i int) error {
	switch {
	case r.Shard.Of == 0:
		return fmt.Errorf("%w: one is of a whole run", ErrShards)
	case r.Shard.check() != nil:
		return fmt.Errorf("%w: there is no shard %s", ErrShards, r.Shard)
	case r.Shard.Of != first.Shard.Of:
		return fmt.Errorf("%w: one is shard %s, another %s", ErrShards, first.Shard, r.Shard)
	case r.Suite != first.Suite || r.Subject != first.Subject || r.Poll != first.Poll || r.Profile != first.Profile ||
		r.Pattern != first.Pattern || r.Dialect != first.Dialect || r.Seed != first.Seed || r.Explore != first.Explore || r.Most != first.Most:
		return fmt.Errorf("%w: shard %s was run with another suite, subject or options than shard %s", ErrShards, r.Shard, first.Shard)
	case r.Shard.Index < i+1:
		return fmt.Errorf("%w: shard %s is there twice", ErrShards, r.Shard)
	case r.Shard.Index > i+1:
		return fmt.Errorf("%w: shard %d/%d is missing", ErrShards, i+1, r.Shard.Of)
	}
	return nil
}

// interleave puts the cases of shards in the order of the whole.
func (r *Result) interleave(shards []*Result) {
	rest := make([][]CaseResult, len(shards))
	for i, s := range shards {
		rest[i] = s.Cases
		r.Stale = append(r.Stale, s.Stale...)
	}
	var memory []CaseResult
	if n := len(rest[0]); n > 0 && rest[0][n-1].ID == memoryCase {
		rest[0], memory = rest[0][:n-1], rest[0][n-1:]
	}
	for i := 0; len(rest[i]) > 0; i = (i + 1) % len(rest) {
		r.Cases, rest[i] = append(r.Cases, rest[i][0]), rest[i][1:]
	}
	r.Cases = append(r.Cases, memory...)
}
