package process

import (
	"encoding/json"
	"fmt"
	"time"

	"fakepi.example/watchdog"
)

type moment struct {
	now  watchdog.Instant
	seen []watchdog.Observation
}

// story is a prompt, a few words, a tool and a long silence, told from a civil time on that is off by so much.
func story(off time.Duration) []moment {
	var ticks []moment
	n, offset := 0, int64(0)
	at := func(mono time.Duration, bodies ...watchdog.Body) {
		now := watchdog.Instant{
			Mono: mono, Boot: mono, BootID: "boot-1", Wall: time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC).Add(mono + off),
		}
		m := moment{now: now}
		for _, b := range bodies {
			n++
			m.seen = append(m.seen, watchdog.Observation{N: n, At: now, Worker: "w1", Generation: 1, Body: b})
		}
		ticks = append(ticks, m)
	}
	out := func(line string) watchdog.Body {
		b := watchdog.Bytes{Stream: watchdog.StreamOut, Offset: offset, Data: []byte(line + "\n")}
		offset += int64(len(b.Data))
		return b
	}
	at(0, watchdog.Spawned{Mode: watchdog.ModeRPC, Source: watchdog.SourceHeld, Parent: true, Task: "w1", PID: 4200, Start: 1})
	at(time.Second, watchdog.Bytes{Stream: watchdog.StreamIn, Data: []byte(`{"type":"prompt","message":"tidy up"}` + "\n")},
		out(`{"type":"response","command":"prompt","success":true}`), out(`{"type":"agent_start"}`), out(`{"type":"turn_start"}`))
	at(2*time.Second, out(`{"type":"message_start","message":{"role":"assistant","content":[]}}`))
	for i := range 20 {
		at(2*time.Second+time.Duration(i)*50*time.Millisecond, out(fmt.Sprintf(
			`{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"word %d "}}`, i)))
	}
	at(4*time.Second, out(`{"type":"tool_execution_start","toolCallId":"call_1","toolName":"bash","args":{"command":"make"}}`))
	for minute := time.Minute; minute <= 3*time.Hour; minute += 5 * time.Minute {
		at(4*time.Second + minute)
	}
	return ticks
}

// names gives the keys of commands other names, by first use: a subject may invent them as it likes.
type names map[string]string

// words writes a decision down, without what may differ: civil times that are off, and the names of keys.
func (n names) words(d *watchdog.Decision, off time.Duration) []string {
	var said []string
	for _, v := range d.Verdicts {
		if !v.Detail.Until.IsZero() {
			v.Detail.Until = v.Detail.Until.Add(-off)
		}
		said = append(said, inJSON(v))
	}
	for _, c := range d.Commands {
		c.Key, c.Item = n.of(c.Key), n.of(c.Item)
		if !c.NotAfter.IsZero() {
			c.NotAfter = c.NotAfter.Add(-off)
		}
		said = append(said, inJSON(c))
	}
	return append(said, fmt.Sprintf("wake %s, ack %d", d.Wake, d.Ack))
}

func (n names) of(key string) string {
	if key == "" {
		return ""
	}
	if _, ok := n[key]; !ok {
		n[key] = fmt.Sprintf("key %d", len(n)+1)
	}
	return n[key]
}

func inJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
