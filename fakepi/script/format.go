package script

import (
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
)

// Format prints a plain script in its canonical form: one space between words, options in the order of the verb's
// grammar, times and labels in columns, comments kept. It is idempotent. An error is an Errors.
func Format(file string, src []byte) ([]byte, error) {
	archive := txtar.Parse(src)
	lines, err := Lex(file, archive.Comment)
	if err != nil {
		return nil, err
	}
	payload := NewPayload(file, archive)
	var rows []Row
	var errs Errors
	for _, line := range lines {
		row := Row{Comment: line.Comment}
		if len(line.Tokens) > 0 {
			step, err := ParseStep(line.Tokens, OneWorker, payload)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			row = step.Row()
			row.Comment = line.Comment
		}
		rows = append(rows, row)
	}
	if err := errs.err(); err != nil {
		return nil, err
	}
	archive.Comment = Layout(rows)
	return txtar.Format(archive), nil
}

// Row is a line of a canonical source, in columns.
type Row struct {
	Indent  int
	Head    string // a time or a keyword; empty in a blank line and one that is all comment
	Body    string
	Label   string // "as=label"
	Comment string
}

// Row returns the columns of a step.
func (s *Step) Row() Row {
	body := s.Action.Verb()
	if s.Actor != DefaultActor {
		body = s.Actor + " " + body
	}
	if args := arguments(s.Action); args != "" {
		body += " " + args
	}
	row := Row{Head: s.Time.String(), Body: body}
	if s.Label != "" {
		row.Label = "as=" + s.Label
	}
	return row
}

// String writes the step as a line, without its end.
func (s *Step) String() string { return strings.TrimSuffix(string(Layout([]Row{s.Row()})), "\n") }

const (
	bodyColumn  = 9  // where bodies begin at least, behind the indent
	labelColumn = 40 // where labels begin at least, behind the body's column
)

// Layout writes rows as lines. Bodies are aligned within a paragraph: rows of one indent without a blank between.
// Blank lines are single, and none is first or last.
func Layout(rows []Row) []byte {
	var b strings.Builder
	rows = trim(rows)
	for len(rows) > 0 {
		n := paragraph(rows)
		writeParagraph(&b, rows[:n])
		rows = rows[n:]
	}
	return []byte(b.String())
}

func (r Row) blank() bool { return r.Head == "" && r.Comment == "" }

// trim drops blank rows at both ends and all but one of those that follow each other.
func trim(rows []Row) []Row {
	var kept []Row
	for _, r := range rows {
		if r.blank() && (len(kept) == 0 || kept[len(kept)-1].blank()) {
			continue
		}
		kept = append(kept, r)
	}
	if n := len(kept); n > 0 && kept[n-1].blank() {
		kept = kept[:n-1]
	}
	return kept
}

// paragraph returns how many rows at the start of rows are aligned with each other.
func paragraph(rows []Row) int {
	for i, r := range rows {
		if i > 0 && (r.blank() || rows[i-1].blank() || r.Indent != rows[0].Indent) {
			return i
		}
	}
	return len(rows)
}

func writeParagraph(b *strings.Builder, rows []Row) {
	column := bodyColumn
	for _, r := range rows {
		if r.Body != "" && len(r.Head) >= bodyColumn {
			column = max(column, len(r.Head)+2)
		}
	}
	for _, r := range rows {
		line := strings.Repeat(" ", r.Indent)
		if r.Head != "" {
			line += pad(r.Head, column) + r.Body
		}
		if r.Label != "" {
			line = pad(line+"  ", r.Indent+column+labelColumn) + r.Label
		}
		line = strings.TrimRight(line, " ")
		if r.Comment != "" && line != "" {
			line += "  "
		}
		b.WriteString(strings.TrimRight(line+r.commentAt(), " ") + "\n")
	}
}

// commentAt is the row's comment, indented where it stands alone.
func (r Row) commentAt() string {
	if r.Head == "" && r.Comment != "" {
		return strings.Repeat(" ", r.Indent) + r.Comment
	}
	return r.Comment
}

func pad(s string, width int) string {
	if n := utf8.RuneCountInString(s); n < width {
		return s + strings.Repeat(" ", width-n)
	}
	return s
}
