package evidence_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/watchdog/evidence"
)

var (
	allStates = flag.Bool("states", false, "capture every state in every place, not a part of them")
	update    = flag.Bool("update", false, "write the table of docs/evidence.md")
)

// A gitState is something that a worker may leave. Set up in a repository with one commit, or in an empty folder, it is captured and
// restored; what git and the disk say of both is the same, and then the operation goes on in both, with the same result.
type gitState struct {
	family, name string
	setUp        string
	goOn         string // what is done then; empty: nothing
	captured     string // "bundle", "raw" or "tree"; empty: bundle
	missing      string // a part of what the record lists as not captured; empty: nothing is listed
	bare         bool   // set up in an empty folder
	waits        bool   // git would wait for ever in it: only the disk is compared
	needs        string // a command without which git has no such state
	deep         bool   // other programs cannot read it: the restore's own comparison must do
}

// fork makes two branches that edit the same line, and one that does not.
const fork = `git checkout -q -b side; echo side > f; git commit -qam side; echo s2 > s2; git add s2; git commit -qm side2; git checkout -q -b other main~0; echo o > o; git add o; git commit -qm other
git checkout -q main; echo main > f; git commit -qam main; echo m2 > m2; git add m2; git commit -qm main2; `

// solve settles a conflict in f.
const solve = `echo solved > f; git add f; `

const (
	inProgress = "unfinished operations"
	objects    = "objects that only git's state names"
	trees      = "files"
	indexes    = "the index"
	refs       = "refs"
	shapes     = "kinds of repositories"
	broken     = "damage"
)

