package pi_test

import (
	"strings"
	"testing"
	"time"

	"fakepi.example/internal/watchdog/agents/pi"
)

// TestResetTime reads when a quota returns from what providers say (WDC-PAUSE-003): only forms that leave no doubt.
func TestResetTime(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	never := time.Time{}
	for _, row := range []struct {
		reason, text string
		want         time.Time
	}{
		{"RFC 3339", "resets at 2026-03-01T14:00:00Z", now.Add(2 * time.Hour)},
		{"small t", "resets at 2026-03-01t14:00:00Z", never},
		{"with a zone", "resets at 2026-03-01T14:00:00+01:00.", now.Add(time.Hour)},
		{"with a fraction", "2026-03-01T12:00:00.5Z", now.Add(500 * time.Millisecond)},
		{"nanoseconds and a zone", "2026-03-01T12:00:00.123456789+00:00", now.Add(123456789 * time.Nanosecond)},
		{"after one that is none", "2026-03-01 14:00:00 or 2026-03-01T13:00:00Z", now.Add(time.Hour)},
		{"no zone", "resets at 2026-03-01T14:00:00", never},
		{"cut off", "2026-03-01T14:00:00", never},
		{"an epoch", "limit reset: 1772373600", now.Add(2 * time.Hour)},
		{"an epoch in ms", "resets_at=1772373600500!", now.Add(2*time.Hour + 500*time.Millisecond)},
		{"after a shorter number", "reset 42 1772373600", now.Add(2 * time.Hour)},
		{"11 digits", "reset 17723736001", never},
		{"the end of more digits", "reset 91772373600", never},
		{"no word before it", "try 1772373600", never},
		{"a span", "try again in 2h", now.Add(2 * time.Hour)},
		{"a span with a nine", "try again in 90s", now.Add(90 * time.Second)},
		{"of two parts", "Try again in 2h 30m", now.Add(150 * time.Minute)},
		{"of three, with words", "available after 1 day, 2 hours and 3 seconds.", now.Add(26*time.Hour + 3*time.Second)},
		{"in:", "retry in: 45s", now.Add(45 * time.Second)},
		{"six digits", "wait in 100000s", now.Add(100000 * time.Second)},
		{"seven digits", "wait in 1000000s", never},
		{"no unit", "wait in 5 parsecs", never},
		{"no unit at the end", "wait in 5", never},
		{"no number", "wait in a minute", never},
		{"the second of two", "wait in a minute, in 5 min", now.Add(5 * time.Minute)},
		{"every unit", "wait in 1d 1hr 1min 1sec", now.Add(25*time.Hour + time.Minute + time.Second)},
		{"units in full", "wait in 2 days 2 hrs 2 mins 2 secs", now.Add(50*time.Hour + 2*time.Minute + 2*time.Second)},
		{"words in full", "wait in 1 hour 1 minute 1 second", now.Add(time.Hour + time.Minute + time.Second)},
		{"words of many", "wait in 2 minutes 2 seconds", now.Add(2*time.Minute + 2*time.Second)},
		{"nothing to wait", "wait in 0s", never},
		{"past", "resets at 2026-03-01T11:59:59Z", never},
		{"now", "resets at 2026-03-01T12:00:00Z", never},
		{"absurd", "resets at 2027-04-06T12:00:00Z", never},
		{"not yet absurd", "resets at 2027-04-05T12:00:00Z", time.Date(2027, 4, 5, 12, 0, 0, 0, time.UTC)},
		{"a time of day", "resets at 5pm", never},
		{"at the very beginning", " in 5s", now.Add(5 * time.Second)},
		{"no unit, and then one", "wait in 5 parsecs, in 5 min", now.Add(5 * time.Minute)},
		{"a brace after it", "wait in 5s{", now.Add(5 * time.Second)},
		{"a unit that goes on", "wait in 5sz", never},
		{"at the end of what is read", strings.Repeat(".", 4096-20) + "2026-03-01T14:00:00Z", now.Add(2 * time.Hour)},
		{"after what is read", strings.Repeat(".", 4097-20) + "2026-03-01T14:00:00Z", never},
	} {
		if got, _ := pi.QuotaUntil(row.text, now); !got.Equal(row.want) {
			t.Errorf("%s: %q: got %s, want %s", row.reason, row.text, got, row.want)
		}
	}
}

