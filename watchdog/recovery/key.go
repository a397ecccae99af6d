package recovery

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"fakepi.example/watchdog/evidence"
)

// The owner's key is an ed25519 key in two files of hexadecimal digits: the private one, which only its owner may read,
// and the public one beside it, with .pub behind its name.

// NewKey makes a key. Existing files are never overwritten.
func NewKey(file string) error {
	for _, name := range []string{file, file + ".pub"} {
		if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: %s exists, and a key is never overwritten; name another file", ErrKey, name)
		}
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrKey, err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("%w: %w", ErrKey, err)
	}
	if err := renameio.WriteFile(file, []byte(hex.EncodeToString(private.Seed())+"\n"), 0o600); err != nil {
		return fmt.Errorf("%w: %w", ErrKey, err)
	}
	if err := renameio.WriteFile(file+".pub", []byte(hex.EncodeToString(public)+"\n"), 0o644); err != nil {
		return fmt.Errorf("%w: %w", ErrKey, err)
	}
	return nil
}

// readPrivate reads a private key that nobody else may read.
func readPrivate(file string) (ed25519.PrivateKey, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w; make one with piwatch key", ErrKey, err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%w: %s may be read by others (mode %04o); chmod 600 it", ErrKey, file, info.Mode().Perm())
	}
	seed, err := readHex(file, ed25519.SeedSize)
	if err != nil {
		return nil, err
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

func readPublic(file string) (ed25519.PublicKey, error) {
	return readHex(file, ed25519.PublicKeySize)
}

func readHex(file string, size int) ([]byte, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w; make one with piwatch key", ErrKey, err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(data)))
	if err != nil || len(key) != size {
		return nil, fmt.Errorf("%w: %s holds no key of %d hexadecimal digits", ErrKey, file, 2*size)
	}
	return key, nil
}

// Free refuses a caller that descends from a supervised worker: it could have been told what to approve
// (WDC-GATE-007). worker is a pid, 0 for none.
func Free(caller, worker int) error {
	ancestors, err := evidence.Ancestors(caller)
	if err != nil {
		return fmt.Errorf("%w: who calls cannot be told: %w", ErrKey, err)
	}
	for _, p := range ancestors {
		if p.Name == "pi" || p.PID == worker {
			return fmt.Errorf("%w: this command descends from process %d (%s), a worker; the owner decides outside of it", ErrKey, p.PID, cut(p.Name, 40))
		}
	}
	return nil
}
