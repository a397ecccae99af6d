package watchdog

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
)

// decode reads exactly one JSON value into dst, a pointer. It is strict where encoding/json is not: a member that is
// unknown, written in another case, doubled, null, or missing though never left out in writing, is an error.
func decode(what string, data []byte, dst any) error {
	if err := checkShape(reflect.TypeOf(dst).Elem(), data); err != nil {
		return badJSON(what, err)
	}
	if err := json.Unmarshal(data, dst); err != nil {
		return badJSON(what, err)
	}
	return nil
}

// checkShape compares the members of data with the fields of t. Values of the wrong type are left to json.Unmarshal, and
// types that read themselves to their own methods.
func checkShape(t reflect.Type, data []byte) error {
	data = bytes.TrimSpace(data)
	if bytes.Equal(data, []byte("null")) {
		return errors.New("null; leave the member out")
	}
	switch {
	case readsItself(t) || len(data) == 0:
		return nil
	case t.Kind() == reflect.Pointer:
		return checkShape(t.Elem(), data)
	case t.Kind() == reflect.Slice && data[0] == '[':
		var elements []json.RawMessage
		if err := json.Unmarshal(data, &elements); err != nil {
			return err
		}
		for i, e := range elements {
			if err := checkShape(t.Elem(), e); err != nil {
				return badJSON(fmt.Sprintf("[%d]", i), err)
			}
		}
	case t.Kind() == reflect.Struct && data[0] == '{':
		return checkStruct(t, data)
	case t.Kind() == reflect.Map && data[0] == '{':
		return eachMember(data, func(name string, value json.RawMessage) error { return checkShape(t.Elem(), value) })
	}
	return nil
}

func readsItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

func checkStruct(t reflect.Type, data []byte) error {
	fields, required := map[string]reflect.Type{}, map[string]bool{}
	members := slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Anonymous })
	for _, f := range members {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields[name] = f.Type
		if !strings.Contains(options, "omit") {
			required[name] = true
		}
	}
	err := eachMember(data, func(name string, value json.RawMessage) error {
		field, ok := fields[name]
		if !ok {
			return errors.New("unknown member")
		}
		delete(required, name)
		return checkShape(field, value)
	})
	if err != nil {
		return err
	}
	for _, f := range members { // in the order of the fields, so that one input has one error
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if required[name] {
			return fmt.Errorf("no member %q", name)
		}
	}
	return nil
}

// eachMember calls f for each member of an object, in its order, and refuses one that comes twice.
func eachMember(data []byte, f func(name string, value json.RawMessage) error) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		name := key.(string) // the decoder has checked that a member's name is a string
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		if seen[name] {
			return badJSON(name, errors.New("comes twice"))
		}
		seen[name] = true
		if err := f(name, value); err != nil {
			return badJSON(name, err)
		}
	}
	if _, err := dec.Token(); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more after the end of the value")
	}
	return nil
}
