package fakepi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// foreignFiles are where the session files are that others have written.
var foreignFiles = []string{"/s/one.jsonl", "/s/two.jsonl"}

// foreignEntries are those that a worker does not write by itself, beside some of no shape.
const foreignEntries = `{"type":"label","id":"11111111","parentId":"LEAF","timestamp":"2026-01-05T09:00:09.000Z","targetId":"LEAF","label":"here"}
{"type":"custom","id":"22222222","parentId":"11111111","timestamp":"2026-01-05T09:00:10.000Z","customType":"x","data":{"a":[1]}}
{"type":"custom_message","id":"33333333","parentId":"22222222","timestamp":"2026-01-05T09:00:11.000Z","customType":"x","content":"said","display":true}
{"type":"branch_summary","id":"44444444","parentId":"33333333","timestamp":"2026-01-05T09:00:12.000Z","fromId":"LEAF","summary":"before"}
{"type":"session_info","id":"55555555","parentId":"44444444","timestamp":"2026-01-05T09:00:13.000Z","name":" n "}
{"type":"message","id":"66666666","parentId":"55555555","timestamp":"2026-01-05T09:00:14.000Z","message":{"role":"bashExecution","command":"ls","output":"f\n","exitCode":0,"cancelled":false,"truncated":false,"timestamp":1767603614000}}
{"type":"context_edit","id":"77777777","parentId":"66666666","timestamp":"2026-01-05T09:00:15.000Z","targetId":"33333333","replacement":{"content":"other"}}
{"type":"later","id":"88888888","parentId":"77777777","timestamp":"2026-01-05T09:00:16.000Z","new":true}
`

// writtenSessions are a whole session file of each dialect, with every kind of entry, and what is none: a stream.
func writtenSessions(t testing.TB) []string {
	t.Helper()
	var files []string
	for _, lang := range tongues {
		w := newWorker(t, clientScripts[5]+"\n+1s prompt \"y\"\n+1s tool bash \"ls\" runs 1s gives \"f\"\n+1s says \"c\"\n+0s settles\n+1s compacts manual runs 2s", in(lang.dialect))
		var file, stream strings.Builder
		leaf := ""
		for _, o := range play(w, horizon, nil) {
			switch o.Stream {
			case fakepi.Session:
				file.Write(o.Data)
				leaf = string(o.Data[strings.Index(string(o.Data), `"id":"`)+6:][:8])
			case fakepi.Out:
				stream.Write(o.Data)
			}
		}
		files = append(files, file.String()+strings.ReplaceAll(foreignEntries, "LEAF", leaf), file.String(), stream.String())
	}
	return files
}

// oddValues are what stands where something else should.
var oddValues = []string{
	`null`, `3`, `-1`, `0.5`, `1e400`, `12345678901234567890`, `true`, `""`, `"x"`, `"/gone"`, `"/file"`, `"rel"`, `"\ud83d"`, `[]`, `{}`, `[null,[{"type":"text"}]]`,
	`"11111111"`, `"22222222"`, `"88888888"`, `"session"`, `"message"`, `"compaction"`, `"assistant"`, `"user"`, `"toolResult"`, `"1"`, `1`, `2`, `4`,
	strings.Repeat("[", 50) + strings.Repeat("]", 50),
}

