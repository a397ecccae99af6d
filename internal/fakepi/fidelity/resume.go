package fidelity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"fakepi.example/fakepi/native"
)

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
	real := &Real{Pi: s.Pi, Gate: s.Gate, Starts: s.Starts}
	run, err := Drive(ctx, real, c, at, nil)
	if err != nil {
		return piRun{}, fmt.Errorf("pi: %w", err)
	}
	return piRun{run, real}, nil
}

// fake runs fakepi. Of a script that resumes it keeps what the first one left in its folders, for [Subjects.resume].
func (s Subjects) fake(ctx context.Context, c Case, dir string) (Run, error) {
	at, err := NewPlace(dir, c.Script)
	if err != nil {
		return Run{}, err
	}
	before := func(n int) error {
		if n != 2 || !c.Script.Resumes {
			return nil
		}
		return os.CopyFS(dir+leftByFirst, os.DirFS(dir))
	}
	run, err := Drive(ctx, s.Fake, c, at, before)
	if err != nil {
		return run, fmt.Errorf("fakepi: %w", err)
	}
	return run, nil
}

// leftByFirst ends the name of the folder with what the first fakepi has left.
const leftByFirst = ".first"

// resume lets the real Pi go on where the second fakepi of a run did, in the same folders, with what the first one had
// left in them. pi is the run of the real Pi alone.
func (s Subjects) resume(ctx context.Context, c Case, dir string, fake Run, pi piRun) (piRun, error) {
	if err := errors.Join(os.Rename(dir, dir+".second"), os.Rename(dir+leftByFirst, dir), adoptSystem(fake.Place, pi.run)); err != nil {
		return piRun{}, err
	}
	real := &Real{Pi: s.Pi, Gate: s.Gate, Starts: s.Starts}
	run, err := Resume(ctx, real, c, fake.Place, fake)
	if err != nil {
		return piRun{}, fmt.Errorf("pi with the session of fakepi: %w", err)
	}
	return piRun{run, real}, nil
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
		for line := range bytes.Lines(data) {
			if r := NewRecord(bytes.TrimSuffix(line, []byte("\n"))); r.Kind == "message(system)" {
				o, _ := r.Value.(native.Object)
				m := with(object(o, "message"), "sections", own.Get("sections"))
				line = append(native.AppendValue(nil, with(o, "message", with(m, "toolsAdded", own.Get("toolsAdded")))), '\n')
			}
			out = append(out, line...)
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
