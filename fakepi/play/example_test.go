package play_test

import (
	"context"
	"fmt"
	"os"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/play"
	"fakepi.example/fakepi/script"
)

// A script played at once: what the worker prints goes to stdout as Pi would print it.
func ExamplePlayer() {
	s, err := script.Parse("done.txt", []byte("0s prompt \"tidy the imports\"\n+2s says \"Done.\"\n+0s settles\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := s.Resolve(nil); err != nil {
		fmt.Println(err)
		return
	}
	worker, err := fakepi.New(fakepi.Config{Steps: s.Steps})
	if err != nil {
		fmt.Println(err)
		return
	}
	player := play.Player{Worker: worker, Out: short{}, Speed: 0}
	exit, err := player.Play(context.Background())
	fmt.Println("still there:", exit == nil, err)
	// Output:
	// {"type":"agent_start"}
	// {"type":"turn_start"}
	// {"type":"agent_settled","aborted":false}
	// still there: true <nil>
}

// short prints only lines that are short.
type short struct{}

func (short) Write(line []byte) (int, error) {
	if len(line) < 60 {
		return os.Stdout.Write(line)
	}
	return len(line), nil
}
