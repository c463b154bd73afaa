package token

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
)

// TokenHoldersInsightAnswer tells whether holders gather or leave, and whether they are people.
type TokenHoldersInsightAnswer struct {
	// Trend says whether holders gather or leave. One of accumulating, stable, bleeding or unknown.
	Trend string `json:"trend"`
	// Origin says whether the buyers look like people. One of organic, mixed, bot-driven or unknown.
	Origin string `json:"origin"`
	// TopHoldersPct is what the ten largest holders hold, infrastructure left out, 0 to 100; null when unknown.
	TopHoldersPct *float64 `json:"topHoldersPct"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// The directions of a token's holders.
const (
	HoldersAccumulating = "accumulating"
	HoldersStable       = "stable"
	HoldersBleeding     = "bleeding"
	HoldersUnknown      = "unknown"
)

const (
	// leastHolderChange is the fitted change of the number of holders, and leastTopChange the part of the supply that the largest
	// holders bought or sold on balance, from which there is a direction.
	leastHolderChange = 0.01
	leastTopChange    = 0.005
)

var holdersNeeds = append(slices.Clone(observedNeeds), market.TradeFacts)

func (p page) tokenHoldersInsight() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "token-holders-insight", Units: 2, Graded: true,
		Summary:    "Says whether a token's holders gather or leave, and whether its buyers look like people.",
		Parameters: parameters, Needs: holdersNeeds,
	}, p.holdersInsight, asItIs[TokenHoldersInsightAnswer])
}

func (p page) holdersInsight(ctx context.Context, r *endpoint.Request) (TokenHoldersInsightAnswer, error) {
	return once(ctx, r, 0, func(ctx context.Context) (TokenHoldersInsightAnswer, error) {
		facts, err := p.gatherHolders(ctx, r)
		if isNotAToken(err) {
			return TokenHoldersInsightAnswer{Trend: HoldersUnknown, Origin: OriginUnknown, Reasons: []reason.Reason{notAToken(err)}}, nil
		}
		if err != nil {
			return TokenHoldersInsightAnswer{}, err
		}
		return assessHolders(facts, r.AsOf), nil
	})
}

type holderFacts struct {
	observed []tokenfacts.Observation
	// top are the largest holders, infrastructure left out; topShare is what the ten largest hold, NaN when unknown.
	top      []market.Holder
	topShare float64
	pooled   bool
	trades   *market.TokenTrades
	// supply is in token units; NaN when unknown.
	supply float64
}

func (p page) gatherHolders(ctx context.Context, r *endpoint.Request) (*holderFacts, error) {
	s := subjectOf(r)
	contract, err := tokenContract(ctx, r)
	if err != nil {
		return nil, err
	}
	facts := new(holderFacts)
	var pools []market.Pool
	var holders *market.TokenHolders
	group, groupCtx := parallel.WithContext(ctx)
	group.Go(func() (err error) { facts.observed, err = p.observed(groupCtx, r); return err })
	group.Go(func() (err error) { pools, err = tokenfacts.Pools(groupCtx, r.Session, s); return err })
	group.Go(func() (err error) { holders, err = tokenfacts.Holders(groupCtx, r.Session, s); return err })
	group.Go(func() (err error) { facts.trades, err = tokenfacts.Trades(groupCtx, r.Session, s); return err })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	_, facts.pooled = tokenfacts.Deepest(pools)
	facts.top = tokenfacts.IndependentHolders(holders, pools, s.Token)
	facts.topShare = tokenfacts.TopShare(holders, pools, s.Token)
	facts.supply = supplyOf(contract)
	return facts, nil
}

// supplyOf is a contract's total supply in token units; NaN when it tells none.
func supplyOf(contract *market.Contract) float64 {
	if contract.AnswersSupply != market.Yes || contract.AnswersDecimals != market.Yes || contract.TotalSupply.IsZero() {
		return math.NaN()
	}
	return market.Units(&contract.TotalSupply, contract.Decimals)
}

// topHoldersBought is the part of the supply that the listed largest holders bought on balance in the listed trades, and how many of
// those trades were theirs.
func (f *holderFacts) topHoldersBought() (fraction float64, trades int) {
	large := make(map[chain.Address]bool, len(f.top))
	for i := range f.top {
		large[f.top[i].Account.Address] = true
	}
	amount := 0.0
	for _, t := range inChainOrder(f.trades.Trades) {
		if !large[t.Trader] || !(t.Amount > 0) || math.IsInf(t.Amount, 0) {
			continue
		}
		trades++
		if t.Buy {
			amount += t.Amount
		} else {
			amount -= t.Amount
		}
	}
	return amount / f.supply, trades
}

// assessHolders tells the trend by the number of holders, and lets no direction stand against which the largest holders trade.
func assessHolders(f *holderFacts, asOf time.Time) TokenHoldersInsightAnswer {
	origin := OriginOf(f.trades.Trades)
	answer := TokenHoldersInsightAnswer{Trend: HoldersUnknown, Origin: origin.Label, TopHoldersPct: display.Percent(f.topShare)}
	count := driftOf(f.observed, asOf.Add(-observedWindow), func(o tokenfacts.Observation) float64 { return float64(o.Holders) })
	bought, topTrades := f.topHoldersBought()
	topDirection := 0
	if bought >= leastTopChange {
		topDirection = 1
	} else if bought <= -leastTopChange {
		topDirection = -1
	}
	var reasons []reason.Reason
	span := display.DurationText(count.span)
	switch direction := count.direction(leastHolderChange); {
	case !count.known:
		reasons = append(reasons, because("SNAPSHOTS", 3, "The trend is unknown: it takes %d counts of holders over %s, and there %s %s so far.",
			minimumObservations, display.DurationText(minimumSpan), isOrAre(count.observations), soFar(count, "count")))
	case direction != 0 && topDirection == -direction:
		answer.Trend = HoldersStable
		reasons = append(reasons, because("CONFLICT", 3, "Holders changed by %s in %s, but the largest holders traded against it.", display.PercentText(count.change), span))
	case direction > 0:
		answer.Trend = HoldersAccumulating
		reasons = append(reasons, because("ACCUM", 3, "Holders grew %s in %s.", display.PercentText(count.change), span))
	case direction < 0:
		answer.Trend = HoldersBleeding
		reasons = append(reasons, because("BLEED", 3, "Holders fell %s in %s.", display.PercentText(-count.change), span))
	default:
		answer.Trend = HoldersStable
		reasons = append(reasons, because("STEADY", 2, "The number of holders shows no clear direction over %s (%s by the fit).", span, display.PercentText(count.change)))
	}
	if topDirection != 0 && topTrades > 0 {
		word := "bought"
		if topDirection < 0 {
			word = "sold"
		}
		reasons = append(reasons, because("TOP_FLOW", 2.4, "The largest holders %s %s of the supply on balance in the listed trades.", word, display.PercentText(math.Abs(bought))))
	}
	if !math.IsNaN(f.topShare) {
		reasons = append(reasons, because("TOP_HOLDERS", 1+f.topShare, "The ten largest holders have %s of the supply, pools and known services left out.", display.PercentText(f.topShare)))
	}
	reasons = append(reasons, f.originReasons(origin)...)
	if f.pooled {
		reasons = append(reasons, tradesCoverage(f.trades, asOf))
	}
	answer.Reasons = reason.Top(reasons)
	return answer
}

func (f *holderFacts) originReasons(o Origin) []reason.Reason {
	if o.Label == OriginUnknown {
		if !f.pooled {
			return []reason.Reason{because("NO_POOL", 2.8, "No pool with a price is known for this token, so who buys it is unknown.")}
		}
		return []reason.Reason{because("FEW_BUYERS", 2.8, "The origin is unknown: it takes %d buyers, and %s %s seen in the latest trades.",
			minimumBuyers, display.Count(o.Buyers, "buyer"), isOrAre(o.Buyers))}
	}
	var reasons []reason.Reason
	if ramp(o.EqualSizes, equalSizesRange) > 0 {
		reasons = append(reasons, because("EQUAL_SIZES", 2+ramp(o.EqualSizes, equalSizesRange), "%s of buys have the same size as at least two others.", display.PercentText(o.EqualSizes)))
	}
	if ramp(o.Bundled, bundledRange) > 0 {
		reasons = append(reasons, because("BUNDLED", 2+ramp(o.Bundled, bundledRange), "%s more of the buys than chance would bring came bundled in one block.", display.PercentText(o.Bundled)))
	}
	if ramp(o.GapVariation, gapVariationRange) > 0 {
		reasons = append(reasons, because("CLOCKWORK", 2+ramp(o.GapVariation, gapVariationRange), "Buys come at even intervals: their spacing varies by %s of its mean, by chance it would be 100%%.", display.PercentText(o.GapVariation)))
	}
	if ramp(o.Churned, churnedRange) > 0 {
		reasons = append(reasons, because("CHURN", 2+ramp(o.Churned, churnedRange), "%s of the traded value was bought and sold by the same accounts.", display.PercentText(o.Churned)))
	}
	switch {
	case o.Label == OriginOrganic && len(reasons) > 0:
		reasons = append(reasons, because("ORGANIC", 2.9, "%s bought much as people do; the signs of machines are too weak to say otherwise.", display.Count(o.Buyers, "account")))
	case len(reasons) == 0:
		reasons = append(reasons, because("ORGANIC", 2.2, "%s bought in different sizes and at irregular times, with no sign of machines; who funded them is not looked up.",
			display.Count(o.Buyers, "account")))
	}
	return reasons
}
