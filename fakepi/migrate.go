package fakepi

import (
	"bytes"
	"slices"
	"strconv"

	"fakepi.example/fakepi/native"
)

// sessionVersion is that of the session files that Pi writes.
const sessionVersion = 3

// migrate is a session file of an older version as Pi makes it new: entries of version 1 get ids and follow each other, a
// message of version 2 that a hook has written is a custom one. ok is false of a file that is none, or new enough.
func migrate(data []byte, newID func() string) (migrated []byte, ok bool) {
	var entries []native.Object
	for line := range bytes.Lines(native.DecodeUTF8(data)) {
		if v, err := native.ParseValue(line); err == nil {
			if o, ok := v.(native.Object); ok {
				entries = append(entries, o)
			}
		}
	}
	at := slices.IndexFunc(entries, isHeader)
	if at < 0 {
		return nil, false
	}
	version := versionOf(entries[at].Get("version"))
	if version >= sessionVersion {
		return nil, false
	}
	if version < 2 {
		link(entries, newID)
	}
	for i, e := range entries {
		if isHeader(e) {
			e = assign(e, "version", native.Number(sessionVersion))
		} else {
			e = renameHook(e)
		}
		entries[i] = e
		migrated = append(native.AppendValue(migrated, e), '\n')
	}
	return migrated, true
}

func isHeader(e native.Object) bool { return e.Text("type") == "session" }

// versionOf is the version in a header; one without is of version 1.
func versionOf(v native.Value) float64 {
	switch v := v.(type) {
	case nil, native.Null:
		return 1
	case native.Number:
		return float64(v)
	case native.String:
		if n, err := strconv.ParseFloat(string(v), 64); err == nil {
			return n
		}
	}
	return sessionVersion // Pi finds it neither older nor newer
}

// link makes a tree of one branch of entries in a row.
func link(entries []native.Object, newID func() string) {
	parent := native.Value(native.Null{})
	for i, e := range entries {
		if isHeader(e) {
			continue
		}
		id := native.String(newID())
		e = assign(assign(e, "id", id), "parentId", parent)
		parent = id
		if index, ok := e.Get("firstKeptEntryIndex").(native.Number); ok && e.Text("type") == "compaction" {
			if n := int(index); n >= 0 && n < i && !isHeader(entries[n]) {
				e = assign(e, "firstKeptEntryId", entries[n].Get("id"))
			}
			e = slices.DeleteFunc(e, func(m native.Member) bool { return m.Key == "firstKeptEntryIndex" })
		}
		entries[i] = e
	}
}

// renameHook gives the message of a hook its later role.
func renameHook(e native.Object) native.Object {
	m, _ := e.Get("message").(native.Object)
	if e.Text("type") != "message" || m.Text("role") != "hookMessage" {
		return e
	}
	return assign(e, "message", assign(m, "role", native.String("custom")))
}
