package script

import (
	"bytes"

	"github.com/rogpeppe/go-internal/txtar"
)

// Payload is the files below a source's lines, in txtar form: long texts and bytes that the lines name.
type Payload struct {
	Files map[string][]byte

	pos  map[string]Pos // of each file's marker
	dup  Errors
	used map[string]bool
}

// NewPayload takes the files of an archive that was read from file.
func NewPayload(file string, archive *txtar.Archive) *Payload {
	p := &Payload{Files: map[string][]byte{}, pos: map[string]Pos{}, used: map[string]bool{}}
	line := 1 + bytes.Count(archive.Comment, []byte("\n"))
	for _, f := range archive.Files {
		at := Pos{File: file, Line: line, Col: 1}
		if _, ok := p.pos[f.Name]; ok {
			p.dup = append(p.dup, &Error{Pos: at, Msg: "a payload file of this name stands above", Hint: "rename one"})
		}
		p.Files[f.Name], p.pos[f.Name] = f.Data, at
		line += 1 + bytes.Count(f.Data, []byte("\n"))
	}
	return p
}

// use returns a file and notes that a line names it. A nil Payload has no files.
func (p *Payload) use(name string) ([]byte, bool) {
	if p == nil {
		return nil, false
	}
	data, ok := p.Files[name]
	p.used[name] = ok
	return data, ok
}

// Problems names the files that occur twice or that no line has used.
func (p *Payload) Problems() Errors {
	errs := p.dup
	for _, name := range keys(p.pos) {
		if !p.used[name] {
			errs = append(errs, &Error{Pos: p.pos[name], Msg: "no line uses this payload file", Hint: "name it in a line, or remove it"})
		}
	}
	return errs
}
