package token

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

// ExitRiskAnswer says whether a holder can get out, and whether that is getting worse.
type ExitRiskAnswer struct {
	// ExitRisk says how hard it is to leave. One of low, medium, high, extreme or unknown.
	ExitRisk string `json:"exitRisk"`
	// Direction says whether that is changing. One of rising, stable, falling or unknown.
	Direction string `json:"direction"`
	// Score is 0 to 100, the higher the harder to leave; null when unknown.
	Score *float64 `json:"score"`
	// SellableBand is the size band of what can be sold at a tenth below the price. One of dust, micro, small, medium, large or whale;
	// null when unknown.
	SellableBand *string `json:"sellableBand"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// The exit risks, and the directions in which they go: rising is worse.
const (
	ExitLow     = "low"
	ExitMedium  = "medium"
	ExitHigh    = "high"
	ExitExtreme = "extreme"
	ExitUnknown = "unknown"

	DirectionRising  = "rising"
	DirectionStable  = "stable"
	DirectionFalling = "falling"
	DirectionUnknown = "unknown"
)

const (
	// mediumPositionUSD is the larger of the two positions whose exit is tried, besides smallPositionUSD.
	mediumPositionUSD = 10_000
	// poolFee is what a pool keeps of a swap.
	poolFee = 0.003
	// sellableImpact is the impact at which what can be sold is told.
	sellableImpact = 0.1
	// blockedScore is the lowest where nothing can be sold or a seventh of it is lost to tax.
	blockedScore = 90
	blockingTax  = 0.15
	// stuckScore is the lowest where a small position loses more than stuckLoss of its value.
	stuckScore, stuckLoss = 75, 0.5
	// uncheckedScore is the lowest where nobody could try to sell: what was not checked is never low.
	uncheckedScore = 25
	// oneOwnerShare is the part of the liquidity from which one account can take the market away.
	oneOwnerShare = 0.5
	// uncheckedOwner are the points where nobody knows who can withdraw the liquidity.
	uncheckedOwner = 10
	soonUnlocked   = 7 * 24 * time.Hour
	youngPool      = 24 * time.Hour
	// A flow is told by so many trades. It presses from a tenth of the traded value, and moves the exit from a tenth of the reserve.
	minimumFlowTrades = 10
	pressingNet       = -0.1
	movingReserve     = 0.1
	// leastLiquidityChange is the fitted change of liquidity that is a direction; suddenFall the part of its highest of the last day
	// that, when gone, is one without any test.
	leastLiquidityChange = 0.1
	suddenFall           = 0.3
)

var exitNeeds = func() []market.Port {
	needs := append(slices.Clone(tokenrisk.Needs), observedNeeds...)
	needs = append(needs, market.TradeFacts)
	slices.Sort(needs)
	return slices.Compact(needs)
}()

func (p page) exitRiskEndpoint() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "exit-risk", Units: 2, Graded: true,
		Summary:    "Says whether holders of a token can get out, and whether that is getting harder.",
		Parameters: parameters, Needs: exitNeeds,
	}, p.exitRisk, asItIs[ExitRiskAnswer])
}

func (p page) exitRisk(ctx context.Context, r *endpoint.Request) (ExitRiskAnswer, error) {
	return once(ctx, r, 0, func(ctx context.Context) (ExitRiskAnswer, error) {
		facts, err := p.gatherExit(ctx, r)
		if isNotAToken(err) {
			return ExitRiskAnswer{ExitRisk: ExitUnknown, Direction: DirectionUnknown, Reasons: []reason.Reason{notAToken(err)}}, nil
		}
		if err != nil {
			return ExitRiskAnswer{}, err
		}
		return assessExit(facts, r.AsOf), nil
	})
}

type exitFacts struct {
	risk     *tokenrisk.Assessment
	pools    []market.Pool
	trades   *market.TokenTrades
	observed []tokenfacts.Observation
	// topShare is what the ten largest holders have, infrastructure left out, and supply all there is in token units. NaN when unknown.
	topShare, supply float64
}

func (p page) gatherExit(ctx context.Context, r *endpoint.Request) (*exitFacts, error) {
	s := subjectOf(r)
	contract, err := tokenContract(ctx, r)
	if err != nil {
		return nil, err
	}
	facts := new(exitFacts)
	var holders *market.TokenHolders
	group, groupCtx := parallel.WithContext(ctx)
	group.Go(func() (err error) { facts.observed, err = p.observed(groupCtx, r); return err })
	group.Go(func() (err error) { facts.risk, err = p.risk(groupCtx, r); return err })
	group.Go(func() (err error) { facts.pools, err = tokenfacts.Pools(groupCtx, r.Session, s); return err })
	group.Go(func() (err error) { facts.trades, err = tokenfacts.Trades(groupCtx, r.Session, s); return err })
	group.Go(func() (err error) { holders, err = tokenfacts.Holders(groupCtx, r.Session, s); return err })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	facts.topShare = tokenfacts.TopShare(holders, facts.pools, s.Token)
	facts.supply = supplyOf(contract)
	return facts, nil
}

// exitLoss is the part of its value that a position loses when it is sold at once into a constant-product pool: out = Y*q(1-f) /
// (X + q(1-f)) for q tokens against reserves of X tokens and Y of the quote, where the token's tax is taken before the pool sees the
// rest. quoteUSD is Y; all but it are fractions.
func exitLoss(valueUSD, quoteUSD, fee, tax float64) float64 {
	arrives := valueUSD * (1 - tax) * (1 - fee)
	return 1 - arrives*quoteUSD/(quoteUSD+arrives)/valueUSD
}

// sellable is what can be sold at a tenth below the price: Y*0.1/0.9.
func sellable(quoteUSD float64) float64 { return quoteUSD * sellableImpact / (1 - sellableImpact) }

// assessExit adds up points for what stands in the way of selling into the deepest pool. Without a pool that has a price nothing can be
// said, unless selling is known to be blocked or the pools to be empty. Where nobody could try to sell, the risk is medium at least;
// where a small position loses more than half of its value, it is extreme.
func assessExit(f *exitFacts, asOf time.Time) ExitRiskAnswer {
	deepest, pooled := tokenfacts.Deepest(f.pools)
	blocked := f.risk.SellBlocked == market.Yes
	answer := ExitRiskAnswer{ExitRisk: ExitUnknown, Direction: DirectionUnknown}
	drained := !pooled && tokenfacts.LiquidityUSD(f.pools) == 0
	if !pooled && !blocked && !drained {
		answer.Reasons = []reason.Reason{because("NO_POOL", 3, "No pool with a price is known for this token, so nothing tells whether it can be sold.")}
		return answer
	}
	e := exit{asOf: asOf}
	quote := 0.0
	switch {
	case pooled:
		quote = deepest.LiquidityUSD / 2
		e.weighDepth(f, &deepest)
		e.weighOwners(f)
		e.weighFlow(f)
		told := len(e.reasons)
		if answer.Direction = e.direction(f, quote); blocked && answer.Direction == DirectionFalling {
			answer.Direction, e.reasons = DirectionUnknown, e.reasons[:told]
			e.note(2, "NO_DIRECTION", "While selling fails, what flows into the pool makes it no easier to leave.")
		}
	case drained:
		e.add(100, "DRAINED", "Its pools hold nothing any more: there is nobody to sell to.")
		e.note(2, "NO_DIRECTION", "Without liquidity there is no direction.")
	default:
		e.note(2, "NO_POOL", "No pool with a price is known for this token.")
	}
	e.weighSelling(f.risk)
	e.score = min(e.score, 100)
	answer.Score = display.Score(e.score)
	answer.ExitRisk = exitBand(e.score)
	if blocked {
		quote = 0
	}
	band := display.SizeBand(sellable(quote))
	answer.SellableBand = &band
	answer.Reasons = reason.Top(e.reasons)
	return answer
}

func exitBand(score float64) string {
	switch {
	case score < 25:
		return ExitLow
	case score < 50:
		return ExitMedium
	case score < 75:
		return ExitHigh
	}
	return ExitExtreme
}

// exit is an exit risk while it is added up.
type exit struct {
	asOf    time.Time
	score   float64
	reasons []reason.Reason
}

// add counts points and says why, the weight being the points.
func (e *exit) add(points float64, code, template string, values ...any) {
	e.score += points
	e.reasons = append(e.reasons, because(code, points, template, values...))
}

func (e *exit) note(weight float64, code, template string, values ...any) {
	e.reasons = append(e.reasons, because(code, weight, template, values...))
}

func (e *exit) weighDepth(f *exitFacts, deepest *market.Pool) {
	quote := deepest.LiquidityUSD / 2
	tax := 0.0
	if f.risk.SellTax > 0 {
		tax = min(f.risk.SellTax, 1)
	}
	small, medium := exitLoss(smallPositionUSD, quote, poolFee, tax), exitLoss(mediumPositionUSD, quote, poolFee, tax)
	points := 0.0
	switch {
	case small > 0.10:
		points += 30
	case small > 0.02:
		points += 10
	}
	switch {
	case medium > 0.50:
		points += 20
	case medium > 0.10:
		points += 10
	}
	e.score += points
	if small > stuckLoss {
		e.score = max(e.score, stuckScore)
	}
	if f.risk.SellBlocked != market.Yes {
		e.note(max(points, 4), "IMPACT", "Selling a small position loses %s of its value to price impact and fees, a medium one %s.",
			display.PercentText(small), display.PercentText(medium))
	}
	if made := deepest.CreatedAt; !made.IsZero() && e.asOf.Sub(made) < youngPool {
		e.add(5, "YOUNG_POOL", "The pool is %s old.", display.DurationText(e.asOf.Sub(made)))
	}
	e.weighOverhang(f, deepest.PriceUSD, sellable(quote))
}

func (e *exit) weighOverhang(f *exitFacts, price, absorbs float64) {
	times := f.topShare * f.supply * price / absorbs
	switch {
	case math.IsNaN(times):
		e.note(1, "UNCHECKED_HOLDERS", "What the largest holders could sell is not known.")
	case times > 10:
		e.add(25, "OVERHANG", "The ten largest holders could sell more than 10 times what the pool absorbs at a tenth below the price.")
	case times > 3:
		e.add(15, "OVERHANG", "The ten largest holders could sell %.0f times what the pool absorbs at a tenth below the price.", times)
	}
}

func (e *exit) weighOwners(f *exitFacts) {
	switch removable := f.risk.RemovableShare; {
	case removable >= oneOwnerShare:
		e.add(25, "ONE_OWNER", "One address can withdraw %s of the liquidity.", display.PercentText(removable))
	case math.IsNaN(removable):
		e.add(uncheckedOwner, "UNCHECKED_OWNER", "Who can withdraw the liquidity could not be checked.")
	}
	if unlocks := f.risk.UnlocksAt; unlocks.After(e.asOf) && unlocks.Sub(e.asOf) < soonUnlocked {
		e.add(15, "LP_EXPIRES", "Liquidity unlocks in %s.", display.DurationText(unlocks.Sub(e.asOf)))
	}
}

// weighFlow counts the last day's pressure to sell.
func (e *exit) weighFlow(f *exitFacts) {
	day := f.lastDay(e.asOf)
	if net := day.net(); day.trades >= minimumFlowTrades && net < pressingNet {
		e.add(10, "SELL_PRESSURE", "Of what was traded in the last day, %s more was sold than bought.", display.PercentText(-net))
	}
}

func (f *exitFacts) lastDay(asOf time.Time) flow {
	return flowOf(f.trades.Trades, func(t *market.TokenTrade) bool { return asOf.Sub(t.Time) <= 24*time.Hour })
}

func (e *exit) weighSelling(risk *tokenrisk.Assessment) {
	switch {
	case risk.SellBlocked == market.Yes:
		e.score = max(e.score, blockedScore)
		e.note(100, "SELL_FAILS", "Selling failed in a test trade or is reported to fail; there may be no way out at any size.")
	case risk.SellTax >= blockingTax:
		e.score = max(e.score, blockedScore)
		e.note(90, "SELL_TAX", "Every sale pays a tax of %s.", display.PercentText(risk.SellTax))
	case risk.SellBlocked == market.Unknown:
		e.score = max(e.score, uncheckedScore)
		e.note(20, "UNCHECKED_SELL", "Whether the token can be sold could not be tried, so the risk is not called low.")
	}
}

// direction is rising when the way out gets narrower: by liquidity over a day, else over the week, else by what trades took out of the
// pool or put into it.
func (e *exit) direction(f *exitFacts, quoteUSD float64) string {
	liquidity := func(o tokenfacts.Observation) float64 { return o.LiquidityUSD }
	day := driftOf(f.observed, e.asOf.Add(-24*time.Hour), liquidity)
	week := driftOf(f.observed, e.asOf.Add(-observedWindow), liquidity)
	if fall := fallWithin(f.observed, e.asOf.Add(-24*time.Hour)); fall >= suddenFall {
		e.note(30, "WORSENING", "Liquidity is %s below its highest of the last day.", display.PercentText(fall))
		return DirectionRising
	}
	for _, d := range [...]drift{day, week} {
		switch d.direction(leastLiquidityChange) {
		case -1:
			e.note(15, "WORSENING", "Liquidity fell %s in %s.", display.PercentText(-d.change), display.DurationText(d.span))
			return DirectionRising
		case 1:
			e.note(3, "EASING", "Liquidity grew %s in %s.", display.PercentText(d.change), display.DurationText(d.span))
			return DirectionFalling
		}
	}
	traded := f.lastDay(e.asOf)
	if moved := (traded.buyUSD - traded.sellUSD) / quoteUSD; traded.trades >= minimumFlowTrades && math.Abs(moved) >= movingReserve {
		if moved < 0 {
			e.note(12, "WORSENING", "The last day's trades took %s of the pool's reserve out on balance.", display.PercentText(min(-moved, 1)))
			return DirectionRising
		}
		e.note(3, "EASING", "The last day's trades put %s of the pool's reserve in on balance.", display.PercentText(moved))
		return DirectionFalling
	}
	if !day.known && !week.known {
		e.note(2, "DIRECTION_UNKNOWN", "The direction is unknown: it takes %d measurements of liquidity over %s, and there %s %s so far.",
			minimumObservations, display.DurationText(minimumSpan), isOrAre(week.observations), soFar(week, "measurement"))
		return DirectionUnknown
	}
	e.note(2, "STEADY", "Liquidity shows no clear direction over %s.", display.DurationText(week.span))
	return DirectionStable
}

// soFar writes what a drift could be told by if there were more of it.
func soFar(d drift, noun string) string {
	if d.observations < 2 {
		return display.Count(d.observations, noun)
	}
	return display.Count(d.observations, noun) + " over " + display.DurationText(d.span)
}

// fallWithin is the part of the highest liquidity since a time that is gone now.
func fallWithin(series []tokenfacts.Observation, since time.Time) float64 {
	highest := 0.0
	for _, o := range series {
		if !o.At.Before(since) && o.LiquidityUSD > highest {
			highest = o.LiquidityUSD
		}
	}
	now := series[len(series)-1].LiquidityUSD
	if !(highest > 0) || math.IsNaN(now) {
		return 0
	}
	return 1 - now/highest
}
