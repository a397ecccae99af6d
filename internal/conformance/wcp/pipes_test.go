package wcp_test

import (
	"errors"
	"io"
	"sync"
	"testing"

	"fakepi.example/conformance"
	"fakepi.example/internal/conformance/wcp"
	"fakepi.example/internal/conformance/wcp/schema"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

// reference is the adapter of the reference engine.
func reference() wcp.Adapter {
	return wcp.Adapter{Name: "reference", Start: func(b watchdog.Boot) (watchdog.Watchdog, error) { return engine.New(b) }}
}

// piped is an adapter in this process, behind pipes in memory. A crash closes them.
type piped struct {
	adapter wcp.Adapter
	tap     wcp.Tap
}

func (p piped) Name() string { return p.adapter.Name }

func (p piped) Start(b watchdog.Boot) (watchdog.Watchdog, error) {
	h, err := p.Open(conformance.Case{})
	if err != nil {
		return nil, err
	}
	return h.Start(b)
}

func (p piped) Open(c conformance.Case) (conformance.Incarnations, error) {
	return &conversation{p: p, needs: c.Needs}, nil
}

type conversation struct {
	p      piped
	needs  []string
	h      *wcp.Harness
	crash  func()
	ended  sync.WaitGroup
	broken error
}

func (c *conversation) Start(b watchdog.Boot) (watchdog.Watchdog, error) {
	if c.h != nil {
		c.crash()
		c.ended.Wait()
	}
	fromSuite, toAdapter := io.Pipe()
	fromAdapter, toSuite := io.Pipe()
	c.crash = func() {
		toAdapter.Close()
		fromAdapter.Close()
	}
	c.ended.Go(func() {
		err := wcp.Serve(fromSuite, toSuite, c.p.adapter)
		if err != nil && !errors.Is(err, io.ErrClosedPipe) {
			c.broken = err
		}
		toSuite.Close()
		fromSuite.Close()
	})
	c.h = wcp.NewHarness(fromAdapter, toAdapter, wcp.Limits{}, nil)
	c.h.Tap(c.p.tap)
	if _, err := c.h.Hello("test", "nonce"); err != nil {
		return nil, err
	}
	return c.h.Start(wcp.Start{Case: "c1", Needs: c.needs, Boot: b})
}

func (c *conversation) Close() error {
	if c.h == nil {
		return nil
	}
	err := c.h.Stop()
	c.crash()
	c.ended.Wait()
	return errors.Join(err, c.broken)
}

// validating returns a tap that fails the test on a line that the schema refuses.
func validating(t *testing.T) wcp.Tap {
	t.Helper()
	v, err := schema.New()
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	failed := 0
	return func(toAdapter bool, line []byte) {
		mu.Lock()
		defer mu.Unlock()
		if err := v.Check(toAdapter, line); err != nil && failed < 5 {
			failed++
			t.Error(err)
		}
	}
}
