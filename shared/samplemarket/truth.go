package samplemarket

import (
	"slices"
	"time"
)

// Truth is what was planted, and what became of it. The answers of the service are measured against it; nothing serves it.
type Truth struct {
	Wallets []WalletTruth
	Tokens  []TokenTruth
}

// WalletTruth is the ground truth of one wallet. An empty word means that the planted behaviour does not decide it.
type WalletTruth struct {
	Address string
	Chain   string
	// Group names the planted behaviour, finer than Archetype.
	Group     string
	Archetype string
	Skilled   bool
	Wash      bool
	Automated bool
	HoldStyle string
	Tempo     string
	Posture   string
	Health    string
	// Approvals names the planted state of the wallet's approvals.
	Approvals string
	// Entries counts the purchases the agent made on purpose, Closed the positions it has closed.
	Entries int
	Closed  int
	// Edge is the mean return of the closed positions, a fraction of cost before gas, and WinRate the share above zero.
	Edge    float64
	WinRate float64
	// MedianHold is over closed positions.
	MedianHold time.Duration
	FirstEntry time.Time
	LastEntry  time.Time
}

// Truth is the ground truth as it stands now.
func (m *Market) Truth() Truth {
	var truth Truth
	m.view(func() {
		for _, w := range m.worlds {
			for i := range w.wallets {
				truth.Wallets = append(truth.Wallets, w.walletTruth(&w.wallets[i]))
			}
			for i := range w.tokens {
				truth.Tokens = append(truth.Tokens, w.tokenTruth(&w.tokens[i]))
			}
		}
	})
	return truth
}

func (w *world) walletTruth(me *wallet) WalletTruth {
	p := me.plan
	t := WalletTruth{
		Address: w.entities[me.entity].address.String(), Chain: w.spec.slug, Group: p.group, Archetype: w.archetype(me), Skilled: p.skilled, Wash: p.wash,
		Automated: p.automated, HoldStyle: me.holdStyle(), Tempo: w.tempo(me), Posture: w.posture(me),
		Entries: me.made, Closed: me.record.closed,
	}
	t.Health, t.Approvals = w.health(me)
	if n := me.record.closed; n > 0 {
		t.Edge, t.WinRate = me.record.sumROI/float64(n), float64(me.record.wins)/float64(n)
		holds := slices.Sorted(slices.Values(me.record.holds))
		t.MedianHold = time.Duration(holds[n/2]) * time.Second
	}
	if me.made > 0 && me.record.weeks > 0 {
		t.FirstEntry, t.LastEntry = w.time(me.record.firstEntry), w.time(me.record.lastEntry)
	}
	return t
}

// health is the word for a wallet's approvals as they stand, and the scenario behind them; a planned approval that is still to come
// does not count. A blacklisted spender exposes a wallet when a plain part of it is within his reach.
func (w *world) health(me *wallet) (word, scenario string) {
	granted := len(w.entities[me.entity].code) > 0
	for _, id := range w.byOwner[me.entity] {
		granted = granted || w.approvals[id].spender != w.routerV2 || me.health == healthKnownUnlimited
	}
	if !granted {
		return healthOf[healthClean], healthScenarioNames[healthClean]
	}
	word, scenario = healthOf[me.health], healthScenarioNames[me.health]
	if me.health == healthBlacklisted {
		within, all := 0.0, 0.0
		for _, assetID := range append(w.assetsOf(me.entity), nativeAsset) {
			price, priced := w.usdNow(assetID)
			if !priced {
				continue
			}
			value := w.assets[assetID].coins(w.balance(me.entity, assetID)) * price
			all += value
			if assetID == wrappedAsset || assetID == wrappedAsset+1 {
				within += value
			}
		}
		if within < 0.2*all {
			word = ""
		}
	}
	return word, scenario
}

// archetype is the planted word, where what the wallet lived through bears it out: a diamond has held at least two tokens through
// a fall of plainly more than half.
func (w *world) archetype(me *wallet) string {
	if me.plan.pick != pickPhoenix {
		return me.plan.archetype
	}
	fallen := 0
	for _, id := range w.phoenixes {
		if w.fell(id, me.record.lastEntry, me.record.firstEntry+int32(me.plan.holdLow*hourSeconds)) > 0.55 {
			fallen++
		}
	}
	if fallen < 2 {
		return ""
	}
	return me.plan.archetype
}

