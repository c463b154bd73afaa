package perpvenue

import (
	"math"
	"slices"
)

type summaryWire struct {
	Value    string `json:"accountValue"`
	Notional string `json:"totalNtlPos"`
	Raw      string `json:"totalRawUsd"`
	Used     string `json:"totalMarginUsed"`
}

type stateWire struct {
	Summary      summaryWire    `json:"marginSummary"`
	Cross        summaryWire    `json:"crossMarginSummary"`
	Maintenance  string         `json:"crossMaintenanceMarginUsed"`
	Withdrawable string         `json:"withdrawable"`
	Positions    []positionWire `json:"assetPositions"`
	Time         int64          `json:"time"`
}

type positionWire struct {
	Type     string             `json:"type"`
	Position positionDetailWire `json:"position"`
}

type positionDetailWire struct {
	Coin        string       `json:"coin"`
	Size        string       `json:"szi"`
	Leverage    leverageWire `json:"leverage"`
	Entry       string       `json:"entryPx"`
	Value       string       `json:"positionValue"`
	Unrealized  string       `json:"unrealizedPnl"`
	Return      string       `json:"returnOnEquity"`
	Liquidation *string      `json:"liquidationPx"`
	Used        string       `json:"marginUsed"`
	MaxLeverage int          `json:"maxLeverage"`
	Funding     cumulative   `json:"cumFunding"`
}

type leverageWire struct {
	Type  string  `json:"type"`
	Value int     `json:"value"`
	Raw   *string `json:"rawUsd,omitempty"`
}

type cumulative struct {
	AllTime     string `json:"allTime"`
	SinceOpen   string `json:"sinceOpen"`
	SinceChange string `json:"sinceChange"`
}

// clearinghouse is how the account stands on one exchange; one that was never used has nothing.
func (a *account) clearinghouse(v *Venue, exchange int8) stateWire {
	w := stateWire{Positions: []positionWire{}, Time: v.now}
	var s standing
	if a != nil {
		s = a.standing(exchange, v.now)
		for coin := range a.positions {
			if c := &v.coins[coin]; a.positions[coin].size != 0 && !c.spot && c.exchange == exchange {
				w.Positions = append(w.Positions, positionWire{"oneWay", a.positionWire(coin, s)})
			}
		}
	}
	w.Summary = summaryWire{moneyText(s.value), moneyText(s.notional), moneyText(s.value - s.net), moneyText(s.used)}
	w.Cross = summaryWire{moneyText(s.crossValue), moneyText(s.crossNotional), moneyText(s.crossValue - s.crossNet), moneyText(s.crossUsed)}
	w.Maintenance, w.Withdrawable = moneyText(s.maintenance), moneyText(s.free())
	return w
}

func (a *account) positionWire(coin int, s standing) positionDetailWire {
	c, p := &a.venue.coins[coin], &a.positions[coin]
	mark := a.venue.mark(coin, a.venue.now)
	value, size := c.value(absolute(p.size), mark), float64(absolute(p.size))/float64(powersOfTen[c.unit])
	profit, used, equity := p.unrealized(value), value/int64(p.leverage), s.crossValue
	leverage := leverageWire{Type: "cross", Value: p.leverage}
	others := s.maintenance - c.needs(value)
	if p.isolated {
		used = p.margin + profit
		equity, others = used, 0
		raw := used - value
		if p.size < 0 {
			raw = used + value
		}
		text := moneyText(raw)
		leverage.Type, leverage.Raw = "isolated", &text
	}
	side := 1.0
	if p.size < 0 {
		side = -1
	}
	w := positionDetailWire{Coin: c.name, Size: decimalText(p.size, c.unit), Leverage: leverage,
		Entry: floatText(significant(float64(p.basis)/million/size, 6, 6), 6), Value: moneyText(value), Unrealized: moneyText(profit),
		Return: floatText(float64(profit)*float64(p.leverage)/math.Max(float64(p.basis), 1), 10), Used: moneyText(used),
		MaxLeverage: c.maxLeverage(), Funding: cumulative{moneyText(p.funding), moneyText(p.fundingOpen), moneyText(p.fundingChange)}}
	price := c.liquidationPrice(float64(mark)/million, size, float64(equity)/million, float64(others)/million, side)
	if price > 0 {
		text := floatText(price, 10)
		w.Liquidation = &text
	}
	return w
}

