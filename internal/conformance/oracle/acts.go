package oracle

import (
	"fmt"
	"unicode/utf8"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/watchdog"
)

// harmed judges a destructive command: only a confirmed verdict that is right may cost work, and only with permission.
func (w *worker) harmed(c *watchdog.Command) {
	v := &w.verdict
	now := w.o.now.Mono
	justified := v.Status == watchdog.StatusConfirmed && (w.situation.past(now) || w.truth.Exited || v.Name == watchdog.VerdictLivelock)
	f := finding{said: c.Cause.Name, actual: describe(c)}
	switch {
	case !justified:
		f.expected = "nothing destructive: " + w.expected()
		w.blame(mistakes.Unjustified, f)
	case w.limits.Effects[c.Kind.Effect()] != watchdog.PermitAuto:
		f.expected = fmt.Sprintf("no %s without the owner's approval", c.Kind.Effect())
		w.blame(mistakes.Unapproved, f)
	}
}

// readable checks that a text for people cannot drive their terminal (WDC-SAFE-002).
func (o *Oracle) readable(c *watchdog.Command) {
	text := c.Text
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			o.blame(mistakes.ControlSequence, finding{
				expected: "a text without control sequences",
				actual:   fmt.Sprintf("%s says %s", c.Kind, quote(text)),
			})
			return
		}
		i += size
	}
}
