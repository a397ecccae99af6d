package fidelity_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"fakepi.example/fakepi/script"
)

// story is a random script in the making. One hand draws both halves, since the client awaits what the worker does. Every
// story keeps the rules of the package by its making: what a client does falls into a silence of 2 s or more, outputs and
// ends of tools are far from each other, and a connection breaks 300 ms behind what was said.
//
// Left out is what two runs of Pi need not have in common, what the fake cannot know, and what it is known not to do:
//   - print mode: it prints its first line as it exits, so that its title cannot be looked up,
//   - the size of a context that no provider has counted, which holds the system prompt (see counted),
//   - the fork of an entry that is gone: the error tells its id in a text,
//   - a message that waits where the context may overfill: Pi 1.6 compacts within the run, before it delivers it,
//   - a compaction between two messages of a one-shot, for which Pi 0.73 does not wait,
//   - a new session in a run, behind which the old run of Pi 0.73 goes on unheard.
type story struct {
	*rand.Rand
	mode    script.Mode
	narrow  bool          // the model's context is so small that Pi compacts by itself
	unsaved bool          // there is no session file
	gated   bool          // an extension asks before some commands
	delay   time.Duration // before the first retry

	worker strings.Builder
	anchor string // what the worker's next line counts from; empty: the line before
	client []string
	given  int // numbers, for whatever needs a name of its own

	printed map[string]int // records of this run that a client may await, by kind
	failed  int            // requests that have failed since the last reply
	counted bool           // the provider has counted the context as it is
	asked   bool           // the session has a prompt
	spares  []string       // messages of the client that get a reply behind this run
	spared  bool           // there was one
	queued  bool           // the client has sent a message in this run, or before it
	astray  bool           // a message that waits takes the place of what this run has next
	lost    bool           // and nobody knows which reply is the next one
	over    bool           // the client has ended this run
	left    bool           // and the Pi
}

// randomScript is the script of a seed, and the name of its file.
func randomScript(seed uint64) (file, text string) {
	s := &story{Rand: rand.New(rand.NewPCG(seed, 0))}
	s.worker.WriteString("0s spawn\n")
	s.mode = pick(s, script.ModeRPC, script.ModeRPC, script.ModeRPC, script.ModeJSON)
	s.narrow, s.unsaved, s.gated = s.chance(20), s.chance(10), s.rpc() && s.chance(25)
	s.delay = pick(s, 200*time.Millisecond, 200*time.Millisecond, 2*time.Second)
	prompts := 1 + s.IntN(4)
	for n := range prompts {
		s.run(n, n == prompts-1)
	}
	if s.rpc() && !s.left {
		s.between()
		s.command(`{"type":"get_state"}`)
		s.command(`{"type":"get_messages"}`)
	}
	return fmt.Sprintf("30-random-%d.txt", seed), s.header() + s.worker.String() + worktree
}

// worktree is what the tools of a story find.
const worktree = `-- work/notes.md --
one
two
-- work/a.txt --
first: todo
second: later
-- work/b.txt --
first: todo
-- work/list.txt --
first
-- work/blank.txt --


`

func (s *story) header() string {
	var h strings.Builder
	fmt.Fprintf(&h, "# A random story.\nmodes  %s\nallow-exec\n", s.mode)
	if s.gated {
		h.WriteString("gate\n")
	}
	if s.chance(25) {
		h.WriteString("model  anthropic\n")
	}
	if s.narrow {
		h.WriteString("window 8000\nsettings {\"compaction\":{\"enabled\":true,\"reserveTokens\":1000,\"keepRecentTokens\":200}}\n")
	}
	if s.unsaved {
		h.WriteString("args   --no-session\n")
	} else if s.chance(10) {
		h.WriteString(pick(s, "args   --thinking low\n", "args   --tools read,edit,write,bash\n"))
	}
	key := "client"
	for _, act := range s.client {
		fmt.Fprintf(&h, "%-6s %s\n", key, act)
		key = ""
	}
	return h.String() + "\n"
}

func (s *story) rpc() bool { return s.mode == script.ModeRPC }

// sure reports whether the replies come as this run has them.
func (s *story) sure() bool { return !s.astray && !s.lost && !s.over }

// chance is true in so many of a hundred stories.
func (s *story) chance(percent int) bool { return s.IntN(100) < percent }

func pick[T any](s *story, of ...T) T { return of[s.IntN(len(of))] }

// number is one that the story has not yet.
func (s *story) number() int {
	s.given++
	return s.given
}

// line adds one to the worker's half, so long behind the anchor.
func (s *story) line(after time.Duration, format string, a ...any) {
	fmt.Fprintf(&s.worker, "%s+%s %s\n", s.anchor, after, fmt.Sprintf(format, a...))
	s.anchor = ""
}

const (
	soon  = 50 * time.Millisecond
	quiet = 300 * time.Millisecond
)

// run adds a prompt and what comes of it.
func (s *story) run(n int, last bool) {
	s.printed, s.failed, s.spares, s.queued, s.over = map[string]int{}, 0, nil, false, false
	prompt := fmt.Sprintf("Prompt %d.%s", n+1, pick(s, "", "", " Größe", "\nsecond line"))
	if s.left || s.rpc() && n > 0 && s.chance(8) {
		s.restarts()
	}
	if s.rpc() {
		s.between()
		s.prompts(prompt)
	}
	s.line(time.Second, "prompt %s", script.Quote(prompt))
	s.replies(last)
	for _, text := range s.spares {
		s.line(time.Second, "prompt %s", script.Quote(text))
		s.says(1)
		s.line(0, "settles")
	}
	if s.rpc() && !s.over {
		s.act("on settled")
	}
	s.astray = false
}

// replies are those of a run. In one of them the client may act.
func (s *story) replies(last bool) {
	turns, acting := s.IntN(4), -1
	if s.rpc() && s.sure() && s.chance(60) {
		acting = s.IntN(turns + 1)
	}
	for turn := range turns {
		switch {
		case turn == acting && turn == 0 && s.chance(25):
			s.beforeReply()
		case turn == acting:
			pick(s, s.inTextBeforeTool, s.inThought, s.inTool, s.inDelay)()
		case s.failed < 2 && s.chance(12):
			s.fails()
		case s.gated && s.sure() && s.chance(30):
			s.asks()
		default:
			s.tool()
		}
	}
	if acting == turns {
		s.inText()
		s.settles()
		return
	}
	s.ends(last)
}