type balancesWire struct {
	Balances []balanceWire `json:"balances"`
}

type balanceWire struct {
	Coin  string `json:"coin"`
	Token int    `json:"token"`
	Total string `json:"total"`
	Hold  string `json:"hold"`
	Entry string `json:"entryNtl"`
}

func (a *account) spotWire(v *Venue) balancesWire {
	w := balancesWire{Balances: []balanceWire{}}
	if a == nil {
		return w
	}
	if a.spotMoved != 0 {
		w.Balances = append(w.Balances, balanceWire{"USDC", 0, moneyText(a.spotCash), "0.0", "0.0"})
	}
	for coin := range a.positions {
		if c, p := &v.coins[coin], &a.positions[coin]; c.spot && p.size != 0 {
			w.Balances = append(w.Balances, balanceWire{c.tokenName(), c.token, decimalText(p.size, c.unit), "0.0", moneyText(p.basis)})
		}
	}
	return w
}

type windowWire struct {
	Values  []any  `json:"accountValueHistory"`
	Profits []any  `json:"pnlHistory"`
	Volume  string `json:"vlm"`
}

// portfolioWire is the account's value and profit over a day, a week, a month and all time, with spot and without. Profits count
// from the beginning of their window.
func (a *account) portfolioWire(v *Venue) []any {
	history := a.portfolio(v.now)
	wires := []any{}
	for _, all := range []bool{true, false} {
		for _, span := range spans(v.now) {
			name := span.name
			if !all {
				name = "perp" + map[string]string{"day": "Day", "week": "Week", "month": "Month", "allTime": "AllTime"}[span.name]
			}
			wires = append(wires, []any{name, windowOf(history, v.now-span.length, all)})
		}
	}
	return wires
}

// span is a window by its name, with its length in milliseconds.
type span struct {
	name   string
	length int64
}

func spans(now int64) []span {
	return []span{{"day", dayMillis}, {"week", 7 * dayMillis}, {"month", 30 * dayMillis}, {"allTime", now}}
}

// portfolio is how the account stood from its beginning to now, oldest first; nothing for one that is not there yet.
func (a *account) portfolio(now int64) []snapshot {
	if a == nil || a.joined > now {
		return nil
	}
	history := append([]snapshot{{time: a.joined}}, a.history...)
	if history[len(history)-1].time < now {
		history = append(history, a.snapshot(now))
	}
	return history
}

// since is the part of a history from an instant on.
func since(history []snapshot, from int64) []snapshot {
	first := slices.IndexFunc(history, func(s snapshot) bool { return s.time >= from })
	if first < 0 {
		return nil
	}
	return history[first:]
}

func windowOf(history []snapshot, from int64, all bool) windowWire {
	w := windowWire{Values: []any{}, Profits: []any{}, Volume: "0.0"}
	history = since(history, from)
	if len(history) == 0 {
		return w
	}
	read := func(s snapshot) (value, profit, volume int64) {
		if all {
			return s.perpValue + s.spotValue, s.perpProfit + s.spotProfit, s.perpVolume + s.spotVolume
		}
		return s.perpValue, s.perpProfit, s.perpVolume
	}
	_, begin, volume := read(history[0])
	for _, s := range history {
		value, profit, _ := read(s)
		w.Values = append(w.Values, []any{s.time, moneyText(value)})
		w.Profits = append(w.Profits, []any{s.time, moneyText(profit - begin)})
	}
	_, _, last := read(history[len(history)-1])
	w.Volume = moneyText(last - volume)
	return w
}
