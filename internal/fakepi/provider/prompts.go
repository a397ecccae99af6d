package provider

import (
	"regexp"
	"slices"
	"strings"
)

// Prompts are those of a script that are not played yet, and the places (of steps, of replies) at which they stand, in
// order. They are the rule by which a script that drives itself, a worker that a client drives and a model whose Pi a
// client drives come to the same reply (docs/script.md, "Which reply").
type Prompts struct {
	places []int
	texts  []string
}

// Add adds the script's next prompt.
func (p *Prompts) Add(place int, text string) {
	p.places, p.texts = append(p.places, place), append(p.texts, text)
}

// Named finds the first prompt at or behind a place that has exactly this text, which no empty one has.
func (p *Prompts) Named(text string, from int) (place int, ok bool) {
	for i := p.after(from); i < len(p.places) && text != ""; i++ {
		if p.texts[i] == text {
			return p.places[i], true
		}
	}
	return 0, false
}

// Find finds the prompt that texts name which get a turn together, where the script stands at a place. The first of them that
// names none takes the next one, so that those behind it name later ones.
func (p *Prompts) Find(texts []string, from int) (place int, named bool) {
	place = from
	for _, text := range texts {
		if i, ok := p.Named(text, from); ok {
			place, named = i, true
		}
		if i, ok := p.Next(place); ok && i == place {
			from = place + 1
		}
	}
	return place, named
}

// Next finds the first prompt at or behind a place.
func (p *Prompts) Next(from int) (place int, ok bool) {
	i := p.after(from)
	if i == len(p.places) {
		return 0, false
	}
	return p.places[i], true
}

func (p *Prompts) after(from int) int {
	i, _ := slices.BinarySearch(p.places, from)
	return i
}

// imageNotes are what Pi 1.6 tells of the images of a message, behind its text.
var imageNotes = regexp.MustCompile(`\n\n(\[Image[^\n]*\]\n?)+$`)

// Said is the text of a person's message as the model gets it, without what stands there for its images.
func Said(text string) string {
	return imageNotes.ReplaceAllString(strings.TrimSuffix(text, ImageUnseen), "")
}

// Stopped reports whether the result of a call says that Pi stopped it, as both versions do; so it does for a call of which
// a Pi that was killed has left none.
func Stopped(result string) bool {
	for _, end := range []string{"Command aborted", "Operation aborted", "No result provided"} {
		if strings.HasSuffix(result, end) {
			return true
		}
	}
	return false
}
