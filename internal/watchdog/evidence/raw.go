package evidence

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// dataFiles lists a repository's data as they lie there, for where git cannot read them: all that a plain repository has but
// configuration and hooks. What is no plain file is listed apart.
func (r *repository) dataFiles() (files []gitFile, odd []Skipped) {
	miss := func(name string) {
		odd = append(odd, Skipped{".git/" + name, "it is no plain file, or one that nobody may read"})
	}
	one := func(base, name string) {
		at := filepath.Join(base, name)
		info, err := os.Stat(at)
		switch {
		case os.IsNotExist(err):
		case err != nil || !info.Mode().IsRegular():
			miss(name)
		default:
			files = append(files, gitFile{name, at})
		}
	}
	one(r.dir, "HEAD")
	one(r.dir, "index")
	one(r.common, "packed-refs")
	one(r.common, "shallow")
	entries, _ := os.ReadDir(r.dir)
	for _, e := range entries {
		if sharedIndex.MatchString(e.Name()) {
			one(r.dir, e.Name())
		}
	}
	if r.dir != r.common {
		files = append(files, filesBelow(filepath.Join(r.dir, "refs"), "refs", miss)...)
	}
	for _, name := range []string{"refs", "reftable", "lfs/objects", "rr-cache"} {
		files = append(files, filesBelow(filepath.Join(r.common, name), name, miss)...)
	}
	files = append(files, r.logFiles()...)
	for _, dir := range r.objectFolders() {
		files = append(files, filesBelow(dir, "objects", miss)...)
	}
	return firstOfEach(files), odd
}

// moduleFiles lists the data of submodules that are not checked out: of those that are, the worktree has a snapshot of its own.
func (r *repository) moduleFiles(nested []*site) (files []gitFile, odd []Skipped) {
	used := map[string]bool{}
	for _, inner := range nested {
		if inner.repo != nil {
			used[inner.repo.common] = true
		}
	}
	base := filepath.Join(r.dir, "modules")
	_ = filepath.WalkDir(base, func(dir string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return nil
		}
		if used[dir] {
			return fs.SkipDir
		}
		if info, err := os.Stat(filepath.Join(dir, "HEAD")); err != nil || !info.Mode().IsRegular() {
			return nil
		}
		rel, err := filepath.Rel(r.dir, dir)
		if err != nil {
			return err
		}
		inner, skipped := (&repository{dir: dir, common: dir}).dataFiles()
		for _, f := range inner {
			files = append(files, gitFile{rel + "/" + f.name, f.file})
		}
		for _, s := range skipped {
			odd = append(odd, Skipped{".git/" + rel + "/" + strings.TrimPrefix(s.Path, ".git/"), s.Why})
		}
		return fs.SkipDir
	})
	return files, odd
}

// objectFolders lists where a repository's objects lie: its own folder, and those that it borrows from.
func (r *repository) objectFolders() []string {
	folders, seen := []string{filepath.Join(r.common, "objects")}, map[string]bool{}
	for i := 0; i < len(folders) && i < 20; i++ {
		seen[folders[i]] = true
		data, err := readText(filepath.Join(folders[i], "info", "alternates"))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) {
			dir := strings.TrimSuffix(line, "\n")
			if dir == "" || strings.HasPrefix(dir, "#") {
				continue
			}
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(folders[i], dir)
			}
			if dir = filepath.Clean(dir); !seen[dir] {
				folders = append(folders, dir)
			}
		}
	}
	return folders
}

// firstOfEach keeps the first file of each name that may be put into a repository.
func firstOfEach(files []gitFile) []gitFile {
	seen := map[string]bool{}
	kept := files[:0]
	for _, f := range files {
		if !seen[f.name] && dataName(f.name) {
			kept = append(kept, f)
		}
		seen[f.name] = true
	}
	return kept
}
