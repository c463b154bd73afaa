package upstream

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// Bounds beyond which a provider's word is not believed.
const (
	MaximumPriceUSD = 1e12
	// MaximumUSD bounds values, volumes and liquidity.
	MaximumUSD      = 1e15
	MaximumDecimals = 36
	maximumDigits   = 128
	futureTolerance = 5 * time.Minute
)

// earliest is before the first block of any chain covered, in Unix seconds (2015-01-01).
const earliest = 1420070400

// wireSyntax forgives what a deployer can put into a token's name, so that one row does not make an answer unreadable.
var wireSyntax = []jsontext.Options{jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)}

// Unmarshal decodes JSON as providers write it: unknown members are ignored, names match exactly, invalid UTF-8 becomes
// U+FFFD, and of a repeated name the last counts.
func Unmarshal(data []byte, into any) error {
	return json.Unmarshal(data, into, wireSyntax[0], wireSyntax[1])
}

// JSON is a decoder for Get and Post: it wants status 2xx and a body of the shape of T.
func JSON[T any](r *Response) (T, error) {
	var value T
	if r.Status < 200 || r.Status > 299 {
		return value, fmt.Errorf("unexpected status %d", r.Status)
	}
	err := Unmarshal(r.Body, &value)
	return value, err
}

// Number is a JSON number, or a string that holds one, kept as the text it arrived in so that no digit is lost. Null, the
// empty string, a missing member and anything else are an unknown number.
type Number string

// UnmarshalJSONFrom reads any JSON value.
func (n *Number) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	*n = ""
	switch decoder.PeekKind() {
	case '0':
		value, err := decoder.ReadValue()
		*n = Number(value)
		return err
	case '"':
		token, err := decoder.ReadToken()
		if err == nil {
			*n = Number(strings.TrimSpace(token.String()))
		}
		return err
	}
	return decoder.SkipValue()
}

// Float is the nearest float64; false when the number is unknown, malformed or not finite.
func (n Number) Float() (float64, bool) {
	if n == "" || len(n) > maximumDigits || strings.ContainsAny(string(n), "xXpP_nN") {
		return math.NaN(), false
	}
	value, err := strconv.ParseFloat(string(n), 64)
	if err != nil || math.IsInf(value, 0) || math.IsNaN(value) {
		return math.NaN(), false
	}
	return value, true
}

// Int is the whole number; false when it is unknown, has a fraction or does not fit.
func (n Number) Int() (int64, bool) {
	if value, err := strconv.ParseInt(string(n), 10, 64); err == nil && !strings.HasPrefix(string(n), "+") {
		return value, true
	}
	value, ok := n.Float()
	if !ok || value != math.Trunc(value) || math.Abs(value) >= 1<<53 {
		return 0, false
	}
	return int64(value), true
}

// Count is a whole number of things, from zero to two thousand million; false otherwise.
func (n Number) Count() (int, bool) {
	value, ok := n.Int()
	if !ok || value < 0 || value > math.MaxInt32 {
		return 0, false
	}
	return int(value), true
}

// Amount is a raw token quantity, decimal or hexadecimal after 0x; false when it is unknown, negative, fractional or wider
// than 256 bits.
func (n Number) Amount() (market.Amount, bool) {
	text := string(n)
	if text == "" || len(text) > maximumDigits || text[0] == '+' || text[0] == '-' {
		return market.Amount{}, false
	}
	base := 10
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") {
		text, base = text[2:], 16
	}
	if text == "" || text[0] == '+' || text[0] == '-' || strings.Contains(text, "_") {
		return market.Amount{}, false
	}
	whole, ok := new(big.Int).SetString(text, base)
	if !ok {
		return market.Amount{}, false
	}
	amount, overflow := uint256.FromBig(whole)
	if overflow {
		return market.Amount{}, false
	}
	return *amount, true
}

// Units is a quantity in token units as raw units of a token with the given decimals, digits beyond them cut off; false
// when it is unknown, negative or too large.
func (n Number) Units(decimals int) (market.Amount, bool) {
	text := string(n)
	if text == "" || len(text) > maximumDigits || decimals < 0 || decimals > MaximumDecimals ||
		strings.Trim(text, "0123456789.eE+-") != "" || text[0] == '-' {
		return market.Amount{}, false
	}
	// An exponent is bounded before it is expanded: 1e999999999 would take all memory.
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		if exponent, err := strconv.Atoi(text[at+1:]); err != nil || exponent > 100 || exponent < -100 {
			return market.Amount{}, false
		}
	}
	units, ok := new(big.Rat).SetString(text)
	if !ok {
		return market.Amount{}, false
	}
	units.Mul(units, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)))
	whole := new(big.Int).Quo(units.Num(), units.Denom())
	amount, overflow := uint256.FromBig(whole)
	if overflow {
		return market.Amount{}, false
	}
	return *amount, true
}

