package model

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/provider"
)

// transfer sends one reply.
type transfer struct {
	answer
	server  *Server
	out     http.ResponseWriter
	control *http.ResponseController
	events  encoder
	buf     []byte
	begun   bool // headers were sent, or wait in buf's place
	start   time.Time
	due     time.Duration // of the next op, since start
}

// maxHeld bounds what one write holds back, in bytes.
const maxHeld = 1 << 20

// send plays the ops until their end, or until Pi has gone.
func (t *transfer) send(ctx context.Context) {
	for _, op := range t.reply.Ops {
		if !t.play(ctx, op) {
			return
		}
	}
	t.sent()
	t.flush()
	t.log(Record{Event: "end"})
}

// play sends one op and reports whether the reply goes on.
func (t *transfer) play(ctx context.Context, op Op) bool {
	if wait, ok := op.(Wait); ok {
		return t.wait(ctx, wait)
	}
	t.log(Record{Event: "op", Op: op.op(), Value: op})
	switch op := op.(type) {
	case Headers:
		t.begin()
	case Refuse:
		t.refuse(op)
	case Reset:
		t.breakOff(true)
		return false
	case Close:
		t.breakOff(false)
		return false
	case Hang:
		return t.wait(ctx, Wait{never, op.Keepalive})
	default:
		t.begin()
		t.buf = t.events.append(t.buf, op)
		if len(t.buf) > maxHeld {
			t.flush()
		}
	}
	return true
}

func (t *transfer) log(r Record) {
	r.N = t.n
	t.server.log.write(r)
}

// wait lets time pass up to w behind the op before, however long that took. It reports false if Pi has gone.
func (t *transfer) wait(ctx context.Context, w Wait) bool {
	t.flush()
	end := t.due + min(w.D, never-t.due)
	for w.Keepalive > 0 && t.due+w.Keepalive < end {
		t.due += w.Keepalive
		if !t.sleep(ctx) {
			return false
		}
		t.begin()
		t.buf = t.events.append(t.buf, Keepalive{})
		t.flush()
	}
	t.due = end
	return t.sleep(ctx)
}

// sleep waits until the next op is due.
func (t *transfer) sleep(ctx context.Context) bool {
	c := t.server.clock
	left := t.due - c.Since(t.start)
	if left <= 0 {
		return true
	}
	timer := c.Timer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		t.log(Record{Event: "gone"})
		return false
	}
}

func (t *transfer) begin() {
	if t.begun {
		return
	}
	t.begun = true
	h := t.out.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	t.out.WriteHeader(http.StatusOK)
}

// flush sends what was held back. Its errors show as the end of the request's context.
func (t *transfer) flush() {
	if !t.begun {
		return
	}
	t.out.Write(t.buf)
	t.buf = t.buf[:0]
	t.control.Flush()
}

func (t *transfer) refuse(op Refuse) {
	f := op.Failure
	if op.Reset > 0 {
		at := native.AppendISO(nil, t.server.clock.Now().Add(op.Reset).UnixMilli())
		f.Message = provider.QuotaMessage(string(at))
	}
	if t.begun {
		t.buf = t.events.failure(t.buf, f)
		return
	}
	body := op.Body
	if body == nil {
		body = t.events.body(f)
	}
	h := t.out.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if d := op.RetryAfter; d > 0 && d%time.Second == 0 {
		h.Set("Retry-After", strconv.FormatInt(int64(d/time.Second), 10))
	} else if d > 0 {
		h.Set("Retry-After-Ms", strconv.FormatInt(d.Milliseconds(), 10))
	}
	t.out.WriteHeader(f.Status)
	t.out.Write(body)
}

// breakOff ends the connection within the response.
func (t *transfer) breakOff(reset bool) {
	t.sent()
	t.flush()
	conn, _, err := t.control.Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // the connection is gone already, or is none of TCP: let it end
	}
	if tcp, ok := conn.(*net.TCPConn); ok && reset {
		tcp.SetLinger(0)
	}
	conn.Close()
}
