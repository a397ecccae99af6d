package provider_test

import (
	"testing"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/provider"
)

func TestFailureOf(t *testing.T) {
	tests := []struct {
		step           script.Refused
		message, reset string
		want           string
		status         int
		reason         string
	}{
		{script.Refused{Class: "transient"}, "", "", `{"message":"Overloaded","type":"overloaded_error","code":null}`, 529, "one that Pi retries"},
		{script.Refused{Class: "auth"}, "", "", `{"message":"Invalid key","type":"authentication_error","code":null}`, 401, "one that it does not"},
		{script.Refused{Class: "quota"}, "", "noon", `{"message":"You have hit your usage limit. It resets at noon.","type":"insufficient_quota","code":null}`, 402, "a quota says when it resets"},
		{script.Refused{Class: "quota"}, "No \"more\"", "noon", `{"message":"No \"more\"","type":"insufficient_quota","code":null}`, 402, "unless the script has the words"},
		{script.Refused{Class: "transient", Status: 429, Type: "rate_limit_error"}, "Slow", "", `{"message":"Slow","type":"rate_limit_error","code":null}`, 429, "all of it the script's"},
	}
	for _, tt := range tests {
		f := provider.FailureOf(tt.step, tt.message, tt.reset)
		if got := string(f.AppendJSON(nil)); got != tt.want || f.Status != tt.status {
			t.Errorf("%s: got %d %s, want %d %s", tt.reason, f.Status, got, tt.status, tt.want)
		}
	}
}

func TestBreakOf(t *testing.T) {
	said := script.Text{Value: "x"}
	tests := []struct {
		step script.Refused
		open bool
		want script.Break
	}{
		{script.Refused{Class: "transient"}, false, ""},
		{script.Refused{Class: "transient"}, true, "reset"},
		{script.Refused{Class: "transient", Message: said}, true, "event"},
		{script.Refused{Class: "quota"}, true, "event"},
		{script.Refused{Class: "quota"}, false, ""},
		{script.Refused{Class: "transient", By: "close"}, false, "close"},
		{script.Refused{Class: "other", By: "filter"}, true, "filter"},
	}
	for _, tt := range tests {
		if got := provider.BreakOf(tt.step, tt.open); got != tt.want {
			t.Errorf("%+v, open %v: got %q, want %q", tt.step, tt.open, got, tt.want)
		}
	}
}
