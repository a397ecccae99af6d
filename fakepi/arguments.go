package fakepi

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

// readArguments reads what the model wrote as a call's arguments. Where that is no object, broken says why, and the
// dialect salvages what it can or takes none (docs/pi-formats.md, section 3.2).
func (r *rules) readArguments(text []byte) (args native.Value, broken string) {
	if len(bytes.TrimSpace(text)) == 0 {
		return native.Object{}, ""
	}
	if r.salvages {
		return javascript.Salvage(text), ""
	}
	repaired := javascript.Repair(r.dialect, text)
	broken = javascript.ParseError(r.dialect, repaired)
	if v, err := native.ParseValue(repaired); err == nil && broken == "" {
		if _, ok := v.(native.Object); ok {
			return v, ""
		}
		broken = "Tool arguments must be a JSON object"
	}
	return native.Object{}, broken + "\n\nReceived arguments:\n" + string(text)
}

// refusal is the result of a call that cannot run for what the model wrote; empty: it can.
func (w *Worker) refusal(c *call) string {
	switch {
	case !w.tools.has(c.name):
		return notFound(c.name)
	case c.run.Blocked && (len(w.asksNow()) == 0 || !w.hasUI()):
		return cmp.Or(w.given(c), w.unlisted(c.name), "Tool execution was blocked")
	case w.rules.salvages:
		return c.invalid
	case w.last != nil && w.last.StopReason == "length":
		return fmt.Sprintf("Tool call %q was not executed: the response hit the output token limit, so its arguments may be truncated. Re-issue the tool call with complete arguments.", c.name)
	case c.broken != "":
		return fmt.Sprintf("Invalid arguments for tool %q: %s", c.name, c.broken)
	}
	return c.invalid
}

// unlisted is what Pi says of a tool of which the model was not told; empty: it was.
func (w *Worker) unlisted(tool string) string {
	if slices.Contains(w.tools.listed(), tool) {
		return ""
	}
	return notFound(tool)
}

func notFound(tool string) string { return fmt.Sprintf("Tool %s not found", tool) }
