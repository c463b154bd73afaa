package predictvenue

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Data answers a call of the data interface, the path in segments after the host. The answer is ready to be encoded as JSON.
func (v *Venue) Data(path []string, query url.Values) (status int, answer any) {
	a := &arguments{Values: query}
	switch strings.Join(path, "/") {
	case "positions":
		answer = v.positions(a)
	case "closed-positions":
		answer = v.closedPositions(a)
	case "trades":
		answer = v.trades(a)
	case "activity":
		answer = v.activity(a)
	case "value":
		answer = v.value(a)
	case "traded":
		answer = v.traded(a)
	case "holders":
		answer = v.holders(a)
	case "v1/leaderboard":
		answer = v.leaderboard(a)
	default:
		return notFound("not found")
	}
	if a.wrong != "" {
		return refused(http.StatusBadRequest, a.wrong)
	}
	return http.StatusOK, answer
}

type positionRow struct {
	ProxyWallet        string  `json:"proxyWallet"`
	Asset              string  `json:"asset"`
	ConditionID        string  `json:"conditionId"`
	Size               float64 `json:"size"`
	AvgPrice           float64 `json:"avgPrice"`
	InitialValue       float64 `json:"initialValue"`
	GrossInitialValue  float64 `json:"grossInitialValue,omitempty"`
	EntryFeesUSDC      float64 `json:"entryFeesUsdc,omitempty"`
	CurrentValue       float64 `json:"currentValue"`
	CashPnl            float64 `json:"cashPnl"`
	PercentPnl         float64 `json:"percentPnl"`
	TotalBought        float64 `json:"totalBought"`
	RealizedPnl        float64 `json:"realizedPnl"`
	PercentRealizedPnl float64 `json:"percentRealizedPnl"`
	CurPrice           float64 `json:"curPrice"`
	Redeemable         bool    `json:"redeemable"`
	Mergeable          bool    `json:"mergeable"`
	Title              string  `json:"title"`
	Slug               string  `json:"slug"`
	Icon               string  `json:"icon"`
	EventID            string  `json:"eventId"`
	EventSlug          string  `json:"eventSlug"`
	Outcome            string  `json:"outcome"`
	OutcomeIndex       int     `json:"outcomeIndex"`
	OppositeOutcome    string  `json:"oppositeOutcome"`
	OppositeAsset      string  `json:"oppositeAsset"`
	EndDate            string  `json:"endDate"`
	NegativeRisk       bool    `json:"negativeRisk"`
}

func (v *Venue) position(w *wallet, h *holding) positionRow {
	m := h.market
	price := v.priceNow(h.token)
	cost, worth := coins(h.cost), coins(h.shares)*price
	row := positionRow{
		ProxyWallet: w.address, Asset: m.tokens[h.outcome], ConditionID: m.condition, Size: coins(h.shares),
		AvgPrice:     rounded(ratio(float64(h.cost), float64(h.shares)), 4),
		InitialValue: rounded(cost, 4), CurrentValue: rounded(worth, 4), CashPnl: rounded(worth-cost, 4),
		PercentPnl:  rounded(100*ratio(worth-cost, cost), 4),
		TotalBought: coins(h.bought), RealizedPnl: rounded(coins(h.realized), 4), CurPrice: price,
		Redeemable: v.isClosed(m.event), Mergeable: !v.isClosed(m.event) && w.shares(m, 1-h.outcome) > 0,
		Title: m.question, Slug: m.slug, Icon: icon(m), EventID: m.event.id, EventSlug: m.event.slug,
		Outcome: m.outcomes[h.outcome], OutcomeIndex: int(h.outcome),
		OppositeOutcome: m.outcomes[1-h.outcome], OppositeAsset: m.tokens[1-h.outcome], EndDate: m.event.endDay,
		NegativeRisk: m.event.form == exclusive,
	}
	row.PercentRealizedPnl = rounded(100*ratio(coins(h.realized), coins(h.boughtCost)), 4)
	if h.fees > 0 {
		fees := coins(h.fees) * ratio(float64(h.cost), float64(h.boughtCost))
		row.EntryFeesUSDC, row.GrossInitialValue = rounded(fees, 6), rounded(cost+fees, 6)
	}
	return row
}

