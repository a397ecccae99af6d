package report

import (
	"bufio"
	"io"

	"fakepi.example/conformance"
	"fakepi.example/conformance/requirements"
)

// Replay writes one history that was played again: all that happened, then what was found in it.
func Replay(w io.Writer, played *conformance.Replayed, set *requirements.Set, color bool) error {
	p := &printer{w: bufio.NewWriter(w), color: color}
	r := Report{Set: set}
	p.line("%s: %s, seed %d", played.Case.ID, played.Case.Title, played.Token.Seed)
	p.indented(played.Timeline)
	for i := range played.Case.Failures {
		f := played.Case.Failures[i]
		f.Timeline = "" // stands above, whole
		r.printFailure(p, failure{&f, &played.Case})
	}
	switch played.Case.Status {
	case conformance.Pass:
		p.line("\n%s: nothing was found in this history", p.green("PASSED"))
	case conformance.Warn:
		p.line("\n%s: only SHOULDs were missed", p.yellow("WARN"))
	default:
		p.line("\n%s: findings in this history: %d", p.red("FAILED"), len(played.Case.Failures))
	}
	return p.w.Flush()
}
