package main

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// illustrationsOf reads the examples of a document back, so that the rest of it can be written anew without asking a service again.
func illustrationsOf(document []byte) (illustrations, error) {
	type example struct {
		Ref     string         `json:"$ref"`
		Summary string         `json:"summary"`
		Value   jsontext.Value `json:"value"`
	}
	type content struct {
		Content map[string]struct {
			Examples jsontext.Value `json:"examples"`
		} `json:"content"`
	}
	var read struct {
		Paths map[string]map[string]struct {
			ID         string `json:"operationId"`
			Parameters []struct {
				Name    string         `json:"name"`
				Example jsontext.Value `json:"example"`
			} `json:"parameters"`
			RequestBody content            `json:"requestBody"`
			Responses   map[string]content `json:"responses"`
		} `json:"paths"`
		Components struct {
			Examples map[string]example `json:"examples"`
		} `json:"components"`
	}
	shown := newIllustrations()
	if err := json.Unmarshal(document, &read); err != nil {
		return shown, fmt.Errorf("the document: %w", err)
	}
	// inOrder reads examples, whose order matters.
	inOrder := func(from content) ([]illustration, error) {
		var all []illustration
		raw := from.Content["application/json"].Examples
		if raw == nil {
			return nil, nil
		}
		var ordered orderedNames
		var byName map[string]example
		if err := json.Unmarshal(raw, &ordered); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(raw, &byName); err != nil {
			return nil, err
		}
		for _, name := range ordered {
			all = append(all, illustration{name, byName[name].Summary, byName[name].Value})
		}
		return all, nil
	}
	for _, item := range read.Paths {
		for _, operation := range item {
			shown.Parameters[operation.ID] = make(map[string]jsontext.Value)
			for _, p := range operation.Parameters {
				if p.Example != nil {
					shown.Parameters[operation.ID][p.Name] = p.Example
				}
			}
			var err error
			if shown.Bodies[operation.ID], err = inOrder(operation.RequestBody); err != nil {
				return shown, err
			}
			for status, response := range operation.Responses {
				if status[0] != '2' {
					continue
				}
				if shown.Answers[operation.ID], err = inOrder(response); err != nil {
					return shown, err
				}
			}
		}
	}
	for code, each := range read.Components.Examples {
		shown.Refusals[code] = each.Value
	}
	return shown, nil
}

// orderedNames are the names of an object's members, in order.
type orderedNames []string

// UnmarshalJSONFrom reads the names and skips the values.
func (n *orderedNames) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	for decoder.PeekKind() != jsontext.KindEndObject {
		name, err := decoder.ReadToken()
		if err != nil {
			return err
		}
		*n = append(*n, name.String())
		if err := decoder.SkipValue(); err != nil {
			return err
		}
	}
	_, err := decoder.ReadToken()
	return err
}
