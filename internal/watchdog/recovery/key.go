package recovery

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"fakepi.example/internal/watchdog/evidence"
)

// The owner's key is an ed25519 key in two PEM files: the private one (PKCS #8), which only its owner may read, and the
// public one (PKIX) beside it, with .pub behind its name.
const (
	privateBlock = "PRIVATE KEY"
	publicBlock  = "PUBLIC KEY"
)

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
	privateDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrKey, err)
	}
	publicDER, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrKey, err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("%w: %w", ErrKey, err)
	}
	if err := renameio.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: privateBlock, Bytes: privateDER}), 0o600); err != nil {
		return fmt.Errorf("%w: %w", ErrKey, err)
	}
	if err := renameio.WriteFile(file+".pub", pem.EncodeToMemory(&pem.Block{Type: publicBlock, Bytes: publicDER}), 0o644); err != nil {
		return fmt.Errorf("%w: %w", ErrKey, err)
	}
	return nil
}

// readPrivate reads a private key that nobody else may read.
func readPrivate(file string) (ed25519.PrivateKey, error) {
	der, err := readKey(file, privateBlock)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKey, err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%w: %s may be read by others (mode %04o); chmod 600 it", ErrKey, file, info.Mode().Perm())
	}
	key, _ := x509.ParsePKCS8PrivateKey(der)
	if private, ok := key.(ed25519.PrivateKey); ok {
		return private, nil
	}
	return nil, noKey(file, privateBlock)
}

func readPublic(file string) (ed25519.PublicKey, error) {
	der, err := readKey(file, publicBlock)
	if err != nil {
		return nil, err
	}
	key, _ := x509.ParsePKIXPublicKey(der)
	if public, ok := key.(ed25519.PublicKey); ok {
		return public, nil
	}
	return nil, noKey(file, publicBlock)
}

// readKey reads the block of a key file, which must be of a kind.
func readKey(file, kind string) ([]byte, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w; make one with piwatch key", ErrKey, err)
	}
	block, _ := pem.Decode(data)
	switch {
	case block == nil:
		return nil, noKey(file, kind)
	case block.Type == publicBlock && kind == privateBlock:
		return nil, fmt.Errorf("%w: %s is a public key, and the private one is needed: the file without .pub", ErrKey, file)
	case block.Type == privateBlock && kind == publicBlock:
		return nil, fmt.Errorf("%w: %s is a private key, and the public one is needed: the file with .pub", ErrKey, file)
	}
	return block.Bytes, nil
}

func noKey(file, kind string) error {
	return fmt.Errorf("%w: %s holds no ed25519 %s; make one with piwatch key", ErrKey, file, strings.ToLower(kind))
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
