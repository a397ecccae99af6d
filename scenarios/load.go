package scenarios

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"fakepi.example/fakepi/script"
)

//go:embed matrix/*/*.txtar
var families embed.FS

// matrix is the embedded folder of the families: FAMILY/NAME.txtar.
func matrix() fs.FS {
	sub, err := fs.Sub(families, "matrix")
	if err != nil {
		panic(err) // the name is a valid path
	}
	return sub
}

// ErrEmpty says that there is no scenario where some must be: a suite that checks nothing must not pass.
var ErrEmpty = errors.New("no scenarios")

// Load reads the embedded matrix, sorted by id.
func Load() ([]Scenario, error) { return LoadFS(matrix()) }

// LoadOne reads one scenario of the embedded matrix. The error about one that there is not wraps fs.ErrNotExist.
func LoadOne(id string) (Scenario, error) {
	name := id + ".txtar"
	src, err := fs.ReadFile(matrix(), name)
	if err != nil {
		return Scenario{}, fmt.Errorf("no scenario %s: %w", id, fs.ErrNotExist)
	}
	return Parse(name, src)
}

// LoadFS reads every FOLDER/NAME.txtar of a file system, sorted by id. The id of each must be its path. An error about
// a file's contents is a script.Errors that names every problem of every file.
func LoadFS(fsys fs.FS) ([]Scenario, error) {
	names, err := fs.Glob(fsys, "*/*.txtar")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%w: want files named FOLDER/NAME.txtar", ErrEmpty)
	}
	var all []Scenario
	var problems script.Errors
	for _, name := range names {
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		s, err := Parse(name, src)
		var found script.Errors
		switch {
		case errors.As(err, &found):
			problems = append(problems, found...)
		case err != nil:
			return nil, err
		case s.ID != strings.TrimSuffix(name, ".txtar"):
			problems = append(problems, &script.Error{Pos: s.Pos, Msg: fmt.Sprintf("the id %s is not the file's path", s.ID), Hint: "write " + strings.TrimSuffix(name, ".txtar")})
		}
		all = append(all, s)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	slices.SortFunc(all, func(a, b Scenario) int { return cmp.Compare(a.ID, b.ID) })
	return all, nil
}
