package model

import (
	"errors"
	"fmt"
	"math"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/provider"
)

// ErrScript: the steps are none that a model could have a part in; errors.As finds a [*script.Error].
var ErrScript = errors.New("script cannot be played by a model")

// never is later than every step.
const never = time.Duration(math.MaxInt64)

// Compile makes the replies of the model in a script: the resolved steps of one worker, in order of time, and the
// script's payload files. What Pi does by itself (it runs tools, asks the user, waits before a retry, compacts) tells
// where one reply ends and when the next request comes, from which the Waits of its reply count. A reply that the script
// leaves open hangs.
func Compile(steps []script.Step, files map[string][]byte) ([]Reply, error) {
	c := compiler{steps: steps, files: files}
	for i := range steps {
		if err := c.step(i); err != nil {
			return nil, err
		}
	}
	if last := len(steps) - 1; last >= 0 {
		c.hang(&steps[last], 0)
	}
	return c.replies, nil
}

// compiler follows Pi through a script.
type compiler struct {
	steps   []script.Step
	files   map[string][]byte
	replies []Reply
	prompt  string
	fresh   bool          // no reply has come to it
	waits   bool          // Pi asks, and has no answer yet
	asked   time.Duration // when it does
	message message
	batch   int // of the calls that came last
	ids     int // of calls, used
}

// message is the reply under way.
type message struct {
	open   bool
	spoken bool // it has begun
	at     time.Duration
	calls  map[string]bool // labels of those that were streamed into it
	n      int             // its calls
	said   int             // bytes
	usage  Usage           // as the script reports it
}

func (c *compiler) step(i int) error {
	s := &c.steps[i]
	switch a := s.Action.(type) {
	case script.Stalls:
		c.hang(s, a.Keepalive.D)
	case script.Spawn, script.Wedges, script.Exits, script.Killed:
		c.hang(s, 0)
	case script.Prompt:
		return c.prompted(s, a)
	case script.Opens:
		c.open(s, a)
	case script.Reports:
		c.message.usage = usageOf(a)
	case script.Says:
		return c.say(s, a.Text, a.Over, a.Chunks, func(d string) Op { return Text{d} })
	case script.Thinks:
		return c.think(s, a)
	case script.Calls:
		return c.call(s, a)
	case script.Tool:
		return c.tool(i, a)
	case script.Closes:
		c.close(s, a.Stop)
		c.ask(s.At)
	case script.Ends:
		if a.Of == "" {
			c.close(s, a.Stop)
			c.waits = false
		}
	case script.Settles:
		c.close(s, script.StopStop)
		c.waits = false
	case script.Refused:
		return c.refuse(s, a)
	case script.Retries:
		c.retry(s, a)
	case script.Compacts:
		return c.compact(s, a)
	}
	return nil
}

func (c *compiler) value(s *script.Step, t script.Text) (string, error) {
	if t.File == "" {
		return t.Value, nil
	}
	data, ok := c.files[t.File]
	if !ok {
		return "", fmt.Errorf("%w: %w", ErrScript, &script.Error{
			Pos: s.Pos, Msg: fmt.Sprintf("there is no payload file %q", t.File), Hint: "add it below the script",
		})
	}
	return string(data), nil
}

// ask notes when Pi asks next.
func (c *compiler) ask(at time.Duration) { c.waits, c.asked = true, at }

func (c *compiler) prompted(s *script.Step, a script.Prompt) (err error) {
	c.hang(s, 0)
	if c.prompt, err = c.value(s, a.Text); err != nil {
		return err
	}
	c.fresh = true
	if !a.Takes.Never && !a.ResponseOnly && !a.Handled {
		c.ask(s.End())
	}
	return nil
}

// add sends an op at a time of the script, in the reply under way or in a new one.
func (c *compiler) add(s *script.Step, at time.Duration, ops ...Op) {
	m := &c.message
	if !m.open {
		if !c.waits || c.asked > at {
			c.asked = at // Pi cannot have waited
		}
		*m = message{open: true, at: c.asked, calls: map[string]bool{}}
		c.waits = false
		c.replies = append(c.replies, Reply{
			Source: fmt.Sprintf("%s:%d", s.Pos.File, s.Pos.Line), Prompt: c.prompt, First: c.fresh, For: ForTurn,
		})
		c.fresh = false
	}
	if at > m.at {
		c.op(Wait{D: at - m.at})
		m.at = at
	}
	c.op(ops...)
}

// op appends to the last reply.
func (c *compiler) op(ops ...Op) {
	r := &c.replies[len(c.replies)-1]
	r.Ops = append(r.Ops, ops...)
}

