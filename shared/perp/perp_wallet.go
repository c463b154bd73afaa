package perp

import (
	"context"
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/perprecord"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// PerpWalletAnswer is an account's profile on a perpetuals venue. An account without measurable history has a winRate of null and a
// coverage that says why, which is unknown, not bad.
type PerpWalletAnswer struct {
	// Positions are open now, the largest first.
	Positions []Position `json:"positions"`
	// AccountBand is the size of the account in USD, margin and dollar coins together. One of under-1k, 1k-10k, 10k-100k, 100k-1m or
	// over-1m; null where the venue's numbers are none.
	AccountBand *string `json:"accountBand"`
	// Bias weighs long positions against short ones by value. One of long-only, long-heavy, balanced, short-heavy, short-only or flat.
	Bias string `json:"bias"`
	// EffectiveLeverage is the value of all positions over the account's margin; null without margin to compare with.
	EffectiveLeverage *float64 `json:"effectiveLeverage"`
	// WinRate is the share of closing trades that made money after their own fees, 0 to 1; null unless coverage.reason is ok.
	WinRate *float64 `json:"winRate"`
	// WinRateInterval is where the true rate likely is (95 %), which is worth as many independent trades as there are positions from
	// flat to flat; null with winRate.
	WinRateInterval *Interval `json:"winRateInterval"`
	// ClosedTrades counts orders that closed something at a profit or loss.
	ClosedTrades int `json:"closedTrades"`
	// ClosedPositions counts positions from flat to flat.
	ClosedPositions int `json:"closedPositions"`
	// ProfitFactor is what closed positions gained over what they lost, after fees and known funding; null without a loss, where funding
	// that is not known may have been much of it, and unless coverage.reason is ok.
	ProfitFactor *float64 `json:"profitFactor"`
	// FundingPaidPct is what was paid in funding in the last 30 days in percent of the margin, negative when it was received; null
	// when unknown.
	FundingPaidPct *float64 `json:"fundingPaidPct"`
	// Liquidations counts the liquidations in what could be read.
	Liquidations int `json:"liquidations"`
	// LastLiquidationDaysAgo is in whole days; null without one.
	LastLiquidationDaysAgo *int `json:"lastLiquidationDaysAgo"`
	// NearestLiquidation is the position that the venue would liquidate first, other prices staying as they are.
	NearestLiquidation *Nearest `json:"nearestLiquidation"`
	// StressMovePct is the smallest move of all prices together that liquidates a position, negative for a fall; null when none does,
	// or when it is unknown.
	StressMovePct *float64 `json:"stressMovePct"`
	// Truncated is true when older fills exist than could be read.
	Truncated bool `json:"truncated"`
	// Coverage says whether there is enough history to measure results.
	Coverage Coverage `json:"coverage"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// Position is one open position.
type Position struct {
	// Coin is the contract's name at the venue.
	Coin string `json:"coin"`
	// Side is the position's direction. One of long or short.
	Side string `json:"side"`
	// Leverage is what the account set.
	Leverage *float64 `json:"leverage"`
	// LeverageType is whether the account's margin backs the position, or margin of its own. One of cross or isolated.
	LeverageType string `json:"leverageType"`
	// SizeBand is the order of magnitude of the position's value in USD. One of dust, micro, small, medium, large or whale.
	SizeBand string `json:"sizeBand"`
	// PnLDirection is where the position stands; flat is less than half a percent of the margin. One of up, down or flat; null when
	// unknown.
	PnLDirection *string `json:"pnlDirection"`
	// ReturnOnEquityPct is the position's unrealized result in percent of its margin.
	ReturnOnEquityPct *float64 `json:"returnOnEquityPct"`
	// WeightPct is the position's part of the value of all, 0 to 100.
	WeightPct *float64 `json:"weightPct"`
	// LiquidationDistancePct is how far the price is from the venue's liquidation price; null when the venue gives none.
	LiquidationDistancePct *float64 `json:"liquidationDistancePct"`
}

// Interval is a range of a rate.
type Interval struct {
	// Low is the lower end, 0 to 1.
	Low *float64 `json:"low"`
	// High is the upper end, 0 to 1.
	High *float64 `json:"high"`
}

// Nearest is the position nearest to its liquidation.
type Nearest struct {
	// Coin is the contract's name at the venue.
	Coin string `json:"coin"`
	// DistancePct is how far its price may move before the venue liquidates it.
	DistancePct *float64 `json:"distancePct"`
}

// Coverage says whether there is enough history to measure results.
type Coverage struct {
	// Reason says what there is to measure. One of ok, no-venue-history, open-positions-only, account-too-new or
	// below-min-closed-trades.
	Reason string `json:"reason"`
	// Note is a line to be shown verbatim.
	Note string `json:"note"`
}

// PerpWallet declares perp-wallet.
func PerpWallet() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "perp-wallet", Units: 3, Graded: true,
		Summary:    "Profiles a wallet's perpetual futures: open positions, distance to liquidation, and how its closed trades went.",
		Parameters: []endpoint.Parameter{endpoint.Wallet},
		Needs:      perprecord.Needs,
	}, gather, assess)
}

func gather(ctx context.Context, r *endpoint.Request) (*perprecord.Record, error) {
	return perprecord.Of(ctx, r.Session, endpoint.Wallet.Of(r), r.AsOf)
}

func assess(record *perprecord.Record, asOf time.Time) PerpWalletAnswer {
	e := expose(record)
	paid := fundingPaid(record, e.marginUSD)
	h := measure(record, paid)
	c := cover(record, h, len(e.positions), asOf)
	answer := PerpWalletAnswer{
		Positions: e.rows(), AccountBand: band(e.accountUSD), Bias: e.bias(), EffectiveLeverage: pointer(display.Round(e.leverage(), 2)),
		ClosedTrades: h.orders, ClosedPositions: len(record.Book.Episodes), FundingPaidPct: display.Percent(paid),
		StressMovePct: display.Percent(e.stress), Truncated: record.Fills.Truncated, Coverage: c,
		Reasons: explain(record, e, h, paid, c, asOf),
	}
	if c.Reason == coverageOK {
		answer.WinRate = display.Probability(h.winRate())
		answer.WinRateInterval = &Interval{display.Probability(h.low), display.Probability(h.high)}
		answer.ProfitFactor = pointer(display.Round(h.profitFactor, 2))
	}
	count, last := record.Liquidations()
	if answer.Liquidations = count; count > 0 {
		days := daysBetween(last, asOf)
		answer.LastLiquidationDaysAgo = &days
	}
	if nearest, found := e.nearest(); found {
		answer.NearestLiquidation = &Nearest{nearest.name, display.Percent(nearest.distance)}
	}
	return answer
}

// history is what the closed trades come to.
type history struct {
	// orders are closing trades that made or lost money, of which won made it.
	orders, won int
	// episodeWins counts closed positions that made money.
	episodeWins int
	// low and high bound the true win rate, 0 to 1.
	low, high float64
	// profitFactor is NaN without a loss, and where fundingMatters: the funding of fundingUnknown closed positions is not known, and
	// that of others was too much to leave it out.
	profitFactor   float64
	fundingUnknown int
	fundingMatters bool
	// gainsUSD and lossesUSD sum up closed positions, both at or above 0.
	gainsUSD, lossesUSD float64
}

// confidence95 is the normal quantile of a two-sided interval of 95 %.
const confidence95 = 1.959963984540054

// Where funding was more than materialFunding of the results of positions whose funding is known, or more than materialPaid of the
// margin in its window, results without it are others.
const (
	materialFunding = 0.2
	materialPaid    = 0.05
)

// measure takes what was paid in the funding window, as a part of the margin, NaN for unknown.
func measure(record *perprecord.Record, paid float64) history {
	h := history{profitFactor: math.NaN()}
	knownFunding, knownResults := 0., 0.
	for _, o := range record.Book.Orders {
		if o.Won() {
			h.won++
		}
		if o.NetUSD() != 0 || o.Forced == market.Liquidated {
			h.orders++
		}
	}
	for i := range record.Book.Episodes {
		e := &record.Book.Episodes[i]
		net := e.NetUSD()
		if math.IsNaN(e.FundingUSD) {
			h.fundingUnknown++
		} else {
			knownFunding += math.Abs(e.FundingUSD)
			knownResults += math.Abs(e.PnLUSD - e.FeesUSD)
		}
		if net > 0 {
			h.gainsUSD += net
		} else {
			h.lossesUSD -= net
		}
		if net > 0 && !e.Liquidated {
			h.episodeWins++
		}
	}
	// Fills and orders of one position are no independent results: the rate is worth as many as there are positions.
	h.low, h.high = stats.WilsonRate(h.winRate(), float64(min(h.orders, len(record.Book.Episodes))), confidence95)
	h.fundingMatters = h.fundingUnknown > 0 && (knownFunding > materialFunding*knownResults || math.Abs(paid) > materialPaid)
	if h.lossesUSD > 0 && !h.fundingMatters {
		h.profitFactor = h.gainsUSD / h.lossesUSD
	}
	return h
}

// winRate is the share of closing trades that were won; NaN without any.
func (h history) winRate() float64 { return float64(h.won) / float64(h.orders) }

// plausibleLeverage is the most that margin can have carried on the venue.
const plausibleLeverage = 50

// fundingPaid is what was paid in the funding window over the margin of now, a fraction. It is NaN where the payments, or the
// margin, are not known, and where the margin of now cannot have carried the positions of then: the account was another one.
func fundingPaid(record *perprecord.Record, marginUSD float64) float64 {
	f := record.Funding
	if f == nil || f.Truncated || !(marginUSD > 0) || f.LargestValueUSD() > plausibleLeverage*marginUSD {
		return math.NaN()
	}
	return -f.ReceivedUSD() / marginUSD
}

func daysBetween(then, now time.Time) int { return max(0, int(now.Sub(then)/(24*time.Hour))) }

func band(usd float64) *string {
	name := display.AccountBand(usd)
	if name == "" {
		return nil
	}
	return &name
}

func pointer(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}
