package pi

import (
	"bytes"
	"regexp"
	"strconv"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/watchdog/agents"
)

var (
	quotaWords = words("insufficient_quota", "usage limit", "session limit", "spend limit", "spending limit",
		"weekly limit", "quota exceeded", "exceeded your current quota", "usage_limit", "credit balance")
	authWords = words("authentication_error", "invalid api key", "invalid_api_key", "incorrect api key",
		"unauthorized", "token expired", "expired token", "token has expired", "credentials expired")
)

func words(list ...string) [][]byte {
	out := make([][]byte, len(list))
	for i, s := range list {
		out[i] = []byte(s)
	}
	return out
}

// troubleOf reads a finished message: 401 and 403 are auth; 402, insufficient_quota and texts of a usage, session or
// spend limit are quota (docs/pi-formats.md, section 11).
func troubleOf(s *native.Skimmed) agents.Trouble {
	if s.Stop != native.StopError {
		return agents.TroubleNone
	}
	return troubleIn(s.Error)
}

// troubleIn reads an error text.
func troubleIn(text []byte) agents.Trouble {
	text = bytes.ToLower(text[:min(len(text), 4096)])
	status := leadingStatus(text)
	switch {
	case status == 401:
		return agents.TroubleAuth
	case status == 402, containsAny(text, quotaWords):
		return agents.TroubleQuota
	case status == 403, status == 0 && containsAny(text, authWords):
		return agents.TroubleAuth
	}
	return agents.TroubleNone
}

// leadingStatus is the HTTP status that Pi puts first in an error text, or 0.
func leadingStatus(text []byte) int {
	if len(text) < 3 || len(text) > 3 && text[3] >= '0' && text[3] <= '9' {
		return 0
	}
	n, _ := strconv.Atoi(string(text[:3]))
	if n < 100 {
		return 0 // or no number
	}
	return n
}

func containsAny(text []byte, list [][]byte) bool {
	for _, w := range list {
		if bytes.Contains(text, w) {
			return true
		}
	}
	return false
}

// quotaOf reads the end of a quota wait from an error text. A time that is past or absurdly far is none.
func quotaOf(text []byte, now time.Time) agents.Quota {
	t := resetTime(text, now)
	if !t.After(now) || t.Sub(now) > 400*24*time.Hour {
		return agents.Quota{}
	}
	return agents.Quota{Known: true, Until: t}
}

// resetTime finds when a quota returns, in the three forms that leave no doubt: an RFC 3339 time with its zone, an
// epoch after the word "reset", or a span ("in 2h 30m", "after 45 seconds"). A time of day without a zone is none: the
// engine does not invent one (WDC-PAUSE-003).
func resetTime(text []byte, now time.Time) time.Time {
	text = text[:min(len(text), 4096)]
	if t, ok := stampIn(text); ok {
		return t
	}
	lower := bytes.ToLower(text)
	if _, rest, ok := bytes.Cut(lower, []byte("reset")); ok {
		if t, ok := epochIn(rest); ok {
			return t
		}
	}
	for _, lead := range [][]byte{[]byte(" in "), []byte(" after "), []byte("in: ")} {
		for rest := lower; ; {
			_, after, ok := bytes.Cut(rest, lead)
			if !ok {
				break
			}
			if d, ok := spanIn(after); ok {
				return now.Add(d)
			}
			rest = after
		}
	}
	return time.Time{}
}

var (
	stamps  = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
	numbers = regexp.MustCompile(`\d+`)
)

// stampIn finds an RFC 3339 time such as 2026-11-29T18:00:00Z.
func stampIn(text []byte) (time.Time, bool) {
	for _, s := range stamps.FindAll(text, -1) {
		if t, err := time.Parse(time.RFC3339, string(s)); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// epochIn finds a number of 10 or 13 digits: seconds or milliseconds of the Unix epoch.
func epochIn(text []byte) (time.Time, bool) {
	for _, s := range numbers.FindAll(text, -1) {
		v, _ := strconv.ParseInt(string(s), 10, 64) // none of so many digits is out of range
		switch len(s) {
		case 10:
			return time.Unix(v, 0), true
		case 13:
			return time.UnixMilli(v), true
		}
	}
	return time.Time{}, false
}

func digits(text []byte) (n int) {
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}

// spanIn reads a span at the start of a text: one or more of a number and a unit.
func spanIn(text []byte) (time.Duration, bool) {
	var total time.Duration
	found := false
	for {
		text = bytes.TrimLeft(text, " ,")
		text = bytes.TrimPrefix(text, []byte("and "))
		n := digits(text)
		if n > 6 {
			return total, found
		}
		v, err := strconv.Atoi(string(text[:n]))
		if err != nil {
			return total, found
		}
		rest := bytes.TrimLeft(text[n:], " ")
		unit, size := unitAt(rest)
		if size == 0 {
			return total, found
		}
		total += time.Duration(v) * unit
		found = true
		text = rest[size:]
	}
}

// unitAt reads a unit of time at the start of a text and how long its name is.
func unitAt(text []byte) (time.Duration, int) {
	n := 0
	for n < len(text) && text[n] >= 'a' && text[n] <= 'z' {
		n++
	}
	switch string(text[:n]) {
	case "s", "sec", "secs", "second", "seconds":
		return time.Second, n
	case "m", "min", "mins", "minute", "minutes":
		return time.Minute, n
	case "h", "hr", "hrs", "hour", "hours":
		return time.Hour, n
	case "d", "day", "days":
		return 24 * time.Hour, n
	}
	return 0, 0
}
