package copytrade

import (
	"fmt"
	"math"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/holdings"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

const (
	// overweight is the part of the follower's holdings from which on a token is not added to.
	overweight = 0.20
	// mostImpact is the most by which a position may move the price against itself, exitShare the part of the money in a pool that a
	// position may be.
	mostImpact, exitShare = 0.03, 0.01
	// typicalShare is the share of the leader's tokens that may be shallower than the one that sets the size of positions.
	typicalShare = 0.25
)

// exclusion is a token that is left out, and why.
type exclusion struct {
	token chain.Address
	text  string
}

// exclusions collects them, each token once.
type exclusions struct {
	list []exclusion
}

func (e *exclusions) add(token chain.Address, template string, values ...any) {
	if !e.has(token) {
		e.list = append(e.list, exclusion{token, fmt.Sprintf(template, values...)})
	}
}

func (e *exclusions) has(token chain.Address) bool {
	return slices.ContainsFunc(e.list, func(x exclusion) bool { return x.token == token })
}

func (e *exclusions) tokens() []chain.Address {
	tokens := make([]chain.Address, len(e.list))
	for i := range e.list {
		tokens[i] = e.list[i].token
	}
	slices.SortFunc(tokens, chain.Address.Compare)
	return tokens
}

func (f *planFacts) symbol(token chain.Address) string {
	return display.Symbol(f.chain, token, f.record.Book.Ledger.Tokens[token].Symbol)
}

// deployed lists the tokens that the leader entered and made itself, in the order of their addresses.
func (f *planFacts) deployed() (tokens []chain.Address) {
	for token, found := range f.security {
		if found.Creator == f.record.Wallet {
			tokens = append(tokens, token)
		}
	}
	slices.SortFunc(tokens, chain.Address.Compare)
	return tokens
}

// exclude lists what is left out whatever the size: risky tokens of the leader's, those that it made, and those of which the follower has
// plenty.
func (f *planFacts) exclude() *exclusions {
	e := &exclusions{}
	for i := range f.tokens {
		t := &f.tokens[i]
		if a := t.assessment; a != nil && (a.Verdict == tokenrisk.High || a.Verdict == tokenrisk.Critical) {
			text := fmt.Sprintf("%s: its risk is %s.", f.symbol(t.token), a.Verdict)
			if len(a.Flags) > 0 {
				text += " " + a.Flags[0].Text
			}
			e.add(t.token, "%s", text)
		}
	}
	for _, token := range f.deployed() {
		e.add(token, "%s: the leader made this token itself.", f.symbol(token))
	}
	total := valueOf(f.follower)
	for i := range f.follower.Positions {
		if p := &f.follower.Positions[i]; p.Class == holdings.Ordinary && p.USD > overweight*total {
			e.add(p.Asset, "%s: it is %s of what this wallet holds on the chain already; above %s nothing is added.",
				p.Symbol, display.PercentText(p.USD/total), display.PercentText(overweight))
		}
	}
	return e
}

// excludeShallow adds the tokens whose price a position of so much would move too far.
func (f *planFacts) excludeShallow(e *exclusions, positionUSD float64) {
	for i := range f.tokens {
		token := f.tokens[i].token
		if impact := positionUSD / (f.reserve(token) + positionUSD); impact > mostImpact {
			e.add(token, "%s: buying a position of this plan's size would move its price by about %s; %s is the most to accept.",
				f.symbol(token), display.PercentText(impact), display.PercentText(mostImpact))
		}
	}
}

// reserve is the money in the token's deepest pool, that is half of it; NaN when unknown.
func (f *planFacts) reserve(token chain.Address) float64 {
	if pool, found := tradingrecord.DeepestPool(f.record.Pools[token]); found && pool.LiquidityUSD > 0 {
		return pool.LiquidityUSD / 2
	}
	return math.NaN()
}

// typicalReserve is what most of the tokens that are not left out have in their pools; NaN when unknown.
func (f *planFacts) typicalReserve(e *exclusions) float64 {
	var reserves []float64
	for i := range f.tokens {
		if usd := f.reserve(f.tokens[i].token); usd > 0 && !e.has(f.tokens[i].token) {
			reserves = append(reserves, usd)
		}
	}
	slices.Sort(reserves)
	return stats.Quantile(reserves, typicalShare)
}

// investable is the follower's dollar coins at their peg and native coin; NaN when one of the chain's own assets could not be valued.
func (f *planFacts) investable() float64 {
	if f.follower.UnpricedOwn > 0 {
		return math.NaN()
	}
	usd := 0.0
	for i := range f.follower.Positions {
		if p := &f.follower.Positions[i]; p.Class == holdings.Cash || p.Asset == chain.Native {
			usd += p.USD
		}
	}
	return usd
}

// medianShare is the part of what the leader holds that its usual position of late cost; NaN when unknown.
func (f *planFacts) medianShare() float64 {
	total := valueOf(f.leader)
	if !(total > 0) {
		return math.NaN()
	}
	var shares []float64
	for i := range f.record.Book.Positions {
		if p := &f.record.Book.Positions[i]; p.Buys > 0 && p.CostUSD > 0 && (p.Status == position.Open || f.record.Book.AsOf.Sub(p.OpenedAt) <= volatilityWindows[0]) {
			shares = append(shares, min(1, p.CostUSD/total))
		}
	}
	return stats.Median(shares)
}

func valueOf(stock *holdings.Stock) float64 {
	usd := 0.0
	for i := range stock.Positions {
		usd += stock.Positions[i].USD
	}
	return usd
}
