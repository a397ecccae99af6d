package evidence_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/watchdog/evidence"
)

var (
	repositories = flag.Int("repositories", 4, "how many generated repositories to capture and restore")
	kills        = flag.Int("kills", 3, "how often to kill a snapshot")
)

// moves are what happens to a repository; FILE and OTHER stand for names that are drawn.
var moves = []string{
	`mkdir -p "$(dirname "FILE")" && echo RANDOM > "FILE"`,
	`mkdir -p "$(dirname "FILE")" && head -c 5000 /dev/urandom > "FILE"`,
	`printf 'a\r\nb\nRANDOM\r\n' > "FILE"`,
	`echo RANDOM >> "FILE"`,
	`rm -rf "FILE"`,
	`chmod +x "FILE"`,
	`ln -sfn "OTHER" "FILE"`,
	`mkdir -p "FILE.d/empty"`,
	`mv "FILE" "OTHER"`,
	`git add "FILE"`,
	`git add -A`,
	`git rm -q --cached -r "FILE"`,
	`git add -N "FILE"`,
	`git commit -qam RANDOM`,
	`git add -A && git commit -qm RANDOM`,
	`git stash -q`,
	`git stash -q -u`,
	`git checkout -q -b bRANDOM`,
	`git checkout -q --detach`,
	`git tag tRANDOM`,
	`git merge -q main`,
	`git rebase -q main`,
	`git cherry-pick main~1`,
	`git reset -q --hard`,
	`echo '*.o' >> .gitignore; echo RANDOM > x.o`,
	`echo '* text=auto' > .gitattributes`,
	`echo '*.bin filter=lfs -text' > .gitattributes; echo RANDOM > a.bin`,
	`git config core.autocrlf true`,
	`git update-index --assume-unchanged "FILE"`,
	`git update-index --skip-worktree "FILE"`,
	`git update-index --split-index`,
	`touch .git/index.lock; sleep 0; rm .git/index.lock`,
	`git init -q "FILE.repo" && echo RANDOM > "FILE.repo/x" && git -C "FILE.repo" add x`,
	`git worktree add -q ../wRANDOM`,
	`git worktree add -q -f ../sRANDOM main; cd ../sRANDOM; echo RANDOM > f1; git commit -qam RANDOM`,
	`git sparse-checkout set --cone dir`,
	`git sparse-checkout disable`,
	`git -c protocol.file.allow=always submodule --quiet add ../remote sub`,
	`cd sub && echo RANDOM > s && git add s && git commit -qm RANDOM && echo RANDOM > t`,
	`git bisect start; git bisect bad; git bisect good HEAD~1`,
	`git push -q ../remote HEAD:refs/heads/main`,
	`git fetch -q ../remote '+refs/heads/*:refs/remotes/origin/*'`,
	`git gc -q`,
	`git pack-refs --all`,
	`git checkout -q -b cRANDOM HEAD~1; echo RANDOM > f1; git commit -qam RANDOM; git checkout -q -; echo x > f1; git commit -qam x; git merge -q cRANDOM`,
	`git checkout -q -b cRANDOM HEAD~1; echo RANDOM > f1; git commit -qam RANDOM; echo y >> f2; git rebase -q --autostash main`,
	`git checkout -q -b cRANDOM HEAD~1; echo RANDOM > f1; git commit -qam RANDOM; git checkout -q -; echo x > f1; git commit -qam x; git cherry-pick cRANDOM`,
	`git revert --no-edit HEAD~1`,
	`git commit -q --amend -m RANDOM`,
	`git reset -q --soft HEAD~1`,
	`git reset -q HEAD~1`,
	`git stash drop -q`,
	`git stash pop -q`,
	`git branch -D bRANDOM; git checkout -q main`,
	`git notes add -f -m RANDOM`,
	`git replace -f HEAD HEAD~1`,
	`git update-ref refs/x/tRANDOM HEAD^{tree}`,
	`git update-ref refs/worktree/wRANDOM HEAD`,
	`git tag -a -m RANDOM aRANDOM`,
	`chmod 600 "FILE"`,
	`chmod 4755 "FILE"`,
	`ln "FILE" "OTHER"`,
	`truncate -s 100K "FILE"`,
	`mkfifo "FILE.pipe"`,
	`git init -q dir; git -C dir add .`,
	`rm -rf .git/logs`,
	`rm -f .git/logs/refs/stash`,
	`git worktree prune`,
	`git prune`,
	`git submodule --quiet deinit -f sub`,
	`git checkout -q --orphan oRANDOM`,
	`printf 'RANDOM' > "$(printf 'n\351')"; git add -A; git checkout -q -b "$(printf 'b\351')"`,
}

var names = []string{"a", "b", "dir/c", "dir/sub/d", "with space", "-dash", "quote\\\"d", "ünïcode", "*", ":(top)x", "x.o"}

// generate makes a repository by a random walk. A move that git refuses is none.
func generate(t *testing.T, dir string, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	sh(t, dir, `git init -q --bare remote; git init -q -b main w; cd w; git config user.name a; git config user.email a@localhost`)
	if r.IntN(10) > 0 { // else unborn
		sh(t, filepath.Join(dir, "w"), `for i in 1 2 3; do echo $i > f$i; git add .; git commit -qm $i; done`)
	}
	var walk strings.Builder
	for range 5 + r.IntN(25) {
		move := moves[r.IntN(len(moves))]
		move = strings.ReplaceAll(move, "FILE", names[r.IntN(len(names))])
		move = strings.ReplaceAll(move, "OTHER", names[r.IntN(len(names))])
		move = strings.ReplaceAll(move, "RANDOM", fmt.Sprint(r.IntN(1000)))
		fmt.Fprintf(&walk, "( %s ) >/dev/null 2>&1 </dev/null || true\n", move)
	}
	sh(t, filepath.Join(dir, "w"), walk.String())
}

