package provider

import (
	"fmt"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// Failure is an error with which a provider answers a request (docs/pi-formats.md, section 11).
type Failure struct {
	Status  int    `json:"status"` // of HTTP
	Message string `json:"message"`
	Type    string `json:"type"`
}

// ServerError is a provider's own failure.
func ServerError() Failure { return Failure{500, "Internal server error", "server_error"} }

// FailureOf is the error of a step, with its message if it has one. reset is the civil time at which a quota resets, as
// the provider writes it; empty: it does not say.
func FailureOf(a script.Refused, message, reset string) Failure {
	f := failureOf(a.Class)
	if a.Class == script.RefusedQuota {
		f.Message = QuotaMessage(reset)
	}
	if message != "" {
		f.Message = message
	}
	if a.Status > 0 {
		f.Status = a.Status
	}
	if a.Type != "" {
		f.Type = a.Type
	}
	return f
}

// failureOf is the error that stands for a class.
func failureOf(class script.Class) Failure {
	switch class {
	case script.RefusedTransient:
		return Failure{529, "Overloaded", "overloaded_error"}
	case script.RefusedAuth:
		return Failure{401, "Invalid key", "authentication_error"}
	case script.RefusedQuota:
		return Failure{402, QuotaMessage(""), "insufficient_quota"}
	case script.RefusedOverflow:
		return Failure{400, fmt.Sprintf("This model's maximum context length is %d tokens. However, your messages resulted in %d tokens.",
			ContextWindow, ContextWindow+1000), "invalid_request_error"}
	}
	return Failure{400, "Invalid request", "invalid_request_error"}
}

// BreakOf is how the error of a step comes; empty: by its status, which an open message excludes.
func BreakOf(a script.Refused, open bool) script.Break {
	switch told := a.Message != (script.Text{}) || a.Type != ""; {
	case a.By != "" || !open:
		return a.By
	case a.Class == script.RefusedTransient && !told:
		return script.RefusedReset
	}
	return script.RefusedEvent
}

// QuotaMessage is the message of a quota that resets at a civil time; empty: it is not known.
func QuotaMessage(reset string) string {
	if reset == "" {
		return "You have hit your usage limit."
	}
	return "You have hit your usage limit. It resets at " + reset + "."
}

// AppendJSON appends OpenAI's error object, as it stands in a response's body under "error".
func (f Failure) AppendJSON(dst []byte) []byte {
	dst = native.AppendString(append(dst, `{"message":`...), f.Message)
	dst = native.AppendString(append(dst, `,"type":`...), f.Type)
	return append(dst, `,"code":null}`...)
}

// AppendAnthropic appends the whole body of Anthropic's response.
func (f Failure) AppendAnthropic(dst []byte) []byte {
	dst = native.AppendString(append(dst, `{"type":"error","error":{"type":`...), f.Type)
	return append(native.AppendString(append(dst, `,"message":`...), f.Message), `}}`...)
}
