package predictvenue

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

type leaderRow struct {
	Rank          string  `json:"rank"`
	ProxyWallet   string  `json:"proxyWallet"`
	UserName      string  `json:"userName"`
	Volume        float64 `json:"vol"`
	Profit        float64 `json:"pnl"`
	ProfileImage  string  `json:"profileImage"`
	XUsername     string  `json:"xUsername"`
	VerifiedBadge bool    `json:"verifiedBadge"`
}

var boardCategories = []string{"OVERALL", "POLITICS", "SPORTS", "CRYPTO", "CULTURE", "MENTIONS", "WEATHER", "ECONOMICS", "TECH", "FINANCE"}

// leaderboard ranks the wallets that traded within a period. The profit of a day, week or month is the change of what the wallet's
// shares are worth and of what it was paid for them; that of all time is what has been realised.
func (v *Venue) leaderboard(a *arguments) any {
	category, period := a.word("category", boardCategories...), a.word("timePeriod", "DAY", "WEEK", "MONTH", "ALL")
	byVolume := a.word("orderBy", "PNL", "VOL") == "VOL"
	limit, offset := a.page(25, 50, 1000)
	only, named := v.user(a, false)
	rows := []leaderRow{}
	if a.wrong != "" {
		return rows
	}
	since := int32(-1)
	if days := map[string]int32{"DAY": 1, "WEEK": 7, "MONTH": 30}[period]; days > 0 {
		since = max(v.now-days*daySeconds, -1)
	}
	for _, w := range v.wallets {
		if row, any := v.standing(w, category, since, period == "ALL"); any {
			rows = append(rows, row)
		}
	}
	sortRows(rows, false, func(x, y *leaderRow) int {
		if byVolume {
			return cmp.Compare(x.Volume, y.Volume)
		}
		return cmp.Compare(x.Profit, y.Profit)
	})
	for i := range rows {
		rows[i].Rank = strconv.Itoa(i + 1)
	}
	if name := a.Get("userName"); name != "" || named {
		rows = slices.DeleteFunc(rows, func(r leaderRow) bool {
			return named && (only == nil || r.ProxyWallet != only.address) || name != "" && r.UserName != name
		})
	}
	return paged(rows, limit, offset)
}

// standing is a wallet's row for what it did after a time, and whether it traded.
func (v *Venue) standing(w *wallet, category string, since int32, realized bool) (row leaderRow, any bool) {
	counts := func(m *market) bool {
		return category == "OVERALL" || strings.ToUpper(m.event.category.label) == category
	}
	row = leaderRow{ProxyWallet: w.address, UserName: w.name}
	before, volume, paid := map[int32]int64{}, int64(0), int64(0)
	for i, id := range w.entries {
		n := v.line(id)
		if n.market < 0 || !counts(v.markets[n.market]) {
			continue
		}
		if n.at <= since {
			if i == 0 || v.line(w.entries[i-1]).order != n.order {
				v.replay(before, w, i)
			}
			continue
		}
		switch n.kind {
		case traded:
			s := v.sideOf(n, w.id)
			volume += s.cash
			if s.sell {
				paid += s.cash
			} else {
				paid -= s.cash
			}
		case split:
			paid -= n.cash
		default:
			paid += n.cash
		}
	}
	if volume == 0 {
		return row, false
	}
	row.Volume = rounded(coins(volume), 4)
	profit := coins(paid)
	if realized {
		profit = 0
	}
	for _, h := range w.order {
		switch {
		case !counts(h.market):
		case realized:
			profit += coins(h.realized - h.fees)
		default:
			profit += coins(h.shares) * h.market.mark(h.outcome, v.now)
			if held := before[h.key()]; held != 0 {
				profit -= coins(held) * h.market.mark(h.outcome, since)
			}
		}
	}
	row.Profit = rounded(profit, 4)
	return row, true
}

// replay does to the shares what a wallet did in an entry of its own, and in those that follow it in the same transaction.
func (v *Venue) replay(shares map[int32]int64, w *wallet, i int) {
	n := v.line(w.entries[i])
	m := v.markets[n.market]
	yes, no := token{m, 0}.key(), token{m, 1}.key()
	switch n.kind {
	case traded:
		s := v.sideOf(n, w.id)
		if s.sell {
			shares[token{m, s.outcome}.key()] -= n.size
		} else {
			shares[token{m, s.outcome}.key()] += n.size
		}
	case split:
		shares[yes] += n.size
		shares[no] += n.size
	case merged:
		shares[yes] -= n.size
		shares[no] -= n.size
	case redeemed:
		delete(shares, yes)
		delete(shares, no)
	case converted:
		gone := map[int32]bool{}
		for ; i < len(w.entries) && v.line(w.entries[i]).order == n.order; i++ {
			gone[v.line(w.entries[i]).market] = true
		}
		for _, other := range m.event.markets {
			if gone[other.index] {
				shares[token{other, 1}.key()] -= n.size
			} else {
				shares[token{other, 0}.key()] += n.size
			}
		}
	}
}
