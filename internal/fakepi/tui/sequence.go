package tui

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// decode takes the first input of data: n bytes of it, none if it is not complete. ok is false for what is no input.
func decode(data []byte) (n int, in Input, ok bool) {
	if data[0] == 0x1b {
		return escape(data)
	}
	return character(data)
}

// character takes a control character or a letter.
func character(data []byte) (int, Input, bool) {
	if key, ok := controlKeys[data[0]]; ok {
		return 1, Input{Key: key}, true
	}
	if data[0] < ' ' {
		return 1, Input{Key: "ctrl+" + string(rune(data[0]|0x60))}, true
	}
	if !utf8.FullRune(data) {
		return 0, Input{}, false
	}
	r, n := utf8.DecodeRune(data)
	if r == utf8.RuneError && n == 1 {
		return brokenOff(data), typed(r), true
	}
	return n, typed(r), !unicode.IsControl(r)
}

// brokenOff is how many bytes begin a character that does not go on, which Node reads as one replacement character.
func brokenOff(data []byte) int {
	n := 1
	for n < len(data) && !utf8.FullRune(data[:n+1]) {
		n++
	}
	return n
}

func typed(r rune) Input {
	if r == ' ' {
		return Input{Key: "space", Text: " "}
	}
	return Input{Key: string(r), Text: string(r)}
}