// fingerprint is everything in a folder, git's own data included.
func fingerprint(t *testing.T, dir string) string {
	t.Helper()
	return sh(t, dir, `find . -printf '%y %m %s %T@ %p %l\n' | LC_ALL=C sort; find . -type f -print0 | LC_ALL=C sort -z | xargs -0r sha256sum`)
}

// Whatever was done to a repository, its snapshot restores it, and leaves it as it was.
func TestGenerated(t *testing.T) {
	t.Parallel()
	for seed := range uint64(*repositories) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			generate(t, dir, seed)
			w, out := filepath.Join(dir, "w"), filepath.Join(dir, "evidence")
			before := fingerprint(t, w)
			record, err := evidence.Take(t.Context(), evidence.Options{Worktree: w, Out: out, IgnoredContents: true})
			if err != nil {
				t.Fatal(err)
			}
			if !record.Proven || record.Git == nil || record.Git.Raw {
				t.Errorf("proven: %v, by %+v; missing: %v", record.Proven, record.Git, record.Missing)
			}
			if after := fingerprint(t, w); after != before {
				t.Errorf("the source changed:\n%s", cmp.Diff(strings.Split(before, "\n"), strings.Split(after, "\n")))
			}
			if record.Before.Tree != record.After.Tree || record.Before.Index != record.After.Index {
				t.Errorf("the record says that the source changed: %+v, %+v", record.Before, record.After)
			}
			sh(t, out, "sha256sum --quiet --strict -c MANIFEST.sha256")
			if _, err := evidence.Restore(t.Context(), out, filepath.Join(dir, "back")); err != nil {
				t.Fatal(err)
			}
			before, after := described(t, w), described(t, filepath.Join(dir, "back"))
			if before != after {
				t.Errorf("captured -, restored +:\n%s", cmp.Diff(strings.Split(before, "\n"), strings.Split(after, "\n")))
			}
			goOn(t, dir)
		})
	}
}

// goOn goes on with whatever is unfinished in w and in back, with the same result.
func goOn(t *testing.T, dir string) {
	t.Helper()
	const script = `export GIT_EDITOR=true; find . -type p -delete; rm -f .git/index.lock; git add -A . || true
for i in 1 2 3; do git rebase --continue || git cherry-pick --continue || git revert --continue || git merge --continue || true; git add -A . || true; done
git bisect good || true; git stash pop || true; git commit -qm last || true`
	const result = `git log -20 --format='%T %s'; git status --porcelain --ignore-submodules=all; git stash list --format=%gs || true`
	var results []string
	for _, at := range []string{"w", "back"} {
		in := filepath.Join(dir, at)
		sh(t, in, "( "+script+" ) >/dev/null 2>&1 || true")
		results = append(results, sh(t, in, "( "+result+" ) 2>&1 || true"))
	}
	if results[0] != results[1] {
		t.Errorf("it goes on otherwise: captured -, restored +:\n%s", cmp.Diff(strings.Split(results[0], "\n"), strings.Split(results[1], "\n")))
	}
}

// inventory is index, HEAD and stash as an ordinary git sees them.
func inventory(t *testing.T, dir string) string {
	t.Helper()
	return sh(t, dir, `git ls-files -v -s; git rev-parse -q --verify HEAD || true; git symbolic-ref -q HEAD || true; git stash list --format='%H %gs'
		[ "$(git config core.sparseCheckout)" != true ] || git sparse-checkout list`)
}

// A snapshot that is killed leaves nothing that verify accepts, and the source as it was.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("EVIDENCE_TAKE"); dir != "" {
		_, err := evidence.Take(t.Context(), evidence.Options{Worktree: filepath.Join(dir, "w"), Out: filepath.Join(dir, "evidence")})
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	dir := t.TempDir()
	generate(t, dir, 3)
	sh(t, filepath.Join(dir, "w"), "for i in $(seq 300); do echo $i > n$i; done")
	before := fingerprint(t, filepath.Join(dir, "w"))
	r := rand.New(rand.NewPCG(1, 1))
	for range *kills {
		takeAndKill(t, dir, 1+r.IntN(60))
		if after := fingerprint(t, filepath.Join(dir, "w")); after != before {
			t.Fatal("the source changed")
		}
		left, err := filepath.Glob(filepath.Join(dir, ".*.partial-*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, partial := range left {
			for _, at := range []string{partial, filepath.Join(partial, "evidence")} {
				if _, err := evidence.Verify(t.Context(), at); err == nil {
					t.Errorf("%s is accepted", at)
				}
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "evidence")); err == nil { // it was faster: then it is whole
			if _, err := evidence.Verify(t.Context(), filepath.Join(dir, "evidence")); err != nil {
				t.Error(err)
			}
		}
		sh(t, dir, "rm -rf evidence .*.partial-*")
	}
}

// takeAndKill starts a snapshot in a process of its own and kills it when so many files are there.
func takeAndKill(t *testing.T, dir string, files int) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	child.Env = append(os.Environ(), "EVIDENCE_TAKE="+dir)
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	for {
		select {
		case <-ended:
			return
		default:
		}
		n := 0
		_ = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err == nil && !e.IsDir() && strings.Contains(path, ".partial-") {
				n++
			}
			return nil
		})
		if n >= files {
			_ = syscall.Kill(-child.Process.Pid, syscall.SIGKILL)
			<-ended
			return
		}
	}
}
