package schema

import (
	"strconv"
	"strings"

	"fakepi.example/fakepi/native"
)

// Reader follows one decoding: where it stands and what deviated so far.
type Reader struct {
	path  []string
	found []native.Unknown
}

// Report notes that the value at the reader's place deviates.
func (r *Reader) Report(reason native.Reason) {
	r.found = append(r.found, native.Unknown{Path: "$" + strings.Join(r.path, ""), Reason: reason})
}

// Found returns all reports.
func (r *Reader) Found() []native.Unknown { return r.found }

// At runs f one step deeper, for instance at ".data".
func (r *Reader) At(step string, f func()) {
	r.push(step)
	defer r.pop()
	f()
}

func (r *Reader) push(step string) { r.path = append(r.path, step) }
func (r *Reader) pop()             { r.path = r.path[:len(r.path)-1] }
func (r *Reader) pushIndex(i int)  { r.push("[" + strconv.Itoa(i) + "]") }

// mark and reset drop the reports made inside a value that then proved unusable.
func (r *Reader) mark() int      { return len(r.found) }
func (r *Reader) reset(mark int) { r.found = r.found[:mark] }
