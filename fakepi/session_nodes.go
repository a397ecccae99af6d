package fakepi

import (
	"cmp"
	"slices"

	"fakepi.example/fakepi/native"
)

// nodeID is what a node of get_tree is found by: an entry's id, which others may have left out.
type nodeID = native.Opt[string]

// node is an entry as get_tree shows it.
type node struct {
	entry    native.Entry
	children []nodeID
}

// tree is the session as get_tree shows it: a node without a parent is a root, and children stand in order of time. Of
// entries with one id the last stands in the place of each.
func (s *session) tree(r *rules) []native.TreeNode {
	t := treeMaker{nodes: map[nodeID]*node{}, labels: s.labels(), within: map[nodeID]bool{}}
	for _, e := range s.entries {
		t.nodes[idOf(e)] = &node{entry: e}
	}
	var roots []nodeID
	for _, e := range s.entries {
		id := idOf(e)
		if parent := t.nodes[r.parentOf(e)]; parent != nil && r.parentOf(e) != id {
			parent.children = append(parent.children, id)
		} else {
			roots = append(roots, id)
		}
	}
	return t.show(roots)
}

func idOf(e native.Entry) nodeID {
	id := placeOf(e).ID
	return nodeID{V: id, Set: id != ""}
}

// noNode is what an entry names that is a root.
var noNode = nodeID{Set: true}

// parentOf is what an entry names as its parent. One that names none is under the last entry without an id.
func (r *rules) parentOf(e native.Entry) nodeID {
	switch parent := placeOf(e).ParentID; {
	case parent != "":
		return native.Some(parent)
	case r.objectOf(e).Get("parentId") == nil:
		return nodeID{}
	}
	return noNode
}

// objectOf is an entry as JSON has it.
func (r *rules) objectOf(e native.Entry) native.Object {
	line, err := r.codec.Append(nil, e)
	if err != nil {
		return nil
	}
	v, _ := native.ParseValue(line)
	o, _ := v.(native.Object)
	return o
}

// withoutParent is an entry whose parent is undefined to JavaScript: it does not write it.
func (r *rules) withoutParent(e native.Entry) native.Entry {
	o := slices.DeleteFunc(r.objectOf(e), func(m native.Member) bool { return m.Key == "parentId" })
	record, err := r.codec.Decode(native.AppendValue(nil, o))
	if err != nil {
		return e
	}
	return entryOf(record)
}

type treeMaker struct {
	nodes  map[nodeID]*node
	labels []label
	within map[nodeID]bool // the nodes around the one that is shown: the way down may come back to them
}

func (t *treeMaker) show(ids []nodeID) []native.TreeNode {
	shown := []native.TreeNode{}
	for _, id := range ids {
		if t.within[id] {
			continue
		}
		at := t.nodes[id]
		slices.SortStableFunc(at.children, t.byTime)
		t.within[id] = true
		n := native.TreeNode{Entry: at.entry, Children: t.show(at.children)}
		t.within[id] = false
		if i := slices.IndexFunc(t.labels, func(l label) bool { return l.target == id.V }); i >= 0 && id.Set {
			n.Label, n.LabelTimestamp = native.Some(t.labels[i].text), native.Some(t.labels[i].at)
		}
		shown = append(shown, n)
	}
	return shown
}

func (t *treeMaker) byTime(a, b nodeID) int {
	return cmp.Compare(millis(placeOf(t.nodes[a].entry).Timestamp), millis(placeOf(t.nodes[b].entry).Timestamp))
}
