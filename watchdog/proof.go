package watchdog

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"time"
)

// Proof is what tells that a word of the owner or the operator is theirs (WDC-GATE-007): it is signed with the owner's
// key, which no supervised process can reach, or it came from a caller that was proven not to descend from one. A word
// without either could be a worker's and counts for nothing.
type Proof struct {
	Given     time.Time `json:"given,omitzero"`      // civil: when it was said. What is signed can be shown again by anybody, so of that only what is later than all before counts
	Caller    Caller    `json:"caller,omitempty"`    // whom whoever took the word proved it to come from
	Signature string    `json:"signature,omitempty"` // hex, ed25519, of what signed returns
}

// Caller is where a word comes from, as far as whoever took it can prove; empty is not known.
type Caller string

// Who may call.
const (
	CallerOutside Caller = "outside" // it descends from no supervised process
	CallerWorker  Caller = "worker"  // it is a supervised process, or descends from one
)

// Sign returns a decision about a worker's item as signed with the owner's key.
func (o Owner) Sign(key ed25519.PrivateKey, worker string) Owner {
	o.Signature = hex.EncodeToString(ed25519.Sign(key, o.signed(worker)))
	return o
}

// Signed reports whether the decision is signed with the owner's key, for this worker.
func (o Owner) Signed(key ed25519.PublicKey, worker string) bool {
	return o.Proof.signs(key, o.signed(worker))
}

// signed is what the signature is over: all but who calls and itself.
func (o Owner) signed(worker string) []byte {
	o.Caller, o.Signature = "", ""
	return signed(Observation{Worker: worker, Body: o})
}

// Sign returns an intent for a worker as signed with the owner's key.
func (o Operator) Sign(key ed25519.PrivateKey, worker string) Operator {
	o.Signature = hex.EncodeToString(ed25519.Sign(key, o.signed(worker)))
	return o
}

// Signed reports whether the intent is signed with the owner's key, for this worker.
func (o Operator) Signed(key ed25519.PublicKey, worker string) bool {
	return o.Proof.signs(key, o.signed(worker))
}

func (o Operator) signed(worker string) []byte {
	o.Caller, o.Signature = "", ""
	return signed(Observation{Worker: worker, Body: o})
}

// signed is the JSON form of an observation without number, time and generation.
func signed(o Observation) []byte {
	data, _ := json.Marshal(o)
	return data
}

func (p *Proof) signs(key ed25519.PublicKey, text []byte) bool {
	signature, err := hex.DecodeString(p.Signature)
	return err == nil && len(key) == ed25519.PublicKeySize && ed25519.Verify(key, text, signature)
}
