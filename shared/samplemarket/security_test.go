package samplemarket

import (
	"fmt"
	"math"
	"strconv"
	"testing"
)

// security is what the security provider says of a token, nil when it does not know it.
func security(t *testing.T, m *Market, w *world, token *token) *goplusToken {
	t.Helper()
	address := w.entities[token.entity].address.String()
	_, body := get(t, m, fmt.Sprintf("/goplus/api/v1/token_security/%d?contract_addresses=%s", w.spec.id, address))
	var answer struct{ Result map[string]*goplusToken }
	decode(t, body, &answer)
	return answer.Result[address]
}

// What the security provider says of traps and taxes is what was planted, but for what it overlooks.
func TestSecurityFacts(t *testing.T) {
	m := shared()
	traps, overlooked, taxed, closed, absurd := 0, 0, 0, 0, 0
	for _, w := range m.worlds {
		for i := range w.tokens {
			token := &w.tokens[i]
			if token.pool < 0 || token.ageHours(w.now) < 3 {
				continue
			}
			facts := security(t, m, w, token)
			if trap := token.kind == kindHoneypot; (facts.IsHoneypot == "1") != (trap && !token.traits.overlooked) {
				t.Errorf("%s, overlooked %v: is_honeypot %q", tokenKindNames[token.kind], token.traits.overlooked, facts.IsHoneypot)
			} else if trap && token.traits.overlooked {
				overlooked++
			} else if trap {
				traps++
			}
			if token.sellTax > 0 && *facts.SellTax != fmt.Sprintf("0.%02d", token.sellTax) {
				t.Errorf("sell tax %d is told as %s", token.sellTax, *facts.SellTax)
			} else if token.sellTax > 0 {
				taxed++
			}
			if !token.openSource {
				closed++
				if facts.IsMintable != "" || facts.OwnerAddress != nil || facts.CannotSellAll != "" {
					t.Errorf("of unpublished code the provider knows %+v", facts)
				}
			} else if !token.proxy && facts.IsMintable != flag(token.mintable) && !token.traits.overlooked {
				t.Errorf("%s: mintable is %v, told as %q", tokenKindNames[token.kind], token.mintable, facts.IsMintable)
			}
			above := false
			for _, text := range append([]string{facts.CreatorPercent}, facts.Holders[0].Percent) {
				number, err := strconv.ParseFloat(text, 64)
				above = above || err != nil || number > 1.000001
			}
			if above != (token.kind == kindHoneypot && token.traits.absurd) {
				t.Errorf("%s: creator's share %s, largest %s", tokenKindNames[token.kind], facts.CreatorPercent, facts.Holders[0].Percent)
			} else if above {
				absurd++
			}
		}
	}
	if traps < 3 || overlooked < 2 || taxed < 3 || closed < 3 || absurd < 1 {
		t.Errorf("%d traps, %d overlooked, %d taxed, %d closed, %d absurd", traps, overlooked, taxed, closed, absurd)
	}
}

// The shares of locked liquidity add up to what was planted, and the end of a lock is told.
func TestSecurityTellsLocks(t *testing.T) {
	m := shared()
	locks := map[string]int{}
	for _, w := range m.worlds {
		for i := range w.tokens {
			token := &w.tokens[i]
			if token.pool < 0 || token.ruggedAt != 0 || w.now-token.listed < goplusBlind {
				continue
			}
			truth, facts := w.tokenTruth(token), security(t, m, w, token)
			locked, ended := 0.0, false
			for _, holder := range facts.LPHolders {
				share, err := strconv.ParseFloat(holder.Percent, 64)
				if err != nil {
					t.Fatal(err)
				}
				if holder.IsLocked == 1 {
					locked += share
				}
				for _, lock := range holder.LockedDetail {
					if lock.EndTime != truth.LockedUntil.Format("2006-01-02T15:04:05+00:00") {
						t.Errorf("locked until %s, told as %s", truth.LockedUntil, lock.EndTime)
					}
					ended = ended || !truth.LockedUntil.After(w.time(w.now))
				}
			}
			if !ended && math.Abs(locked-truth.LockedShare) > 1e-6 {
				t.Errorf("%s: locked %.4f, told as %.4f", truth.Kind, truth.LockedShare, locked)
			}
			locks[truth.Trap+" "+truth.Lock]++
		}
	}
	for _, kind := range []string{" burned", " locked", " open", "rug open", "rug locked", "honeypot open", "honeypot locked"} {
		if locks[kind] == 0 {
			t.Errorf("none of %q: %v", kind, locks)
		}
	}
}

// A token whose pool has just opened is not known to the security provider, and a while later not yet tried.
func TestSecurityIsBlindAtFirst(t *testing.T) {
	w := shared().worlds[0]
	token := &w.tokens[w.listed[0]]
	opened := w.time(token.listed)
	for age, known := range map[int32]bool{goplusBlind - 60: false, goplusBlind + 60: true} {
		now := opened.Add(secondsOf(age))
		m := New(Config{Seed: testSeed, Start: testStart, Clock: clockAt(now)})
		young := m.worlds[0]
		facts := security(t, m, young, &young.tokens[w.listed[0]])
		if (facts != nil) != known {
			t.Fatalf("%d s after the listing known is %v", age, facts != nil)
		}
		if known && (facts.IsHoneypot != "" || *facts.SellTax != "") {
			t.Errorf("a trade was tried at once: %+v", facts)
		}
	}
}
