package samplemarket

import (
	"math"
	"testing"
)

// Rugs are pulled in three manners, and every one takes at least nine tenths of the quote at one blow.
func TestRugsTakeNearlyAll(t *testing.T) {
	manners := map[rugManner]int{}
	for _, w := range shared().worlds {
		for i := range w.tokens {
			token := &w.tokens[i]
			if token.ruggedAt == 0 {
				continue
			}
			p := &w.pools[token.pool]
			manners[token.traits.manner]++
			last := len(p.swaps) - 1
			if token.traits.manner == rugByMint {
				last--
				if w.balance(w.burn, p.receipt)+w.balance(w.locker, p.receipt) == 0 {
					t.Error("the liquidity of a token that is dumped was not locked")
				}
			} else if w.balance(w.burn, p.receipt)+w.balance(w.locker, p.receipt) > 0 {
				t.Error("liquidity was withdrawn out of a lock")
			}
			if left := float64(p.quoteReserve) / float64(w.swaps[p.swaps[last]].quoteReserve); left > 0.1 {
				t.Errorf("manner %d left %.3f of the quote", token.traits.manner, left)
			}
		}
	}
	if manners[rugByWithdrawal] < 3 || manners[rugAfterLock] < 2 || manners[rugByMint] < 2 {
		t.Errorf("manners %v", manners)
	}
}

// The accounts of a bundled launch are paid by one, buy equal amounts in the pool's first block, and go on like clockwork.
func TestBundledLaunches(t *testing.T) {
	bundled, organic := 0, 0
	for _, w := range shared().worlds {
		for _, id := range w.listed {
			token := &w.tokens[id]
			p := &w.pools[token.pool]
			first := 0
			for first < len(p.swaps) && w.swapTime(p.swaps[first]) == token.listed {
				first++
			}
			if len(token.bots) == 0 {
				organic++
				if first > 12 {
					t.Errorf("%d trades in the first block of an organic launch", first)
				}
				continue
			}
			bundled++
			if first < len(token.bots) {
				t.Fatalf("%d trades in the first block, %d bots", first, len(token.bots))
			}
			funder, size := int32(-1), int64(0)
			for i, bot := range token.bots {
				s := &w.swaps[p.swaps[i]]
				if s.trader != bot || s.tokenOut <= 0 {
					t.Fatalf("trade %d of a bundled launch is by %d, not by bot %d", i, s.trader, bot)
				}
				from := w.txs[w.entities[bot].touch[0]].from
				if i > 0 && (from != funder || max(s.quoteOut-size, size-s.quoteOut) > 1) {
					t.Fatalf("bot %d was paid by %d and spent %d; the one before by %d and %d", i, from, s.quoteOut, funder, size)
				}
				funder, size = from, s.quoteOut
			}
			last := int32(0)
			for _, swapID := range p.swaps[first:] {
				s := &w.swaps[swapID]
				at := w.swapTime(swapID)
				for _, bot := range token.bots {
					if s.trader != bot {
						continue
					}
					if rest, block := (at-last)%token.traits.botEvery, int32(w.spec.blockSeconds); last > 0 && rest > block && token.traits.botEvery-rest > block {
						t.Fatalf("bots trade after %d s, not every %d", at-last, token.traits.botEvery)
					}
					last = at
				}
			}
		}
	}
	if bundled < 15 || organic < 30 {
		t.Errorf("%d bundled launches, %d others", bundled, organic)
	}
}