var gitStates = []gitState{
	{family: inProgress, name: "merge with a conflict", setUp: fork + `git merge side || true`, goOn: solve + `git commit -qm merged`},
	{family: inProgress, name: "merge with a conflict, given up", setUp: fork + `git merge side || true`, goOn: `git merge --abort`},
	{family: inProgress, name: "merge with a part of the conflicts solved", setUp: fork + `echo x > g; git add g; git commit -qm g; git merge side || true; git add f`, goOn: `git commit -qm merged`},
	{family: inProgress, name: "merge that waits for its commit", setUp: fork + `git merge --no-commit --no-ff other`, goOn: `git commit -qm merged`},
	{family: inProgress, name: "merge of three branches", setUp: fork + `git branch third other~1; git checkout -q third; echo t > t; git add t; git commit -qm t; git checkout -q main; git merge -q --no-commit other third`, goOn: `git commit -qm merged`},
	{family: inProgress, name: "merge by squashing", setUp: fork + `git merge --squash other`, goOn: `git -c core.editor=true commit -q`},
	{family: inProgress, name: "merge that put edits aside", setUp: fork + `echo precious >> g; git merge --autostash side || true`, goOn: solve + `git commit -qm merged; cat g`},
	{family: inProgress, name: "merge of a fetched commit", setUp: fork + `git init -q --object-format=$(git rev-parse --show-object-format) ../up; git -C ../up fetch -q ../w side; git -C ../up checkout -q -b x FETCH_HEAD; echo up > ../up/f; git -C ../up commit -qam up; git fetch -q ../up x; git merge FETCH_HEAD || true`, goOn: solve + `git commit -qm merged`},
	{family: inProgress, name: "merge with a file removed on one side", setUp: fork + `git rm -q g; git commit -qm rm; git checkout -q side; echo 2 >> g; git commit -qam g; git checkout -q main; git merge side || true`, goOn: solve + `git add g; git commit -qm merged`},
	{family: inProgress, name: "merge with a folder in the place of a file", setUp: fork + `git rm -q g; mkdir g; echo in > g/in; git add g; git commit -qm dir; git checkout -q side; echo 2 >> g; git commit -qam g; git checkout -q main; git merge side || true`, goOn: `git merge --abort`},
	{family: inProgress, name: "merge with conflicts remembered", setUp: fork + `git config rerere.enabled true; git merge side || true`, goOn: solve + `git commit -qm merged`},
	{family: inProgress, name: "rebase with a conflict", setUp: fork + `git rebase side || true`, goOn: solve + `git -c core.editor=true rebase --continue`},
	{family: inProgress, name: "rebase with a conflict, given up", setUp: fork + `git rebase side || true`, goOn: `git rebase --abort`},
	{family: inProgress, name: "rebase with a conflict, passed over", setUp: fork + `git rebase side || true`, goOn: `git rebase --skip`},
	{family: inProgress, name: "rebase by patches", setUp: fork + `git rebase --apply side || true`, goOn: solve + `git rebase --continue`},
	{family: inProgress, name: "rebase by patches, given up", setUp: fork + `git rebase --apply side || true`, goOn: `git rebase --abort`},
	{family: inProgress, name: "rebase that put edits aside", setUp: fork + `echo precious >> g; git rebase --autostash side || true`, goOn: solve + `git -c core.editor=true rebase --continue; cat g`},
	{family: inProgress, name: "rebase by patches that put edits aside", setUp: fork + `echo precious >> g; git rebase --apply --autostash side || true`, goOn: `git rebase --abort; cat g`},
	{family: inProgress, name: "rebase on no branch", setUp: fork + `git checkout -q --detach; git rebase side || true`, goOn: solve + `git -c core.editor=true rebase --continue`},
	{family: inProgress, name: "rebase on no branch, given up", setUp: fork + `git checkout -q --detach; git rebase side || true`, goOn: `git rebase --abort`},
	{family: inProgress, name: "rebase that stopped for an edit", setUp: fork + `GIT_SEQUENCE_EDITOR='sed -i 1s/^pick/edit/' git rebase -q -i HEAD~2`, goOn: `echo more >> g; git add g; git commit -q --amend --no-edit; git rebase --continue`},
	{family: inProgress, name: "rebase that stopped at a break", setUp: fork + `GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -q -i HEAD~2`, goOn: `git rebase --continue`},
	{family: inProgress, name: "rebase whose command failed", setUp: fork + `git rebase -q -x 'test -e allowed' HEAD~2 || true`, goOn: `touch allowed; git rebase --continue`},
	{family: inProgress, name: "rebase that squashes", setUp: fork + `echo 3 > f; git commit -qam 'fixup! side'; GIT_SEQUENCE_EDITOR='sed -i 2s/^pick/squash/' GIT_EDITOR=false git rebase -q -i HEAD~2 || true`, goOn: `git -c core.editor=true rebase --continue`},
	{family: inProgress, name: "rebase with merges", setUp: fork + `git merge -q --no-edit other; git rebase -q --rebase-merges side || true`, goOn: solve + `git -c core.editor=true rebase --continue`},
	{family: inProgress, name: "rebase that moves other branches too", setUp: fork + `git branch stacked main~1; git rebase -q --update-refs side || true`, goOn: solve + `git -c core.editor=true rebase --continue`},
	{family: inProgress, name: "rebase onto another base", setUp: fork + `git rebase -q --onto side~1 main~2 main || true`, goOn: solve + `git -c core.editor=true rebase --continue`},
	{family: inProgress, name: "rebase from the root", setUp: fork + `git rebase -q --root --onto side || true`, goOn: `git rebase --abort`},
	{family: inProgress, name: "cherry-pick with a conflict", setUp: fork + `git cherry-pick side~1 || true`, goOn: solve + `git -c core.editor=true cherry-pick --continue`},
	{family: inProgress, name: "cherry-pick with a conflict, given up", setUp: fork + `git cherry-pick side~1 || true`, goOn: `git cherry-pick --abort`},
	{family: inProgress, name: "cherry-pick of several commits", setUp: fork + `git cherry-pick side~1 side other || true`, goOn: solve + `git -c core.editor=true cherry-pick --continue`},
	{family: inProgress, name: "cherry-pick of several commits, one passed over", setUp: fork + `git cherry-pick side~1 side other || true`, goOn: `git cherry-pick --skip`},
	{family: inProgress, name: "cherry-pick of several commits, given up", setUp: fork + `git cherry-pick side~1 side other || true`, goOn: `git cherry-pick --abort`},
	{family: inProgress, name: "cherry-pick without a commit", setUp: fork + `git cherry-pick -n other`, goOn: `git commit -qm picked`},
	{family: inProgress, name: "cherry-pick of a commit that is empty by now", setUp: fork + `git cherry-pick other; git cherry-pick other || true`, goOn: `git cherry-pick --skip`},
	{family: inProgress, name: "revert with a conflict", setUp: fork + `echo 3 > f; git commit -qam 3; git revert --no-edit HEAD~2 || true`, goOn: solve + `git -c core.editor=true revert --continue`},
	{family: inProgress, name: "revert with a conflict, given up", setUp: fork + `echo 3 > f; git commit -qam 3; git revert --no-edit HEAD~2 || true`, goOn: `git revert --abort`},
	{family: inProgress, name: "revert of several commits", setUp: fork + `echo 3 > f; git commit -qam 3; git revert --no-edit HEAD~2 HEAD~1 || true`, goOn: solve + `git -c core.editor=true revert --continue`},
	{family: inProgress, name: "revert without a commit", setUp: fork + `git revert -n HEAD`, goOn: `git commit -qm reverted`},
	{family: inProgress, name: "patches by mail with a conflict", setUp: fork + `git format-patch -q -o ../p main~2..side; git am -q ../p/* || true`, goOn: solve + `git am --continue`},
	{family: inProgress, name: "patches by mail with a conflict in three ways", setUp: fork + `git format-patch -q -o ../p main~2..side; git am -q -3 ../p/* || true`, goOn: solve + `git am --continue`},
	{family: inProgress, name: "patches by mail, one passed over", setUp: fork + `git format-patch -q -o ../p main~2..side; git am -q ../p/* || true`, goOn: `git am --skip`},
	{family: inProgress, name: "patches by mail, given up", setUp: fork + `git format-patch -q -o ../p main~2..side; git am -q ../p/* || true`, goOn: `git am --abort`},
	{family: inProgress, name: "bisection", setUp: fork + `for i in 1 2 3 4 5 6; do echo $i > n; git add n; git commit -qm n$i; done; git bisect start -q HEAD HEAD~6`, goOn: `git bisect bad; git bisect good`},
	{family: inProgress, name: "bisection, ended", setUp: fork + `for i in 1 2 3 4; do echo $i > n; git add n; git commit -qm n$i; done; git bisect start -q HEAD HEAD~4`, goOn: `git bisect reset`},
	{family: inProgress, name: "bisection by other terms", setUp: fork + `for i in 1 2 3 4; do echo $i > n; git add n; git commit -qm n$i; done; git bisect start --term-old=fast --term-new=slow; git bisect slow; git bisect fast HEAD~4`, goOn: `git bisect slow`},
	{family: inProgress, name: "bisection without a checkout", setUp: fork + `for i in 1 2 3 4; do echo $i > n; git add n; git commit -qm n$i; done; git bisect start --no-checkout HEAD HEAD~4`, goOn: `git bisect good`},
	{family: inProgress, name: "bisection with commits passed over", setUp: fork + `for i in 1 2 3 4 5; do echo $i > n; git add n; git commit -qm n$i; done; git bisect start HEAD HEAD~5; git bisect skip`, goOn: `git bisect good`},
	{family: inProgress, name: "bisection that has only begun", setUp: fork + `git bisect start`, goOn: `git bisect bad; git bisect good HEAD~2`},
	{family: inProgress, name: "merge of notes", setUp: fork + `git notes add -m a; git notes --ref=more add -m b; git notes merge more || true`, goOn: `echo ab > "$(git rev-parse --git-dir)/NOTES_MERGE_WORKTREE/$(git rev-parse HEAD)"; git notes merge --commit; git notes show`},
	{family: inProgress, name: "merge of notes, given up", setUp: fork + `git notes add -m a; git notes --ref=more add -m b; git notes merge more || true`, goOn: `git notes merge --abort; git notes show`},
	{family: inProgress, name: "stash entry that does not fit", setUp: `echo st > f; git stash -q; echo x > f; git commit -qam x; git stash pop || true`, goOn: solve + `git commit -qm solved; git stash drop -q`},
	{family: inProgress, name: "checkout that merges", setUp: fork + `echo mine > f; git checkout -m side || true`, goOn: solve + `git commit -qm solved`},
	{family: inProgress, name: "patch in three ways", setUp: fork + `git diff main~2 side -- f > ../p; git apply --3way ../p || true`, goOn: solve + `git commit -qm solved`},
	{family: inProgress, name: "commit in a merge in a rebase", setUp: fork + `git rebase side || true; echo half > f; git add f`, goOn: `git -c core.editor=true rebase --continue`},
	{family: inProgress, name: "bisection during which files were edited", setUp: fork + `for i in 1 2 3 4; do echo $i > n; git add n; git commit -qm n$i; done; git bisect start -q HEAD HEAD~4; echo mine >> g; echo new > new`, goOn: `git bisect good`},

	{family: objects, name: "stash", setUp: `echo 2 >> f; git stash -q; echo 3 >> f; git stash -q -m second; echo u > u; git stash -q -u`, goOn: `git stash pop -q`},
	{family: objects, name: "stash of the index and untracked files", setUp: `echo 2 >> f; git add f; echo 3 >> f; echo u > u; git stash -q -u`, goOn: `git stash pop -q --index`},
	{family: objects, name: "stash without a reflog", setUp: `echo 2 >> f; git stash -q; rm .git/logs/refs/stash`, goOn: `git stash apply -q refs/stash`},
	{family: objects, name: "stash entry that was dropped", setUp: `echo precious >> f; git stash -q; git stash drop -q`, goOn: `git stash apply -q $(git fsck --no-reflogs --lost-found | sed -n 's/dangling commit //p')`},
	{family: objects, name: "stash that was cleared", setUp: `echo a >> f; git stash -q; echo b >> f; git stash -q; git stash clear`, goOn: `git fsck --no-reflogs --unreachable | grep -c commit`},
	{family: objects, name: "commits that were reset away", setUp: `echo 2 > f; git commit -qam two; echo 3 > f; git commit -qam three; git reset -q --hard HEAD~2`, goOn: `git reset -q --hard HEAD@{1}`},
	{family: objects, name: "commits on no branch, left by a checkout", setUp: `git checkout -q --detach; echo 2 > f; git commit -qam lost; git checkout -q main`, goOn: `git merge -q HEAD@{1}`},
	{family: objects, name: "commit that was amended", setUp: `echo 2 > f; git commit -qam two; echo 3 > f; git commit -qa --amend -m three`, goOn: `git reset -q --hard HEAD@{1}`},
	{family: objects, name: "branch that was deleted", setUp: `git checkout -q -b gone; echo 2 > f; git commit -qam two; git checkout -q main; git branch -q -D gone`, goOn: `git branch back HEAD@{1}; git log --format=%s back`},
	{family: objects, name: "commits that no reflog names", setUp: `git checkout -q -b gone; echo 2 > f; git commit -qam two; git checkout -q main; git branch -q -D gone; rm -r .git/logs`, goOn: `git merge -q $(git fsck --lost-found | sed -n 's/dangling commit //p')`},
	{family: objects, name: "pull that was undone", setUp: fork + `git merge -q --no-edit other; git reset -q --hard ORIG_HEAD~0`, goOn: `git reset -q --hard HEAD@{1}`},
	{family: objects, name: "grafted history", setUp: fork + `git rev-parse main main~2 | paste -sd' ' > .git/info/grafts`, goOn: `git log --format=%s 2>/dev/null`},
	{family: objects, name: "replaced commit", setUp: fork + `git replace main~1 side`, goOn: `git log --format=%s; git replace -d $(git rev-parse main~1); git log --format=%s`},
	{family: objects, name: "file that was announced", setUp: `echo new > n; git add -N n`, goOn: `git add n; git commit -qm n`},
	{family: objects, name: "conflict that can be brought back", setUp: fork + `git merge side || true; git add f`, goOn: `git checkout -m f; git ls-files -u`},
	{family: objects, name: "objects of a tag of a tag", setUp: `git tag -a -m one t1; git tag -a -m two t2 t1; git tag -d t1`, goOn: `git cat-file -p t2^{}`},
	{family: objects, name: "commits of a submodule that is not checked out any more", setUp: `git init -q ../s; (cd ../s; echo s > s; git add s; git commit -qm s); git -c protocol.file.allow=always submodule --quiet add ../s sub; git commit -qm sub; (cd sub; echo precious > s; git commit -qam precious); git submodule --quiet deinit -f sub`, goOn: `git --git-dir=.git/modules/sub log --format='%H %s' HEAD`},
	{family: objects, name: "contents under Git LFS", bare: true, setUp: `git init -q -b main .; echo '*.bin filter=lfs' > .gitattributes; o=$(printf data | sha256sum | cut -c1-64); printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 4\n' $o > a.bin; git -c filter.lfs.clean=cat add .; git commit -qm lfs; d=.git/lfs/objects/${o:0:2}/${o:2:2}; mkdir -p $d; printf data > $d/$o`, goOn: `find .git/lfs -type f | xargs sha256sum`},
	{family: objects, name: "contents under Git LFS that are not there", bare: true, missing: "the contents of this Git LFS pointer", setUp: `git init -q -b main .; mkdir -p .git/lfs/objects; o=$(printf data | sha256sum | cut -c1-64); printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 4\n' $o > a.bin; git add .; git commit -qm lfs`},

	{family: trees, name: "edits", setUp: `echo 2 >> f; rm g; echo u > u`},
	{family: trees, name: "names that others trip over", setUp: `for n in '-rf' ' ' '$(touch pwned)' '"' "'" 'a\b' '*' ':(top)' '!x' '#x' 'x '; do echo 1 > "./$n"; done; printf x > "$(printf 'esc\033[31m\n\tname')"; printf x > "$(printf 'bad\377utf8')"; git add -A; git commit -qm names; echo 2 > ./-rf; echo u > "$(printf 'un\376')"; echo u > ./':(glob)u'`, goOn: `git add -A; git commit -qm all`},
	{family: trees, name: "two names that differ in a byte that is no UTF-8", setUp: `echo 1 > "$(printf 'a\351')"; echo 2 > "$(printf 'a\350')"; git add -A; git commit -qm n; echo 3 > "$(printf 'a\350')"`},
	{family: trees, name: "modes", setUp: `for m in 0600 0640 0755 0700 0444 0664; do echo $m > m$m; chmod $m m$m; done; git add .; git commit -qm modes; for m in 0600 0444; do echo u > u$m; chmod $m u$m; done; chmod 0600 f; mkdir d; echo x > d/x; chmod 0700 d; mkdir e; chmod 0750 e`},
	{family: trees, name: "setuid, setgid and sticky", setUp: `for m in 4755 2755 6711; do echo $m > m$m; chmod $m m$m; done; mkdir d; echo x > d/x; chmod 3777 d`},
	{family: trees, name: "times", setUp: `touch -d '2001-02-03 04:05:06.789012345' f; mkdir d; echo x > d/x; ln -s x d/l; touch -h -d '1999-01-01' d/l; touch -d '2002-02-02 02:02:02.2' d`},
	{family: trees, name: "hard links", setUp: `ln f h; echo a > a; ln a b; ln a c; mkdir d; ln a d/a`},
	{family: trees, name: "holes", setUp: `truncate -s 8M hole; echo end >> hole; truncate -s 4M tracked; git add tracked; git commit -qm t; truncate -s 1M all`},
	{family: trees, name: "links", setUp: `ln -s f l; ln -s /etc/passwd abs; ln -s nowhere dead; ln -s . self; git add -A; git commit -qm l; ln -sfn g l; ln -s "$(printf 'a\377b\nc')" odd`},
	{family: trees, name: "link in the place of a folder", setUp: `mkdir d; echo 1 > d/x; git add d; git commit -qm d; mv d e; ln -s e d`},
	{family: trees, name: "folder in the place of a file", setUp: `rm f; mkdir f; echo deep > f/x`},
	{family: trees, name: "file in the place of a folder", setUp: `mkdir d; echo 1 > d/x; git add d; git commit -qm d; rm -r d; echo 2 > d`},
	{family: trees, name: "empty folders", setUp: `mkdir -p a/b/c d; chmod 700 a/b`},
	{family: trees, name: "line ends that git would convert", setUp: `git config core.autocrlf true; printf 'a\r\nb\nc\r\n' > mixed; git add mixed; git commit -qm mixed; printf 'd\r\n' >> f`},
	{family: trees, name: "attributes that convert", setUp: `printf '* text=auto\n*.u working-tree-encoding=UTF-16\n*.i ident\n' > .gitattributes; printf 'a\0b\0' > x.u; echo '$Id$' > x.i; printf 'a\r\n' > x; git add .gitattributes x.i; git commit -qm a; echo '$Id: old$' > x.i`},
	{family: trees, name: "a pointer of Git LFS and its contents", setUp: `echo '*.bin filter=lfs diff=lfs merge=lfs -text' > .gitattributes; printf 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n' > a.bin; git add .; git commit -qm lfs; printf 'the real\0contents' > a.bin`},
	{family: trees, name: "ignored files", setUp: `printf '*.o\nbuild/\n!keep.o\n/top\n' > .gitignore; mkdir -p build/x sub; echo o > x.o; echo k > keep.o; echo b > build/x/b; echo t > top; echo t > sub/top; echo y > y.o; git add -f y.o .gitignore; git commit -qm i; echo z > y.o`},
	{family: trees, name: "rules of .gitignore in folders", setUp: `mkdir -p a/b; echo '*.log' > a/.gitignore; echo '!x.log' > a/b/.gitignore; echo 'secret' >> .git/info/exclude; echo 1 > a/y.log; echo 1 > a/b/x.log; echo 1 > a/b/z.log; echo 1 > secret`},
	{family: trees, name: "a path longer than any system call takes", deep: true, setUp: `for i in $(seq 25); do n=$(printf "%0200d" $i); mkdir $n; cd $n; done; echo deep > deep`},
	{family: trees, name: "a large edit", setUp: `head -c 12000000 /dev/urandom > f`},
	{family: trees, name: "contents of zeros and of no line end", setUp: `printf '\0\0' > f; : > g; printf x > n`},
	{family: trees, name: "pipes and sockets", setUp: `mkfifo p; echo 2 >> f`},
	{family: trees, name: "a pipe as .gitignore", waits: true, setUp: `mkfifo .gitignore; echo 2 >> f; echo u > u`, missing: "status.txt"},
	{family: trees, name: "a pipe as .gitattributes", waits: true, setUp: `mkfifo .gitattributes; echo 2 >> f`, missing: "status.txt"},
	{family: trees, name: "a link to /dev/zero as .gitmodules", waits: true, setUp: `ln -s /dev/zero .gitmodules; echo 2 >> f`},

	{family: indexes, name: "staged edits", setUp: `echo s > s; git add s; echo s2 >> s; git rm -q --cached g; echo 2 >> f; git add f`, goOn: `git commit -qm staged`},
	{family: indexes, name: "staged mode", setUp: `git update-index --chmod=+x f`, goOn: `git commit -qm x`},
	{family: indexes, name: "files that git was told to overlook", setUp: `git update-index --assume-unchanged f; echo 2 >> f; git update-index --skip-worktree g; echo 3 >> g`, goOn: `git update-index --no-assume-unchanged f; git update-index --no-skip-worktree g`},
	{family: indexes, name: "split index", setUp: `git update-index --split-index; echo n > n; git add n`, goOn: `git commit -qm n`},
	{family: indexes, name: "index of version 4", setUp: `git update-index --index-version 4; echo n > n; git add n`, goOn: `git commit -qm n`},
	{family: indexes, name: "index with a cache of untracked files", setUp: `git update-index --untracked-cache; git status; echo n > n`, goOn: `git add n`},
	{family: indexes, name: "no index", setUp: `rm .git/index`, goOn: `git reset -q`},
	{family: indexes, name: "empty index", setUp: `git rm -q --cached -r .`, goOn: `git reset -q`},
	{family: indexes, name: "locked index", setUp: `echo 2 >> f; touch .git/index.lock`, goOn: `rm -f .git/index.lock`},
	{family: indexes, name: "sparse checkout", setUp: `mkdir a b; echo 1 > a/x; echo 1 > b/x; git add .; git commit -qm two; git sparse-checkout set --cone a; echo 3 > a/x`, goOn: `git sparse-checkout disable`},
	{family: indexes, name: "sparse checkout by patterns", setUp: `mkdir a b; echo 1 > a/x; echo 1 > b/x; git add .; git commit -qm two; git sparse-checkout set --no-cone '/*' '!/b/'; echo 3 > a/x`, goOn: `git sparse-checkout disable`},
	{family: indexes, name: "sparse index", setUp: `mkdir a b; echo 1 > a/x; echo 1 > b/x; git add .; git commit -qm two; git sparse-checkout set --cone --sparse-index a; echo 3 > a/x`, goOn: `git sparse-checkout disable`},
	{family: indexes, name: "sparse checkout, staged outside the cone", setUp: `mkdir a b; echo 1 > a/x; echo 1 > b/x; git add .; git commit -qm one; echo 2 > a/x; echo 2 > b/x; git commit -qam two; git sparse-checkout set --cone a; git reset -q --soft HEAD~1`, goOn: `git commit -qm again`},
	{family: indexes, name: "sparse checkout, merged outside the cone", setUp: `mkdir a b; echo 1 > a/x; echo 1 > b/x; git add .; git commit -qm one; git checkout -q -b o; echo o > a/x; echo o > b/x; git commit -qam o; git checkout -q main; echo m > a/x; git commit -qam m; git sparse-checkout set --cone a; git merge o || true`, goOn: `echo s > a/x; git add a/x; git commit -qm merged`},
	{family: indexes, name: "sparse checkout, removed outside the cone", setUp: `mkdir a b; echo 1 > a/x; echo 1 > b/x; git add .; git commit -qm one; git checkout -q -b o; echo o > a/x; git rm -q b/x; git commit -qam o; git checkout -q main; echo m > a/x; git commit -qam m; git sparse-checkout set --cone a; git merge o || true`, goOn: `echo s > a/x; git add a/x; git commit -qm merged`},
	{family: indexes, name: "sparse checkout with a file outside the cone", setUp: `mkdir a b; echo 1 > a/x; echo 1 > b/x; git add .; git commit -qm one; git sparse-checkout set --cone a; mkdir b; echo present > b/x; echo u > b/u`},
	{family: indexes, name: "ignored file that is staged", setUp: `echo '*.o' > .gitignore; echo o > x.o; git add -f x.o .gitignore`, goOn: `git commit -qm o`},

	{family: refs, name: "branches, tags, notes", setUp: `git branch b; git tag t; git tag -a -m x at; git notes add -m n; git branch -q --track tr main`},
	{family: refs, name: "branches whose names are no UTF-8", setUp: `git checkout -q -b "$(printf 'caf\351')"; echo 2 > f; git commit -qam two; git branch "$(printf 'caf\350')" main`, goOn: `git checkout -q "$(printf 'caf\350')"`},
	{family: refs, name: "refs to blobs and trees", setUp: `git update-ref refs/x/blob $(echo blob | git hash-object -w --stdin); git update-ref refs/x/tree $(git rev-parse HEAD^{tree}); git tag blobtag $(echo tagged | git hash-object -w --stdin)`, goOn: `git cat-file -p refs/x/blob; git cat-file -p blobtag`},
	{family: refs, name: "tags on pushed commits", setUp: `git init -q --bare ../up; git push -q ../up main; git fetch -q ../up '+refs/heads/*:refs/remotes/origin/*'; git tag light; git tag -a -m x heavy`, goOn: `git cat-file -p heavy | tail -1`},
	{family: refs, name: "packed refs", setUp: `git branch b; git tag -a -m x t; git pack-refs --all; git checkout -q -b c; echo 2 > f; git commit -qam 2`},
	{family: refs, name: "symbolic refs", setUp: `git symbolic-ref refs/heads/alias refs/heads/main; git symbolic-ref refs/heads/dead refs/heads/none`, goOn: `git symbolic-ref refs/heads/alias; git symbolic-ref refs/heads/dead`},
	{family: refs, name: "no branch", setUp: `git checkout -q --detach; echo 2 > f; git commit -qam two`},
	{family: refs, name: "branch without a commit", bare: true, setUp: `git init -q -b main .; echo a > a; git add a; echo b > b`, goOn: `git commit -qm first`},
	{family: refs, name: "branch without a commit beside others", setUp: `git checkout -q --orphan fresh; git rm -q --cached g; echo x > x`, goOn: `git commit -qm fresh`},
	{family: refs, name: "branch whose name is that of a folder of others", setUp: `git branch a/b; git branch a/c; git checkout -q -b d/e/f; echo 2 > f; git commit -qam 2`},
	{family: refs, name: "a reftable", bare: true, needs: "git init -q --ref-format=reftable", setUp: `git init -q -b main --ref-format=reftable .; echo 1 > f; git add f; git commit -qm 1; git branch b; echo 2 > f; git stash -q; echo 3 > f; git commit -qam 3`, goOn: `git stash list --format=%gs; git checkout -q b`},
	{family: refs, name: "refs of this worktree alone", setUp: `git update-ref refs/worktree/mine HEAD; git update-ref refs/custom/x HEAD`},
	{family: refs, name: "reflogs with credentials", setUp: `git update-ref -m 'clone: from https://me:hush@host/x.git' refs/heads/b HEAD; git reflog exists refs/heads/b || true`},

	{family: shapes, name: "linked worktree beside it", setUp: `git worktree add -q ../linked -b other; echo 1 > ../linked/x; echo 1 > f`},
	{family: shapes, name: "branch that another worktree has moved", setUp: `git worktree add -q -f ../again main; (cd ../again; echo 2 > f; git commit -qam two); echo 3 > f`},
	{family: shapes, name: "names by SHA-256", bare: true, setUp: `git init -q -b main --object-format=sha256 .; echo a > a; git add a; git commit -qm one; echo b > a; echo s > s; git add s; git stash -q`, goOn: `git stash pop -q`},
	{family: shapes, name: "shallow clone", bare: true, setUp: `git init -q -b main ../up; (cd ../up; for i in 1 2 3; do echo $i > f; git add f; git commit -qm $i; done); git clone -q --depth 1 "file://$PWD/../up" .; echo 4 > f; git commit -qam 4; echo 5 > f`, goOn: `git commit -qam 5`},
	{family: shapes, name: "clone that borrows objects", bare: true, setUp: `git init -q -b main ../up; (cd ../up; echo 1 > f; git add f; git commit -qm 1); git clone -q --shared ../up .; echo 2 > f; git commit -qam 2; echo 3 > f`, goOn: `git commit -qam 3`},
	{family: shapes, name: "clone without contents", bare: true, captured: "raw", missing: "not all of it can be read by git", setUp: `git init -q -b main ../up; (cd ../up; git config uploadpack.allowFilter true; for i in 1 2 3; do echo v$i > f; echo $i > f$i; git add .; git commit -qm $i; done); git clone -q --filter=blob:none --no-local "file://$PWD/../up" .; rm -rf ../up; echo 4 > f; git commit -qam 4; echo 5 > f`},
	{family: shapes, name: "clone without trees", bare: true, captured: "raw", missing: "not all of it can be read by git", setUp: `git init -q -b main ../up; (cd ../up; git config uploadpack.allowFilter true; git config uploadpack.allowAnySHA1InWant true; for i in 1 2 3; do echo $i > f; echo $i > f$i; git add .; git commit -qm $i; done); git clone -q --filter=tree:0 --no-local "file://$PWD/../up" .; rm -rf ../up; echo 4 > f; git commit -qam 4; echo 5 > f`},
	{family: shapes, name: "packed objects", setUp: fork + `git gc -q; echo 2 >> g; git commit -qam after`},
	{family: shapes, name: "git's data elsewhere", bare: true, setUp: `git init -q -b main --separate-git-dir=../data .; echo 1 > f; git add f; git commit -qm 1; echo 2 > f`},
	{family: shapes, name: "nested repository", setUp: `git init -q in; cd in; echo q > q; git add q; git commit -qm in; echo r > r`},
	{family: shapes, name: "nested repository without a commit", setUp: `git init -q in; echo q > in/q`},
	{family: shapes, name: "repository begun in a tracked folder", setUp: `mkdir d; echo 1 > d/x; git add d; git commit -qm d; cd d; git init -q; git add x; echo y > y`},
	{family: shapes, name: "file replaced by a staged repository", setUp: `rm f; git init -q f; (cd f; echo x > x; git add x; git commit -qm x); git add f`, goOn: `git commit -qm link`},
	{family: shapes, name: "submodule", setUp: `git init -q ../s; (cd ../s; echo s > s; git add s; git commit -qm s); git -c protocol.file.allow=always submodule --quiet add ../s sub; git commit -qm sub; echo work > sub/s; echo new > sub/n; git -C sub checkout -q -b w; git -C sub commit -qam w`},
	{family: shapes, name: "submodule that was not fetched", setUp: `git init -q ../s; (cd ../s; echo s > s; git add s; git commit -qm s); git -c protocol.file.allow=always submodule --quiet add ../s sub; git commit -qm sub; git clone -q . ../c; rm -rf .git * .gitmodules; mv ../c/.git ../c/* ../c/.gitmodules .`},
	{family: shapes, name: "repositories in repositories", setUp: `git init -q a; cd a; echo 1 > x; git add x; git commit -qm a; git init -q b; cd b; echo 2 > y; git add y; mkdir -p c/d; git init -q c/d; echo 3 > c/d/z`},
	{family: shapes, name: "no git", bare: true, captured: "tree", setUp: `mkdir d; echo a > d/a; ln -s /etc/passwd link; chmod 600 d/a`},
	{family: shapes, name: "hooks and configuration of the worker", setUp: `printf '#!/bin/sh\nexit 1\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git config alias.x '!false'; git config core.fsmonitor false; echo 2 >> f`},

	{family: broken, name: "HEAD is garbage", captured: "raw", missing: "not all of it can be read by git", setUp: `echo 2 >> f; echo garbage > .git/HEAD`},
	{family: broken, name: "no HEAD", captured: "tree", missing: "not all of it can be read by git", setUp: `echo 2 >> f; rm .git/HEAD`},
	{family: broken, name: "HEAD names a commit that is not there", captured: "raw", missing: "not all of it can be read by git", setUp: `echo 2 >> f; echo 1234567812345678123456781234567812345678 > .git/HEAD`},
	{family: broken, name: "the branch is garbage", captured: "raw", missing: "not all of it can be read by git", setUp: `echo 2 >> f; echo garbage > .git/refs/heads/main`},
	{family: broken, name: "another branch is garbage", missing: "git cannot read this ref", setUp: `echo 2 >> f; echo garbage > .git/refs/heads/b`},
	{family: broken, name: "another branch is at a commit that is not there", missing: "the repository does not have this object", setUp: `echo 2 >> f; echo 1234567812345678123456781234567812345678 > .git/refs/heads/b`},
	{family: broken, name: "the index is garbage", captured: "raw", missing: "not all of it can be read by git", setUp: `echo 2 >> f; echo garbage > .git/index`},
	{family: broken, name: "the index is cut off", captured: "raw", missing: "not all of it can be read by git", setUp: `echo 2 >> f; truncate -s 100 .git/index`},
	{family: broken, name: "an object of HEAD is missing", captured: "raw", missing: "not all of it can be read by git", setUp: `echo 2 >> g; o=$(git rev-parse HEAD:f); rm -f .git/objects/${o:0:2}/${o:2}`},
	{family: broken, name: "an object of HEAD is damaged", captured: "raw", missing: "not all of it can be read by git", setUp: `echo 2 >> g; o=$(git rev-parse HEAD:f); o=.git/objects/${o:0:2}/${o:2}; chmod u+w $o; echo garbage > $o`},
	{family: broken, name: "the tree of HEAD is missing", captured: "raw", missing: "not all of it can be read by git", setUp: `echo 2 >> g; o=$(git rev-parse HEAD^{tree}); rm -f .git/objects/${o:0:2}/${o:2}`},
	{family: broken, name: "the commit of HEAD is missing", captured: "raw", missing: "not all of it can be read by git", setUp: `echo 2 >> g; o=$(git rev-parse HEAD); rm -f .git/objects/${o:0:2}/${o:2}`},
	{family: broken, name: "all objects are missing", captured: "raw", missing: "not all of it can be read by git", setUp: `echo 2 >> g; rm -rf .git/objects/??`},
	{family: broken, name: "a commit of the reflog is missing", missing: "the repository does not have this object", setUp: `echo 2 > f; git commit -qam two; o=$(git rev-parse HEAD); git reset -q --hard HEAD~1; rm -f .git/objects/${o:0:2}/${o:2}`},
	{family: broken, name: "a tree of the reflog is missing", missing: "a commit whose history is not complete", setUp: `echo 2 > f; git commit -qam two; o=$(git rev-parse HEAD^{tree}); git reset -q --hard HEAD~1; rm -f .git/objects/${o:0:2}/${o:2}`},
	{family: broken, name: "a staged object is missing", missing: "the repository does not have this object", setUp: `echo s > s; git add s; o=$(git rev-parse :s); rm -f .git/objects/${o:0:2}/${o:2}`},
	{family: broken, name: "the registration was pruned", bare: true, captured: "tree", missing: ".git", setUp: `git init -q -b main ../m; (cd ../m; echo 1 > f; git add f; git commit -qm 1; git worktree add -q ../x); cp ../x/.git .; cp ../x/f .; echo 2 >> f; rm -r ../m/.git/worktrees`},
	{family: broken, name: "the repository was moved", bare: true, captured: "tree", missing: ".git", setUp: `git init -q -b main ../m; (cd ../m; echo 1 > f; git add f; git commit -qm 1; git worktree add -q ../x); cp ../x/.git .; cp ../x/f .; echo 2 >> f; mv ../m ../n`},
	{family: broken, name: "a fixture with a .git that is none", missing: ".git", setUp: `mkdir -p fix/.git; echo x > fix/.git/x; echo y > fix/y; mkdir fix2; echo 'gitdir: ../nowhere' > fix2/.git; echo z > fix2/z; mkdir fix3; : > fix3/.git; mkdir -p fix4/.git; echo q > fix4/q`},
	{family: broken, name: "one nested repository is broken", missing: "in/.git", setUp: `git init -q in; echo q > in/q; echo garbage > in/.git/HEAD; echo 2 >> f`},
	{family: broken, name: "a pipe as .git of a folder", missing: "sub/.git", setUp: `mkdir sub; mkfifo sub/.git; echo x > sub/x`},
	{family: broken, name: "a pipe as the index", captured: "raw", missing: ".git/index", setUp: `rm .git/index; mkfifo .git/index; echo 2 >> f`},
	{family: broken, name: "a pipe as the configuration", captured: "raw", missing: "not all of it can be read by git", setUp: `rm .git/config; mkfifo .git/config; echo 2 >> f`},
	{family: broken, name: "a device as HEAD", captured: "tree", missing: ".git", setUp: `rm .git/HEAD; ln -s /dev/zero .git/HEAD; echo 2 >> f`},
	{family: broken, name: "a pipe as commondir", captured: "tree", missing: ".git", setUp: `mkfifo .git/commondir; echo 2 >> f`},
	{family: broken, name: "a pipe as the list of borrowed objects", captured: "raw", missing: "alternates", setUp: `mkfifo .git/objects/info/alternates; echo 2 >> f`},
	{family: broken, name: "a pipe as an object", captured: "raw", missing: ".git/objects", setUp: `mkdir -p .git/objects/aa; mkfifo .git/objects/aa/11111111111111111111111111111111111111; echo 2 >> f`},
	{family: broken, name: "a pipe as a hook and in info", waits: true, missing: ".git/info/exclude", setUp: `mkfifo .git/hooks/pre-commit; rm .git/info/exclude; mkfifo .git/info/exclude; echo 2 >> f`},
	{family: broken, name: "a pipe as MERGE_HEAD", waits: true, missing: ".git/MERGE_HEAD", setUp: `mkfifo .git/MERGE_HEAD; echo 2 >> f`},
	{family: broken, name: "a pipe as a ref", waits: true, setUp: `mkfifo .git/refs/heads/p; echo 2 >> f`},
	{family: broken, name: "a link to /dev/zero as packed-refs", waits: true, setUp: `ln -s /dev/zero .git/packed-refs; echo 2 >> f`},
}

