package main

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// schemas collects the schemas of answers by the names of their types, in the order in which they are met.
type schemas struct {
	sources *sources
	named   members
	types   map[string]reflect.Type
	// wrong is what the types do not say and partners need to know.
	wrong []error
}

func newSchemas(root string) *schemas {
	return &schemas{sources: newSources(root), types: make(map[string]reflect.Type)}
}

// written are the types that write themselves as texts, and what texts.
var written = map[reflect.Type]jsonschema.Schema{
	reflect.TypeFor[time.Time]():      {Type: "string", Format: "date-time"},
	reflect.TypeFor[reason.Reason]():  {Type: "string"},
	reflect.TypeFor[chain.Address]():  {Type: "string", Pattern: "^0x[0-9a-f]{40}$"},
	reflect.TypeFor[agent.MicroUSD](): {Type: "string", Pattern: `^-?[0-9]+(\.[0-9]{1,6})?$`},
	reflect.TypeFor[jsontext.Value](): {},
}

// of gives the schema of a value of a type as the encoder writes it: lists are never null, what a pointer points to may be.
func (s *schemas) of(t reflect.Type) *jsonschema.Schema {
	if known, ok := written[t]; ok {
		return &known
	}
	if t.Kind() != reflect.Pointer && t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		s.problem("%s writes itself, and nothing says how", t)
		return &jsonschema.Schema{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return nullable(s.of(t.Elem()))
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: s.of(t.Elem())}
	case reflect.Struct:
		return s.object(t)
	case reflect.String:
		return s.text(t)
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Float64:
		return &jsonschema.Schema{Type: "number"}
	default:
		s.problem("%s is of a kind that no answer had so far", t)
		return &jsonschema.Schema{}
	}
}

func (s *schemas) problem(format string, values ...any) {
	s.wrong = append(s.wrong, fmt.Errorf(format, values...))
}

// err is everything that is wrong.
func (s *schemas) err() error { return errors.Join(s.wrong...) }

// nullable lets null stand for the value too.
func nullable(value *jsonschema.Schema) *jsonschema.Schema {
	switch {
	case value.Ref != "":
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{value, {Type: "null"}}}
	case value.Type != "":
		value.Types, value.Type = []string{value.Type, "null"}, ""
		if value.Enum != nil {
			value.Enum = append(value.Enum, nil)
		}
	}
	return value
}

// reference is a reference to the schema of a name.
func reference(name string) *jsonschema.Schema {
	return &jsonschema.Schema{Ref: "#/components/schemas/" + name}
}

// text is a text, of a closed set where its type has constants and does not call itself open.
func (s *schemas) text(t reflect.Type) *jsonschema.Schema {
	value := &jsonschema.Schema{Type: "string"}
	if t.PkgPath() == "" {
		return value
	}
	said, err := s.sources.of(t)
	if err != nil {
		s.wrong = append(s.wrong, err)
		return value
	}
	name := component(t)
	if !s.meet(name, t) {
		return reference(name)
	}
	value.Description = said.types[t.Name()]
	if value.Description == "" || len(said.values[t.Name()]) == 0 {
		s.problem("%s has no comment or no constants", t)
	}
	for _, constant := range said.values[t.Name()] {
		value.Enum = append(value.Enum, constant)
	}
	if strings.Contains(value.Description, "open list") {
		value.Examples, value.Enum = value.Enum, nil
	}
	s.named.add(name, value)
	return reference(name)
}

// meet tells whether a type is met for the first time.
func (s *schemas) meet(name string, t reflect.Type) bool {
	if before := s.types[name]; before != nil {
		if before != t {
			s.problem("%s and %s would both be called %s", before, t, name)
		}
		return false
	}
	s.types[name] = t
	return true
}

// object is a structure, kept under its name.
func (s *schemas) object(t reflect.Type) *jsonschema.Schema {
	name := component(t)
	if !s.meet(name, t) {
		return reference(name)
	}
	said, err := s.sources.of(t)
	if err != nil {
		s.wrong = append(s.wrong, err)
		return reference(name)
	}
	value := &jsonschema.Schema{Type: "object", Properties: make(map[string]*jsonschema.Schema)}
	origin, _, _ := strings.Cut(t.Name(), "[")
	if value.Description = described(said.types[origin], origin, name); value.Description == "" {
		s.problem("%s has no comment", t)
	}
	// Its place comes before that of what it holds.
	at := len(s.named)
	s.named.add(name, value)
	s.fields(value, t)
	s.named[at].value = value
	return reference(name)
}

// fields adds the fields of a structure to its schema; those of embedded ones are its own.
func (s *schemas) fields(value *jsonschema.Schema, t reflect.Type) {
	said, err := s.sources.of(t)
	if err != nil {
		s.wrong = append(s.wrong, err)
		return
	}
	origin, _, _ := strings.Cut(t.Name(), "[")
	for i := range t.NumField() {
		field := t.Field(i)
		tag, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && tag == "":
			s.fields(value, field.Type)
			continue
		case !field.IsExported() || tag == "-":
			continue
		case tag == "" || (options != "" && options != "omitzero"):
			s.problem("%s.%s has the tag %q", t, field.Name, field.Tag)
			continue
		}
		written := field.Type
		if options == "omitzero" && written.Kind() == reflect.Pointer {
			written = written.Elem() // the pointer tells whether it is left out
		}
		property := s.property(written, said.fields[origin][field.Name], field.Name, tag)
		if property.Description == "" {
			s.problem("%s.%s has no comment", t, field.Name)
		}
		value.Properties[tag] = property
		value.PropertyOrder = append(value.PropertyOrder, tag)
		if options != "omitzero" {
			value.Required = append(value.Required, tag)
		}
	}
}

// property is the schema of a field, with what its comment says.
func (s *schemas) property(t reflect.Type, doc, goName, wireName string) *jsonschema.Schema {
	property := s.of(t)
	property.Description = described(doc, goName, wireName)
	// What the comment says of a list is said of its elements.
	inner, null := property, false
	if property.Items != nil {
		copied := *property.Items
		property.Items, inner = &copied, &copied
	}
	kind := inner.Type
	if len(inner.Types) > 0 {
		kind, null = inner.Types[0], true
	}
	switch kind {
	case "string":
		if all := choices(doc); all != nil && inner.Enum == nil {
			if inner.Enum = all; null {
				inner.Enum = append(inner.Enum, nil)
			}
		}
		if strings.HasSuffix(wireName, "At") {
			inner.Format = "date-time"
		}
	case "number", "integer":
		inner.Minimum, inner.Maximum = rangeOf(doc)
	}
	return property
}
