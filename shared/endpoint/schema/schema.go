// Package schema writes the parameters of endpoints as JSON Schema (draft 2020-12), for the API document and for tools that are
// told what they may send.
//
// A schema accepts what the endpoint's own check accepts, with three exceptions that JSON Schema cannot tell: the EIP-55 checksum of an
// address in mixed case, the length of a text in bytes rather than characters, and whatever an endpoint checks after its parameters.
// Where these matter, the schema accepts more than the endpoint and never less. It describes requests only: answers are Go types, and
// are described by those.
package schema

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
)

const (
	addressPattern   = `^0x[0-9a-fA-F]{40}$`
	pathValuePattern = `^[a-z0-9_-]{1,64}$`
)

// Object is the schema of a JSON object that holds the parameters and nothing else, in their order. Values of the path are
// properties like any other: whoever sends them elsewhere leaves them out of the list.
func Object(parameters []endpoint.Parameter) *jsonschema.Schema {
	object := &jsonschema.Schema{
		Type: "object", Properties: make(map[string]*jsonschema.Schema, len(parameters)),
		// The schema that nothing fits: no other properties.
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	for _, p := range parameters {
		s := p.Specification()
		object.Properties[s.Name] = Value(p)
		object.PropertyOrder = append(object.PropertyOrder, s.Name)
		if s.Required {
			object.Required = append(object.Required, s.Name)
		}
	}
	return object
}

// Value is the schema of a parameter's JSON value. None of them may be null.
func Value(p endpoint.Parameter) *jsonschema.Schema {
	s := p.Specification()
	value := &jsonschema.Schema{Description: s.Description}
	switch s.Kind {
	case endpoint.AddressKind:
		value.Type, value.Pattern = "string", addressPattern
	case endpoint.AddressListKind:
		value.Items = &jsonschema.Schema{Type: "string", Pattern: addressPattern}
		list(value, s)
	case endpoint.ChainKind:
		value.Type, value.Enum = "string", texts(chainNames())
	case endpoint.ChainIDKind:
		value.Type = "integer"
		for _, c := range chain.All() {
			value.Enum = append(value.Enum, c.ID)
		}
	case endpoint.IntegerKind:
		integer(value, s)
	case endpoint.NumberKind:
		value.Type, value.Maximum = "number", &s.Numbers.Maximum
		if s.Numbers.AboveMinimum {
			value.ExclusiveMinimum = &s.Numbers.Minimum
		} else {
			value.Minimum = &s.Numbers.Minimum
		}
	case endpoint.BooleanKind:
		value.Type = "boolean"
	case endpoint.TextKind:
		text(value, s)
	case endpoint.TextListKind:
		value.Items = &jsonschema.Schema{Type: "string", Enum: texts(s.Choices)}
		list(value, s)
	case endpoint.ObjectKind:
		value = Object(s.Properties)
		value.Description = s.Description
	case endpoint.ObjectListKind:
		value.Items = Object(s.Properties)
		list(value, s)
	default:
		// A kind that nobody taught this package would be described as accepting anything.
		panic(fmt.Sprintf("schema: parameter %s is of the unknown kind %d", s.Name, s.Kind))
	}
	return value
}

// Query is the schema of a parameter's value where it stands in a query string. It is Value, but for yes or no, which has two spellings
// each there.
func Query(p endpoint.Parameter) *jsonschema.Schema {
	value := Value(p)
	if p.Specification().Kind == endpoint.BooleanKind {
		value.Type, value.Enum = "string", []any{"1", "0", "true", "false"}
	}
	return value
}

// integer bounds a whole number. One that is clamped has no bounds: every whole number is accepted.
func integer(value *jsonschema.Schema, s endpoint.Specification) {
	value.Type = "integer"
	if s.Clamped {
		value.Description += fmt.Sprintf(" Values below %d count as %d, values above %d as %d.", s.Minimum, s.Minimum, s.Maximum, s.Maximum)
	} else {
		value.Minimum, value.Maximum = number(s.Minimum), number(s.Maximum)
	}
	// A default out of the range is the declaration's word for none.
	if byDefault, ok := s.Default.(int); ok && byDefault >= s.Minimum && byDefault <= s.Maximum {
		value.Default = strconv.AppendInt(nil, int64(byDefault), 10)
	}
}

// text bounds a string. A text of so many bytes has at most as many characters, and at least a quarter of them.
func text(value *jsonschema.Schema, s endpoint.Specification) {
	value.Type = "string"
	switch {
	case s.InPath:
		value.Pattern = pathValuePattern
	case len(s.Choices) > 0:
		value.Enum = texts(s.Choices)
	default:
		if s.Minimum > 0 {
			least := (s.Minimum + utf8.UTFMax - 1) / utf8.UTFMax
			value.MinLength = &least
		}
		if s.Maximum > 0 {
			value.MaxLength = &s.Maximum
		}
	}
}

// list bounds the length of an array.
func list(value *jsonschema.Schema, s endpoint.Specification) {
	value.Type = "array"
	if s.Minimum > 0 {
		value.MinItems = &s.Minimum
	}
	if s.Maximum > 0 {
		value.MaxItems = &s.Maximum
	}
}

// chainNames lists the slugs of the chains, and after them their aliases.
func chainNames() []string {
	names := chain.Slugs()
	for _, c := range chain.All() {
		names = append(names, c.Aliases...)
	}
	return names
}

// texts is nil where there are none: no restriction rather than an impossible one.
func texts(all []string) []any {
	var values []any
	for _, text := range all {
		values = append(values, text)
	}
	return values
}

func number(n int) *float64 {
	x := float64(n)
	return &x
}
