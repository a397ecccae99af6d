package main

import "testing"

func TestParseShard(t *testing.T) {
	cases := []struct {
		reason, text string
		env          map[string]string
		want         string
		bad          bool
	}{
		{reason: "the whole"},
		{reason: "the environment is not asked", env: map[string]string{"CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "2"}},
		{reason: "as written", text: "2/8", want: "2/8"},
		{reason: "counted from 1", text: "auto", env: map[string]string{"CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "2"}, want: "1/2"},
		{reason: "counted from 0", text: "auto", env: map[string]string{"CIRCLE_NODE_INDEX": "1", "CIRCLE_NODE_TOTAL": "2"}, want: "2/2"},
		{reason: "an indexed job", text: "auto", env: map[string]string{"JOB_COMPLETION_INDEX": "0", "JOB_COMPLETIONS": "3"}, want: "1/3"},
		{reason: "a Slurm array that begins at 5", text: "auto", env: map[string]string{"SLURM_ARRAY_TASK_ID": "6", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "5"}, want: "2/4"},
		{reason: "an array without a beginning", text: "auto", env: map[string]string{"SLURM_ARRAY_TASK_ID": "6", "SLURM_ARRAY_TASK_COUNT": "4"}, bad: true},
		{reason: "nobody tells", text: "auto", bad: true},
		{reason: "out of range", text: "9/8", bad: true},
		{reason: "no number", text: "auto", env: map[string]string{"CI_NODE_INDEX": "x", "CI_NODE_TOTAL": "2"}, bad: true},
	}
	for _, c := range cases {
		got, err := parseShard(c.text, func(name string) string { return c.env[name] })
		if got.String() != c.want || (err != nil) != c.bad {
			t.Errorf("%s: got %q, %v; want %q", c.reason, got, err, c.want)
		}
	}
}
