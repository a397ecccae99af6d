package fakepi

import (
	"slices"

	"fakepi.example/fakepi/native"
)

// keepRecent is how many tokens a compaction keeps unless the settings say otherwise.
const keepRecent = 20000

// cut is where a compaction divides the session.
type cut struct {
	kept            string // id of the first entry that stays
	before          int64  // tokens of the context
	history, prefix bool   // there are messages before the turn that is kept, and of that turn
	read, modified  []string
	previous        string // the summary of the compaction before
}

// cutter looks for the place: behind the last compaction, so that about as many tokens as may be kept stay.
type cutter struct {
	*Worker
	pieces []piece
	start  int // the first that may go
}

// cut finds the place of a compaction; false: there is nothing to compact.
func (w *Worker) cut() (cut, bool) {
	branch := w.session.branch()
	if n := len(branch); n == 0 || isCompaction(branch[n-1]) {
		return cut{}, false
	}
	c := cutter{Worker: w}
	var d cut
	if at := lastCompaction(branch); at >= 0 {
		d.previous = branch[at].(*native.CompactionEntry).Summary
		d.read, d.modified = filesOf(branch[at].(*native.CompactionEntry))
	}
	if w.rules.edits {
		c.pieces = w.pieces(branch)
		c.start = min(1, lastCompaction(branch)+1)
	} else {
		c.pieces, c.start = wholePieces(branch)
	}
	at := c.place()
	if at >= len(c.pieces) {
		return cut{}, false
	}
	turn := at
	if !c.startsTurn(c.pieces[at]) {
		turn = c.turnStart(at)
	}
	d.kept, d.before = placeOf(c.pieces[at].entry).ID, w.contextTokens(branch, nil) // a compaction goes by the file
	d.history, d.prefix = c.any(c.start, turn), c.any(turn, at)
	d.files(c.pieces[c.start:at])
	return d, d.history || d.prefix || !w.rules.edits
}

func isCompaction(e native.Entry) bool {
	_, ok := e.(*native.CompactionEntry)
	return ok
}

// wholePieces are the entries from the first that the last compaction kept.
func wholePieces(branch []native.Entry) (pieces []piece, start int) {
	if at := lastCompaction(branch); at >= 0 {
		kept := branch[at].(*native.CompactionEntry).FirstKeptEntryID
		start = slices.IndexFunc(branch, func(e native.Entry) bool { return placeOf(e).ID == kept })
		if start < 0 {
			start = at + 1
		}
	}
	for _, e := range branch {
		p := piece{entry: e}
		if m := messageOf(e); m != nil {
			p.messages = []native.Message{m}
		}
		pieces = append(pieces, p)
	}
	return pieces, start
}

// place is the first piece that stays.
func (c *cutter) place() int {
	first := slices.IndexFunc(c.pieces[c.start:], c.mayBegin)
	if first < 0 {
		return c.start
	}
	at := c.start + first
	var kept int64
	for i := len(c.pieces) - 1; i >= c.start; i-- {
		for _, m := range c.pieces[i].messages {
			kept += estimate(m)
		}
		if len(c.pieces[i].messages) > 0 && kept >= c.keep() {
			if at = c.nextPlace(i, at); c.rules.edits && c.onlyDropped(c.pieces[at+1:]) {
				at++
			}
			break
		}
	}
	for at > c.start && len(c.pieces[at-1].messages) == 0 && !isCompaction(c.pieces[at-1].entry) {
		at--
	}
	return at
}

// onlyDropped reports whether pieces show the model nothing, because replies that failed were taken out.
func (c *cutter) onlyDropped(pieces []piece) bool {
	dropped := map[string]bool{}
	replies := 0
	for _, p := range pieces {
		m := messageOf(p.entry)
		switch {
		case isCompaction(p.entry) || len(p.messages) > 0:
			return false
		case m != nil:
			dropped[placeOf(p.entry).ID] = true
			if m.Role() == "assistant" {
				replies++
			}
		}
	}
	return replies > 0 && !slices.ContainsFunc(pieces, func(p piece) bool {
		edit, ok := p.entry.(*native.ContextEdit)
		return ok && edit.Replacement != native.Value(native.Null{}) && !dropped[edit.TargetID]
	})
}

