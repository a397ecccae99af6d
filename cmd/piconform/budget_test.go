package main

import (
	"testing"
	"time"
)

func TestParseBudget(t *testing.T) {
	cases := []struct {
		text string
		want budget
		bad  bool
	}{
		{text: ""},
		{text: "2000", want: budget{histories: 2000}},
		{text: "1m30s", want: budget{span: 90 * time.Second}},
		{text: "0", bad: true},
		{text: "-5s", bad: true},
		{text: "much", bad: true},
	}
	for _, c := range cases {
		got, err := parseBudget(c.text)
		if got != c.want || (err != nil) != c.bad {
			t.Errorf("%q: got %+v, %v", c.text, got, err)
		}
	}
}

func TestPace(t *testing.T) {
	cases := []struct {
		reason    string
		histories int
		now       time.Duration
		want      int
	}{
		{"there is time for much: no more than four times as many", 64, time.Second, 256},
		{"192 took 19s, and a quarter of the 39.4s left is given to more", 256, 20 * time.Second, 256 + 99},
		{"99 took 10s", 355, 30 * time.Second, 355 + 72},
		{"72 took 28s, and one takes longer than what is given", 427, 58 * time.Second, 427},
		{"the reserve is left", 427, 59500 * time.Millisecond, 0},
	}
	p := pace{span: time.Minute}
	for _, c := range cases {
		if got := p.next(c.histories, c.now); got != c.want {
			t.Errorf("%s: got %d, want %d", c.reason, got, c.want)
		}
	}
	if got := p.next(427, 2*time.Minute); got != 0 {
		t.Errorf("the time is over: got %d, want 0", got)
	}
}
