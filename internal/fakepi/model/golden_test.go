package model_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/model"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// compile makes the replies of a script's source.
func compile(t testing.TB, src string) []model.Reply {
	t.Helper()
	s, err := script.Parse("script", []byte(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	if err := s.Resolve(nil); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	if errs := s.Vet(); len(errs) > 0 {
		t.Fatalf("%v\n%s", errs, src)
	}
	replies, err := model.Compile(s.For(script.DefaultActor), s.Files)
	if err != nil {
		t.Fatal(err)
	}
	return replies
}

// Each file of testdata holds a script, what it proves, and every byte that Pi gets for one request after another, in
// both forms, with the time since its request.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files (%v)", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			// The script's own payload files stand before the answers.
			source := txtar.Archive{Comment: a.Files[0].Data}
			var out []txtar.File
			for _, f := range a.Files[1:] {
				if f.Name != "openai" && f.Name != "anthropic" {
					source.Files = append(source.Files, f)
				}
			}
			replies := compile(t, string(txtar.Format(&source)))
			for _, form := range []struct{ name, path string }{{"openai", openAIPath}, {"anthropic", anthropicPath}} {
				out = append(out, txtar.File{Name: form.name, Data: []byte(askAll(t, replies, form.path))})
			}
			check(t, file, a, append(append([]txtar.File{a.Files[0]}, source.Files...), out...))
		})
	}
}

// askAll asks for every reply in turn.
func askAll(t *testing.T, replies []model.Reply, path string) string {
	var all strings.Builder
	inBubble(t, func(t *testing.T) {
		l := serve(t, nil, replies...)
		for _, r := range replies {
			body := request(r.Prompt)
			if r.For == model.ForSummary {
				body = request("<conversation>\n</conversation>")
			}
			all.WriteString(ask(t, l, path, body) + "\n")
		}
	})
	return all.String()
}

func check(t *testing.T, file string, a *txtar.Archive, files []txtar.File) {
	t.Helper()
	want := txtar.Format(a)
	got := txtar.Format(&txtar.Archive{Comment: a.Comment, Files: files})
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(got) != string(want) {
		t.Errorf("-want +got\n%s", cmp.Diff(string(want), string(got)))
	}
}
