package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fakepi.example/conformance"
	"fakepi.example/scenarios"
)

// failing is the file in which the tokens of failing histories are kept, one a line, so that they are played first next
// time. The path may be empty: none are kept.
type failing struct {
	path   string
	tokens []conformance.Token
}

// The words for --failing that are no path.
const (
	failingInCache = "cache"
	failingNowhere = "none"
)

// maxFailing is how many tokens a file keeps: the first ones of a run that fails all over say enough.
const maxFailing = 40

const failingHead = "# Histories in which piconform run has found something, played first by the next run. Made anew by each; may be deleted.\n"

// openFailing reads the tokens that an earlier run has kept of a subject. Lines that are no tokens of this suite are left
// out.
func openFailing(where, subject string) (*failing, error) {
	f := &failing{path: where}
	switch where {
	case "", failingNowhere:
		return &failing{}, nil
	case failingInCache:
		dir, err := os.UserCacheDir()
		if err != nil {
			return &failing{}, nil
		}
		f.path = filepath.Join(dir, "piconform", "failing-"+fileName(subject)+".txt")
	}
	data, err := os.ReadFile(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the histories that failed before: %w; --failing %s does without", err, failingNowhere)
	}
	if len(data) > 0 && !bytes.HasPrefix(data, []byte(failingHead)) {
		return nil, fmt.Errorf("--failing %s: the file is not one that piconform run wrote, and is left as it is; name another file, or %s", f.path, failingNowhere)
	}
	for line := range strings.Lines(string(data)) {
		if t, err := conformance.ParseToken(line); err == nil {
			f.tokens = append(f.tokens, t)
		}
	}
	return f, nil
}

// fileName is a subject's name as part of a file's.
func fileName(subject string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, subject)
}

// play plays the histories that failed before, says how many still do, and returns these. The others are kept no longer,
// except those of another dialect, which this run does not judge.
func (f *failing) play(w io.Writer, subject conformance.Subject, all []scenarios.Scenario, o conformance.Options) []*conformance.Replayed {
	var still []*conformance.Replayed
	var rest []conformance.Token
	played := 0
	for _, t := range f.tokens {
		if t.Dialect != o.Dialect {
			rest = append(rest, t)
			continue
		}
		played++
		// A token that no longer fits names a history that there is no more.
		if again, err := conformance.Replay(subject, all, t); err == nil && len(again.Case.Failures) > 0 {
			still = append(still, again)
			rest = append(rest, t)
		}
	}
	f.tokens = rest
	if played > 0 {
		fmt.Fprintf(w, "%d histories of %s failed before and were played first: %d still fail (--failing %s leaves them out)\n", played, f.path, len(still), failingNowhere)
	}
	return still
}

// keep adds the failures of a run, and of each the smaller history, and writes the file.
func (f *failing) keep(r *conformance.Result) error {
	if f.path == "" {
		return nil
	}
	for i := range r.Cases {
		for _, fail := range r.Cases[i].Failures {
			if fail.Shrunk != nil {
				f.add(fail.Shrunk.Token)
			}
			if t, err := conformance.ParseToken(fail.Token); err == nil && !fail.Known {
				f.add(t)
			}
		}
	}
	if len(f.tokens) == 0 {
		if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	var text bytes.Buffer
	text.WriteString(failingHead)
	for _, t := range f.tokens {
		fmt.Fprintln(&text, t)
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(f.path, text.Bytes(), 0o644)
}

func (f *failing) add(t conformance.Token) {
	if len(f.tokens) < maxFailing && !slices.ContainsFunc(f.tokens, t.Equal) {
		f.tokens = append(f.tokens, t)
	}
}
