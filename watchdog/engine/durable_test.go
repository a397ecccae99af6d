package engine_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// durable is the half of a dialogue that an engine with durable state needs: its journal, what survives a restart, and
// whoever carries its commands out. Its lines:
//
//	durable [autonomous]      the engine gets a state; the policy's preset
//	on KIND RESULT [FIELD=V]  from now on commands of this kind end so, at once; "on KIND" alone: with no outcome, but that
//	                          a notice is heard; "on notify none": it is not
//	link up|down
//	owner ITEM yes|no [DIGEST] [for DURATION] [by=worker|key|forger|nobody] [ago=DURATION]
//	WORKER operator INTENT [by=outside|worker|key|forger|nobody] [ago=DURATION]: as an event
//	disk full|free
//	restart [slow|alone|idly|empty]
//	                          a new engine on the same journal; slow: what comes again comes one by one; alone: and nothing
//	                          else; idly: it makes no step; empty: nothing comes again, the host has lost it
//	roster WORKER.GENERATION  the spawner believes it to run, from the next start on
//	cut TEXT                  the journal ends after the last record that contains the text, and the engine with it; restart
//	                          comes next
//	again N                   observation N comes once more
//	compact                   replaces the journal's history by its state, and prints the notices that it keeps
//	journal [KIND...]         prints the records since the last time, or those of the kinds
//	quiet KIND...             these commands are not printed
type durable struct {
	memory      *journal.Memory
	incarnation int
	said        int // bytes of the journal that were printed
	ack         int
	all         []watchdog.Observation
	rules       map[watchdog.CommandKind]watchdog.Outcome
	quiet       map[watchdog.CommandKind]bool
	keys        map[string]bool
	down        bool // no engine runs
	roster      []watchdog.Worker
}

func (d *dialogue) durableLine(word, rest string) (known bool, err error) {
	args := strings.Fields(rest)
	switch word {
	case "durable":
		d.durable = &durable{
			memory: new(journal.Memory), rules: map[watchdog.CommandKind]watchdog.Outcome{}, keys: map[string]bool{},
			quiet: map[watchdog.CommandKind]bool{watchdog.CmdHeartbeat: true, watchdog.CmdInspect: true, watchdog.CmdProbe: true},
		}
		if rest == "autonomous" {
			for _, class := range []string{"stop_turn", "stop_worker", "respawn"} {
				if err := d.policy.Set("effects."+class, "auto"); err != nil {
					return true, err
				}
			}
		}
	case "on":
		d.rule(args)
	case "link":
		d.observe("", watchdog.Link{Up: rest == "up"})
	case "owner":
		return true, d.owner(args)
	case "disk":
		size := -1
		if rest == "full" {
			size = d.durable.memory.Size()
		}
		d.durable.memory.Fill(size)
	case "restart":
		d.restart(rest)
	case "roster":
		id, n, _ := strings.Cut(rest, ".")
		generation, err := strconv.Atoi(n)
		d.durable.roster = append(d.durable.roster, watchdog.Worker{ID: id, Generation: generation})
		return true, err
	case "cut":
		return true, d.cut(rest)
	case "again":
		n, err := strconv.Atoi(rest)
		if err == nil {
			d.step(d.durable.all[n-1 : n])
		}
		return true, err
	case "compact":
		return true, d.compact()
	case "journal":
		d.journal(args)
	case "quiet":
		for _, k := range args {
			d.durable.quiet[watchdog.CommandKind(k)] = true
		}
	default:
		return false, nil
	}
	return true, nil
}

// owner takes a decision, which comes from outside of all workers or by others.
func (d *dialogue) owner(args []string) error {
	by, ago := options(strings.Join(args, " "))["by"], options(strings.Join(args, " "))["ago"]
	args = slices.DeleteFunc(args, func(a string) bool { return strings.Contains(a, "=") })
	o := watchdog.Owner{Item: args[0], Approve: args[1] == "yes"}
	if len(args) > 2 {
		o.Digest = args[2]
	}
	if len(args) > 4 {
		span, err := time.ParseDuration(args[4])
		if err != nil {
			return err
		}
		o.NotAfter = d.now.Wall.Add(span)
	}
	o.Given = d.now.Wall
	if ago != "" {
		span, err := time.ParseDuration(ago)
		if err != nil {
			return err
		}
		o.Given = o.Given.Add(-span)
	}
	worker := args[0][:strings.IndexByte(args[0], '/')]
	switch by {
	case "":
		o.Caller = watchdog.CallerOutside
	case "worker":
		o.Caller = watchdog.CallerWorker
	case "key":
		o = o.Sign(ownerKey(1), worker)
	case "forger":
		o = o.Sign(ownerKey(2), worker)
	}
	d.observe(worker, o)
	return nil
}

