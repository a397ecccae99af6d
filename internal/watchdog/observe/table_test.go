package observe_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fakepi.example/internal/watchdog/observe"
	"fakepi.example/internal/watchdog/policyfile"
	"fakepi.example/watchdog"
)

// table is one file of testdata/verdicts: the right verdicts of one recording, written by hand from what the model was
// told to do (meta.json), what it did when (its log) and the phase table of docs/verdicts.md; never from an engine.
// Nothing rewrites them. Its lines:
//
//	# what is true of the run
//	file PATH                                     below the recordings of its version of Pi; * matches one name
//	play [--until D] [LIMIT=VALUE ...]            then every change, in order:
//	  [?] AT PHASE [STATUS] [KEY=VALUE ...] [FLAG ...]
//
// AT is a line (#12), the spawn or exit of meta.json, or a time in milliseconds that is true within tolerance; "+2s"
// may follow. STATUS is ok unless given. "?" marks a change that the page leaves open and that is over at once. The keys
// calls, dialog and reason and the flags are empty unless given; limit, cause (a phase), since (an AT), next (an AT or
// "never") and lines (of the evidence) are compared where given.
type table struct {
	file  string
	plays []play
}

// play is one run of the recording under one policy.
type play struct {
	args    string
	options observe.Options
	want    []change
}

// change is one expected change of the verdict.
type change struct {
	where    string // file:line of the table
	text     string
	optional bool
	at       moment
	phase    watchdog.VerdictName
	status   watchdog.Status
	keys     map[string]string
	since    *moment
	next     *moment
	never    bool // no next check
	flags    []watchdog.Flag
}

// moment is a time in the recording.
type moment struct {
	at        time.Duration
	tolerance time.Duration
}

// tolerance is how far a time of the model's log may lie from what Pi printed of it: mostly under 10 ms.
const tolerance = 40 * time.Millisecond

// times are those of a recording.
type times struct {
	spawn, exit time.Duration
	lines       []time.Duration
}

func readTable(t *testing.T, path string) table {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var tab table
	var clock times
	for i, line := range strings.Split(string(text), "\n") {
		where := fmt.Sprintf("%s:%d", path, i+1)
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
			continue
		case words[0] == "file":
			version := filepath.Base(filepath.Dir(filepath.Dir(path)))
			tab.file = findFile(t, filepath.Join(version, words[1]))
			clock = readTimes(t, tab.file)
		case words[0] == "play":
			tab.plays = append(tab.plays, readPlay(t, where, words[1:]))
		default:
			p := &tab.plays[len(tab.plays)-1]
			p.want = append(p.want, readChange(t, where, words, clock))
		}
	}
	return tab
}

func findFile(t *testing.T, name string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(recordings, name))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s matches %q, %v; want one file", name, found, err)
	}
	return found[0]
}

func readPlay(t *testing.T, where string, words []string) play {
	t.Helper()
	p := play{args: strings.Join(words, " "), options: observe.Options{Policy: watchdog.DefaultPolicy()}}
	if len(words) > 1 && words[0] == "--until" {
		until, err := time.ParseDuration(words[1])
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		p.options.Until, words = until, words[2:]
	}
	for _, w := range words {
		if err := policyfile.Set(&p.options.Policy, w); err != nil {
			t.Fatalf("%s: %v", where, err)
		}
	}
	return p
}

func readChange(t *testing.T, where string, words []string, clock times) change {
	t.Helper()
	c := change{where: where, text: strings.Join(words, " "), status: watchdog.StatusOK, keys: map[string]string{}}
	if words[0] == "?" {
		c.optional, words = true, words[1:]
	}
	c.at = clock.moment(t, where, words[0])
	c.phase = watchdog.VerdictName(words[1])
	for _, w := range words[2:] {
		key, value, isKey := strings.Cut(w, "=")
		switch {
		case !isKey && (w == string(watchdog.StatusSuspected) || w == string(watchdog.StatusConfirmed)):
			c.status = watchdog.Status(w)
		case !isKey && slices.Contains([]watchdog.Flag{watchdog.FlagExited, watchdog.FlagAmbiguous}, watchdog.Flag(w)):
			c.flags = append(c.flags, watchdog.Flag(w))
		case key == "since":
			m := clock.moment(t, where, value)
			c.since = &m
		case w == "next=never":
			c.never = true
		case key == "next":
			m := clock.moment(t, where, value)
			c.next = &m
		case slices.Contains([]string{"limit", "cause", "lines", "calls", "dialog", "reason"}, key):
			c.keys[key] = value
		default:
			t.Fatalf("%s: unknown word %q", where, w)
		}
	}
	return c
}

// moment reads an AT.
func (c times) moment(t *testing.T, where, text string) moment {
	t.Helper()
	base, offset, added := strings.Cut(text, "+")
	var m moment
	if added {
		d, err := time.ParseDuration(offset)
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		m.at = d
	}
	switch {
	case base == "spawn":
		m.at += c.spawn
	case base == "exit":
		m.at += c.exit
	case strings.HasPrefix(base, "#"):
		n, err := strconv.Atoi(base[1:])
		if err != nil || n < 1 || n > len(c.lines) {
			t.Fatalf("%s: no line %s", where, base)
		}
		m.at += c.lines[n-1]
	default:
		ms, err := strconv.ParseFloat(base, 64)
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		m.at += millis(ms)
		m.tolerance = tolerance
	}
	return m
}

// readTimes reads when each line of a recording came, by other means than those under test.
func readTimes(t *testing.T, file string) times {
	t.Helper()
	var c times
	meta, err := os.ReadFile(filepath.Join(filepath.Dir(file), "meta.json"))
	if err == nil {
		var m struct{ Spawn_t_ms, Exit_t_ms float64 }
		if err := json.Unmarshal(meta, &m); err != nil {
			t.Fatal(err)
		}
		c.spawn, c.exit = millis(m.Spawn_t_ms), millis(m.Exit_t_ms)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	var first time.Time
	for lines.Scan() {
		var l struct {
			At    float64 `json:"t_ms"`
			Stamp string  `json:"timestamp"`
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		at := millis(l.At)
		if strings.Contains(file, "/session") {
			stamp, err := time.Parse(time.RFC3339Nano, l.Stamp)
			if err != nil {
				t.Fatal(err)
			}
			if first.IsZero() {
				first = stamp
			}
			at = stamp.Sub(first)
		}
		c.lines = append(c.lines, at)
	}
	return c
}

func millis(ms float64) time.Duration {
	return time.Duration(ms * float64(time.Millisecond)).Round(time.Microsecond)
}
