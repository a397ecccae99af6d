package conformance_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fakepi.example/conformance"
	"fakepi.example/fakepi/native"
	"fakepi.example/scenarios"
	"fakepi.example/watchdog"
)

func TestTokenRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := conformance.Token{
			Suite:   conformance.Version,
			Case:    rapid.StringMatching(`[a-z]{1,8}/[a-z-]{1,12}(~twin)?`).Draw(t, "case"),
			Dialect: native.Pi16,
			Seed:    rapid.Uint64().Draw(t, "seed"),
		}
		vector := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 20).Draw(t, "vector")
		for len(vector) > 0 && vector[len(vector)-1] == 0 {
			vector = vector[:len(vector)-1]
		}
		want.Vector = vector
		for _, pick := range vector {
			if pick != 0 {
				want.Labels = append(want.Labels, rapid.String().Draw(t, "label"))
			}
		}
		want.Profile = rapid.SampledFrom(append(scenarios.Profiles(), "")).Draw(t, "profile")
		want.Without = rapid.SliceOfNDistinct(rapid.IntRange(0, 99), 0, 5, rapid.ID).Draw(t, "without")
		if slices.Sort(want.Without); len(want.Without) > 0 {
			want.Source = rapid.Uint32().Draw(t, "source")
		}
		got, err := conformance.ParseToken(want.String())
		if err != nil || !got.Equal(want) || got.Source != want.Source || !slices.Equal(got.Labels, want.Labels) {
			t.Fatalf("%s: got %+v, %v", want, got, err)
		}
	})
}

// Whatever is changed in a token is noticed.
func TestTokenDamage(t *testing.T) {
	text := conformance.Token{Suite: conformance.Version, Case: "wait/dialog~twin", Dialect: native.Pi16, Seed: 42, Vector: []int{0, 0, 1}}.String()
	for i := range text {
		damaged := text[:i] + "#" + text[i+1:]
		if _, err := conformance.ParseToken(damaged); !errors.Is(err, conformance.ErrToken) {
			t.Errorf("%s: got %v, want %v", damaged, err, conformance.ErrToken)
		}
		if _, err := conformance.ParseToken(text[:i]); !errors.Is(err, conformance.ErrToken) {
			t.Errorf("%s: got %v, want %v", text[:i], err, conformance.ErrToken)
		}
	}
	old := conformance.Token{Suite: "0", Case: "wait/dialog", Dialect: native.Pi16}.String()
	if _, err := conformance.ParseToken(old); !errors.Is(err, conformance.ErrForeign) || !strings.Contains(err.Error(), "piconform run") {
		t.Errorf("an older suite's: got %v, want %v and what to do", err, conformance.ErrForeign)
	}
}

func TestReplay(t *testing.T) {
	failed := run(t, hasty(), small(t), conformance.Options{Seed: 3, CaseGlob: "ttft/just-in-time"}).Cases[0].Failures[0]
	token, err := conformance.ParseToken(failed.Token)
	if err != nil {
		t.Fatal(err)
	}
	again, err := conformance.Replay(hasty(), small(t), token)
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Case.Failures) == 0 || again.Case.Failures[0].Actual != failed.Actual || again.Case.Failures[0].Event != failed.Event {
		t.Errorf("got %+v, want %+v", again.Case.Failures, failed)
	}
	if !strings.Contains(again.Timeline, "agent_settled") {
		t.Errorf("the timeline is not whole:\n%s", again.Timeline)
	}
	if want := ">      89.000s  breaks " + failed.Requirement; !strings.Contains(again.Timeline, want) {
		t.Errorf("the timeline does not say %q:\n%s", want, again.Timeline)
	}
	token.Case = "ttft/just-in-tine"
	if _, err := conformance.Replay(hasty(), small(t), token); !errors.Is(err, conformance.ErrForeign) || !strings.Contains(err.Error(), "ttft/just-in-time") {
		t.Errorf("another matrix: got %v, want %v and the cases that there are", err, conformance.ErrForeign)
	}
	token.Case, token.Vector = "ttft/just-in-time", []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 9}
	if _, err := conformance.Replay(hasty(), small(t), token); !errors.Is(err, conformance.ErrForeign) {
		t.Errorf("choices that do not fit: got %v, want %v", err, conformance.ErrForeign)
	}
}

