// Package javascript says what Pi's runtime makes of values and texts: what a value is as a string or in a condition, and in
// which words the engine and Node complain. The words are theirs in the versions that run each dialect's Pi.
package javascript

import (
	"slices"
	"strings"

	"fakepi.example/fakepi/native"
)

// Nests reports whether a value is nested deeper than a bound.
func Nests(v native.Value, bound int) bool {
	if bound < 0 {
		return true
	}
	switch v := v.(type) {
	case native.Array:
		return slices.ContainsFunc(v, func(e native.Value) bool { return Nests(e, bound-1) })
	case native.Object:
		return slices.ContainsFunc(v, func(m native.Member) bool { return Nests(m.Value, bound-1) })
	}
	return false
}

// String is what JavaScript makes of a value in a text; nil is undefined.
func String(v native.Value) string {
	switch v := v.(type) {
	case nil:
		return "undefined"
	case native.String:
		return string(v)
	case native.Object:
		return "[object Object]"
	case native.Array:
		parts := make([]string, len(v))
		for i, e := range v {
			if _, null := e.(native.Null); !null {
				parts[i] = String(e)
			}
		}
		return strings.Join(parts, ",")
	}
	return string(native.AppendValue(nil, v))
}

// Truthy is what JavaScript takes a value for in a condition.
func Truthy(v native.Value) bool {
	switch v := v.(type) {
	case nil, native.Null:
		return false
	case native.Bool:
		return bool(v)
	case native.String:
		return v != ""
	case native.Number:
		return v != 0 && v == v // NaN is false
	}
	return true
}

// Missing reports whether a value is null or undefined.
func Missing(v native.Value) bool {
	_, null := v.(native.Null)
	return v == nil || null
}

// NotString is JavaScript's complaint about a value whose string method is called though it is no string, or "". what is
// the value's name in Pi's source.
func NotString(v native.Value, what, method string) string {
	if _, ok := v.(native.String); ok {
		return ""
	}
	return Uncallable(v, what, method)
}

// Uncallable is JavaScript's complaint where a method is called that a value does not have.
func Uncallable(v native.Value, what, method string) string {
	if Missing(v) {
		return "Cannot read properties of " + String(v) + " (reading '" + method + "')"
	}
	return what + "." + method + " is not a function"
}

// Trim removes what JavaScript takes for white space.
func Trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		switch r {
		case '\t', '\n', '\v', '\f', '\r', ' ', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
			return true
		}
		return r >= 0x2000 && r <= 0x200A
	})
}

// Received is how Node shows a value in a complaint about its type.
func Received(v native.Value) string {
	switch v.(type) {
	case native.Number:
		return "type number (" + String(v) + ")"
	case native.Bool:
		return "type boolean (" + String(v) + ")"
	case native.Array:
		return "an instance of Array"
	case native.Object:
		return "an instance of Object"
	}
	return String(v)
}
