package samplemarket

import (
	"math/big"
	"testing"
	"time"
)

// What a launch came to is the same when it is computed from the logs of a node, and of its reading of trades alone.
func TestLaunchTruthFollowsFromTheNode(t *testing.T) {
	m := shared()
	w := m.worlds[0]
	pumped, checked := 0, 0
	for _, id := range w.listed {
		token := &w.tokens[id]
		p := &w.pools[token.pools[len(token.pools)-1]]
		truth := w.launchTruth(token)
		if p.version != poolV2 || !truth.Settled {
			continue
		}
		type trade struct {
			hour         int64
			coins, quote float64
			left         float64
			trader       string
			sold         bool
		}
		var trades []trade
		reserve := 0.0
		first, last := w.spec.blockAt(truth.LaunchedAt.Unix()), w.spec.blockAt(truth.LaunchedAt.Unix()+launchWindow-1)
		for _, l := range logsFor(t, m, w, map[string]any{"fromBlock": quantity(first), "toBlock": quantity(last), "address": truth.Pool}) {
			amount := func(asset *asset, n int) float64 {
				whole, _ := new(big.Rat).SetFrac(dataWord(&l, n), asset.rawBig(asset.units(1))).Float64()
				return whole
			}
			ofToken, ofQuote := 0, 1
			if !w.tokenIsFirst(p) {
				ofToken, ofQuote = 1, 0
			}
			stamp, _ := new(big.Int).SetString(l.BlockTimestamp[2:], 16)
			price := w.quoteUSD(p.quote, int32(stamp.Int64()-w.start))
			switch l.Topics[0] {
			case topicSync:
				reserve = amount(&w.assets[p.quote], ofQuote) * price
			case topicSwapV2:
				x := trade{hour: stamp.Int64() / hourSeconds, left: reserve, trader: l.Topics[2]}
				in, out := amount(&w.assets[p.token], ofToken), amount(&w.assets[p.token], ofToken+2)
				x.sold, x.coins = in > 0, max(in, out)
				x.quote = max(amount(&w.assets[p.quote], ofQuote), amount(&w.assets[p.quote], ofQuote+2))
				trades = append(trades, x)
			}
		}
		highest := 0.0
		if len(trades) >= 20 {
			reference := trades[19].quote / trades[19].coins
			type hour struct {
				quote, coins float64
				buy, sell    map[string]bool
			}
			hours := map[int64]*hour{}
			for _, x := range trades[20:] {
				h := hours[x.hour]
				if h == nil {
					h = &hour{buy: map[string]bool{}, sell: map[string]bool{}}
					hours[x.hour] = h
				}
				if x.left < 10_000 {
					continue
				}
				h.quote, h.coins = h.quote+x.quote, h.coins+x.coins
				if x.sold {
					h.sell[x.trader] = true
				} else {
					h.buy[x.trader] = true
				}
			}
			for _, h := range hours {
				if len(h.buy) >= 10 && len(h.sell) >= 5 {
					highest = max(highest, h.quote/h.coins/reference)
				}
			}
		}
		if highest > truth.Multiple*1.001 || highest < truth.Multiple*0.999 || truth.Eligible != (len(trades) >= 20) || truth.Pumped != (highest >= 5) {
			t.Errorf("%s %s: %+v, the node says %.3f of %d trades", truth.Kind, truth.Token, truth, highest, len(trades))
		}
		checked++
		if truth.Pumped {
			pumped++
		}
	}
	if checked < 15 || pumped < 3 {
		t.Errorf("%d launches, %d pumped", checked, pumped)
	}
}

// What is settled stays.
func TestSettledLaunchesStay(t *testing.T) {
	early := New(Config{Seed: testSeed, Start: testStart, Clock: clockAt(testStart.Add(30 * 24 * time.Hour))})
	later := map[string]LaunchTruth{}
	for _, truth := range shared().LaunchTruth() {
		later[truth.Chain+truth.Token] = truth
	}
	settled := 0
	for _, truth := range early.LaunchTruth() {
		then := later[truth.Chain+truth.Token]
		if !truth.Settled {
			continue
		}
		settled++
		if truth.Multiple != then.Multiple || truth.Eligible != then.Eligible || len(truth.Buyers) != len(then.Buyers) {
			t.Fatalf("%+v, later %+v", truth, then)
		}
		for i := range truth.Buyers {
			if truth.Buyers[i] != then.Buyers[i] {
				t.Fatalf("%s: buyer %d is %+v, later %+v", truth.Token, i, truth.Buyers[i], then.Buyers[i])
			}
		}
	}
	if settled < 50 {
		t.Errorf("only %d settled", settled)
	}
}

