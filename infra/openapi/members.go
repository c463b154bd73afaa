package main

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// members is a JSON object whose names keep their order.
type members []member

type member struct {
	name  string
	value any
}

func (m *members) add(name string, value any) { *m = append(*m, member{name, value}) }

// MarshalJSONTo writes the object.
func (m members) MarshalJSONTo(encoder *jsontext.Encoder) error {
	if err := encoder.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, each := range m {
		if err := encoder.WriteToken(jsontext.String(each.name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(encoder, each.value, json.Deterministic(true)); err != nil {
			return fmt.Errorf("%s: %w", each.name, err)
		}
	}
	return encoder.WriteToken(jsontext.EndObject)
}

// write writes a document in which each path and each component has a line of its own, so that changes can be seen.
func write(document members) ([]byte, error) {
	var out bytes.Buffer
	if err := writeLines(&out, document, 2); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

func writeLines(out *bytes.Buffer, object members, depth int) error {
	out.WriteByte('{')
	for i, each := range object {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := json.Marshal(each.name)
		if err != nil {
			return err
		}
		out.WriteByte('\n')
		out.Write(name)
		out.WriteByte(':')
		if inner, ok := each.value.(members); ok && depth > 0 {
			if err := writeLines(out, inner, depth-1); err != nil {
				return err
			}
			continue
		}
		value, err := json.Marshal(each.value, json.Deterministic(true))
		if err != nil {
			return fmt.Errorf("%s: %w", each.name, err)
		}
		out.Write(value)
	}
	out.WriteString("\n}")
	return nil
}
