package fakepi

import (
	"slices"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

// placeOf is an entry's place in its session; an entry of an unknown shape may lack parts of it.
func placeOf(e native.Entry) native.EntryBase {
	switch e := e.(type) {
	case *native.ModelChange:
		return e.EntryBase
	case *native.ThinkingLevelChange:
		return e.EntryBase
	case *native.MessageEntry:
		return e.EntryBase
	case *native.CompactionEntry:
		return e.EntryBase
	case *native.ContextEdit:
		return e.EntryBase
	case *native.SessionInfo:
		return e.EntryBase
	}
	o := freeEntry(e)
	return native.EntryBase{ID: o.Text("id"), ParentID: o.Text("parentId"), Timestamp: o.Text("timestamp")}
}

// freeEntry is the object of an entry without a fixed shape, or nil.
func freeEntry(e native.Entry) native.Object {
	switch e := e.(type) {
	case *native.OtherEntry:
		return e.Value
	case *native.UnknownEntry:
		o, _ := e.Value.(native.Object)
		return o
	}
	return nil
}

// entry finds an entry by its id; of several the last, as in the file.
func (s *session) entry(id string) native.Entry {
	for _, e := range slices.Backward(s.entries) {
		if id != "" && placeOf(e).ID == id {
			return e
		}
	}
	return nil
}

// branch is the way from the root to the leaf.
func (s *session) branch() []native.Entry { return s.branchTo(s.leaf) }

// shown is the branch, and what the model is shown before it.
func (s *session) shown() []native.Entry { return slices.Concat(s.leaflessPath, s.branch()) }

// branchTo is the way from the root to an entry. Of a parent that stands behind its child, as only others write it, the last
// of its id counts; a way that comes back to itself, on which Pi would not end, ends there.
func (s *session) branchTo(id string) []native.Entry {
	var way []native.Entry
	for _, e := range slices.Backward(s.entries) {
		if id == "" {
			break
		}
		if p := placeOf(e); p.ID == id {
			way = append(way, e)
			id = p.ParentID
		}
	}
	if id != "" {
		way = s.wayBack(way, id)
	}
	slices.Reverse(way)
	return way
}

// wayBack goes on from an entry to the root, with entries that stand anywhere.
func (s *session) wayBack(way []native.Entry, id string) []native.Entry {
	been := map[string]bool{}
	for _, e := range way {
		been[placeOf(e).ID] = true
	}
	for e := s.entry(id); e != nil && !been[id]; e = s.entry(id) {
		way, been[id] = append(way, e), true
		id = placeOf(e).ParentID
	}
	return way
}

// name is the session's, by its last session_info; an empty one takes the name away.
func (s *session) name() native.Opt[string] {
	for _, e := range slices.Backward(s.entries) {
		if info, ok := e.(*native.SessionInfo); ok {
			name := javascript.Trim(info.Name)
			return native.Opt[string]{V: name, Set: name != ""}
		}
	}
	return native.Opt[string]{}
}

// label is one that a person gave to an entry, and when.
type label struct{ target, text, at string }

// labels are those that hold, in the order in which their entries were labelled first.
func (s *session) labels() []label {
	var all []label
	for _, e := range s.entries {
		if e.Type() != "label" {
			continue
		}
		o := freeEntry(e)
		l := label{o.Text("targetId"), o.Text("label"), o.Text("timestamp")}
		i := slices.IndexFunc(all, func(old label) bool { return old.target == l.target })
		switch {
		case l.text == "" && i >= 0:
			all = slices.Delete(all, i, i+1)
		case l.text != "" && i >= 0:
			all[i] = l
		case l.text != "":
			all = append(all, l)
		}
	}
	return all
}

// millis reads an ISO time as milliseconds since 1970; 0 if it is none.
func millis(iso string) int64 {
	at, err := time.Parse(time.RFC3339, iso)
	if err != nil {
		return 0
	}
	return at.UnixMilli()
}
