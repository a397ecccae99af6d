package main

import (
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"fakepi.example/fakepi/script"
)

func vetCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "vet FILE...",
		Short: "Find what is wrong with scripts and scenarios",
		Long: `Find what is wrong with scripts and scenarios: what cannot be read, what a worker cannot do, and what cannot be
meant. Each problem is a line FILE:LINE:COLUMN: what is wrong; what to do. The file - is standard input.

With --json it is one object: {"files": N, "problems": [{"file", "line", "column", "message", "hint"}]}.

Exit status: 0 nothing found, 1 problems found, 3 wrong usage or an unreadable file.`,
		Example: "  fakepi script vet demo.txtar\n  fakepi script vet --json scenarios/*/*.txtar",
		Args:    usage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return vet(args, cmd.InOrStdin(), cmd.OutOrStdout(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the problems as one JSON object")
	return cmd
}

// problem is a script.Error in JSON.
type problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

func vet(names []string, in io.Reader, out io.Writer, asJSON bool) error {
	var found script.Errors
	for _, name := range names {
		src, err := readSource(name, in)
		if err != nil {
			return err
		}
		found = append(found, src.vet()...)
	}
	var err error
	if asJSON {
		err = printJSON(out, len(names), found)
	} else {
		err = report(out, found)
	}
	if len(found) > 0 {
		return problemsTold(err)
	}
	return err
}

func printJSON(out io.Writer, files int, found script.Errors) error {
	list := []problem{}
	for _, e := range found {
		list = append(list, problem{e.Pos.File, e.Pos.Line, e.Pos.Col, e.Msg, e.Hint})
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(struct {
		Files    int       `json:"files"`
		Problems []problem `json:"problems"`
	}{files, list})
}
