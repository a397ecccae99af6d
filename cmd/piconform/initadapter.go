package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
)

//go:embed adapters
var adapters embed.FS

// language is one in which init-adapter writes.
type language struct {
	name    string
	build   string // the command that makes the adapter; empty: none is needed
	command string // that starts it
}

func languages() []language {
	return []language{
		{"go", "go build -o adapter .", "./adapter"},
		{"python", "", "python3 adapter.py"},
		{"typescript", "", "node adapter.ts"},
		{"rust", "cargo build --release", "target/release/my-watchdog"},
	}
}

func initAdapterCommand() *cobra.Command {
	var lang string
	var names []string
	for _, l := range languages() {
		names = append(names, l.name)
	}
	cmd := &cobra.Command{
		Use:   "init-adapter --lang LANGUAGE DIR",
		Short: "Write the beginning of an adapter for a watchdog of your own",
		Long: `init-adapter writes an adapter that runs, follows WCP/1 (docs/wcp.md) and watches nothing, with a README that says how to go
on. The folder must be empty or not there. TypeScript runs on a Node that strips types: 22.18 or later.`,
		Example: "  piconform init-adapter --lang python my-adapter\n  cd my-adapter && piconform doctor -- python3 adapter.py",
		Args:    exactly("folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			i := slices.IndexFunc(languages(), func(l language) bool { return l.name == lang })
			if i < 0 {
				return fmt.Errorf("no language %q; give --lang one of %s", lang, strings.Join(names, ", "))
			}
			l := languages()[i]
			if err := l.write(args[0]); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: read README.md, then: cd %s", args[0], shellWords(args))
			if l.build != "" {
				fmt.Fprintf(cmd.OutOrStdout(), " && %s", l.build)
			}
			fmt.Fprintf(cmd.OutOrStdout(), " && piconform doctor -- %s\n", l.command)
			return nil
		},
	}
	cmd.Flags().StringVar(&lang, "lang", "", "`language`: "+strings.Join(names, ", "))
	complete(cmd, "lang", names)
	return cmd
}

// write fills a folder.
func (l language) write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if old, err := os.ReadDir(dir); err != nil || len(old) > 0 {
		return errors.Join(err, fmt.Errorf("%s is not empty; name a folder that is new", dir))
	}
	from, err := fs.Sub(adapters, "adapters/"+l.name)
	if err != nil {
		return err
	}
	err = fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(strings.TrimSuffix(name, ".txt"))) // .txt hides a file from our own tools
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o644)
	})
	if err != nil {
		return err
	}
	return l.readme(dir)
}

func (l language) readme(dir string) error {
	page, err := template.ParseFS(adapters, "adapters/README.md.tmpl")
	if err != nil {
		return err
	}
	words := struct{ Build, Steps, Command string }{Command: l.command}
	if l.build != "" {
		words.Build, words.Steps = "    "+l.build+"\n", "    "+l.build+"\n"
	}
	var text bytes.Buffer
	if err := page.Execute(&text, words); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "README.md"), text.Bytes(), 0o644)
}
