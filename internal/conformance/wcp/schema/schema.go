// Package schema holds the JSON Schema of WCP/1 and checks lines against it.
package schema

import (
	"bytes"
	_ "embed"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed wcp-1.schema.json
var text []byte

// Text is the schema, draft 2020-12.
func Text() []byte { return bytes.Clone(text) }

// Validator checks single lines.
type Validator struct{ to, from *jsonschema.Schema }

// New compiles the schema.
func New() (*Validator, error) {
	const name = "wcp-1.schema.json"
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(name, doc); err != nil {
		return nil, err
	}
	to, err := c.Compile(name + "#/$defs/toAdapter")
	if err != nil {
		return nil, err
	}
	from, err := c.Compile(name + "#/$defs/fromAdapter")
	if err != nil {
		return nil, err
	}
	return &Validator{to, from}, nil
}

// Check says what is wrong with a line of one direction, or returns nil.
func (v *Validator) Check(toAdapter bool, line []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		return fmt.Errorf("%w: %.200s", err, line)
	}
	s := v.from
	if toAdapter {
		s = v.to
	}
	if err := s.Validate(value); err != nil {
		return fmt.Errorf("%w\nof the line %.400s", err, line)
	}
	return nil
}
