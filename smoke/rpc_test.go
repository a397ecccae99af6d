//go:build unix

package smoke_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/fakepi/fidelity/realpi"
)

// client drives a worker through its pipes.
type client struct {
	in  io.WriteCloser
	out *bufio.Reader
}

// send writes a line.
func (c *client) send(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

// record is what the client reads of a line.
type record struct {
	Type, Command, ID, Method string
	Success                   bool
	Data                      struct{ IsStreaming bool }
	AssistantMessageEvent     struct{ Type, Delta string }
}

// until reads up to a record of a type, and returns the types of all, updates by what they bring.
func (c *client) until(t *testing.T, last string) (types []string, r record) {
	t.Helper()
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			t.Fatalf("no %s behind %v: %v", last, types, err)
		}
		r = record{}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("no record (error %v): %q", err, line)
		}
		name := r.Type
		if name == "message_update" {
			name = r.AssistantMessageEvent.Type
		}
		if n := len(types); n == 0 || types[n-1] != name {
			types = append(types, name)
		}
		if r.Type == last || name == last {
			return types, r
		}
	}
}

// testRPC drives a worker as an orchestrator does: a prompt, a dialog, an abort, the end of stdin.
func testRPC(t *testing.T, fakepi command) {
	for _, d := range []struct{ dialect, last string }{{"pi-1.6", "agent_settled"}, {"pi-0.73", "agent_end"}} {
		t.Run(d.dialect, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), deadline)
			defer cancel()
			cmd := exec.CommandContext(ctx, string(fakepi), "--mode", "rpc", "--no-session")
			cmd.Dir = t.TempDir()
			cmd.Env = append(realpi.Env(home(t)), "FAKEPI_SCRIPT="+write(t, story), "FAKEPI_DIALECT="+d.dialect)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				cancel()
				_ = cmd.Wait() // where a check has failed: else it has been waited for
			}()
			c := &client{in, bufio.NewReader(out)}
			converse(t, c, d.last)
			if err := in.Close(); err != nil {
				t.Fatal(err)
			}
			if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 {
				t.Errorf("behind the end of stdin: %q, error %v", rest, err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("ended with %v, want exit status 0", err)
			}
		})
	}
}

func converse(t *testing.T, c *client, last string) {
	t.Helper()
	c.send(t, `{"id":"1","type":"prompt","message":"Say hello."}`)
	types, _ := c.until(t, "agent_start")
	if diff := cmp.Diff([]string{"response", "agent_start"}, types); diff != "" {
		t.Errorf("the beginning: -want +got\n%s", diff)
	}
	types, _ = c.until(t, last)
	if !hasAll(types, "text_start", "text_delta", "text_end", "turn_end") {
		t.Errorf("a reply of %v", types)
	}
	c.send(t, `{"id":"2","type":"prompt","message":"Run it."}`)
	_, ask := c.until(t, "extension_ui_request")
	c.send(t, `{"id":"3","type":"get_state"}`)
	if _, state := c.until(t, "response"); !state.Success || !state.Data.IsStreaming {
		t.Errorf("state under a dialog: %+v, want one that is streaming", state)
	}
	c.send(t, `{"type":"extension_ui_response","id":"`+ask.ID+`","value":"Allow"}`)
	if types, _ = c.until(t, last); !hasAll(types, "tool_execution_end", "text_delta") {
		t.Errorf("behind the answer: %v", types)
	}
	c.send(t, `{"id":"4","type":"prompt","message":"Stall."}`)
	c.until(t, "text_delta")
	c.send(t, `{"id":"5","type":"abort"}`)
	for {
		if _, r := c.until(t, "response"); r.Command == "abort" {
			return
		}
	}
}

func hasAll(types []string, wanted ...string) bool {
	seen := map[string]bool{}
	for _, name := range types {
		seen[name] = true
	}
	for _, name := range wanted {
		if !seen[name] {
			return false
		}
	}
	return true
}
