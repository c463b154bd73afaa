package wallet

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/parallel"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

// WalletArchetypeAnswer names the kind of trader behind a wallet, and traits beside it.
type WalletArchetypeAnswer struct {
	// Archetype is the kind of trader. One of mev-bot, sniper, insider-suspected, wash, market-maker, airdrop-farmer, whale, diamond,
	// scalper, flipper, swing, rotator, accumulator, degen, holder, tourist or unclassified.
	Archetype string `json:"archetype"`
	// Traits each rest on at least eight observations, which a reason counts.
	Traits []string `json:"traits"`
	// Automated is how likely a machine trades. One of likely, possible or unlikely.
	Automated string `json:"automated"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// trait is one observation of how a wallet trades, and how many trades, positions or transactions it rests on.
type trait struct {
	name         string
	observations int
}

// archetypeFacts are a record, the wallet's holdings, and how far the tokens it held long fell meanwhile.
type archetypeFacts struct {
	*tradingrecord.Record
	portfolioUSD float64
	// survived counts winners that were held through a fall of at least half.
	survived int
}

// WalletArchetype declares wallet-archetype.
func WalletArchetype() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "wallet-archetype", Units: 1, Graded: true,
		Summary:    "Names the kind of trader behind a wallet.",
		Parameters: []endpoint.Parameter{endpoint.Wallet, endpoint.Chain},
		Needs:      append([]market.Port{market.HoldingFacts}, tradingrecord.Needs...),
	}, gatherArchetypeFacts, assessWalletArchetype)
}

func gatherArchetypeFacts(ctx context.Context, r *endpoint.Request) (archetypeFacts, error) {
	var facts archetypeFacts
	var holdings []market.Holding
	group, groupCtx := parallel.WithContext(ctx)
	group.Go(func() (err error) {
		facts.Record, err = gatherRecord(groupCtx, r)
		return err
	})
	group.Go(func() (err error) {
		holdings, err = gatherHoldings(groupCtx, r)
		return err
	})
	if err := group.Wait(); err != nil {
		return facts, err
	}
	facts.portfolioUSD = liquidValue(facts.Record, holdings)
	survived, err := survivedFalls(ctx, r, facts.Record)
	facts.survived = survived
	return facts, err
}

type holdingsKey struct {
	chain  chain.Slug
	wallet chain.Address
}

func gatherHoldings(ctx context.Context, r *endpoint.Request) ([]market.Holding, error) {
	on, wallet := endpoint.Chain.Of(r), endpoint.Wallet.Of(r)
	return market.Once(ctx, r.Session, holdingsKey{on.Slug, wallet}, func(ctx context.Context) ([]market.Holding, error) {
		return r.Session.Sources.Holdings.Holdings(ctx, on, wallet)
	})
}

// liquidValue is what the wallet's quote assets and traded tokens would bring, in USD. Tokens that the wallet never handled
// are left out: their prices cannot be trusted.
func liquidValue(record *tradingrecord.Record, holdings []market.Holding) float64 {
	value := 0.0
	for i := range holdings {
		value += holdingValue(record, &holdings[i])
	}
	return value
}

func holdingValue(record *tradingrecord.Record, h *market.Holding) float64 {
	if !h.Token.Known || h.Token.Spam {
		return 0
	}
	units := market.Units(&h.Amount, h.Token.Decimals)
	if record.Chain.IsQuote(h.Token.Address) {
		if h.PriceUSD > 0 {
			return units * h.PriceUSD
		}
		return 0
	}
	if pool, found := tradingrecord.DeepestPool(record.Pools[h.Token.Address]); found {
		return position.Recoverable(units, position.Mark{PriceUSD: pool.PriceUSD, QuoteUSD: pool.LiquidityUSD / 2, SellTax: 0})
	}
	return 0
}

// The thresholds of the archetypes.
const (
	sameBlockShare     = 0.20
	sniperEpisodes     = 5
	sniperShare        = 0.40
	sniperSeconds      = 60
	makerShare         = 0.80
	makerTrades        = 20
	farmedShare        = 0.50
	farmedClaims       = 5
	whaleTradeShare    = 0.01
	whaleTrades        = 3
	whaleRegular       = 0.25
	whalePortfolioUSD  = 1_000_000
	diamondHold        = 90 * 24 * time.Hour
	diamondWinners     = 2
	diamondFall        = 0.50
	diamondSold        = 0.25
	accumulatorBuys    = 10
	accumulatorShare   = 0.65
	degenShare         = 0.70
	holderTrades       = 10
	holderAge          = 60 * 24 * time.Hour
	minimumArchetype   = 3
	touristInactivity  = 90 * 24 * time.Hour
	minimumTraitEvents = 8
)

// archetype is a label and why it was given.
type archetype struct {
	name string
	why  []reason.Reason
}

// conduct is what the archetype rules look at, counted once.
type conduct struct {
	trades, positions int
	medianHold        time.Duration
	held              int // positions behind medianHold
	snipes, launched  int
	young             int // entries in tokens under seven days old
	othersTrades      int // trades in transactions known to be somebody else's
	buys              int
	makerBuyShare     float64
	claims            int
	bigTrades, sized  int
	rotated           float64
	sells             int
	flow              flow
	last              time.Time
	oldestOpen        time.Duration
}

func (f archetypeFacts) measure(asOf time.Time) conduct {
	book := f.Book
	c := conduct{trades: len(book.Ledger.Trades)}
	senders := make(map[market.Hash]bool, len(f.Activity.Transactions))
	for i := range f.Activity.Transactions {
		tx := &f.Activity.Transactions[i]
		senders[tx.Hash] = tx.Sender == f.Wallet || tx.Sender.IsZero() || f.sponsored(tx)
	}
	depth := tradingrecord.LiquidityUSD(f.Pools)
	makerBuys := 0
	for i := range book.Ledger.Trades {
		t := &book.Ledger.Trades[i]
		c.last = t.Time
		if t.Side == position.Buy {
			c.buys++
		}
		if !senders[t.Tx] {
			c.othersTrades++
			if t.Side == position.Buy {
				makerBuys++
			}
		}
		if t.Priced && depth[t.Token] > 0 {
			c.sized++
			if t.ValueUSD >= whaleTradeShare*depth[t.Token] {
				c.bigTrades++
			}
		}
	}
	if c.othersTrades > 0 {
		c.makerBuyShare = float64(makerBuys) / float64(c.othersTrades)
	}
	var holds []float64
	for i := range book.Positions {
		p := &book.Positions[i]
		if p.Buys == 0 {
			continue
		}
		c.positions++
		if launched, known := f.Launched[p.Token]; known && !launched.IsZero() {
			c.launched++
			age := p.OpenedAt.Sub(launched)
			if age >= 0 && age <= sniperSeconds*time.Second {
				c.snipes++
			}
			if age < week {
				c.young++
			}
		}
		switch p.Status {
		case position.Closed:
			if !p.Imputed {
				holds = append(holds, float64(p.Holding))
			}
		case position.Open:
			age := asOf.Sub(p.OpenedAt)
			c.oldestOpen = max(c.oldestOpen, age)
			if age >= diamondHold {
				holds = append(holds, float64(age))
			}
		}
	}
	c.held = len(holds)
	if c.held > 0 {
		c.medianHold = time.Duration(stats.Median(holds))
	}
	for i := range book.Ledger.Transfers {
		if t := &book.Ledger.Transfers[i]; t.In && t.Origin == position.Airdrop {
			c.claims++
		}
	}
	c.rotated, c.sells = rotation(book.Ledger.Trades)
	c.flow = measureFlow(f.RecentTrades(90), 90)
	return c
}

// sponsored tells whether somebody else sent a transaction on the wallet's behalf: through an ERC-4337 entry point, or by calling
// the wallet itself.
func (f archetypeFacts) sponsored(tx *market.Transaction) bool {
	switch tx.Target.String() {
	case "0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789", "0x0000000071727de22e5e9d8baf0edac6f37da032":
		return true
	}
	return tx.Target == f.Wallet
}

// label gives the first archetype that fits; the order is part of the contract.
func (f archetypeFacts) label(c conduct, asOf time.Time) archetype {
	judged := f.Evidence.Conduct
	share := func(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }
	longHeld := c.held >= minimumArchetype
	switch {
	case c.trades >= minimumTraitEvents && judged.SameBlockShare >= sameBlockShare:
		return archetype{"mev-bot", []reason.Reason{because("ARCH_MEV_BOT", 1, "%s of its trades bought and sold within one block.", display.PercentText(judged.SameBlockShare))}}
	case c.positions >= sniperEpisodes && share(c.snipes, c.positions) >= sniperShare:
		return archetype{"sniper", []reason.Reason{because("ARCH_SNIPER", 1, "Bought within %d seconds of launch in %d of %d entries.", sniperSeconds, c.snipes, c.positions)}}
	case judged.Insider.Suspected:
		return archetype{"insider-suspected", []reason.Reason{because("ARCH_INSIDER", 1, "Received tokens, or their creator's money, before public trading in %s.", display.Count(len(judged.Insider.Tokens), "launch"))}}
	case judged.Wash.Suspected:
		return archetype{"wash", append([]reason.Reason{because("ARCH_WASH", math.MaxFloat64, "Its trading looks made to fake volume or profit.")}, washReasons(judged.Wash)...)}
	case c.othersTrades >= makerTrades && share(c.othersTrades, c.trades) >= makerShare && c.makerBuyShare > 0.25 && c.makerBuyShare < 0.75:
		return archetype{"market-maker", []reason.Reason{because("ARCH_MARKET_MAKER", 1, "%s of %d trades filled standing orders, on both sides.", display.PercentText(share(c.othersTrades, c.trades)), c.trades)}}
	case c.claims >= farmedClaims && f.farmed() >= farmedShare:
		return archetype{"airdrop-farmer", []reason.Reason{because("ARCH_AIRDROP_FARMER", 1, "%s made up about %s of what it took in.", display.Count(c.claims, "claim"), display.PercentText(f.farmed()))}}
	case f.portfolioUSD >= whalePortfolioUSD:
		return archetype{"whale", []reason.Reason{because("ARCH_WHALE", 1, "Its account is in the %s band.", display.AccountBand(f.portfolioUSD))}}
	case c.bigTrades >= whaleTrades && share(c.bigTrades, c.sized) >= whaleRegular:
		return archetype{"whale", []reason.Reason{because("ARCH_WHALE", 1, "%d of %d trades were at least %s of the pool's liquidity.", c.bigTrades, c.sized, display.PercentText(whaleTradeShare))}}
	case longHeld && c.medianHold >= diamondHold && f.survived >= diamondWinners:
		return archetype{"diamond", []reason.Reason{because("DIAMOND", 1, "Held %d winners through falls of %s or more.", f.survived, display.PercentText(diamondFall))}}
	case longHeld && c.medianHold < time.Hour:
		return archetype{"scalper", []reason.Reason{because("ARCH_SCALPER", 1, "Typical holding time %s over %s.", display.DurationText(c.medianHold), display.Count(c.held, "position"))}}
	case longHeld && c.medianHold < 24*time.Hour:
		return archetype{"flipper", []reason.Reason{because("ARCH_FLIPPER", 1, "Typical holding time %s over %s.", display.DurationText(c.medianHold), display.Count(c.held, "position"))}}
	case longHeld && c.medianHold < 2*week:
		return archetype{"swing", []reason.Reason{because("ARCH_SWING", 1, "Typical holding time %s over %s.", display.DurationText(c.medianHold), display.Count(c.held, "position"))}}
	case c.sells >= minimumTraitEvents && c.rotated >= 0.6:
		return archetype{"rotator", []reason.Reason{because("ARCH_ROTATOR", 1, "%s of %d sells were followed by a buy of another token within the hour.", display.PercentText(c.rotated), c.sells)}}
	case c.flow.trades >= accumulatorBuys && c.flow.buyShare >= accumulatorShare && countBuys(f.RecentTrades(90)) >= accumulatorBuys:
		return archetype{"accumulator", []reason.Reason{because("ARCH_ACCUMULATOR", 1, "%s of the value traded over 90 days was buying (%s).", display.PercentText(c.flow.buyShare), display.Count(c.flow.trades, "trade"))}}
	case c.launched >= minimumArchetype && share(c.young, c.launched) >= degenShare:
		return archetype{"degen", []reason.Reason{because("ARCH_DEGEN", 1, "%d of %d entries were in tokens less than a week old.", c.young, c.launched)}}
	case c.trades >= minimumArchetype && c.trades < holderTrades && c.oldestOpen >= holderAge:
		return archetype{"holder", []reason.Reason{because("ARCH_HOLDER", 1, "%s in all, and a position open for %s.", display.Count(c.trades, "trade"), display.DurationText(c.oldestOpen))}}
	case c.trades > 0 && c.trades < minimumArchetype:
		return archetype{"tourist", []reason.Reason{because("ARCH_TOURIST", 1, "%s found; a pattern needs at least %d.", display.Count(c.trades, "trade"), minimumArchetype)}}
	case c.trades > 0 && asOf.Sub(c.last) > touristInactivity:
		return archetype{"tourist", []reason.Reason{because("ARCH_TOURIST", 1, "The last trade was %s ago.", display.DurationText(asOf.Sub(c.last)))}}
	}
	if c.trades < minimumArchetype {
		return archetype{"unclassified", []reason.Reason{because("THIN", 1, "%s found; a pattern needs at least %d.", display.Count(c.trades, "trade"), minimumArchetype)}}
	}
	return archetype{"unclassified", []reason.Reason{because("NO_PATTERN", 1, "None of the known patterns fits its %s.", display.Count(c.trades, "trade"))}}
}

func washReasons(wash trader.Wash) []reason.Reason {
	reasons := make([]reason.Reason, len(wash.Signals))
	for i := range wash.Signals {
		reasons[i] = wash.Signals[i].Reason
	}
	return reasons
}

// farmed is the claims' share of everything the wallet took in, by value.
func (f archetypeFacts) farmed() float64 {
	bought := 0.0
	for i := range f.Book.Positions {
		bought += f.Book.Positions[i].CostUSD
	}
	claimed := f.Book.AirdropUSD
	if claimed+bought <= 0 {
		return 0
	}
	return claimed / (claimed + bought)
}

func countBuys(trades []position.Trade) int {
	n := 0
	for i := range trades {
		if trades[i].Side == position.Buy {
			n++
		}
	}
	return n
}

func assessWalletArchetype(facts archetypeFacts, asOf time.Time) WalletArchetypeAnswer {
	c := facts.measure(asOf)
	label := facts.label(c, asOf)
	answer := WalletArchetypeAnswer{Archetype: label.name, Traits: []string{}, Automated: facts.Evidence.Conduct.Automated.Verdict}
	reasons := label.why
	if len(reasons) < 2 && c.trades > 0 {
		reasons = append(reasons, because("BASIS", 0.5, "Based on %s in %s.", display.Count(c.trades, "trade"), display.Count(c.positions, "position")))
	}
	if traits := facts.traits(c); len(traits) > 0 {
		basis := make([]string, len(traits))
		for i, t := range traits {
			answer.Traits = append(answer.Traits, t.name)
			basis[i] = fmt.Sprintf("%s %d", t.name, t.observations)
		}
		reasons = append(reasons, because("TRAITS", 0.3, "Observations behind each trait: %s.", strings.Join(basis, ", ")))
	}
	if answer.Automated == "likely" {
		reasons = append(reasons, because("AUTOMATED", 0.4, "Timing, sizes or speed of its trades suggest automation."))
	}
	answer.Reasons = reason.Top(append(reasons, coverageReasons(facts.Record, asOf)...))
	return answer
}

// drawdownSamples is at how many evenly spread times the price of a long-held token is looked at.
const drawdownSamples = 120

// survivedFalls counts winners held for at least 90 days whose price fell by half or more on the way while at most a quarter was
// sold. Prices are looked up only for wallets that hold that long.
func survivedFalls(ctx context.Context, r *endpoint.Request, record *tradingrecord.Record) (int, error) {
	var candidates []*position.Position
	for i := range record.Book.Positions {
		p := &record.Book.Positions[i]
		open := p.Status == position.Open && record.Book.AsOf.Sub(p.OpenedAt) >= diamondHold && p.RecoverableUSD > p.CostUSD*(1-p.ClosedShare)
		closed := p.Status == position.Closed && p.Holding >= diamondHold && p.ROI > 0
		if p.Buys > 0 && (open || closed) {
			candidates = append(candidates, p)
		}
	}
	if len(candidates) < diamondWinners {
		return 0, nil
	}
	requests := make([]market.PriceRequest, 0, len(candidates))
	for _, p := range candidates {
		end := p.ClosedAt
		if end.IsZero() {
			end = record.Book.AsOf
		}
		step := end.Sub(p.OpenedAt) / drawdownSamples
		times := make([]time.Time, drawdownSamples)
		for i := range times {
			times[i] = p.OpenedAt.Add(time.Duration(i) * step).Truncate(time.Hour)
		}
		requests = append(requests, market.PriceRequest{Asset: p.Token, Times: times})
	}
	series, err := r.Session.Sources.Prices.Prices(ctx, record.Chain, requests)
	if err != nil {
		return 0, err
	}
	survived := 0
	for _, p := range candidates {
		for i := range series {
			if series[i].Asset == p.Token && fellWhileHeld(p, series[i].Points, record) {
				survived++
				break
			}
		}
	}
	return survived, nil
}

// fellWhileHeld tells whether the price fell by half from an earlier peak of the position before a quarter of it was sold.
func fellWhileHeld(p *position.Position, points []market.PricePoint, record *tradingrecord.Record) bool {
	until := p.ClosedAt
	if until.IsZero() {
		until = record.Book.AsOf
	}
	if sold := quarterSold(p, record.Book.Ledger.Trades); !sold.IsZero() && sold.Before(until) {
		until = sold
	}
	peak := 0.0
	for _, point := range points {
		if point.Time.Before(p.OpenedAt.Add(-2*time.Hour)) || point.Time.After(until) {
			continue
		}
		peak = max(peak, point.USD)
		if peak > 0 && point.USD <= peak*(1-diamondFall) {
			return true
		}
	}
	return false
}

// quarterSold is when more than a quarter of a position had been sold; zero if never.
func quarterSold(p *position.Position, trades []position.Trade) time.Time {
	sold := 0.0
	from, _ := slices.BinarySearchFunc(trades, p.OpenedAt, func(t position.Trade, at time.Time) int { return t.Time.Compare(at) })
	for i := from; i < len(trades); i++ {
		t := &trades[i]
		if !p.ClosedAt.IsZero() && t.Time.After(p.ClosedAt) {
			break
		}
		if t.Token == p.Token && t.Side == position.Sell {
			if sold += t.Quantity; sold > diamondSold*p.AcquiredQuantity {
				return t.Time
			}
		}
	}
	return time.Time{}
}