// Price is a price in USD, above zero and at most MaximumPriceUSD; false otherwise.
func (n Number) Price() (float64, bool) {
	return n.between(math.SmallestNonzeroFloat64, MaximumPriceUSD)
}

// USD is a value, volume or liquidity in USD, from zero to MaximumUSD; false otherwise.
func (n Number) USD() (float64, bool) { return n.between(0, MaximumUSD) }

func (n Number) between(least, most float64) (float64, bool) {
	value, ok := n.Float()
	if !ok || value < least || value > most {
		return math.NaN(), false
	}
	return value + 0, true // minus zero becomes zero
}

// OrMissing reads a number that may be missing, which is NaN, but not wrong, which is false.
func (n Number) OrMissing(read func(Number) (float64, bool)) (float64, bool) {
	if n == "" {
		return math.NaN(), true
	}
	return read(n)
}

// Capitalization is what all of a token is worth in USD, above zero; NaN where it is missing or cannot be. It follows from a price
// and a supply that anybody may invent, so a wrong one says nothing against the rest of its row.
func Capitalization(n Number) float64 {
	value, ok := n.USD()
	if !ok || value == 0 {
		return math.NaN()
	}
	return value
}

// Decimals is a token's decimals, from 0 to MaximumDecimals; false otherwise.
func (n Number) Decimals() (int, bool) {
	value, ok := n.Int()
	if !ok || value < 0 || value > MaximumDecimals {
		return 0, false
	}
	return int(value), true
}

// Seconds is a Unix time in seconds, after 2014 and at most five minutes from now; false otherwise.
func (n Number) Seconds(now time.Time) (time.Time, bool) {
	value, ok := n.Int()
	if !ok || value > math.MaxInt64/1000 {
		return time.Time{}, false
	}
	return plausible(time.Unix(value, 0).UTC(), now)
}

// Milliseconds is Seconds in milliseconds.
func (n Number) Milliseconds(now time.Time) (time.Time, bool) {
	value, ok := n.Int()
	if !ok {
		return time.Time{}, false
	}
	return plausible(time.UnixMilli(value).UTC(), now)
}

// Timestamp reads a time of RFC 3339, after 2014 and at most five minutes from now; false otherwise.
func Timestamp(text string, now time.Time) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, false
	}
	return plausible(at.UTC(), now)
}

func plausible(at, now time.Time) (time.Time, bool) {
	if at.Unix() < earliest || at.After(now.Add(futureTolerance)) {
		return time.Time{}, false
	}
	return at, true
}

// Flag is a yes or no in whatever form: a bool, 0 or 1, "0" or "1", "true" or "false". Everything else is unknown.
type Flag market.Tristate

// UnmarshalJSONFrom reads any JSON value.
func (f *Flag) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	*f = Flag(market.Unknown)
	switch decoder.PeekKind() {
	case 't', 'f', '0', '"':
		token, err := decoder.ReadToken()
		if err != nil {
			return err
		}
		switch strings.TrimSpace(token.String()) {
		case "1", "true":
			*f = Flag(market.Yes)
		case "0", "false":
			*f = Flag(market.No)
		}
		return nil
	}
	return decoder.SkipValue()
}

// Text is a string; anything else, null included, is the empty text.
type Text string

// UnmarshalJSONFrom reads any JSON value.
func (t *Text) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	*t = ""
	if decoder.PeekKind() != '"' {
		return decoder.SkipValue()
	}
	token, err := decoder.ReadToken()
	if err == nil {
		*t = Text(token.String())
	}
	return err
}

// Rows is a JSON array whose elements are decoded one by one: those that have not the shape of T are counted and left out.
// Null is no rows.
type Rows[T any] struct {
	Good    []T
	Dropped int
}

// UnmarshalJSONFrom reads an array or null; anything else is an error.
func (r *Rows[T]) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	*r = Rows[T]{}
	switch decoder.PeekKind() {
	case 'n':
		return decoder.SkipValue()
	case '[':
	default:
		if err := decoder.SkipValue(); err != nil {
			return err
		}
		return fmt.Errorf("%w: not a list", ErrUnreadable)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	for decoder.PeekKind() != ']' {
		value, err := decoder.ReadValue()
		if err != nil {
			return err
		}
		var row T
		if value.Kind() == 'n' || Unmarshal(value, &row) != nil {
			r.Dropped++
			continue
		}
		r.Good = append(r.Good, row)
	}
	_, err := decoder.ReadToken()
	return err
}
