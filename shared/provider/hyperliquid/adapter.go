package hyperliquid

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// path is where everything is asked.
const path = "/info"

// The weights of questions, and how many rows of an answer weigh one, by the venue's document on rate limits.
const (
	stateWeight    = 2
	questionWeight = 20
	rowsAWeight    = 20
	candlesAWeight = 60
)

// longestName bounds the names of coins.
const longestName = 64

// Adapter implements the ports of perpetuals venues.
type Adapter struct{ client *upstream.Client }

var (
	_ market.PerpFillPort    = (*Adapter)(nil)
	_ market.PerpAccountPort = (*Adapter)(nil)
	_ market.PerpFundingPort = (*Adapter)(nil)
	_ market.PerpLedgerPort  = (*Adapter)(nil)
	_ market.PerpMarketPort  = (*Adapter)(nil)
	_ market.PerpCandlePort  = (*Adapter)(nil)
)

// Defaults is the public venue within its limit: PerMinute and Burst are weights, and what may go in any one minute is the sum of both.
// The burst is large enough for all that one page reads of the busiest account, as such a page cannot wait.
func Defaults() upstream.Config {
	return upstream.Config{
		Name: "hyperliquid", Base: "https://api.hyperliquid.xyz", PerMinute: 400, Burst: 800, Timeout: 5 * time.Second,
	}
}

// New reads through a client whose base is the venue's root.
func New(client *upstream.Client) *Adapter { return &Adapter{client: client} }

// question is what the venue is asked. What is not asked for is left out.
type question struct {
	Type string `json:"type"`
	User string `json:"user,omitzero"`
	// StartTime is in Unix milliseconds; nil for questions without one.
	StartTime *int64 `json:"startTime,omitzero"`
	// Dex is a builder's exchange, empty for the main one.
	Dex string `json:"dex,omitzero"`
	// Order is the client id of one.
	Order   string       `json:"oid,omitzero"`
	Request *candleRange `json:"req,omitzero"`
}

// info asks a question and decodes the answer.
func info[T any](ctx context.Context, a *Adapter, q question, weight upstream.Weight, decode func(*upstream.Response) (T, error)) (T, error) {
	body, err := json.Marshal(q)
	if err != nil {
		var zero T
		return zero, fmt.Errorf("%w: hyperliquid cannot be asked for %s", market.ErrUnavailable, q.Type)
	}
	return upstream.PostWeighted(ctx, a.client, path, body, weight, decode)
}

// weighed is a question of the usual weight whose answer weighs one for so many rows.
func weighed(rows int) upstream.Weight {
	return upstream.Weight{Asking: questionWeight, Answer: func(r *upstream.Response) int { return countRows(r.Body) / rows }}
}

// countRows counts the elements of a JSON array; anything else has none.
func countRows(body []byte) int {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if decoder.PeekKind() != '[' {
		return 0
	}
	if _, err := decoder.ReadToken(); err != nil {
		return 0
	}
	rows := 0
	for decoder.PeekKind() != ']' && decoder.SkipValue() == nil {
		rows++
	}
	return rows
}

// rowsOf decodes an answer that is a list. Null is no list: an account without rows has an empty one. Where not one row of several has
// the right shape, the answer is of another kind.
func rowsOf[T any](r *upstream.Response) (upstream.Rows[T], error) {
	value, err := upstream.JSON[*upstream.Rows[T]](r)
	switch {
	case err != nil:
		return upstream.Rows[T]{}, err
	case value == nil:
		return upstream.Rows[T]{}, fmt.Errorf("%w: no list", upstream.ErrUnreadable)
	case value.Dropped > 0 && len(value.Good) == 0:
		return *value, noneLegible(value.Dropped)
	}
	return *value, nil
}

func noneLegible(rows int) error {
	return fmt.Errorf("%w: none of %d rows can be read", upstream.ErrUnreadable, rows)
}

// signedUSD is an amount in USD of either sign; false beyond upstream.MaximumUSD.
func signedUSD(n upstream.Number) (float64, bool) {
	value, ok := n.Float()
	if !ok || math.Abs(value) > upstream.MaximumUSD {
		return math.NaN(), false
	}
	return value + 0, true // minus zero becomes zero
}

// coins is a number of coins of either sign; false for more than can be. What one coin is worth differs by the factor of a thousand
// million and more, so that only the absurd is refused.
func coins(n upstream.Number) (float64, bool) { return signedUSD(n) }

// rate is a fraction of either sign; false for more than the whole.
func rate(n upstream.Number) (float64, bool) {
	value, ok := n.Float()
	if !ok || math.Abs(value) > 1 {
		return math.NaN(), false
	}
	return value + 0, true
}

// leverage is from one to a thousand; false otherwise.
func leverage(n upstream.Number) (float64, bool) {
	value, ok := n.Float()
	if !ok || value < 1 || value > 1000 {
		return math.NaN(), false
	}
	return value, true
}

// orUnknown is NaN for whatever cannot be read.
func orUnknown(n upstream.Number, read func(upstream.Number) (float64, bool)) float64 {
	value, ok := read(n)
	if !ok {
		return math.NaN()
	}
	return value
}

// number is a whole number above zero that names something; zero for whatever is none.
func number(n upstream.Number) int64 {
	value, ok := n.Int()
	if !ok {
		return 0
	}
	return max(value, 0)
}

// named tells whether a coin has a name that can be one.
func named(coin upstream.Text) bool { return coin != "" && len(coin) <= longestName }

// milliseconds is a time as the venue writes it, none before 1970.
func milliseconds(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return max(at.UnixMilli(), 0)
}

// is tells whether a text is an account's address.
func is(text upstream.Text, account chain.Address) bool {
	parsed, err := chain.ParseWireAddress(string(text))
	return err == nil && parsed == account
}
