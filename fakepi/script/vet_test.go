package script_test

import (
	"strings"
	"testing"

	"fakepi.example/fakepi/script"
)

// What is fine has no want.
func TestVet(t *testing.T) {
	const run = "0s prompt \"x\"\n"
	const json = "0s spawn mode=json\n"
	tests := []struct{ name, src, want string }{
		{"idle", `0s chatter state`, ""},
		{"backwards", run + "+2s says \"x\"\n1s settles", "test:3:1: time goes backwards: 1s after 2s; put the lines in order of time"},
		{"silence without a reason", run + "+1s says \"x\"", "test:2:1: worker falls silent behind this line in the middle of a run; end with settles"},
		{"silence behind a prompt", run, "test:1:1: worker falls silent"},
		{"a run that does not settle", run + "+1s opens\n+0s ends", "test:3:1: worker falls silent"},
		{"a tool that never ends explains itself", run + "+1s tool bash \"x\" runs never", ""},
		{"a tool that ends does not", run + "+1s tool bash \"x\" runs 3s", "test:2:1: worker falls silent"},
		{"a compaction that never ends", "0s compacts manual runs never", ""},
		{"a prompt that is never answered", `0s prompt "x" takes never`, ""},
		{"a prompt without a run", `0s prompt "x" response_only`, ""},
		{"a dialog that nobody answers", run + "+1s asks confirm \"?\"", ""},
		{"a dialog that passes", run + "+1s asks confirm \"?\" timeout=5s", "test:2:1: worker falls silent"},
		{"killed in the middle", run + "+1s killed SIGKILL", ""},

		{"text outside a run", `0s says "x"`, `test:1:1: says comes outside a run; write first: prompt "..."`},
		{"text behind the run", run + "+1s opens\n+0s settles\n+1s says \"x\"", "test:4:1: says comes outside a run"},
		{"text behind agent_end", run + "+1s opens\n+0s ends\n+1s says \"x\"\n+0s stalls", "test:4:1: the run ended in line 3"},
		{"text behind the last message", run + "+1s opens\n+0s closes\n+1s says \"x\"\n+0s settles", "test:4:1: the run's last message has closed"},
		{"text behind a steer", run + "+1s steer \"y\"\n+1s opens\n+0s closes\n+1s says \"x\"\n+0s settles", ""},
		{"a steer that Pi would deliver", run + "+1s steer \"y\"\n+1s says \"x\"\n+0s settles", "test:4:1: a steer or follow_up waits"},
		{"a steer behind tools", run + "+1s steer \"y\"\n+1s tool bash \"x\" runs 1s\n+1s says \"x\"\n+0s settles", ""},
		{"a follow_up is not delivered behind tools", run + "+1s follow_up \"y\"\n+1s tool bash \"x\" runs 1s\n+1s says \"x\"\n+0s settles", "test:5:1: a steer or follow_up waits"},
		{"two texts at once", run + "+1s says \"x\" over 9s as=a\n@a+1s says \"y\"\n+0s settles", "test:3:1: says of line 2 goes on until 10s"},
		{"text while a tool runs", run + "+1s tool bash \"x\" runs 9s as=a\n@a+1s says \"y\"\n+9s settles", "test:3:1: the tool of line 2 runs until 10s"},
		{"text while a dialog is open", run + "+1s asks confirm \"?\"\n+1s says \"y\"\n+0s settles", "test:3:1: the dialog of line 2 is open for ever"},
		{"settles while a tool runs", run + "+1s tool bash \"x\" runs never\n+1s settles", "test:3:1: the tool of line 2 runs for ever; count from its end, or end it by ends @label"},
		{"a tool within compaction", "0s compacts manual runs 9s\n1s prompt \"x\"\n+1s stalls", "test:2:1: compacts of line 1 goes on until 9s"},
		{"opens twice", run + "+1s opens\n+1s opens\n+0s settles", "test:3:1: a message is open already"},
		{"closes nothing", run + "+1s closes\n+0s stalls", "test:2:1: no message is open"},
		{"ends nothing", `0s ends`, "test:1:1: ends comes outside a run"},
		{"no last message", run + "+1s settles", `test:2:1: the run has no last message; add says "...", or opens for an empty one`},
		{"no message behind a tool", run + "+1s tool bash \"x\" runs 1s\n+0s settles", "test:3:1: the run has no last message"},
		{"settles twice", run + "+1s opens\n+0s settles\n+0s settles", "test:4:1: nothing is open that could settle"},
		{"pending calls", run + "+1s calls bash \"x\"\n+0s closes\n+0s says \"y\"\n+0s settles", "test:4:1: the message closed in line 3 has calls to run"},
		{"pending calls that stall", run + "+1s calls bash \"x\"\n+0s closes\n+0s stalls", ""},
		{"a prompt in a run", run + "+1s prompt \"y\"\n+1s stalls", "test:2:1: a run is open; write steer or follow_up"},
		{"a prompt before it settled", run + "+1s opens\n+0s ends\n+1s prompt \"y\"\n+1s stalls", "test:4:1: the last run has not settled"},

		{"a tool that acts", run + "+1s tool bash \"x\" runs 9s as=t\n@t does write a.txt\n+1s does push\n@t.end+1s stalls", ""},
		{"nobody to act", run + "+1s does push\n+1s stalls", "test:2:1: no tool runs here that could do it; count from the start of one"},
		{"a tool that has ended acts", run + "+1s tool bash \"x\" runs 3s\n+0s does push\n+1s stalls", "test:3:1: no tool runs here that could do it"},
		{"a tool acts in a dialog", run + "+1s tool bash \"x\" runs 9s as=t\n@t asks confirm \"?\"\n+1s does push\n@t+9s stalls", "test:4:1: the dialog of line 3 is open for ever"},
		{"a tool acts when its worker was killed", run + "+1s tool bash \"x\" runs 9s as=t\n@t+1s killed SIGKILL\n+1s does push", ""},
		{"a tool acts when its worker has exited", run + "+1s tool bash \"x\" runs 9s as=t\n@t+1s exits 1\n+1s does push", "test:4:1: worker ended in line 3"},

		{"progress behind stalls", run + "+1s stalls\n+1s says \"x\"", "test:3:1: worker is to be silent for ever since line 2; where it goes on later, leave stalls out"},
		{"chatter behind stalls", run + "+1s stalls\n+1s chatter queue\n+1s raw \"x\"\n+1s steer \"y\"", ""},
		{"raw progress behind stalls", run + "+1s stalls\n+1s raw \"x\" progress", "test:3:1: progress comes after stalls"},
		{"killed behind stalls", run + "+1s stalls\n+1s killed SIGKILL", ""},
		{"an idle worker cannot stall", `0s stalls`, "test:1:1: worker is idle: there is nothing to stall"},
		{"an idle worker can freeze", `0s wedges frozen`, ""},
		{"behind the end", run + "+1s exits 0\n+1s says \"x\"", "test:3:1: worker ended in line 2; leave this out, or spawn the next generation"},
		{"chatter behind the end", run + "+1s exits 0\n+1s chatter queue", "test:3:1: worker ended in line 2; put this before its end"},
		{"a late end of the stream", run + "+1s exits 0\n+1s eof", ""},
		{"two ends", run + "+1s exits 0\n+1s killed SIGKILL", "test:3:1: worker ended in line 2 already"},
		{"the next generation", run + "+1s exits 0\n+1s spawn\n+0s prompt \"y\"\n+1s stalls", ""},
		{"spawned twice", "0s spawn\n+1s spawn", "test:2:1: worker runs already, since line 1"},

		{"a status behind the headers", run + "+1s opens\n+1s refused transient status=503\n+0s settles", "test:3:1: the open message had its headers; leave status="},
		{"an event before the headers", run + "+1s refused transient by=event\n+0s settles", "test:2:1: what comes by event belongs to an open message; write opens before it"},
		{"a reset before the headers", run + "+1s refused transient by=reset\n+0s settles", ""},
		{"a keepalive before the headers", run + "+1s thinks 3s keepalive=1s\n+0s stalls", "test:2:1: a keepalive belongs to an open message"},
		{"a keepalive for ever", run + "+1s opens\n+0s stalls keepalive=1s", ""},
		{"a keepalive of nothing", run + "+1s stalls keepalive=1s", "test:2:1: a keepalive belongs to an open message"},
		{"a report of nothing", run + "+1s reports input 1 output 1\n+0s stalls", "test:2:1: no message is open; write opens before it"},
		{"calls of a message that was cut", run + "+1s calls bash \"x\"  as=a\n+0s closes length\n+0s tool @a runs 1s\n+0s stalls", ""},
		{"a retry of nothing", run + "+1s retries 4s\n+0s stalls", "test:2:1: there is nothing to retry"},
		{"a retry of what Pi does not retry", run + "+1s refused auth\n+0s retries 4s\n+0s stalls", "test:3:1: there is nothing to retry"},
		{"a hidden retry is inside a run", run + "+1s retries 4s hidden\n+0s stalls", ""},
		{"a retry cancelled", run + "+1s refused transient\n+0s retries 8s cancelled=3s", ""},
		{"cancelled too late", run + "+1s refused transient\n+0s retries 8s cancelled=8s", "test:3:1: the delay is over before it is cancelled"},
		{"cancelled by nobody", json + "+0s prompt \"x\"\n+1s refused transient\n+0s retries 8s cancelled=3s", "test:4:1: nobody can write to a one-shot"},
		{"exhausted", run + "+1s refused transient\n+0s settles", ""},
		{"a promise broken in a settled run", run + "+1s opens\n+0s ends will_retry\n+0s settles", "test:4:1: line 3 says that a retry follows"},
		{"a promise broken", run + "+1s opens\n+0s ends will_retry\n+0s stalls", ""},
		{"compaction in a run", run + "+1s compacts runs 1s\n+0s stalls", "test:2:1: Pi compacts between runs"},
		{"compaction without overflow", run + "+1s opens\n+0s ends\n+0s compacts overflow runs 1s\n+0s stalls", "test:4:1: no overflow came"},
		{"compaction before it settles", run + "+1s opens\n+0s ends\n+0s compacts runs 1s\n+0s settles", ""},
		{"the run goes on behind an overflow", run + "+1s refused overflow\n+0s compacts overflow runs 1s", "test:3:1: worker falls silent"},

		{"one-shot without prompt", json, "test:1:1: worker is a one-shot that does nothing"},
		{"one-shot that stays", json + "+0s prompt \"x\"\n+1s opens\n+0s settles", "test:4:1: worker is a one-shot that has settled and does not exit; add exits 0, or lingers"},
		{"one-shot that lingers", json + "+0s prompt \"x\"\n+1s opens\n+0s settles\n+0s lingers", ""},
		{"one-shot that never starts", json + "+0s stalls", ""},
		{"rpc cannot linger", run + "+1s opens\n+0s settles\n+0s lingers", "test:4:1: only a one-shot that has settled can linger"},
		{"one-shot asks", json + "+0s prompt \"x\"\n+1s asks confirm \"?\"", "test:3:1: a one-shot has no user interface"},
		{"one-shot is steered", json + "+0s prompt \"x\"\n+1s steer \"y\"\n+0s stalls", "test:3:1: nobody can write to a one-shot"},
		{"a menu in rpc", `0s asks trust "?" "Yes"`, "test:1:1: only a TUI shows a trust menu"},
		{"a spinner in rpc", `0s chatter spinner`, "test:1:1: a worker of mode rpc has no spinner chatter"},
		{"two dialogs", run + "+1s asks confirm \"?\"\n+0s asks input \"?\"", "test:3:1: the dialog of line 2 is still open"},
		{"an answer that is not offered", run + "+1s asks select \"?\" \"A\" \"B\" as=a\n+1s user answers \"C\" @a\n+0s stalls", `test:3:1: "C" is no answer to this select; it offers ["A" "B"]`},
		{"any answer to an input with a placeholder", run + "+1s asks input \"?\" \"A\"\n+1s user answers \"C\"\n+0s stalls", ""},
		{"any answer to an input", run + "+1s asks input \"?\"\n+1s user answers \"C\"\n+0s stalls", ""},
	}
	for _, tt := range tests {
		s := parse(t, tt.src)
		if err := s.Resolve(nil); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		errs := s.Vet()
		switch {
		case tt.want == "" && len(errs) > 0:
			t.Errorf("%s: got %v, want nothing", tt.name, errs)
		case tt.want != "" && (len(errs) != 1 || !strings.HasPrefix(errs.Error(), tt.want)):
			t.Errorf("%s: got %v, want %s", tt.name, errs, tt.want)
		}
	}
}