// fell is the deepest fall of a token's price in USD from an earlier peak between two times, as a fraction.
func (w *world) fell(tokenID, from, to int32) float64 {
	peak, deepest := 0.0, 0.0
	for _, id := range w.pools[w.tokens[tokenID].pool].swaps {
		if at := w.swapTime(id); at < from || at > to {
			continue
		}
		price := w.swapPrice(&w.swaps[id], priceBasis{})
		peak = max(peak, price)
		deepest = max(deepest, 1-price/peak)
	}
	return deepest
}

// holdStyles are the classes of holding time with their upper ends in seconds.
var holdStyles = []struct {
	word  string
	below int32
}{{"scalp", hourSeconds}, {"intraday", daySeconds}, {"swing", 14 * daySeconds}, {"position", 90 * daySeconds}, {"long-hold", 1 << 30}}

// holdStyle is the class of the closed positions' holding times where it is plain: the median well inside, and most of them with it.
func (me *wallet) holdStyle() string {
	holds := slices.Sorted(slices.Values(me.record.holds))
	switch p := me.plan; {
	case p.role == roleCrowd || p.role == roleMarketMaker || p.role == roleRing || p.role == rolePuppet || p.role == roleFarmer || p.role == roleInsider || p.role == roleSandwich || p.role == rolePrinter:
		return "" // these trade without planned positions, or within one block, or out of a stock of their own
	case len(holds) < 3:
		return "insufficient-data"
	case len(holds) < 4:
		return ""
	}
	median, low := holds[len(holds)/2], int32(0)
	for _, style := range holdStyles {
		if median >= style.below {
			low = style.below
			continue
		}
		inside := 0
		for _, hold := range holds {
			if hold >= low && hold < style.below {
				inside++
			}
		}
		if clear := median >= low+low/5 && median < style.below-style.below/6; clear && inside*10 >= len(holds)*6 {
			return style.word
		}
		return ""
	}
	return ""
}

// tempo is the class of entries per active week where it is plain.
func (w *world) tempo(me *wallet) string {
	idle := w.now - me.record.lastEntry
	switch p := me.plan; {
	case p.role == roleCrowd || p.role == rolePuppet || p.role == roleMarketMaker || p.role == roleRing || p.role == roleFarmer || p.role == roleInsider || p.role == rolePrinter:
		return ""
	case p.role == roleEmpty:
		return "dormant"
	case me.made == 0 || me.record.weeks == 0 || (idle > 27*daySeconds && idle < 33*daySeconds):
		return ""
	case idle >= 33*daySeconds:
		return "dormant"
	case p.role == roleRobot:
		return "machine"
	}
	switch rate := float64(me.made) / float64(me.record.weeks); {
	case rate < 1.6:
		return "slow"
	case rate > 2.5 && rate < 8:
		return "steady"
	case rate > 13 && rate < 40:
		return "active"
	case rate > 65 && rate < 400:
		return "rapid"
	}
	return ""
}

// posture is the word for a wallet's purchases against its sales over the last 30 days (90 when there are under five), where the
// share is plain; empty where it is not.
func (w *world) posture(me *wallet) string {
	bought, sold, trades := 0.0, 0.0, 0
	for _, days := range []int32{30, 90} {
		bought, sold, trades = w.flows(me.entity, w.now-days*daySeconds)
		if trades >= 5 {
			break
		}
	}
	role := me.plan.role
	if role == roleCrowd {
		return "" // its trades are whatever the market needs, a few of them enormous
	}
	if trades < 3 {
		if role == roleRing || role == roleFarmer {
			return "" // their trades are not pool trades alone
		}
		return "inactive"
	}
	switch share := bought / (bought + sold); {
	case trades >= 20 && share >= 0.75, trades >= 8 && share >= 0.88:
		return "accumulating"
	case trades >= 20 && share <= 0.25, trades >= 8 && share <= 0.12:
		return "distributing"
	case role == roleRotator && trades >= 10 && share > 0.42 && share < 0.58:
		return "rotating"
	case role == roleTrader && me.plan.perWeek <= 5 && trades >= 20 && share > 0.45 && share < 0.55:
		return "balanced"
	}
	return ""
}

// flows adds up a wallet's pool trades since a time, in USD.
func (w *world) flows(entity, since int32) (bought, sold float64, trades int) {
	touch := w.entities[entity].touch
	for i := len(touch) - 1; i >= 0; i-- {
		tx := &w.txs[touch[i]]
		if tx.time < since {
			break
		}
		for j := tx.swaps; j < tx.swaps+int32(tx.swapped); j++ {
			s := &w.swaps[j]
			if s.trader != entity || w.pools[s.pool].tokenID < 0 {
				continue
			}
			trades++
			if s.tokenOut > 0 {
				bought += s.usd
			} else {
				sold += s.usd
			}
		}
	}
	return bought, sold, trades
}
