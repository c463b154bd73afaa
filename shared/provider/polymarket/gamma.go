package polymarket

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// wireMarket is a market of the catalogue. Any of its members may be missing.
type wireMarket struct {
	Condition  upstream.Text                   `json:"conditionId"`
	Category   upstream.Text                   `json:"category"`
	EndDate    upstream.Text                   `json:"endDate"`
	EndDay     upstream.Text                   `json:"endDateIso"`
	ClosedTime upstream.Text                   `json:"closedTime"`
	OracleTime upstream.Text                   `json:"umaEndDate"`
	Closed     upstream.Flag                   `json:"closed"`
	Prices     list                            `json:"outcomePrices"`
	Assets     list                            `json:"clobTokenIds"`
	Oracle     upstream.Text                   `json:"umaResolutionStatus"`
	Exclusive  upstream.Flag                   `json:"negRisk"`
	FeesOn     upstream.Flag                   `json:"feesEnabled"`
	FeeType    upstream.Text                   `json:"feeType"`
	Fee        loose[wireFee]                  `json:"feeSchedule"`
	Tick       upstream.Number                 `json:"orderPriceMinTickSize"`
	Spread     upstream.Number                 `json:"spread"`
	Bid        upstream.Number                 `json:"bestBid"`
	Ask        upstream.Number                 `json:"bestAsk"`
	Liquidity  upstream.Number                 `json:"liquidityNum"`
	LiquidText upstream.Number                 `json:"liquidity"`
	Tags       loose[upstream.Rows[wireTag]]   `json:"tags"`
	Events     loose[upstream.Rows[wireEvent]] `json:"events"`
}

type wireEvent struct {
	Slug     upstream.Text                 `json:"slug"`
	Category upstream.Text                 `json:"category"`
	Tags     loose[upstream.Rows[wireTag]] `json:"tags"`
}

type wireFee struct {
	Rate     upstream.Number `json:"rate"`
	Exponent upstream.Number `json:"exponent"`
}

// loose is a member that is worth reading without: what has not the shape of T is the zero value.
type loose[T any] struct{ value T }

// UnmarshalJSONFrom reads any JSON value.
func (l *loose[T]) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	var none T
	l.value = none
	value, err := decoder.ReadValue()
	if err == nil && upstream.Unmarshal(value, &l.value) != nil {
		l.value = none
	}
	return err
}

// wireTag is a tag as an object with a label, or the label alone.
type wireTag string

// UnmarshalJSONFrom reads either.
func (t *wireTag) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	value, err := decoder.ReadValue()
	if err != nil {
		return err
	}
	var tag struct {
		Label upstream.Text `json:"label"`
	}
	var label upstream.Text
	switch value.Kind() {
	case '{':
		err = upstream.Unmarshal(value, &tag)
		label = tag.Label
	case '"':
		err = upstream.Unmarshal(value, &label)
	}
	*t = wireTag(label)
	return err
}

// list is a JSON array of numbers or texts, written as such or inside a string, where the catalogue puts it. Anything else is empty.
type list []upstream.Number

// UnmarshalJSONFrom reads any JSON value.
func (l *list) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	*l = nil
	value, err := decoder.ReadValue()
	if err != nil {
		return err
	}
	if value.Kind() == '"' {
		inside, err := jsontext.AppendUnquote(nil, value)
		if err != nil {
			return nil
		}
		value = inside
	}
	var members []upstream.Number
	if upstream.Unmarshal(value, &members) == nil {
		*l = members
	}
	return nil
}

// mostOutcomes bounds a market's outcomes: the contract that holds the shares knows no more.
const mostOutcomes = 256

// read checks a market. False is one that cannot be told from others: without a condition, with tokens that are none or that repeat.
func (w *wireMarket) read(now time.Time) (market.PredictionMarket, doubt, bool) {
	condition, ok := readHash(w.Condition)
	if !ok || max(len(w.Assets), len(w.Prices)) > mostOutcomes {
		return market.PredictionMarket{}, noDoubt, false
	}
	read := market.PredictionMarket{
		Market: condition, Event: w.event(), Category: w.category(), EndsAt: readDay(w.EndDate), Exclusive: market.Tristate(w.Exclusive) == market.Yes,
		FeeRate: w.feeRate(), TickSize: orNaN(w.Tick, math.SmallestNonzeroFloat64, 0.5), Spread: w.spread(), LiquidityUSD: w.liquidity(),
	}
	if read.EndsAt.IsZero() {
		read.EndsAt = readDay(w.EndDay)
	}
	if read.Outcomes, ok = w.outcomes(); !ok {
		return market.PredictionMarket{}, noDoubt, false
	}
	if market.Tristate(w.Closed) != market.Yes {
		doubt := noDoubt
		if past(read.EndsAt, now) || w.Oracle == "resolved" {
			doubt = overdue
		}
		return read, doubt, true
	}
	for _, text := range []upstream.Text{w.ClosedTime, w.OracleTime} {
		if at := readDay(text); read.ClosedAt.IsZero() && past(at, now) {
			read.ClosedAt = at
		}
	}
	prices := make([]float64, len(read.Outcomes))
	for i := range prices {
		prices[i] = read.Outcomes[i].Price
	}
	// An outcome that was proposed or is disputed is none yet.
	paid, final := payouts(prices)
	if !final || (w.Oracle != "" && w.Oracle != "resolved") {
		return read, unreadableEnd, true
	}
	read.Decided = true
	for i := range paid {
		read.Outcomes[i].Payout = paid[i]
	}
	return read, noDoubt, true
}

