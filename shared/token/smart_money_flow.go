package token

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

// defaultSample is how many buyers are looked at where nobody says.
const defaultSample = 12

// Sample is how many of the latest buyers are graded.
var Sample = endpoint.ClampedInteger("sample", "How many of the latest buyers are graded.", 4, 20, defaultSample)

// SmartMoneyFlowAnswer tells whether proven traders are buying now.
type SmartMoneyFlowAnswer struct {
	// SmartMoneyBuying is null when too few buyers could be graded.
	SmartMoneyBuying *bool `json:"smartMoneyBuying"`
	// MirrorWorthyBuyers counts the proven traders among the buyers that were graded.
	MirrorWorthyBuyers int `json:"mirrorWorthyBuyers"`
	// BuyersAnalyzed is how many buyers were really graded. Accounts funded from the same source count as one buyer.
	BuyersAnalyzed int `json:"buyersAnalyzed"`
	// NetFlow is what the proven traders among them did on balance. One of buying, selling or balanced; null when there are none.
	NetFlow *string `json:"netFlow"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// The rule for smart money: enough graded buyers, enough proven ones, and more than chance would bring.
const (
	minimumGraded = 4
	minimumProven = 2
	provenP       = 0.10
	// dustUSD is the value below which a buy is no sign of anything: anybody can fill a list with such.
	dustUSD = 10
	// balancedShare of the traded value is no direction.
	balancedShare = 0.01
	// unreadShare is the part of the sample whose records may be missing.
	unreadShare    = 1.0 / 3
	parallelGrades = 6
)

var smartMoneyNeeds = append([]market.Port{market.ContractFacts, market.TradeFacts}, tradingrecord.Needs...)

func (p page) smartMoneyFlow() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "smart-money-flow", Units: 3, Graded: true,
		Summary:    "Says whether proven traders are buying a token now.",
		Parameters: append(slices.Clone(parameters), Sample), Needs: smartMoneyNeeds,
	}, func(ctx context.Context, r *endpoint.Request) (SmartMoneyFlowAnswer, error) {
		return p.smartMoney(ctx, r, Sample.Of(r))
	}, asItIs[SmartMoneyFlowAnswer])
}

func (p page) smartMoney(ctx context.Context, r *endpoint.Request, sample int) (SmartMoneyFlowAnswer, error) {
	return once(ctx, r, sample, func(ctx context.Context) (SmartMoneyFlowAnswer, error) {
		facts, err := p.gatherSmartMoney(ctx, r, sample)
		if isNotAToken(err) {
			return SmartMoneyFlowAnswer{Reasons: []reason.Reason{notAToken(err)}}, nil
		}
		if err != nil {
			return SmartMoneyFlowAnswer{}, err
		}
		return assessSmartMoney(facts, r.AsOf), nil
	})
}

// notAToken is the reason of the answers that have nothing to say about an address that is no token.
func notAToken(err error) reason.Reason {
	return reason.Reason{Code: "NOT_A_TOKEN", Text: err.Error(), Weight: 1}
}

// buyer is one of the latest buyers.
type buyer struct {
	account chain.Address
	rating  trader.Rating
	// funder sent the account its first money, as far as its history tells; zero when unknown or a service of many.
	funder chain.Address
}

type smartMoneyFacts struct {
	pooled bool
	trades *market.TokenTrades
	// graded are those of the sample whose record could be read, latest first; unread counts the others.
	graded []buyer
	unread int
	// insiders counts buyers left out because they made or own the token.
	insiders int
	// usual counts the proven traders among buyers at large; zero when nobody counted them lately.
	usual ProvenBuyers
}

func (p page) gatherSmartMoney(ctx context.Context, r *endpoint.Request, sample int) (*smartMoneyFacts, error) {
	s := subjectOf(r)
	contract, err := tokenContract(ctx, r)
	if err != nil {
		return nil, err
	}
	var pools []market.Pool
	var security tokenfacts.Security
	facts := new(smartMoneyFacts)
	group, groupCtx := parallel.WithContext(ctx)
	group.Go(func() (err error) { pools, err = tokenfacts.Pools(groupCtx, r.Session, s); return err })
	group.Go(func() (err error) { facts.trades, err = tokenfacts.Trades(groupCtx, r.Session, s); return err })
	group.Go(func() (err error) { security, err = tokenfacts.SecurityOf(groupCtx, r.Session, s); return err })
	group.Go(func() (err error) { facts.usual, err = p.provenBuyers(groupCtx, r); return err })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	_, facts.pooled = tokenfacts.Deepest(pools)
	insiders := map[chain.Address]bool{contract.Owner: true, security.Owner: true, security.Creator: true}
	buyers := latestBuyers(facts.trades.Trades, func(account chain.Address) bool {
		if insiders[account] && !account.IsZero() {
			facts.insiders++
			return false
		}
		return !infrastructure(account, s.Token, pools)
	}, sample)
	return facts, facts.grade(ctx, r, buyers)
}

// infrastructure tells whether an account is part of the token's own machinery. Routers and other contracts sign no transaction.
func infrastructure(account, token chain.Address, pools []market.Pool) bool {
	return account.IsZero() || account == token ||
		slices.ContainsFunc(pools, func(pool market.Pool) bool { return strings.EqualFold(pool.ID, account.String()) })
}

// latestBuyers are the accounts that bought last, each once, the latest first and ties by address; wanted is asked once for each.
func latestBuyers(trades []market.TokenTrade, wanted func(chain.Address) bool, limit int) []chain.Address {
	type last struct {
		account chain.Address
		at      time.Time
		block   uint64
	}
	seen := make(map[chain.Address]int)
	var all []last
	for i := range trades {
		t := &trades[i]
		if !t.Buy || !(t.ValueUSD >= dustUSD) {
			continue
		}
		at, known := seen[t.Trader]
		if !known {
			at = len(all)
			seen[t.Trader] = at
			all = append(all, last{account: t.Trader})
		}
		if t.Time.After(all[at].at) || t.Time.Equal(all[at].at) && t.Block > all[at].block {
			all[at].at, all[at].block = t.Time, t.Block
		}
	}
	slices.SortFunc(all, func(a, b last) int {
		return cmp.Or(b.at.Compare(a.at), cmp.Compare(b.block, a.block), bytes.Compare(a.account[:], b.account[:]))
	})
	var buyers []chain.Address
	for i := range all {
		if len(buyers) < limit && wanted(all[i].account) {
			buyers = append(buyers, all[i].account)
		}
	}
	return buyers
}

// grade reads the buyers' records side by side and rates each as trader-score does. It fails when more than a third cannot be read:
// what is left would be no sample of the latest buyers.
func (f *smartMoneyFacts) grade(ctx context.Context, r *endpoint.Request, buyers []chain.Address) error {
	s := subjectOf(r)
	records := make([]*tradingrecord.Record, len(buyers))
	failures := make([]error, len(buyers))
	group := parallel.NewGroup()
	group.SetLimit(parallelGrades)
	for i, account := range buyers {
		group.Go(func() error {
			records[i], failures[i] = tradingrecord.Of(ctx, r.Session, s.Chain, account, s.AsOf)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	services := make(map[chain.Address]bool)
	for i, record := range records {
		if failures[i] != nil {
			f.unread++
			continue
		}
		for address, account := range record.Activity.Accounts {
			services[address] = services[address] || account.Kind != market.UnknownAccount
		}
	}
	if float64(f.unread) > unreadShare*float64(len(buyers)) {
		return fmt.Errorf("records of %d of %d buyers: %w", f.unread, len(buyers), errors.Join(failures...))
	}
	for i, record := range records {
		if failures[i] == nil && !services[buyers[i]] {
			f.graded = append(f.graded, buyer{buyers[i], trader.Rate(record.Evidence, record.Measures), funderOf(record)})
		}
	}
	return nil
}

// funderOf is who sent an account its first coins. It is unknown where the history does not reach back to it, and where the sender is
// a contract or a service that funds strangers.
func funderOf(record *tradingrecord.Record) chain.Address {
	if record.Activity.Truncated {
		return chain.Address{}
	}
	for i := range record.Activity.Transactions {
		tx := &record.Activity.Transactions[i]
		for j := range tx.Movements {
			m := &tx.Movements[j]
			if !m.In || !record.Chain.IsQuote(m.Token) || m.Minted {
				continue
			}
			known := record.Activity.Accounts[m.Counterparty]
			if known.Contract || known.Kind != market.UnknownAccount || known.Label != "" {
				return chain.Address{}
			}
			return m.Counterparty
		}
	}
	return chain.Address{}
}

// independent gathers the rated buyers into groups that share a source of funds, each a list of places in graded; the order is that of
// their latest members.
func (f *smartMoneyFacts) independent() [][]int {
	leader := make([]int, len(f.graded))
	for i := range leader {
		leader[i] = i
	}
	var find func(int) int
	find = func(i int) int {
		if leader[i] != i {
			leader[i] = find(leader[i])
		}
		return leader[i]
	}
	by := make(map[chain.Address]int)
	join := func(source chain.Address, i int) {
		if source.IsZero() {
			return
		}
		if other, known := by[source]; known {
			a, b := find(i), find(other)
			leader[max(a, b)] = min(a, b)
			return
		}
		by[source] = i
	}
	for i := range f.graded {
		join(f.graded[i].account, i)
		join(f.graded[i].funder, i)
	}
	groups := make(map[int][]int)
	var order []int
	for i := range f.graded {
		if !f.graded[i].rating.Rated {
			continue
		}
		top := find(i)
		if groups[top] == nil {
			order = append(order, top)
		}
		groups[top] = append(groups[top], i)
	}
	lists := make([][]int, len(order))
	for i, top := range order {
		lists[i] = groups[top]
	}
	return lists
}

func assessSmartMoney(f *smartMoneyFacts, asOf time.Time) SmartMoneyFlowAnswer {
	groups := f.independent()
	proven := make(map[chain.Address]bool)
	answer := SmartMoneyFlowAnswer{BuyersAnalyzed: len(groups)}
	rated := 0
	for _, members := range groups {
		rated += len(members)
		worthy := false
		for _, i := range members {
			if f.graded[i].rating.Verdict == trader.MirrorWorthy {
				worthy, proven[f.graded[i].account] = true, true
			}
		}
		if worthy {
			answer.MirrorWorthyBuyers++
		}
	}
	k, n := answer.MirrorWorthyBuyers, answer.BuyersAnalyzed
	if k > 0 {
		word := "balanced"
		switch net := flowOf(f.trades.Trades, func(t *market.TokenTrade) bool { return proven[t.Trader] }).net(); {
		case net > balancedShare:
			word = "buying"
		case net < -balancedShare:
			word = "selling"
		}
		answer.NetFlow = &word
	}
	reasons := f.coverage(asOf)
	if n < minimumGraded {
		answer.Reasons = reason.Top(append(reasons, f.tooFew(n)))
		return answer
	}
	// The share among buyers at large is itself known only so well, and a luckily low one must not make chance look like smart money.
	usual := f.usual.share()
	p := stats.BetaBinomialTail(k, n, usual)
	buying := k >= minimumProven && p <= provenP && *answer.NetFlow == "buying"
	answer.SmartMoneyBuying = &buying
	reasons = append(reasons, because("SMART", 3, "%d of %d recent buyers %s; %.1f would be typical.", k, n, provenRecords(k), usual.Mean()*float64(n)))
	if k > 0 {
		reasons = append(reasons, because("NET_FLOW", 2, "On balance the proven traders %s in the listed trades.", netFlowText[*answer.NetFlow]))
	}
	if k >= minimumProven && p > provenP {
		reasons = append(reasons, because("CHANCE", 2.5, "As many proven traders among %d buyers come about by chance in %s of cases.", n, display.PercentText(p)))
	}
	if rated > n {
		reasons = append(reasons, because("CLUSTER", 1.5, "%s of the graded buyers were funded from a source that another one shares; they count once.",
			display.Count(rated-n, "account")))
	}
	answer.Reasons = reason.Top(reasons)
	return answer
}

var netFlowText = map[string]string{"buying": "bought more than they sold", "selling": "sold more than they bought", "balanced": "bought as much as they sold"}

func provenRecords(n int) string {
	if n == 1 {
		return "has a proven record"
	}
	return "have proven records"
}

// tooFew says why nothing can be said.
func (f *smartMoneyFacts) tooFew(graded int) reason.Reason {
	seen := len(f.graded) + f.unread
	switch {
	case !f.pooled:
		return because("NO_POOL", 3, "No pool with a price is known for this token, so nobody is seen buying it.")
	case seen == 0:
		return because("NO_BUYERS", 3, "No buyers are seen in the latest trades; %d with a trading record are needed.", minimumGraded)
	case graded == seen:
		return because("FEW_BUYERS", 3, "Only %s with a trading record %s seen in the latest trades; %d are needed.", display.Count(graded, "buyer"), isOrAre(graded), minimumGraded)
	case seen == 1:
		return because("TOO_FEW", 3, "The only recent buyer could not be graded, since a grade takes three closed positions; %d graded buyers are needed.", minimumGraded)
	}
	return because("TOO_FEW", 3, "Only %d of %s could be graded, since a grade takes three closed positions; %d more %s needed.",
		graded, display.Count(len(f.graded)+f.unread, "recent buyer"), minimumGraded-graded, isOrAre(minimumGraded-graded))
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// coverage says what the answer does not see.
func (f *smartMoneyFacts) coverage(asOf time.Time) []reason.Reason {
	var reasons []reason.Reason
	if f.pooled {
		reasons = append(reasons, tradesCoverage(f.trades, asOf))
	}
	if f.unread > 0 {
		reasons = append(reasons, because("UNREAD", 2.2, "The records of %s could not be read this time and are left out.", display.Count(f.unread, "buyer")))
	}
	if f.insiders > 0 {
		reasons = append(reasons, because("INSIDERS", 1.8, "The token's own creator or owner is among its latest buyers and is left out."))
	}
	return reasons
}

// tradesCoverage says how far the listed trades reach.
func tradesCoverage(trades *market.TokenTrades, asOf time.Time) reason.Reason {
	if trades.Truncated {
		return because("COVERAGE", 0.5, "Only the latest %s in the deepest pool are seen; they reach back %s.",
			display.Count(len(trades.Trades), "trade"), display.DurationText(asOf.Sub(trades.Since)))
	}
	// The window of a day is measured from when the trades were listed, some seconds off.
	return because("COVERAGE", 0.5, "Only trades of the last %s in the deepest pool are seen.", display.DurationText(asOf.Sub(trades.Since).Round(time.Hour)))
}
