package model_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/model"

	"github.com/google/go-cmp/cmp"
)

// outline writes replies in short: each with the line of the script where it begins.
func outline(replies []model.Reply) string {
	var lines []string
	for _, r := range replies {
		words := []string{strings.TrimPrefix(r.Source, "script:")}
		if r.For == model.ForSummary {
			words = append(words, "summary")
		}
		if r.Again {
			words = append(words, "again")
		}
		for _, op := range r.Ops {
			words = append(words, short(op))
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return strings.Join(lines, "\n")
}

func short(op model.Op) string {
	switch op := op.(type) {
	case model.Wait:
		return "+" + op.D.String()
	case model.Headers:
		return "headers"
	case model.Role:
		return "role"
	case model.Text:
		return fmt.Sprintf("%q", op.Delta)
	case model.Thinking:
		return fmt.Sprintf("(%s)", op.Delta)
	case model.Call:
		return fmt.Sprintf("%d:%s", op.Index, op.Name)
	case model.Arguments:
		return fmt.Sprintf("%d:%s", op.Index, op.Delta)
	case model.Finish:
		return string(op.Reason)
	case model.Refuse:
		return fmt.Sprint(op.Failure.Status)
	case model.Reset:
		return "reset"
	case model.Close:
		return "close"
	case model.Hang:
		return "hang"
	case model.Usage, model.Done:
		return "." // every good end has both
	}
	return fmt.Sprintf("%T", op)
}

// The steps that are Pi's own tell where a reply ends and when the next request comes.
func TestCompile(t *testing.T) {
	const p = "0s prompt \"x\"\n"
	tests := []struct{ src, want, reason string }{
		{p + "+2s says \"a\"\n+0s settles", `2 +2s role "a" stop . .`, "counted from the request"},
		{"0s prompt \"x\" takes 3s\n+2s opens\n+0s settles", `2 +2s role stop . .`, "the request comes with the run, not with the line on stdin"},
		{p + "+1s thinks 5s\n+0s opens\n+1s ends length\n+0s settles", `3 +6s role +1s length . .`, "silence alone is a wait"},
		{p + "+1s tool bash \"ls\" runs 4s\n+2s opens\n+0s settles", "2 +1s role 0:bash 0:{\"comman 0:d\":\"ls\"} tool_calls . .\n3 +2s role stop . .", "the next request comes with the tool's end"},
		{p + "+1s tool bash runs 9s as=a\n@a+1s tool read runs 1s\n@a.end+1s opens\n+0s settles", "2 +1s role 0:bash 0:{ 0:} 1:read 1:{ 1:} tool_calls . .\n4 +1s role stop . .", "tools that run at once are of one message; the last to end counts"},
		{p + "+1s tool bash runs 1s\n+0s asks confirm \"?\"\n+0s user answers \"yes\" after 1m\n+1s says \"a\"\n+0s settles", "2 +1s role 0:bash 0:{ 0:} tool_calls . .\n5 +1m1s role \"a\" stop . .", "a dialog behind the tools holds the reply, whoever is asked"},
		{p + "+1s tool bash runs 1s as=a\n@a asks confirm \"?\"\n+0s user answers \"yes\" after 1m\n@a.end+1s says \"a\"\n+0s settles", "2 +1s role 0:bash 0:{ 0:} tool_calls . .\n5 +1s role \"a\" stop . .", "a dialog in the tool makes it longer"},
		{p + "+1s tool bash runs never as=a\n+1h ends @a\n+1s opens\n+0s settles", "2 +1s role 0:bash 0:{ 0:} tool_calls . .\n4 +1s role stop . .", "a tool that is ended by a step"},
		{p + "+1s tool bash runs never", "2 +1s role 0:bash 0:{ 0:} tool_calls . .", "a tool that never ends is no silence of the model"},
		{p + "+1s calls bash as=a\n+1s closes\n+1s tool @a runs 1s\n+1s opens\n+0s settles", "2 +1s role 0:bash 0:{} +1s tool_calls . .\n5 +1s role stop . .", "a call that was streamed before is not called again"},
		{p + "+1s steer \"y\"\n+1s says \"a\"\n+0s closes stop\n+1s says \"b\"\n+0s settles", "3 +2s role \"a\" stop . .\n5 +1s role \"b\" stop . .", "what waits is delivered and asked at once"},
		{p + "+1s stalls", "2 hang", "no answer at all"},
		{p + "+1s says \"a\"\n+1s stalls", `2 +1s role "a" hang`, "in mid-message"},
		{p + "+1s says \"a\"\n+1s killed SIGKILL", `2 +1s role "a" hang`, "Pi has gone"},
		{p + "+1s tool bash runs 9s as=a\n@a+1s killed SIGKILL", "2 +1s role 0:bash 0:{ 0:} tool_calls . .", "it did not live to ask again"},
		{p + "+1s says \"a\"\n+1s ends aborted\n+0s settles", `2 +1s role "a" hang`, "who aborts is the client"},
		{p + "+1s refused auth\n+0s settles", "2 again +1s 401", "a status; a library that insists gets it again"},
		{p + "+1s refused transient\n+0s retries 4s\n+1s opens\n+0s settles", "2 again +1s 529\n4 +1s role stop . .", "a retry is a request of its own, when the delay is over"},
		{p + "+1s refused transient\n+0s retries 4s cancelled=1s", "2 again +1s 529", "a retry that was cancelled is none"},
		{p + "+1s retries 4s hidden\n+1s opens\n+0s settles", "2 +1s 503\n3 +1s role stop . .", "a hidden retry is a library's, after an error that Pi does not see"},
		{p + "+1s says \"a\"\n+1s retries 4s hidden\n+1s says \"b\"\n+0s settles", `2 +1s role "a" +6s "b" stop . .`, "no library repeats what has begun"},
		{p + "+1s opens\n+1s refused transient\n+0s settles", "2 again +1s role +1s reset", "behind the headers a transient error is a broken connection"},
		{p + "+1s says \"a\"\n+1s refused quota\n+0s settles", "2 again +1s role \"a\" +1s 402", "others are events"},
		{p + "+1s says \"a\"\n+1s refused transient by=end\n+0s settles", "2 again +1s role \"a\" +1s", "the response ends without a word"},
		{p + "+1s opens headers\n+1s refused other by=filter\n+0s settles", "2 again +1s headers +1s role content_filter . .", "a reason that Pi takes for an error"},
		{p + "+1s refused overflow\n+0s compacts overflow runs 5s\n+1s opens\n+0s settles", "2 again +1s 400\n3 summary again +5s role \"## Goal\\nAs asked.\" stop . .\n4 +1s role stop . .", "the summary, and the run that goes on behind it"},
		{p + "+1s opens\n+0s ends\n+0s compacts runs never", "2 +1s role stop . .\n4 summary again hang", "a summary that never comes"},
		{p + "+1s opens\n+0s ends\n+0s compacts runs 1s fails\n+0s settles", "2 +1s role stop . .\n4 summary again +1s 500", "a summary that fails"},
		{p + "+1s exits 0\n+9s spawn\n+1s prompt \"y\"\n+1s opens\n+0s settles", "2 hang\n5 +1s role stop . .", "each generation asks for itself"},
		{"0s prompt \"x\" takes never", "", "a prompt that Pi never answers asks no model"},
		{"0s spawn", "", "nothing is asked"},
	}
	for _, tt := range tests {
		if got := outline(compile(t, tt.src)); got != tt.want {
			t.Errorf("%s\n%s: -want +got\n%s", tt.src, tt.reason, cmp.Diff(tt.want, got))
		}
	}
}

// A payload file that is not there is an error with its place.
func TestCompileErrors(t *testing.T) {
	steps := []script.Step{
		{Action: script.Prompt{Text: script.Text{Value: "x"}}},
		{Pos: script.Pos{File: "s", Line: 2, Col: 5}, Action: script.Says{Text: script.Text{File: "none.txt"}}},
	}
	_, err := model.Compile(steps, nil)
	var place *script.Error
	if !errors.Is(err, model.ErrScript) || !errors.As(err, &place) || place.Pos.Line != 2 {
		t.Errorf("got %v, want an ErrScript in line 2", err)
	}
}
