package script

import "strings"

// verb is the grammar of one verb.
type verb struct {
	name string
	kind kind
	// bind returns the params of an action of this verb (of a fresh one where a is nil) and a function that returns the
	// action with what the params have read.
	bind func(a Action) ([]param, func() Action)
}

// kind is who can have a verb.
type kind string

const (
	ofWorker   kind = "worker"
	ofWorld    kind = "world"
	ofOwner    kind = "owner"
	ofOperator kind = "operator"
	ofUser     kind = "user"
)

// grammar is an action's pointer type: the one list of what can follow its verb.
type grammar[T any] interface {
	*T
	params() []param
}

// define makes the verb of T; fresh holds the defaults.
func define[T Action, P grammar[T]](k kind, fresh T) verb {
	return verb{name: fresh.Verb(), kind: k, bind: func(a Action) ([]param, func() Action) {
		v := fresh
		if a != nil {
			v = a.(T)
		}
		return P(&v).params(), func() Action { return v }
	}}
}

// verbs lists every verb of every actor. Names are unique.
var verbs = []verb{
	define(ofWorker, Spawn{Mode: ModeRPC, Source: "held", Parent: true, Autonomous: true}),
	define(ofWorker, Prompt{}),
	define(ofWorker, Steer{}),
	define(ofWorker, FollowUp{}),
	define(ofWorker, Opens{}),
	define(ofWorker, Says{}),
	define(ofWorker, Thinks{}),
	define(ofWorker, Reports{}),
	define(ofWorker, Calls{}),
	define(ofWorker, Tool{}),
	define(ofWorker, Does{}),
	define(ofWorker, Asks{}),
	define(ofWorker, Notifies{Method: "notify"}),
	define(ofWorker, Chatter{}),
	define(ofWorker, Closes{}),
	define(ofWorker, Ends{}),
	define(ofWorker, Refused{}),
	define(ofWorker, Retries{}),
	define(ofWorker, Compacts{Reason: "threshold"}),
	define(ofWorker, Settles{}),
	define(ofWorker, Stalls{}),
	define(ofWorker, Wedges{How: WedgeDeaf}),
	define(ofWorker, Lingers{}),
	define(ofWorker, Exits{}),
	define(ofWorker, Killed{}),
	define(ofWorker, EOF{Stream: "out"}),
	define(ofWorker, Raw{Stream: "out", Times: 1}),
	define(ofUser, Answers{}),
	define(ofUser, Cancels{}),
	define(ofWorld, Link{}),
	define(ofWorld, Suspend{}),
	define(ofWorld, Dirty{}),
	define(ofWorld, Worktree{}),
	define(ofWorld, Gate{By: "ci"}),
	define(ofWorld, Outcome{}),
	define(ofWorld, Disk{}),
	define(ofWorld, Clock{}),
	define(ofWorld, Reboots{}),
	define(ofWorld, Gap{}),
	define(ofWorld, Truncates{}),
	define(ofWorld, Replaces{}),
	define(ofWorld, Probes{}),
	define(ofWorld, Task{}),
	define(ofWorld, Healed{}),
	define(ofOwner, Decides{Approve: true}),
	define(ofOwner, Decides{}),
	define(ofOperator, Intends{Intent: "stop"}),
	define(ofOperator, Intends{Intent: "pause"}),
	define(ofOperator, Intends{Intent: "resume"}),
	define(ofOperator, Intends{Intent: "rearm"}),
}

// Verbs lists the names of all verbs, those of the worker first.
func Verbs() []string {
	names := make([]string, len(verbs))
	for i, v := range verbs {
		names[i] = v.name
	}
	return names
}

// verbOf finds a verb by name, whoever has it.
func verbOf(name string) (verb, bool) {
	for _, v := range verbs {
		if v.name == name {
			return v, true
		}
	}
	return verb{}, false
}

// namesOf lists the verbs of one kind of actor.
func namesOf(k kind) []string {
	var names []string
	for _, v := range verbs {
		if v.kind == k {
			names = append(names, v.name)
		}
	}
	return names
}

// usage is the verb's grammar in one line.
func (v verb) usage() string {
	parts := []string{v.name}
	params, _ := v.bind(nil)
	for _, p := range params {
		if p.required {
			parts = append(parts, p.usage)
		} else {
			parts = append(parts, "["+p.usage+"]")
		}
	}
	return strings.Join(parts, " ")
}

// arguments writes what follows the verb of an action, without what has its default.
func arguments(a Action) string {
	v, _ := verbOf(a.Verb())
	params, _ := v.bind(a)
	defaults, _ := v.bind(nil)
	var parts []string
	for i, p := range params {
		if s := p.write(); s != "" && (p.required || s != defaults[i].write()) {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}
