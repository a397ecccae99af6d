package report

import (
	"bufio"
	"io"

	"fakepi.example/conformance"
)

// findings writes what was found in a history that was played again.
func (r Report) findings(p *printer, played *conformance.Replayed) {
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
}

// Shrunk writes a history that was made smaller. The report needs no result.
func (r Report) Shrunk(w io.Writer, s *conformance.Shrunk) error {
	p := &printer{w: bufio.NewWriter(w)}
	p.line("steps     %d of %d", s.Steps[1], s.Steps[0])
	p.line("choices   %d of %d", s.Choices[1], s.Choices[0])
	p.line("played    %d histories", s.Played)
	p.line("replay    %s", r.again(s.Token.String()))
	return p.w.Flush()
}