// What the truth says of origin, trend and creators is there to be measured on.
func TestTokenTruth(t *testing.T) {
	origins, trends, kinds, spread, repeated := map[string]int{}, map[string]int{}, map[string]int{}, 0, 0
	for _, truth := range shared().Truth().Tokens {
		origins[truth.Origin]++
		trends[truth.Trend]++
		kinds[truth.Kind]++
		if truth.Launches > 1 && truth.Trap != "" {
			repeated++
		}
		if truth.Kind == "grower" && truth.CreatorShare < 0.05 {
			spread++
		}
		if truth.Origin != "" && truth.Listed.IsZero() || (truth.Trap == "") != (truth.Kind != "rug" && truth.Kind != "honeypot") {
			t.Errorf("%+v", truth)
		}
	}
	if origins["organic"] < 3 || origins["bot-driven"] < 2 || trends["accumulating"] < 10 || trends["bleeding"] < 10 || trends["stable"] < 20 || spread < 10 || repeated < 5 {
		t.Errorf("origins %v, trends %v, kinds %v, %d growers spread out, %d traps by old hands", origins, trends, kinds, spread, repeated)
	}
}

// Liquidity that moves takes its price along: the pool that is left is drained, and nobody who follows the token's price sees a gap.
func TestMigration(t *testing.T) {
	moved := 0
	for _, w := range shared().worlds {
		for i := range w.tokens {
			token := &w.tokens[i]
			if len(token.pools) < 2 {
				continue
			}
			moved++
			left, now := &w.pools[token.pools[1]], &w.pools[token.pools[0]]
			at := w.start + int64(now.created)
			before, _, ok := w.priceNear(token.asset, at-1, 0, w.start+int64(w.now))
			after, _, also := w.priceNear(token.asset, at, 3*daySeconds, w.start+int64(w.now))
			if last := &w.swaps[left.swaps[len(left.swaps)-1]]; !ok || before != w.swapPrice(last, priceBasis{}) || left.quoteReserve > last.quoteReserve/1000 {
				t.Errorf("%s: price %g, %d of %d left", w.spec.slug, before, left.quoteReserve, last.quoteReserve)
			}
			if len(now.swaps) > 0 && (!also || math.Abs(math.Log(after/before)) > 0.2) {
				t.Errorf("%s: %g before, %g after", w.spec.slug, before, after)
			}
			if truth := w.tokenTruth(token); !truth.Migrated || truth.Trap != "" || truth.LockedShare != 1 || w.poolsOf(token.asset)[0] != now {
				t.Errorf("%+v", truth)
			}
		}
	}
	if moved < 3 {
		t.Errorf("%d migrations", moved)
	}
}

// Every kind of token that is worth trying is among the samples, with what was planted behind it.
func TestTokenSamples(t *testing.T) {
	m := shared()
	truths := map[string]TokenTruth{}
	for _, truth := range m.Truth().Tokens {
		truths[truth.Chain+truth.Address] = truth
	}
	found := map[string]int{}
	for _, sample := range m.Samples().Tokens {
		found[sample.Kind]++
		truth, is := truths[sample.Chain+sample.Address]
		if planted := sample.Kind != "not-a-token" && sample.Kind != "stable" && sample.Kind != "wrapped"; planted != is {
			t.Errorf("%+v is one of the tokens: %v", sample, is)
		}
		ok := true
		switch sample.Kind {
		case "rug-to-come":
			ok = truth.Trap == "rug" && truth.RuggedAt.IsZero()
		case "rug", "rug-by-mint":
			ok = !truth.RuggedAt.IsZero() && (truth.Manner == "mint") == (sample.Kind == "rug-by-mint")
		case "honeypot-overlooked":
			ok = truth.Honeypot && truth.Overlooked
		case "bundled":
			ok = truth.Bundled
		case "organic":
			ok = truth.Origin == "organic"
		case "tax":
			ok = truth.SellTax > 0
		}
		if !ok || sample.About == "" {
			t.Errorf("%+v is %+v", sample, truth)
		}
	}
	for _, wanted := range tokenSamples {
		if found[wanted.name] == 0 {
			t.Errorf("no %s", wanted.name)
		}
	}
	if found["not-a-token"] != 3 || found["stable"] != 2 || found["wrapped"] != 1 {
		t.Error(found)
	}
}