// ownerKey is the key of the owner, 1, or of somebody else.
func ownerKey(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
}

func (d *dialogue) rule(args []string) {
	kind := watchdog.CommandKind(args[0])
	if len(args) == 1 {
		delete(d.durable.rules, kind)
		return
	}
	o := options(strings.Join(args[2:], " "))
	d.durable.rules[kind] = watchdog.Outcome{Result: watchdog.Result(args[1]), Digest: o["digest"], Reason: o["reason"], Token: o["token"]}
}

// boot gives the engine its state, if it has one.
func (u *durable) boot(b watchdog.Boot) watchdog.Boot {
	if u == nil {
		return b
	}
	u.incarnation++
	w, err := u.memory.Acquire("engine", b.Now, 0)
	if err != nil {
		panic(err)
	}
	b.Roster = u.roster
	b.State, b.Incarnation, b.Spawner, b.OwnerKey = w, u.incarnation, watchdog.SpawnerFenced, ownerKey(1).Public().(ed25519.PublicKey)
	return b
}

func (u *durable) keep(seen []watchdog.Observation) {
	if u != nil {
		u.all = append(u.all, seen...)
	}
}

func (u *durable) acked(n int) {
	if u != nil {
		u.ack = n
	}
}

// hides reports whether a command is not printed.
func (u *durable) hides(c *watchdog.Command, known bool) bool {
	return u != nil && u.quiet[c.Kind] && !known
}

// act carries a command out by its rule; without one nothing comes of it. A key that is done has no second effect.
func (d *dialogue) act(c *watchdog.Command) []watchdog.Body {
	if d.durable == nil {
		return nil
	}
	o, ok := d.durable.rules[c.Kind]
	if !ok {
		if c.Kind == watchdog.CmdNotify {
			return []watchdog.Body{watchdog.Outcome{Key: c.Key, Result: watchdog.ResultDone}}
		}
		return nil
	}
	if o.Result == "none" {
		return nil
	}
	if d.durable.keys[c.Key] {
		d.t.Logf("%s: key %s again", d.now.Mono, c.Key)
	}
	d.durable.keys[c.Key] = o.Result == watchdog.ResultDone
	o.Key = c.Key
	return []watchdog.Body{o}
}

// facts adds the worktree's facts to a look at it: "answer world DIGEST [dirty] [midway] [missing] [FIELD=VALUE...]". The
// digest "-" is not known, with "bare" the facts are those of no digest, and with "alone" there are none.
func (d *dialogue) facts(c *watchdog.Command, body watchdog.Body) []watchdog.Body {
	in, ok := body.(watchdog.Inspect)
	if !ok || d.durable == nil || in.What != watchdog.WhatWorld {
		return []watchdog.Body{body}
	}
	words := strings.Fields(in.World)
	if in.World = words[0]; in.World == "-" {
		in.World = ""
	}
	if slices.Contains(words, "alone") {
		return []watchdog.Body{in}
	}
	facts := watchdog.Worktree{Digest: in.World}
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "bare":
			facts.Digest = ""
		case "dirty":
			facts.Dirty = true
		case "midway":
			facts.Midway = true
		case "missing":
			facts.Missing = true
		case "ahead":
			facts.Ahead, _ = strconv.Atoi(value)
		case "head":
			facts.Head = value
		case "remote":
			facts.Remote = value
		case "intended":
			facts.Intended = value
		case "gate":
			name, rest, _ := strings.Cut(value, ":")
			status, by, _ := strings.Cut(rest, ":")
			facts.Gates = append(facts.Gates, watchdog.Gate{Name: name, Status: watchdog.GateStatus(status), By: by})
		}
	}
	return []watchdog.Body{facts, in}
}

