package predictvenue

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// notApplicable is the outcome's index on rows that are about no single outcome.
const notApplicable = 999

type activityRow struct {
	ProxyWallet     string  `json:"proxyWallet"`
	Timestamp       int64   `json:"timestamp"`
	ConditionID     string  `json:"conditionId"`
	Type            string  `json:"type,omitempty"`
	Size            float64 `json:"size"`
	USDCSize        float64 `json:"usdcSize"`
	TransactionHash string  `json:"transactionHash"`
	Price           float64 `json:"price"`
	Asset           string  `json:"asset"`
	Side            string  `json:"side"`
	OutcomeIndex    int     `json:"outcomeIndex"`
	Title           string  `json:"title"`
	Slug            string  `json:"slug"`
	Icon            string  `json:"icon"`
	EventSlug       string  `json:"eventSlug"`
	Outcome         string  `json:"outcome"`
	Name            string  `json:"name"`
	Pseudonym       string  `json:"pseudonym"`
	Bio             string  `json:"bio"`
	ProfileImage    string  `json:"profileImage"`
	ProfileImageOpt string  `json:"profileImageOptimized"`
}

// tradeRow is an activity row without what only activities have.
type tradeRow struct {
	ProxyWallet     string  `json:"proxyWallet"`
	Side            string  `json:"side"`
	Asset           string  `json:"asset"`
	ConditionID     string  `json:"conditionId"`
	Size            float64 `json:"size"`
	Price           float64 `json:"price"`
	Timestamp       int64   `json:"timestamp"`
	Title           string  `json:"title"`
	Slug            string  `json:"slug"`
	Icon            string  `json:"icon"`
	EventSlug       string  `json:"eventSlug"`
	Outcome         string  `json:"outcome"`
	OutcomeIndex    int     `json:"outcomeIndex"`
	Name            string  `json:"name"`
	Pseudonym       string  `json:"pseudonym"`
	Bio             string  `json:"bio"`
	ProfileImage    string  `json:"profileImage"`
	ProfileImageOpt string  `json:"profileImageOptimized"`
	TransactionHash string  `json:"transactionHash"`
}

// activityOf is what the venue says of a wallet's line in the ledger.
func (v *Venue) activityOf(n *entry, w *wallet) activityRow {
	row := activityRow{
		ProxyWallet: w.address, Timestamp: v.unix(n.at), Type: entryWords[n.kind], Size: coins(n.size), USDCSize: coins(n.cash),
		TransactionHash: "0x" + v.hex("transaction", uint64(n.order), 32), OutcomeIndex: notApplicable, Name: w.name, Pseudonym: w.name,
	}
	if n.market < 0 {
		return row
	}
	m := v.markets[n.market]
	row.ConditionID, row.Title, row.Slug, row.EventSlug, row.Icon = m.condition, m.question, m.slug, m.event.slug, icon(m)
	if n.kind != traded {
		return row
	}
	s := v.sideOf(n, w.id)
	row.Side, row.Price, row.USDCSize = sideWord(s.sell), float64(s.price)/whole, coins(s.cash)
	row.Asset, row.Outcome, row.OutcomeIndex = m.tokens[s.outcome], m.outcomes[s.outcome], int(s.outcome)
	return row
}

func sideWord(sell bool) string {
	if sell {
		return "SELL"
	}
	return "BUY"
}

// threeYears is how far back a history goes whose start is not given.
const threeYears = 3 * 365 * daySeconds

// span reads start and end, Unix times that both belong to it.
func (v *Venue) span(a *arguments) (from, to int64) {
	from, to = int64(a.whole("start", 0)), int64(a.whole("end", 0))
	if from == 0 {
		from = v.unix(v.now) - threeYears
	}
	if to == 0 {
		to = math.MaxInt64
	}
	return from, to
}

