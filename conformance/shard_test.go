package conformance_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fakepi.example/conformance"
)

// However many shards a run has, their merged result has the digest of the whole.
func TestMerge(t *testing.T) {
	o := conformance.Options{CaseGlob: played, Seed: 7}
	whole := run(t, hasty(), small(t), o)
	for of := 1; of <= len(whole.Cases); of++ {
		var shards []*conformance.Result
		for i := of; i > 0; i-- { // in any order
			o.Shard = conformance.Shard{Index: i, Of: of}
			shards = append(shards, run(t, hasty(), small(t), o))
		}
		got, err := conformance.Merge(shards)
		if err != nil {
			t.Fatal(err)
		}
		if got.Digest != whole.Digest || got.Histories != whole.Histories || got.Counts[conformance.Fail] != whole.Counts[conformance.Fail] {
			t.Errorf("%d shards: digest %s, want %s", of, got.Digest, whole.Digest)
		}
	}
}

func TestMergeOfOthers(t *testing.T) {
	shard := func(i, of int, seed uint64) *conformance.Result {
		return &conformance.Result{Shard: conformance.Shard{Index: i, Of: of}, Seed: seed}
	}
	cases := []struct {
		shards []*conformance.Result
		want   string
	}{
		{nil, "there is none"},
		{[]*conformance.Result{{}}, "whole run"},
		{[]*conformance.Result{shard(1, 3, 0), shard(3, 3, 0)}, "shard 2/3 is missing"},
		{[]*conformance.Result{shard(1, 3, 0), shard(2, 3, 0)}, "shard 3/3 is missing"},
		{[]*conformance.Result{shard(1, 2, 0), shard(1, 2, 0)}, "shard 1/2 is there twice"},
		{[]*conformance.Result{shard(1, 2, 0), shard(2, 2, 1)}, "shard 2/2 was run with another"},
		{[]*conformance.Result{shard(1, 2, 0), shard(2, 3, 0)}, "one is shard 1/2, another 2/3"},
		{[]*conformance.Result{shard(1, 2, 0), {Shard: conformance.Shard{Index: 2, Of: 2}, Pattern: "race/*"}}, "shard 2/2 was run with another"},
		{[]*conformance.Result{shard(1, 2, 0), shard(2, 2, 0)}, "shard 1/2 is not as it was written"},
	}
	for _, c := range cases {
		if _, err := conformance.Merge(c.shards); !errors.Is(err, conformance.ErrShards) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func TestShards(t *testing.T) {
	for _, text := range []string{"0/2", "3/2", "2", "a/b", "1/2x", "-1/-2", "1/0"} {
		if _, err := conformance.ParseShard(text); !errors.Is(err, conformance.ErrOptions) {
			t.Errorf("%q: got %v, want %v", text, err, conformance.ErrOptions)
		}
	}
	o := conformance.Options{CaseGlob: "ttft/just-in-time", Shard: conformance.Shard{Index: 3, Of: 3}}
	if _, err := conformance.Run(context.Background(), reference{}, small(t), o); !errors.Is(err, conformance.ErrNoCases) {
		t.Errorf("an empty shard: got %v, want %v", err, conformance.ErrNoCases)
	}
}
