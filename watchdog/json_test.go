package watchdog_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"fakepi.example/watchdog"
)

func TestRoundTrip(t *testing.T) {
	t.Run("observation", rapid.MakeCheck(roundTrip[watchdog.Observation]))
	t.Run("command", rapid.MakeCheck(roundTrip[watchdog.Command]))
	t.Run("verdict", rapid.MakeCheck(roundTrip[watchdog.Verdict]))
	t.Run("decision", rapid.MakeCheck(roundTrip[watchdog.Decision]))
	t.Run("policy", rapid.MakeCheck(roundTrip[watchdog.Policy]))
}

func roundTrip[T any](t *rapid.T) {
	var value, read T
	draw(t, reflect.ValueOf(&value).Elem())
	form, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(form, &read); err != nil {
		t.Fatalf("%v\n%s", err, form)
	}
	if diff := cmp.Diff(value, read, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("came back different (-want +got):\n%s\n%s", diff, form)
	}
	again, err := json.Marshal(read)
	if err != nil || string(again) != string(form) {
		t.Fatalf("two forms of one value (error %v):\n%s\n%s", err, form, again)
	}
}

// TestMillis pins the number form of durations: exact where it can be, rounded where floating point left more digits.
func TestMillis(t *testing.T) {
	for _, row := range []struct {
		form   string
		want   time.Duration
		again  string // the fixed form; empty = form
		reason string
	}{
		{form: "0", want: 0, reason: "zero"},
		{form: "1500", want: 1500 * time.Millisecond, reason: "whole milliseconds have no point"},
		{form: "0.000001", want: time.Nanosecond, reason: "the nanosecond is kept"},
		{form: "-0.5", want: -500 * time.Microsecond, reason: "a sign without a whole part"},
		{form: "-1.5", want: -1500 * time.Microsecond, reason: "a sign with one"},
		{form: "9223372036854.775807", want: math.MaxInt64, reason: "the longest duration"},
		{form: "-9223372036854.775808", want: math.MinInt64, reason: "the most negative one"},
		{form: "0.30000000000000004", want: 300 * time.Microsecond, again: "0.3", reason: "0.1+0.2 in JavaScript"},
		{form: "1e-06", want: time.Nanosecond, again: "0.000001", reason: "how Python writes a nanosecond"},
		{form: "1E3", want: time.Second, again: "1000", reason: "an exponent"},
	} {
		t.Run(row.form, func(t *testing.T) {
			var e watchdog.Evidence
			if err := json.Unmarshal([]byte(`{"n":1,"age_ms":`+row.form+`}`), &e); err != nil {
				t.Fatal(err)
			}
			if e.Age != row.want {
				t.Errorf("%s is %v, want %v (%s)", row.form, e.Age, row.want, row.reason)
			}
			number := row.form
			if row.again != "" {
				number = row.again
			}
			want := `{"n":1,"age_ms":` + number + `}`
			if got, err := json.Marshal(e); err != nil || string(got) != want {
				t.Errorf("%v is written %s, error %v; want %s (%s)", e.Age, got, err, want, row.reason)
			}
		})
	}
}

