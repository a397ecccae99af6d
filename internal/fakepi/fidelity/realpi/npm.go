package realpi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"
)

const (
	manifest = "package.json"
	lockFile = "package-lock.json"
	// stamp is a copy of the lock file, written when everything that it names is there.
	stamp = "installed.json"
)

// install brings p.Dir to what the lock file says. Several processes may do so at once.
func (p Pi) install(ctx context.Context) error {
	lock, err := manifests.ReadFile(path.Join("manifests", p.Version, lockFile))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(p.Dir, 0o755); err != nil {
		return err
	}
	only := flock.New(filepath.Join(p.Dir, ".lock"))
	if err := only.Lock(); err != nil {
		return err
	}
	defer only.Unlock()
	if done, err := os.ReadFile(filepath.Join(p.Dir, stamp)); err == nil && bytes.Equal(done, lock) {
		return nil
	}
	if err := p.writeManifest(lock); err != nil {
		return err
	}
	if err := runNPM(ctx, p.Dir); err != nil {
		return fmt.Errorf("install Pi %s: %w", p.Version, err)
	}
	return os.WriteFile(filepath.Join(p.Dir, stamp), lock, 0o644)
}

func (p Pi) writeManifest(lock []byte) error {
	text, err := manifests.ReadFile(path.Join("manifests", p.Version, manifest))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(p.Dir, manifest), text, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.Dir, lockFile), lock, 0o644)
}

// noAnswer are npm's codes for a registry that cannot be reached, as against one that answers with a refusal.
var noAnswer = []string{
	"ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "EHOSTUNREACH", "EPIPE",
	"ERR_SOCKET_TIMEOUT", "FETCH_ERROR", "E502", "E503", "E504", "ENOTCACHED",
}

// runNPM installs by the lock file and runs no script of any package.
func runNPM(ctx context.Context, dir string) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("%w: there is none on PATH", ErrNoNPM)
	}
	cmd := exec.CommandContext(ctx, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--json", "--fetch-retries=1")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ErrNoNPM, ctx.Err())
	}
	return npmError(out, stderr.Bytes(), err)
}

// npmError reads npm's report of a failure.
func npmError(out, stderr []byte, err error) error {
	var report struct {
		Error struct{ Code, Summary string }
	}
	if json.Unmarshal(out, &report) != nil || report.Error.Code == "" {
		return errors.Join(fmt.Errorf("npm ci: %w", err), errors.New(string(bytes.TrimSpace(stderr))))
	}
	if slices.Contains(noAnswer, report.Error.Code) {
		return fmt.Errorf("%w: %s", ErrNoNPM, report.Error.Summary)
	}
	return fmt.Errorf("npm ci: %w: %s: %s", err, report.Error.Code, report.Error.Summary)
}
