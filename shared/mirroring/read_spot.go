package mirroring

import (
	"context"
	"encoding/hex"
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
)

// spotReader reads wallets on a chain.
type spotReader struct {
	sources market.Sources
	on      *chain.Chain
}

func (r spotReader) read(ctx context.Context, leader chain.Address, since, at time.Time) (*leaderFacts, error) {
	activity, err := r.sources.Activity.Activity(ctx, r.on, leader)
	if err != nil {
		return nil, err
	}
	history := position.Read(r.on, leader, activity.Until(at))
	ledger, err := r.ledger(ctx, history, since)
	if err != nil {
		return nil, err
	}
	facts := &leaderFacts{MedianGain: math.NaN(), Shares: make(map[string]float64)}
	b := spotBuilder{facts: facts, on: r.on, since: since, ledger: ledger, held: make(map[chain.Address]*spotHolding)}
	b.build()
	if slices.ContainsFunc(facts.Trades, func(t LeaderTrade) bool { return t.Leg == Open }) {
		err = r.addMeans(ctx, leader, facts)
	}
	return facts, err
}

// ledger values what happened after an instant; what was before is there without a value.
func (r spotReader) ledger(ctx context.Context, history *position.History, since time.Time) (*position.Ledger, error) {
	var requests []market.PriceRequest
	from := since.Truncate(time.Minute)
	for _, wanted := range history.Wanted() {
		wanted.Times = slices.DeleteFunc(slices.Clone(wanted.Times), func(at time.Time) bool { return at.Before(from) })
		if len(wanted.Times) > 0 {
			requests = append(requests, wanted)
		}
	}
	if len(requests) == 0 {
		return history.Ledger(position.NewPriceBook(nil, nil)), nil
	}
	prices, err := r.sources.Prices.Prices(ctx, r.on, requests)
	if err != nil {
		return nil, err
	}
	var tokens []chain.Address
	for _, request := range requests {
		if !r.on.IsQuote(request.Asset) {
			tokens = append(tokens, request.Asset)
		}
	}
	var pools map[chain.Address][]market.Pool
	if len(tokens) > 0 {
		if pools, err = r.sources.Pools.Pools(ctx, r.on, tokens); err != nil {
			return nil, err
		}
	}
	return history.Ledger(position.NewPriceBook(prices, pools)), nil
}

// spotBuilder makes legs of a ledger: one for each token of a transaction.
type spotBuilder struct {
	facts  *leaderFacts
	on     *chain.Chain
	since  time.Time
	ledger *position.Ledger
	held   map[chain.Address]*spotHolding
}

// spotHolding is what the wallet holds of a token by its history; NaN from where its beginning is not known.
type spotHolding struct {
	asset    Asset
	quantity float64
}

// leftover is the part of what was held within which what is left counts as nothing, as it does for positions.
const leftover = 0.05

// build goes through trades and transfers in the order of the chain.
func (b *spotBuilder) build() {
	trades, transfers := b.ledger.Trades, b.ledger.Transfers
	for len(trades) > 0 || len(transfers) > 0 {
		if len(transfers) == 0 || len(trades) > 0 && !before(&transfers[0], &trades[0]) {
			b.trade(&trades[0])
			trades = trades[1:]
			continue
		}
		t := &transfers[0]
		transfers = transfers[1:]
		if b.on.IsQuote(t.Token) {
			continue
		}
		h := b.holding(t.Token)
		if t.In {
			h.quantity += t.Quantity
		} else {
			h.quantity = less(h.quantity, t.Quantity)
		}
		b.step(h, t.Time)
	}
}

// before tells whether a transfer came before a trade.
func before(transfer *position.Transfer, trade *position.Trade) bool {
	if transfer.Block != trade.Block {
		return transfer.Block < trade.Block
	}
	return transfer.Order < trade.Order
}

// less is what is left of a quantity; of an unknown one that is unknown.
func less(quantity, taken float64) float64 {
	if left := quantity - taken; left > leftover*quantity || math.IsNaN(left) {
		return left
	}
	return 0
}

func (b *spotBuilder) holding(token chain.Address) *spotHolding {
	h := b.held[token]
	if h == nil {
		h = &spotHolding{asset: Asset{Key: token.String(), Chain: b.on.Slug, Name: display.Symbol(b.on, token, b.ledger.Tokens[token].Symbol)}}
		if b.ledger.Truncated {
			h.quantity = math.NaN()
		}
		b.held[token] = h
	}
	return h
}

func (b *spotBuilder) step(h *spotHolding, at time.Time) {
	b.facts.steps = append(b.facts.steps, step{&h.asset, at, h.quantity})
}

func (b *spotBuilder) trade(t *position.Trade) {
	h := b.holding(t.Token)
	had := h.quantity
	leg := LeaderTrade{
		ID: "spot " + hex.EncodeToString(t.Tx[:]) + " " + t.Token.String(), Venue: agent.Spot, Asset: h.asset, Leg: Open, Side: Long,
		Price: math.NaN(), Quantity: t.Quantity, ValueUSD: math.NaN(), Share: math.NaN(), Leverage: 1, At: t.Time,
	}
	if t.Priced && known(t.ValueUSD) && known(t.Quantity) {
		leg.ValueUSD, leg.Price = t.ValueUSD, t.ValueUSD/t.Quantity
	}
	if t.Side == position.Buy {
		h.quantity += t.Quantity
	} else {
		leg.Leg = Close
		h.quantity = less(had, t.Quantity)
		leg.Flat = h.quantity == 0
		if known(had) {
			leg.Share = min(1, t.Quantity/had)
		}
	}
	b.step(h, t.Time)
	if t.Time.After(b.since) && known(t.Quantity) {
		b.facts.Trades = append(b.facts.Trades, leg)
	}
}

// addMeans tells what part of the quote assets that it held before each purchase the leader put in: those that it holds now, and what it
// paid and got since. Where a purchase has no value, or a balance no price, it is unknown.
func (r spotReader) addMeans(ctx context.Context, leader chain.Address, facts *leaderFacts) error {
	holdings, err := r.sources.Holdings.Holdings(ctx, r.on, leader)
	if err != nil {
		return err
	}
	means := 0.0
	for i := range holdings {
		h := &holdings[i]
		if !r.on.IsQuote(h.Token.Address) {
			continue
		}
		price := h.PriceUSD
		if !known(price) && r.on.IsStable(h.Token.Address) {
			price = 1
		}
		if units := market.Units(&h.Amount, h.Token.Decimals); units > 0 {
			means += units * price
		}
	}
	for i := len(facts.Trades) - 1; i >= 0; i-- {
		t := &facts.Trades[i]
		if t.Leg == Close {
			means -= t.ValueUSD
			continue
		}
		means += t.ValueUSD
		if known(means) && known(t.ValueUSD) {
			t.Share = min(1, t.ValueUSD/means)
		}
	}
	return nil
}
