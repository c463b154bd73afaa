package token

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
)

// TokenValuationAnswer compares what the token is valued at with tokens like it.
type TokenValuationAnswer struct {
	// Valuation compares the token with its peers. One of over-extended, rich, in-line, cheap, under-extended or unknown.
	Valuation string `json:"valuation"`
	// Zscore is how far the token stands from its peers, in robust standard deviations, above zero for dear; null when unknown.
	Zscore *float64 `json:"zScore"`
	// Compared names the ratios that could be compared.
	Compared []string `json:"compared"`
	// PeerGroup names the tokens that it was compared with; null for none.
	PeerGroup *string `json:"peerGroup"`
	// PeerCount is how many they are.
	PeerCount int `json:"peerCount"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// pegged tells whether the token was valued by its peg.
func (a *TokenValuationAnswer) pegged() bool { return slices.Contains(a.Compared, peg) }

// peg is what a stablecoin is compared with.
const peg = "peg"

// The verdicts, from dear to cheap.
const (
	overExtended  = "over-extended"
	rich          = "rich"
	inLine        = "in-line"
	cheap         = "cheap"
	underExtended = "under-extended"
	notValued     = "unknown"
)

// Thresholds of a comparison.
const (
	richZ, overExtendedZ = 0.75, 1.5
	// minimumPeers is how many tokens a group needs, and how many of them a ratio.
	minimumPeers = 20
	// fewPeers are so few that the answer says so.
	fewPeers = 30
	// richShare and overExtendedShare are the parts of the peers that a rich and an over-extended token stands above besides: where
	// most peers are alike, a small distance is many standard deviations and yet nothing unusual. The figures are conventions of this
	// service.
	richShare, overExtendedShare = 0.75, 0.9
	// thinPools is the liquidity in USD, both sides, below which the price of the pools says nothing about what a token is worth.
	thinPools = 1_000
	// minimumRatios is how many ratios a verdict needs: one alone says more about that ratio than about the price.
	minimumRatios = 2
	// lowFloat is the ratio of the fully diluted valuation to the market capitalisation above which little of the supply trades.
	lowFloat = 5
	// peersLast is how old a set of peers may be.
	peersLast = 48 * time.Hour
)

// Distances of a stablecoin from one dollar at which it is rich or cheap, and over- or under-extended. The figures are conventions of
// this service.
const (
	pegRich, pegOverExtended = 0.005, 0.02
)

func (p page) tokenValuation() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "token-valuation", Units: 1, Graded: true,
		Summary:    "Compares what a token is valued at with tokens of its age.",
		Parameters: parameters, Needs: valuationNeeds,
	}, p.valuation, asItIs)
}

var valuationNeeds = []market.Port{market.ContractFacts, market.PoolFacts, market.HolderFacts, market.TokenSecurityFacts}

// valuation is the answer of token-valuation, for those that build on it.
func (p page) valuation(ctx context.Context, r *endpoint.Request) (TokenValuationAnswer, error) {
	return once(ctx, r, 0, func(ctx context.Context) (TokenValuationAnswer, error) {
		facts, err := p.valuationFacts(ctx, r)
		if isNotAToken(err) {
			return notComparable(because("NOT_A_TOKEN", 1, "%s", err)), nil
		}
		if err != nil {
			return TokenValuationAnswer{}, err
		}
		return assessValuation(facts, r.AsOf), nil
	})
}

// valuationFacts is what a token is valued by.
type valuationFacts struct {
	on      *chain.Chain
	token   chain.Address
	pools   []market.Pool
	holders int
	// peers are the tokens of the same chain, others those of all other chains, which are read only where the chain has too few.
	peers, others []peer
	// measuredAt is when the chain's peers were measured; zero when they never were.
	measuredAt time.Time
}

func (p page) valuationFacts(ctx context.Context, r *endpoint.Request) (*valuationFacts, error) {
	s := subjectOf(r)
	facts := &valuationFacts{on: s.Chain, token: s.Token}
	group, ctx := parallel.WithContext(ctx)
	group.Go(func() error {
		_, err := tokenContract(ctx, r)
		return err
	})
	group.Go(func() (err error) {
		facts.pools, err = tokenfacts.Pools(ctx, r.Session, s)
		return err
	})
	group.Go(func() error {
		holders, err := tokenfacts.Holders(ctx, r.Session, s)
		if err == nil && holders.Known {
			facts.holders = holders.Count
		}
		return err
	})
	group.Go(func() (err error) {
		if facts.peers, facts.measuredAt, err = p.peersOn(ctx, s.Chain, s.AsOf); err != nil || len(facts.peers) > minimumPeers {
			return err
		}
		for _, on := range chain.All() {
			if on.Slug == s.Chain.Slug {
				continue
			}
			others, _, err := p.peersOn(ctx, on, s.AsOf)
			if err != nil {
				return err
			}
			facts.others = append(facts.others, others...)
		}
		return nil
	})
	return facts, group.Wait()
}

// peersOn reads a chain's peers, and when they were measured; none before the first time and when they are too old.
func (p page) peersOn(ctx context.Context, on *chain.Chain, asOf time.Time) ([]peer, time.Time, error) {
	set, err := p.memory.Peers.PeersOf(ctx, string(on.Slug))
	if errors.Is(err, store.ErrNotFound) {
		return nil, time.Time{}, nil
	}
	if err != nil {
		return nil, time.Time{}, err
	}
	if asOf.Sub(set.At) > peersLast {
		return nil, set.At, nil
	}
	peers, err := decodePeers(set.Data)
	return peers, set.At, err
}

// notComparable is the answer where nothing can be compared, with the reason why.
func notComparable(why reason.Reason) TokenValuationAnswer {
	return TokenValuationAnswer{Valuation: notValued, Compared: []string{}, Reasons: []reason.Reason{why}}
}

func assessValuation(f *valuationFacts, asOf time.Time) TokenValuationAnswer {
	deepest, traded := tokenfacts.Deepest(f.pools)
	switch {
	case f.token == f.on.WrappedNative.Address:
		return notComparable(because("WRAPPED", 1, "This is the chain's own coin in its wrapped form, redeemed one for one: there is no valuation apart from that coin's."))
	case f.on.IsStable(f.token) && traded:
		return assessPeg(deepest.PriceUSD)
	case f.on.IsQuote(f.token) && !f.on.IsStable(f.token):
		return notComparable(because("STAKED", 1, "This is a receipt for staked coins: its worth follows what it is redeemed for, and the rate of redemption is not measured here."))
	case !traded:
		return notComparable(because("NO_POOL", 1, "No pool with a price and liquidity is known, so there is nothing to value it by."))
	}
	own := measureOf(f.on, f.pools, f.holders, asOf)
	if math.IsNaN(own.Liquidity) {
		return notComparable(because("NO_VALUATION", 1, "What it is valued at, or what lies in its pools against the chain's usual currencies, is not known."))
	}
	if tokenfacts.LiquidityUSD(quotedPools(f.on, f.pools)) < thinPools {
		return notComparable(because("THIN_POOLS", 1, "Next to nothing lies in its pools, so their price does not tell what it is worth."))
	}
	g, found := f.group(own)
	if !found {
		return notComparable(f.missingPeers(asOf))
	}
	ratios := g.compare(own)
	if len(ratios) < minimumRatios {
		answer := notComparable(because("FEW_RATIOS", 1, "%s could be compared with peers; at least %d are needed for a verdict.", display.Count(len(ratios), "ratio"), minimumRatios))
		answer.Compared = names(ratios)
		return answer
	}
	z, above := composite(ratios)
	answer := TokenValuationAnswer{
		Valuation: standing(z, above), Compared: names(ratios), PeerGroup: &g.name, PeerCount: len(g.peers),
	}
	rounded := display.Round(z, 2)
	answer.Zscore = &rounded
	reasons := append(ratioReasons(ratios, g), f.caveats(own, ratios, g)...)
	if alone := bandOf(z, richZ, overExtendedZ); alone != answer.Valuation {
		reasons = append(reasons, because("NOT_UNUSUAL", 2.8, "By its distance from the typical peer alone it would be %s, but too many peers stand as far out.", alone))
	}
	answer.Reasons = reason.Top(reasons)
	return answer
}

// bandOf is the verdict of a distance from the middle. The thresholds belong to the outer band.
func bandOf(distance, richAt, extendedAt float64) string {
	switch {
	case math.IsNaN(distance):
		return notValued
	case distance >= extendedAt:
		return overExtended
	case distance >= richAt:
		return rich
	case distance <= -extendedAt:
		return underExtended
	case distance <= -richAt:
		return cheap
	}
	return inLine
}

// standing is the verdict of a distance from the typical peer, in robust standard deviations, and of the share of the peers that the
// token stands above: the milder of the words that either gives.
func standing(z, above float64) string {
	words := []string{underExtended, cheap, inLine, rich, overExtended}
	middle := slices.Index(words, inLine)
	byDistance := slices.Index(words, bandOf(z, richZ, overExtendedZ))
	byShare := slices.Index(words, bandOf(above-0.5, richShare-0.5, overExtendedShare-0.5))
	switch {
	case byDistance < 0 || byShare < 0:
		return notValued
	case byDistance > middle && byShare > middle:
		return words[min(byDistance, byShare)]
	case byDistance < middle && byShare < middle:
		return words[max(byDistance, byShare)]
	}
	return inLine
}

// assessPeg values a dollar stablecoin by its distance from the peg.
func assessPeg(price float64) TokenValuationAnswer {
	// Rounded, so that a price of exactly the threshold is on it whatever its binary form.
	distance := math.Round((price-1)*1e9) / 1e9
	answer := TokenValuationAnswer{Valuation: bandOf(distance, pegRich, pegOverExtended), Compared: []string{peg}}
	side := "above"
	if distance < 0 {
		side = "below"
	}
	answer.Reasons = []reason.Reason{because("PEG", 1, "Trades %s %s its peg in the deepest pool.", display.PercentText(math.Abs(distance)), side)}
	if answer.Valuation == inLine {
		answer.Reasons = append(answer.Reasons, because("PEG_HELD", 0.5, "Up to %s either way is usual for a coin that holds its peg.", display.PercentText(pegRich)))
	} else {
		answer.Reasons = append(answer.Reasons, because("PEG_LEFT", 0.5, "More than %s either way is unusual for a coin that holds its peg.", display.PercentText(pegRich)))
	}
	return answer
}

// missingPeers says why there is nobody to compare with.
func (f *valuationFacts) missingPeers(asOf time.Time) reason.Reason {
	switch {
	case f.measuredAt.IsZero():
		return because("NO_PEERS", 1, "The tokens to compare with have not been measured yet; they are every hour.")
	case asOf.Sub(f.measuredAt) > peersLast:
		return because("PEERS_OLD", 1, "The tokens to compare with were last measured %s ago, which is too long.", display.DurationText(asOf.Sub(f.measuredAt)))
	}
	return because("FEW_PEERS", 1, "Only %s could be measured to compare with; at least %d are needed.", display.Count(len(f.peers)+len(f.others), "token"), minimumPeers)
}

// caveats are what a reader must know of the comparison.
func (f *valuationFacts) caveats(own measure, ratios []ratio, g *peerGroup) []reason.Reason {
	kinds := make([]string, len(ratios))
	for i := range ratios {
		kinds[i] = ratios[i].name
	}
	why := []reason.Reason{because("NO_FUNDAMENTALS", 2.5, "No fundamentals to value: fees and locked value are not measured, so it is compared on %s only.", enumeration(kinds))}
	if math.Exp(own.Float) > lowFloat {
		why = append(why, because("LOW_FLOAT", 2, "The fully diluted valuation is %.0f times the market capitalisation: most of the supply does not trade yet.", math.Exp(own.Float)))
	}
	if own.FullyDiluted {
		why = append(why, because("FULLY_DILUTED", 1.5, "No market capitalisation is known; the fully diluted valuation stands in for it and can only be higher."))
	}
	if len(g.peers) < fewPeers {
		why = append(why, because("PEERS_N", 0.4, "With %s the comparison is a rough one.", display.Count(len(g.peers), "peer")))
	}
	if slices.Contains(kinds, "volume") && turnsOver(f.on, f.pools) {
		why = append(why, because("VOLUME_CAPPED", 1, "Volume beyond %d times a pool's liquidity a day is not counted, because so much is often trading with oneself.", washMultiple))
	}
	return why
}

// turnsOver tells whether a pool's volume was capped.
func turnsOver(on *chain.Chain, pools []market.Pool) bool {
	return slices.ContainsFunc(quotedPools(on, pools), func(pool market.Pool) bool {
		return pool.LiquidityUSD > 0 && pool.VolumeUSD24h > washMultiple*pool.LiquidityUSD
	})
}
