package watchdog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A policy in JSON is one object: the version of this form; each limit under its name in docs/policy.md, durations as
// NAME_ms; then effects and overrides. first_token and stream_gap are left out while they follow stall.

// PolicyVersion is the version of a policy's JSON form. A new limit does not raise it, since a limit that is absent has its
// default; a limit whose meaning changes, or that goes, does.
const PolicyVersion = 1

const versionMember = "version"

const millisSuffix = "_ms"

// jsonName returns the member that holds the limit.
func (f field) jsonName() string {
	if _, ok := f.at.(*time.Duration); ok {
		return f.name + millisSuffix
	}
	return f.name
}

// jsonValue returns the limit as JSON has it.
func (f field) jsonValue() any {
	if at, ok := f.at.(*time.Duration); ok {
		return millis(*at)
	}
	return f.at
}

// follows reports whether a limit of zero means that another one holds in its place.
func (f field) follows() bool { return f.name == "first_token" || f.name == "stream_gap" }

// setJSON gives the limit a value as JSON has it.
func (f field) setJSON(value json.RawMessage) error {
	text := strings.TrimSpace(string(value))
	switch f.at.(type) {
	case *time.Duration:
		d, err := parseMillis(text)
		if err != nil {
			return err
		}
		return f.set(d.String())
	case *DirtyPolicy:
		if err := json.Unmarshal(value, &text); err != nil {
			return errors.New("want a string")
		}
	}
	return f.set(text)
}

// MarshalJSON implements json.Marshaler.
func (p Policy) MarshalJSON() ([]byte, error) {
	o := object{}
	o.add(versionMember, PolicyVersion)
	for _, f := range p.fields() {
		if at, ok := f.at.(*time.Duration); ok && *at == 0 && f.follows() {
			continue
		}
		o.add(f.jsonName(), f.jsonValue())
	}
	if p.Effects != nil { // null would not be read
		o.add("effects", p.Effects)
	}
	if len(p.Overrides) > 0 {
		o.add("overrides", p.Overrides)
	}
	return o.bytes()
}

// UnmarshalJSON implements json.Unmarshaler. What is absent has the value of DefaultPolicy, so that a policy written before
// a limit was added is still read; an absent version is 1. A member that this version does not know is refused: it may be a
// limit that somebody relies on. Its errors wrap ErrJSON.
func (p *Policy) UnmarshalJSON(data []byte) error {
	var members map[string]json.RawMessage
	if err := decode("policy", data, &members); err != nil {
		return err
	}
	if err := checkVersion(members[versionMember]); err != nil {
		return badJSON("policy: "+versionMember, err)
	}
	delete(members, versionMember)
	read := DefaultPolicy()
	for _, f := range read.fields() {
		value, ok := members[f.jsonName()]
		if !ok {
			continue
		}
		delete(members, f.jsonName())
		if err := f.setJSON(value); err != nil {
			return badJSON("policy: "+f.jsonName(), err)
		}
	}
	if err := read.setRest(members); err != nil {
		return badJSON("policy", err)
	}
	*p = read
	return nil
}

// checkVersion refuses a version that this package does not read.
func checkVersion(value json.RawMessage) error {
	if value == nil {
		return nil
	}
	var version int
	if err := json.Unmarshal(value, &version); err != nil || version < 1 {
		return fmt.Errorf("%.40s is not a version; want %d", value, PolicyVersion)
	}
	if version > PolicyVersion {
		return fmt.Errorf("version %d is newer than this program, which reads %d; update the program", version, PolicyVersion)
	}
	return nil
}

// setRest reads the members that are no single limit.
func (p *Policy) setRest(members map[string]json.RawMessage) error {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch name {
		case "effects":
			var effects map[EffectClass]Permission
			if err := decode(name, members[name], &effects); err != nil {
				return err
			}
			for class, permission := range effects {
				if err := p.setEffect(class, permission); err != nil {
					return err
				}
			}
		case "overrides":
			if err := decode(name, members[name], &p.Overrides); err != nil {
				return err
			}
		default:
			return fmt.Errorf("unknown member %q", name)
		}
	}
	return nil
}

type overrideJSON struct {
	Worker string                     `json:"worker,omitempty"`
	Model  string                     `json:"model,omitempty"`
	Tool   string                     `json:"tool,omitempty"`
	Set    map[string]json.RawMessage `json:"set"`
}

// MarshalJSON implements json.Marshaler. Set has the members of a policy, with effects.CLASS for a permission.
func (o Override) MarshalJSON() ([]byte, error) {
	j := overrideJSON{o.Worker, o.Model, o.Tool, map[string]json.RawMessage{}}
	for name, text := range o.Set {
		var l Limits
		if err := l.Set(name, text); err != nil {
			return nil, err
		}
		member, value := name, any(text)
		if f, ok := l.field(name); ok {
			member, value = f.jsonName(), f.jsonValue()
		}
		raw, err := encode(value)
		if err != nil {
			return nil, err
		}
		j.Set[member] = raw
	}
	return encode(j)
}

// UnmarshalJSON implements json.Unmarshaler. Its errors wrap ErrJSON.
func (o *Override) UnmarshalJSON(data []byte) error {
	var j overrideJSON
	if err := decode("override", data, &j); err != nil {
		return err
	}
	read := Override{j.Worker, j.Model, j.Tool, map[string]string{}}
	var l Limits
	for _, member := range slices.Sorted(maps.Keys(j.Set)) {
		name, err := l.setMember(member, j.Set[member])
		if err != nil {
			return badJSON("override: "+member, err)
		}
		read.Set[name] = l.Get(name)
	}
	*o = read
	return nil
}

// setMember sets one limit or permission from its JSON form and returns its name.
func (l *Limits) setMember(member string, value json.RawMessage) (name string, err error) {
	for _, f := range l.fields() {
		if f.jsonName() == member {
			return f.name, f.setJSON(value)
		}
	}
	if !strings.HasPrefix(member, effectPrefix) {
		return "", errors.New("unknown limit")
	}
	var permission string
	if err := json.Unmarshal(value, &permission); err != nil {
		return "", errors.New("want a string")
	}
	return member, l.Set(member, permission)
}

// object writes a JSON object whose members keep the order in which they were added.
type object struct {
	buf bytes.Buffer
	err error
}

func (o *object) add(name string, value any) {
	raw, err := encode(value)
	if err != nil {
		o.err = errors.Join(o.err, err)
		return
	}
	if o.buf.Len() > 0 {
		o.buf.WriteByte(',')
	}
	fmt.Fprintf(&o.buf, "%q:%s", name, raw)
}

func (o *object) bytes() ([]byte, error) {
	return slices.Concat([]byte("{"), o.buf.Bytes(), []byte("}")), o.err
}
