package conformance

import (
	"errors"
	"time"

	"fakepi.example/internal/conformance/oracle"
	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// lives are the incarnations of a subject in one history, wherever they run.
type lives struct {
	r   *runner
	own Incarnations // of an isolated subject
}

func (r *runner) open(c Case) (*lives, error) {
	subject, ok := r.subject.(Isolated)
	if !ok {
		return &lives{r: r}, nil
	}
	own, err := subject.Open(c)
	return &lives{r: r, own: own}, err
}

// start starts the next one.
func (l *lives) start(b watchdog.Boot) (watchdog.Watchdog, error) {
	if l.own == nil {
		return l.r.start(b)
	}
	return l.own.Start(b)
}

// close ends the last one.
func (l *lives) close() error {
	if l.own == nil {
		return nil
	}
	return l.own.Close()
}

// cutOff is a Sink that notes whether the subject broke off.
type cutOff struct {
	trace.Nothing
	happened bool
}

// Step implements trace.Sink.
func (c *cutOff) Step(s *trace.Step) {
	c.happened = c.happened || errors.Is(s.Err, ErrUnanswered)
}

// noAnswer is the finding that the subject broke off.
func noAnswer(at time.Duration, expected string, err error) oracle.Violation {
	return oracle.Violation{
		Requirement: unansweredRequirement, Mistake: mistakes.Crash, At: at, Expected: expected, Actual: err.Error(),
	}
}

// unansweredRequirement is what a subject breaks that gives no answer where no worker's output can be its reason.
const unansweredRequirement = "WDC-OBS-002"
