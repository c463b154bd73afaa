package wallet

import (
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// The thresholds of the traits.
const (
	earlyEntrantShare = 0.50 // of entries within a day of launch
	averagesDownShare = 0.40 // of add-on buys below the mean entry
	oneHitShare       = 0.60 // of all gains from one position
	diversifiedTokens = 15
	concentratedHHI   = 0.25
	nightShare        = 0.60 // of trades between 0 and 6 h UTC
	gasShare          = 0.05 // of the value traded
	specialistShare   = 0.50 // of trades in one token
	turnoverPerWeek   = 30
	dispositionZ      = 1.645
	stableShare       = 0.60 // of buys paid in stablecoins
)

// traits lists what else stands out, in a fixed order. Each needs minimumTraitEvents observations.
func (f archetypeFacts) traits(c conduct) []trait {
	var traits []trait
	add := func(name string, holds bool, observations int) {
		if holds && observations >= minimumTraitEvents {
			traits = append(traits, trait{name: name, observations: observations})
		}
	}
	early, launched := f.earlyEntries()
	add("early-entrant", float64(early) >= earlyEntrantShare*float64(launched), launched)
	below, addOns := f.averagesDown()
	add("averages-down", float64(below) >= averagesDownShare*float64(addOns), addOns)
	winners, losers := f.holdsByOutcome()
	both := len(winners) + len(losers)
	if len(winners) >= 3 && len(losers) >= 3 {
		add("cuts-losers-fast", stats.Median(losers) < stats.Median(winners)/2, both)
		add("rides-winners", stats.Median(winners) > 2*stats.Median(losers), both)
	}
	add("one-hit-wonder", f.Measures.TopTradeShare >= oneHitShare, f.Measures.N)
	tokens, hhi := f.spread()
	add("diversified", tokens >= diversifiedTokens && hhi < concentratedHHI/2, c.positions)
	add("concentrated", hhi >= concentratedHHI, c.positions)
	night, busiest := f.hours()
	add("night-owl", float64(night) >= nightShare*float64(c.trades), c.trades)
	gas, value := f.gas()
	add("gas-spender", value > 0 && gas/value >= gasShare, c.trades)
	stable := f.paidInStables()
	add("stable-parker", float64(stable) >= stableShare*float64(c.buys), c.buys)
	add("token-specialist", float64(busiest) >= specialistShare*float64(c.trades), c.trades)
	add("high-turnover", f.tradesPerActiveWeek() >= turnoverPerWeek, c.trades)
	z, judged := f.disposition()
	add("sells-winners-keeps-losers", z >= dispositionZ, judged)
	add("sells-losers-keeps-winners", z <= -dispositionZ, judged)
	return traits
}

func (f archetypeFacts) earlyEntries() (early, launched int) {
	for i := range f.Book.Positions {
		p := &f.Book.Positions[i]
		if at, known := f.Launched[p.Token]; known && p.Buys > 0 {
			launched++
			if p.OpenedAt.Sub(at) < 24*time.Hour {
				early++
			}
		}
	}
	return early, launched
}

// averagesDown counts add-on buys, and those below the mean price paid so far.
func (f archetypeFacts) averagesDown() (below, addOns int) {
	type held struct{ quantity, cost float64 }
	holdings := make(map[[20]byte]held)
	for i := range f.Book.Ledger.Trades {
		t := &f.Book.Ledger.Trades[i]
		if !t.Priced || t.Quantity <= 0 {
			continue
		}
		h := holdings[t.Token]
		if t.Side == position.Sell {
			part := min(1, t.Quantity/math.Max(h.quantity, t.Quantity))
			h.quantity, h.cost = h.quantity*(1-part), h.cost*(1-part)
		} else {
			if h.quantity > 0 && h.cost > 1 {
				addOns++
				if t.ValueUSD/t.Quantity < 0.98*h.cost/h.quantity {
					below++
				}
			}
			h.quantity, h.cost = h.quantity+t.Quantity, h.cost+t.ValueUSD
		}
		holdings[t.Token] = h
	}
	return below, addOns
}

// holdsByOutcome lists the holding times, in seconds, of winners and of losers that were really sold.
func (f archetypeFacts) holdsByOutcome() (winners, losers []float64) {
	for i := range f.Evidence.Results {
		r := &f.Evidence.Results[i]
		switch {
		case r.Imputed:
		case r.Return > 0:
			winners = append(winners, r.Holding.Seconds())
		default:
			losers = append(losers, r.Holding.Seconds())
		}
	}
	return winners, losers
}

// spread counts the tokens entered and the concentration of cost over them.
func (f archetypeFacts) spread() (tokens int, herfindahl float64) {
	costs := make(map[[20]byte]float64)
	for i := range f.Book.Positions {
		if p := &f.Book.Positions[i]; p.CostUSD > 0 {
			costs[p.Token] += p.CostUSD
		}
	}
	weights := make([]float64, 0, len(costs))
	for _, cost := range costs {
		weights = append(weights, cost)
	}
	slices.Sort(weights)
	return len(weights), stats.Herfindahl(weights)
}

// hours counts trades between midnight and 6 h UTC, and those in the most traded token.
func (f archetypeFacts) hours() (night, busiest int) {
	perToken := make(map[[20]byte]int)
	for i := range f.Book.Ledger.Trades {
		t := &f.Book.Ledger.Trades[i]
		if t.Time.UTC().Hour() < 6 {
			night++
		}
		perToken[t.Token]++
		busiest = max(busiest, perToken[t.Token])
	}
	return night, busiest
}

func (f archetypeFacts) gas() (gas, value float64) {
	for i := range f.Book.Ledger.Trades {
		t := &f.Book.Ledger.Trades[i]
		gas += t.GasUSD
		if t.Priced {
			value += t.ValueUSD
		}
	}
	return gas, value
}

func (f archetypeFacts) paidInStables() int {
	n := 0
	for i := range f.Book.Ledger.Trades {
		if t := &f.Book.Ledger.Trades[i]; t.Side == position.Buy && f.Chain.IsStable(t.Quote) {
			n++
		}
	}
	return n
}

func (f archetypeFacts) tradesPerActiveWeek() float64 {
	weeks := make(map[int64]bool)
	for i := range f.Book.Ledger.Trades {
		weeks[f.Book.Ledger.Trades[i].Time.Unix()/int64(week/time.Second)] = true
	}
	if len(weeks) == 0 {
		return 0
	}
	return float64(len(f.Book.Ledger.Trades)) / float64(len(weeks))
}

// disposition compares the share of gains realised with the share of losses realised (Odean 1998) by a two-proportion z:
// positive sells winners and keeps losers.
func (f archetypeFacts) disposition() (z float64, judged int) {
	var gains, gainsSold, losses, lossesSold float64
	for i := range f.Book.Positions {
		p := &f.Book.Positions[i]
		switch {
		case p.Status == position.Closed && p.Rateable && !p.Imputed && p.ROI > 0:
			gains, gainsSold = gains+1, gainsSold+1
		case p.Status == position.Closed && p.Rateable && !p.Imputed:
			losses, lossesSold = losses+1, lossesSold+1
		case p.Status == position.Open && p.RecoverableUSD > p.CostUSD*(1-p.ClosedShare):
			gains++
		case p.Status == position.Open && p.RecoverableUSD >= 0, p.Imputed:
			losses++
		}
	}
	if gains < 3 || losses < 3 {
		return 0, int(gains + losses)
	}
	pooled := (gainsSold + lossesSold) / (gains + losses)
	spread := math.Sqrt(pooled * (1 - pooled) * (1/gains + 1/losses))
	if spread == 0 {
		return 0, int(gains + losses)
	}
	return (gainsSold/gains - lossesSold/losses) / spread, int(gains + losses)
}
