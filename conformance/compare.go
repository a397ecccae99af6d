package conformance

import (
	"context"

	"fakepi.example/scenarios"
)

// maxChanged is how many cases with other histories are enough: what no assertion minds in them, none minds.
const maxChanged = 8

// Digests are those of cases, by their ids: of the base history, and of that with a few near it.
type Digests map[string][]string

// Comparison is what came of playing a subject that may do otherwise than one whose digests are known.
type Comparison struct {
	Failed  bool
	Kill    Kill     // the first case that failed; without a requirement where the subject failed to answer
	Changed []string // cases in which its histories are others
	Digests Digests  // of the cases that were played
}

// Compare plays scenarios with their twins in the order given, each in its base history and then in a few near it, until
// an assertion fails or the subject fails to answer. If the histories of some cases are not those known it plays these
// further, up to o.Histories each, and no others. It is for subjects that are many and cheap to start.
func Compare(ctx context.Context, subject Subject, all []scenarios.Scenario, o Options, known Digests) (*Comparison, error) {
	p, cases, err := compare(subject, all, o)
	if err != nil {
		return nil, err
	}
	for stage, most := range []int{1, mutantHistories} {
		same := func(e *exploration) bool {
			id := e.result.ID
			p.found.Digests[id] = append(p.found.Digests[id], e.result.Digest)
			return stage >= len(known[id]) || known[id][stage] == e.result.Digest
		}
		if cases, err = p.play(ctx, cases, most, same); err != nil || p.found.Failed {
			return &p.found, err
		}
	}
	if len(p.found.Changed) > 0 {
		_, err = p.play(ctx, cases, p.r.opts.Histories, nil)
	}
	return &p.found, err
}

// FirstFailure plays scenarios with their twins in the order given, up to o.Histories histories of each, until an assertion
// fails or the subject fails to answer, and says where.
func FirstFailure(ctx context.Context, subject Subject, all []scenarios.Scenario, o Options) (k Kill, failed bool, err error) {
	p, cases, err := compare(subject, all, o)
	if err == nil {
		_, err = p.play(ctx, cases, p.r.opts.Histories, nil)
	}
	if err != nil {
		return Kill{}, false, err
	}
	return p.found.Kill, p.found.Failed, nil
}

// comparison is a Comparison that is being made.
type comparison struct {
	r     *runner
	t     trial
	found Comparison
}

func compare(subject Subject, all []scenarios.Scenario, o Options) (*comparison, []*exploration, error) {
	o.defaults()
	cases, err := choose(all, o)
	if err != nil {
		return nil, nil, err
	}
	p := &comparison{t: trial{m: Mutant{Kind: Benign, Subject: subject}}, found: Comparison{Digests: Digests{}}}
	if p.r, err = p.t.runner(o, ExploreBounded); err != nil {
		return nil, nil, err
	}
	if o.Histories > 0 {
		p.r.opts.Histories = o.Histories
	}
	return p, p.r.beginAll(cases), nil
}

// play plays cases until so many histories of each were played, and returns those that are worth more of them: the ones
// that are not the same, or all if none has changed.
func (p *comparison) play(ctx context.Context, cases []*exploration, most int, same func(*exploration) bool) ([]*exploration, error) {
	var changed []*exploration
	for _, e := range cases {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.r.explore(e, most)
		if p.failed(e) {
			return nil, nil
		}
		if same == nil || same(e) {
			continue
		}
		p.found.Changed = appendOnce(p.found.Changed, e.result.ID)
		if changed = append(changed, e); len(changed) == maxChanged {
			break
		}
	}
	if len(changed) > 0 {
		return changed, nil
	}
	return cases, nil
}

// failed notes the first case that fails.
func (p *comparison) failed(e *exploration) bool {
	p.t.take(&e.result)
	p.found.Failed = p.t.over()
	switch found := p.t.result.Further; {
	case !p.found.Failed:
	case len(found) > 0:
		p.found.Kill = found[0]
	default:
		p.found.Kill = Kill{Case: p.t.silent[0]}
	}
	return p.found.Failed
}
