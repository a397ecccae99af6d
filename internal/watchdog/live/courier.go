package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Channel brings a notice to a person.
type Channel struct {
	Name string // in errors, and in the record of what was delivered
	Send func(context.Context, Notice) error
}

// delays are those before a delivery is tried again.
var delays = []time.Duration{time.Second, 5 * time.Second, 25 * time.Second}

// sendTime is how long one try may take.
const sendTime = 30 * time.Second

// Courier delivers the notices of one worker. A delivery that fails is tried again; one that a crash has cut off is made by the
// next courier of the same folder. A person may so hear a notice twice, and never not at all while somebody watches.
type Courier struct {
	folder   Folder
	channels []Channel
	failed   func(error)
	sending  sync.WaitGroup
	mu       sync.Mutex // of the record
}

// receipt is a line of delivered.jsonl.
type receipt struct {
	Key     string `json:"key"`
	Channel string `json:"channel"`
}

// NewCourier starts with what was told and is not delivered.
func NewCourier(f Folder, failed func(error), channels ...Channel) (*Courier, error) {
	c := &Courier{folder: f, channels: channels, failed: failed}
	delivered, err := readLines[receipt](f.path("delivered.jsonl"))
	if err != nil {
		return nil, err
	}
	told, err := readLines[Notice](f.notices())
	if err != nil {
		return nil, err
	}
	had := map[receipt]bool{}
	for _, r := range delivered {
		had[r] = true
	}
	for _, n := range told {
		for _, ch := range channels {
			if !had[receipt{n.Key, ch.Name}] {
				c.send(ch, n)
			}
		}
	}
	return c, nil
}

// Tell begins to deliver a notice.
func (c *Courier) Tell(n Notice) {
	for _, ch := range c.channels {
		c.send(ch, n)
	}
}

// Wait waits until all is delivered or given up, or until the context ends.
func (c *Courier) Wait(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		c.sending.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		c.failed(errors.New("not every notice was delivered; piwatch attach tries again"))
	}
}

func (c *Courier) send(ch Channel, n Notice) {
	c.sending.Go(func() {
		for try := 0; ; try++ {
			ctx, cancel := context.WithTimeout(context.Background(), sendTime)
			err := ch.Send(ctx, n)
			cancel()
			if err == nil {
				err = c.record(receipt{n.Key, ch.Name})
			}
			if err == nil {
				return
			}
			c.failed(fmt.Errorf("notice %s by %s: %w", n.Key, ch.Name, err))
			if try == len(delays) {
				return
			}
			time.Sleep(delays[try])
		}
	})
}

func (c *Courier) record(r receipt) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	file, err := os.OpenFile(c.folder.path("delivered.jsonl"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}

// readLines reads a file of JSON lines; a torn one was never written. A file that is not there has none.
func readLines[T any](path string) ([]T, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []T
	for line := range bytes.Lines(text) {
		var v T
		if json.Unmarshal(line, &v) == nil {
			all = append(all, v)
		}
	}
	return all, nil
}

// ByCommand runs a shell command for each notice, with the notice as JSON on its stdin.
func ByCommand(command string) Channel {
	return Channel{"command", func(ctx context.Context, n Notice) error {
		text, err := json.Marshal(n)
		if err != nil {
			return err
		}
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
		cmd.Stdin, cmd.WaitDelay = bytes.NewReader(append(text, '\n')), time.Second
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%q: %w: %s", command, err, bytes.TrimSpace(out))
		}
		return nil
	}}
}

// ByWebhook posts each notice as JSON. Its member text is what chat services show of a message.
func ByWebhook(url string) Channel {
	return Channel{"webhook", func(ctx context.Context, n Notice) error {
		text, err := json.Marshal(n)
		if err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20)) // so that the connection can serve again
		if err := resp.Body.Close(); err != nil {
			return err
		}
		if resp.StatusCode/100 != 2 {
			return fmt.Errorf("it answered %s", resp.Status)
		}
		return nil
	}}
}