// places are where a state is set up.
var places = []struct{ name, setUp string }{
	{"repository", `git init -q -b main w; cd w; echo one > f; echo two > g; git add .; git commit -qm one; `},
	{"linked worktree", `git init -q -b trunk m; cd m; echo one > f; echo two > g; git add .; git commit -qm one; git worktree add -q -b main ../w; cd ../w; `},
	{"names by SHA-256", `git init -q -b main --object-format=sha256 w; cd w; echo one > f; echo two > g; git add .; git commit -qm one; `},
	{"packed", `git init -q -b main w; cd w; echo one > f; echo two > g; git add .; git commit -qm one; git gc -q; `},
}

// described is what git says of a worktree, what only its reflogs know included, and what the disk says. What a remote has is left out.
func described(t *testing.T, dir string) string {
	t.Helper()
	return sh(t, dir, `export GIT_OPTIONAL_LOCKS=0; git ls-files -v -s; git ls-files -z --resolve-undo | tr '\0' '\n'; git rev-parse -q --verify HEAD || true; git symbolic-ref -q HEAD || true
git for-each-ref --format='%(objectname) %(refname) %(symref)' | grep -v refs/remotes/ || true; git stash list --format='%H %gs' || true; git log -g --format='%H %gs' HEAD -- 2>/dev/null || true
git status --porcelain=v2 --ignore-submodules=all || true; [ "$(git config core.sparseCheckout)" != true ] || git sparse-checkout list`) + sh(t, dir, onDisk)
}

