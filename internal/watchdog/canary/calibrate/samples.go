// Package calibrate proposes limits from recorded runs: how long first tokens, pauses, tools, compactions and starts took, what
// limit would have covered all but a few of them, and how sure that is.
//
// A span that something cut short, such as an abort, a kill or the end of the recording, is censored: it would have lasted at
// least as long. Quantiles are those of the Kaplan-Meier estimate, which counts such a span for as long as it was seen; their
// confidence intervals invert pointwise log-log intervals of the survival curve (Brookmeyer and Crowley, Biometrics 38, 1982).
package calibrate

import (
	"time"

	"fakepi.example/internal/fakepi/native/recording"
	"fakepi.example/internal/watchdog/agents"
	"fakepi.example/internal/watchdog/agents/pi"
	"fakepi.example/watchdog"
)

// Sample is one span without progress, governed by one limit.
type Sample struct {
	Limit    watchdog.Limit // startup, first_token, stream_gap, tool, compaction or settle
	Model    string         // if the recording names it
	Tool     string         // of tool
	Span     time.Duration
	Censored bool // it was cut short
}

// spans follows the events of one run.
type spans struct {
	samples []Sample
	open    map[watchdog.Limit]time.Duration // since when a limit counts
	calls   map[string]*call
	model   string
}

type call struct {
	tool    string
	since   time.Duration // its last progress
	output  uint64
	longest time.Duration
}

// Samples measures the spans of one run. The lines are those of the worker's stdout and stdin; end is when it ended, or when
// the recording did.
func Samples(mode watchdog.Mode, spawned time.Duration, lines []recording.Event, end time.Duration) []Sample {
	s := &spans{open: map[watchdog.Limit]time.Duration{watchdog.LimitStartup: spawned}, calls: map[string]*call{}}
	reader := pi.New("")
	reader.Start(watchdog.Spawned{Mode: mode, Source: watchdog.SourceHeld})
	for _, e := range lines {
		stream := watchdog.Stream(e.Dir)
		if e.Dir != recording.Out && e.Dir != recording.In {
			continue
		}
		reader.Feed(stream, append(e.Line[:len(e.Line):len(e.Line)], '\n'), time.Time{})
		for ev := reader.Next(); ev != nil; ev = reader.Next() {
			s.event(ev, e.At)
		}
		if e.Dir == recording.Out {
			s.ended(watchdog.LimitStartup, e.At) // whatever it prints first
		}
		end = max(end, e.At)
	}
	s.cut(end)
	return s.samples
}

// event moves the spans that an event begins or ends.
func (s *spans) event(ev *agents.Event, at time.Duration) {
	switch ev.Kind {
	case agents.TurnBegan:
		s.begin(watchdog.LimitFirstToken, at)
	case agents.MessageBegan:
		if ev.Role == agents.Assistant && ev.Model != "" {
			s.model = ev.Model
		}
	case agents.Delta:
		if s.ended(watchdog.LimitFirstToken, at) || s.ended(watchdog.LimitStreamGap, at) {
			s.begin(watchdog.LimitStreamGap, at)
		}
	case agents.MessageEnded:
		if ev.Role != agents.Assistant {
			return
		}
		failed := ev.Reply.Stop == agents.StopError || ev.Reply.Stop == agents.StopAborted
		s.finish(watchdog.LimitFirstToken, at, failed)
		s.finish(watchdog.LimitStreamGap, at, failed)
	case agents.CallBegan:
		s.calls[ev.ID] = &call{tool: ev.Tool, since: at}
	case agents.CallOutput:
		if c := s.calls[ev.ID]; c != nil && c.output != ev.Output {
			c.progress(at)
			c.output = ev.Output
		}
	case agents.CallEnded:
		s.callEnded(ev.ID, at, false)
	case agents.CompactionBegan:
		s.begin(watchdog.LimitCompaction, at)
	case agents.CompactionEnded:
		s.finish(watchdog.LimitCompaction, at, ev.Aborted)
	case agents.RunEnded:
		s.begin(watchdog.LimitSettle, at)
	case agents.Settled:
		s.finish(watchdog.LimitSettle, at, false)
		s.cutRun(at)
	case agents.DelayBegan, agents.RunBegan:
		delete(s.open, watchdog.LimitSettle) // it goes on: nothing was awaited
	case agents.SessionChanged:
		s.cutRun(at)
	}
}

func (c *call) progress(at time.Duration) {
	c.longest = max(c.longest, at-c.since)
	c.since = at
}

func (s *spans) begin(l watchdog.Limit, at time.Duration) { s.open[l] = at }

// ended ends a span with the progress that was awaited, and reports whether it was open.
func (s *spans) ended(l watchdog.Limit, at time.Duration) bool { return s.finish(l, at, false) }

func (s *spans) finish(l watchdog.Limit, at time.Duration, censored bool) bool {
	since, ok := s.open[l]
	if !ok {
		return false
	}
	delete(s.open, l)
	s.samples = append(s.samples, Sample{Limit: l, Model: s.model, Span: at - since, Censored: censored})
	return true
}

func (s *spans) callEnded(id string, at time.Duration, censored bool) {
	c := s.calls[id]
	if c == nil {
		return
	}
	delete(s.calls, id)
	last := at - c.since
	c.progress(at)
	// The longest silence of a call counts, once; where the last one was cut short it may have been the longest.
	s.samples = append(s.samples, Sample{
		Limit: watchdog.LimitTool, Model: s.model, Tool: c.tool, Span: c.longest, Censored: censored && last == c.longest,
	})
}

// cutRun ends what belongs to a run that is over.
func (s *spans) cutRun(at time.Duration) {
	for _, l := range []watchdog.Limit{watchdog.LimitFirstToken, watchdog.LimitStreamGap} {
		s.finish(l, at, true)
	}
	for _, id := range sortedIDs(s.calls) {
		s.callEnded(id, at, true)
	}
}

// cut ends all that is open.
func (s *spans) cut(at time.Duration) {
	s.cutRun(at)
	for _, l := range []watchdog.Limit{watchdog.LimitStartup, watchdog.LimitCompaction, watchdog.LimitSettle} {
		s.finish(l, at, true)
	}
}
