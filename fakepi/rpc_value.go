package fakepi

import (
	"slices"
	"strings"

	"fakepi.example/fakepi/native"
)

// Pi cannot write what is nested deeper: measured, it varies by some ten.
const (
	maxNesting = 4100
	tooDeep    = "RangeError: Maximum call stack size exceeded\n    at JSON.stringify (<anonymous>)\n"
)

// nests reports whether a value is nested deeper than a bound.
func nests(v native.Value, bound int) bool {
	if bound < 0 {
		return true
	}
	switch v := v.(type) {
	case native.Array:
		return slices.ContainsFunc(v, func(e native.Value) bool { return nests(e, bound-1) })
	case native.Object:
		return slices.ContainsFunc(v, func(m native.Member) bool { return nests(m.Value, bound-1) })
	}
	return false
}

// jsString is what JavaScript makes of a value in a text; nil is undefined.
func jsString(v native.Value) string {
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
				parts[i] = jsString(e)
			}
		}
		return strings.Join(parts, ",")
	}
	return string(native.AppendValue(nil, v))
}

// truthy is what JavaScript takes a value for in a condition.
func truthy(v native.Value) bool {
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

// missing reports whether a value is null or undefined.
func missing(v native.Value) bool {
	_, null := v.(native.Null)
	return v == nil || null
}

// notString is JavaScript's complaint about a value whose string method is called though it is no string, or "". what is
// the value's name in Pi's source.
func notString(v native.Value, what, method string) string {
	if _, ok := v.(native.String); ok {
		return ""
	}
	return uncallable(v, what, method)
}

// uncallable is JavaScript's complaint where a method is called that a value does not have.
func uncallable(v native.Value, what, method string) string {
	if missing(v) {
		return "Cannot read properties of " + jsString(v) + " (reading '" + method + "')"
	}
	return what + "." + method + " is not a function"
}

// trim removes what JavaScript takes for white space.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		switch r {
		case '\t', '\n', '\v', '\f', '\r', ' ', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
			return true
		}
		return r >= 0x2000 && r <= 0x200A
	})
}
