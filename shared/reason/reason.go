// Package reason carries the explanations of an answer: each a code for programs and tests, and a sentence for people.
//
// It orders and trims them. It does not write sentences: every assessment has templates of its own.
package reason

import (
	"cmp"
	"slices"
)

// Reason is one explanation. It encodes as its sentence alone.
type Reason struct {
	// Code names the template the sentence was made from, like WIN_RATE_CI.
	Code string
	// Text is the sentence.
	Text string
	// Weight orders reasons: the larger, the more it moved the answer. It is not encoded.
	Weight float64
}

// MarshalText makes a reason encode as its sentence.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.Text), nil }

// UnmarshalText reads a sentence back; code and weight are lost with the encoding.
func (r *Reason) UnmarshalText(text []byte) error {
	*r = Reason{Text: string(text)}
	return nil
}

// Maximum is how many reasons an answer gives at most.
const Maximum = 5

// Top returns the weightiest reasons first, at most Maximum; equal weights keep their order. The result is never nil.
func Top(reasons []Reason) []Reason {
	sorted := append(make([]Reason, 0, len(reasons)), reasons...)
	slices.SortStableFunc(sorted, func(a, b Reason) int { return cmp.Compare(b.Weight, a.Weight) })
	return sorted[:min(len(sorted), Maximum)]
}

// Codes lists the codes in order, for tests and logs.
func Codes(reasons []Reason) []string {
	codes := make([]string, len(reasons))
	for i, r := range reasons {
		codes[i] = r.Code
	}
	return codes
}
