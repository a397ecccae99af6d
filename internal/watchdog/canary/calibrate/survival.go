package calibrate

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"
)

func sortedIDs(calls map[string]*call) []string { return slices.Sorted(maps.Keys(calls)) }

// Quantile is how long all but a share of the spans last, with a confidence interval.
type Quantile struct {
	At  time.Duration // the estimate; less than 0: the spans do not reach so far
	Low time.Duration // the interval's bounds
	// High is less than 0 where the evidence is too thin to bound the quantile from above.
	High time.Duration
}

// curve is the Kaplan-Meier estimate: the share that lasts longer than each time, with the bounds of its interval.
type curve struct {
	points   []point
	complete int     // spans
	outside  float64 // how unlikely it is that a truth lies beyond one bound
}

type point struct {
	at             time.Duration
	share          float64
	lowest, likely float64 // bounds of the share: at least, at most
}

// survival estimates the curve of some spans. z is how many standard deviations an interval is wide on each side.
func survival(samples []Sample, z float64) curve {
	sorted := slices.Clone(samples)
	slices.SortFunc(sorted, func(a, b Sample) int { return cmp.Compare(a.Span, b.Span) })
	c := curve{outside: math.Erfc(z/math.Sqrt2) / 2}
	share, variance := 1.0, 0.0
	atRisk := len(sorted)
	for i := 0; i < len(sorted); {
		at, ended, left := sorted[i].Span, 0, 0
		for ; i < len(sorted) && sorted[i].Span == at; i++ {
			if sorted[i].Censored {
				left++
			} else {
				ended++
			}
		}
		if c.complete += ended; ended > 0 {
			n, d := float64(atRisk), float64(ended)
			share *= 1 - d/n
			if d < n {
				variance += d / (n * (n - d))
			} else {
				variance = math.Inf(1) // the last one: nothing bounds the share but 0
			}
			low, high := logLog(share, variance, z)
			c.points = append(c.points, point{at, share, low, high})
		}
		atRisk -= ended + left
	}
	return c
}

// logLog bounds a share by its variance on the scale of log(-log).
func logLog(share, variance, z float64) (low, high float64) {
	if share <= 0 || share >= 1 {
		return share, share
	}
	half := z * math.Sqrt(variance) / math.Abs(math.Log(share))
	return math.Pow(share, math.Exp(half)), math.Pow(share, math.Exp(-half))
}

// quantile reads from a curve after what time at most 1-q of the spans go on.
func (c curve) quantile(q float64) Quantile {
	first := func(share func(point) float64) time.Duration {
		for _, p := range c.points {
			if share(p) <= 1-q+1e-12 {
				return p.at
			}
		}
		return -1
	}
	result := Quantile{
		At:   first(func(p point) float64 { return p.share }),
		Low:  first(func(p point) float64 { return p.lowest }),
		High: first(func(p point) float64 { return p.likely }),
	}
	// The longest span brings the share to 0, whatever the interval. It bounds a quantile as the longest of many draws does.
	if n := len(c.points); n > 0 && c.points[n-1].share == 0 && result.High == c.points[n-1].at && math.Pow(q, float64(c.complete)) > c.outside {
		result.High = -1
	}
	return result
}