// priceNow is what a share counts for now: its payout once the market is closed.
func (v *Venue) priceNow(t token) float64 { return rounded(t.market.mark(t.outcome, v.now), 4) }

func icon(m *market) string {
	return "https://icons.example/" + slugOf(m.event.category.label) + ".png"
}

func (v *Venue) positions(a *arguments) any {
	w, _ := v.user(a, true)
	which, threshold := v.selected(a), a.number("sizeThreshold", 1)
	redeemable, mergeable, title := a.truth("redeemable", false), a.truth("mergeable", false), strings.ToLower(a.Get("title"))
	order := a.word("sortBy", "TOKENS", "CURRENT", "INITIAL", "CASHPNL", "PERCENTPNL", "TITLE", "RESOLVING", "PRICE", "AVGPRICE")
	limit, offset := a.page(100, 500, 10_000)
	rising := a.word("sortDirection", "DESC", "ASC") == "ASC"
	rows := []positionRow{}
	if w == nil || a.wrong != "" {
		return rows
	}
	for _, h := range w.order {
		if h.shares == 0 || coins(h.shares) < threshold || !which.has(h.market.index) {
			continue
		}
		row := v.position(w, h)
		if redeemable && !row.Redeemable || mergeable && !row.Mergeable || !strings.Contains(strings.ToLower(row.Title), title) {
			continue
		}
		rows = append(rows, row)
	}
	sortRows(rows, rising, func(x, y *positionRow) int {
		switch order {
		case "CURRENT":
			return cmp.Compare(x.CurrentValue, y.CurrentValue)
		case "INITIAL":
			return cmp.Compare(x.InitialValue, y.InitialValue)
		case "CASHPNL":
			return cmp.Compare(x.CashPnl, y.CashPnl)
		case "PERCENTPNL":
			return cmp.Compare(x.PercentPnl, y.PercentPnl)
		case "TITLE":
			return cmp.Compare(x.Title, y.Title)
		case "RESOLVING":
			return cmp.Compare(x.EndDate, y.EndDate)
		case "PRICE":
			return cmp.Compare(x.CurPrice, y.CurPrice)
		case "AVGPRICE":
			return cmp.Compare(x.AvgPrice, y.AvgPrice)
		}
		return cmp.Compare(x.Size, y.Size)
	})
	return paged(rows, limit, offset)
}

// sortRows sorts rows, downwards unless they are to rise; equal ones stay as they are.
func sortRows[T any](rows []T, rising bool, compare func(x, y *T) int) {
	slices.SortStableFunc(rows, func(x, y T) int {
		if rising {
			return compare(&x, &y)
		}
		return compare(&y, &x)
	})
}

type closedRow struct {
	ProxyWallet     string  `json:"proxyWallet"`
	Asset           string  `json:"asset"`
	ConditionID     string  `json:"conditionId"`
	AvgPrice        float64 `json:"avgPrice"`
	TotalBought     float64 `json:"totalBought"`
	RealizedPnl     float64 `json:"realizedPnl"`
	CurPrice        float64 `json:"curPrice"`
	Timestamp       int64   `json:"timestamp"`
	Title           string  `json:"title"`
	Slug            string  `json:"slug"`
	Icon            string  `json:"icon"`
	EventSlug       string  `json:"eventSlug"`
	Outcome         string  `json:"outcome"`
	OutcomeIndex    int     `json:"outcomeIndex"`
	OppositeOutcome string  `json:"oppositeOutcome"`
	OppositeAsset   string  `json:"oppositeAsset"`
	EndDate         string  `json:"endDate"`
}

