package javascript

// Flatten empties, in a text that is JSON, what nests deeper than a bound.
func Flatten(text []byte, bound int) []byte {
	var out []byte
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		opens, closes := !quoted && (c == '[' || c == '{'), !quoted && (c == ']' || c == '}')
		if opens {
			depth++
		}
		if depth <= bound || depth == bound+1 && (opens || closes) {
			out = append(out, c)
		}
		switch {
		case closes:
			depth--
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
			if depth <= bound {
				out = append(out, text[i])
			}
		}
	}
	return out
}
