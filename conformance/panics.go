package conformance

import (
	"errors"
	"fmt"
	"path"
	"runtime"
	"strings"

	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// start starts the subject, and turns its panics into errors.
func (r *runner) start(b watchdog.Boot) (w watchdog.Watchdog, err error) {
	defer recovered(&err)
	if w, err = r.subject.Start(b); err == nil && w == nil {
		err = errors.New("it gave no watchdog")
	}
	return guarded{w}, err
}

// guarded is a subject whose panics are errors.
type guarded struct{ watchdog.Watchdog }

// Step implements watchdog.Watchdog.
func (g guarded) Step(now watchdog.Instant, seen []watchdog.Observation) (d watchdog.Decision, err error) {
	defer recovered(&err)
	return g.Watchdog.Step(now, seen)
}

// recovered makes a *trace.Panic of a panic. It is to be deferred.
func recovered(err *error) {
	if v := recover(); v != nil {
		*err = &trace.Panic{Value: fmt.Sprint(v), At: panickedAt()}
	}
}

// panickedAt is where the panic was raised that recovered has stopped.
func panickedAt() string {
	var callers [32]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers[:])]) // behind this function and recovered
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s (%s:%d)", f.Function, path.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}
