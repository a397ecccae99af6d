package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"fakepi.example/internal/mutation"
)

// built is a program that holds all mutants, and the folder with the programs of the engine's tests that do.
type built struct {
	mutants       []mutation.Mutant
	player, tests string
}

// testsOf names the program of a package's tests in a folder.
func testsOf(dir, pkg string) string {
	return filepath.Join(dir, strings.ReplaceAll(pkg, "/", "_")+".test")
}

// command makes a player.
func (b *built) command(play string, args ...string) func() *exec.Cmd {
	return func() *exec.Cmd { return exec.Command(b.player, append([]string{"-play", play}, args...)...) }
}

// build writes the engine anew and builds what plays it. The files lie in a folder of their own: the module is built as if
// they stood in it.
func build(ctx context.Context, dir string) (*built, error) {
	module, err := exec.CommandContext(ctx, "go", "list", "-m").Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m: %w; start this in the module's folder", err)
	}
	p, err := mutation.Rewrite(strings.TrimSpace(string(module))+"/"+activePackage, enginePackages...)
	if err != nil {
		return nil, err
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := lay(p, dir, overlay); err != nil {
		return nil, err
	}
	b := &built{mutants: p.Mutants, player: filepath.Join(dir, "player"), tests: dir}
	if err := goDo(ctx, "build", "-overlay", overlay, "-o", b.player, "./"+selfPackage); err != nil {
		return nil, err
	}
	for _, pkg := range enginePackages {
		if err := goDo(ctx, "test", "-c", "-overlay", overlay, "-o", testsOf(dir, pkg), "./"+pkg); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// lay writes the files of the packages and what has the go command take them for those of the engine.
func lay(p *mutation.Rewritten, dir, overlay string) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	replace := map[string]string{}
	for name, text := range p.Files {
		file := filepath.Join(dir, strings.ReplaceAll(name, string(filepath.Separator), "_"))
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
		replace[filepath.Join(root, name)] = file
	}
	doc, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(overlay, doc, 0o644)
}

func goDo(ctx context.Context, args ...string) error {
	if out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}
