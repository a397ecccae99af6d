package fidelity

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fakepi.example/fakepi/fidelity/realpi"
	"fakepi.example/fakepi/model"
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/native/recording"
	"fakepi.example/fakepi/script"
)

// Subjects are the two that are compared.
type Subjects struct {
	Pi   realpi.Pi
	Gate string // path of the extension that asks before bash runs
	Fake Fake
}

// Result is what the comparison of a case came to.
type Result struct {
	Case        Case
	Differences []Difference
	Err         error // the comparison could not be made
	Lines       int   // compared, of streams
	Entries     int   // of session files
	Requests    int   // of the model
	Took        time.Duration
}

// Judge runs a case with both in folders below dir, and compares them.
func Judge(ctx context.Context, s Subjects, c Case, dir string) Result {
	began := time.Now()
	r := Result{Case: c}
	if c.Script.Racy {
		r.Err = r.race(ctx, s, dir)
	} else {
		r.Err = r.compare(ctx, s, dir)
	}
	r.Took = time.Since(began)
	return r
}

func (r *Result) compare(ctx context.Context, s Subjects, dir string) error {
	c := r.Case
	pi, err := s.real(ctx, c, filepath.Join(dir, "pi"))
	if err != nil {
		return fmt.Errorf("pi: %w", err)
	}
	fake, resumed, err := s.fakeAndResumed(ctx, c, filepath.Join(dir, "fake"), pi.run)
	if err != nil {
		return err
	}
	parts := pi.run.Parts(c)
	r.add(parts, fake.Parts(c))
	if c.Dialect == native.Pi073 && !c.Script.Snapshots {
		r.snapshots("pi", pi.run)
		r.snapshots("fake", fake)
	}
	r.locate(parts)
	if resumed != nil {
		r.add(pi.resumed(c), resumed.resumed(c))
	}
	return nil
}

// add compares parts and counts them.
func (r *Result) add(pi, fake []Part) {
	for _, p := range pi {
		switch {
		case strings.HasSuffix(p.Name, "stdout"):
			r.Lines += len(p.Records)
		case strings.HasSuffix(p.Name, ".jsonl"):
			r.Entries += len(p.Records)
		case strings.HasSuffix(p.Name, "requests"):
			r.Requests += len(p.Records)
		}
	}
	r.Differences = append(r.Differences, Compare(pi, fake)...)
}

// JudgeRecording lets fakepi do what the real Pi did in a recording, in a folder below dir, and compares the two.
func JudgeRecording(ctx context.Context, s Subjects, d native.Dialect, run recording.Run, dir string) Result {
	began := time.Now()
	r := Result{Case: Case{Dialect: d, Mode: script.Mode(run.Meta.Mode), Script: &Script{Name: run.Meta.Scenario}}}
	r.Err = r.retell(ctx, s, run, dir)
	r.Took = time.Since(began)
	return r
}

func (r *Result) retell(ctx context.Context, s Subjects, run recording.Run, dir string) error {
	told, recorded, err := Retell(run)
	if err != nil {
		return err
	}
	r.Case.Script = told
	fake, _, err := s.fakeAndResumed(ctx, r.Case, dir, Run{})
	if err != nil {
		return err
	}
	fake.Files = nil // a recording has those of the end, which are not always those of the exit
	fake.Pis[0].Title = ""
	r.add(recorded.Parts(r.Case), fake.Parts(r.Case))
	if r.Case.Dialect == native.Pi073 {
		r.snapshots("fake", fake)
	}
	return nil
}

// snapshots checks rule 2.
func (r *Result) snapshots(who string, run Run) {
	for i, pi := range run.Pis {
		for _, wrong := range Snapshots(pi.Stdout) {
			r.Differences = append(r.Differences, Difference{
				Part: fmt.Sprintf("Pi %d: snapshots of %s", i+1, who), Real: "deltas <= snapshot <= final text", Fake: wrong,
			})
		}
	}
}

// race runs a case with the kill and without, and asserts what the kill has left (rule 9).
func (r *Result) race(ctx context.Context, s Subjects, dir string) error {
	c := r.Case
	whole := c
	whole.Stop = ""
	unhurt, _, err := s.fakeAndResumed(ctx, whole, filepath.Join(dir, "whole"), Run{})
	if err != nil {
		return err
	}
	pi, err := s.real(ctx, c, filepath.Join(dir, "pi"))
	if err != nil {
		return fmt.Errorf("pi: %w", err)
	}
	fake, _, err := s.fakeAndResumed(ctx, c, filepath.Join(dir, "fake"), Run{})
	if err != nil {
		return err
	}
	for _, killed := range []struct {
		who string
		run Run
	}{{"pi", pi.run}, {"fake", fake}} {
		r.checkRace(killed.who, unhurt, killed.run)
	}
	r.Differences = append(r.Differences, newMatcher().part(exitPart(pi.run), exitPart(fake))...)
	return nil
}

func exitPart(run Run) Part { return Part{"Pi 1: exit", textPart(run.Pis[0].Exit)} }

