package script

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// param is one thing that can follow a verb, bound to a field of an action. The list of a verb's params is its whole
// grammar: it parses, prints and explains the verb.
type param struct {
	form     form
	name     string // of a flag, keyword or option; what a positional stands for
	usage    string
	required bool
	many     bool // a positional that takes all that fit
	accepts  func(t Token) bool
	read     func(r *reader, t Token) *Error
	write    func() string // as read; empty if there is nothing to write
	span     *Span         // the field, where it is a span
	signed   bool          // the span may be negative
}

// form is where a param stands.
type form int

const (
	positional form = iota // its place says what it is
	flag                   // its word alone
	keyword                // its word and then a value
	option                 // name=value
)

func anyWord(t Token) bool   { return !t.Quoted && !strings.HasPrefix(t.Text, "@") }
func anyQuoted(t Token) bool { return t.Quoted }

// must makes a positional required.
func must(p param) param {
	p.required = true
	return p
}

// maybe makes a positional optional that is required otherwise.
func maybe(p param) param {
	p.required = false
	return p
}

// maybeText is a positional text that may be left out.
func maybeText(name string, t *Text) param {
	p := maybe(text(name, t))
	p.write = func() string {
		if *t == (Text{}) {
			return ""
		}
		return t.String()
	}
	return p
}

// place makes a param positional.
func place(p param, accepts func(Token) bool) param {
	p.form, p.accepts = positional, accepts
	p.usage = strings.TrimPrefix(p.usage, p.name+" ")
	return p
}

// aText is a quoted string or the name of a payload file, after the keyword name.
func aText(name string, t *Text) param {
	return param{
		form: keyword, name: name, usage: name + ` "TEXT"|FILE`,
		read: func(r *reader, tok Token) *Error {
			v, err := r.text(tok)
			*t = v
			return err
		},
		write: func() string {
			if *t == (Text{}) {
				return ""
			}
			return name + " " + t.String()
		},
	}
}

// String writes the text as a script does.
func (t Text) String() string {
	if t.File != "" {
		return t.File
	}
	return Quote(t.Value)
}

// text is a positional aText.
func text(name string, t *Text) param {
	p := place(aText(name, t), func(tok Token) bool { return tok.Quoted || anyWord(tok) })
	p.required, p.usage = true, `"`+name+`"|FILE`
	p.write = t.String
	return p
}

// quoted is a positional that must be in quotes.
func quoted(name string, s *string) param {
	return param{
		form: positional, name: name, usage: `"` + name + `"`, required: true, accepts: anyQuoted,
		read:  func(_ *reader, tok Token) *Error { *s = tok.Text; return nil },
		write: func() string { return Quote(*s) },
	}
}

// quotedMany is every further quoted string.
func quotedMany(name string, list *[]string) param {
	return param{
		form: positional, name: name, usage: `"` + name + `"...`, many: true, accepts: anyQuoted,
		read: func(_ *reader, tok Token) *Error { *list = append(*list, tok.Text); return nil },
		write: func() string {
			var all []string
			for _, s := range *list {
				all = append(all, Quote(s))
			}
			return strings.Join(all, " ")
		},
	}
}

// word is a positional name of anything.
func word(name string, s *string) param {
	return param{
		form: positional, name: name, usage: name, accepts: anyWord,
		read:  func(_ *reader, tok Token) *Error { *s = tok.Text; return nil },
		write: func() string { return *s },
	}
}

// name is a positional name of anything, in quotes where it has a space.
func name(what string, s *string) param {
	p := word(what, s)
	p.accepts = func(t Token) bool { return t.Quoted || anyWord(t) }
	p.write = func() string {
		if strings.HasPrefix(*s, "@") {
			return Quote(*s)
		}
		return value(*s)
	}
	return p
}

// atLabel is a positional @label.
func atLabel(label *string) param {
	return param{
		form: positional, name: "@label", usage: "@label",
		accepts: func(t Token) bool { return !t.Quoted && strings.HasPrefix(t.Text, "@") },
		read: func(_ *reader, tok Token) *Error {
			*label = tok.Text[1:]
			if !isName(*label) {
				return tok.Refuse("names no label", "write the @ and the name that an as= gives")
			}
			return nil
		},
		write: func() string {
			if *label == "" {
				return ""
			}
			return "@" + *label
		},
	}
}

// choice is a positional word out of a few.
func choice[S ~string](name string, s *S, vocabulary ...S) param {
	known := words(vocabulary)
	return param{
		form: positional, name: name, usage: strings.Join(known, "|"), accepts: anyWord,
		read: func(_ *reader, tok Token) *Error {
			*s = S(tok.Text)
			return tok.OneOf(name, known)
		},
		write: func() string { return string(*s) },
	}
}

// optionOf is name=word out of a few, or any word where none are listed.
func optionOf[S ~string](name string, s *S, vocabulary ...S) param {
	known := words(vocabulary)
	usage := name + "=" + strings.Join(known, "|")
	if len(known) == 0 {
		usage = name + "=" + strings.ToUpper(name)
	}
	return param{
		form: option, name: name, usage: usage,
		read: func(_ *reader, tok Token) *Error {
			*s = S(tok.Text)
			if len(known) == 0 {
				return nil
			}
			return tok.OneOf(name, known)
		},
		write: func() string {
			if *s == "" {
				return ""
			}
			return name + "=" + value(string(*s))
		},
	}
}