// TestTrouble tells waits for a credential and for a quota apart from errors that ask for no patience.
func TestTrouble(t *testing.T) {
	for _, row := range []struct{ reason, text, want string }{
		{"401", "401: bad key", "auth"},
		{"403", "403 forbidden", "auth"},
		{"402", "402 pay", "quota"},
		{"401 with words of a quota", "401 usage limit", "auth"},
		{"403 with words of a quota", "403 usage limit reached", "quota"},
		{"429 with words of a quota", "429 quota exceeded", "quota"},
		{"429 alone", "429: slow down", ""},
		{"500 with words of a credential", "500 unauthorized", ""},
		{"words of a credential alone", "Invalid API key", "auth"},
		{"no status but a number", "4011 unauthorized", "auth"},
		{"no status: too short", "40", ""},
		{"a status alone", "401", "auth"},
		{"no status: below 100", "042 unauthorized", "auth"},
		{"100", "100 unauthorized", ""},
		{"unknown", "the moon is full", ""},
		{"no status but a number that ends in 0", "5000 unauthorized", "auth"},
		{"at the end of what is read", strings.Repeat(".", 4096-len("usage limit")) + "usage limit", "quota"},
		{"after what is read", strings.Repeat(".", 4097-len("usage limit")) + "usage limit", ""},
	} {
		if got := pi.TroubleIn(row.text); got != row.want {
			t.Errorf("%s: %q: got %q, want %q", row.reason, row.text, got, row.want)
		}
	}
}

// TestResultKey: two results are one if they differ in durations and temporary paths alone (WDC-LOOP-001).
func TestResultKey(t *testing.T) {
	for _, row := range []struct {
		reason, a, b string
		same         bool
	}{
		{"the same", "ok", "ok", true},
		{"another text", "ok", "no", false},
		{"a duration", "took 1.5s", "took 22s", true},
		{"with a space", "took 3 minutes", "took 4 minutes", true},
		{"with two spaces", "took 3  minutes", "took 4  minutes", false},
		{"the unit differs", "took 3 minutes", "took 4 hours", true},
		{"at the beginning", "3s", "14s", true},
		{"a unit alone", "a s", "a m", false},
		{"a number alone", "took 3", "took 4", false},
		{"another word after it", "3 sect", "4 sect", false},
		{"a unit that goes on", "3ms2", "4ms2", false},
		{"a unit that goes on with _", "3s_", "4s_", false},
		{"a unit that goes on in capitals", "3sZ", "4sZ", false},
		{"a word before it", "v3s", "v4s", false},
		{"a capital before it", "Z3s", "Z4s", false},
		{"a z before it", "z3s", "z4s", false},
		{"an a before it", "a3s", "a4s", false},
		{"an A before it", "A3s", "A4s", false},
		{"a _ before it", "_3s", "_4s", false},
		{"a bracket before it", "(3s)", "(4s)", true},
		{"a @ before it", "@3s", "@4s", true},
		{"a backquote before it", "`3s", "`4s", true},
		{"a { before it", "{3s", "{4s", true},
		{"a : before it", ":3s", ":4s", true},
		{"a / before it", "/3s", "/4s", true},
		{"a [ before it", "[3s", "[4s", true},
		{"0 and 9", "0s", "9s", true},
		{"a key of Pi's", `{"wall_time_seconds":0.25}`, `{"wall_time_seconds":13}`, true},
		{"another key", `{"wall":0.25}`, `{"wall":13}`, false},
		{"in ms", `{"durationMs":1}`, `{"durationMs":27}`, true},
		{"a temporary path", "in /tmp/a1/x", "in /tmp/b22/y", true},
		{"a longer one", "in /var/tmp/a", "in /var/folders/q/r", true},
		{"in brackets", "(/tmp/a) b", "(/tmp/cc) b", true},
		{"what is after it", "/tmp/a b", "/tmp/a c", false},
		{"after a quote", `"/tmp/a"b`, `"/tmp/a"c`, false},
		{"after a line feed", `/tmp/a\nb`, `/tmp/a\nc`, false},
		{"after a colon", "/tmp/a:1", "/tmp/a:2", false},
		{"after a comma", "/tmp/a,b", "/tmp/a,c", false},
		{"after a bracket", "/tmp/a)b", "/tmp/a)c", false},
		{"an empty path", "/tmp/:a", "/tmp/,a", false},
		{"another path", "in /home/a", "in /home/b", false},
		{"every unit", "1ns 1us 1ms 1s 1sec 1secs 1second 1m 1min 1mins 1minute 1h 1hour", "2ns 2us 2ms 2s 2sec 2secs 2second 2m 2min 2mins 2minute 2h 2hour", true},
		{"units of many", "2seconds 2minutes 2hours", "3seconds 3minutes 3hours", true},
		{"where a duration stands", "1s x", "x 1s", false},
		{"a duration and none", "took 1s", "took ", false},
		{"a unit alone after a bracket", "( s", "( m", false},
		{"a unit that goes on with 9", "3s9", "4s9", false},
		{"a unit that goes on with 0", "3s0", "4s0", false},
		{"the same letters", "abcd", "badc", false},
		{"nothing", "", "", true},
	} {
		if got := pi.SameResult(row.a, row.b); got != row.same {
			t.Errorf("%s: %q and %q: got %t, want %t", row.reason, row.a, row.b, got, row.same)
		}
	}
}
