package main

import (
	"errors"
	"fmt"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"
)

// breaking lists what of the frozen document somebody could rely on and would not find in the current one.
func breaking(frozen, current []byte) ([]error, error) {
	before, err := read(frozen, "frozen")
	if err != nil {
		return nil, err
	}
	after, err := read(current, "current")
	if err != nil {
		return nil, err
	}
	differences, sources, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), before, after)
	if err != nil {
		return nil, err
	}
	changes := checker.CheckBackwardCompatibility(checker.NewConfig(checker.GetAllChecks()), differences, sources)
	var broken []error
	for _, change := range changes {
		// Warnings too: a parameter that is gone is refused here, where others would ignore it.
		if change.GetLevel() >= checker.WARN {
			broken = append(broken, errors.New(change.SingleLineError(checker.NewDefaultLocalizer(), checker.ColorNever)))
		}
	}
	return broken, nil
}

// read parses a document for comparison.
func read(document []byte, name string) (*load.SpecInfo, error) {
	parsed, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, fmt.Errorf("the %s document: %w", name, err)
	}
	return &load.SpecInfo{Url: name, Spec: parsed}, nil
}
