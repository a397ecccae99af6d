package calibrate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"fakepi.example/watchdog"
)

// Options say how careful a proposal is.
type Options struct {
	Quantile   float64 // the share of healthy spans that a limit must let pass: 0.99
	Confidence float64 // of the interval: 0.95
}

// DefaultOptions are those of the command.
func DefaultOptions() Options { return Options{Quantile: 0.99, Confidence: 0.95} }

// Proposal is a limit, or one for a model or tool, with its evidence.
type Proposal struct {
	Limit    watchdog.Limit `json:"limit"`
	Model    string         `json:"model,omitempty"`
	Tool     string         `json:"tool,omitempty"`
	Spans    int            `json:"spans"`
	Censored int            `json:"censored"` // of them
	Longest  time.Duration  `json:"longest_ns"`
	At       time.Duration  `json:"quantile_ns"` // less than 0: not reached
	Low      time.Duration  `json:"low_ns"`
	High     time.Duration  `json:"high_ns"`
	Value    time.Duration  `json:"value_ns"` // 0: none is proposed
	Why      string         `json:"why"`
	curve    curve
}

// limits are those that spans tell of, in the order of docs/policy.md.
var limits = []watchdog.Limit{
	watchdog.LimitStartup, watchdog.LimitSettle, watchdog.LimitFirstToken, watchdog.LimitStreamGap, watchdog.LimitTool, watchdog.LimitCompaction,
}

// Propose proposes limits from spans: for all, and for each model or tool whose spans are surely others.
func Propose(samples []Sample, o Options) []Proposal {
	z := math.Sqrt2 * math.Erfinv(o.Confidence)
	var all []Proposal
	for _, l := range limits {
		of := slices.DeleteFunc(slices.Clone(samples), func(s Sample) bool { return s.Limit != l })
		if len(of) == 0 {
			continue
		}
		whole := propose(of, o, z)
		whole.Limit = l
		all = append(all, whole)
		for _, g := range groups(of, l) {
			p := propose(g.samples, o, z)
			p.Limit, p.Model, p.Tool = l, g.model, g.tool
			switch {
			case p.Value == 0:
			case whole.Value > 0 && p.Low <= whole.Value && 2*p.Value > whole.Value:
				p.Value, p.Why = 0, "the limit for all fits"
			}
			all = append(all, p)
		}
	}
	return all
}

type group struct {
	model, tool string
	samples     []Sample
}

// groups divides spans by tool or by model, by which their limit may differ. One group alone is no division.
func groups(samples []Sample, l watchdog.Limit) []group {
	by := map[string][]Sample{}
	for _, s := range samples {
		switch {
		case l == watchdog.LimitTool && s.Tool != "":
			by[s.Tool] = append(by[s.Tool], s)
		case l != watchdog.LimitTool && l != watchdog.LimitStartup && l != watchdog.LimitSettle && s.Model != "":
			by[s.Model] = append(by[s.Model], s)
		}
	}
	if len(by) < 2 {
		return nil
	}
	var all []group
	for _, name := range slices.Sorted(maps.Keys(by)) {
		g := group{samples: by[name]}
		if l == watchdog.LimitTool {
			g.tool = name
		} else {
			g.model = name
		}
		all = append(all, g)
	}
	return all
}

func propose(samples []Sample, o Options, z float64) Proposal {
	p := Proposal{Spans: len(samples), curve: survival(samples, z)}
	for _, s := range samples {
		if s.Censored {
			p.Censored++
		}
		p.Longest = max(p.Longest, s.Span)
	}
	q := p.curve.quantile(o.Quantile)
	p.At, p.Low, p.High = q.At, q.Low, q.High
	if q.High < 0 {
		// Without censoring, the longest of n spans bounds the quantile from above with this confidence.
		need := int(math.Ceil(math.Log((1-o.Confidence)/2) / math.Log(o.Quantile)))
		p.Why = fmt.Sprintf("too thin: %d complete spans do not bound %s from above; about %d do", p.Spans-p.Censored, percent(o.Quantile), need)
		return p
	}
	p.Value = roundUp(q.High)
	p.Why = fmt.Sprintf("%s of %d spans (%d cut short) end within %s, at most %s with %s confidence",
		percent(o.Quantile), p.Spans, p.Censored, show(q.At), show(q.High), percent(o.Confidence))
	return p
}

func percent(share float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", 100*share), "0"), ".") + " %"
}

// show rounds a span for people, to three digits or so.
func show(d time.Duration) string {
	if d < 0 {
		return "-"
	}
	unit := time.Microsecond
	for unit*1000 < d {
		unit *= 10
	}
	return d.Round(unit).String()
}

// steps are the values that a limit may have, as people write them.
var steps = []time.Duration{
	time.Second, 2 * time.Second, 3 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 20 * time.Second, 30 * time.Second, 45 * time.Second,
	time.Minute, 90 * time.Second, 2 * time.Minute, 3 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 20 * time.Minute,
	30 * time.Minute, 45 * time.Minute, time.Hour, 90 * time.Minute,
}

// roundUp returns the next value that a person would write.
func roundUp(d time.Duration) time.Duration {
	for _, s := range steps {
		if d <= s {
			return s
		}
	}
	return (d + time.Hour - 1).Truncate(time.Hour)
}

// Apply puts the proposals into a policy.
func Apply(p watchdog.Policy, proposals []Proposal) (watchdog.Policy, error) {
	p.Overrides = slices.Clone(p.Overrides)
	for _, x := range proposals {
		if x.Value == 0 {
			continue
		}
		if x.Model == "" && x.Tool == "" {
			if err := p.Set(string(x.Limit), x.Value.String()); err != nil {
				return p, err
			}
			continue
		}
		set := watchdog.Override{Model: x.Model, Tool: x.Tool, Set: map[string]string{string(x.Limit): x.Value.String()}}
		p.Overrides = append(p.Overrides, set)
	}
	return p, nil
}

// PolicyFile writes the proposals as a policy file, each with its evidence.
func PolicyFile(proposals []Proposal) []byte {
	var b strings.Builder
	b.WriteString("# Proposed by piwatch calibrate. Each limit stands below its evidence.\n")
	for _, p := range proposals {
		if p.Model != "" || p.Tool != "" {
			continue
		}
		fmt.Fprintf(&b, "\n# %s\n", p.Why)
		if p.Value == 0 {
			b.WriteString("# ")
			fmt.Fprintf(&b, "%s: the default stays\n", p.Limit)
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n", p.Limit, p.Value)
	}
	head := "\noverrides:\n"
	for _, p := range proposals {
		if p.Value == 0 || p.Model == "" && p.Tool == "" {
			continue
		}
		match := "model: " + yamlText(p.Model)
		if p.Tool != "" {
			match = "tool: " + yamlText(p.Tool)
		}
		fmt.Fprintf(&b, "%s  # %s\n  - match: {%s}\n    %s: %s\n", head, p.Why, match, p.Limit, p.Value)
		head = ""
	}
	return []byte(b.String())
}

// yamlText quotes a name, which a worker may have made up.
func yamlText(s string) string { return fmt.Sprintf("%q", strings.ToValidUTF8(s, "?")) }
