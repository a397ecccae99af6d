package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"
)

func fmtCommand() *cobra.Command {
	var f formatter
	cmd := &cobra.Command{
		Use:   "fmt [-w|-d] [FILE...]",
		Short: "Print scripts and scenarios in their canonical form",
		Long: `Print scripts and scenarios in their canonical form. Without a file, standard input is formatted.

Exit status: 0 ok, 1 a file does not parse, or with -d is not formatted, 3 wrong usage or an unreadable file.`,
		Example: "  fakepi script fmt <demo.txtar\n  fakepi script fmt -w scenarios/*/*.txtar\n  fakepi script fmt -d demo.txtar",
		RunE: func(cmd *cobra.Command, args []string) error {
			f.in, f.out, f.errOut = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			return f.files(args)
		},
	}
	cmd.Flags().BoolVarP(&f.write, "write", "w", false, "write the result to the file")
	cmd.Flags().BoolVarP(&f.diff, "diff", "d", false, "print what would change")
	cmd.MarkFlagsMutuallyExclusive("write", "diff")
	return cmd
}

// formatter is one run of fmt.
type formatter struct {
	write, diff bool
	in          io.Reader
	out, errOut io.Writer
}

var (
	errWriteStdin = errors.New("cannot write to standard input; name a file")
	errWritePipe  = errors.New("cannot write to a pipe; name a file")
)

func (f *formatter) files(names []string) error {
	if len(names) == 0 {
		names = []string{stdin}
	}
	failed := false
	for _, name := range names {
		if f.write && name == stdin {
			return errWriteStdin
		}
		err := f.file(name)
		switch {
		case err == nil, errors.Is(err, errProblems):
		case failed:
			return problemsTold(err)
		default:
			return err
		}
		failed = failed || err != nil
	}
	if failed {
		return errProblems
	}
	return nil
}

// file formats one file. errProblems says that it does not parse, or that a diff was printed.
func (f *formatter) file(name string) error {
	src, err := readSource(name, f.in)
	if err != nil {
		return err
	}
	formatted, err := src.format()
	if err != nil {
		return problemsTold(report(f.errOut, problems(err)))
	}
	same := bytes.Equal(src.data, formatted)
	switch {
	case f.write && same, f.diff && same:
		return nil
	case f.write:
		return replace(name, formatted)
	case f.diff:
		_, err := f.out.Write(diff.Diff(src.name, src.data, src.name+" (formatted)", formatted))
		return problemsTold(err)
	}
	_, err = f.out.Write(formatted)
	return err
}

// replace writes a file at once or not at all, keeping its permissions. Of a link it writes what it points to.
func replace(name string, data []byte) error {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: %w", name, errWritePipe)
	}
	return renameio.WriteFile(name, data, info.Mode().Perm())
}
