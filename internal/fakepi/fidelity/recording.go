package fidelity

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/model"
	"fakepi.example/internal/fakepi/native/recording"
)

// JudgeRecording lets fakepi do what the real Pi did in a recording, in a folder below dir, and compares the two.
func JudgeRecording(ctx context.Context, s Subjects, d native.Dialect, run recording.Run, dir string) Result {
	began := time.Now()
	r := Result{Case: Case{Dialect: d, Mode: script.Mode(run.Meta.Mode), Script: &Script{Name: run.Meta.Scenario}}}
	r.Err = r.judgeRecording(ctx, s, run, dir)
	r.Took = time.Since(began)
	return r
}

func (r *Result) judgeRecording(ctx context.Context, s Subjects, run recording.Run, dir string) error {
	transcript, recorded, err := Transcribe(run)
	if err != nil {
		return err
	}
	r.Case.Script = transcript
	fake, err := s.fake(ctx, r.Case, dir)
	if err != nil {
		return err
	}
	r.Pi, r.Fake = recorded, fake
	fake.Pis[0].Title, fake.Pis[0].Settings = "", ""
	r.add(recorded.Parts(r.Case), fake.Parts(r.Case))
	if r.Case.Dialect == native.Pi073 {
		r.snapshots("fake", fake)
	}
	return nil
}

// Transcribe makes a script of a recorded run, and returns the run as it was. What the model says is its script in meta.json;
// when Pi asked it, how long the tools took and what they gave, and what the client sent, is as recorded.
func Transcribe(r recording.Run) (*Script, Run, error) {
	events, err := r.Events()
	if err != nil {
		return nil, Run{}, err
	}
	replies, err := model.FromRecording(r.Meta.Model)
	if err != nil {
		return nil, Run{}, err
	}
	t := newTranscriber(r, events, replies)
	t.transcribe()
	s := &Script{
		Name: r.Meta.Scenario, Modes: []script.Mode{script.Mode(r.Meta.Mode)}, Client: t.acts, Args: recordedArgs(r.Meta),
		Source: t.worker(), AllowExec: t.allowExec, Unordered: t.unordered, Recorded: &r, Work: recordedWorktree(r),
	}
	if s.Worker, err = script.Parse(r.Meta.Scenario+".txtar", s.Source); err == nil {
		err = s.Worker.Resolve(nil)
	}
	if err == nil {
		if errs := s.Worker.Vet(); len(errs) > 0 {
			err = errs
		}
	}
	if err != nil {
		return nil, Run{}, fmt.Errorf("%w\n%s", err, s.Source)
	}
	recorded, err := recordedRun(r, events)
	return s, recorded, err
}

// Where the recorded runs took place.
const (
	recordedRoot   = "/tmp/work"
	recordedHome   = recordedRoot + "/home"
	recordedWork   = recordedRoot + "/demo"
	recordedFolder = "--tmp-work-demo--" // of its sessions
	recordedBefore = "session_before"    // of a recording: the sessions at the start
)

func isExtension(arg string) bool { return arg == "-e" || arg == "--extension" }

// recordedArgs are Pi's arguments but for the mode and the messages, with placeholders for the folders. Extensions are left
// out: their files are not here, and what they did is in the script.
func recordedArgs(m recording.Meta) []string {
	args := slices.Clone(m.Argv[min(3, len(m.Argv)):]) // behind "pi --mode MODE"
	if m.Mode == "json" {
		args = args[:len(args)-1]
	}
	for i := slices.IndexFunc(args, isExtension); i >= 0; i = slices.IndexFunc(args, isExtension) {
		args = slices.Delete(args, i, min(i+2, len(args)))
	}
	for i := range args {
		args[i] = placeholders().Replace(args[i])
	}
	return args
}

// placeholders puts those of the client in the place of the recorded folders.
func placeholders() *strings.Replacer {
	return strings.NewReplacer(recordedHome+"/.pi/agent/sessions/"+recordedFolder, "$DIR", recordedWork, "$CWD")
}

// recordedRun is what a recording shows of a run.
func recordedRun(r recording.Run, events []recording.Event) (Run, error) {
	ended := Ended{Exit: fmt.Sprintf("exit %d", r.Meta.ExitCode), Sessions: map[string][]Record{}}
	if r.Meta.Signal != "" {
		ended.Exit = r.Meta.Signal
	}
	for _, e := range events {
		switch e.Dir {
		case recording.Out:
			ended.Stdout = append(ended.Stdout, NewRecord(e.Line))
		case recording.Err:
			ended.Stderr += string(e.Line) + "\n"
		}
	}
	dir := os.DirFS(r.Dir)
	files, err := fs.Glob(dir, "session/*.jsonl")
	if err != nil {
		return Run{}, err
	}
	for _, file := range files {
		data, err := fs.ReadFile(dir, file)
		if err != nil {
			return Run{}, err
		}
		ended.Sessions["sessions/"+recordedFolder+"/"+path.Base(file)] = recordsOf(data)
	}
	return Run{Place: Place{Home: recordedHome, Work: recordedWork}, First: 1, Pis: []Ended{ended}, Files: r.Meta.Worktree}, nil
}

// recordedWorktree is the worktree at the start of a run. One that goes on with a session finds the files of its end: a
// recording does not tell which of them the run before it has left.
func recordedWorktree(r recording.Run) map[string][]byte {
	files := map[string][]byte{"README.md": []byte("# Demo\n\nA small demo project.\n")}
	if slices.ContainsFunc(r.Sessions, func(file string) bool { return filepath.Base(filepath.Dir(file)) == recordedBefore }) {
		for name, text := range r.Meta.Worktree {
			files[name] = []byte(text)
		}
	}
	return files
}

// writeRecordedConfig writes the models and settings with which the recordings were made.
func writeRecordedConfig(m recording.Meta, agentDir, url string) error {
	models := strings.ReplaceAll(recordedModels, "URL", url)
	settings := `{"defaultProvider":"demo","defaultModel":"demo-1"}`
	for name, text := range map[string]string{"models.json": models, "settings.json": settings} {
		if err := os.WriteFile(filepath.Join(agentDir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if len(m.Settings) == 0 || string(m.Settings) == "null" {
		return nil
	}
	return mergeSettings(filepath.Join(agentDir, "settings.json"), m.Settings)
}

const recordedModels = `{"providers": {
"demo": {"baseUrl": "URL/v1", "api": "openai-completions", "apiKey": "none", "models": [
  {"id": "demo-1", "name": "Demo 1", "reasoning": false, "input": ["text"], "contextWindow": 128000, "maxTokens": 16384,
   "cost": {"input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75}},
  {"id": "demo-r1", "name": "Demo R1", "reasoning": true, "input": ["text"], "contextWindow": 128000, "maxTokens": 16384,
   "cost": {"input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75}},
  {"id": "demo-small", "name": "Demo Small", "reasoning": false, "input": ["text"], "contextWindow": 8000, "maxTokens": 1000,
   "cost": {"input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75}}]},
"demo-anth": {"baseUrl": "URL", "api": "anthropic-messages", "apiKey": "none", "models": [
  {"id": "demo-a1", "name": "Demo A1", "reasoning": true, "input": ["text"], "contextWindow": 200000, "maxTokens": 16384,
   "cost": {"input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75}}]}}}
`
