// Package display turns numbers and names into what may leave the service: bands instead of amounts, rounded figures, and
// token symbols that cannot carry markup, links or hidden characters.
//
// It knows nothing about what the figures mean.
package display

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// SizeBand names the order of magnitude of a USD amount: dust below 10, micro below 100, small below 1,000, medium below
// 10,000, large below 100,000, whale from there on. A debt is dust. NaN has no band and gives the empty string.
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

// safeSymbol matches texts that no markup language, shell or script gives a meaning to.
var (
	safeSymbol = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9$._-]{1,16}$`) })
	letter     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z]`) })
)

// Symbol returns a token's symbol if it is harmless, and its short address otherwise. Harmless are 1 to 16 letters, digits
// and $ . _ - with a letter among them, since $1.00 reads like an amount, that look neither like a web address nor like an
// account's address and that cannot be taken for one of the chain's own assets at another address.
func Symbol(on *chain.Chain, token chain.Address, symbol string) string {
	if token == chain.Native {
		return on.NativeSymbol
	}
	quotes := on.Quotes()
	for _, quote := range quotes {
		if quote.Address == token {
			return quote.Symbol
		}
	}
	if !safeSymbol().MatchString(symbol) || !letter().MatchString(symbol) || LooksLikeLink(symbol) || looksLikeAddress(symbol) {
		return token.Short()
	}
	shape := skeleton(symbol)
	if shape == skeleton(on.NativeSymbol) {
		return token.Short()
	}
	for _, quote := range quotes {
		if shape == skeleton(quote.Symbol) {
			return token.Short()
		}
	}
	return symbol
}

// skeleton is the same for symbols that a hasty reader takes for each other: it leaves out what is neither letter nor digit,
// folds the case and the digits that pass for letters (after Unicode Technical Standard 39, for the characters of safeSymbol).
func skeleton(symbol string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			r += 'a' - 'A'
		case r == '$', r == '.', r == '_', r == '-':
			return -1
		}
		switch r {
		case '0':
			return 'o'
		case '1', 'i':
			return 'l'
		case '3':
			return 'e'
		case '5':
			return 's'
		}
		return r
	}, symbol)
}

// looksLikeAddress tells whether text could be taken for an address or its short form.
func looksLikeAddress(text string) bool {
	return len(text) >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')
}

// linkLike matches what browsers, chats and mail programs make links of: a scheme, www, a dot before a top-level domain, which
// is two or more letters, and numeric hosts. A dot before a single letter, as in USDC.e, or after another dot starts none.
var linkLike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)://|www\.|(?:^|[^.])\.\pL[\pL\pM]|[0-9]+\.[0-9]+\.[0-9]+\.[0-9]`)
})

// dots are the other characters that domain names accept for a dot (RFC 3490, section 3.1).
var dots = strings.NewReplacer("\u3002", ".", "\uff0e", ".", "\uff61", ".")

// LooksLikeLink tells whether text resembles a web address, a domain or a numeric host, whether or not it exists.
func LooksLikeLink(text string) bool { return linkLike().MatchString(dots.Replace(text)) }

// What a name may be at most. Longer ones are sentences, which a deployer could address to the reader.
const (
	maximumName  = 40 // bytes
	maximumWords = 3
)

// Name returns the name of a contract for a sentence if it is harmless, and its short address otherwise. Harmless are 1 to 3
// words of letters, digits, - and _ with at most 40 characters in all, that do not look like an address. Whoever deploys a
// contract chooses its name: it tells readers what they may know the contract by, never who it belongs to.
func Name(account chain.Address, name string) string {
	if len(name) > maximumName {
		return account.Short()
	}
	letters := false
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			letters = true
		case c >= '0' && c <= '9', c == ' ', c == '-', c == '_':
		default:
			return account.Short()
		}
	}
	words := strings.Fields(name)
	if !letters || len(words) > maximumWords || looksLikeAddress(words[0]) {
		return account.Short()
	}
	return strings.Join(words, " ")
}

// Round rounds half away from zero to so many decimals, 0 or more. NaN and infinities become NaN; there is no negative zero.
func Round(x float64, decimals int) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	scale := math.Pow10(decimals)
	rounded := math.Round(x*scale) / scale
	if math.IsInf(rounded, 0) {
		return x // so large that it has no decimals
	}
	if rounded == 0 {
		return 0 // not -0
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
// decimal below. What is not a number or infinite is "an unknown share".
func PercentText(fraction float64) string {
	percent := fraction * 100
	if math.IsNaN(percent) || math.IsInf(percent, 0) {
		return "an unknown share"
	}
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
	stem, endsInY := strings.CutSuffix(unit, "y")
	switch {
	case endsInY && !endsInAny(stem, "a", "e", "o", "u"):
		unit = stem + "ies"
	case endsInAny(unit, "s", "x", "ch", "sh"):
		unit += "es"
	default:
		unit += "s"
	}
	return strconv.Itoa(n) + " " + unit
}

func endsInAny(word string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(ending string) bool { return strings.HasSuffix(word, ending) })
}

// Count writes a number with its noun, like "1 trade", "3 trades" or "2 entries".
func Count(n int, noun string) string { return plural(n, noun) }

// MinutesAgo counts whole minutes from then to now, never negative.
func MinutesAgo(then, now time.Time) int { return max(0, int(now.Sub(then)/time.Minute)) }
