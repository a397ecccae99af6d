package mutants_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"fakepi.example/internal/conformance/requirements"
	"fakepi.example/internal/watchdog/mutants"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

var update = flag.Bool("update", false, "rewrite the differences in testdata")

func reference(boot watchdog.Boot) (watchdog.Watchdog, error) { return engine.New(boot) }

// wordless are the mutants that say in a story what the reference says: they ask to be woken more often, do otherwise what
// a watchdog without durable state does not do, or have a defect of which no verdict or command shows.
var wordless = []string{
	"polls-every-second", "polls-every-seven-seconds", "saves-more", "acknowledges-nothing", "patient", "other-keys", "looks-more",
	"transcript-kept", "stop-reason-swapped", "spawn-is-all-the-evidence",
	"stderr-kept", "results-kept", "answers-kept", "texts-kept",
}

// TestStories tells each mutant and the reference the mutant's own story, and compares what they say: "-" is what only
// the reference says, "+" what only the mutant does. Each file opens with what happens.
func TestStories(t *testing.T) {
	for _, m := range mutants.All() {
		if m.Acts || slices.Contains(wordless, m.ID) {
			continue
		}
		t.Run(m.ID, func(t *testing.T) {
			file := filepath.Join("testdata", m.ID+".txtar")
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(archive.Files) != 2 || archive.Files[0].Name != "story" || archive.Files[1].Name != "differs" {
				t.Fatalf("%s: want the parts story and differs", file)
			}
			tale := string(archive.Files[0].Data)
			says := play(t, tale, m.New)
			got := differences(play(t, tale, reference), says)
			if got == "" {
				t.Errorf("says what the reference says")
			}
			if again := differences(says, play(t, tale, m.New)); again != "" {
				t.Errorf("says something else when it is started again:\n%s", again)
			}
			want := &archive.Files[1].Data
			if *update {
				*want = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != string(*want) {
				t.Errorf("differs otherwise (-want +got):\n%s", cmp.Diff(string(*want), got))
			}
		})
	}
}

// differences lists what is said differently between a common start and a common end.
func differences(a, b []said) string {
	for len(a) > 0 && len(b) > 0 && a[0].line == b[0].line {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1].line == b[len(b)-1].line {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	var text strings.Builder
	for _, s := range a {
		text.WriteString("- " + s.line + "\n")
	}
	for _, s := range b {
		text.WriteString("+ " + s.line + "\n")
	}
	return text.String()
}

// stories returns the story of each file of testdata by its name.
func stories(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	tales := map[string]string{}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tales[strings.TrimSuffix(filepath.Base(file), ".txtar")] = string(archive.Files[0].Data)
	}
	return tales
}

// TestStoriesHaveMutants finds stories that nobody tells any more.
func TestStoriesHaveMutants(t *testing.T) {
	known := map[string]bool{}
	for _, m := range mutants.All() {
		known[m.ID] = true
	}
	for name := range stories(t) {
		if !known[name] {
			t.Errorf("testdata/%s.txtar: there is no such mutant", name)
		}
	}
}

// TestBenign tells the benign mutants every story: they give the reference's verdicts and notices, no others, in the
// same order for each worker, and at most a second later.
func TestBenign(t *testing.T) {
	for _, m := range mutants.All() {
		if m.Kind != mutants.Benign {
			continue
		}
		for name, tale := range stories(t) {
			if name == m.ID {
				continue // it tells where the two differ
			}
			want, got := play(t, tale, reference), play(t, tale, m.New)
			for _, worker := range []string{"w1 ", "w2 "} {
				compareTalk(t, m.ID+" in "+name, of(worker, want), of(worker, got))
			}
		}
	}
}

func of(worker string, all []said) []said {
	var some []said
	for _, s := range all {
		if strings.HasPrefix(s.what, worker) {
			some = append(some, s)
		}
	}
	return some
}

func compareTalk(t *testing.T, who string, want, got []said) {
	t.Helper()
	if len(got) < len(want) && want[len(want)-1].at+time.Second > got[len(got)-1].at {
		want = want[:len(got)] // the story ended before the late one spoke
	}
	if len(want) != len(got) {
		t.Fatalf("%s: said %d things, want %d\n%s", who, len(got), len(want), differences(want, got))
	}
	for i := range want {
		if late := got[i].at - want[i].at; got[i].what != want[i].what || late < 0 || late > time.Second {
			t.Errorf("%s: got %q at %s, want %q at %s", who, got[i].what, got[i].at, want[i].what, want[i].at)
		}
	}
}

// TestPoller looks every second, whatever the engine wants.
func TestPoller(t *testing.T) {
	m := named(t, "polls-every-second")
	now := watchdog.Instant{Mono: time.Minute, Wall: epoch}
	dog, err := m.New(watchdog.Boot{Policy: watchdog.DefaultPolicy(), Now: now})
	if err != nil {
		t.Fatal(err)
	}
	d, err := dog.Step(now, nil)
	if want := time.Minute + time.Second; err != nil || d.Wake != want {
		t.Errorf("asked to be woken at %s (error %v), want %s", d.Wake, err, want)
	}
}

func named(t *testing.T, id string) mutants.Mutant {
	t.Helper()
	for _, m := range mutants.All() {
		if m.ID == id {
			return m
		}
	}
	t.Fatalf("no mutant %s", id)
	return mutants.Mutant{}
}

// TestClassics names the twenty mutants that a suite must kill before any other.
func TestClassics(t *testing.T) {
	want := []string{
		"one-timer", "any-byte-is-progress", "notify-is-a-wait", "tool-ignored", "tool-never-ends", "compaction-is-a-stall",
		"compaction-for-ever", "wall-clock", "delay-ignored", "alert-suppresses-verdict", "early-start-is-a-token",
		"agent-end-is-the-end", "exit-0-is-success", "unicode-line-ends", "parallel-tools-merged", "dialog-timeout-ignored",
		"repeated-partial-is-progress", "polling-is-livelock", "suspend-counted", "right-verdict-wrong-cause",
	}
	var got []string
	for _, m := range mutants.All()[:len(want)] {
		got = append(got, m.ID)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestForm checks what every mutant says of itself.
func TestForm(t *testing.T) {
	set, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	id := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	sentence := regexp.MustCompile(`^[A-Z].*\.( \[\S+#\d+\])?$`)
	seen := map[string]bool{}
	for _, m := range mutants.All() {
		if seen[m.ID] || !id.MatchString(m.ID) {
			t.Errorf("%q: ids are unique words in lower case", m.ID)
		}
		seen[m.ID] = true
		if !sentence.MatchString(m.Doc) {
			t.Errorf("%s: %q is no sentence with perhaps a public report behind it", m.ID, m.Doc)
		}
		if m.Kind == mutants.Benign {
			if m.Requirement != "" {
				t.Errorf("%s: a benign mutant breaks %s", m.ID, m.Requirement)
			}
			continue
		}
		r, known := set.Lookup(m.Requirement)
		seen := r.Profile == requirements.Core || r.Profile == requirements.Explain
		switch {
		case m.Kind != mutants.Bad || !known:
			t.Errorf("%s: %s mutant of %q; want a bad one of a requirement", m.ID, m.Kind, m.Requirement)
		case !m.Acts && (!seen || r.Level != requirements.Must):
			t.Errorf("%s breaks %s; a mutant of watching breaks a core or explain MUST", m.ID, m.Requirement)
		}
	}
}

// TestEveryMustIsBroken finds requirements whose assertions nothing proves.
func TestEveryMustIsBroken(t *testing.T) {
	set, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	broken := map[string]bool{}
	for _, m := range mutants.All() {
		broken[m.Requirement] = true
	}
	for _, p := range []requirements.Profile{requirements.Core, requirements.Explain} {
		for _, r := range set.ByProfile(p) {
			if r.Level == requirements.Must && !broken[r.ID] {
				t.Errorf("no mutant breaks %s", r.ID)
			}
		}
	}
}

// TestSwollen measures what the reference and the mutant keep of a long stream.
func TestSwollen(t *testing.T) {
	const flood, kept = 20_000, 2 << 20
	for _, c := range []struct {
		reason string
		start  maker
		swells bool
	}{
		{"the reference keeps nothing of a line", reference, false},
		{"the mutant keeps every line", named(t, "transcript-kept").New, true},
	} {
		dog, err := c.start(watchdog.Boot{Policy: watchdog.DefaultPolicy()})
		if err != nil {
			t.Fatal(err)
		}
		before := heap()
		for i := range flood {
			line := []byte(record("delta "+strings.Repeat("y", i%50)) + "\n")
			body := watchdog.Bytes{Stream: watchdog.StreamOut, Data: line}
			if _, err := dog.Step(watchdog.Instant{}, []watchdog.Observation{{N: i + 1, Worker: "w1", Body: body}}); err != nil {
				t.Fatal(err)
			}
		}
		if grown := heap() - before; (grown > kept) != c.swells {
			t.Errorf("%s: the heap grew by %d bytes", c.reason, grown)
		}
		runtime.KeepAlive(dog)
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
