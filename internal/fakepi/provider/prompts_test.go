package provider_test

import (
	"testing"

	"fakepi.example/internal/fakepi/provider"
)

// Which of a script's prompts a text takes, from a place on.
func TestPrompts(t *testing.T) {
	var p provider.Prompts
	p.Add(2, "a")
	p.Add(5, "b")
	p.Add(7, "a")
	p.Add(9, "")
	tests := []struct {
		text        string
		from        int
		named, next int // places; -1: none
		reason      string
	}{
		{"a", 0, 2, 2, "the first"},
		{"a", 2, 2, 2, "at the place itself"},
		{"a", 3, 7, 5, "behind it the next of the name"},
		{"b", 6, -1, 7, "it is passed over"},
		{"A", 0, -1, 2, "exactly"},
		{"", 0, -1, 2, "an empty text names none"},
		{"a", 10, -1, -1, "behind the last"},
	}
	for _, tt := range tests {
		place := func(i int, ok bool) int {
			if !ok {
				return -1
			}
			return i
		}
		if got := place(p.Named(tt.text, tt.from)); got != tt.named {
			t.Errorf("%q from %d (%s): named %d, want %d", tt.text, tt.from, tt.reason, got, tt.named)
		}
		if got := place(p.Next(tt.from)); got != tt.next {
			t.Errorf("from %d (%s): next %d, want %d", tt.from, tt.reason, got, tt.next)
		}
	}
}

func TestFind(t *testing.T) {
	var p provider.Prompts
	for i, text := range []string{"a", "b", "a", "c"} {
		p.Add(10*i, text)
	}
	tests := []struct {
		texts  []string
		from   int
		place  int
		named  bool
		reason string
	}{
		{[]string{"b"}, 0, 10, true, ""},
		{[]string{"x"}, 0, 0, false, "it stays where the script stands"},
		{[]string{"a", "a"}, 0, 20, true, "the second names the second"},
		{[]string{"x", "a"}, 0, 20, true, "the first takes the prompt that is next"},
		{[]string{"x", "a"}, 5, 20, true, "what is left of a run comes first, and no prompt is taken"},
		{[]string{"b", "x"}, 0, 10, true, ""},
		{[]string{"c", "a"}, 0, 30, true, "nothing goes back"},
	}
	for _, tt := range tests {
		if place, named := p.Find(tt.texts, tt.from); place != tt.place || named != tt.named {
			t.Errorf("%q from %d (%s): got %d, %v, want %d, %v", tt.texts, tt.from, tt.reason, place, named, tt.place, tt.named)
		}
	}
}

// Results of calls that Pi has stopped, as both versions write them.
func TestStopped(t *testing.T) {
	for result, want := range map[string]bool{
		"Command aborted": true, "line 1\n\n\nCommand aborted": true, "Operation aborted": true, "No result provided": true,
		"": false, "Command aborted\n": false, "aborted": false, "Command exited with code 1": false, "Blocked by user": false,
	} {
		if got := provider.Stopped(result); got != want {
			t.Errorf("%q: got %t, want %t", result, got, want)
		}
	}
}

func TestSaid(t *testing.T) {
	const note = "[Image omitted: could not be resized below the inline image size limit.]"
	tests := []struct{ text, want, reason string }{
		{"Look.", "Look.", "no image"},
		{"Look." + provider.ImageUnseen, "Look.", "a model that sees none"},
		{"Look.\n\n" + note, "Look.", "an image that is broken"},
		{"Look.\n\n[Image converted from image/bmp to image/png.]\n" + note + provider.ImageUnseen, "Look.", "two of several"},
		{"[Image omitted: x]\n\nLook.", "[Image omitted: x]\n\nLook.", "a person's own words"},
	}
	for _, tt := range tests {
		if got := provider.Said(tt.text); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.reason, got, tt.want)
		}
	}
}
