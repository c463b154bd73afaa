package predictvenue

// WalletTruth is what was planted in a wallet, and what became of it up to now. An empty word means that the planted behaviour does not
// decide it, or that it is near a threshold.
type WalletTruth struct {
	Address string
	Kind    string
	// Execution is taker, mixed or maker by the share of resting orders in the dollars traded: up to 30 %, and from 70 %.
	Execution string
	// Entries is favourites when 60 % of the cost of purchases was paid at 0.80 and more, value when 60 % was paid at 0.50 and less,
	// else balanced.
	Entries string
	// Diversification is broad from ten effective events (one over the sum of squared shares of cost), moderate from four, else
	// concentrated.
	Diversification string
	// Cadence is by purchases in a week that has any: occasional below 2, regular below 20, busy up to 200, machine above.
	Cadence string
	// Activity is active up to 7 days after the last purchase, slowing up to 30, then dormant.
	Activity string
	// Skilled wallets have a true edge by what they know or by their resting orders; arbitrage of pairs, which bets on nothing, is none.
	// The edge of Followable ones is still there a minute later at the next best price, hours before the end, and they are still at it.
	Skilled, Followable bool
	Wash                bool
	// Events is how many resolved events the wallet paid for anything in, Wins in how many of them it got more out than it had paid.
	Events, Wins int
	// ROI is what all of those brought beyond what was paid for them, fees and split dollars included, as a fraction of it.
	ROI float64
	// TrueEdge is the mean over purchased shares of the true probability, given all that anybody in the trade knew, less the price, in
	// dollars a share before fees.
	TrueEdge float64
	// Truncated is true of a wallet with more lines of history than can be paged through.
	Truncated bool
}

// mostReadable is how many lines of a wallet's history can be read by paging at the widest offset that was ever documented.
const mostReadable = 10_000

// Truth is the ground truth of every wallet, the crowd's included, as it stands now. Nothing serves it.
func (v *Venue) Truth() []WalletTruth {
	list := make([]WalletTruth, len(v.wallets))
	for i, w := range v.wallets {
		list[i] = v.walletTruth(w)
	}
	return list
}

// habits are what a wallet's trades add up to.
type habits struct {
	making, taking             int64 // dollars traded, in millionths
	dear, cheap, paid          int64 // cost of purchases
	purchases                  int
	weeks                      int // with purchases
	lastWeek, lastBuy, lastOwn int32
	spent, got                 []int64 // by event
	bought                     []int64
}

func (v *Venue) habitsOf(w *wallet) habits {
	h := habits{lastWeek: -1, lastBuy: -1, lastOwn: -1, spent: make([]int64, len(v.events)), got: make([]int64, len(v.events))}
	h.bought = make([]int64, len(v.events))
	for _, id := range w.entries {
		n := v.line(id)
		if n.market < 0 {
			continue
		}
		event := v.markets[n.market].event.index
		switch n.kind {
		case traded:
			s := v.sideOf(n, w.id)
			h.lastOwn = n.at
			if s.taker {
				h.taking += n.cash
			} else {
				h.making += s.cash
			}
			if s.sell {
				h.got[event] += s.cash
				continue
			}
			h.buy(n.at, event, s)
		case split:
			h.spent[event] += n.cash
		default:
			h.got[event] += n.cash
		}
	}
	for _, held := range w.order {
		if e := held.market.event; v.isClosed(e) {
			h.got[e.index] += held.market.worth(held.outcome, held.shares)
		}
	}
	return h
}

func (h *habits) buy(at, event int32, s side) {
	h.spent[event] += s.cash
	h.bought[event] += s.cash
	h.paid += s.cash
	if s.price >= 8000 {
		h.dear += s.cash
	}
	if s.price <= 5000 {
		h.cheap += s.cash
	}
	h.purchases++
	if week := at / (7 * daySeconds); week != h.lastWeek {
		h.weeks, h.lastWeek = h.weeks+1, week
	}
	h.lastBuy = at
}

