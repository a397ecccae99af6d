package recovery_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fakepi.example/internal/watchdog/recovery"
)

// A key is never overwritten, and one that others may read signs nothing.
func TestKey(t *testing.T) {
	s := newScene(t, "echo half >> f", recovery.Means{})
	s.make(gone, nil)
	key := filepath.Join(s.dir, "key")
	if err := recovery.NewKey(key); !errors.Is(err, recovery.ErrKey) || !strings.Contains(err.Error(), "never overwritten") {
		t.Errorf("a second key: %v", err)
	}
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key: %v, %v", info.Mode(), err)
	}
	tests := []struct{ reason, change, why string }{
		{"others may read it", "chmod 640 key", "(mode 0640); chmod 600 it"},
		{"it is the public one", "cp key saved; cat key.pub > key; chmod 644 key", "is a public key, and the private one is needed: the file without .pub"},
		{"it is cut off", "truncate -s 20 key", "holds no ed25519 private key; make one with piwatch key"},
		{"it is none", "echo hello > key", "holds no ed25519 private key; make one with piwatch key"},
		{"its contents are none", "sed 's/MC4C/MC5C/' saved > key", "holds no ed25519 private key; make one with piwatch key"},
		{"it is gone", "rm key", "make one with piwatch key"},
	}
	for _, test := range tests {
		sh(t, s.dir, test.change)
		_, err := recovery.Approve(s.folder, "resume", key, "owner", now, time.Hour)
		if !errors.Is(err, recovery.ErrKey) || !strings.Contains(err.Error(), test.why) {
			t.Errorf("%s: %v, want %q", test.reason, err, test.why)
		}
		sh(t, s.dir, "[ ! -e key ] || chmod 600 key")
	}
	if _, err := os.Stat(filepath.Join(s.folder, recovery.ApprovalsFile)); err == nil {
		t.Error("something was approved")
	}
	s.applying.PublicKey = filepath.Join(s.dir, "saved")
	if _, err := s.applying.Apply(t.Context()); !errors.Is(err, recovery.ErrKey) || !strings.Contains(err.Error(), "is a private key, and the public one is needed: the file with .pub") {
		t.Errorf("applied with the private key: %v", err)
	}
}
