package main

import (
	"bufio"
	"encoding/json"
	"io"
	"log"
	"os"
	"time"

	"fakepi.example/watchdog"
)

// message is one of the suite's. The types of package watchdog have the JSON form that it uses.
type message struct {
	Type  string                 `json:"type"`
	Needs []string               `json:"needs"` // features
	Boot  watchdog.Boot          `json:"boot"`
	Now   watchdog.Instant       `json:"now"`
	Seen  []watchdog.Observation `json:"seen"`
}

type object = map[string]any

// adapter is the watchdog of the case that is played.
type adapter struct {
	dog *dog
	ack int
}

func (a *adapter) answer(m *message) ([]object, error) {
	switch m.Type {
	case "hello":
		return []object{{"type": "hello_ok", "protocol": 1, "name": "small", "wakeups": "exact", "storage": "none", "reuse": true}}, nil
	case "start":
		if len(m.Needs) > 0 {
			return []object{{"type": "unsupported", "reason": "no " + m.Needs[0]}}, nil
		}
		a.dog, a.ack = &dog{limits: m.Boot.Policy.Limits}, 0
		return []object{{"type": "ready"}}, nil
	case "stop":
		return []object{{"type": "bye"}}, nil
	}
	d, err := a.dog.Step(m.Now, m.Seen)
	if err != nil {
		return nil, err
	}
	a.ack = max(a.ack, d.Ack)
	var said []object
	for _, v := range d.Verdicts {
		said = append(said, object{"type": "verdict", "verdict": v})
	}
	for _, c := range d.Commands {
		said = append(said, object{"type": "command", "command": c})
	}
	wake := float64(d.Wake) / float64(time.Millisecond)
	return append(said, object{"type": "quiescent", "wake_ms": wake, "ack": a.ack}), nil
}

func main() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	a, say := &adapter{}, json.NewEncoder(out)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		m := &message{}
		if err == nil {
			err = json.Unmarshal(line, m)
		}
		if err != nil {
			log.Fatalf("cannot read %.200q: %v", line, err)
		}
		said, err := a.answer(m)
		if err != nil {
			log.Fatal(err)
		}
		for _, s := range said {
			_ = say.Encode(s) // Flush reports it
		}
		if err := out.Flush(); err != nil {
			log.Fatal(err)
		}
	}
}