func (v *Venue) walletTruth(w *wallet) WalletTruth {
	k := w.kind
	t := WalletTruth{
		Address: w.address, Kind: k.name, Skilled: k.skilled, Followable: k.followable, Wash: k.wash, Truncated: len(w.entries) > mostReadable,
	}
	if w.edgeShares > 0 {
		t.TrueEdge = w.edge / w.edgeShares
	}
	h := v.habitsOf(w)
	spent, got := int64(0), int64(0)
	for i, e := range v.events {
		if !v.isClosed(e) || h.spent[i] == 0 {
			continue
		}
		t.Events++
		spent, got = spent+h.spent[i], got+h.got[i]
		if h.got[i] > h.spent[i] {
			t.Wins++
		}
	}
	if spent > 0 {
		t.ROI = float64(got-spent) / float64(spent)
	}
	if k.plan == nil || h.purchases == 0 {
		return t
	}
	if k.execution {
		t.Execution = banded(float64(h.making)/float64(h.making+h.taking), 0.05, band{0, "taker"}, band{0.3, "mixed"}, band{0.7, "maker"})
	}
	if k.entries {
		t.Entries = h.entries()
	}
	if k.diversification {
		bands := []band{{0, "concentrated"}, {4, "moderate"}, {10, "broad"}}
		all, resolved := v.effectiveEvents(&h, false), v.effectiveEvents(&h, true)
		if word := banded(all, all*0.15, bands...); word == banded(resolved, resolved*0.15, bands...) {
			t.Diversification = word
		}
	}
	if k.cadence {
		rate := float64(h.purchases) / float64(h.weeks)
		t.Cadence = banded(rate, rate*0.2, band{0, "occasional"}, band{2, "regular"}, band{20, "busy"}, band{200, "machine"})
	}
	bands := []band{{0, "active"}, {7, "slowing"}, {30, "dormant"}}
	idle := func(since int32) string { return banded(float64(v.now-since)/daySeconds, 1.5, bands...) }
	if word := idle(h.lastBuy); word == idle(h.lastOwn) {
		t.Activity = word
	}
	return t
}

func (h *habits) entries() string {
	const margin = 0.05
	dear, cheap := float64(h.dear)/float64(h.paid), float64(h.cheap)/float64(h.paid)
	switch {
	case dear >= 0.6+margin:
		return "favourites"
	case cheap >= 0.6+margin:
		return "value"
	case dear <= 0.6-margin && cheap <= 0.6-margin:
		return "balanced"
	}
	return ""
}

// effectiveEvents is one over the sum of the squared shares that the events have in the cost of purchases.
func (v *Venue) effectiveEvents(h *habits, resolved bool) float64 {
	sum, squares := 0.0, 0.0
	for i, e := range v.events {
		if cost := float64(h.bought[i]); !resolved || v.isClosed(e) {
			sum += cost
			squares += cost * cost
		}
	}
	if squares == 0 {
		return 0
	}
	return sum * sum / squares
}

// band is a word that holds from a bound on.
type band struct {
	from float64
	word string
}

// banded is the word for x, empty when x is within a margin of where the next band begins or its own does.
func banded(x, margin float64, bands ...band) string {
	word := ""
	for i, b := range bands {
		if i > 0 && x > b.from-margin && x < b.from+margin {
			return ""
		}
		if x >= b.from {
			word = b.word
		}
	}
	return word
}

// Sample is a wallet worth trying.
type Sample struct {
	Address string
	Kind    string
	About   string
}

// Samples are up to two wallets of every kind that have traded, the busiest first.
func (v *Venue) Samples() []Sample {
	var list []Sample
	for i := range kinds {
		k := &kinds[i]
		var best, second *wallet
		for _, w := range v.wallets {
			switch {
			case w.kind != k || len(w.entries) == 0:
			case best == nil || len(w.entries) > len(best.entries):
				best, second = w, best
			case second == nil || len(w.entries) > len(second.entries):
				second = w
			}
		}
		for _, w := range []*wallet{best, second} {
			if w != nil {
				list = append(list, Sample{Address: w.address, Kind: k.name, About: k.about})
			}
		}
	}
	return list
}