var controlKeys = map[byte]string{
	0: "ctrl+space", '\t': "tab", '\r': "enter", 0x1c: `ctrl+\`, 0x1d: "ctrl+]", 0x1e: "ctrl+^", 0x1f: "ctrl+-", 0x7f: "backspace",
}

// maxSequence bounds a sequence; a longer one is none.
const maxSequence = 4096

// escape takes a sequence that begins with an escape.
func escape(data []byte) (int, Input, bool) {
	if len(data) == 1 {
		return 0, Input{}, false
	}
	switch data[1] {
	case 0x1b: // the key, and then something else
		return 1, Input{Key: "escape"}, true
	case '[':
		return control(data)
	case 'O':
		if len(data) == 2 {
			return 0, Input{}, false
		}
		key, ok := letterKeys[data[2]]
		return 3, Input{Key: key}, ok
	case ']', 'P', '_':
		return controlString(data)
	}
	n, in, ok := character(data[1:])
	if n == 0 {
		return 0, Input{}, false
	}
	return n + 1, Input{Key: withAlt(in.Key)}, ok
}

func withAlt(key string) string {
	if rest, ok := strings.CutPrefix(key, "ctrl+"); ok {
		return "ctrl+alt+" + rest
	}
	return "alt+" + key
}

// controlString takes a string up to its terminator: all that terminals send so are replies.
func controlString(data []byte) (int, Input, bool) {
	for i := 2; i < len(data); i++ {
		switch {
		case i >= maxSequence:
			return i, Input{}, false
		case data[i] == 0x07 && data[1] == ']':
			return i + 1, Input{Kind: Reply, Text: string(data[:i+1])}, true
		case data[i] == '\\' && data[i-1] == 0x1b && i > 2:
			return i + 1, Input{Kind: Reply, Text: string(data[:i+1])}, true
		}
	}
	return 0, Input{}, false
}

// control takes a sequence that a control sequence introducer begins.
func control(data []byte) (int, Input, bool) {
	end := 2
	for end < len(data) && data[end] >= 0x20 && data[end] < 0x40 && end < maxSequence {
		end++
	}
	if end == len(data) {
		return 0, Input{}, false
	}
	final := data[end]
	if final < 0x40 || final > 0x7e {
		return end, Input{}, false
	}
	if final == 'M' && end == 2 { // a mouse of the oldest kind: three bytes follow
		if len(data) < 6 {
			return 0, Input{}, false
		}
		return 6, Input{}, false
	}
	in, ok := controlKey(data[2:end], final)
	if in.Kind == Reply {
		in.Text = string(data[:end+1])
	}
	return end + 1, in, ok
}

// controlKey is the input that the parameters and the final byte of a sequence stand for.
func controlKey(params []byte, final byte) (Input, bool) {
	if len(params) > 0 && params[0] >= '<' {
		return Input{Kind: Reply}, params[0] == '?'
	}
	fields := strings.Split(string(params), ";")
	first, mods, released := number(fields, 0), number(fields, 1), strings.HasSuffix(field(fields, 1), ":3")
	if released {
		return Input{}, false
	}
	switch final {
	case 'u':
		return enhancedKey(fields, first, mods)
	case '~':
		if first == 27 && len(fields) == 3 {
			return named(keyOf(rune(number(fields, 2))), mods)
		}
		return named(numberKeys[first], mods)
	case 'Z':
		return Input{Key: "shift+tab"}, true
	case 'R', 'n', 'c', 't':
		return Input{Kind: Reply}, true
	}
	return named(letterKeys[final], mods)
}

// enhancedKey is a key of the protocol by which terminals tell all keys apart: code, the shifted one, modifiers.
func enhancedKey(fields []string, code, mods int) (Input, bool) {
	_, shifted, _ := strings.Cut(fields[0], ":")
	shifted, _, _ = strings.Cut(shifted, ":")
	if n, err := strconv.Atoi(shifted); err == nil && modifiers(mods) == "shift+" {
		return named(keyOf(rune(n)), 0)
	}
	return named(keyOf(rune(code)), mods)
}

// keyOf names the key of a code point.
func keyOf(r rune) string {
	switch r {
	case 0:
		return ""
	case 27:
		return "escape"
	case 8:
		return "backspace"
	case ' ':
		return "space"
	case 57414: // of the key pad
		return "enter"
	}
	if key, ok := controlKeys[byte(r)]; ok && r < 0x80 {
		return key
	}
	if !utf8.ValidRune(r) || unicode.IsControl(r) || r >= 0xe000 && r <= 0xf8ff {
		return ""
	}
	return string(r)
}

// named is the press of a key with modifiers. A letter with shift alone is the capital.
func named(key string, mods int) (Input, bool) {
	if key == "" {
		return Input{}, false
	}
	letter := utf8.RuneCountInString(key) == 1
	switch m := modifiers(mods); {
	case key == "space" && (m == "" || m == "shift+"):
		return Input{Key: key, Text: " "}, true
	case letter && (m == "" || m == "shift+"):
		if m != "" {
			key = strings.ToUpper(key)
		}
		return Input{Key: key, Text: key}, true
	case letter:
		return Input{Key: m + strings.ToLower(key)}, true
	default:
		return Input{Key: m + key}, true
	}
}

// modifiers names those of a parameter, which is one more than their bits.
func modifiers(param int) string {
	bits := max(param-1, 0)
	var s string
	for _, m := range []struct {
		bit  int
		name string
	}{{4, "ctrl+"}, {2, "alt+"}, {1, "shift+"}, {8, "super+"}} {
		if bits&m.bit != 0 {
			s += m.name
		}
	}
	return s
}

func field(fields []string, i int) string {
	if i < len(fields) {
		return fields[i]
	}
	return ""
}

// number reads a parameter up to its first colon.
func number(fields []string, i int) int {
	digits, _, _ := strings.Cut(field(fields, i), ":")
	n, _ := strconv.Atoi(digits) // one that is no number counts as left out
	return n
}

var letterKeys = map[byte]string{
	'A': "up", 'B': "down", 'C': "right", 'D': "left", 'E': "clear", 'F': "end", 'H': "home",
	'P': "f1", 'Q': "f2", 'S': "f4", 'M': "enter",
}

var numberKeys = map[int]string{
	1: "home", 2: "insert", 3: "delete", 4: "end", 5: "pageUp", 6: "pageDown", 7: "home", 8: "end",
	11: "f1", 12: "f2", 13: "f3", 14: "f4", 15: "f5", 17: "f6", 18: "f7", 19: "f8", 20: "f9", 21: "f10", 23: "f11", 24: "f12",
}
