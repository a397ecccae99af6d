package process

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"

	"fakepi.example/conformance"
	"fakepi.example/internal/conformance/wcp"
	"fakepi.example/watchdog"
)

// history is one conversation with an adapter, or with one for each incarnation.
type history struct {
	s     *Subject
	c     conformance.Case
	name  string
	dir   string // for its state; empty: it has none of its own
	child *child
	bad   bool // the conversation broke
}

// caseName returns a name that says nothing about a case, and that no other run has.
func (s *Subject) caseName() string {
	mac := hmac.New(sha256.New, []byte(s.cfg.Nonce))
	mac.Write([]byte(strconv.FormatInt(s.opened.Add(1), 10)))
	return hex.EncodeToString(mac.Sum(nil)[:8])
}

// Start implements conformance.Incarnations. A process from before a crash is killed with all that it has started.
func (h *history) Start(b watchdog.Boot) (watchdog.Watchdog, error) {
	if h.child != nil {
		h.child.kill()
		h.child = nil
	}
	c, err := h.s.take()
	if err != nil {
		return nil, h.broke(err)
	}
	h.child = c
	c.watch(h.dir)
	w, err := c.harness.Start(wcp.Start{Case: h.name, Needs: h.c.Needs, Boot: b, Dir: h.dir})
	switch {
	case errors.Is(err, wcp.ErrUnsupported):
		h.bad = true // no watchdog runs that could be stopped
		return nil, fmt.Errorf("%w: %w", conformance.ErrUnsupported, err)
	case err != nil:
		return nil, h.broke(c.explain(err))
	}
	return &watched{w, h}, nil
}

// broke notes that the conversation is over.
func (h *history) broke(err error) error {
	h.bad = true
	h.s.strike(h.c.ID)
	return fmt.Errorf("%w: %w", conformance.ErrUnanswered, err)
}

// Close implements conformance.Incarnations.
func (h *history) Close() error {
	err := h.end()
	if h.dir != "" {
		err = errors.Join(err, os.RemoveAll(h.dir))
	}
	return err
}

func (h *history) end() error {
	c := h.child
	h.child = nil
	switch {
	case c == nil:
		return nil
	case h.bad:
		c.kill()
		return nil
	}
	c.watch("")
	if err := c.harness.Stop(); err != nil {
		err = c.explain(err)
		c.kill()
		return err
	}
	return h.s.give(c)
}

// watched is the watchdog of one incarnation.
type watched struct {
	watchdog.Watchdog
	h *history
}

// Step implements watchdog.Watchdog.
func (w *watched) Step(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
	d, err := w.Watchdog.Step(now, seen)
	if err != nil {
		return d, w.h.broke(w.h.child.explain(err))
	}
	return d, nil
}

// Memory is how many bytes the processes of this history have resident; 0 where that cannot be measured.
func (h *history) Memory() int64 {
	if h.child == nil {
		return 0
	}
	return h.child.memory()
}
