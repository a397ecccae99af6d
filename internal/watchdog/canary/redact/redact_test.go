package redact_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/recording"
	"fakepi.example/internal/watchdog/canary/redact"
	"fakepi.example/internal/watchdog/observe"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

const recordings = "../../../../fakepi/native/testdata/recordings"

var key = []byte("of this test")

func TestLine(t *testing.T) {
	for _, row := range []struct{ reason, line, want string }{
		{"types and roles are whole, running text is x",
			`{"type":"message_end","message":{"role":"user","content":[{"type":"text","text":"my key"}]}}`,
			`{"type":"message_end","message":{"role":"user","content":[{"type":"text","text":"xxxxxx"}]}}`},
		{"lengths are those of UTF-16", `{"type":"prompt","message":"ü😀\n"}`, `{"type":"prompt","message":"xxxx"}`},
		{"counts and times are whole", `{"type":"auto_retry_start","attempt":2,"delayMs":4000,"timestamp":1795970403438}`,
			`{"type":"auto_retry_start","attempt":2,"delayMs":4000,"timestamp":1795970403438}`},
		{"a word of Pi's where anything may stand is a text", `{"type":"prompt","message":"error"}`, `{"type":"prompt","message":"xxxxx"}`},
		{"what classes an error stays", `{"type":"auto_retry_start","errorMessage":"429 Rate limit of alice: try again in 20s, or at 2026-03-01T10:00:00Z"}`,
			`{"type":"auto_retry_start","errorMessage":"429 Rate limit xx xxxxx: try again in 20s, xx at 2026-03-01T10:00:00Z"}`},
		{"addresses and numbers of an error go", `{"error":"connect ECONNREFUSED 10.20.30.40:5432, tel 030 123, status 503, retry in 20 seconds"}`,
			`{"error":"xxxxxxx ECONNREFUSED xx.xx.xx.xx:xxxx, xxx xxx xxx, status 503, retry in 20 seconds"}`},
		{"no JSON", "panic: /home/alice", "xxxxxxxxxxxxxxxxxx"},
		{"JSON, and no object", `["alice"]`, "xxxxxxxxx"},
		{"empty", "", ""},
	} {
		r := redact.Redactor{Key: key}
		if diff := cmp.Diff(row.want, string(r.Line([]byte(row.line)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

// Equal texts stay equal, and others different: the same call with the same arguments is how a loop is known.
func TestEqualStaysEqual(t *testing.T) {
	line := func(r redact.Redactor, path string) string {
		return string(r.Line([]byte(`{"type":"tool_execution_start","toolCallId":"c1","toolName":"read","args":{"path":"` + path + `"}}`)))
	}
	r := redact.Redactor{Key: key}
	first := line(r, "a.go")
	if again := line(r, "a.go"); again != first {
		t.Errorf("one text became two: %s and %s", first, again)
	}
	if line(r, "a.go") == line(r, "b.go") {
		t.Error("two texts became one")
	}
	if line(r, "a.go") == line(redact.Redactor{Key: []byte("another")}, "a.go") {
		t.Error("the key does not matter")
	}
}

func TestNames(t *testing.T) {
	const line = `{"model":"big-1","provider":"acme","content":[{"type":"toolCall","name":"deploy"},{"type":"toolCall","name":"bash"}],"name":"secret session"}`
	whole := redact.Redactor{Key: key, Names: true}
	for _, name := range []string{"big-1", "acme", "deploy", "bash"} {
		if got := whole.Line([]byte(line)); !bytes.Contains(got, []byte(name)) {
			t.Errorf("%s does not hold the name %s", got, name)
		}
	}
	plain := redact.Redactor{Key: key}
	got := plain.Line([]byte(line))
	for _, name := range []string{"big-1", "acme", "deploy", "secret session"} {
		if bytes.Contains(got, []byte(name)) {
			t.Errorf("%s holds the name %s", got, name)
		}
	}
	if !bytes.Contains(got, []byte(`"bash"`)) {
		t.Errorf("%s does not hold the name of Pi's own tool", got)
	}
}

// TestSecrets puts a secret into every text, and the name of every member that is no name of Pi's, of every record that was
// recorded: none is left.
func TestSecrets(t *testing.T) {
	r := redact.Redactor{Key: key}
	for _, run := range runs(t) {
		for _, e := range events(t, run) {
			value, err := native.ParseValue(e.Line)
			if err != nil {
				continue
			}
			n := 0
			planted := native.AppendValue(nil, plant(value, &n))
			got := r.Line(planted)
			if at := bytes.Index(got, []byte("SEKRIT")); at >= 0 {
				t.Fatalf("%s:%d: of %s\nis left: %s", run.Dir, e.N, planted, got[at:min(len(got), at+40)])
			}
			if _, ok := value.(native.Object); ok && n == 0 {
				t.Fatalf("%s:%d: no secret was planted in %s", run.Dir, e.N, e.Line)
			}
		}
	}
}

// plant puts a secret into every text of a value, and adds a member with one in its name.
func plant(v native.Value, n *int) native.Value {
	secret := func() string { *n++; return fmt.Sprintf("SEKRIT%d", *n) }
	switch v := v.(type) {
	case native.String:
		return native.String(string(v) + secret())
	case native.Array:
		for i := range v {
			v[i] = plant(v[i], n)
		}
		return append(v, native.String(secret()))
	case native.Object:
		for i := range v {
			v[i].Value = plant(v[i].Value, n)
		}
		return append(v, native.Member{Key: secret(), Value: native.String(secret())})
	}
	return v
}

// TestVerdicts compares what the reference watchdog says of a recording with what it says of the redacted one.
func TestVerdicts(t *testing.T) {
	for _, run := range runs(t) {
		dir := t.TempDir()
		var text bytes.Buffer
		r := redact.Redactor{Key: key}
		for _, e := range events(t, run) {
			line := e.Line
			if e.Dir != recording.EOF {
				line = r.Line(line)
			}
			one, err := json.Marshal(map[string]any{"t_ms": float64(e.At.Microseconds()) / 1000, "dir": e.Dir, "line": string(line)})
			if err != nil {
				t.Fatal(err)
			}
			text.Write(append(one, '\n'))
		}
		meta, err := os.ReadFile(filepath.Join(run.Dir, recording.MetaFile))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, recording.MetaFile), meta)
		write(t, filepath.Join(dir, recording.EventsFile), text.Bytes())
		if diff := cmp.Diff(verdicts(t, run.Dir), verdicts(t, dir)); diff != "" {
			t.Errorf("%s: verdicts over the whole and over the redacted recording (-whole +redacted):\n%s", run.Dir, diff)
		}
	}
}

func verdicts(t *testing.T, dir string) []string {
	t.Helper()
	r, err := observe.Open(filepath.Join(dir, recording.EventsFile))
	if err != nil {
		t.Fatal(err)
	}
	policy := watchdog.DefaultPolicy()
	for name, value := range map[string]string{"first_token": "2s", "stream_gap": "2s", "confirm_every": "500ms", "tool": "5s"} {
		if err := policy.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	var said []string
	start := func(b watchdog.Boot) (watchdog.Watchdog, error) { return engine.New(b) }
	err = observe.Play(r, start, observe.Options{Policy: policy}, func(c observe.Change) error {
		said = append(said, fmt.Sprintf("%.0f %s %s %s", c.Time, c.Phase, c.Status, c.Cause.Limit))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return said
}

func runs(t *testing.T) []recording.Run {
	t.Helper()
	all, err := recording.Find(recordings)
	if err != nil || len(all) == 0 {
		t.Fatal(len(all), err)
	}
	var out []recording.Run
	for _, run := range all {
		if run.Meta.Mode != "tui" {
			out = append(out, run)
		}
	}
	return out
}

func events(t *testing.T, run recording.Run) []recording.Event {
	t.Helper()
	all, err := run.Events()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func FuzzLine(f *testing.F) {
	f.Add([]byte(`{"type":"prompt","message":"hello"}`))
	f.Add([]byte(`{"a":[1,2.5,null,{"b":"\ud800"}],"a":"twice"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		r := redact.Redactor{Key: key}
		got := r.Line(line)
		if bytes.ContainsRune(got, '\n') && !bytes.ContainsRune(line, '\n') {
			t.Errorf("%q became two lines: %q", line, got)
		}
		if v, err := native.ParseValue(line); err == nil {
			if _, ok := v.(native.Object); ok && !json.Valid(got) {
				t.Errorf("%q is no longer JSON: %q", line, got)
			}
		}
		if s := strings.ToLower(string(line)); strings.Contains(s, "sekrit") && bytes.Contains(got, []byte("sekrit")) {
			t.Errorf("a secret is left in %q", got)
		}
	})
}
