package engine_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/watchdog"
)

// TestWordsOnNobody: nobody's words on no worker change nothing, and are no error (WDC-GATE-007).
func TestWordsOnNobody(t *testing.T) {
	for _, body := range []watchdog.Body{
		watchdog.Owner{Item: "w1/1/1/propose_abort/1", Approve: true},
		watchdog.Operator{Intent: watchdog.IntentStop},
	} {
		d := newDialogue(t, "durable\n0s w1 begins\nuntil 1s")
		before := d.engine.Memory()
		d.observe("", body)
		if diff := cmp.Diff(before, d.engine.Memory()); diff != "" {
			t.Errorf("%s (-before +after):\n%s", body.Kind(), diff)
		}
	}
}

// TestWordsToTheOwner: what the owner reads has nothing in it that a terminal obeys, whatever the evidence is called by who
// took it (WDC-SAFE-001).
func TestWordsToTheOwner(t *testing.T) {
	d := newDialogue(t, "durable\nanswer processes 100:agent:S:1s\nanswer world d1\non snapshot done digest=d\x1b[31m\u202e1\n0s w1 begins\nuntil 1h")
	proposals := 0
	for stream := json.NewDecoder(&d.decided); ; {
		var said watchdog.Decision
		if err := stream.Decode(&said); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for _, c := range said.Commands {
			if c.Kind == watchdog.CmdPropose {
				proposals++
			}
			if strings.ContainsFunc(c.Text, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) }) {
				t.Errorf("%s says %q", c.Key, c.Text)
			}
		}
	}
	if proposals == 0 {
		t.Error("nothing was proposed")
	}
}