// oddLines are lines that are no commands, and no entries either.
var oddLines = []string{
	``, ` `, `{`, `[]`, `42`, `"s"`, `{}`, `{"id":1}`, `{"type":7}`, `{"id":[1],"type":["x"]}`, `{"a" 1}`, `not json`, "\xff", "\x00",
	"\xef\xbb\xbf{}", "{\"type\":\"session\"}\r", "\u2028", "{\"id\":\"\xe2\x80\",\"type\":\"\xed\xa0\x80\"}", `{"type":"session","id":7}`, `"\ud83d`, `"abc\`,
	`{"type":"message"}`, `{"type":"message","message":{}}`, `{"type":"message","id":"99999999","parentId":"99999999","message":{"role":7,"content":"c"}}`,
	`{"type":"compaction","id":"c","parentId":"88888888","firstKeptEntryId":"none"}`, `{"__proto__":{"type":"abort"}}`,
	strings.Repeat("[", 20_000), `{"type":"get_commands","id":` + strings.Repeat("[", 2_000) + strings.Repeat("]", 2_000) + "}",
}

// drawSession draws a session file that was written whole, torn, changed by hand, or by something else.
func drawSession(r *rand.Rand, written []string) string {
	data := one(r, written)
	if r.IntN(20) == 0 {
		return one(r, append(oddLines, "\n", "\x7fELF\x02", "null\n"))
	}
	for range r.IntN(4) {
		data = harm(r, data)
	}
	return data
}

// harm does one thing to a file.
func harm(r *rand.Rand, data string) string {
	lines := strings.SplitAfter(data, "\n")
	at, other := r.IntN(len(lines)), r.IntN(len(lines))
	switch r.IntN(16) {
	case 0:
		return data[:r.IntN(len(data)+1)]
	case 1:
		return strings.ReplaceAll(data, "\n", "\r\n")
	case 2:
		n := r.IntN(len(data) + 1)
		return data[:n] + one(r, []string{"\x00", "\xff", "\n", "\r", "\u2028", `"`}) + data[n:]
	case 3:
		lines = slices.Delete(lines, at, at+1)
	case 4:
		lines = slices.Insert(lines, at, one(r, oddLines)+"\n")
	case 5:
		lines[at], lines[other] = lines[other], lines[at]
	case 6:
		lines = slices.Insert(lines, at, lines[other])
	default:
		lines[at] = harmObject(r, lines[at], data)
	}
	return strings.Join(lines, "")
}

// ids are those in a file, as JSON: an entry that gets one may become its own ancestor.
func ids(data string) []string {
	all := []string{`"none"`}
	for {
		_, rest, found := strings.Cut(data, `"id":"`)
		id, after, ended := strings.Cut(rest, `"`)
		if !found || !ended {
			return all
		}
		data = after
		if id = `"` + strings.TrimSuffix(id, `\`) + `"`; json.Valid([]byte(id)) { // it may be damaged
			all = append(all, id)
		}
	}
}

// harmObject takes a member away from an object, or from one in it, or gives it another value.
func harmObject(r *rand.Rand, line, file string) string {
	v, err := native.ParseValue([]byte(line))
	o, ok := v.(native.Object)
	if err != nil || !ok || len(o) == 0 {
		return line
	}
	at := r.IntN(len(o))
	odd := one(r, oddValues)
	if r.IntN(3) == 0 {
		odd = one(r, ids(file))
	}
	inner, nested := o[at].Value.(native.Object)
	switch value, err := native.ParseValue([]byte(odd)); {
	case err != nil:
		panic(strconv.Quote(odd) + " is no JSON")
	case nested && r.IntN(2) == 0:
		o[at].Value, _ = native.ParseValue([]byte(harmObject(r, string(native.AppendValue(nil, inner)), file)))
	case r.IntN(4) == 0:
		o = slices.Delete(o, at, at+1)
	default:
		o[at].Value = value
	}
	return string(native.AppendValue(nil, o)) + "\n"
}

// checkTree checks a session file: a header, then entries under entries that stand before them.
func checkTree(data string) error {
	header, entries, _ := strings.Cut(data, "\n")
	var s native.Skimmed
	if native.Skim([]byte(header), &s); s.Kind != native.KindHeader {
		return fmt.Errorf("begins with %s", s.Kind)
	}
	return checkAdded(entries, "")
}

// checkAdded checks the entries that a worker has written, perhaps behind those of others: each is new, and under one that
// is there. Those of others it may have copied.
func checkAdded(data, foreign string) error {
	theirs, known := map[string]bool{"": foreign != ""}, map[string]bool{"": true} // an entry of theirs may have no id
	for _, id := range ids(foreign) {
		id = native.Unescape(native.DecodeUTF8([]byte(strings.Trim(id, `"`))))
		theirs[id], known[id] = true, true
	}
	for line := range strings.Lines(data) {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, `{"type":"session"`) { // Pi 0.73 begins an empty file twice
			continue
		}
		v, err := native.ParseValue([]byte(line))
		o, _ := v.(native.Object)
		id, _ := o.Get("id").(native.String)
		parent, _ := o.Get("parentId").(native.String)
		if err != nil || !theirs[string(id)] && (known[string(id)] || !known[string(parent)]) {
			return fmt.Errorf("no entry under another, or for the second time: %s", line)
		}
		known[string(id)] = true
	}
	return nil
}
