package evidence_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"fakepi.example/internal/watchdog/evidence"
)

// sh runs a shell script in a folder, with a git that knows nobody's configuration.
func sh(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.Command("bash", "-euc", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// Every key and hook by which git runs a program is set; a snapshot starts none of them (WDC-SAFE-005).
func TestNothingConfiguredRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, marks := filepath.Join(dir, "w"), filepath.Join(dir, "marks")
	sh(t, dir, `mkdir w marks; cd w; git init -q -b main .; git init -q ../s; (cd ../s; echo s > s; git add s; git commit -qm s)
	git -c protocol.file.allow=always submodule --quiet add ../s sub; echo a > a.x; git add .; git commit -qm one; echo st > a.x; git stash -q; echo b > a.x
	printf '*.x filter=evil diff=evil merge=evil\n* filter=evil diff=evil\n' > .gitattributes`)
	trap := func(name string) string { return "touch " + filepath.Join(marks, name) }
	script := filepath.Join(dir, "trap")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"+trap("script")+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		"core.fsmonitor", "core.sshCommand", "core.editor", "core.pager", "core.askPass", "core.gitProxy", "core.alternateRefsCommand",
		"diff.external", "diff.evil.command", "diff.evil.textconv", "merge.evil.driver", "filter.evil.clean",
		"filter.evil.smudge", "filter.evil.process", "gpg.program", "credential.helper", "sequence.editor", "pager.log", "pager.status",
		"interactive.diffFilter", "uploadpack.packObjectsHook", "remote.origin.uploadpack", "alias.status", "alias.log", "trailer.x.cmd",
	} {
		for _, at := range []string{w, filepath.Join(w, "sub")} {
			sh(t, at, "git config "+key+" '"+trap(key)+"'")
		}
	}
	sh(t, w, `git config log.showSignature true; git config diff.submodule log; git config status.submoduleSummary true; git config submodule.recurse true
	git config core.hooksPath `+dir+`/hooks; git config include.path `+dir+`/more; mkdir -p ../hooks
	printf '[core]\n\tfsmonitor = `+script+`\n' > ../more
	printf '[submodule "sub"]\n\tpath = sub\n\turl = ../s\n\tignore = none\n\tupdate = !`+script+`\n' > .gitmodules
	for h in post-index-change reference-transaction post-checkout pre-auto-gc fsmonitor-watchman post-applypatch pre-commit; do for d in ../hooks .git/hooks .git/modules/sub/hooks; do cp `+script+` $d/$h; done; done`)
	sh(t, marks, "rm -f *")
	if _, err := evidence.Take(t.Context(), evidence.Options{Worktree: w, Out: filepath.Join(dir, "out")}); err != nil {
		t.Fatal(err)
	}
	if _, err := evidence.Restore(t.Context(), filepath.Join(dir, "out"), filepath.Join(dir, "back")); err != nil {
		t.Fatal(err)
	}
	if got := sh(t, marks, "ls"); got != "" {
		t.Errorf("these ran: %s", got)
	}
	sh(t, w, "git status >/dev/null 2>&1 || true")
	if got := sh(t, marks, "ls"); got == "" {
		t.Error("the traps do not work: git status set none of them off")
	}
}
