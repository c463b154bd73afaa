package wallet

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/holiman/uint256"
	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// holds is a balance of token n, 18 decimals, at a price.
func holds(n int, units uint64, price float64) market.Holding {
	h := market.Holding{Token: market.Token{Address: tokenNumber(n), Symbol: "TOK", Decimals: 18, Known: true}, PriceUSD: price}
	h.Amount.Mul(uint256.NewInt(units), uint256.NewInt(1e18))
	return h
}

// approves is an unlimited approval of token n.
func approves(n int, spender market.Spender) market.Approval {
	a := market.Approval{Token: market.Token{Address: tokenNumber(n), Symbol: "TOK", Decimals: 18, Known: true}, Spender: spender, Unlimited: true}
	a.Amount.SetAllOne()
	return a
}

func spender(n byte) market.Spender { return market.Spender{Address: chain.Address{0x50, n}} }

var (
	protocol   = market.Spender{Address: chain.Address{0x50, 1}, Name: "Router", Contract: market.Yes, Verified: market.Yes, Trusted: market.Yes}
	person     = market.Spender{Address: chain.Address{0x50, 2}, Contract: market.No}
	scam       = market.Spender{Address: chain.Address{0x50, 3}, Contract: market.Yes, Malicious: market.Yes}
	unverified = market.Spender{Address: chain.Address{0x50, 4}, Contract: market.Yes, Verified: market.No}
	young      = market.Spender{Address: chain.Address{0x50, 5}, Contract: market.Yes, Verified: market.No, DeployedAt: now.Add(-30 * day)}
)

func exposed(holdings []market.Holding, approvals ...market.Approval) exposure {
	return exposure{chain: ethereum(), approvals: &market.Approvals{Open: approvals}, holdings: holdings, code: market.Code{Empty: true}}
}

func TestHealth(t *testing.T) {
	half := []market.Holding{holds(1, 100, 1), holds(2, 100, 1)}
	for _, c := range []struct {
		name   string
		e      exposure
		health string
		score  float64
	}{
		{"nothing approved", exposed(half), "healthy", 100},
		{"empty wallet", exposed(nil), "healthy", 100},
		// Exposed share 0.05/2: 100*(1-0.025)^2.
		{"unlimited to a known protocol", exposed(half, approves(1, protocol)), "healthy", 95.1},
		// 0.9/2 = 0.45: 100*0.55^2 - 5.
		{"a person may take half", exposed(half, approves(1, person)), "exposed", 25.3},
		// No balance: only the penalty for one unlimited approval to a risky spender.
		{"a person, no balance", exposed([]market.Holding{holds(2, 100, 1)}, approves(1, person)), "healthy", 95},
		// 100 - 5 - 40.
		{"a scam, no balance", exposed([]market.Holding{holds(2, 100, 1)}, approves(1, scam)), "at-risk", 55},
		// 0.4/2 = 0.2: 64 - 5.
		{"unverified", exposed(half, approves(1, unverified)), "at-risk", 59},
		// 0.7/2: 42.25 - 5.
		{"unverified and young", exposed(half, approves(1, young)), "at-risk", 37.3},
		{"code nobody knows", func() exposure { e := exposed(half); e.code = market.Code{Delegate: chain.Address{7}}; return e }(), "fair", 60},
		{"an expired permit", func() exposure {
			a := approves(1, person)
			a.ExpiresAt = now.Add(-minute)
			return exposed(half, a)
		}(), "healthy", 100},
		{"a spent allowance", func() exposure {
			a := approves(1, person)
			a.Amount.Clear()
			a.Unlimited = false
			return exposed(half, a)
		}(), "healthy", 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer := assessWalletHealth(c.e, now)
			if answer.Health != c.health || math.Abs(*answer.HealthScore-c.score) > 0.05 {
				t.Errorf("%s %v, want %s %v: %v", answer.Health, *answer.HealthScore, c.health, c.score, answer.Reasons)
			}
			wantReasons(t, answer.Reasons, 2)
			if answer.RecommendedActions == nil || len(answer.RecommendedActions) > maximumActions {
				t.Errorf("actions %v", answer.RecommendedActions)
			}
		})
	}
}

