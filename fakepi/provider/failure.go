package provider

import (
	"fmt"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// Failure is an error with which a provider answers a request (docs/pi-formats.md, section 11).
type Failure struct {
	Status  int // of HTTP
	Message string
	Type    string
}

// ServerError is a provider's own failure.
func ServerError() Failure { return Failure{500, "Internal server error", "server_error"} }

// FailureOf is the error that stands for a class. reset is the civil time at which a quota resets, as the provider
// writes it; empty: it does not say.
func FailureOf(class script.Class, reset string) Failure {
	switch class {
	case script.RefusedTransient:
		return Failure{529, "Overloaded", "overloaded_error"}
	case script.RefusedAuth:
		return Failure{401, "Invalid key", "authentication_error"}
	case script.RefusedQuota:
		if reset != "" {
			return Failure{429, "You have hit your usage limit. It resets at " + reset + ".", "usage_limit_reached"}
		}
		return Failure{402, "You have hit your usage limit.", "insufficient_quota"}
	case script.RefusedOverflow:
		return Failure{400, fmt.Sprintf("This model's maximum context length is %d tokens. However, your messages resulted in %d tokens.",
			ContextWindow, ContextWindow+1000), "invalid_request_error"}
	}
	return Failure{400, "Invalid request", "invalid_request_error"}
}

// AppendJSON appends the error object, as it stands in a response's body under "error".
func (f Failure) AppendJSON(dst []byte) []byte {
	dst = native.AppendString(append(dst, `{"message":`...), f.Message)
	dst = native.AppendString(append(dst, `,"type":`...), f.Type)
	return append(dst, `,"code":null}`...)
}
