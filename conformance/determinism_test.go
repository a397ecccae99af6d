package conformance_test

import (
	"flag"
	"testing"

	"fakepi.example/conformance"
	"fakepi.example/scenarios"
)

var runs = flag.Int("runs", 20, "how often TestRuns plays its sample")

// sample is a part of the matrix with everything in it that a history may turn on: workers that stall, recovery, crashes
// at every boundary.
var sample = conformance.Options{CaseGlob: "restart/every-boundary*", Seed: 11, Explore: conformance.ExploreFull, Histories: 6}

// One seed is one digest, run after run, however many histories are played at once. `make determinism` runs it a thousand
// times.
func TestRuns(t *testing.T) {
	all, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	times := *runs
	if testing.Short() {
		times = 4 // one for each number of jobs
	}
	want := ""
	for i := range times {
		o := sample
		o.Jobs = 1 + i%4
		r := run(t, reference{}, all, o)
		if r.Histories < 2 || r.Counts[conformance.HarnessError] > 0 {
			t.Fatalf("%d histories, %v: the sample proves nothing", r.Histories, r.Counts)
		}
		if want == "" {
			want = r.Digest
		}
		if r.Digest != want {
			t.Fatalf("run %d on %d jobs: digest %s, want %s", i+1, o.Jobs, r.Digest, want)
		}
	}
	t.Logf("%d runs, one digest: %s", times, want)
}

// Shards 1 to 8, however many of them, merged are the whole: one digest.
func TestShardsOfMatrix(t *testing.T) {
	all, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	o := conformance.Options{CaseGlob: "act/*", Seed: 5, Explore: conformance.ExploreFull, Histories: 3}
	whole := run(t, reference{}, all, o)
	most := 8
	if testing.Short() {
		most = 2
	}
	for of := 1; of <= most; of++ {
		var shards []*conformance.Result
		for i := range of {
			o.Shard = conformance.Shard{Index: i + 1, Of: of}
			shards = append(shards, run(t, reference{}, all, o))
		}
		merged, err := conformance.Merge(shards)
		if err != nil {
			t.Fatal(err)
		}
		if merged.Digest != whole.Digest || merged.Histories != whole.Histories {
			t.Errorf("%d shards: digest %s of %d histories, want %s of %d", of, merged.Digest, merged.Histories, whole.Digest, whole.Histories)
		}
	}
}
