package fakepi

import (
	"fmt"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/provider"
)

// failed is how a reply ends by an error of the provider (docs/pi-formats.md, section 11).
func (w *Worker) failed(i int, a script.Refused, by script.Break) ending {
	reset := ""
	if a.Reset.Finite() {
		reset = w.iso(w.now + a.Reset.D)
	}
	f := provider.FailureOf(a, w.texts[i], reset)
	switch by {
	case script.RefusedEnd:
		return ending{stop: "error", err: w.endlessText(), unreported: true}
	case script.RefusedFilter:
		return ending{stop: "error", err: w.filterText(), raw: "content_filter"}
	case script.RefusedEvent:
		return ending{stop: "error", err: w.eventText(f), cut: true, unreported: true}
	case "":
		return ending{stop: "error", err: w.statusText(f), cut: true, unreported: true}
	}
	return ending{stop: "error", err: w.brokenText(by), cut: true, unreported: true}
}

// statusText is how Pi prints an error that came by the response's status.
func (w *Worker) statusText(f provider.Failure) string {
	switch {
	case w.blockwise():
		return fmt.Sprintf("%d %s", f.Status, f.AppendAnthropic(nil))
	case w.rules.shortError:
		return fmt.Sprintf("%d %s", f.Status, f.Message)
	}
	return fmt.Sprintf("%d: %s", f.Status, f.AppendJSON(nil))
}

// eventText is how Pi prints an error that came in the stream.
func (w *Worker) eventText(f provider.Failure) string {
	if w.blockwise() {
		return string(f.AppendAnthropic(nil))
	}
	return f.Message
}

// filterText is what Pi says where the provider's filter stopped the reply.
func (w *Worker) filterText() string {
	switch {
	case !w.blockwise():
		return "Provider finish_reason: content_filter"
	case w.rules.shortError:
		return "An unknown error occurred"
	}
	return "The model refused to complete the request"
}

// endlessText is what Pi says of a response that lacks the end of the message.
func (w *Worker) endlessText() string {
	if w.blockwise() {
		return "Anthropic stream ended before message_stop"
	}
	return "Stream ended without finish_reason"
}

// brokenText is what Pi prints of a connection that broke.
func (w *Worker) brokenText(by script.Break) string {
	text, cause := "Connection error.", "read ECONNRESET"
	if w.reply.open {
		text = "terminated"
	}
	if by == script.RefusedClose {
		cause = "other side closed (UND_ERR_SOCKET)"
	}
	if w.rules.shortError {
		return text
	}
	return text + ": " + cause
}