func TestStrictDecoding(t *testing.T) {
	const at = `"at":{"mono_ms":0,"boot_ms":0}`
	for _, row := range []struct {
		into   any
		form   string
		want   string
		reason string
	}{
		{&watchdog.Observation{}, `{"n":1,` + at + `,"kind":"sneeze","sneeze":{}}`,
			`kind of observation "sneeze"; known: bytes, closed`, "an unknown kind names the known ones"},
		{&watchdog.Observation{}, `{"n":1,` + at + `}`, `no member "kind"`, "a kind is compulsory"},
		{&watchdog.Observation{}, `null`, `null`, "null is no observation"},
		{&watchdog.Observation{}, `{"n":1,` + at + `,"kind":"link"}`, `no member "link"`, "a kind without its body"},
		{&watchdog.Observation{}, `{"n":1,` + at + `,"kind":"link","gap":{"stream":"out","missing":1}}`,
			`kind is "link", but the member is "gap"`, "the body of another kind"},
		{&watchdog.Observation{}, `{"n":1,` + at + `,"kind":"link","link":{"up":true},"closed":{"stream":"out"}}`,
			`want only "link"`, "two bodies"},
		{&watchdog.Observation{}, `{"n":1,` + at + `,"kind":"link","link":{"up":true,"speed":9}}`,
			`link: speed: unknown member`, "an unknown member, at any depth"},
		{&watchdog.Observation{}, `{"n":1,` + at + `,"kind":"closed","closed":{"stream":"stdout"}}`,
			`stream "stdout"; known: out, err, in, session, pty`, "a word outside its vocabulary"},
		{&watchdog.Observation{}, `{"n":"1",` + at + `,"kind":"link","link":{"up":true}}`,
			`n: a JSON string does not fit`, "a value of another type names the member"},
		{&watchdog.Observation{}, `{"n":1,"at":{"mono_ms":"0","boot_ms":0},"kind":"link","link":{"up":true}}`,
			`observation: instant: "0" is no number of milliseconds`, "the path leads to an inner value"},
		{&watchdog.Observation{}, `{"n":1,"at":{"mono_ms":1e300,"boot_ms":0},"kind":"link","link":{"up":true}}`,
			`1e300 is no number of milliseconds`, "a duration that no clock can count"},
		{&watchdog.Observation{}, `{"n":1,"at":{"mono_ms":9223372036854.775808,"boot_ms":0},"kind":"link","link":{"up":true}}`,
			`is no number of milliseconds`, "one nanosecond too long"},
		{&watchdog.Observation{}, `{"N":1,` + at + `,"kind":"link","link":{"up":true}}`,
			`N: unknown member`, "a member in another case"},
		{&watchdog.Observation{}, `{"n":1,` + at + `,"kind":"link","link":{"up":true,"up":false}}`,
			`link: up: comes twice`, "a member twice"},
		{&watchdog.Observation{}, `{"n":1,` + at + `,"kind":"link","link":{"up":null}}`,
			`link: up: null`, "a null"},
		{&watchdog.Observation{}, `{"n":1,` + at + `,"kind":"gap","gap":{"stream":"out"}}`,
			`gap: no member "missing"`, "a member that is always written"},
		{&watchdog.Bytes{}, `{"stream":"out","offset":0,"data":{}}`, `exactly one of "text" and "base64"`, "no data"},
		{&watchdog.Bytes{}, `{"stream":"out","offset":0,"data":{"text":"a","base64":"YQ=="}}`,
			`exactly one of "text" and "base64"`, "data twice"},
		{&watchdog.Command{}, `{"key":"k","kind":"explode"}`, `command "explode"`, "an unknown command"},
		{&watchdog.Verdict{}, `{"worker":"w1","name":"bored","status":"ok","since_ms":0,"next_ms":0}`,
			`verdict "bored"`, "an unknown verdict"},
		{&watchdog.Policy{}, withLimit(t, "version", `2`), `version: version 2 is newer than this program, which reads 1`, "its limits may mean something else"},
		{&watchdog.Policy{}, withLimit(t, "version", `0`), `version: 0 is not a version`, "versions begin at 1"},
		{&watchdog.Policy{}, withLimit(t, "version", `"1"`), `version: "1" is not a version`, "a version is a number"},
		{&watchdog.Policy{}, withLimit(t, "stall_ms", `0`), `stall_ms: 0s is too short`, "a limit of zero"},
		{&watchdog.Policy{}, withLimit(t, "stal_ms", `1`), `unknown member "stal_ms"`, "a limit that there is not"},
		{&watchdog.Policy{}, withLimit(t, "confirmations", `2.5`), `"2.5" is no whole number`, "half a confirmation"},
		{&watchdog.Policy{}, withLimit(t, "dirty", `7`), `dirty: want a string`, "a number for a word"},
		{&watchdog.Policy{}, withLimit(t, "effects", `{"remove":"auto"}`), `removal is never automatic`, "remove is never auto"},
		{&watchdog.Policy{}, withLimit(t, "effects", `{"jump":"auto"}`), `effect class "jump"`, "an unknown class"},
		{&watchdog.Policy{}, withLimit(t, "overrides", `[{"set":{"nap_ms":1}}]`), `nap_ms: unknown limit`, "in an override too"},
		{&watchdog.Policy{}, withLimit(t, "overrides", `[{"set":{"effects.remove":"auto"}}]`),
			`removal is never automatic`, "remove is never auto in an override either"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			err := json.Unmarshal([]byte(row.form), row.into)
			if !errors.Is(err, watchdog.ErrJSON) || !strings.Contains(fmt.Sprint(err), row.want) {
				t.Errorf("got error %v, want ErrJSON with %q", err, row.want)
			}
		})
	}
}

