package model_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/benbjohnson/clock"

	"fakepi.example/internal/fakepi/model"
)

// pipes is a listener whose connections are in memory, so that a synctest bubble sees when all wait.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial() net.Conn {
	client, server := net.Pipe()
	p.conns <- server
	return client
}

// serve runs a server of replies on the bubble's clock until the test ends.
func serve(t *testing.T, log io.Writer, replies ...model.Reply) *pipes {
	t.Helper()
	l := newPipes()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- model.NewServer(replies, clock.New(), log).Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l
}

// request is a body with one message of the user.
func request(text string) string {
	return fmt.Sprintf(`{"model":"fake-1","stream":true,"messages":[{"role":"user","content":%q}]}`, text)
}

const (
	openAIPath    = "/v1/chat/completions"
	anthropicPath = "/v1/messages"
)

// patience is how long a client waits for more.
const patience = time.Hour

// ask sends a request and tells what comes: the status and headers that matter, then the body with the times since the
// request at which its parts came, and how it ended.
func ask(t *testing.T, l *pipes, path, body string, headers ...string) string {
	t.Helper()
	conn := l.dial()
	defer conn.Close()
	start := time.Now()
	since := func() time.Duration { return time.Since(start).Round(time.Millisecond) }
	conn.SetDeadline(start.Add(patience))
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n%s\r\n%s", path, len(body), strings.Join(append(headers, ""), "\r\n"), body)
	var told strings.Builder
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return fmt.Sprintf("+%v %s\n", since(), describe(err))
	}
	fmt.Fprintf(&told, "+%v %d %s", since(), resp.StatusCode, resp.Header.Get("Content-Type"))
	for _, name := range []string{"Retry-After", "Retry-After-Ms", "Allow"} {
		if v := resp.Header.Get(name); v != "" {
			fmt.Fprintf(&told, " %s: %s", name, v)
		}
	}
	told.WriteString("\n")
	last := since()
	buf := make([]byte, 4096)
	for {
		n, err := resp.Body.Read(buf)
		if now := since(); n > 0 && now != last {
			fmt.Fprintf(&told, "+%v\n", now)
			last = now
		}
		told.Write(buf[:n])
		if err != nil {
			if !strings.HasSuffix(told.String(), "\n") {
				told.WriteString("\n")
			}
			fmt.Fprintf(&told, "+%v %s\n", since(), describe(err))
			return told.String()
		}
	}
}

// describe names how a response ended.
func describe(err error) string {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "broken off"
	case errors.Is(err, io.EOF):
		return "end"
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "silent"
	}
	return err.Error()
}

// inBubble runs a test on a clock that jumps. Its time begins at midnight of 2000-01-01 UTC.
func inBubble(t *testing.T, f func(*testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}
