package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/benbjohnson/clock"

	"fakepi.example/internal/fakepi/provider"
)

// ErrAddress: an address on which the endpoint does not listen.
var ErrAddress = errors.New("not a loopback address")

// maxBody bounds a request's body, in bytes.
const maxBody = 64 << 20

// Server answers Pi's requests with replies. It is an http.Handler for POST /v1/chat/completions and POST /v1/messages.
type Server struct {
	clock clock.Clock
	start time.Time
	queue *queue
	log   log
}

// NewServer makes a server of replies on a clock. It logs each request and each op sent, a [Record] a line, to out; nil:
// it does not.
func NewServer(replies []Reply, c clock.Clock, out io.Writer) *Server {
	s := &Server{clock: c, start: c.Now(), queue: newQueue(replies)}
	s.log = log{out: out, since: func() time.Duration { return c.Since(s.start) }}
	return s
}

// Listen listens on a TCP address of this machine alone. Other addresses are ErrAddress.
func Listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("%w: %q; listen on 127.0.0.1, [::1] or localhost", ErrAddress, address)
	}
	return net.Listen("tcp", address)
}

// Serve serves until ctx ends; then it breaks off what is under way and returns nil, or why the log could not be written.
func (s *Server) Serve(ctx context.Context, l net.Listener) error { return s.serve(ctx, l, nil) }

// ServeOnce is Serve that also ends when every reply was sent.
func (s *Server) ServeOnce(ctx context.Context, l net.Listener) error {
	return s.serve(ctx, l, s.queue.played)
}

func (s *Server) serve(ctx context.Context, l net.Listener, played <-chan struct{}) error {
	server := http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return errors.Join(err, s.log.failure())
	case <-played:
		server.Shutdown(ctx) // an error is the end of ctx
	case <-ctx.Done():
	}
	server.Close()
	<-failed
	return s.log.failure()
}

// apiOf is the form of the requests to a path.
func apiOf(path string) (API, bool) {
	switch path {
	case "/v1/chat/completions":
		return OpenAI, true
	case "/v1/messages":
		return Anthropic, true
	}
	return "", false
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	api, ok := apiOf(r.URL.Path)
	switch {
	case !ok:
		refuse(w, http.StatusNotFound, fmt.Sprintf("there is no %s; POST /v1/chat/completions or /v1/messages", r.URL.Path))
		return
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, http.StatusMethodNotAllowed, fmt.Sprintf("%s is not served here; use POST", r.Method))
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("the body cannot be read: %v", err))
		return
	}
	request, err := ParseRequest(api, body)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	attempt := r.Header.Get("X-Stainless-Retry-Count")
	a := s.queue.take(&request, attempt != "" && attempt != "0")
	defer a.done()
	s.log.write(Record{
		Event: "request", N: a.n, Path: r.URL.Path, Attempt: attempt, Source: a.reply.Source, Body: json.RawMessage(body),
	})
	t := transfer{
		server: s, answer: a, out: w, control: http.NewResponseController(w), events: s.encoder(&request, a.n, a.reply), start: s.clock.Now(),
	}
	t.send(r.Context())
}

func (s *Server) encoder(r *Request, n int, reply Reply) encoder {
	if r.API == Anthropic {
		return newAnthropic(r, n, reply)
	}
	return newOpenAI(r, n, s.clock.Now().Unix())
}

// refuse answers a request that no script is asked about.
func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	f := provider.Failure{Status: status, Message: message, Type: "invalid_request_error"}
	w.Write(append(f.AppendJSON([]byte(`{"error":`)), '}'))
}
