package fakepi

import (
	"cmp"
	"slices"
	"time"

	"fakepi.example/fakepi/native"
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
	return native.EntryBase{ID: member(o, "id"), ParentID: member(o, "parentId"), Timestamp: member(o, "timestamp")}
}

// freeEntry is the object of an entry without a fixed shape, or nil.
func freeEntry(e native.Entry) native.Object {
	switch e := e.(type) {
	case *native.OtherEntry:
		return e.Value
	case *native.UnknownEntry:
		return e.Value
	}
	return nil
}

// member is one that is a string, or "".
func member(o native.Object, key string) string {
	s, _ := o.Get(key).(native.String)
	return string(s)
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
			name := trim(info.Name)
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
		l := label{member(o, "targetId"), member(o, "label"), member(o, "timestamp")}
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

// tree is the session as get_tree shows it: a node without a parent is a root, and children stand in order of time.
func (s *session) tree() []native.TreeNode {
	last := map[string]int{}
	for i, e := range s.entries {
		last[placeOf(e).ID] = i
	}
	children := make([][]int, len(s.entries))
	var roots []int
	for i, e := range s.entries {
		p := placeOf(e)
		parent, known := last[p.ParentID]
		if p.ParentID == "" || p.ParentID == p.ID || !known || parent == i {
			roots = append(roots, i)
			continue
		}
		children[parent] = append(children[parent], i)
	}
	t := treeMaker{s: s, children: children, labels: s.labels()}
	return t.nodes(roots)
}

type treeMaker struct {
	s        *session
	children [][]int // of each entry
	labels   []label
}

func (t *treeMaker) nodes(entries []int) []native.TreeNode {
	nodes := []native.TreeNode{}
	for _, i := range entries {
		e := t.s.entries[i]
		slices.SortStableFunc(t.children[i], t.byTime)
		n := native.TreeNode{Entry: e, Children: t.nodes(t.children[i])}
		if at := slices.IndexFunc(t.labels, func(l label) bool { return l.target == placeOf(e).ID }); at >= 0 {
			n.Label, n.LabelTimestamp = native.Some(t.labels[at].text), native.Some(t.labels[at].at)
		}
		nodes = append(nodes, n)
	}
	return nodes
}

func (t *treeMaker) byTime(a, b int) int {
	return cmp.Compare(millis(placeOf(t.s.entries[a]).Timestamp), millis(placeOf(t.s.entries[b]).Timestamp))
}

// millis reads an ISO time as milliseconds since 1970; 0 if it is none.
func millis(iso string) int64 {
	at, err := time.Parse(time.RFC3339, iso)
	if err != nil {
		return 0
	}
	return at.UnixMilli()
}