// closedPositions are those of which nothing is held: what was lost and never redeemed is not among them.
func (v *Venue) closedPositions(a *arguments) any {
	w, _ := v.user(a, true)
	which, title := v.selected(a), strings.ToLower(a.Get("title"))
	order := a.word("sortBy", "REALIZEDPNL", "TITLE", "PRICE", "AVGPRICE", "TIMESTAMP")
	limit, offset := a.page(10, 50, 100_000)
	rising := a.word("sortDirection", "DESC", "ASC") == "ASC"
	rows := []closedRow{}
	if w == nil || a.wrong != "" {
		return rows
	}
	for _, h := range w.order {
		m := h.market
		if h.shares > 0 || !which.has(m.index) || !strings.Contains(strings.ToLower(m.question), title) {
			continue
		}
		rows = append(rows, closedRow{
			ProxyWallet: w.address, Asset: m.tokens[h.outcome], ConditionID: m.condition,
			AvgPrice:    rounded(ratio(float64(h.boughtCost), float64(h.bought)), 4),
			TotalBought: coins(h.bought), RealizedPnl: rounded(coins(h.realized), 4), CurPrice: v.priceNow(h.token),
			Timestamp: v.unix(h.touched),
			Title:     m.question, Slug: m.slug, Icon: icon(m), EventSlug: m.event.slug, Outcome: m.outcomes[h.outcome],
			OutcomeIndex:    int(h.outcome),
			OppositeOutcome: m.outcomes[1-h.outcome], OppositeAsset: m.tokens[1-h.outcome], EndDate: m.event.endDay,
		})
	}
	sortRows(rows, rising, func(x, y *closedRow) int {
		switch order {
		case "TITLE":
			return cmp.Compare(x.Title, y.Title)
		case "PRICE":
			return cmp.Compare(x.CurPrice, y.CurPrice)
		case "AVGPRICE":
			return cmp.Compare(x.AvgPrice, y.AvgPrice)
		case "TIMESTAMP":
			return cmp.Compare(x.Timestamp, y.Timestamp)
		}
		return cmp.Compare(x.RealizedPnl, y.RealizedPnl)
	})
	return paged(rows, limit, offset)
}

type valueRow struct {
	User  string  `json:"user"`
	Value float64 `json:"value"`
}

func (v *Venue) value(a *arguments) any {
	w, _ := v.user(a, true)
	which, value := v.selected(a), 0.0
	if w != nil {
		for _, h := range w.order {
			if which.has(h.market.index) {
				value += coins(h.shares) * v.priceNow(h.token)
			}
		}
	}
	return []valueRow{{User: strings.ToLower(a.Get("user")), Value: rounded(value, 4)}}
}

type tradedRow struct {
	User   string `json:"user"`
	Traded int    `json:"traded"`
}

func (v *Venue) traded(a *arguments) any {
	w, _ := v.user(a, true)
	row := tradedRow{User: strings.ToLower(a.Get("user"))}
	if w != nil {
		for _, h := range w.order {
			if other := w.holdings[token{h.market, 1 - h.outcome}.key()]; other == nil || h.outcome == 0 {
				row.Traded++
			}
		}
	}
	return row
}

type holdersRow struct {
	Token   string      `json:"token"`
	Holders []holderRow `json:"holders"`
}

type holderRow struct {
	ProxyWallet  string  `json:"proxyWallet"`
	Bio          string  `json:"bio"`
	Asset        string  `json:"asset"`
	Pseudonym    string  `json:"pseudonym"`
	Amount       float64 `json:"amount"`
	OutcomeIndex int     `json:"outcomeIndex"`
	Name         string  `json:"name"`
}

func (v *Venue) holders(a *arguments) any {
	conditions := a.Get("market")
	if conditions == "" {
		a.fail("required query param 'market' not provided")
	}
	limit, least := min(a.whole("limit", 20), 20), a.number("minBalance", 1)
	rows := []holdersRow{}
	for _, condition := range list(conditions) {
		m := v.marketOf(condition)
		if m == nil {
			continue
		}
		for outcome := range uint8(2) {
			row := holdersRow{Token: m.tokens[outcome], Holders: []holderRow{}}
			for _, w := range v.wallets {
				if held := w.shares(m, outcome); held > 0 && coins(held) >= least {
					row.Holders = append(row.Holders, holderRow{ProxyWallet: w.address, Asset: m.tokens[outcome], Pseudonym: w.name, Amount: coins(held),
						OutcomeIndex: int(outcome), Name: w.name})
				}
			}
			sortRows(row.Holders, false, func(x, y *holderRow) int { return cmp.Compare(x.Amount, y.Amount) })
			row.Holders = paged(row.Holders, limit, 0)
			rows = append(rows, row)
		}
	}
	return rows
}
