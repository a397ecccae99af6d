package calibrate

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestCurve compares the estimate with one worked by hand: the remission times of the drug group of Freireich and others (Blood
// 21, 1963), whose survival curve is in every textbook: 0.857 after 6 weeks, 0.807 after 7, 0.753, 0.690, 0.628, 0.538, 0.448.
func TestCurve(t *testing.T) {
	const week = time.Hour
	var samples []Sample
	for _, s := range []struct {
		weeks    int
		censored bool
	}{
		{6, false}, {6, false}, {6, false}, {6, true}, {7, false}, {9, true}, {10, false}, {10, true}, {11, true}, {13, false}, {16, false},
		{17, true}, {19, true}, {20, true}, {22, false}, {23, false}, {25, true}, {32, true}, {32, true}, {34, true}, {35, true},
	} {
		samples = append(samples, Sample{Span: time.Duration(s.weeks) * week, Censored: s.censored})
	}
	whole := survival(samples, 1.96)
	c := whole.points
	want := []struct {
		weeks int
		share float64
	}{{6, 0.857}, {7, 0.807}, {10, 0.753}, {13, 0.690}, {16, 0.627}, {22, 0.538}, {23, 0.448}}
	if len(c) != len(want) {
		t.Fatalf("%d steps, want %d", len(c), len(want))
	}
	for i, w := range want {
		if c[i].at != time.Duration(w.weeks)*week || math.Abs(c[i].share-w.share) > 0.0011 {
			t.Errorf("step %d is %v at %v, want %v at %d weeks", i, c[i].share, c[i].at, w.share, w.weeks)
		}
		if !(c[i].lowest < c[i].share && c[i].share < c[i].likely) {
			t.Errorf("step %d: %v is not within %v and %v", i, c[i].share, c[i].lowest, c[i].likely)
		}
	}
	// The log-log interval at 6 weeks is 0.620 to 0.952, as R's survfit prints with conf.type="log-log".
	if math.Abs(c[0].lowest-0.620) > 0.001 || math.Abs(c[0].likely-0.952) > 0.001 {
		t.Errorf("the interval at 6 weeks is %v to %v, want 0.620 to 0.952", c[0].lowest, c[0].likely)
	}
	if q := whole.quantile(0.5); q.At != 23*week || q.High != -1 {
		t.Errorf("the median is %+v, want 23 weeks without an upper bound", q)
	}
}

// TestQuantileCovers draws 1,000 spans of a known distribution, cuts some of them short, and asks for the planted quantile, many
// times over: its interval holds it about as often as it says. The seed is fixed.
func TestQuantileCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const rounds, q = 400, 0.95
	truth := time.Duration(-math.Log(1-q) * float64(10*time.Second)) // of an exponential one of mean 10 s
	held := 0
	for range rounds {
		var samples []Sample
		for range 1000 {
			s := Sample{Span: time.Duration(rng.ExpFloat64() * float64(10*time.Second))}
			if cut := time.Duration(rng.ExpFloat64() * float64(60*time.Second)); cut < s.Span {
				s = Sample{Span: cut, Censored: true}
			}
			samples = append(samples, s)
		}
		if got := survival(samples, 1.96).quantile(q); got.Low <= truth && (truth <= got.High || got.High < 0) {
			held++
		}
	}
	if share := float64(held) / rounds; share < 0.92 || share > 0.98 {
		t.Errorf("the interval held the truth in %.3f of the rounds, want about 0.95", share)
	}
}

func TestThin(t *testing.T) {
	var samples []Sample
	for i := range 50 {
		samples = append(samples, Sample{Span: time.Duration(i+1) * time.Second})
	}
	if got := survival(samples, 1.96).quantile(0.99); got.High != -1 || got.At != 50*time.Second {
		t.Errorf("50 spans bound the 99th percentile by %+v, want no upper bound", got)
	}
	if got := survival(nil, 1.96).quantile(0.5); got != (Quantile{-1, -1, -1}) {
		t.Errorf("no spans give %+v", got)
	}
}
