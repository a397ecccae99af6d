package fidelity

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fakepi.example/fakepi/model"
	"fakepi.example/fakepi/native/recording"
	"fakepi.example/fakepi/script"
)

// Retell makes a script of a recorded run, and returns the run as it was. What the model says is its script in meta.json;
// when Pi asked it, how long the tools took and what they gave, and what the client sent, is as recorded.
func Retell(r recording.Run) (*Script, Run, error) {
	events, err := r.Events()
	if err != nil {
		return nil, Run{}, err
	}
	replies, err := model.FromRecording(r.Meta.Model)
	if err != nil {
		return nil, Run{}, err
	}
	t := newTeller(r, events, replies)
	t.tell()
	s := &Script{
		Name: r.Meta.Scenario, Modes: []script.Mode{script.Mode(r.Meta.Mode)}, Client: t.acts, Args: recordedArgs(r.Meta), AllowExec: t.allowExec,
		Source: t.worker(), Recorded: &r, Work: map[string][]byte{"README.md": []byte("# Demo\n\nA small demo project.\n")},
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
	recordedHome = "/tmp/work/home"
	recordedWork = "/tmp/work/demo"

	recordedFolder = "--tmp-work-demo--" // of its sessions
)

// recordedArgs are Pi's arguments but for the mode and the messages, with placeholders for the folders.
func recordedArgs(m recording.Meta) []string {
	args := slices.Clone(m.Argv[min(3, len(m.Argv)):]) // behind "pi --mode MODE"
	if m.Mode == "json" {
		args = args[:len(args)-1]
	}
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], recordedHome+"/.pi/agent/sessions/"+recordedFolder, "$SESSIONS")
	}
	return args
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
	files, err := filepath.Glob(filepath.Join(r.Dir, "session", "*.jsonl"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return Run{}, err
		}
		ended.Sessions["sessions/"+recordedFolder+"/"+filepath.Base(file)] = recordsOf(data)
	}
	return Run{Place: Place{Home: recordedHome, Work: recordedWork}, First: 1, Pis: []Ended{ended}}, err
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