// nextPlace is the first possible place from i on; of none the last one, or where that is not known the first.
func (c *cutter) nextPlace(i, first int) int {
	last := first
	for at := c.start; at < len(c.pieces); at++ {
		if !c.mayBegin(c.pieces[at]) {
			continue
		}
		if at >= i {
			return at
		}
		last = at
	}
	if c.rules.edits {
		return last
	}
	return first
}

func (c *cutter) keep() int64 {
	if n, _ := c.settings.Get("compaction", "keepRecentTokens").(native.Number); n > 0 {
		return int64(n)
	}
	return keepRecent
}

// mayBegin reports whether what is kept can begin with a piece: not with a tool's result.
func (c *cutter) mayBegin(p piece) bool {
	return !isCompaction(p.entry) && slices.ContainsFunc(p.messages, func(m native.Message) bool {
		role := m.Role()
		return role != "toolResult" && role != "system"
	})
}

// startsTurn reports whether a piece is what a user says, or stands for it.
func (c *cutter) startsTurn(p piece) bool {
	return !isCompaction(p.entry) && slices.ContainsFunc(p.messages, func(m native.Message) bool {
		role := m.Role()
		return role == "user" || c.rules.edits && role != "assistant" && role != "toolResult" && role != "system"
	})
}

// turnStart is where the turn of a piece begins, or the piece itself.
func (c *cutter) turnStart(at int) int {
	for i := at; i >= c.start; i-- {
		if slices.ContainsFunc(c.pieces[i].messages, func(m native.Message) bool {
			role := m.Role()
			return role != "assistant" && role != "toolResult" && role != "system" && role != "compactionSummary"
		}) {
			return i
		}
	}
	return at
}

// any reports whether there is a message to summarise among some pieces.
func (c *cutter) any(from, to int) bool {
	return slices.ContainsFunc(c.pieces[from:max(from, to)], func(p piece) bool {
		return !isCompaction(p.entry) && slices.ContainsFunc(p.messages, func(m native.Message) bool {
			return m.Role() != "system" || !c.rules.edits
		})
	})
}

// files adds the files that tools were called for.
func (d *cut) files(pieces []piece) {
	for _, p := range pieces {
		for _, m := range p.messages {
			a, _ := m.(*native.AssistantMessage)
			if a == nil {
				continue
			}
			for _, b := range a.Content {
				d.file(b)
			}
		}
	}
	slices.Sort(d.modified)
	d.modified = slices.Compact(d.modified)
	d.read = slices.DeleteFunc(d.read, func(f string) bool { return slices.Contains(d.modified, f) })
	slices.Sort(d.read)
	d.read = slices.Compact(d.read)
}

func (d *cut) file(b native.Block) {
	call, ok := b.(*native.ToolCall)
	if !ok {
		return
	}
	args, _ := call.Arguments.(native.Object)
	path := args.Text("path")
	switch {
	case path == "":
	case call.Name == "read":
		d.read = append(d.read, path)
	case call.Name == "write" || call.Name == "edit":
		d.modified = append(d.modified, path)
	}
}

// filesOf are those that a compaction has told of.
func filesOf(c *native.CompactionEntry) (read, modified []string) {
	details, _ := c.Details.(native.Object)
	list := func(key string) []string {
		var names []string
		a, _ := details.Get(key).(native.Array)
		for _, v := range a {
			if s, ok := v.(native.String); ok {
				names = append(names, string(s))
			}
		}
		return names
	}
	if c.FromHook.V {
		return nil, nil
	}
	return list("readFiles"), list("modifiedFiles")
}