// open answers, by a chunk unless only the headers are to come.
func (c *compiler) open(s *script.Step, a script.Opens) {
	if a.Headers {
		c.add(s, s.At, Headers{})
		return
	}
	c.begin(s)
}

// begin begins the message, where it has not.
func (c *compiler) begin(s *script.Step) {
	if !c.message.open || !c.message.spoken {
		c.add(s, s.At, Role{})
		c.message.spoken = true
	}
}

func (c *compiler) say(s *script.Step, t script.Text, over script.Span, chunks int, op func(string) Op) error {
	text, err := c.value(s, t)
	if err != nil {
		return err
	}
	c.begin(s)
	c.stream(s, provider.Cut(text, over.D, chunks, false), op)
	return nil
}

func (c *compiler) think(s *script.Step, a script.Thinks) error {
	if a.Text != (script.Text{}) {
		return c.say(s, a.Text, a.Over, a.Chunks, func(d string) Op { return Thinking{d} })
	}
	if a.Keepalive.D > 0 {
		c.add(s, s.At)
		c.op(Wait{a.For.D, a.Keepalive.D})
		c.message.at = s.End()
	}
	return nil
}

func (c *compiler) stream(s *script.Step, pieces provider.Pieces, op func(string) Op) {
	for pieces.More() {
		at := s.At + pieces.At()
		delta := pieces.Next()
		c.message.said += len(delta)
		c.add(s, at, op(delta))
	}
}

// openCall begins a call and returns how its arguments are sent.
func (c *compiler) openCall(s *script.Step, name, id string) func(string) Op {
	index := c.message.n
	c.message.n++
	if id == "" {
		c.ids++
		id = fmt.Sprintf("call_%024d", c.ids)
	}
	c.add(s, s.At, Call{index, id, name})
	return func(delta string) Op { return Arguments{index, delta} }
}

func (c *compiler) call(s *script.Step, a script.Calls) error {
	args, err := c.arguments(s, a.Name, a.Command, a.Args, 0)
	if err != nil {
		return err
	}
	c.begin(s)
	if s.Label != "" {
		c.message.calls[s.Label] = true
	}
	c.stream(s, provider.Cut(args, a.Over.D, a.Chunks, true), c.openCall(s, a.Name, ""))
	return nil
}

// arguments are a call's as the model writes them.
func (c *compiler) arguments(s *script.Step, tool string, command, args script.Text, timeout time.Duration) (string, error) {
	if args != (script.Text{}) {
		return c.value(s, args)
	}
	text, err := c.value(s, command)
	return string(native.AppendValue(nil, provider.Arguments(tool, text, timeout))), err
}

// tool sends the calls of all tools of a batch with its first one. Pi asks again when the last has ended.
func (c *compiler) tool(i int, a script.Tool) error {
	s := &c.steps[i]
	end := never
	if s.HasDur {
		end = s.End()
	}
	if a.Batch == c.batch {
		c.asked = max(c.asked, end)
		return nil
	}
	c.batch = a.Batch
	if c.message.open || a.Call == "" {
		if err := c.callBatch(i, a.Batch); err != nil {
			return err
		}
	}
	c.ask(end)
	return nil
}

func (c *compiler) callBatch(first, batch int) error {
	s := &c.steps[first]
	c.begin(s)
	for i := first; i < len(c.steps) && !ofMessage(c.steps[i].Action); i++ {
		t, ok := c.steps[i].Action.(script.Tool)
		if !ok || t.Batch != batch || c.message.calls[t.Call] {
			continue
		}
		args, err := c.arguments(&c.steps[i], t.Name, t.Command, t.Args, t.Timeout.D)
		if err != nil {
			return err
		}
		c.stream(s, provider.CutCall(args), c.openCall(s, t.Name, t.ID))
	}
	c.finish(s, ReasonTools)
	return nil
}

// ofMessage reports whether a step belongs to a message, so that tools behind it are of another one.
func ofMessage(a script.Action) bool {
	switch a.(type) {
	case script.Prompt, script.Opens, script.Says, script.Thinks, script.Calls, script.Closes, script.Settles,
		script.Retries, script.Compacts, script.Refused, script.Spawn:
		return true
	}
	return false
}

func usageOf(r script.Reports) Usage { return Usage{r.Input, r.Output, r.Cached, r.Reasoning} }

