package tui

import (
	"bytes"
	"slices"
	"time"
)

// Kind is what a terminal sends.
type Kind uint8

// The kinds.
const (
	Press Kind = iota // of a key
	Paste             // of text, between the marks of bracketed paste
	Reply             // to a question that the program asked the terminal
)

// Input is one thing that a terminal sends.
type Input struct {
	Kind Kind
	Key  string // of a press: "a", "É", "enter", "up", "ctrl+c", "alt+enter"; modifiers in the order ctrl, alt, shift
	Text string // what a press types, what was pasted, or the sequence of a reply
}

// Decoder makes inputs of the bytes that a terminal sends, however they are cut. Sequences that are none of a key's
// (mouse, focus, releases) are dropped.
type Decoder struct {
	rest    []byte // the beginning of a sequence or character
	pasting bool
	pasted  []byte // so far
}

// Clone returns an independent copy.
func (d *Decoder) Clone() Decoder {
	c := *d
	c.pasted = slices.Clip(c.pasted)
	return c
}

const (
	pasteOpens  = "\x1b[200~"
	pasteCloses = "\x1b[201~"
)

// How long the rest of a sequence may take. An escape that is followed by nothing is the key itself.
const (
	escapeWait   = 10 * time.Millisecond
	sequenceWait = 50 * time.Millisecond
)

// Decode appends the inputs that data completes.
func (d *Decoder) Decode(data []byte, in []Input) []Input {
	data = slices.Concat(d.rest, data)
	d.rest = nil
	for len(data) > 0 {
		if d.pasting {
			var text Input
			if text, data = d.paste(data); d.pasting {
				return in
			}
			in = append(in, text)
			continue
		}
		n, next, ok := decode(data)
		switch {
		case n == 0:
			d.rest = data
			return in
		case string(data[:n]) == pasteOpens:
			d.pasting = true
		case ok:
			in = append(in, next)
		}
		data = data[n:]
	}
	return in
}

// paste takes pasted text up to the mark that ends it, and returns what stands behind that.
func (d *Decoder) paste(data []byte) (Input, []byte) {
	searched := max(0, len(d.pasted)-len(pasteCloses)+1)
	d.pasted = append(d.pasted, data...)
	i := bytes.Index(d.pasted[searched:], []byte(pasteCloses))
	if i < 0 {
		return Input{}, nil
	}
	text, rest := d.pasted[:searched+i], d.pasted[searched+i+len(pasteCloses):]
	d.pasting, d.pasted = false, nil
	return Input{Kind: Paste, Text: string(text)}, rest
}

// Wait is how long to wait for the rest of what has begun before [Decoder.Flush], or 0: a character may take any time.
func (d *Decoder) Wait() time.Duration {
	switch {
	case len(d.rest) == 0 || d.rest[0] != 0x1b:
		return 0
	case len(d.rest) == 1:
		return escapeWait
	}
	return sequenceWait
}

// Flush appends what has begun as it stands: the rest does not come. A paste stays open.
func (d *Decoder) Flush(in []Input) []Input {
	rest := string(d.rest)
	d.rest = nil
	switch rest {
	case "\x1b":
		return append(in, Input{Key: "escape"})
	case "\x1b[", "\x1bO", "\x1b]", "\x1bP", "\x1b_":
		return append(in, Input{Key: "alt+" + rest[1:]})
	}
	return in
}
