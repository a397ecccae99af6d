package fakepi_test

import (
	"fmt"
	"time"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/script"
)

// A worker falls silent in the middle of a reply; an abort still works.
func Example() {
	s, err := script.Parse("stall.txt", []byte("0s prompt \"tidy the imports\"\n+2s says \"Let me\"\n+0s stalls\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := s.Resolve(nil); err != nil {
		fmt.Println(err)
		return
	}
	w, err := fakepi.New(fakepi.Config{Steps: s.Steps})
	if err != nil {
		fmt.Println(err)
		return
	}
	w.Step(time.Minute, nil)
	t := w.Truth(time.Minute)
	fmt.Println(t.Phase, "since", t.Since, "stuck:", t.Stuck)
	for _, o := range w.Send(time.Hour, []byte(`{"id":"a","type":"abort"}`), nil) {
		if o.Stream == fakepi.Out && len(o.Data) < 100 {
			fmt.Print(string(o.Data))
		}
	}
	fmt.Println(w.Truth(time.Hour).Phase)
	// Output:
	// streaming since 2s stuck: true
	// {"type":"agent_settled","aborted":true}
	// {"id":"a","type":"response","command":"abort","success":true}
	// settled_unproven
}
