package evidence

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func FuzzManifestLine(f *testing.F) {
	f.Add(strings.Repeat("0a", 32), "stash/0.patch")
	f.Add(strings.Repeat("f", 64), "a\\b\nc\rd")
	f.Fuzz(func(t *testing.T, sum, name string) {
		gotSum, gotName, err := parseManifestLine(manifestLine(sum, name))
		if err == nil && (gotSum != sum || gotName != name || !filepath.IsLocal(name)) {
			t.Errorf("%q, %q is read as %q, %q", sum, name, gotSum, gotName)
		}
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Error(err)
		}
	})
}

func FuzzTreeLine(f *testing.F) {
	f.Add("100644 00 \"a\\x1bb\"")
	f.Add("120000 - \"../x\"")
	f.Fuzz(func(t *testing.T, line string) {
		it, err := parseTreeLine(line)
		if err != nil && !errors.Is(err, ErrDamaged) || err == nil && !filepath.IsLocal(it.path) {
			t.Errorf("%q is read as %+v, %v", line, it, err)
		}
	})
}

func FuzzEntries(f *testing.F) {
	f.Add([]byte("H 100644 5626abf0f72e58d7a153368ba57db4c673c0e171 0\tf\x00S 100644 56 2\ta\tb\x00"))
	f.Add([]byte("\xff   0\t0"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := parseEntries(data)
		if err != nil {
			return
		}
		again, err := parseEntries([]byte((&capture{entries: list}).entriesText()))
		if err != nil || len(again) != len(list) {
			t.Fatalf("%d entries, written and read: %d, %v", len(list), len(again), err)
		}
		for i := range list {
			if list[i] != again[i] {
				t.Errorf("entry %d: %+v, again %+v", i, list[i], again[i])
			}
		}
	})
}

// Whatever an archive holds, it is unpacked inside its folder.
func FuzzReadTar(f *testing.F) {
	for _, h := range []tar.Header{{Name: "../x"}, {Name: "l", Typeflag: tar.TypeSymlink, Linkname: "/tmp"}, {Name: "l/x"}, {Name: "d/", Typeflag: tar.TypeDir}} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		if err := errors.Join(w.WriteHeader(&h), w.Close()); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "in"), 0o755); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(filepath.Join(dir, "in"))
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		_ = readTar(context.Background(), bytes.NewReader(data), root, nil, func(string) {})
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("outside there is %v, %v", entries, err)
		}
	})
}
