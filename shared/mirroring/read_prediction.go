package mirroring

import (
	"context"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// predictionReader reads wallets on the prediction venue. On is the chain of its money; Holdings may be missing.
type predictionReader struct {
	sources market.Sources
	on      *chain.Chain
}

func (r predictionReader) read(ctx context.Context, leader chain.Address, since, at time.Time) (*leaderFacts, error) {
	activity, err := r.sources.PredictionActivity.PredictionActivity(ctx, leader)
	if err != nil {
		return nil, err
	}
	facts := &leaderFacts{MedianGain: math.NaN(), Shares: make(map[string]float64)}
	b := predictionBuilder{
		facts: facts, since: since, held: make(map[string]*outcomeHolding), places: make(map[string]int), truncated: activity.Truncated,
	}
	trades, moves := activity.Trades, activity.Moves
	for len(trades) > 0 || len(moves) > 0 {
		if len(moves) == 0 || len(trades) > 0 && !moves[0].Time.Before(trades[0].Time) {
			if t := &trades[0]; !t.Time.After(at) {
				b.trade(t)
			}
			trades = trades[1:]
			continue
		}
		if m := &moves[0]; !m.Time.After(at) {
			b.move(m)
		}
		moves = moves[1:]
	}
	sortTrades(facts.Trades)
	if slices.ContainsFunc(facts.Trades, func(t LeaderTrade) bool { return t.Leg == Open }) {
		err = r.addMeans(ctx, leader, facts)
	}
	return facts, err
}

// predictionBuilder makes legs of a wallet's history: what one transaction bought or sold of one outcome.
type predictionBuilder struct {
	facts     *leaderFacts
	since     time.Time
	held      map[string]*outcomeHolding
	places    map[string]int
	truncated bool
}

// outcomeHolding is what the wallet holds of an outcome by its history; NaN where that cannot be told.
type outcomeHolding struct {
	asset  Asset
	shares float64
}

func (b *predictionBuilder) holding(t *market.PredictionTrade) *outcomeHolding {
	h := b.held[t.Asset]
	if h == nil {
		condition := "0x" + hex.EncodeToString(t.Market[:])
		name := "an outcome of market " + condition[:10]
		if t.Outcome >= 0 {
			name = "outcome " + strconv.Itoa(t.Outcome) + " of market " + condition[:10]
		}
		h = &outcomeHolding{asset: Asset{Key: t.Asset, Market: condition, Outcome: t.Outcome, Name: name}}
		if b.truncated {
			h.shares = math.NaN()
		}
		b.held[t.Asset] = h
	}
	return h
}

// move books shares that came or went without a trade. What a conversion changed of which outcome is not told.
func (b *predictionBuilder) move(m *market.PredictionMove) {
	condition := "0x" + hex.EncodeToString(m.Market[:])
	for _, h := range b.held {
		if h.asset.Market != condition {
			continue
		}
		switch m.Kind {
		case market.Split:
			h.shares += m.Shares
		case market.Merge:
			h.shares = less(h.shares, m.Shares)
		case market.Redemption:
			h.shares = 0
		case market.Conversion:
			h.shares = math.NaN()
		default:
			continue
		}
		b.facts.steps = append(b.facts.steps, step{&h.asset, m.Time, h.shares})
	}
}

func (b *predictionBuilder) trade(t *market.PredictionTrade) {
	if !known(t.Price) || !known(t.Shares) || t.Asset == "" || len(t.Asset) > 100 {
		return
	}
	h := b.holding(t)
	had, leg := h.shares, Open
	if t.Buy {
		h.shares += t.Shares
	} else {
		leg = Close
		h.shares = less(had, t.Shares)
	}
	b.facts.steps = append(b.facts.steps, step{&h.asset, t.Time, h.shares})
	if !t.Time.After(b.since) {
		return
	}
	id := "prediction " + t.Asset + " " + hex.EncodeToString(t.Transaction[:])
	if t.Transaction == (market.Hash{}) {
		id += strconv.FormatInt(t.Time.Unix(), 10) + " " + strconv.FormatFloat(t.Price, 'g', -1, 64) + " " + strconv.FormatFloat(t.Shares, 'g', -1, 64)
	}
	place, found := b.places[id+string(leg)]
	if !found {
		place = len(b.facts.Trades)
		b.places[id+string(leg)] = place
		b.facts.Trades = append(b.facts.Trades, LeaderTrade{
			ID: id, Venue: agent.Prediction, Asset: h.asset, Leg: leg, Side: Long, Share: math.NaN(), Leverage: 1, At: t.Time,
		})
	}
	trade := &b.facts.Trades[place]
	trade.Quantity += t.Shares
	trade.ValueUSD += t.Shares * t.Price
	trade.Price = trade.ValueUSD / trade.Quantity
	if leg == Close {
		trade.Flat = h.shares == 0
		left := 1.0
		if found && !math.IsNaN(trade.Share) {
			left = 1 - trade.Share
		}
		if known(had) {
			trade.Share = 1 - left*max(0, 1-t.Shares/had)
		}
	}
}

// addMeans tells what part of its means the leader put into each purchase: of its dollar coins on the venue's chain now, where they can be
// read, its open positions, and what it paid since.
func (r predictionReader) addMeans(ctx context.Context, leader chain.Address, facts *leaderFacts) error {
	positions, err := r.sources.PredictionPositions.PredictionPositions(ctx, leader)
	if err != nil {
		return err
	}
	means := 0.0
	for i := range positions.Open {
		if p := &positions.Open[i]; !p.Decided && known(p.Shares) && known(p.Price) {
			means += p.Shares * p.Price
		}
	}
	if r.sources.Holdings != nil && r.on != nil {
		holdings, err := r.sources.Holdings.Holdings(ctx, r.on, leader)
		if err != nil {
			return err
		}
		for i := range holdings {
			if h := &holdings[i]; r.on.IsStable(h.Token.Address) {
				means += market.Units(&h.Amount, h.Token.Decimals)
			}
		}
	}
	if !known(means) || positions.Truncated {
		return nil
	}
	for i := range positions.Open {
		if p := &positions.Open[i]; known(p.Shares) && known(p.Price) {
			facts.Shares[p.Asset] = p.Shares * p.Price / means
		}
	}
	for i := range facts.Trades {
		if t := &facts.Trades[i]; t.Leg == Open {
			t.Share = min(1, t.ValueUSD/max(means, t.ValueUSD))
		}
	}
	return nil
}
