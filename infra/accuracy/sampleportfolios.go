package accuracy

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/portfolio"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

// portfolioAnswer is what was answered about a wallet's holdings.
type portfolioAnswer struct {
	Grade         string  `json:"grade"`
	Concentration *string `json:"concentration"`
	WorstOffender *string `json:"worstOffender"`
	Coverage      struct {
		Unassessed int `json:"unassessed"`
	} `json:"coverage"`
	text []byte
}

// portfolioCase is a wallet's answer and what it holds in truth.
type portfolioCase struct {
	truth samplemarket.WalletTruth
	held  holdings
	portfolioAnswer
}

// holdings are what a wallet holds, in parts of the value of what it could sell.
type holdings struct {
	usd float64
	// own is in the chain's own coin, its receipts and dollar coins, honeypots in such tokens that were tried by now, rugs in those to
	// come whose signs show.
	own, honeypots, rugs float64
	// top is the largest part of what is no dollar coin.
	top float64
	// worst are the symbols of what traps its buyers, or may.
	worst   []string
	amounts []float64
}

// SamplePortfolios asks about the holdings of every wallet of a sample market and compares the grades with what was planted in the tokens.
func SamplePortfolios(seed uint64) ([]Row, error) {
	sample, service, err := venueMarket(seed)
	if err != nil {
		return nil, err
	}
	truth := sample.Truth()
	tokens := make(map[string]*samplemarket.TokenTruth, len(truth.Tokens))
	for i := range truth.Tokens {
		tokens[truth.Tokens[i].Chain+truth.Tokens[i].Address] = &truth.Tokens[i]
	}
	all := make([]portfolioCase, len(truth.Wallets))
	bodies := make([]string, len(all))
	for i := range all {
		all[i].truth = truth.Wallets[i]
		bodies[i] = `{"wallet":"` + truth.Wallets[i].Address + `","chain":"` + truth.Wallets[i].Chain + `"}`
	}
	err = askEach(service, portfolio.PortfolioRisk(), bodies, func(i int, answer []byte) error {
		c := &all[i]
		c.text = answer
		if err := json.Unmarshal(answer, &c.portfolioAnswer); err != nil {
			return err
		}
		return c.takeStock(service, tokens)
	})
	if err != nil {
		return nil, err
	}
	return portfolioRows(all), nil
}

// lot is one asset that a wallet holds.
type lot struct {
	asset chain.Address
	usd   float64
}

// takeStock values what the wallet holds by what its deepest pool would pay for it, and sorts it by what was planted.
func (c *portfolioCase) takeStock(service endpoint.Service, tokens map[string]*samplemarket.TokenTruth) error {
	on, known := chain.Parse(c.truth.Chain)
	wallet, err := chain.ParseAddress(c.truth.Address)
	if err != nil || !known {
		return fmt.Errorf("wallet %s on %s: %w", c.truth.Address, c.truth.Chain, err)
	}
	ctx := context.Background()
	rows, err := service.Sources.Holdings.Holdings(ctx, on, wallet)
	if err != nil {
		return err
	}
	lots, err := valued(ctx, service.Sources, on, rows)
	if err != nil {
		return err
	}
	slices.SortFunc(lots, func(a, b lot) int { return cmp.Compare(b.usd, a.usd) })
	lots = lots[:min(len(lots), assessedLots)]
	h := &c.held
	for _, l := range lots {
		h.usd += l.usd
	}
	invested, largest := 0.0, 0.0
	byAsset := make(map[chain.Address]float64)
	for _, l := range lots {
		h.amounts = append(h.amounts, l.usd)
		if !on.IsStable(l.asset) {
			asset := l.asset
			if asset == on.WrappedNative.Address {
				asset = chain.Native
			}
			byAsset[asset] += l.usd
			invested += l.usd
			largest = max(largest, byAsset[asset])
		}
		h.add(on, l, tokens[c.truth.Chain+l.asset.String()])
	}
	h.top = largest / invested
	return nil
}

// assessedLots is how many of a wallet's largest holdings are assessed by default.
const assessedLots = 10

func (h *holdings) add(on *chain.Chain, l lot, truth *samplemarket.TokenTruth) {
	part := l.usd / h.usd
	switch {
	case on.IsQuote(l.asset):
		h.own += part
		return
	case truth == nil:
		return
	}
	token := tokenAnswers{truth: *truth, at: sampleNow()}
	if suspect(&token) {
		h.worst = append(h.worst, display.Symbol(on, l.asset, truth.Symbol))
	}
	switch {
	case truth.Honeypot && token.age() >= triedAge:
		h.honeypots += part
	case truth.Trap == "rug" && truth.RuggedAt.IsZero() && rugShows(&token):
		h.rugs += part
	}
}

// suspect tells the tokens of which somebody may be warned: those that trap their buyers, tax their sales, let somebody change the rules, or
// have liquidity that can be taken while they are young.
func suspect(a *tokenAnswers) bool {
	t := &a.truth
	return t.Trap != "" || t.SellTax > 0 || t.Owner != "" || a.age() < settledAge && t.LockedShare < 0.5 || t.Kind == "thin"
}

