package evidence

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// layOut writes files as git has their contents: raw, one after the other, from one run of git.
func (m *mirror) layOut(ctx context.Context, root *os.Root, items []item, sparse map[string]bool) error {
	var names strings.Builder
	for i := range items {
		names.WriteString(items[i].blob + "\n")
	}
	r, w := io.Pipe()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := m.run(ctx, call{stdin: []byte(names.String()), out: w, args: []string{"cat-file", "--batch"}})
		ended <- err
		w.CloseWithError(err)
	}()
	err := layOutBlobs(bufio.NewReaderSize(r, 1<<20), root, items, sparse)
	r.CloseWithError(io.ErrClosedPipe)
	if err != nil {
		cancel()
		<-ended
		return err
	}
	return <-ended
}

// layOutBlobs reads "NAME blob SIZE\nCONTENTS\n" for each item.
func layOutBlobs(r *bufio.Reader, root *os.Root, items []item, sparse map[string]bool) error {
	made := map[string]bool{".": true}
	for i := range items {
		it := &items[i]
		line, err := r.ReadString('\n')
		if err != nil {
			return fmt.Errorf("%w: git has no more than %d of %d files: %w", ErrRepository, i, len(items), err)
		}
		var name, what string
		var size int64
		if n, _ := fmt.Sscan(line, &name, &what, &size); n != 3 || name != it.blob || what != "blob" {
			return fmt.Errorf("%w: %q: git says %q", ErrRepository, it.path, strings.TrimSpace(line))
		}
		if dir := path.Dir(it.path); !made[dir] {
			if err := plainParents(root, it.path); err != nil {
				return err
			}
			if err := root.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			made[dir] = true
		}
		if err := layOutBlob(io.LimitReader(r, size), root, it, sparse[it.path]); err != nil {
			return err
		}
		if _, err := r.Discard(1); err != nil {
			return fmt.Errorf("%w: %q ends early: %w", ErrRepository, it.path, err)
		}
	}
	return nil
}

func layOutBlob(r io.Reader, root *os.Root, it *item, sparse bool) error {
	if it.mode&fs.ModeSymlink == 0 {
		return layOut(root, it.path, r, it.mode.Perm(), sparse)
	}
	var target bytes.Buffer
	if _, err := io.Copy(&target, r); err != nil {
		return err
	}
	return root.Symlink(target.String(), it.path)
}
