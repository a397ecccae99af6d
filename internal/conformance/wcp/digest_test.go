package wcp_test

import (
	"flag"
	"testing"

	"fakepi.example/conformance"
	"fakepi.example/fakepi/native"
	"fakepi.example/scenarios"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

var whole = flag.Bool("matrix", false, "compare the whole matrix, in each dialect, instead of a sample")

type direct struct{}

func (direct) Name() string { return "reference" }

func (direct) Start(b watchdog.Boot) (watchdog.Watchdog, error) { return engine.New(b) }

// TestSameResults plays the reference in process and over the protocol: what was shown, said, done and stored is equal byte
// for byte, crashes included, and every line of both directions fits the schema.
func TestSameResults(t *testing.T) {
	t.Parallel()
	all, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	globs := []string{"stall/silent-after-tool*", "disk/*", "restart/torn-journal*", "restart/every-boundary*", "gate/forged-yes*"}
	explore := conformance.Options{Explore: conformance.ExploreFull, Histories: 4}
	if *whole {
		globs, explore = []string{""}, conformance.Options{}
	}
	for _, dialect := range scenarios.Dialects() {
		for _, glob := range globs {
			t.Run(dialect+" "+glob, func(t *testing.T) {
				t.Parallel()
				o := explore
				o.Dialect, o.CaseGlob, o.Seed = native.Dialect(dialect), glob, 3
				want, err := conformance.Run(t.Context(), direct{}, all, o)
				if err != nil {
					t.Fatal(err)
				}
				got, err := conformance.Run(t.Context(), piped{reference(), validating(t)}, all, o)
				if err != nil {
					t.Fatal(err)
				}
				if got.Digest != want.Digest {
					t.Errorf("the digest over the protocol is %s, in process %s", got.Digest, want.Digest)
				}
				for i := range got.Cases {
					if g, w := &got.Cases[i], &want.Cases[i]; g.Digest != w.Digest || g.Status != w.Status {
						t.Errorf("%s: %s %s %s over the protocol, %s %s in process", g.ID, g.Status, g.Reason, g.Digest, w.Status, w.Digest)
					}
				}
			})
		}
	}
}