func (r *Result) checkRace(who string, whole, killed Run) {
	c := r.Case
	a, b := whole.Parts(c), killed.Parts(c)
	find := func(parts []Part, suffix string) Part {
		for _, p := range parts {
			if strings.HasSuffix(p.Name, suffix) {
				return p
			}
		}
		return Part{Name: "session file"}
	}
	stdout, file := find(b, "stdout"), find(b, ".jsonl")
	stdout.Name, file.Name = who+": "+stdout.Name, who+": "+file.Name
	r.Lines += len(stdout.Records)
	r.Entries += len(file.Records)
	r.Differences = append(r.Differences,
		CheckRace(c.Dialect, find(a, "stdout"), stdout, find(a, ".jsonl"), file, killed.Pis[0].Seen)...)
}

// piRun is a run of the real Pi, with what the model was asked.
type piRun struct {
	run  Run
	real *Real
}

// resumed are the parts of the Pis that went on with a session, with what they asked the model.
func (p piRun) resumed(c Case) []Part {
	run := p.run
	run.Pis = run.Pis[2-run.First:]
	run.First = 2
	parts := run.Parts(c)
	for i := range run.Pis {
		n := NewNormal(run.Place.Home, run.Place.Work, false)
		parts = append(parts, Part{fmt.Sprintf("Pi %d: requests", i+2), n.Entries(p.real.Requests(i + 2))})
	}
	for i := range parts {
		parts[i].Name = "resumed by pi: " + parts[i].Name
	}
	return parts
}

func (s Subjects) real(ctx context.Context, c Case, dir string) (piRun, error) {
	at, err := NewPlace(dir, c.Script)
	if err != nil {
		return piRun{}, err
	}
	real := &Real{Pi: s.Pi, Gate: s.Gate}
	run, err := Drive(ctx, real, c, at, nil)
	return piRun{run, real}, err
}

// fakeAndResumed runs fakepi. Of a script that resumes, the real Pi then also goes on where the second fakepi did, in the
// same folders, with what the first one had left in them.
func (s Subjects) fakeAndResumed(ctx context.Context, c Case, dir string, pi Run) (Run, *piRun, error) {
	at, err := NewPlace(dir, c.Script)
	if err != nil {
		return Run{}, nil, err
	}
	saved := dir + ".first"
	before := func(n int) error {
		if n != 2 || !c.Script.Resumes {
			return nil
		}
		return os.CopyFS(saved, os.DirFS(dir))
	}
	run, err := Drive(ctx, s.Fake, c, at, before)
	if err != nil {
		return run, nil, fmt.Errorf("fakepi: %w", err)
	}
	if !c.Script.Resumes {
		return run, nil, nil
	}
	if err := errors.Join(os.Rename(dir, dir+".second"), os.Rename(saved, dir), adoptSystem(at, pi)); err != nil {
		return run, nil, err
	}
	real := &Real{Pi: s.Pi, Gate: s.Gate}
	again, err := Resume(ctx, real, c, at, run)
	if err != nil {
		return run, nil, fmt.Errorf("pi with the session of fakepi: %w", err)
	}
	return run, &piRun{again, real}, nil
}

// adoptSystem puts Pi's own system prompt in the place of the fake's stand-in, in the sessions of a place: where it finds
// another one, Pi tells the model of the change.
func adoptSystem(at Place, pi Run) error {
	own := systemMessage(pi)
	if own == nil {
		return nil
	}
	own, _ = moved(own, pi.Place, at).(native.Object)
	return eachFile(at.sessions(), func(name string, data []byte) error {
		var out []byte
		for _, r := range recordsOf(data) {
			line := r.Raw
			if o, _ := r.Value.(native.Object); r.Kind == "message(system)" {
				m := with(object(o, "message"), "sections", own.Get("sections"))
				line = native.AppendValue(nil, with(o, "message", with(m, "toolsAdded", own.Get("toolsAdded"))))
			}
			out = append(append(out, line...), '\n')
		}
		return os.WriteFile(filepath.Join(at.sessions(), name), out, 0o644)
	})
}

// systemMessage is the one that a run has saved; nil if there is none.
func systemMessage(run Run) native.Object {
	for _, pi := range run.Pis {
		for _, entries := range pi.Sessions {
			for _, r := range entries {
				if o, _ := r.Value.(native.Object); r.Kind == "message(system)" {
					return object(o, "message")
				}
			}
		}
	}
	return nil
}

// moved is a value in which the folders of one place are those of another.
func moved(v native.Value, from, to Place) native.Value {
	text := strings.NewReplacer(from.Work, to.Work, from.Home, to.Home).Replace(string(native.AppendValue(nil, v)))
	out, _ := native.ParseValue([]byte(text)) // it was one before
	return out
}

// locate finds the line of the worker's half that was being played when each difference came: that of the reply.
func (r *Result) locate(parts []Part) {
	for i := range r.Differences {
		d := &r.Differences[i]
		for _, p := range parts {
			if p.Name == d.Part && strings.HasSuffix(p.Name, "stdout") {
				d.Source = r.source(p, d.Line)
			}
		}
	}
}

// source is where the reply stands that a line of stdout belongs to.
func (r *Result) source(stdout Part, line int) string {
	var pi int
	if _, err := fmt.Sscanf(stdout.Name, "Pi %d: ", &pi); err != nil {
		return ""
	}
	replies, err := model.Compile(r.Case.section(pi), r.Case.Script.Worker.Files)
	n := 0
	for _, l := range stdout.Records[:min(line, len(stdout.Records))] {
		if l.Kind == "message_start(assistant)" {
			n++
		}
	}
	if err != nil || n == 0 || n > len(replies) {
		return ""
	}
	return replies[n-1].Source
}
