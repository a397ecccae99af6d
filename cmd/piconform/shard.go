package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"fakepi.example/conformance"
)

// ciShards are the variables by which CI systems tell a job which of several it is: GitLab, CircleCI, Buildkite, an
// indexed Kubernetes job whose manifest also sets JOB_COMPLETIONS, and a Slurm array, which begins where it likes.
var ciShards = []struct {
	index, of string
	from      string // the first index, or the variable that holds it
}{
	{"CI_NODE_INDEX", "CI_NODE_TOTAL", "1"},
	{"CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", "0"},
	{"BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", "0"},
	{"JOB_COMPLETION_INDEX", "JOB_COMPLETIONS", "0"},
	{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN"},
}

// errNoCI says that auto was asked for where nothing tells the shard.
var errNoCI = errors.New("--shard auto, and no CI system tells which shard this is; write it like 2/8")

// parseShard reads the flag. The environment is asked only for auto: a variable that somebody left must not make a run
// a part of one.
func parseShard(text string, env func(string) string) (conformance.Shard, error) {
	if text != "auto" {
		return conformance.ParseShard(text)
	}
	for _, v := range ciShards {
		index, of := env(v.index), env(v.of)
		if index == "" || of == "" {
			continue
		}
		i, err := strconv.Atoi(index)
		if err != nil {
			return conformance.Shard{}, fmt.Errorf("%s is %q, which is no number", v.index, index)
		}
		from, err := strconv.Atoi(cmp.Or(env(v.from), v.from))
		if err != nil {
			return conformance.Shard{}, fmt.Errorf("%s is not set, so that nobody knows where the array begins", v.from)
		}
		return conformance.ParseShard(fmt.Sprintf("%d/%s", i+1-from, of))
	}
	return conformance.Shard{}, errNoCI
}
