package calibrate_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/native/recording"
	"fakepi.example/internal/watchdog/canary/calibrate"
	"fakepi.example/internal/watchdog/policyfile"
	"fakepi.example/watchdog"
)

// recorded plays a script of the worker and returns what it printed, line by line, and when it was over.
func recorded(t *testing.T, text string) ([]recording.Event, time.Duration) {
	t.Helper()
	s, err := script.Parse("generated.txt", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Resolve(nil); err != nil {
		t.Fatal(err)
	}
	w, err := fakepi.New(fakepi.Config{Steps: s.Steps})
	if err != nil {
		t.Fatal(err)
	}
	var events []recording.Event
	end := time.Duration(0)
	for at, ok := w.Next(); ok; at, ok = w.Next() {
		for _, o := range w.Step(at, nil) {
			end = at
			for line := range bytes.Lines(o.Data) {
				if o.Stream == fakepi.Out {
					events = append(events, recording.Event{At: at, Dir: recording.Out, Line: bytes.TrimSuffix(line, []byte("\n")), N: len(events) + 1})
				}
			}
		}
	}
	return events, end
}

func TestSamples(t *testing.T) {
	events, end := recorded(t, `0s prompt "go"
+2s says "One."
+3s says "Two."
+0s tool bash "make" runs 7s as=make
+1s says "Done."
+0s settles
`)
	got := map[watchdog.Limit][]string{}
	for _, s := range calibrate.Samples(watchdog.ModeJSON, 0, events, end) {
		got[s.Limit] = append(got[s.Limit], fmt.Sprintf("%s %v", s.Span, s.Censored))
	}
	for limit, want := range map[watchdog.Limit]string{
		watchdog.LimitFirstToken: "2s false, 1s false",
		watchdog.LimitTool:       "7s false",
	} {
		if s := strings.Join(got[limit], ", "); s != want {
			t.Errorf("%s: %s, want %s", limit, s, want)
		}
	}
	if gaps := strings.Join(got[watchdog.LimitStreamGap], ", "); !strings.Contains(gaps, "3s false") {
		t.Errorf("the pause of 3 s is not among %s", gaps)
	}
}

func TestCensored(t *testing.T) {
	events, end := recorded(t, "0s prompt \"go\"\n+2s says \"One.\"\n+9s killed SIGKILL\n")
	for _, s := range calibrate.Samples(watchdog.ModeJSON, 0, events, end) {
		if s.Limit == watchdog.LimitStreamGap && s.Censored && s.Span == 9*time.Second {
			return
		}
	}
	t.Error("the pause that a kill cut short is not there")
}

// TestPlanted generates 1,000 runs with known distributions, a tenth of them killed on the way, and asks for their limits: the
// planted quantiles lie in the intervals that calibrate gives.
func TestPlanted(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	draw := func(mean time.Duration) time.Duration {
		return (100*time.Millisecond + time.Duration(rng.ExpFloat64()*float64(mean))).Truncate(time.Millisecond)
	}
	var samples []calibrate.Sample
	means := map[watchdog.Limit]time.Duration{watchdog.LimitFirstToken: 8 * time.Second, watchdog.LimitTool: 40 * time.Second}
	cut := 0
	for i := range 1000 {
		token, tool, second := draw(means[watchdog.LimitFirstToken]), draw(means[watchdog.LimitTool]), draw(means[watchdog.LimitFirstToken])
		text := fmt.Sprintf("0s prompt \"go\"\n+%s says \"One.\"\n+0s tool bash \"make\" runs %s as=make\n@make+%s says \"Done.\"\n+0s settles\n", token, tool, tool+second)
		if i%10 == 0 { // cut short while the tool runs, or before its first token
			cut++
			text = fmt.Sprintf("0s prompt \"go\"\n+%s says \"One.\"\n+0s tool bash \"make\" runs %s as=make\n@make+%s killed SIGKILL\n", token, tool, (tool / 2).Truncate(time.Millisecond))
		}
		events, end := recorded(t, text)
		samples = append(samples, calibrate.Samples(watchdog.ModeJSON, 0, events, end)...)
	}
	o := calibrate.DefaultOptions()
	proposals := calibrate.Propose(samples, o)
	for limit, mean := range means {
		want := 100*time.Millisecond + time.Duration(-math.Log(1-o.Quantile)*float64(mean))
		for _, p := range proposals {
			if p.Limit != limit || p.Tool != "" || p.Model != "" {
				continue
			}
			if want < p.Low || want > p.High || p.Value < p.High {
				t.Errorf("%s: the planted quantile is %s, the interval %s to %s, the proposal %s", limit, want, p.Low, p.High, p.Value)
			}
			if limit == watchdog.LimitTool && p.Censored != cut {
				t.Errorf("%d calls are cut short, want %d", p.Censored, cut)
			}
		}
	}
	policy, err := policyfile.Parse("policy.yaml", calibrate.PolicyFile(proposals))
	if err != nil {
		t.Fatalf("the policy file is not read: %v\n%s", err, calibrate.PolicyFile(proposals))
	}
	applied, err := calibrate.Apply(watchdog.DefaultPolicy(), proposals)
	if err != nil || policy.FirstToken != applied.FirstToken || policy.Tool != applied.Tool || policy.FirstToken == 0 {
		t.Errorf("the file says first_token %s and tool %s, the proposals %s and %s (error %v)", policy.FirstToken, policy.Tool, applied.FirstToken, applied.Tool, err)
	}
	page, err := calibrate.Page(proposals, 1000, watchdog.DefaultPolicy())
	if err != nil || !bytes.Contains(page, []byte("first_token")) || bytes.Contains(page, []byte("NaN")) || bytes.Contains(page, []byte("ZgotmplZ")) {
		t.Errorf("the page: %v, %d bytes", err, len(page))
	}
}

// A tool that surely takes other times gets a limit of its own; names that a worker made up do no harm.
func TestGroups(t *testing.T) {
	var samples []calibrate.Sample
	for i := range 1000 {
		span := time.Second + time.Duration(i%100)*time.Millisecond
		samples = append(samples, calibrate.Sample{Limit: watchdog.LimitTool, Tool: "read", Span: span},
			calibrate.Sample{Limit: watchdog.LimitTool, Tool: "}: \x1b[2J\n", Span: 600 * span})
	}
	proposals := calibrate.Propose(samples, calibrate.DefaultOptions())
	got := map[string]time.Duration{}
	for _, p := range proposals {
		got[p.Tool] = p.Value
	}
	if got[""] != 15*time.Minute || got["read"] != 2*time.Second || got["}: \x1b[2J\n"] != 0 {
		t.Errorf("the proposals are %v", got)
	}
	if _, err := policyfile.Parse("policy.yaml", calibrate.PolicyFile(proposals)); err != nil {
		t.Errorf("the policy file is not read: %v\n%s", err, calibrate.PolicyFile(proposals))
	}
	thin := calibrate.Propose(samples[:40], calibrate.DefaultOptions())
	if thin[0].Value != 0 || !strings.Contains(thin[0].Why, "too thin: 40 complete spans") {
		t.Errorf("of 40 spans it says %+v", thin[0])
	}
}