// onDisk lists modes, times, hard links and contents.
const onDisk = `find . -name .git -prune -o ! -path . ! -type p -printf '%y %m %T@ %n %p %l\n' | sed 's/^\(d.*\) [0-9]* \.\//\1 .\//' | LC_ALL=C sort; find . -name .git -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0r sha256sum`

// TestStates captures a part of the states, every sixth one in one place, so that all families are there; with -states, all of
// them in all places.
func TestStates(t *testing.T) {
	t.Parallel()
	for i, s := range gitStates {
		for j, place := range places {
			if j > 0 && !s.anywhere() || !*allStates && (i%6 != 0 || s.anywhere() && i/6%len(places) != j) {
				continue
			}
			t.Run(s.family+"/"+s.name+"/"+place.name, func(t *testing.T) {
				t.Parallel()
				s.check(t, place.setUp)
			})
		}
	}
}

// anywhere reports whether the place makes a difference: what is unfinished, and the index.
func (s *gitState) anywhere() bool {
	return !s.bare && (s.family == inProgress || s.family == indexes) && !strings.Contains(s.setUp, ".git/")
}

func (s *gitState) check(t *testing.T, place string) {
	dir := t.TempDir()
	if s.bare {
		place = "mkdir w; cd w; "
	}
	if s.needs != "" && sh(t, dir, "( "+s.needs+" probe ) >/dev/null 2>&1 && rm -r probe || echo no") != "" {
		t.Skipf("this git cannot do it: %s", s.needs)
	}
	sh(t, dir, place+s.setUp)
	w, out, back := filepath.Join(dir, "w"), filepath.Join(dir, "evidence"), filepath.Join(dir, "back")
	var before []string
	if !s.deep {
		before = withoutTop(fingerprint(t, dir))
	}
	state, err := evidence.Inspect(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	record, err := evidence.Take(t.Context(), evidence.Options{Worktree: w, Out: out, IgnoredContents: true})
	if err != nil {
		t.Fatal(err)
	}
	if record.Digest != state.Digest {
		t.Errorf("the snapshot is of %s, a look found %s", record.Digest, state.Digest)
	}
	sh(t, dir, "mv evidence ../"+filepath.Base(dir)+".evidence 2>/dev/null || true")
	out = dir + ".evidence"
	t.Cleanup(func() { _ = os.RemoveAll(out) })
	if !s.deep {
		if changed := cmp.Diff(before, withoutTop(fingerprint(t, dir))); changed != "" {
			t.Errorf("the source changed:\n%s", changed)
		}
	}
	s.checkRecord(t, record)
	restored, err := evidence.Restore(t.Context(), out, back)
	if err != nil {
		t.Fatal(err)
	}
	if len(restored.NotRestored) > 0 {
		t.Errorf("not restored: %v", restored.NotRestored)
	}
	if s.deep {
		return
	}
	if s.how() != "bundle" || s.waits {
		s.checkTree(t, record, w, back)
		return
	}
	if changed := cmp.Diff(strings.Split(described(t, w), "\n"), strings.Split(described(t, back), "\n")); changed != "" && s.missing == "" {
		t.Errorf("captured -, restored +:\n%s", changed)
	}
	if s.goOn == "" {
		return
	}
	const result = `; git log -9 --format='%T %s'; git status --porcelain`
	one, two := sh(t, w, "( "+s.goOn+" ) 2>&1 | sed '/^ Date:/d; s/[0-9a-f]\\{7,\\}/#/g'"+result), sh(t, back, "( "+s.goOn+" ) 2>&1 | sed '/^ Date:/d; s/[0-9a-f]\\{7,\\}/#/g'"+result)
	if one = strings.ReplaceAll(one, w, back); one != two {
		t.Errorf("it goes on otherwise: captured -, restored +:\n%s", cmp.Diff(strings.Split(one, "\n"), strings.Split(two, "\n")))
	}
	if strings.Contains(two, "fatal:") || strings.Contains(two, "error: ") && !strings.Contains(two, "error: could not apply") {
		t.Errorf("it does not go on:\n%s", two)
	}
}

func (s *gitState) how() string {
	if s.captured == "" {
		return "bundle"
	}
	return s.captured
}

func (s *gitState) checkRecord(t *testing.T, record *evidence.Record) {
	t.Helper()
	how := "bundle"
	if record.Git == nil {
		how = "tree"
	} else if record.Git.Raw {
		how = "raw"
	}
	if !record.Proven || how != s.how() {
		t.Errorf("it was captured as %s, proven: %v; want %s; missing %v", how, record.Proven, s.how(), record.Missing)
	}
	found := slices.ContainsFunc(record.Missing, func(m evidence.Skipped) bool { return strings.Contains(m.Path+": "+m.Why, s.missing) })
	if s.missing == "" && len(record.Missing) > 0 || s.missing != "" && !found {
		t.Errorf("missing: %q, want %q", record.Missing, s.missing)
	}
}

// checkTree compares trees alone, without what the record says is not captured.
func (s *gitState) checkTree(t *testing.T, record *evidence.Record, w, back string) {
	t.Helper()
	skip := ""
	for _, m := range record.Skipped {
		skip += fmt.Sprintf(" | grep -v -F ' ./%s '", m.Path)
	}
	tree := func(dir string) string { return sh(t, dir, strings.Replace(onDisk, "; find", skip+"; find", 1)) }
	if changed := cmp.Diff(strings.Split(tree(w), "\n"), strings.Split(tree(back), "\n")); changed != "" {
		t.Errorf("captured -, restored +:\n%s", changed)
	}
}

// The table of docs/evidence.md is that of the states.
func TestStatesTable(t *testing.T) {
	t.Parallel()
	const file, begin, end = "../../../docs/evidence.md", "<!-- states -->\n", "<!-- /states -->\n"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(page), begin)
	table, after, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has no table of states", file)
	}
	want := statesTable()
	if *update {
		if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, table); diff != "" {
		t.Errorf("%s is not up to date; run the test with -update (-want +got):\n%s", file, diff)
	}
}

func statesTable() string {
	var b strings.Builder
	b.WriteString("| state | in | captured as | restored | goes on | test |\n|---|---|---|---|---|---|\n")
	sum := 0
	for i := range gitStates {
		s := &gitStates[i]
		in := 1
		if s.anywhere() {
			in = len(places)
		}
		sum += in
		restored, captured := "as captured", map[string]string{"bundle": "bundle and archives", "raw": "archives and git's data", "tree": "archives"}[s.how()]
		if s.missing != "" {
			restored = "the files, and the rest listed"
		}
		on := ""
		if s.goOn != "" {
			on = "yes"
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | `%s/%s` |\n", s.name, in, captured, restored, on, s.family, strings.ReplaceAll(s.name, " ", "_"))
	}
	fmt.Fprintf(&b, "\n%d states, %d with the places that they are set up in.\n", len(gitStates), sum)
	return b.String()
}
