// Package provider is what a script's lines mean on the side of the model's provider: how a text is cut into chunks,
// the arguments of a tool call, the errors, the tokens counted. The worker prints it as Pi would have got it, and the
// model endpoint sends it to a real Pi, so that both show the same.
package provider

import "time"

// Pieces is a text that comes in chunks over a span of time: the first at once, the last at its end.
type Pieces struct {
	text  string
	words bool // a chunk is a word; otherwise the chunks are equally long
	off   int  // bytes that came, modulo the text
	chars int  // of the text
	i, n  int  // chunks that came, of all
	over  time.Duration
}

// Cut divides a text: one chunk, one a word where it takes time, or n. A text of fewer characters than chunks is said
// again from its start; with once there are fewer chunks instead.
func Cut(text string, over time.Duration, n int, once bool) Pieces {
	p := Pieces{text: text, chars: Chars(text), over: over, n: n}
	switch {
	case text == "":
		p.n = 0
	case n == 0 && over > 0:
		p.words = true
		p.n = countWords(text)
	case n == 0:
		p.n = 1
	case once:
		p.n = min(n, p.chars)
	}
	return p
}

// CutCall divides the arguments of a call that a tool step makes by itself: two chunks at once.
func CutCall(arguments string) Pieces { return Cut(arguments, 0, 2, true) }

// More reports whether a chunk is still to come.
func (p *Pieces) More() bool { return p.i < p.n }

// At is when the next chunk comes, counted from the first.
func (p *Pieces) At() time.Duration {
	if p.n == 1 {
		return 0
	}
	gaps := time.Duration(p.n - 1)
	i := time.Duration(p.i)
	return p.over/gaps*i + p.over%gaps*i/gaps
}

// end is how many characters have come with chunk i: of chunks that are not equally long the longer ones come first.
func (p *Pieces) end(i int) int { return ((i+1)*p.chars + p.n - 1) / p.n }

// Next cuts the next chunk.
func (p *Pieces) Next() string {
	rest := p.text[p.off:]
	var cut int
	switch {
	case p.words:
		cut = wordEnd(rest)
	case p.n > p.chars:
		cut = charEnd(rest, 1)
	default:
		cut = charEnd(rest, p.end(p.i)-p.end(p.i-1))
	}
	p.i++
	if p.off += cut; p.off == len(p.text) && p.More() {
		p.off = 0
	}
	return rest[:cut]
}

// CutEvery divides a text into pieces of so many characters, the last one of those that are left.
func CutEvery(text string, size int) []string {
	var pieces []string
	for text != "" {
		cut := charEnd(text, max(size, 1))
		pieces = append(pieces, text[:cut])
		text = text[cut:]
	}
	return pieces
}

// Chars counts characters: bytes that continue none.
func Chars(s string) int {
	n := 0
	for i := range len(s) {
		if s[i]&0xC0 != 0x80 {
			n++
		}
	}
	return n
}

// charEnd is where the n-th character of s ends.
func charEnd(s string, n int) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		for i++; i < len(s) && s[i]&0xC0 == 0x80; i++ {
		}
	}
	return i
}

// wordEnd is where the first word of s ends, with the spaces before it, as tokens have them; the last word takes the
// spaces behind it too.
func wordEnd(s string) int {
	i := skip(s, 0, true)
	i = skip(s, i, false)
	if skip(s, i, true) == len(s) {
		return len(s)
	}
	return i
}

func skip(s string, i int, space bool) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t') == space {
		i++
	}
	return i
}

func countWords(s string) int {
	n := 0
	for s != "" {
		s = s[wordEnd(s):]
		n++
	}
	return n
}
