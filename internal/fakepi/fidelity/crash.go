package fidelity

import (
	"regexp"
	"strings"
)

var (
	// crashForm is what Node prints when it ends by an exception: where in the sources, the exception, and its own version.
	crashForm = regexp.MustCompile(`(?ms)^((?:file:|node:|<anonymous_script>)\S*:\d+\n.*?\n\n)([A-Z]\w*: .*)(\nNode\.js v[^\n]*\n)`)
	// frameForm is a line of its stack; the fake prints the first, too, without its place.
	frameForm = regexp.MustCompile(`(?m)^    at .*\n`)
)

// splitCrash parts what is said on stderr from the places in Pi's own files that Node names of an exception.
func splitCrash(stderr string) (said, places string) {
	if m := crashForm.FindStringSubmatchIndex(stderr); m != nil {
		frames := strings.Join(frameForm.FindAllString(stderr, -1), "")
		places = stderr[m[2]:m[3]] + frames + stderr[m[6]:m[7]]
		stderr = stderr[:m[2]] + stderr[m[4]:m[5]] + stderr[m[7]:]
	}
	return frameForm.ReplaceAllString(stderr, ""), places
}