// withLimit returns the default policy in JSON with one member changed or added.
func withLimit(t *testing.T, name, value string) string {
	t.Helper()
	form, err := json.Marshal(watchdog.DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(form, &members); err != nil {
		t.Fatal(err)
	}
	members[name] = json.RawMessage(value)
	form, err = json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(form)
}

// A policy that was written before a limit was added is still read.
func TestPolicyDefaults(t *testing.T) {
	stall := watchdog.DefaultPolicy()
	stall.Stall = time.Minute
	effects := watchdog.DefaultPolicy()
	effects.Effects[watchdog.EffectRespawn] = watchdog.PermitAuto
	for _, row := range []struct {
		form, reason string
		want         watchdog.Policy
	}{
		{`{}`, "nothing is said", watchdog.DefaultPolicy()},
		{`{"version":1}`, "only the version is", watchdog.DefaultPolicy()},
		{`{"stall_ms":60000}`, "one limit is", stall},
		{`{"version":1,"effects":{"respawn":"auto"}}`, "one permission is", effects},
	} {
		var got watchdog.Policy
		if err := json.Unmarshal([]byte(row.form), &got); err != nil {
			t.Errorf("%s: %v", row.reason, err)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

func TestObservationWithoutBody(t *testing.T) {
	if form, err := json.Marshal(watchdog.Observation{N: 3}); err == nil {
		t.Errorf("got %s, want an error", form)
	}
}

func TestBootKeepsItsState(t *testing.T) {
	b := boot()
	form, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	kept := &log{}
	read := watchdog.Boot{State: kept}
	if err := json.Unmarshal(form, &read); err != nil {
		t.Fatal(err)
	}
	if read.State != watchdog.State(kept) {
		t.Errorf("State is %v, want the one that was there", read.State)
	}
}

// log is a State that is told apart by its address.
type log struct{ data []byte }

func (l *log) Read() ([]byte, error)  { return l.data, nil }
func (l *log) Append(p []byte) error  { l.data = append(l.data, p...); return nil }
func (l *log) Sync() error            { return nil }
func (l *log) Truncate(n int64) error { l.data = l.data[:n]; return nil }

func FuzzObservation(f *testing.F) {
	for _, body := range bodies() {
		seed(f, observation(body))
	}
	f.Fuzz(stable[watchdog.Observation])
}

func FuzzCommand(f *testing.F) {
	seed(f, command())
	f.Fuzz(stable[watchdog.Command])
}

func FuzzVerdict(f *testing.F) {
	seed(f, verdict())
	f.Fuzz(stable[watchdog.Verdict])
}

func FuzzPolicy(f *testing.F) {
	seed(f, policy())
	f.Fuzz(stable[watchdog.Policy])
}

func seed(f *testing.F, value any) {
	form, err := json.Marshal(value)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(form)
}

// stable checks that what decodes is written in a form that decodes to the same value.
func stable[T any](t *testing.T, data []byte) {
	var first, second T
	if err := json.Unmarshal(data, &first); err != nil {
		return
	}
	form, err := json.Marshal(first)
	if err != nil {
		t.Fatalf("%s decodes, but cannot be written: %v", data, err)
	}
	if err := json.Unmarshal(form, &second); err != nil {
		t.Fatalf("%s is written as %s, which does not decode: %v", data, form, err)
	}
	if diff := cmp.Diff(first, second, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s is written as %s, another value (-first +second):\n%s", data, form, diff)
	}
}
