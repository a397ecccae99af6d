package watchdog_test

import (
	"encoding/json"
	"fmt"
	"time"

	"fakepi.example/watchdog"
)

// barker barks at a worker that has written nothing for the limit of stall, and has no idea of anything else.
type barker struct {
	policy watchdog.Policy
	heard  time.Duration // when the worker last wrote
	told   bool
}

// Step takes what was observed, and says what is to be done and when it wants to look again.
func (b *barker) Step(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
	var d watchdog.Decision
	for _, o := range seen {
		d.Ack = o.N // it need not come again after a crash
		if bytes, ok := o.Body.(watchdog.Bytes); ok && bytes.Stream == watchdog.StreamOut {
			b.heard = o.At.Mono
		}
	}
	switch due := b.heard + b.policy.Stall; {
	case b.told:
	case now.Mono < due:
		d.Wake = due
	default:
		b.told = true
		d.Commands = []watchdog.Command{{Key: "w1/silent", Kind: watchdog.CmdNotify, Worker: "w1", Text: "w1 is silent"}}
	}
	return d, nil
}

// A watchdog has no clock: whoever runs it passes the time.
func Example() {
	var dog watchdog.Watchdog = &barker{policy: watchdog.DefaultPolicy()}
	first := watchdog.Instant{Mono: time.Second}
	wrote := watchdog.Observation{
		N: 1, Worker: "w1", At: first, Body: watchdog.Bytes{Stream: watchdog.StreamOut, Data: []byte("{}\n")},
	}
	d, err := dog.Step(first, []watchdog.Observation{wrote})
	fmt.Println("look again at", d.Wake, err)
	d, err = dog.Step(watchdog.Instant{Mono: d.Wake}, nil)
	fmt.Println(d.Commands[0].Kind, d.Commands[0].Text, err)
	// Output:
	// look again at 30m1s <nil>
	// notify w1 is silent <nil>
}

// A policy is written as JSON too; what it does not say has its default.
func ExamplePolicy() {
	var p watchdog.Policy
	if err := json.Unmarshal([]byte(`{"version":1,"first_token_ms":90000}`), &p); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.FirstToken, p.Stall, p.Effects[watchdog.EffectRespawn])
	err := json.Unmarshal([]byte(`{"first_tokn_ms":90000}`), &p)
	fmt.Println(err)
	// Output:
	// 1m30s 30m0s ask
	// bad JSON: policy: unknown member "first_tokn_ms"
}