// Scouts hit what rises far more often than chance, the early crowd as often as chance, whoever is tipped off was paid; and the share
// of launches that rise is that of real markets.
func TestWhoIsEarly(t *testing.T) {
	type tally struct{ launches, rose, paid int }
	groups := map[string]*tally{}
	all, open := tally{}, tally{} // open are launches that nobody has bought up
	for _, truth := range shared().LaunchTruth() {
		if !truth.Settled {
			continue
		}
		if !truth.Eligible {
			t.Errorf("%+v", truth)
		}
		rose, bundled := 0, false
		if truth.Pumped {
			rose = 1
		}
		seen := map[string]bool{}
		for i, buyer := range truth.Buyers {
			if seen[buyer.Address] || buyer.At.Before(truth.LaunchedAt) || i > 0 && buyer.At.Before(truth.Buyers[i-1].At) || buyer.Early && buyer.USD < earlyPurchase {
				t.Fatalf("%s: buyer %d is %+v", truth.Token, i, buyer)
			}
			seen[buyer.Address], bundled = true, bundled || buyer.Group == "bundle"
			if !buyer.Early || buyer.AtOnce {
				continue
			}
			g := groups[buyer.Group]
			if g == nil {
				g = &tally{}
				groups[buyer.Group] = g
			}
			g.launches++
			g.rose += rose
			if buyer.Gifted {
				g.paid++
			}
		}
		if len(truth.Buyers) > earlyBuyers {
			t.Errorf("%d first buyers", len(truth.Buyers))
		}
		all.launches, all.rose = all.launches+1, all.rose+rose
		if !bundled {
			open.launches, open.rose = open.launches+1, open.rose+rose
		}
	}
	rate := func(x tally) float64 { return float64(x.rose) / float64(x.launches) }
	if base := rate(all); base < 0.15 || base > 0.3 {
		t.Errorf("%.3f of %d launches rose", base, all.launches)
	}
	for _, group := range []string{"scout", "scout-flash", "sibling"} {
		if g := groups[group]; g.launches < 60 || rate(*g) < 2.2*rate(all) || g.paid*20 > g.launches {
			t.Errorf("%s: %+v, all %+v", group, *g, all)
		}
	}
	if g := groups["early-crowd"]; g.launches < 500 || rate(*g) < rate(open)-0.05 || rate(*g) > rate(open)+0.05 || g.paid > 0 {
		t.Errorf("early crowd: %+v, chance %+v", *g, open)
	}
	for _, group := range []string{"tipped", "insider"} {
		if g := groups[group]; g.launches < 10 || g.paid < g.launches {
			t.Errorf("%s: %+v", group, *g)
		}
	}
}

// The wallets of a hand have their first coins from the same account and are early in the same launches.
func TestHandsShareAPurse(t *testing.T) {
	for _, w := range shared().worlds {
		hands := 0
		for i := range w.wallets {
			leader := &w.wallets[i]
			if leader.plan.group != "sibling" || len(leader.partners) == 0 {
				continue
			}
			hands++
			purse := w.txs[w.entities[leader.entity].touch[0]].from
			for _, id := range leader.partners {
				partner := &w.wallets[id]
				first := &w.txs[w.entities[partner.entity].touch[0]]
				if first.from != purse || first.value == 0 || purse == w.exchange {
					t.Errorf("%s: %d and %d were paid by different accounts", w.spec.slug, i, id)
				}
				if partner.made != leader.made && partner.made != leader.made-1 {
					t.Errorf("%s: %d bought %d launches, %d of the same hand %d", w.spec.slug, i, leader.made, id, partner.made)
				}
			}
		}
		if hands != 2 {
			t.Errorf("%s: %d hands", w.spec.slug, hands)
		}
	}
}
