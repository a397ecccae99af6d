package world

import (
	"bytes"
	"crypto/ed25519"
	"slices"

	"fakepi.example/fakepi/script"
	"fakepi.example/watchdog"
)

// The keys are the same in every history.
var ownerKey, forgersKey = newKey(1), newKey(2)

func newKey(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
}

// OwnerKey is the public key that every subject is started with.
func OwnerKey() []byte { return slices.Clone(ownerKey.Public().(ed25519.PublicKey)) }

// said is a signed word about a worker.
type said struct {
	worker string
	word   watchdog.Body
}

// word is a decision or an intent as whoever takes it sees it, with what proves it. There is none if it was to be one
// that was signed before.
func (w *World) word(b watchdog.Body, by script.Giver, worker string) (watchdog.Body, bool) {
	p := watchdog.Proof{Given: w.clocks.now().Wall}
	switch by {
	case script.ByAgain:
		return w.shownAgain(b, worker)
	case script.ByKey:
		b = signed(b, p, ownerKey, worker)
		w.people.signed = append(w.people.signed, said{worker, b})
	case script.ByForger:
		b = signed(b, p, forgersKey, worker)
	case script.ByWorker:
		p.Caller = watchdog.CallerWorker
		b = with(b, p)
	default:
		p.Caller = watchdog.CallerOutside
		b = with(b, p)
	}
	return b, true
}

// shownAgain is the last signed word that says the same.
func (w *World) shownAgain(b watchdog.Body, worker string) (watchdog.Body, bool) {
	for i := len(w.people.signed) - 1; i >= 0; i-- {
		switch old := w.people.signed[i].word.(type) {
		case watchdog.Owner:
			if o, ok := b.(watchdog.Owner); ok && old.Item == o.Item && old.Approve == o.Approve {
				old.Caller = watchdog.CallerWorker
				return old, true
			}
		case watchdog.Operator:
			if o, ok := b.(watchdog.Operator); ok && w.people.signed[i].worker == worker && old.Intent == o.Intent {
				old.Caller = watchdog.CallerWorker
				return old, true
			}
		}
	}
	return nil, false
}

// signed is a word with a proof and signed.
func signed(b watchdog.Body, p watchdog.Proof, key ed25519.PrivateKey, worker string) watchdog.Body {
	switch b := with(b, p).(type) {
	case watchdog.Owner:
		return b.Sign(key, worker)
	case watchdog.Operator:
		return b.Sign(key, worker)
	}
	return b
}

// with is a word with a proof.
func with(b watchdog.Body, p watchdog.Proof) watchdog.Body {
	switch b := b.(type) {
	case watchdog.Owner:
		b.Proof = p
		return b
	case watchdog.Operator:
		b.Proof = p
		return b
	}
	return b
}
