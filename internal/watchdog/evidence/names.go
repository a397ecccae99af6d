package evidence

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Names of files and refs are bytes, and JSON is text. A name that is UTF-8 stands as it is; one that is not, or that
// begins with a quotation mark, stands in quotation marks with octal escapes, as git writes such names.

// quoteName writes a name for JSON.
func quoteName(name string) string {
	if utf8.ValidString(name) && !strings.HasPrefix(name, `"`) {
		return name
	}
	return quoteBytes(name, 0x80)
}

// quoteBytes puts a name in quotation marks, with escapes for control characters and all bytes from high on.
func quoteBytes(name string, high int) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20 || c == 0x7f || int(c) >= high:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// unquoteName reads what quoteName wrote.
func unquoteName(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		return s, nil
	}
	name, err := strconv.Unquote(s)
	if err != nil {
		return "", fmt.Errorf("%w: the name %q", ErrDamaged, s)
	}
	return name, nil
}

// eachName calls a function for the addresses of names. It stops at the first error.
func eachName(do func(*string) error, names ...*string) error {
	for _, name := range names {
		if err := do(name); err != nil {
			return err
		}
	}
	return nil
}

func quoteInPlace(name *string) error {
	*name = quoteName(*name)
	return nil
}

func unquoteInPlace(name *string) (err error) {
	*name, err = unquoteName(*name)
	return err
}

func eachOf(do func(*string) error, list []string) error {
	for i := range list {
		if err := do(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

// withKeys returns a map with other keys.
func withKeys(m map[string]string, do func(*string) error) (map[string]string, error) {
	if m == nil {
		return nil, nil
	}
	out := make(map[string]string, len(m))
	for key, value := range maps.All(m) {
		if err := do(&key); err != nil {
			return nil, err
		}
		out[key] = value
	}
	return out, nil
}

type (
	plainRecord   Record
	plainGit      GitRecord
	plainStash    Stash
	plainNested   Nested
	plainSkipped  Skipped
	plainDatabase Database
	plainState    State
	plainInner    Inner
)

func (r *plainRecord) names(do func(*string) error) error {
	r.Changing = slices.Clone(r.Changing)
	if err := eachOf(do, r.Changing); err != nil {
		return err
	}
	return eachName(do, &r.Worktree, &r.Repository)
}

// MarshalJSON writes names byte for byte.
func (r Record) MarshalJSON() ([]byte, error) {
	p := plainRecord(r)
	if err := p.names(quoteInPlace); err != nil {
		return nil, err
	}
	return json.Marshal(p)
}

// UnmarshalJSON reads names byte for byte.
func (r *Record) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*plainRecord)(r)); err != nil {
		return err
	}
	return (*plainRecord)(r).names(unquoteInPlace)
}

func (g *plainGit) names(do func(*string) error) (err error) {
	if g.Refs, err = withKeys(g.Refs, do); err != nil {
		return err
	}
	if g.Symbolic, err = withKeys(g.Symbolic, do); err != nil {
		return err
	}
	for name, target := range g.Symbolic {
		if err := do(&target); err != nil {
			return err
		}
		g.Symbolic[name] = target
	}
	g.Unmerged = slices.Clone(g.Unmerged)
	if err := eachOf(do, g.Unmerged); err != nil {
		return err
	}
	return do(&g.Branch)
}

// MarshalJSON writes names byte for byte.
func (g GitRecord) MarshalJSON() ([]byte, error) {
	p := plainGit(g)
	if err := p.names(quoteInPlace); err != nil {
		return nil, err
	}
	return json.Marshal(p)
}

// UnmarshalJSON reads names byte for byte.
func (g *GitRecord) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*plainGit)(g)); err != nil {
		return err
	}
	return (*plainGit)(g).names(unquoteInPlace)
}

// MarshalJSON writes the message byte for byte.
func (s Stash) MarshalJSON() ([]byte, error) {
	s.Message = quoteName(s.Message)
	return json.Marshal(plainStash(s))
}

// UnmarshalJSON reads the message byte for byte.
func (s *Stash) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*plainStash)(s)); err != nil {
		return err
	}
	return unquoteInPlace(&s.Message)
}

// MarshalJSON writes the path byte for byte.
func (n Nested) MarshalJSON() ([]byte, error) {
	n.Path = quoteName(n.Path)
	return json.Marshal(plainNested(n))
}

// UnmarshalJSON reads the path byte for byte.
func (n *Nested) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*plainNested)(n)); err != nil {
		return err
	}
	return unquoteInPlace(&n.Path)
}

// MarshalJSON writes the path byte for byte.
func (s Skipped) MarshalJSON() ([]byte, error) {
	s.Path = quoteName(s.Path)
	return json.Marshal(plainSkipped(s))
}

// UnmarshalJSON reads the path byte for byte.
func (s *Skipped) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*plainSkipped)(s)); err != nil {
		return err
	}
	return unquoteInPlace(&s.Path)
}

// MarshalJSON writes the path byte for byte.
func (d Database) MarshalJSON() ([]byte, error) {
	d.Path = quoteName(d.Path)
	return json.Marshal(plainDatabase(d))
}

// UnmarshalJSON reads the path byte for byte.
func (d *Database) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*plainDatabase)(d)); err != nil {
		return err
	}
	return unquoteInPlace(&d.Path)
}

// MarshalJSON writes names byte for byte.
func (s State) MarshalJSON() ([]byte, error) {
	s.Edited = slices.Clone(s.Edited)
	if err := eachOf(quoteInPlace, s.Edited); err != nil {
		return nil, err
	}
	return json.Marshal(plainState(s))
}

// UnmarshalJSON reads names byte for byte.
func (s *State) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*plainState)(s)); err != nil {
		return err
	}
	return eachOf(unquoteInPlace, s.Edited)
}

// MarshalJSON writes the path byte for byte.
func (i Inner) MarshalJSON() ([]byte, error) {
	i.Path = quoteName(i.Path)
	return json.Marshal(plainInner(i))
}

// UnmarshalJSON reads the path byte for byte.
func (i *Inner) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*plainInner)(i)); err != nil {
		return err
	}
	return unquoteInPlace(&i.Path)
}
