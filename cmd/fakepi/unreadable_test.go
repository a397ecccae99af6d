package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// What Pi says of files and folders that it cannot read, write or make: the texts are those of the real Pi of each version
// (of a stack trace its line with the error), HOME stands for the folder.
func TestUnreadable(t *testing.T) {
	const session = `{"type":"session","version":3,"id":"a","timestamp":"2026-11-29T16:34:16.601Z","cwd":"HOME"}` + "\n"
	help := strings.TrimPrefix(fakepi.NoModels(native.Pi16), "No models available. ")
	noKey := "No API key found for the selected model.\n\n" + strings.TrimPrefix(fakepi.NoModels(native.Pi073), "No models available. ")
	const demo = `{"providers":{"demo":{"baseUrl":"http://127.0.0.1:9/v1","api":"openai-completions","apiKey":"none","models":[{"id":"one"}]}}}`
	const models = "provider  model   context  max-out  thinking  images\nfake      fake-1  128K     16.4K    no        no"
	warning := "Warning: No models available. " + help
	noModels := warning + "\nNo API key found for the selected model.\n\n" + help
	long := strings.Repeat("x", 300) + ".jsonl"
	tests := []struct {
		name   string
		files  map[string]string // name and text; a name that ends in a slash is a folder
		closed string            // the one of them that nobody may read or write
		args   string
		want   string // on stderr; empty: nothing, and the work is done
		pi073  string // where it differs; "-": nothing
		reason string
	}{
		{name: "the session is a folder", files: map[string]string{"s/": ""}, args: "--session HOME/s", want: "Error: EISDIR: illegal operation on a directory, read"},
		{name: "the session is below a file", files: map[string]string{"f": ""}, args: "--session HOME/f/s.jsonl", want: "ENOTDIR: not a directory, open 'HOME/f/s.jsonl'", pi073: "-", reason: "to Pi it is not there, until it is written"},
		{name: "too long a name", args: "--session HOME/" + long, want: "ENAMETOOLONG: name too long, open 'HOME/" + long + "'", pi073: "-"},
		{name: "the session's folder is a file", files: map[string]string{"f": ""}, args: "--session-dir HOME/f", want: "ENOTDIR: not a directory, open 'HOME/f/TIME_ID.jsonl'", pi073: "-"},
		{name: "the session's folder cannot be made", files: map[string]string{"f": ""}, args: "--session-dir HOME/f/d", want: "Error: ENOTDIR: not a directory, mkdir 'HOME/f/d'"},
		{name: "the agent's folder is a file", files: map[string]string{".pi": ""}, args: "--continue", want: "Error: ENOTDIR: not a directory, mkdir 'HOME/.pi/agent/sessions/FOLDER'"},
		{name: "a session by its id", files: map[string]string{".pi": ""}, args: "--session x", want: "Error: ENOTDIR: not a directory, mkdir 'HOME/.pi/agent/sessions/FOLDER'", reason: "the folder is made before it is searched"},
		{name: "the fork of a folder", files: map[string]string{"s/": ""}, args: "--fork HOME/s", want: "Error: EISDIR: illegal operation on a directory, read"},
		{name: "the fork of nothing", args: "--fork HOME/s", want: "Error: Cannot fork: source session file is empty or invalid: HOME/s"},
		{name: "a fork into a file", files: map[string]string{"s.jsonl": session, "f": ""}, args: "--fork HOME/s.jsonl --session-dir HOME/f/d", want: "Error: ENOTDIR: not a directory, mkdir 'HOME/f/d'"},
		{name: "a folder as a file of the prompt", files: map[string]string{"d/": ""}, args: "@d", want: "Error: EISDIR: illegal operation on a directory, read"},
		{name: "no file of the prompt", args: "@d", want: "Error: File not found: HOME/d"},
		{name: "an empty file of the prompt", files: map[string]string{"f": ""}, closed: "f", args: "@f", reason: "Pi does not open it"},
		{name: "the export of a folder", files: map[string]string{"d/": ""}, args: "--export d", want: "Error: EISDIR: illegal operation on a directory, read"},
		{name: "an export to a folder", files: map[string]string{"s.jsonl": session, "d/": ""}, args: "--export s.jsonl HOME/d", want: "Error: EISDIR: illegal operation on a directory, open 'HOME/d'"},
		{name: "the agent's folder is a file, without a session", files: map[string]string{".pi/agent": ""}, args: "--no-session", want: "Error: EEXIST: file already exists, mkdir 'HOME/.pi/agent'", pi073: "-"},
		{name: "the agent's folder is below a file", files: map[string]string{".pi": ""}, args: "--no-session", want: "Error: ENOTDIR: not a directory, mkdir 'HOME/.pi/agent'", pi073: "-"},
		{name: "trust.json is a folder", files: map[string]string{".pi/agent/trust.json/": ""}, args: "--no-session", want: "Error: Failed to read trust store HOME/.pi/agent/trust.json: EISDIR: illegal operation on a directory, read", pi073: "-"},
		{name: "trust.json is held", files: map[string]string{".pi/agent/trust.json.lock/": ""}, args: "--no-session", want: "Error: Lock file is already being held", pi073: "-"},
		{name: "trust.json is damaged and not asked", files: map[string]string{".pi/agent/trust.json": "{"}, args: "--no-session --approve", want: "", pi073: "Error: Unknown option: --approve"},
		{name: "auth.json is damaged", files: map[string]string{".pi/agent/auth.json": "{"}, args: "--no-session", want: noModels, pi073: "-"},
		{name: "auth.json is null", files: map[string]string{".pi/agent/auth.json": "null"}, args: "--no-session", want: noModels, pi073: "TypeError: Cannot read properties of null (reading 'anthropic')"},
		{name: "auth.json is null, in a list", files: map[string]string{".pi/agent/auth.json": "null"}, args: "--list-models", want: warning + "\nWarning: errors loading models.json:\nAvailability refresh: Cannot convert undefined or null to object\nTypeError: Cannot convert undefined or null to object", pi073: "TypeError: Cannot read properties of null (reading 'anthropic')", reason: "the table of the models is not printed"},
		{name: "auth.json is damaged, in a list", files: map[string]string{".pi/agent/auth.json": "{"}, args: "--list-models", want: warning + "\nWarning: errors loading models.json:\nAvailability refresh: Expected property name or '}' in JSON at position 1 (line 1 column 2)\nSyntaxError: Expected property name or '}' in JSON at position 1 (line 1 column 2)", pi073: models},
		{name: "an account of null", files: map[string]string{".pi/agent/auth.json": `{"demo":null}`}, args: "--no-session", want: noModels, pi073: "-"},
		{name: "an account without a key", files: map[string]string{".pi/agent/auth.json": `{"demo":{"type":"api_key"}}`, ".pi/agent/models.json": demo}, args: "--no-session", want: noModels, pi073: "-"},
		{name: "another's account without a key", files: map[string]string{".pi/agent/auth.json": `{"other":{"type":"api_key"}}`, ".pi/agent/models.json": demo}, args: "--no-session"},
		{name: "no account but a number", files: map[string]string{".pi/agent/auth.json": `{"demo":5}`, ".pi/agent/models.json": demo}, args: "--no-session", want: "Provider is not configured: demo", pi073: "-"},
		{name: "no account but false", files: map[string]string{".pi/agent/auth.json": `{"demo":false}`, ".pi/agent/models.json": demo}, args: "--no-session"},
		{name: "an account that is none", files: map[string]string{".pi/agent/auth.json": `5`, ".pi/agent/models.json": demo}, args: "--no-session"},
		{name: "auth.json is a folder", files: map[string]string{".pi/agent/auth.json/": ""}, args: "--no-session", want: noModels, pi073: "-"},
		{name: "auth.json is empty", files: map[string]string{".pi/agent/auth.json": ""}, args: "--no-session"},
		{name: "a closed agent's folder", files: map[string]string{".pi/agent/": ""}, closed: ".pi/agent", args: "--no-session", want: "Error: EACCES: permission denied, mkdir 'HOME/.pi/agent/trust.json.lock'", pi073: noKey, reason: "nobody knows whether there is a models.json"},
		{name: "a closed auth.json", files: map[string]string{".pi/agent/auth.json": "{}"}, closed: ".pi/agent/auth.json", args: "--no-session", want: noModels, pi073: "-"},

		{name: "a closed session", files: map[string]string{"s.jsonl": session}, closed: "s.jsonl", args: "--session HOME/s.jsonl", want: "Error: EACCES: permission denied, open 'HOME/s.jsonl'"},
		{name: "the fork of a closed session", files: map[string]string{"s.jsonl": session}, closed: "s.jsonl", args: "--fork HOME/s.jsonl", want: "Error: EACCES: permission denied, open 'HOME/s.jsonl'"},
		{name: "the export of a closed session", files: map[string]string{"s.jsonl": session}, closed: "s.jsonl", args: "--export s.jsonl", want: "Error: EACCES: permission denied, open 'HOME/s.jsonl'", pi073: "Error: EACCES: permission denied, open 's.jsonl'"},
		{name: "a session in a closed folder", files: map[string]string{"d/": ""}, closed: "d", args: "--session HOME/d/s.jsonl", want: "EACCES: permission denied, open 'HOME/d/s.jsonl'", pi073: "-"},
		{name: "a folder in a closed one", files: map[string]string{"d/": ""}, closed: "d", args: "--session-dir HOME/d/e", want: "Error: EACCES: permission denied, mkdir 'HOME/d/e'"},
		{name: "a closed extension", files: map[string]string{"e.ts": "export default () => {}"}, closed: "e.ts", args: "--no-session -e HOME/e.ts", want: "Error: Failed to load extension \"HOME/e.ts\": Failed to load extension: EACCES: permission denied, open 'HOME/e.ts'\nHint: Start without extensions using \"pi -ne\".", pi073: "Error: Failed to load extension \"HOME/e.ts\": Failed to load extension: EACCES: permission denied, open 'HOME/e.ts'"},
		{name: "a closed file of the prompt", files: map[string]string{"f": "x"}, closed: "f", args: "@f", want: "Error: EACCES: permission denied, open 'HOME/f'"},
	}
	for _, tt := range tests {
		if tt.closed != "" && os.Geteuid() == 0 {
			t.Logf("%s: not tried, since nothing is closed to root", tt.name)
			continue
		}
		for _, dialect := range []string{"pi-1.6", "pi-0.73"} {
			home := t.TempDir()
			lay(t, home, tt.files, tt.closed)
			args := append([]string{"-p"}, strings.Fields(strings.ReplaceAll(tt.args, "HOME", home))...)
			if !strings.Contains(tt.args, "--export") && !strings.Contains(tt.args, "--list-models") {
				args = append(args, "go")
			}
			p := setup{home: home, env: []string{"FAKEPI_DIALECT=" + dialect}}.start(t, args...)
			p.in.Close()
			want, status := tt.want, "1"
			if dialect == "pi-0.73" && tt.pi073 != "" {
				want = strings.TrimPrefix(tt.pi073, "-")
			}
			if want == "" || want == models {
				status = "0"
			}
			ended := p.end()
			folder := "--" + strings.ReplaceAll(strings.Trim(home, "/"), "/", "-") + "--"
			said := strings.NewReplacer(home, "HOME", folder, "FOLDER").Replace(strings.TrimSpace(p.err.String()))
			if diff := cmp.Diff([]string{status, want}, []string{ended, newName.ReplaceAllString(said, "TIME_ID")}); diff != "" {
				t.Errorf("%s, %s (%s): -want +got\n%s", tt.name, dialect, tt.reason, diff)
			}
		}
	}
}

// lay lays out the files of a test.
func lay(t *testing.T, home string, files map[string]string, closed string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(home, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o755)
		} else if err == nil {
			err = os.WriteFile(path, []byte(strings.ReplaceAll(text, "HOME", home)), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if closed != "" {
		path := filepath.Join(home, closed)
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(path, 0o755) })
	}
}

// newName is the name of a new session's file.
var newName = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_[0-9a-f-]{36}`)