// Problems that need more than one actor.
func TestVetEveryone(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"not spawned", `0s w1 prompt "x"`, "lines:1:1: w1 was not spawned; begin with: 0s w1 spawn"},
		{"unknown worker", "0s w1 spawn\n+1s world gap w2 out 100", "lines:2:1: no worker w2 was spawned above; known: w1"},
		{"held, not followed", "0s w1 spawn\n+1s world truncates w1 session", "lines:2:1: the streams of w1 are no files; spawn it with source=followed"},
		{"a pid in use", "0s w1 spawn\n+1s world probes w1 reused", "lines:2:1: the pid of w1 is its own while it lives; end it first"},
		{"a pid reused", "0s w1 spawn\n+1s w1 killed SIGKILL\n+1s world probes w1 reused", ""},
		{"a reboot ends all", "0s w1 spawn\n+1s world reboots\n+1s w1 prompt \"x\"", "lines:3:1: w1 ended in line 2"},
		{"workers do not disturb each other", "0s w1 spawn\n+0s w2 spawn\n+0s w1 prompt \"x\"\n+0s w2 prompt \"x\"\n+0s w1 stalls\n+1s w2 killed SIGKILL", ""},
	}
	for _, tt := range tests {
		steps := everyone(t, tt.src)
		if err := script.Resolve(steps, nil); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		errs := script.Vet(steps, script.Everyone)
		if tt.want == "" && len(errs) > 0 || tt.want != "" && (len(errs) == 0 || !strings.HasPrefix(errs.Error(), tt.want)) {
			t.Errorf("%s: got %v, want %q", tt.name, errs, tt.want)
		}
	}
}