func (v *Venue) activity(a *arguments) any {
	w, _ := v.user(a, true)
	which, kinds, side := v.selected(a), list(strings.ToUpper(a.Get("type"))), a.word("side", "", "BUY", "SELL")
	for _, kind := range kinds {
		if !slices.Contains(entryWords[:], kind) && !slices.Contains(otherActivities, kind) {
			a.fail("invalid query param 'type'")
		}
	}
	order := a.word("sortBy", "TIMESTAMP", "TOKENS", "CASH")
	rising := a.word("sortDirection", "DESC", "ASC") == "ASC"
	hidden := a.truth("excludeDepositsWithdrawals", true)
	from, to := v.span(a)
	limit, offset := a.page(100, 500, 5000)
	rows := []activityRow{}
	if w == nil || a.wrong != "" {
		return rows
	}
	// In time order no more lines are looked at than the page needs.
	need := math.MaxInt
	if order == "TIMESTAMP" {
		need = offset + limit
	}
	for i := range w.entries {
		if !rising {
			i = len(w.entries) - 1 - i
		}
		n := v.line(w.entries[i])
		at := v.unix(n.at)
		switch {
		case at < from || at > to || hidden && n.kind == deposited:
		case n.market >= 0 && !which.has(n.market) || n.market < 0 && !which.all:
		case len(kinds) > 0 && !slices.Contains(kinds, entryWords[n.kind]):
		case side != "" && (n.kind != traded || sideWord(v.sideOf(n, w.id).sell) != side):
		default:
			rows = append(rows, v.activityOf(n, w))
		}
		if len(rows) >= need {
			break
		}
	}
	switch order {
	case "TOKENS":
		sortRows(rows, rising, func(x, y *activityRow) int { return cmp.Compare(x.Size, y.Size) })
	case "CASH":
		sortRows(rows, rising, func(x, y *activityRow) int { return cmp.Compare(x.USDCSize, y.USDCSize) })
	}
	return paged(rows, limit, offset)
}

// otherActivities are types that a query may name and that never happen here.
var otherActivities = []string{"REWARD", "YIELD", "MIGRATION", "TAKER_REBATE", "REFERRAL_REWARD", "WITHDRAWAL"}

// One of so many rows of the trades of everybody does not say which outcome it is about; its asset does.
const blurred = 41

func (v *Venue) trades(a *arguments) any {
	w, named := v.user(a, false)
	which, side := v.selected(a), a.word("side", "", "BUY", "SELL")
	takers := a.truth("takerOnly", true)
	filter, amount := a.word("filterType", "", "CASH", "TOKENS"), a.number("filterAmount", 0)
	if (filter == "") != (a.Get("filterAmount") == "") {
		a.fail("'filterType' and 'filterAmount' must be given together")
	}
	from, to := v.span(a)
	if !named {
		if a.Get("start") != "" || a.Get("end") != "" {
			a.fail("'start' and 'end' need 'user'")
		}
	}
	limit, offset := a.page(100, 10_000, 10_000)
	rows := []tradeRow{}
	if a.wrong != "" || named && w == nil {
		return rows
	}
	add := func(n *entry, owner *wallet) {
		s := v.sideOf(n, owner.id)
		at := v.unix(n.at)
		value := coins(n.size)
		if filter == "CASH" {
			value *= float64(s.price) / whole
		}
		if at >= from && at <= to && which.has(n.market) && (s.taker || !takers) && (side == "" || side == sideWord(s.sell)) && value >= amount {
			rows = append(rows, v.tradeOf(n, owner))
			if w == nil && which.all && n.order%blurred == 0 {
				rows[len(rows)-1].OutcomeIndex = notApplicable
			}
		}
	}
	lines, count := v.tape(w, which)
	for i := count - 1; i >= 0 && len(rows) < offset+limit; i-- {
		n := v.line(lines(i))
		switch {
		case n.kind != traded:
		case w != nil:
			add(n, w)
		default:
			add(n, v.wallets[n.wallet])
			add(n, v.wallets[n.maker])
		}
	}
	return paged(rows, limit, offset)
}

// tape is the shortest list of lines that has all trades in question, oldest first.
func (v *Venue) tape(w *wallet, which selection) (line func(int) int32, count int) {
	if w != nil {
		return func(i int) int32 { return w.entries[i] }, len(w.entries)
	}
	if len(which.markets) == 1 {
		for index := range which.markets {
			trades := v.markets[index].trades
			return func(i int) int32 { return trades[i] }, len(trades)
		}
	}
	return func(i int) int32 { return int32(i) }, int(v.lines)
}

func (v *Venue) tradeOf(n *entry, w *wallet) tradeRow {
	r := v.activityOf(n, w)
	return tradeRow{
		ProxyWallet: r.ProxyWallet, Side: r.Side, Asset: r.Asset, ConditionID: r.ConditionID, Size: r.Size,
		Price: r.Price, Timestamp: r.Timestamp, Title: r.Title,
		Slug: r.Slug, Icon: r.Icon, EventSlug: r.EventSlug, Outcome: r.Outcome, OutcomeIndex: r.OutcomeIndex,
		Name: r.Name, Pseudonym: r.Pseudonym,
		TransactionHash: r.TransactionHash,
	}
}