func (c *compiler) finish(s *script.Step, why Reason) {
	c.begin(s)
	usage := c.message.usage
	switch {
	case usage != Usage{}:
	case why == ReasonLength:
		usage.Output = provider.MaxTokens
	default:
		usage.Output = provider.Tokens(c.message.said)
	}
	c.add(s, s.At, Finish{why}, usage, Done{})
	c.message.open = false
}

// close ends the message, if one is open. One that Pi aborts has no end of the model's.
func (c *compiler) close(s *script.Step, stop script.StopReason) {
	calls := c.message.n > 0
	switch {
	case !c.message.open:
	case stop == script.StopAborted:
		c.hang(s, 0)
	case stop == script.StopLength:
		c.finish(s, ReasonLength)
	case stop == script.StopToolUse, stop == "" && calls && s.Action.Verb() == "closes":
		c.finish(s, ReasonTools)
	default:
		c.finish(s, ReasonStop)
	}
}

// hang leaves the reply under way, or the one that is owed, without an end.
func (c *compiler) hang(s *script.Step, keepalive time.Duration) {
	if c.waits && c.asked <= s.End() {
		c.add(s, c.asked)
	}
	if c.message.open {
		c.op(Hang{keepalive})
	}
	c.message.open, c.waits = false, false
}

func (c *compiler) refuse(s *script.Step, a script.Refused) error {
	text, err := c.value(s, a.Message)
	if err != nil {
		return err
	}
	switch by := provider.BreakOf(a, c.message.open); by {
	case script.RefusedReset:
		c.add(s, s.At, Reset{})
	case script.RefusedClose:
		c.add(s, s.At, Close{})
	case script.RefusedFilter:
		c.finish(s, ReasonFilter)
	case script.RefusedEnd:
		c.add(s, s.At)
	default:
		op := Refuse{Failure: provider.FailureOf(a, text, ""), RetryAfter: a.RetryAfter.D}
		if text == "" {
			op.Reset = a.Reset.D
		}
		c.add(s, s.At, op)
	}
	c.replies[len(c.replies)-1].Again = true
	c.message.open, c.waits = false, false
	return nil
}

// retry is Pi's wait before it asks again. One that is hidden is a client library's, which obeys the provider's word.
func (c *compiler) retry(s *script.Step, a script.Retries) {
	switch {
	case a.Hidden && c.message.open: // silence, since no library repeats what has begun
	case a.Hidden:
		c.add(s, s.At, Refuse{
			Failure: provider.Failure{Status: 503, Message: "Service unavailable", Type: "server_error"}, RetryAfter: a.Delay.D,
		})
		c.message.open = false
		c.ask(s.End())
	case !a.Cancelled.Given():
		c.ask(s.End())
	}
}

// compact is the answer to Pi's request for a summary, and the request that follows where Pi goes on.
func (c *compiler) compact(s *script.Step, a script.Compacts) error {
	text, turn, err := c.summaries(s, a)
	if err != nil {
		return err
	}
	c.ask(s.At)
	switch {
	case !s.HasDur:
		c.add(s, s.At, Hang{})
	case a.Fails:
		c.add(s, s.End(), Refuse{Failure: provider.ServerError()})
	default:
		c.add(s, s.End(), Role{}, Text{text}, Finish{ReasonStop}, usageOf(summaryReport(a)), Done{})
	}
	c.summary()
	if turn != "" { // Pi asks twice
		c.ask(s.End())
		c.add(s, s.End(), Role{}, Text{turn}, Finish{ReasonStop}, usageOf(summaryReport(a)), Done{})
		c.summary()
	}
	if a.Reason == "overflow" && s.HasDur && !a.Fails {
		c.ask(s.End())
	}
	return nil
}

// summary makes the last reply one to a request for a summary.
func (c *compiler) summary() {
	r := &c.replies[len(c.replies)-1]
	c.fresh = c.fresh || r.First // a prompt may wait for it
	r.For, r.Again, r.Prompt, r.First = ForSummary, true, "", false
	c.message.open, c.waits = false, false
}

// summaries are the texts of a compaction.
func (c *compiler) summaries(s *script.Step, a script.Compacts) (text, turn string, err error) {
	if text, err = c.value(s, a.Gives); err != nil {
		return "", "", err
	}
	if text == "" {
		text = provider.Summary
	}
	turn, err = c.value(s, a.Turn)
	return text, turn, err
}

// summaryReport is what the provider counts of one request of a compaction.
func summaryReport(a script.Compacts) script.Reports {
	r := provider.SummaryReport()
	if a.Input > 0 {
		r.Input = a.Input
	}
	if a.Output > 0 {
		r.Output = a.Output
	}
	return r
}
