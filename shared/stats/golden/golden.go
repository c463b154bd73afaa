// Package golden compares package stats with recorded answers of independent implementations: a JSON file of statistics by section
// and a CSV file of indicators by bar. It holds such files of its own, made by the scripts in infra/golden, and reads others of
// the same form. It decides nothing: it says how far off each section is.
package golden

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
)

//go:embed testdata/statistics.json
var ownStatistics []byte

//go:embed testdata/indicators.csv
var ownIndicators []byte

// OwnStatistics is the project's own file for Statistics, and OwnIndicators that for Indicators.
func OwnStatistics() []byte { return ownStatistics }

// OwnIndicators is the project's own file for Indicators.
func OwnIndicators() []byte { return ownIndicators }

// Section is the outcome of comparing one part of a file.
type Section struct {
	// Name is the section's key in the JSON file or the column in the CSV file.
	Name string
	// Compared is the number of answers that were compared.
	Compared int
	// Worst is the largest absolute difference; +Inf where one side is not a number or not defined and the other is.
	Worst float64
}

func (s *Section) compare(got, want float64) {
	s.Compared++
	switch {
	case got == want || math.IsNaN(got) && math.IsNaN(want): // also both infinite
	case math.IsNaN(got - want):
		s.Worst = math.Inf(1)
	default:
		s.Worst = max(s.Worst, math.Abs(got-want))
	}
}

// Statistics compares every section of a JSON file that package stats answers, in a fixed order. Sections it does not answer are
// left out; a file that holds none, or one of another form, is an error.
func Statistics(data []byte) ([]Section, error) {
	var file map[string]json.RawMessage
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("golden statistics: %w", err)
	}
	var sections []Section
	for _, known := range statisticsSections {
		raw, present := file[known.name]
		if !present {
			continue
		}
		section := Section{Name: known.name}
		if err := known.compare(raw, &section); err != nil {
			return nil, fmt.Errorf("golden statistics, section %s: %w", known.name, err)
		}
		sections = append(sections, section)
	}
	if len(sections) == 0 {
		return nil, fmt.Errorf("golden statistics: no section that is known")
	}
	return sections, nil
}

type comparison func(json.RawMessage, *Section) error

// each compares a list of cases, one a single case.
func each[T any](compare func(T, *Section)) comparison {
	return func(raw json.RawMessage, s *Section) error {
		var cases []T
		if err := json.Unmarshal(raw, &cases); err != nil {
			return err
		}
		for _, c := range cases {
			compare(c, s)
		}
		return nil
	}
}

func one[T any](compare func(T, *Section)) comparison {
	return func(raw json.RawMessage, s *Section) error {
		var c T
		if err := json.Unmarshal(raw, &c); err != nil {
			return err
		}
		compare(c, s)
		return nil
	}
}
