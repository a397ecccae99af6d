// Package process runs an adapter of WCP/1 as a child process and makes it a subject of the suite. It is the one package of
// the suite that starts processes, and it starts what its caller names, nothing else.
package process

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"fakepi.example/conformance"
	"fakepi.example/internal/conformance/wcp"
	"fakepi.example/watchdog"
)

// ErrAdapter is wrapped by the error about an adapter that cannot be judged at all.
var ErrAdapter = errors.New("the adapter cannot be judged")

// Config says what is run, and within which bounds.
type Config struct {
	Command []string // the program and its arguments
	Dir     string   // for the state of its cases; empty: a new folder, removed by Close
	Limits  wcp.Limits
	Memory  int64        // bytes that its processes may have resident together; 0 = 1 GiB
	Disk    int64        // bytes that a case may store; 0 = 256 MiB
	Log     func(string) // receives its log messages, from several goroutines; nil: nobody
	Tap     wcp.Tap      // sees what is said, from several goroutines; nil: nobody
	Nonce   string       // of this run; empty: a random one
}

// Subject is an adapter, to be judged. Close it behind the last run.
type Subject struct {
	cfg     Config
	dir     string // of all state
	ownDir  bool
	hello   wcp.HelloOK
	opened  atomic.Int64
	mu      sync.Mutex
	idle    []*child // that can be started again
	closed  bool
	guard   sync.Mutex
	strikes map[string]int // conversations that broke, by case
}

var _ conformance.Isolated = (*Subject)(nil)

// suite is how the suite names itself to adapters.
const suite = conformance.Version

// maxStrikes is how many conversations of one case may break: each may cost the time of an answer that does not come.
const maxStrikes = 3

// New starts an adapter, asks what it is, and checks that it refuses a feature that there is not. The error wraps ErrAdapter.
func New(ctx context.Context, cfg Config) (*Subject, error) {
	cfg.Memory, cfg.Disk = cmp.Or(cfg.Memory, 1<<30), cmp.Or(cfg.Disk, 256<<20)
	if cfg.Nonce == "" {
		var random [16]byte
		_, _ = rand.Read(random[:]) // never fails
		cfg.Nonce = hex.EncodeToString(random[:])
	}
	s := &Subject{cfg: cfg, dir: cfg.Dir, strikes: map[string]int{}}
	if s.dir == "" {
		dir, err := os.MkdirTemp("", "wcp-")
		if err != nil {
			return nil, err
		}
		s.dir, s.ownDir = dir, true
	}
	if err := s.introduce(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrAdapter, err), s.Close())
	}
	return s, nil
}

// introduce learns what the adapter is, and whether it claims what nobody can have.
func (s *Subject) introduce(ctx context.Context) error {
	c, err := s.spawn()
	if err != nil {
		return err
	}
	defer c.kill()
	stop := context.AfterFunc(ctx, c.kill)
	defer stop()
	if s.hello, err = c.hello(); err != nil {
		return c.explain(err)
	}
	return c.explain(RefusesMadeUpFeature(c.harness, s.cfg.Nonce, s.boot()))
}

// boot is a start for a conversation that is about nothing.
func (s *Subject) boot() watchdog.Boot {
	return watchdog.Boot{
		Policy: watchdog.DefaultPolicy(), Incarnation: 1, Poll: s.hello.PollEvery(),
		Now: watchdog.Instant{Wall: time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC), BootID: "boot-1"},
	}
}

// RefusesMadeUpFeature starts a case that needs a feature which no adapter can have. A right one refuses.
func RefusesMadeUpFeature(h *wcp.Harness, nonce string, boot watchdog.Boot) error {
	_, err := h.Start(wcp.Start{Case: "feature-" + nonce, Needs: []string{"made-up-" + nonce[:min(8, len(nonce))]}, Boot: boot})
	switch {
	case errors.Is(err, wcp.ErrUnsupported):
		return nil
	case err == nil:
		return &wcp.Violation{Rule: "WCP-05", What: `a case that needs a made-up feature was answered with "ready"; answer "unsupported" where "needs" names what hello_ok does not`}
	}
	return err
}

// Name implements conformance.Subject.
func (s *Subject) Name() string { return s.hello.Name }

// Hello is what the adapter says of itself.
func (s *Subject) Hello() wcp.HelloOK { return s.hello }

// Poll implements conformance.Poller.
func (s *Subject) Poll() time.Duration { return s.hello.PollEvery() }

// Features implements conformance.Featured.
func (s *Subject) Features() []string { return s.hello.Features }

// Start implements conformance.Subject: a history that ends with Close.
func (s *Subject) Start(b watchdog.Boot) (watchdog.Watchdog, error) {
	h, err := s.Open(conformance.Case{})
	if err != nil {
		return nil, err
	}
	return h.Start(b)
}

// Open implements conformance.Isolated.
func (s *Subject) Open(c conformance.Case) (conformance.Incarnations, error) {
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.strikes[c.ID] >= maxStrikes {
		return nil, fmt.Errorf("the adapter broke off in %d histories of this case, so that no other is played", maxStrikes)
	}
	h := &history{s: s, c: c, name: s.caseName()}
	if s.hello.Storage == wcp.StorageDirectory {
		h.dir = filepath.Join(s.dir, h.name)
		if err := os.Mkdir(h.dir, 0o700); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// Close ends all processes and removes what was stored. Its error says which of them did not end in good order.
func (s *Subject) Close() error {
	s.mu.Lock()
	idle := s.idle
	s.idle, s.closed = nil, true
	s.mu.Unlock()
	var all error
	for _, c := range idle {
		if err := c.dismiss(); err != nil && all == nil { // each of them would say the same
			all = err
		}
	}
	if s.ownDir {
		all = errors.Join(all, os.RemoveAll(s.dir))
	}
	return all
}

// take returns a process that has said hello.
func (s *Subject) take() (*child, error) {
	s.mu.Lock()
	if n := len(s.idle); n > 0 {
		c := s.idle[n-1]
		s.idle = s.idle[:n-1]
		s.mu.Unlock()
		return c, nil
	}
	s.mu.Unlock()
	c, err := s.spawn()
	if err != nil {
		return nil, err
	}
	hello, err := c.hello()
	if err == nil && hello.Storage != s.hello.Storage {
		err = &wcp.Violation{Rule: "WCP-02", What: "another storage than in the first hello_ok"}
	}
	if err != nil {
		err = c.explain(err)
		c.kill()
		return nil, err
	}
	return c, nil
}

// give takes back a process whose watchdog has stopped in good order.
func (s *Subject) give(c *child) error {
	s.mu.Lock()
	if s.hello.Reuse && !s.closed {
		s.idle = append(s.idle, c)
		s.mu.Unlock()
		return nil
	}
	s.mu.Unlock()
	return c.dismiss()
}

// strike counts a conversation that broke.
func (s *Subject) strike(id string) {
	s.guard.Lock()
	defer s.guard.Unlock()
	s.strikes[id]++
}