func TestAnOldApprovalWeighsMore(t *testing.T) {
	half := []market.Holding{holds(1, 100, 1), holds(2, 100, 1)}
	fresh, old := approves(1, unverified), approves(1, unverified)
	fresh.GrantedAt, old.GrantedAt = now.Add(-179*day), now.Add(-214*day)
	a, b := assessWalletHealth(exposed(half, fresh), now), assessWalletHealth(exposed(half, old), now)
	if *b.HealthScore >= *a.HealthScore {
		t.Errorf("old %v, fresh %v", *b.HealthScore, *a.HealthScore)
	}
	if want := "Revoke the unlimited approval of TOK to 0x5004..0000 (unverified, granted 214 days ago)."; b.RecommendedActions[0] != want {
		t.Errorf("%q", b.RecommendedActions[0])
	}
	wantReasons(t, b.Reasons, 2, "STALE_APPROVAL", "APPROVAL_RISK")
}

func TestTheMostUrgentActionComesFirst(t *testing.T) {
	answer := assessWalletHealth(exposed([]market.Holding{holds(1, 10, 1), holds(2, 1000, 1)}, approves(1, person), approves(2, unverified)), now)
	if !strings.Contains(answer.RecommendedActions[0], "0x5004") {
		t.Errorf("%v", answer.RecommendedActions)
	}
}

func TestHostileNamesAreNotShown(t *testing.T) {
	a := approves(1, person)
	a.Token.Symbol = "<b>claim.xyz"
	a.Spender.Name = "https://evil.example/claim"
	answer := assessWalletHealth(exposed([]market.Holding{holds(1, 10, 1)}, a), now)
	for _, action := range answer.RecommendedActions {
		if strings.ContainsAny(action, "<>") || strings.Contains(action, "evil") || strings.Contains(action, "claim") {
			t.Errorf("%q", action)
		}
	}
}

// Revoking never lowers the score, and so approving never raises it.
func TestRevokingNeverHurts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var holdings []market.Holding
		for i := range rapid.IntRange(0, 4).Draw(t, "holdings") {
			holdings = append(holdings, holds(i, uint64(rapid.IntRange(1, 1000).Draw(t, "units")), rapid.Float64Range(0, 50).Draw(t, "price")))
		}
		var approvals []market.Approval
		for range rapid.IntRange(1, 8).Draw(t, "approvals") {
			s := rapid.SampledFrom([]market.Spender{protocol, person, scam, unverified, young, spender(9)}).Draw(t, "spender")
			a := approves(rapid.IntRange(0, 4).Draw(t, "token"), s)
			if rapid.Bool().Draw(t, "limited") {
				a.Unlimited = false
				a.Amount.Mul(uint256.NewInt(uint64(rapid.IntRange(0, 500).Draw(t, "amount"))), uint256.NewInt(1e18))
			}
			a.GrantedAt = now.Add(-time.Duration(rapid.IntRange(0, 400).Draw(t, "days")) * day)
			approvals = append(approvals, a)
		}
		with := assessWalletHealth(exposed(holdings, approvals...), now)
		revoked := rapid.IntRange(0, len(approvals)-1).Draw(t, "revoked")
		left := append(append([]market.Approval{}, approvals[:revoked]...), approvals[revoked+1:]...)
		without := assessWalletHealth(exposed(holdings, left...), now)
		if *without.HealthScore < *with.HealthScore {
			t.Fatalf("revoking took the score from %v to %v", *with.HealthScore, *without.HealthScore)
		}
		if *with.HealthScore < 0 || *with.HealthScore > 100 {
			t.Fatalf("score %v", *with.HealthScore)
		}
	})
}
