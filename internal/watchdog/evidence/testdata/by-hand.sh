#!/bin/bash
# What a careful person would do without this package, for the benchmark: by-hand.sh WORKTREE OUT
set -euo pipefail
cd "$1"
out=$2
mkdir "$out"
git bundle create --quiet "$out/repo.bundle" --all
git bundle verify --quiet "$out/repo.bundle"
git diff --binary --full-index HEAD > "$out/worktree.patch"
git diff --binary --full-index --cached > "$out/index.patch"
git ls-files -z --others --exclude-standard | tar --null -T - -cf "$out/untracked.tar"
git ls-files --others --ignored --exclude-standard > "$out/ignored.txt"
git status --porcelain=v2 --branch > "$out/status.txt"
git log --oneline -n 100 > "$out/log.txt"
git worktree list > "$out/worktrees.txt"
git ls-files -z --stage > "$out/index-entries.txt"
git ls-files -z --cached --others | xargs -0 sha256sum > "$out/tree.txt"
cd "$out"
find . -type f ! -name MANIFEST.sha256 -print0 | sort -z | xargs -0 sha256sum > MANIFEST.sha256
sync "$out"/*
