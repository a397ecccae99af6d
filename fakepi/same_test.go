package fakepi_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The whole output of some scripts, byte for byte. Each file begins with its script; one of another dialect has it in its
// name.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.golden")
	if err != nil || len(files) == 0 {
		t.Fatalf("got golden files %v, %v", files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		src, _, _ := strings.Cut(string(data), mark)
		got := src + mark + dump(play(newWorker(t, src, in(dialectOf(file))), time.Hour, nil))
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got != string(data) {
			t.Errorf("%s: -want +got\n%s", file, cmp.Diff(string(data), got))
		}
	}
}

func dialectOf(file string) native.Dialect {
	if strings.Contains(file, "."+string(native.Pi073)+".") {
		return native.Pi073
	}
	return native.Pi16
}

const mark = "-- output --\n"

func dump(outs []fakepi.Output) string {
	var b strings.Builder
	for _, o := range outs {
		switch {
		case o.Exit != nil:
			fmt.Fprintf(&b, "%s %+v\n", o.At, *o.Exit)
		case o.Closed:
			fmt.Fprintf(&b, "%s %s closed\n", o.At, o.Stream)
		default:
			fmt.Fprintf(&b, "%s %s %s\n", o.At, o.Stream, bytes.TrimRight(o.Data, "\n"))
		}
	}
	return b.String()
}

// One seed gives one history, byte for byte; another seed gives other ids, which are as long, and nothing else.
func TestSeed(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		src := drawScript(rt)
		run := func(seed uint64) []fakepi.Output {
			w := newWorker(t, src, func(c *fakepi.Config) { c.Seed = seed })
			return play(w, horizon, nil)
		}
		a, b, c := run(1), run(1), run(2)
		if text(a) != text(b) {
			rt.Fatalf("two runs of one seed differ\n%s%s", src, cmp.Diff(dump(a), dump(b)))
		}
		if text(a) == text(c) {
			rt.Fatalf("another seed gives the same ids\n%s", src)
		}
		if tokens(a) != tokens(c) {
			rt.Fatalf("another seed gives other records\n%s%s", src, cmp.Diff(tokens(a), tokens(c)))
		}
		for i := range a {
			if a[i].At != c[i].At || len(a[i].Data) != len(c[i].Data) {
				rt.Fatalf("another seed changes more than ids\n%s%s", src, cmp.Diff(dump(a[i:i+1]), dump(c[i:i+1])))
			}
		}
	})
}

// A clone goes on as the original does, and neither disturbs the other.
func TestClone(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		src := drawScript(rt)
		at := rapid.SampledFrom([]time.Duration{0, time.Second, 3 * time.Second, time.Minute, 5 * time.Minute}).Draw(rt, "at")
		want := dump(play(newWorker(t, src), horizon, nil))
		w := newWorker(t, src)
		before := play(w, at, nil)
		c := w.Clone()
		aborted := c.Clone()
		disturbance := aborted.Send(at, []byte(`{"type":"steer","message":"something else altogether"}`), nil)
		play(aborted, horizon, disturbance)
		cloned := dump(append(before[:len(before):len(before)], play(c, horizon, nil)...))
		own := dump(append(before, play(w, horizon, nil)...))
		if cloned != want || own != want {
			rt.Fatalf("cloned at %s\n%s%s%s", at, src, cmp.Diff(want, cloned), cmp.Diff(want, own))
		}
	})
}

// What is written stays as it was, whatever comes later.
func TestOutputIsNotOverwritten(t *testing.T) {
	w := newWorker(t, "0s prompt \"x\"\n+1s says \"some text\" over 1h chunks 3000\n+0s settles")
	var outs []fakepi.Output
	var copies [][]byte
	for {
		at, ok := w.Next()
		if !ok {
			break
		}
		n := len(outs)
		outs = w.Step(at, outs)
		for _, o := range outs[n:] {
			copies = append(copies, bytes.Clone(o.Data))
		}
	}
	for i, o := range outs {
		if !bytes.Equal(o.Data, copies[i]) {
			t.Fatalf("output %d was overwritten: got %q, want %q", i, o.Data, copies[i])
		}
	}
}

func TestNewErrors(t *testing.T) {
	steps := func(src string) []script.Step { return parse(t, src).Steps }
	late := steps("0s prompt \"x\"\n+1s stalls")
	late[0].At = time.Hour
	tests := []struct {
		name string
		c    fakepi.Config
		is   error
		want string
	}{
		{"dialect", fakepi.Config{Dialect: "pi-9"}, fakepi.ErrDialect, `dialect not supported: "pi-9"; use "pi-1.6" or "pi-0.73"`},
		{"order", fakepi.Config{Steps: late}, fakepi.ErrScript, "script cannot be played: test:2:1: this step comes before the one above it; give the steps in order of time"},
		{"too much at once", fakepi.Config{Dialect: native.Pi073, Steps: steps("0s prompt \"x\"\n+1s says \"x\" chunks 1000000\n+0s settles")}, fakepi.ErrScript,
			"script cannot be played: test:2:1: this step prints 953674.3MB at once in pi-0.73, where each piece has the whole message; give it time by over, or fewer chunks"},
		{"too many bytes at once", fakepi.Config{Steps: steps("0s raw \"" + strings.Repeat("x", 1000) + "\" times 1000000")}, fakepi.ErrScript,
			"script cannot be played: test:1:1: this step prints 1000B 1000000 times at once; print it fewer times, or several times by every"},
		{"foreign step", fakepi.Config{Steps: []script.Step{{Action: script.Healed{}, Pos: script.Pos{File: "f", Line: 1, Col: 1}}}}, fakepi.ErrScript,
			`script cannot be played: f:1:1: "healed" is no verb of a worker; give the worker its own steps only`},
		{"payload", fakepi.Config{Steps: []script.Step{{Action: script.Says{Text: script.Text{File: "a.txt"}}, Pos: script.Pos{File: "f", Line: 3, Col: 1}}}}, fakepi.ErrScript,
			`script cannot be played: f:3:1: there is no payload file "a.txt"; add it below the script`},
	}
	for _, tt := range tests {
		_, err := fakepi.New(tt.c)
		if !errors.Is(err, tt.is) || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	if _, err := fakepi.New(fakepi.Config{Dialect: native.Pi16}); err != nil {
		t.Errorf("a worker without steps: got %v, want none", err)
	}
}
