package pi

import (
	"time"

	"fakepi.example/internal/watchdog/agents"
)

// QuotaUntil returns when a quota returns by a provider's text, if that is known.
func QuotaUntil(text string, now time.Time) (time.Time, bool) {
	q := quotaOf([]byte(text), now)
	return q.Until, q.Known
}

// TroubleIn returns what a provider's text asks patience for: "auth", "quota" or nothing.
func TroubleIn(text string) string {
	return map[agents.Trouble]string{agents.TroubleAuth: "auth", agents.TroubleQuota: "quota"}[troubleIn([]byte(text))]
}

// SameResult reports whether two results of calls are one and the same for a loop.
func SameResult(a, b string) bool { return resultKey([]byte(a)) == resultKey([]byte(b)) }