// valued values holdings: own assets at the index's price, all others at what their pools would pay for all of it by x*y=k.
func valued(ctx context.Context, sources market.Sources, on *chain.Chain, rows []market.Holding) ([]lot, error) {
	var lots []lot
	var addresses []chain.Address
	var requests []market.PriceRequest
	for i := range rows {
		if address := rows[i].Token.Address; on.IsQuote(address) {
			requests = append(requests, market.PriceRequest{Asset: address, Times: []time.Time{sampleNow()}})
		} else {
			addresses = append(addresses, address)
		}
	}
	index := make(map[chain.Address]float64)
	series, err := sources.Prices.Prices(ctx, on, requests)
	if err != nil {
		return nil, err
	}
	for _, s := range series {
		for _, point := range s.Points {
			index[s.Asset] = point.USD
		}
	}
	pools := make(map[chain.Address][]market.Pool)
	if len(addresses) > 0 {
		if pools, err = sources.Pools.Pools(ctx, on, addresses); err != nil {
			return nil, err
		}
	}
	for i := range rows {
		h := &rows[i]
		l := lot{asset: h.Token.Address}
		units := market.Units(&h.Amount, h.Token.Decimals)
		if on.IsQuote(l.asset) {
			l.usd = units * index[l.asset]
		} else {
			reserve, price := 0.0, math.NaN()
			for _, p := range pools[l.asset] {
				if on.IsQuote(p.Quote) && p.LiquidityUSD > 0 {
					reserve += p.LiquidityUSD / 2
					if math.IsNaN(price) {
						price = p.PriceUSD
					}
				}
			}
			l.usd = reserve * units * price / (reserve + units*price)
		}
		if l.usd > 0 {
			lots = append(lots, l)
		}
	}
	return lots, nil
}

// The goals of the grades of portfolios.
const (
	// trappedShare is the part of a portfolio in planted traps from which it is exposed, and decidedShare that from which no way of
	// valuing it says otherwise.
	trappedShare, decidedShare = 0.25, 0.30
	honeypotsExposed           = 0.95
	rugsExposed                = 0.80
	ownHealthy                 = 1.0
	emptyUSD, heldUSD          = 8, 12
)

func portfolioRows(all []portfolioCase) []Row {
	var honeypots, rugs, healthy, worst, alarms, own, empty, allIn, quiet cases
	for i := range all {
		c := &all[i]
		h := &c.held
		apart := func() string {
			return fmt.Sprintf("%s %s on %s: %s, worst %s; own %.2f, honeypots %.2f, rugs %.2f, of %s", c.truth.Group, c.truth.Address, c.truth.Chain, c.Grade,
				deref(c.WorstOffender), h.own, h.honeypots, h.rugs, strings.Join(h.worst, " "))
		}
		amount, leaks := leaked(c.text, h.amounts)
		quiet.count(!leaks, func() string { return amount + " in " + apart() })
		if h.usd < emptyUSD || h.usd > heldUSD {
			empty.count((c.Grade == "no-holdings") == (h.usd < emptyUSD), apart)
		}
		if c.Grade == "no-holdings" || h.usd < heldUSD {
			continue
		}
		switch trapped := h.honeypots + h.rugs; {
		case h.honeypots >= decidedShare:
			honeypots.count(c.Grade == "exposed", apart)
		case trapped >= decidedShare:
			rugs.count(c.Grade == "exposed", apart)
		}
		if h.honeypots+h.rugs >= trappedShare {
			healthy.count(c.Grade != "healthy", apart)
		}
		if h.own >= 0.999 {
			own.count(c.Grade == "healthy", apart)
		}
		if c.Grade == "exposed" {
			worst.count(c.WorstOffender != nil && slices.Contains(h.worst, *c.WorstOffender), apart)
		}
		if len(h.worst) == 0 && c.Coverage.Unassessed == 0 {
			alarms.count(c.Grade != "exposed", apart)
		}
		if h.top >= 0.85 || h.top <= 0.75 {
			allIn.count((deref(c.Concentration) == "all-in") == (h.top >= 0.85), apart)
		}
	}
	const name = "sample portfolios: "
	return []Row{
		honeypots.from(honeypotsExposed, name+fmt.Sprintf("exposed with %.0f %% in honeypots", 100*decidedShare)),
		rugs.from(rugsExposed, name+fmt.Sprintf("exposed with %.0f %% in rugs whose signs show", 100*decidedShare)),
		healthy.from(1, name+fmt.Sprintf("not healthy with %.0f %% in such traps", 100*trappedShare)),
		own.from(ownHealthy, name+"healthy with the chain's own coins and dollar coins alone"),
		alarms.from(1-falseAlarms, name+"not exposed without anything to warn of"),
		worst.from(0.95, name+"the worst offender of an exposed one is to be warned of"),
		allIn.from(0.95, name+"all-in or not"),
		empty.from(1, name+"no-holdings or not"),
		quiet.from(1, name+"answers that tell no amount"),
	}
}