// value writes an option's value, in quotes where it must be.
func value(s string) string {
	if strings.ContainsAny(s, " \t\"#=") || Quote(s) != `"`+s+`"` {
		return Quote(s)
	}
	return s
}

// yesNo is name=yes|no.
func yesNo(name string, b *bool) param {
	return param{
		form: option, name: name, usage: name + "=yes|no",
		read: func(_ *reader, tok Token) *Error {
			*b = tok.Text == "yes"
			return tok.OneOf(name, []string{"yes", "no"})
		},
		write: func() string {
			if *b {
				return name + "=yes"
			}
			return name + "=no"
		},
	}
}

// isFlag is a word that sets a boolean.
func isFlag(name string, b *bool) param { return setFlag(name, b, true) }

// setFlag is a word that gives a field one value.
func setFlag[V comparable](name string, field *V, v V) param {
	return param{
		form: flag, name: name, usage: name,
		read: func(_ *reader, tok Token) *Error {
			var zero V
			if *field != zero {
				return tok.Refuse(fmt.Sprintf("contradicts %v", *field), "give one of them")
			}
			*field = v
			return nil
		},
		write: func() string {
			if *field != v {
				return ""
			}
			return name
		},
	}
}

// either is a positional word out of two that says yes or no.
func either(yes, no string, b *bool) param {
	var s string
	p := must(choice(yes+" or "+no, &s, yes, no))
	read := p.read
	p.read = func(r *reader, tok Token) *Error {
		err := read(r, tok)
		*b = s == yes
		return err
	}
	p.write = func() string {
		if *b {
			return yes
		}
		return no
	}
	return p
}

// keyWord is any word after the keyword name.
func keyWord(name string, s *string) param {
	return param{
		form: keyword, name: name, usage: name + " " + strings.ToUpper(name),
		read: func(_ *reader, tok Token) *Error { *s = tok.Text; return nil },
		write: func() string {
			if *s == "" {
				return ""
			}
			return name + " " + *s
		},
	}
}

// number is a whole number from least to most, after a keyword.
func number[N int | int64](name string, n *N, least, most N) param {
	return param{
		form: keyword, name: name, usage: name + " N",
		read: func(_ *reader, tok Token) *Error {
			v, err := wholeNumber(tok, int64(least), int64(most))
			*n = N(v)
			return err
		},
		write: func() string { return name + " " + strconv.FormatInt(int64(*n), 10) },
	}
}

func wholeNumber(tok Token, least, most int64) (int64, *Error) {
	v, err := strconv.ParseInt(tok.Text, 10, 64)
	if err != nil || v < least || v > most || tok.Quoted {
		return 0, tok.Refuse("is no fit number", fmt.Sprintf("write a whole number from %d to %d", least, most))
	}
	return v, nil
}

// numberOption is name=N, from least to most.
func numberOption(name string, n *int, least, most int) param {
	return param{
		form: option, name: name, usage: name + "=N",
		read: func(_ *reader, tok Token) *Error {
			v, err := wholeNumber(tok, int64(least), int64(most))
			*n = int(v)
			return err
		},
		write: func() string {
			if *n == 0 {
				return ""
			}
			return name + "=" + strconv.Itoa(*n)
		},
	}
}

const (
	maxPieces = 1_000_000     // that one step makes a worker print at one instant: it is all held in memory
	maxCount  = math.MaxInt32 // of tokens, of bytes that are not shown
	maxStatus = 255           // of a process
)

// pieces is a number of pieces that one step prints, after a keyword.
func pieces(name string, n *int) param { return number(name, n, 1, maxPieces) }

// numberPlace makes a number positional.
func numberPlace[N int | int64](name string, n *N, least, most N) param {
	p := place(number(name, n, least, most), anyWord)
	p.usage = "N"
	p.write = func() string { return strconv.FormatInt(int64(*n), 10) }
	return p
}

// aSpan is a duration after the keyword name; with orNever also the word never.
func aSpan(name string, s *Span) param {
	return param{
		form: keyword, name: name, usage: name + " D", span: s,
		read: func(_ *reader, tok Token) *Error {
			v, err := parseSpan(tok, tok.Text, tok.ValPos)
			if err == nil && v.Never {
				err = tok.Refuse("has no meaning here", durationHint)
			}
			*s = v
			return err
		},
		write: func() string {
			if !s.Given() {
				return ""
			}
			return name + " " + s.String()
		},
	}
}

func orNever(p param) param {
	s := p.span
	p.usage += "|never"
	p.read = func(_ *reader, tok Token) (err *Error) {
		*s, err = parseSpan(tok, tok.Text, tok.ValPos)
		return err
	}
	return p
}

// signed lets a span be negative.
func signed(p param) param {
	p.signed = true
	return p
}

// spanPlace makes a span positional.
func spanPlace(p param) param {
	p = place(p, func(t Token) bool { return !t.Quoted && (t.Text == "never" || looksLikeTime(t.Text) || isName(t.Text)) })
	name, write := p.name, p.write
	p.write = func() string { return strings.TrimPrefix(write(), name+" ") }
	return p
}

// spanOption makes a span name=D.
func spanOption(p param) param {
	name, write := p.name, p.write
	p.form, p.usage = option, strings.Replace(p.usage, name+" ", name+"=", 1)
	p.write = func() string { return strings.Replace(write(), name+" ", name+"=", 1) }
	return p
}

// words are those of a vocabulary as plain strings.
func words[S ~string](vocabulary []S) []string {
	list := make([]string, len(vocabulary))
	for i, w := range vocabulary {
		list[i] = string(w)
	}
	return list
}
