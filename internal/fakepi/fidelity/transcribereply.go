package fidelity

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/model"
)

// answer writes the reply that begins with record i.
func (t *transcriber) answer(i int) {
	t.toolAt = 0
	end := t.next(i, "message_end(assistant)")
	var final native.Object
	if end >= 0 {
		o, _ := t.records[end].Value.(native.Object)
		final = object(o, "message")
	}
	if final.Text("stopReason") == "aborted" && t.records[i+1].Kind == "message_end(assistant)" {
		return // Pi has made it up
	}
	reply, ok := t.take()
	again := 0
	for ok && refuses(reply) && final.Text("stopReason") != "error" { // a client library has asked again
		reply, ok = t.take()
		again++
	}
	t.askedAgain(again, t.events[i].At)
	if !ok {
		return
	}
	for range t.hidden(reply) {
		t.take()
	}
	t.ops(i, reply, final.Text("errorMessage"))
}

// askedAgain writes so many retries until a moment that nothing was printed of.
func (t *transcriber) askedAgain(n int, until time.Duration) {
	for ; n > 0; n-- {
		delay := ((until - t.lastOut) / time.Duration(n)).Truncate(time.Millisecond)
		t.step(t.lastOut, "retries %s hidden", script.FormatDuration(delay))
		t.lastOut += delay
	}
}

// hidden is how many requests more a client library has made of one that failed before Pi knew: with pi-0.73 two.
func (t *transcriber) hidden(r model.Reply) int {
	n := 0
	if t.meta.PiVersion == Version(native.Pi073) && refuses(r) {
		for n < 2 && t.reply+n < len(t.replies) && refuses(t.replies[t.reply+n]) {
			n++
		}
	}
	return n
}

func refuses(r model.Reply) bool {
	if len(r.Ops) == 0 {
		return false
	}
	_, ok := r.Ops[0].(model.Refuse)
	return ok
}

// ops writes a reply, op by op, from when Pi asked for it. failed is what Pi says of it.
func (t *transcriber) ops(i int, reply model.Reply, failed string) {
	at := max(t.lastOut, t.free)
	finished := false
	for n := 0; n < len(reply.Ops); n++ {
		switch op := reply.Ops[n].(type) {
		case model.Wait:
			at += op.D
		case model.Role:
			t.step(at, "opens")
		case model.Text:
			t.step(at, "says %s", script.Quote(op.Delta))
		case model.Thinking:
			t.step(at, "thinks %s", script.Quote(op.Delta))
		case model.Call:
			n += t.call(at, op, reply.Ops[n+1:])
		case model.Usage:
			t.step(at, "reports input %d output %d cached %d reasoning %d", op.Input, op.Output, op.Cached, op.Reasoning)
		case model.Finish:
			finished = true
			defer t.finish(i, op.Reason) // behind the usage
		case model.Refuse:
			finished = true
			t.step(t.events[i].At, "refused %s", refusal(op))
		case model.Reset:
			finished = true
			t.step(at, "refused transient by=%s", broken(failed))
		case model.Hang:
			return
		}
	}
	if !finished {
		t.step(at, "refused transient by=end")
	}
}

// broken is how a connection broke, which the system tells Pi in one way or the other.
func broken(failed string) string {
	if strings.Contains(failed, "other side closed") {
		return "close"
	}
	return "reset"
}

// call writes a call with its chunks, and returns how many ops they were.
func (t *transcriber) call(at time.Duration, call model.Call, ops []model.Op) int {
	args, n := "", 0
	for _, op := range ops {
		chunk, ok := op.(model.Arguments)
		if !ok {
			break
		}
		args, n = args+chunk.Delta, n+1
	}
	t.calls[call.ID] = len(t.calls) + 1
	t.step(at, "calls %s args %s chunks %d as=c%d", call.Name, script.Quote(args), max(n, 1), t.calls[call.ID])
	return n
}

// finish closes a reply. Calls close it themselves, and the last one the end of the run.
func (t *transcriber) finish(i int, why model.Reason) {
	next := t.next(i, "agent_end", "turn_start")
	switch {
	case why == model.ReasonLength:
		t.step(t.at, "closes length")
	case why == model.ReasonFilter:
		t.step(t.at, "refused other by=filter")
	case why == model.ReasonStop && next >= 0 && t.records[next].Kind == "turn_start":
		t.step(t.at, "closes stop")
	}
}

// refusal is an error by its status.
func refusal(op model.Refuse) string {
	var body struct {
		Error struct{ Message, Type string }
	}
	_ = json.Unmarshal(op.Body, &body) // a body of another form has no message
	class := "transient"
	switch {
	case op.Failure.Status == 401 || op.Failure.Status == 403:
		class = "auth"
	case strings.Contains(body.Error.Message, "maximum context length"):
		class = "overflow"
	case op.Failure.Status == 400:
		class = "other"
	}
	return fmt.Sprintf("%s %s status=%d type=%s", class, script.Quote(body.Error.Message), op.Failure.Status, body.Error.Type)
}
