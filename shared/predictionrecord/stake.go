package predictionrecord

import (
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

const (
	// flatShare is the part of what was acquired below which the rest of a position no longer matters.
	flatShare = 0.05
	// oversoldShare and oversoldShares are how far sales may exceed what is known to have come in before something is missing.
	oversoldShare, oversoldShares = 0.02, 1
	// redeemedExcess is how far a redemption may exceed what the known shares were worth.
	redeemedExcess = 1.02
)

// leg is a wallet's dealing in one outcome.
type leg struct {
	asset                            string
	account                          Account
	bought, boughtUSD, sold, soldUSD float64
}

// stake is a wallet's dealing in one market.
type stake struct {
	id    market.Hash
	event int
	facts market.PredictionMarket
	known bool
	legs  []leg
	// Splits and merges are in pairs (sets, where there are more outcomes than two) and in what was paid.
	split, splitUSD, merged, mergedUSD float64
	redeemedUSD                        float64
	redeemedAt                         time.Time
	opened, last                       time.Time
}

func newStake(id market.Hash, event int, facts map[market.Hash]market.PredictionMarket) *stake {
	s := &stake{id: id, event: event, redeemedUSD: math.NaN()}
	s.facts, s.known = facts[id]
	s.legs = make([]leg, 0, 2)
	for i := range s.facts.Outcomes {
		s.legs = append(s.legs, leg{asset: s.facts.Outcomes[i].Asset})
	}
	return s
}

func (s *stake) leg(asset string) *leg {
	for i := range s.legs {
		if s.legs[i].asset == asset {
			return &s.legs[i]
		}
	}
	s.legs = append(s.legs, leg{asset: asset})
	return &s.legs[len(s.legs)-1]
}

// opposite is the other outcome of a market with two, empty when there is none or it is unknown.
func (s *stake) opposite(asset string) string {
	if len(s.legs) != 2 {
		return ""
	}
	if s.legs[0].asset == asset {
		return s.legs[1].asset
	}
	return s.legs[0].asset
}

func (s *stake) touch(at time.Time) {
	if s.opened.IsZero() {
		s.opened = at
	}
	s.last = at
}

func (s *stake) trade(t *market.PredictionTrade) {
	s.touch(t.Time)
	l, usd := s.leg(t.Asset), paid(t)
	if t.Buy {
		l.bought, l.boughtUSD = l.bought+t.Shares, l.boughtUSD+usd
		l.account.Buy(t.Shares, usd)
		return
	}
	l.sold, l.soldUSD = l.sold+t.Shares, l.soldUSD+usd
	l.account.Sell(t.Shares, usd)
}

// paid is what changed hands in a trade. Sales never bring less than nothing, and the price tells where the amount is missing.
func paid(t *market.PredictionTrade) float64 {
	if t.USD > 0 && !math.IsInf(t.USD, 1) {
		return t.USD
	}
	return t.Price * t.Shares
}

// move adds a split, a merge or a redemption. A pair is worth a dollar, which stands in for an unknown quantity or amount. What is
// redeemed is counted at the market's payout like what is not; conversions leave everything as it was, since the shares they take
// and the shares and dollars they give are worth the same whatever happens.
func (s *stake) move(m *market.PredictionMove) {
	shares, usd := m.Shares, m.USD
	if !(shares > 0) {
		shares = usd
	}
	if !(usd > 0) {
		usd = shares
	}
	switch m.Kind {
	case market.Split, market.Merge:
		if !(shares > 0) {
			return
		}
		s.touch(m.Time)
		each := usd / float64(max(1, len(s.legs)))
		if m.Kind == market.Split {
			s.split, s.splitUSD = s.split+shares, s.splitUSD+usd
			for i := range s.legs {
				s.legs[i].account.Buy(shares, each)
			}
			return
		}
		s.merged, s.mergedUSD = s.merged+shares, s.mergedUSD+usd
		for i := range s.legs {
			s.legs[i].account.Sell(shares, each)
		}
	case market.Redemption:
		if m.USD >= 0 {
			if math.IsNaN(s.redeemedUSD) {
				s.redeemedUSD = 0
			}
			s.redeemedUSD += m.USD
			s.redeemedAt = m.Time
		}
	}
}

// count is how many shares of an outcome are left, redeemed ones included.
func (s *stake) count(l *leg) float64 { return l.bought + s.split - s.merged - l.sold }

// separated is how many shares of an outcome were sold out of split pairs, which is to buy the others at a dollar less the price.
func (s *stake) separated(l *leg) float64 { return max(0, min(l.sold-l.bought, s.split)) }

// cost is what was put at risk: purchases, and what remained of split pairs after one side was sold.
func (s *stake) cost() float64 {
	cost := 0.0
	for i := range s.legs {
		l := &s.legs[i]
		cost += l.boughtUSD
		if x := s.separated(l); x > 0 && len(s.legs) == 2 {
			cost += max(0, x*(1-l.soldUSD/l.sold))
		}
	}
	if len(s.legs) > 2 {
		cost += s.splitUSD
	}
	return cost
}

// pairs is how many whole pairs are held, each worth a dollar whatever happens.
func (s *stake) pairs() float64 {
	if len(s.legs) < 2 {
		return 0
	}
	least := math.Inf(1)
	for i := range s.legs {
		least = min(least, s.count(&s.legs[i]))
	}
	return max(0, least)
}

// paired is how many pairs of both outcomes were paid for, by merging, holding or selling them: dealing on which the outcome has no
// bearing. Pairs that were split and left whole count for nothing, as they cost nothing.
func (s *stake) paired() float64 {
	if len(s.legs) != 2 {
		return 0
	}
	a, b := s.separated(&s.legs[0]), s.separated(&s.legs[1])
	return max(0, s.merged+s.pairs()+min(a, b)-max(0, s.split-max(a, b)))
}

// flat tells whether next to nothing depends on the outcome any more.
func (s *stake) flat() bool {
	pairs := s.pairs()
	return !slices.ContainsFunc(s.legs, func(l leg) bool {
		return math.Abs(s.count(&l)-pairs) > flatShare*max(l.bought+s.split, l.sold)
	})
}

// oversold tells whether more was sold than came in, so that some of it came in a way that is not known.
func (s *stake) oversold() bool {
	return slices.ContainsFunc(s.legs, func(l leg) bool {
		return s.count(&l) < -max(oversoldShares, oversoldShare*l.sold)
	})
}

// cash is what came in less what went out before the end.
func (s *stake) cash() float64 {
	cash := s.mergedUSD - s.splitUSD
	for i := range s.legs {
		cash += s.legs[i].soldUSD - s.legs[i].boughtUSD
	}
	return cash
}

// worth values what is left by outcome; NaN when a value that matters is unknown.
func (s *stake) worth(value func(asset string) float64) float64 {
	pairs := s.pairs()
	worth := pairs
	for i := range s.legs {
		if left := s.count(&s.legs[i]) - pairs; math.Abs(left) > 1e-9 {
			worth += left * value(s.legs[i].asset)
		}
	}
	return worth
}
