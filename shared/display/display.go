// Package display turns numbers and names into what may leave the service: bands instead of amounts, rounded figures, and
// token symbols that cannot carry markup, links or hidden characters.
//
// It knows nothing about what the figures mean.
package display

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// SizeBand names the order of magnitude of a USD amount: dust below 10, micro below 100, small below 1,000, medium below
// 10,000, large below 100,000, whale from there on. NaN has no band and gives the empty string.
func SizeBand(usd float64) string {
	switch {
	case math.IsNaN(usd):
		return ""
	case usd < 10:
		return "dust"
	case usd < 100:
		return "micro"
	case usd < 1_000:
		return "small"
	case usd < 10_000:
		return "medium"
	case usd < 100_000:
		return "large"
	}
	return "whale"
}

// AccountBand names the order of magnitude of an account's USD value. NaN gives the empty string.
func AccountBand(usd float64) string {
	switch {
	case math.IsNaN(usd):
		return ""
	case usd < 1_000:
		return "under-1k"
	case usd < 10_000:
		return "1k-10k"
	case usd < 100_000:
		return "10k-100k"
	case usd < 1_000_000:
		return "100k-1m"
	}
	return "over-1m"
}

var (
	safeSymbol = regexp.MustCompile(`^[A-Za-z0-9$._-]{1,16}$`)
	urlLike    = regexp.MustCompile(`(?i)(^www\.|://|\.(com|org|net|io|xyz|app|me|top|site|info|finance|fi|co|vip|pro|club|live|online|link|claims?|gift|win|cc|ru|cn|to|gg|ai|eu|us|uk)\b)`)
)

// Symbol returns a token's symbol if it is harmless, and its short address otherwise. Harmless are 1 to 16 letters, digits
// and $ . _ - that do not look like a web address and do not claim to be one of the chain's own assets from another address.
func Symbol(on *chain.Chain, token chain.Address, symbol string) string {
	if token == chain.Native {
		return on.NativeSymbol
	}
	for _, quote := range on.Quotes() {
		if quote.Address == token {
			return quote.Symbol
		}
	}
	if !safeSymbol.MatchString(symbol) || LooksLikeLink(symbol) {
		return token.Short()
	}
	if strings.EqualFold(symbol, on.NativeSymbol) {
		return token.Short()
	}
	for _, quote := range on.Quotes() {
		if strings.EqualFold(symbol, quote.Symbol) {
			return token.Short()
		}
	}
	return symbol
}

// LooksLikeLink tells whether text resembles a web address or domain.
func LooksLikeLink(text string) bool { return urlLike.MatchString(text) }

// Name returns the name of a contract for a sentence if it is harmless, and its short address otherwise.
func Name(account chain.Address, name string) string {
	if len(name) == 0 || len(name) > 40 || LooksLikeLink(name) {
		return account.Short()
	}
	for _, r := range name {
		if !(r == ' ' || r == '-' || r == '_' || (r >= '0' && r <= '9') || (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z')) {
			return account.Short()
		}
	}
	return strings.TrimSpace(name)
}

// Round rounds half away from zero to so many decimals. NaN and infinities become NaN.
func Round(x float64, decimals int) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	scale := math.Pow10(decimals)
	rounded := math.Round(x*scale) / scale
	if rounded == 0 {
		return 0 // no negative zero in an answer
	}
	return rounded
}

// Percent turns a fraction into a percentage with two decimals, nil when unmeasured (NaN or infinite).
func Percent(fraction float64) *float64 { return pointer(Round(fraction*100, 2)) }

// Score rounds a 0 to 100 score to one decimal, nil when unmeasured.
func Score(score float64) *float64 { return pointer(Round(score, 1)) }

// Probability rounds a share, rate or probability to three decimals, nil when unmeasured.
func Probability(p float64) *float64 { return pointer(Round(p, 3)) }

func pointer(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// PercentText writes a fraction as a percentage for a sentence, like "43%" or "-0.4%": whole numbers from 1 % on, one
// significant decimal below.
func PercentText(fraction float64) string {
	percent := fraction * 100
	if math.Abs(percent) >= 1 || percent == 0 {
		return strconv.FormatFloat(Round(percent, 0), 'f', -1, 64) + "%"
	}
	return strconv.FormatFloat(Round(percent, 1), 'f', -1, 64) + "%"
}

// DurationText writes a duration for a sentence, like "40 minutes", "5 hours" or "12 days".
func DurationText(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "under a minute"
	case d < 2*time.Hour:
		return plural(int(d/time.Minute), "minute")
	case d < 48*time.Hour:
		return plural(int(d/time.Hour), "hour")
	}
	return plural(int(d/(24*time.Hour)), "day")
}

func plural(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	if stem, ok := strings.CutSuffix(unit, "y"); ok && !strings.ContainsRune("aeiou", rune(stem[len(stem)-1])) {
		unit = stem + "ie"
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// Count writes a number with its noun, like "1 trade" or "3 trades".
func Count(n int, noun string) string { return plural(n, noun) }

// MinutesAgo counts whole minutes from then to now, never negative.
func MinutesAgo(then, now time.Time) int { return max(0, int(now.Sub(then)/time.Minute)) }
