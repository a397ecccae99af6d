package fidelity

import (
	"fmt"
	"strings"

	"fakepi.example/fakepi/native"
)

// Snapshots checks rule 2 in a stream of pi-0.73: in every message_update, what the deltas have said so far is a prefix of
// the text in "message" and in "partial", and that is a prefix of what the message ends with. It returns a sentence for
// each line that breaks it.
func Snapshots(records []Record) []string {
	var wrong []string
	finals := finalMessages(records)
	said := map[int]string{} // of the open message, by content index
	for i, r := range records {
		o, _ := r.Value.(native.Object)
		if r.Kind == "message_start(assistant)" {
			clear(said)
		}
		if o.Text("type") != "message_update" {
			continue
		}
		event := object(o, "assistantMessageEvent")
		index, _ := event.Get("contentIndex").(native.Number)
		if strings.HasSuffix(r.Kind, "_delta") {
			said[int(index)] += event.Text("delta")
		}
		for _, snapshot := range []native.Value{o.Get("message"), event.Get("partial")} {
			shown, _ := snapshot.(native.Object)
			if msg := checkSnapshot(shown, said, finals[i]); msg != "" {
				wrong = append(wrong, fmt.Sprintf("line %d, %s: %s", i+1, r.Kind, msg))
			}
		}
	}
	return wrong
}

// finalMessages returns for each record the message with which the reply around it ends; nil if it was cut off.
func finalMessages(records []Record) []native.Object {
	finals := make([]native.Object, len(records))
	var final native.Object
	for i := len(records) - 1; i >= 0; i-- {
		o, _ := records[i].Value.(native.Object)
		switch records[i].Kind {
		case "message_end(assistant)":
			final = object(o, "message")
		case "message_start(assistant)":
			final = nil
		}
		finals[i] = final
	}
	return finals
}

func checkSnapshot(snapshot native.Object, said map[int]string, final native.Object) string {
	if snapshot == nil {
		return "there is none"
	}
	blocks, _ := snapshot.Get("content").(native.Array)
	last, _ := final.Get("content").(native.Array)
	for i, text := range said {
		if i >= len(blocks) {
			return fmt.Sprintf("block %d, of which a delta came, is missing", i)
		}
		shown, ok := blockText(blocks[i])
		if !ok {
			continue // of a call the snapshot has what could be parsed
		}
		if !strings.HasPrefix(shown, text) {
			return fmt.Sprintf("block %d says %q, after deltas of %q", i, shown, text)
		}
		if final == nil {
			continue
		}
		if i >= len(last) {
			return fmt.Sprintf("block %d is not in the finished message", i)
		}
		if end, _ := blockText(last[i]); !strings.HasPrefix(end, shown) {
			return fmt.Sprintf("block %d says %q, and %q in the finished message", i, shown, end)
		}
	}
	return ""
}

// blockText is what a text or thinking block says.
func blockText(v native.Value) (string, bool) {
	o, _ := v.(native.Object)
	switch o.Text("type") {
	case "text":
		return o.Text("text"), true
	case "thinking":
		return o.Text("thinking"), true
	}
	return "", false
}
