package predictvenue

import (
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// refused is the venue's answer to a query that it does not take.
func refused(status int, message string) (int, any) {
	return status, map[string]string{"error": message}
}

func notFound(message string) (int, any) { return refused(http.StatusNotFound, message) }

// arguments reads a query; the first thing that is wrong with it is kept.
type arguments struct {
	url.Values
	wrong string
}

func (a *arguments) fail(message string) {
	if a.wrong == "" {
		a.wrong = message
	}
}

// largest is the largest whole number that a query may have, far beyond any that means something.
const largest = 1_000_000_000_000_000

// whole reads a whole number of at least zero.
func (a *arguments) whole(key string, fallback int) int {
	text := a.Get(key)
	if text == "" {
		return fallback
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > largest {
		a.fail("invalid query param '" + key + "'")
		return fallback
	}
	return n
}

func (a *arguments) number(key string, fallback float64) float64 {
	text := a.Get(key)
	if text == "" {
		return fallback
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || x < 0 {
		a.fail("invalid query param '" + key + "'")
		return fallback
	}
	return x
}

func (a *arguments) truth(key string, fallback bool) bool {
	switch a.Get(key) {
	case "":
		return fallback
	case "true":
		return true
	case "false":
		return false
	}
	a.fail("invalid query param '" + key + "'")
	return fallback
}

// word reads one of some words, the first of which is the default.
func (a *arguments) word(key string, words ...string) string {
	text := strings.ToUpper(a.Get(key))
	if text == "" {
		return words[0]
	}
	if !slices.Contains(words, text) {
		a.fail("invalid query param '" + key + "'")
	}
	return text
}

// page reads limit and offset. A limit above the most is cut to it, an offset above the most is refused.
func (a *arguments) page(fallback, most, furthest int) (limit, offset int) {
	limit, offset = min(a.whole("limit", fallback), most), a.whole("offset", 0)
	if offset > furthest {
		a.fail("max historical offset of " + strconv.Itoa(furthest) + " exceeded")
	}
	return limit, offset
}

var addressForm = regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`)

// user reads the wallet, which is nil when the venue does not know it, and found is false when none is named.
func (v *Venue) user(a *arguments, required bool) (w *wallet, named bool) {
	text := a.Get("user")
	switch {
	case text == "" && required:
		a.fail("required query param 'user' not provided")
	case text != "" && !addressForm.MatchString(text):
		a.fail("invalid query param 'user'")
	}
	return v.wallet(text), text != ""
}

// selection is which markets a query is about.
type selection struct {
	all     bool
	markets map[int32]bool
}

// selected reads market and eventId, both lists with commas, of which at most one may be given.
func (v *Venue) selected(a *arguments) selection {
	conditions, events := a.Get("market"), a.Get("eventId")
	s := selection{all: conditions == "" && events == "", markets: map[int32]bool{}}
	if conditions != "" && events != "" {
		a.fail("'market' and 'eventId' are mutually exclusive")
	}
	for _, text := range list(conditions) {
		if m := v.marketOf(text); m != nil {
			s.markets[m.index] = true
		}
	}
	for _, text := range list(events) {
		for _, e := range v.events {
			if e.id == text && v.isOpen(e) {
				for _, m := range e.markets {
					s.markets[m.index] = true
				}
			}
		}
	}
	return s
}

func (s selection) has(market int32) bool { return s.all || s.markets[market] }

// list cuts a text at its commas; an empty text has no parts.
func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// paged is a page of some rows.
func paged[T any](rows []T, limit, offset int) []T {
	from := min(offset, len(rows))
	return rows[from:min(from+limit, len(rows))]
}

// rounded cuts a number to some digits after the point, as the venue does.
func rounded(x float64, digits int) float64 {
	scale := math.Pow(10, float64(digits))
	return math.Round(x*scale) / scale
}

// coins are millionths as a number.
func coins(n int64) float64 { return float64(n) / micro }

// ratio is a quotient, 0 where there is nothing to divide by.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
