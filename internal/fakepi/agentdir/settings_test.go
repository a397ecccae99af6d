package agentdir_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/agentdir"
)

// What is in settings.json behind set_auto_compaction: as the real Pi of each version was seen to write it.
func TestSettingsSaved(t *testing.T) {
	const damaged = "{\n  \"a\": 1,\n}"
	tests := []struct {
		name, before string
		pi16, pi073  string // the file then
		problem16    string // why it was passed over
		problem073   string
	}{
		{name: "no file", before: "", pi16: "{\n  \"compaction\": {\n    \"enabled\": false\n  }\n}"},
		{name: "foreign keys, numbers and indices", before: `{"zz":[1,2.50,"é\u0041",{"a":{}}],"compaction":{"k":1e3,"enabled":true},"b":[],"10":1,"2":""}`,
			pi16: "{\n  \"2\": \"\",\n  \"10\": 1,\n  \"zz\": [\n    1,\n    2.5,\n    \"éA\",\n    {\n      \"a\": {}\n    }\n  ],\n  \"compaction\": {\n    \"k\": 1000,\n    \"enabled\": false\n  },\n  \"b\": []\n}"},
		{name: "no object", before: `[1]`, pi16: "{\n  \"0\": 1,\n  \"compaction\": {\n    \"enabled\": false\n  }\n}"},
		{name: "null", before: `null`, pi16: `null`, problem16: "Cannot use 'in' operator to search for 'queueMode' in null"},
		{name: "damaged", before: damaged, pi16: damaged,
			problem16:  "Expected double-quoted property name in JSON at position 12 (line 3 column 1)",
			problem073: "Expected double-quoted property name in JSON at position 12"},
		{name: "byte order mark", before: "\ufeff{}", pi16: "{\n  \"compaction\": {\n    \"enabled\": false\n  }\n}", pi073: "\ufeff{}",
			problem073: "Unexpected token '\ufeff', \"\ufeff{}\" is not valid JSON"},
		{name: "of older versions", before: `{"queueMode":"all","websockets":true,"skills":{"enableSkillCommands":false,"customDirectories":["a"]},"retry":{"maxDelayMs":5,"x":1}}`,
			pi16: "{\n  \"skills\": [\n    \"a\"\n  ],\n  \"retry\": {\n    \"x\": 1,\n    \"provider\": {\n      \"maxRetryDelayMs\": 5\n    }\n  },\n  \"steeringMode\": \"all\",\n  \"transport\": \"websocket\",\n  \"enableSkillCommands\": false,\n  \"compaction\": {\n    \"enabled\": false\n  }\n}"},
		{name: "of older versions, half", before: `{"queueMode":"all","steeringMode":"x","websockets":"no","skills":{},"retry":{"maxDelayMs":"5","provider":{"maxRetryDelayMs":3}}}`,
			pi16: "{\n  \"queueMode\": \"all\",\n  \"steeringMode\": \"x\",\n  \"websockets\": \"no\",\n  \"retry\": {\n    \"provider\": {\n      \"maxRetryDelayMs\": 3\n    }\n  },\n  \"compaction\": {\n    \"enabled\": false\n  }\n}"},
	}
	for _, tt := range tests {
		if tt.pi073 == "" {
			tt.pi073 = tt.pi16
		}
		if tt.problem073 == "" {
			tt.problem073 = tt.problem16
		}
		for d, want := range map[native.Dialect][2]string{native.Pi16: {tt.pi16, tt.problem16}, native.Pi073: {tt.pi073, tt.problem073}} {
			f := agentdir.SettingsFiles{Dialect: d, Dir: filepath.Join(t.TempDir(), "agent")}
			file := filepath.Join(f.Dir, "settings.json")
			if tt.before != "" {
				writeText(t, file, tt.before)
			}
			_, problems := f.Read(t.TempDir(), true)
			why := ""
			for _, p := range problems {
				why += p.Why
			}
			f.Save(fakepi.Setting{Section: "compaction", Key: "enabled", Value: native.Bool(false)})
			if diff := cmp.Diff(want, [2]string{readText(t, file), why}); diff != "" {
				t.Errorf("%s, %s: -want +got\n%s", tt.name, d, diff)
			}
		}
	}
}

// A file that is damaged while a session goes on is left alone; what was to be saved goes with the next change.
func TestSettingsSavedLater(t *testing.T) {
	f := agentdir.SettingsFiles{Dialect: native.Pi16, Dir: t.TempDir()}
	file := filepath.Join(f.Dir, "settings.json")
	f.Read(t.TempDir(), false)
	writeText(t, file, "{")
	f.Save(fakepi.Setting{Key: "a", Value: native.Number(1)})
	if got := readText(t, file); got != "{" {
		t.Fatalf("the damaged file became %q", got)
	}
	writeText(t, file, `{"x":0}`)
	f.Save(fakepi.Setting{Key: "b", Value: native.Number(2)})
	if got, want := readText(t, file), "{\n  \"x\": 0,\n  \"a\": 1,\n  \"b\": 2\n}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Pi's lock is a folder beside the file: one that is held is respected, an old one is broken.
func TestSettingsLocked(t *testing.T) {
	tests := []struct {
		name string
		age  time.Duration
		want string
	}{
		{"held", 0, "{}"},
		{"left behind", 11 * time.Second, "{\n  \"a\": 1\n}"},
	}
	for _, tt := range tests {
		f := agentdir.SettingsFiles{Dialect: native.Pi16, Dir: t.TempDir()}
		file := filepath.Join(f.Dir, "settings.json")
		writeText(t, file, "{}")
		lock := file + ".lock"
		if err := os.Mkdir(lock, 0o755); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-tt.age)
		if err := os.Chtimes(lock, then, then); err != nil {
			t.Fatal(err)
		}
		f.Save(fakepi.Setting{Key: "a", Value: native.Number(1)})
		if got := readText(t, file); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
		_, err := os.Stat(lock)
		if held := err == nil; held != (tt.age == 0) {
			t.Errorf("%s: the lock is there: %v", tt.name, held)
		}
	}
}

func writeText(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