// compact prints which notices are kept.
func (d *dialogue) compact() error {
	if err := d.engine.Compact(); err != nil {
		return err
	}
	var state struct{ Notices map[string]any }
	if err := json.Unmarshal([]byte(d.engine.Memory()), &state); err != nil {
		return err
	}
	fmt.Fprintf(&d.said, "%s -- compact, notices: %s\n", d.now.Mono, strings.Join(slices.Sorted(maps.Keys(state.Notices)), " "))
	return nil
}

// cut ends the journal in the middle of what the engine committed last, and goes back to the ack that this leaves.
func (d *dialogue) cut(text string) error {
	data, err := d.durable.memory.Read()
	if err != nil {
		return err
	}
	at := strings.LastIndex(string(data), text)
	if at < 0 {
		return fmt.Errorf("no record has %q", text)
	}
	end := at + bytes.IndexByte(data[at:], '\n') + 1
	d.durable.memory.Crash(end)
	d.engine, d.wake, d.durable.down, d.durable.ack = nil, 0, true, 0
	_, err = journal.Replay(data[:end], func(r journal.Record) error {
		if a, ok := r.Body.(journal.Ack); ok {
			d.durable.ack = a.N
		}
		return nil
	})
	return err
}

// restart ends the engine and starts the next on what is durable. What was not acked comes again in one step.
func (d *dialogue) restart(how string) {
	fmt.Fprintf(&d.said, "%s -- restart\n", d.now.Mono)
	d.durable.memory.Crash(d.durable.memory.Synced())
	d.engine, d.durable.down = nil, false
	d.asked = map[string]bool{}
	var again []watchdog.Observation
	for _, o := range d.durable.all {
		if o.N > d.durable.ack {
			again = append(again, o)
		}
	}
	switch how {
	case "alone":
		d.step(again)
		return
	case "idly":
		d.start()
		return
	case "empty":
		again = nil
	}
	for how == "slow" && len(again) > 0 {
		d.step(again[:1])
		again = again[1:]
	}
	d.n++
	d.at = append(d.at, d.now.Mono)
	link := watchdog.Observation{N: d.n, At: d.now, Body: watchdog.Link{Up: true}}
	d.durable.keep([]watchdog.Observation{link})
	d.step(append(again, link))
}

func particulars(c *watchdog.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, " %s", c.Key)
	if c.Target != nil {
		fmt.Fprintf(&b, " pid=%d", c.Target.PID)
	}
	for _, f := range []struct{ name, value string }{
		{"act", string(c.Act)}, {"if", c.IfDigest}, {"item", c.Item}, {"session", c.Session}, {"snapshot", c.Snapshot},
		{"token", c.Token}, {"call", c.ToolCall},
	} {
		if f.value != "" {
			fmt.Fprintf(&b, " %s=%s", f.name, f.value)
		}
	}
	fmt.Fprintf(&b, " for %s", c.Cause.Name)
	if c.Kind == watchdog.CmdEscalate {
		fmt.Fprintf(&b, " %q", c.Text)
	}
	return b.String()
}

// journal prints the records since the last time, without the checkpoints' contents.
func (d *dialogue) journal(kinds []string) {
	data, err := d.durable.memory.Read()
	if err != nil {
		d.t.Fatal(err)
	}
	from := d.durable.said
	d.durable.said = len(data)
	n := 0
	_, err = journal.Replay(data, func(r journal.Record) error {
		n++
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
	at := 0
	for _, line := range strings.SplitAfter(string(data), "\n") {
		text := recordText(line)
		kind, _, _ := strings.Cut(text, " ")
		if at >= from && line != "" && (len(kinds) == 0 || slices.Contains(kinds, kind)) {
			d.said.WriteString("    | " + text + "\n")
		}
		at += len(line)
	}
}

// recordText is a line of the journal from its kind on, without its sum.
func recordText(line string) string {
	_, text, _ := strings.Cut(line, `"kind":`)
	text, _, _ = strings.Cut(text, `,"sum"`)
	kind, data, _ := strings.Cut(text, `,"data":`)
	if strings.Contains(kind, "model") {
		data = "..."
	}
	return strings.Trim(kind, `"`) + " " + data
}