// event is empty where the catalogue names none: the market's own name would part it from the trades that name its event.
func (w *wireMarket) event() string {
	if events := w.Events.value.Good; len(events) > 0 {
		return name(events[0].Slug)
	}
	return ""
}

// outcomes gives each outcome its token and price. Where the lists disagree, prices belong to none. Markets of the first years have no
// tokens there: their outcomes are told by their place.
func (w *wireMarket) outcomes() ([]market.PredictionOutcome, bool) {
	count := len(w.Assets)
	if count == 0 {
		count = len(w.Prices)
	}
	outcomes := make([]market.PredictionOutcome, count)
	for i := range outcomes {
		outcomes[i].Price, outcomes[i].Payout = math.NaN(), math.NaN()
		if len(w.Prices) == count {
			outcomes[i].Price = orNaN(w.Prices[i], 0, 1)
		}
		if len(w.Assets) == 0 {
			continue
		}
		asset, ok := readAsset(upstream.Text(w.Assets[i]))
		if !ok || slices.ContainsFunc(outcomes[:i], func(o market.PredictionOutcome) bool { return o.Asset == asset }) {
			return nil, false
		}
		outcomes[i].Asset = asset
	}
	return outcomes, true
}

// feeRate is the rate of fees that grow with price*(1-price). Fees that grow with a power of it are at most that, since price*(1-price) is
// at most a quarter: the rate is then that of the line through nothing that touches their peak.
func (w *wireMarket) feeRate() float64 {
	if fee := w.Fee.value; fee.Rate != "" {
		rate, exponent := orNaN(fee.Rate, 0, 1), 1.0
		if fee.Exponent != "" {
			exponent = orNaN(fee.Exponent, 1, 10)
		}
		return rate * math.Pow(0.25, exponent-1)
	}
	if market.Tristate(w.FeesOn) == market.No {
		return 0
	}
	return math.NaN()
}

// spread is between the best bid and the best offer, where both are told; what the catalogue calls the spread may be older.
func (w *wireMarket) spread() float64 {
	bid, ok1 := within(w.Bid, 0, 1)
	ask, ok2 := within(w.Ask, 0, 1)
	if ok1 && ok2 && bid < ask {
		const finest = 1e6 // ticks a dollar, beyond which digits are those of binary fractions
		return math.Round((ask-bid)*finest) / finest
	}
	return orNaN(w.Spread, 0, 1)
}

func (w *wireMarket) liquidity() float64 {
	if usd, ok := w.Liquidity.USD(); ok {
		return usd
	}
	if usd, ok := w.LiquidText.USD(); ok {
		return usd
	}
	return math.NaN()
}

// categories are those by which the venue ranks traders and sets fees, the ones that say most about a market first.
var categories = []string{
	"sports", "crypto", "weather", "mentions", "economy", "economics", "politics", "finance", "tech", "culture", "pop culture", "esports", "geopolitics", "world",
}

func (w *wireMarket) category() string {
	given, tags := []upstream.Text{w.Category}, w.Tags.value.Good
	for _, event := range w.Events.value.Good {
		given = append(given, event.Category)
		tags = append(slices.Clip(tags), event.Tags.value.Good...)
	}
	if category := name(given...); category != "" {
		return strings.ToLower(category)
	}
	// A type is written like sports_fees_v2.
	kind, _, _ := strings.Cut(string(w.FeeType), "_fees")
	return tagCategory(tags, strings.ToLower(kind))
}

// tagCategory is the tag that says most, or else the category that is given, or else the first tag; in lower case.
func tagCategory(tags []wireTag, otherwise string) string {
	var labels []string
	for _, tag := range tags {
		if label := name(upstream.Text(tag)); label != "" {
			labels = append(labels, strings.ToLower(label))
		}
	}
	for _, category := range categories {
		if slices.Contains(labels, category) {
			return category
		}
	}
	if otherwise != "" || len(labels) == 0 {
		return otherwise
	}
	return labels[0]
}