// A token of a dialect in which its scenario does not apply is refused.
func TestReplayOfAnotherDialect(t *testing.T) {
	all := matrix(t, strings.Replace(slowToken, "policy ", "dialects pi-1.6 \"not there\"\npolicy ", 1))
	token := conformance.Token{Suite: conformance.Version, Case: "ttft/just-in-time", Dialect: native.Pi073}
	if _, err := conformance.Replay(reference{}, all, token); !errors.Is(err, conformance.ErrForeign) || !strings.Contains(err.Error(), "not there") {
		t.Errorf("got %v, want %v and why", err, conformance.ErrForeign)
	}
}

// A failure in an order that is not the base history's is replayed in that order.
func TestReplayOrder(t *testing.T) {
	all := matrix(t, slowToken)
	failures := run(t, atOnce(), all, conformance.Options{CaseGlob: "ttft/just-in-time"}).Cases[0].Failures
	if len(failures) == 0 {
		t.Fatal("no failure in any order")
	}
	f := failures[0]
	token, err := conformance.ParseToken(f.Token)
	if err != nil {
		t.Fatal(err)
	}
	if len(token.Labels) != 1 || token.Labels[0] != "order at 1m30s" {
		t.Errorf("%s says that it deviates in %q", f.Token, token.Labels)
	}
	gone := token
	gone.Labels = []string{"crash at 1m29s"}
	if _, err := conformance.Replay(atOnce(), all, gone); !errors.Is(err, conformance.ErrForeign) ||
		!strings.Contains(err.Error(), `(crash at 1m29s) is gone: there is "order at 1m30s" in its place`) {
		t.Errorf("a choice that is gone: got %v", err)
	}
	if len(token.Vector) == 0 {
		t.Errorf("%s fails in the base history: %s, want only in the other order", f.Requirement, f.Actual)
	}
	again, err := conformance.Replay(atOnce(), all, token)
	if err != nil || len(again.Case.Failures) == 0 || again.Case.Failures[0].Actual != f.Actual {
		t.Errorf("replay of %s: got %v, want %s", f.Token, err, f.Actual)
	}
}

// TestReplayKeepsTheProfile: what core does not judge is found neither by a run of core nor by the replay of its failure.
func TestReplayKeepsTheProfile(t *testing.T) {
	all := matrix(t, dialog)
	mute := spoilt{name: "mute", step: func(w watchdog.Watchdog, now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
		d, err := w.Step(now, seen)
		d.Commands = nil
		for i := range d.Verdicts {
			d.Verdicts[i].Detail.Dialog = "" // which profile explain asks for
		}
		return d, err
	}}
	found := func(profile string) (played, again []string) {
		r := run(t, mute, all, conformance.Options{Profile: profile, CaseGlob: "wait/dialog", Explore: conformance.ExploreNone})
		for _, f := range r.Cases[0].Failures {
			played = append(played, f.Requirement+" "+f.Mistake)
		}
		token, err := conformance.ParseToken(r.Cases[0].Failures[0].Token)
		if err != nil {
			t.Fatal(err)
		}
		replayed, err := conformance.Replay(mute, all, token)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range replayed.Case.Failures {
			again = append(again, f.Requirement+" "+f.Mistake)
		}
		return played, again
	}
	inAll, again := found("")
	if !slices.Equal(inAll, again) {
		t.Errorf("a run found %q, its replay %q", inAll, again)
	}
	inCore, again := found("core")
	if !slices.Equal(inCore, again) || slices.Equal(inCore, inAll) {
		t.Errorf("core found %q, its replay %q, all profiles %q", inCore, again, inAll)
	}
}
