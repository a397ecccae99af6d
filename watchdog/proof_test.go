package watchdog_test

import (
	"bytes"
	"crypto/ed25519"
	"testing"
	"time"

	"fakepi.example/watchdog"
)

// TestSignatures: a signature is of all that a word says and of whom it is about, and of nothing else.
func TestSignatures(t *testing.T) {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	other := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{2}, ed25519.SeedSize))
	public := key.Public().(ed25519.PublicKey)
	said := watchdog.Owner{Item: "w1/1/1/propose_abort/1", Approve: true, Digest: "d1", NotAfter: civil, Proof: watchdog.Proof{Given: civil}}
	cases := []struct {
		reason string
		change func(o *watchdog.Owner)
		worker string
		key    ed25519.PublicKey
		signed bool
	}{
		{"it is the owner's", func(*watchdog.Owner) {}, "w1", public, true},
		{"who has carried it is not signed", func(o *watchdog.Owner) { o.Caller = watchdog.CallerWorker }, "w1", public, true},
		{"another item", func(o *watchdog.Owner) { o.Item = "w1/1/2/propose_abort/1" }, "w1", public, false},
		{"a no made a yes", func(o *watchdog.Owner) { o.Approve = false }, "w1", public, false},
		{"other evidence", func(o *watchdog.Owner) { o.Digest = "d2" }, "w1", public, false},
		{"a longer time", func(o *watchdog.Owner) { o.NotAfter = o.NotAfter.Add(time.Second) }, "w1", public, false},
		{"a later word", func(o *watchdog.Owner) { o.Given = o.Given.Add(time.Second) }, "w1", public, false},
		{"another worker", func(*watchdog.Owner) {}, "w2", public, false},
		{"another owner", func(*watchdog.Owner) {}, "w1", other.Public().(ed25519.PublicKey), false},
		{"an owner without a key", func(*watchdog.Owner) {}, "w1", nil, false},
		{"no signature", func(o *watchdog.Owner) { o.Signature = "" }, "w1", public, false},
		{"a signature that is none", func(o *watchdog.Owner) { o.Signature = "signed by me" }, "w1", public, false},
	}
	for _, c := range cases {
		o := said.Sign(key, "w1")
		c.change(&o)
		if got := o.Signed(c.key, c.worker); got != c.signed {
			t.Errorf("%s: signed %v, want %v", c.reason, got, c.signed)
		}
	}
	intent := watchdog.Operator{Intent: watchdog.IntentPause}.Sign(key, "w1")
	again := intent
	again.Intent = watchdog.IntentResume
	for _, c := range []struct {
		reason string
		word   watchdog.Operator
		worker string
		signed bool
	}{
		{"it is the operator's", intent, "w1", true},
		{"another intent", again, "w1", false},
		{"another worker", intent, "w2", false},
	} {
		if got := c.word.Signed(public, c.worker); got != c.signed {
			t.Errorf("%s: signed %v, want %v", c.reason, got, c.signed)
		}
	}
}
