package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"fakepi.example/fakepi/script"
	"fakepi.example/watchdog"
)

// claim is an Expect whose window is not resolved yet.
type claim struct {
	Expect
	from, to       script.Time
	fromPos, toPos script.Pos
}

// expect reads: expect [never] ALT{|ALT} [WORKER] [within TIME..TIME] [cause=NAME] [status=STATUS].
func (f *file) expect(first script.Token, rest []script.Token) script.Row {
	c := claim{Expect: Expect{Pos: first.Pos}}
	if len(rest) > 0 && rest[0].Text == "never" {
		c.Never, rest = true, rest[1:]
	}
	if len(rest) == 0 {
		f.fail(first.Pos, "nothing is expected", "write for example: expect slow_first_token w1 within @tool.end+first_token..+2m")
		return script.Row{}
	}
	f.add(c.alternatives(rest[0]))
	for rest = rest[1:]; len(rest) > 0; rest = rest[1:] {
		n, err := c.detail(rest)
		if err != nil {
			f.add(err)
			break
		}
		rest = rest[n:]
	}
	row := script.Row{Head: "expect", Body: c.String()}
	if f.section == twin {
		f.tailing, row.Indent = append(f.tailing, c), indent
	} else {
		f.claims = append(f.claims, c)
	}
	return row
}

// alternatives reads what is expected.
func (c *claim) alternatives(tok script.Token) *script.Error {
	if tok.Key != "" || tok.Quoted {
		return tok.Refuse("is nothing to expect", "name verdicts, commands or told, with | between alternatives")
	}
	col := tok.Pos
	for word := range strings.SplitSeq(tok.Text, "|") {
		part := script.Token{Pos: col, ValPos: col, Text: word}
		if slices.Contains(c.Alts, word) {
			return part.Refuse("is given twice", "leave one out")
		}
		if err := part.OneOf("verdict, command or told", expectable()); err != nil {
			return err
		}
		c.Alts = append(c.Alts, word)
		col.Col += len([]rune(word)) + 1
	}
	return nil
}

// expectable lists what can be expected.
func expectable() []string {
	return append(append(verdictWords(), commandWords()...), Told)
}

func verdictWords() []string { return words(watchdog.VerdictNames()) }
func commandWords() []string { return words(watchdog.CommandKinds()) }

func words[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}

// detail reads one part behind the alternatives and returns how many tokens it took beyond the first.
func (c *claim) detail(rest []script.Token) (int, *script.Error) {
	tok := rest[0]
	switch {
	case tok.Key == "cause" && c.Cause == "":
		c.Cause = tok.Text
		return 0, tok.OneOf("verdict, phase or limit", causes())
	case tok.Key == "status" && c.Status == "":
		c.Status = watchdog.Status(tok.Text)
		return 0, tok.OneOf("status", []string{"ok", "suspected", "confirmed"})
	case tok.Key != "" || tok.Quoted:
	case tok.Text == "within" && !c.HasWindow:
		if len(rest) < 2 {
			return 0, tok.Refuse("needs a window", "write within TIME..TIME, as in within @tool.end+first_token..+2m")
		}
		c.HasWindow = true
		return 1, c.window(rest[1])
	case script.IsWorker(tok.Text) && c.Worker == "":
		c.Worker = tok.Text
		return 0, nil
	}
	return 0, tok.Refuse("does not belong here", "the form is: expect [never] ALT{|ALT} [WORKER] [within TIME..TIME] [cause=NAME] [status=ok|suspected|confirmed]")
}

// causes lists what a cause can name: a verdict or phase, or a limit.
func causes() []string {
	var names []string
	for _, limit := range watchdog.LimitNames() {
		if !strings.Contains(limit, ".") {
			names = append(names, limit)
		}
	}
	return append(names, verdictWords()...)
}

// window reads TIME..TIME.
func (c *claim) window(tok script.Token) *script.Error {
	from, to, ok := strings.Cut(tok.Text, "..")
	if !ok || from == "" || to == "" || tok.Quoted || tok.Key != "" {
		return tok.Refuse("is no window", "write TIME..TIME, as in @tool.end+first_token..+2m")
	}
	left, right := script.Token{Pos: tok.Pos, Text: from}, script.Token{Pos: tok.Pos, Text: to}
	right.Pos.Col += len([]rune(from)) + len("..")
	c.fromPos, c.toPos = left.Pos, right.Pos
	var err *script.Error
	if c.from, err = script.ParseTime(left); err != nil {
		return err
	}
	if c.from.Label == "" && !c.from.Absolute {
		return left.Refuse("counts from nothing", "begin a window at a label or at a time since 0s")
	}
	c.to, err = script.ParseTime(right)
	return err
}

// String writes the claim as a line does, without the word expect.
func (c *claim) String() string {
	var parts []string
	if c.Never {
		parts = append(parts, "never")
	}
	parts = append(parts, strings.Join(c.Alts, "|"))
	if c.Worker != "" {
		parts = append(parts, c.Worker)
	}
	if c.HasWindow {
		parts = append(parts, fmt.Sprintf("within %s..%s", c.from, c.to))
	}
	if c.Cause != "" {
		parts = append(parts, "cause="+c.Cause)
	}
	if c.Status != "" {
		parts = append(parts, "status="+string(c.Status))
	}
	return strings.Join(parts, " ")
}
