package live_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fakepi.example/internal/watchdog/live"
	"fakepi.example/watchdog"
)

// notices writes what was told into a folder.
func notices(t *testing.T, dir string, keys ...string) {
	t.Helper()
	var text strings.Builder
	for _, key := range keys {
		line, err := json.Marshal(live.Notice{Key: key, Kind: watchdog.CmdNotify, Text: "text of " + key})
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	if err := os.WriteFile(filepath.Join(dir, "notices.jsonl"), []byte(text.String()+`{"key":"to`), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A delivery that fails is tried again after 1, 5 and 25 seconds, and then given up until the next watcher.
func TestCourierRetries(t *testing.T) {
	for _, row := range []struct {
		fails int
		want  []time.Duration // tries, since the notice
	}{
		{0, []time.Duration{0}},
		{2, []time.Duration{0, time.Second, 6 * time.Second}},
		{9, []time.Duration{0, time.Second, 6 * time.Second, 31 * time.Second}},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			var tries []time.Duration
			ch := live.Channel{Name: "test", Send: func(context.Context, live.Notice) error {
				tries = append(tries, time.Since(began))
				if len(tries) <= row.fails {
					return errors.New("no")
				}
				return nil
			}}
			errs := 0
			c, err := live.NewCourier(live.Folder(t.TempDir()), func(error) { errs++ }, ch)
			if err != nil {
				t.Fatal(err)
			}
			c.Tell(live.Notice{Key: "k"})
			c.Wait(t.Context())
			if !slices.Equal(tries, row.want) || errs != min(row.fails, len(row.want)) {
				t.Errorf("of %d failures: tries at %v and %d errors, want %v", row.fails, tries, errs, row.want)
			}
		})
	}
}

// What was told and not delivered is delivered by the next courier, once and on each channel.
func TestCourierGoesOn(t *testing.T) {
	dir := t.TempDir()
	notices(t, dir, "a", "b")
	var mu sync.Mutex // notices are sent side by side
	var got []string
	channel := func(name string, broken bool) live.Channel {
		return live.Channel{Name: name, Send: func(_ context.Context, n live.Notice) error {
			if broken {
				return errors.New("broken")
			}
			mu.Lock()
			defer mu.Unlock()
			got = append(got, name+" "+n.Key)
			return nil
		}}
	}
	run := func(channels ...live.Channel) {
		synctest.Test(t, func(t *testing.T) {
			c, err := live.NewCourier(live.Folder(dir), func(error) {}, channels...)
			if err != nil {
				t.Fatal(err)
			}
			c.Wait(t.Context())
		})
	}
	run(channel("one", false), channel("two", true))
	slices.Sort(got)
	if want := []string{"one a", "one b"}; !slices.Equal(got, want) {
		t.Errorf("at first %q, want %q", got, want)
	}
	got = nil
	run(channel("one", false), channel("two", false))
	slices.Sort(got)
	if want := []string{"two a", "two b"}; !slices.Equal(got, want) {
		t.Errorf("then %q, want %q", got, want)
	}
}

func TestWebhook(t *testing.T) {
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n live.Notice
		if err := json.NewDecoder(r.Body).Decode(&n); err != nil || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("got %v, %v", r.Header, err)
		}
		if bodies = append(bodies, n.Text); len(bodies) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	ch := live.ByWebhook(server.URL)
	if err := ch.Send(t.Context(), live.Notice{Kind: watchdog.CmdNotify, Text: "one"}); fmt.Sprint(err) != "it answered 503 Service Unavailable" {
		t.Errorf("got %v", err)
	}
	if err := ch.Send(t.Context(), live.Notice{Kind: watchdog.CmdNotify, Text: "two"}); err != nil || !slices.Equal(bodies, []string{"one", "two"}) {
		t.Errorf("got %v; the server got %q", err, bodies)
	}
}

func TestCommand(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	if err := live.ByCommand("cat >> "+out).Send(t.Context(), live.Notice{Key: "k", Text: "x"}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(out); err != nil || !strings.Contains(string(text), `"key":"k"`) {
		t.Errorf("the command got %s, %v", text, err)
	}
	if err := live.ByCommand("echo sorry; exit 3").Send(t.Context(), live.Notice{}); err == nil || !strings.Contains(err.Error(), "exit status 3: sorry") {
		t.Errorf("got %v", err)
	}
}
