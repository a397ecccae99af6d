package recovery

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// Approval is the owner's yes to one item, on the evidence that was seen, until a moment (WDC-GATE-002, 004).
type Approval struct {
	Recovery  string    `json:"recovery_id"`
	Item      string    `json:"item"`
	Plan      string    `json:"plan"`            // SHA-256 of the plan
	Digest    string    `json:"evidence_digest"` // of what the owner saw
	By        string    `json:"by"`
	Given     time.Time `json:"given"`
	NotAfter  time.Time `json:"not_after"`
	Signature string    `json:"signature,omitempty"` // ed25519, of all the above
}

// signed is what the signature is over.
func (a Approval) signed() []byte {
	a.Signature = ""
	data, _ := json.Marshal(a)
	return data
}

// Approve signs an item of a case's plan with the owner's key and records it.
func Approve(folder, item, keyFile, by string, now time.Time, valid time.Duration) (*Approval, error) {
	p, err := ReadPlan(folder)
	if err != nil {
		return nil, err
	}
	if _, err := p.Item(item); err != nil {
		return nil, err
	}
	key, err := readPrivate(keyFile)
	if err != nil {
		return nil, err
	}
	if _, err := ReadEvents(folder); err != nil {
		return nil, err // apply would refuse the case
	}
	a := Approval{
		Recovery: p.ID, Item: item, Plan: p.hash(), Digest: p.Digest, By: by,
		Given: now.UTC().Truncate(time.Millisecond), NotAfter: now.Add(valid).UTC().Truncate(time.Millisecond),
	}
	a.Signature = hex.EncodeToString(ed25519.Sign(key, a.signed()))
	if err := appendLine(filepath.Join(folder, ApprovalsFile), a); err != nil {
		return nil, err
	}
	return &a, nil
}

// errNobody: there is no approval, not even one that does not hold.
var errNobody = errors.New("nobody has approved")

// approved finds a valid approval of an item, given after an earlier try at it began, if there was one. The error, which
// wraps ErrApproval, says why the last one is none.
func approved(folder string, p *Plan, item string, owner ed25519.PublicKey, now, begun time.Time) (*Approval, error) {
	data, err := readLines(filepath.Join(folder, ApprovalsFile))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrApproval, err)
	}
	why := fmt.Errorf("%w: %w %s; piwatch approve %s --case %s", ErrApproval, errNobody, item, item, folder)
	for line := range bytes.Lines(data) {
		var a Approval
		if err := json.Unmarshal(line, &a); err != nil || a.Item != item || a.Recovery != p.ID {
			continue
		}
		if err := a.holds(p, owner, now, begun); err != nil {
			why = err
			continue
		}
		return &a, nil
	}
	return nil, why
}

// holds checks an approval against the plan, the owner's key and the time.
func (a *Approval) holds(p *Plan, owner ed25519.PublicKey, now, begun time.Time) error {
	signature, err := hex.DecodeString(a.Signature)
	switch {
	case err != nil || !ed25519.Verify(owner, a.signed(), signature):
		return fmt.Errorf("%w: the approval of %s is not signed with the owner's key", ErrApproval, a.Item)
	case a.Digest != p.Digest:
		return fmt.Errorf("%w: %s was approved on other evidence; look at the plan and approve it again", ErrApproval, a.Item)
	case a.Plan != p.hash():
		return fmt.Errorf("%w: the plan was changed after %s was approved; look at it and approve it again", ErrApproval, a.Item)
	case !begun.IsZero() && !a.Given.After(begun):
		return fmt.Errorf("%w: %s was begun since, and its outcome is not known; look, then approve it again or make a new plan", ErrApproval, a.Item)
	case now.Before(a.Given):
		return fmt.Errorf("%w: %s was approved at %s, which is to come: the clock has moved; approve it again", ErrApproval, a.Item, a.Given.Format(time.RFC3339))
	case now.After(a.NotAfter):
		return fmt.Errorf("%w: the approval of %s expired at %s; approve it again", ErrApproval, a.Item, a.NotAfter.Format(time.RFC3339))
	}
	return nil
}
