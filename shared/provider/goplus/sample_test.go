package goplus_test

import (
	"math"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/goplus"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

// The whole way, over a real connection, against the sample market, whose truth is known.
func TestSecurityAndApprovalsOfTheSampleMarket(t *testing.T) {
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	end := start.Add(20 * 24 * time.Hour)
	sample := samplemarket.New(samplemarket.Config{Seed: 11, Start: start, Clock: func() time.Time { return end }})
	server := httptest.NewServer(sample.Handler())
	defer server.Close()
	config := goplus.Defaults()
	config.Base, config.PerMinute, config.Burst = server.URL+"/goplus", 600_000, 10_000
	var dropped atomic.Int64
	a := goplus.New(upstream.New(config, upstream.Shared{
		Clock: func() time.Time { return end }, Observe: func(c upstream.Call) { dropped.Add(int64(c.Dropped)) },
	}))
	truth := sample.Truth()
	traps, sound, locks, absurd := 0, 0, 0, 0
	for _, token := range truth.Tokens {
		on, _ := chain.Parse(token.Chain)
		address, err := chain.ParseWireAddress(token.Address)
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.TokenSecurity(t.Context(), on, []chain.Address{address})
		if err != nil {
			t.Fatal(token, err)
		}
		finding, known := got[address]
		if known && len(finding.LiquidityProviders) > 0 && token.RuggedAt.IsZero() && token.Lock != "" {
			locks++
			locked := 0.0
			for _, provider := range finding.LiquidityProviders {
				if provider.Locked {
					locked += provider.Share
				}
			}
			if math.Abs(locked-token.LockedShare) > 0.02 {
				t.Errorf("%s: %g of the liquidity is %s, found %g in %+v", token.Symbol, token.LockedShare, token.Lock, locked, finding.LiquidityProviders)
			}
		}
		switch off := math.Abs(finding.CreatorShare - token.CreatorShare); {
		case !known || math.IsNaN(finding.CreatorShare) || off <= 0.01:
		case finding.CreatorShare == 1 && absurd < 2:
			absurd++ // the provider now and then tells of many times the supply
		default:
			t.Errorf("%s: the creator holds %g, found %g", token.Symbol, token.CreatorShare, finding.CreatorShare)
		}
		switch {
		case !known || finding.Honeypot == market.Unknown:
		case (finding.Honeypot == market.Yes) != token.Honeypot:
			t.Errorf("%s: trap %v, found %+v", token.Symbol, token.Honeypot, finding)
		case token.Honeypot:
			traps++
		default:
			sound++
			if tax := finding.SellTax; !math.IsNaN(tax) && math.Abs(tax-token.SellTax) > 0.011 {
				t.Errorf("%s: sell tax %g, found %g", token.Symbol, token.SellTax, tax)
			}
		}
	}
	if traps == 0 || sound == 0 || locks < 20 {
		t.Errorf("%d traps, %d sound tokens and the locks of %d pools seen", traps, sound, locks)
	}
	kinds := make(map[market.ApprovalKind]int)
	malicious, trusted := 0, 0
	for i, wallet := range truth.Wallets {
		if i%5 != 0 || i > 1000 {
			continue
		}
		on, _ := chain.Parse(wallet.Chain)
		address, err := chain.ParseWireAddress(wallet.Address)
		if err != nil {
			t.Fatal(err)
		}
		approvals, err := a.Approvals(t.Context(), on, address)
		if err != nil {
			t.Fatal(err)
		}
		for _, approval := range approvals {
			kinds[approval.Kind]++
			if approval.Spender.Malicious == market.Yes {
				malicious++
				if security, err := a.AddressSecurity(t.Context(), on, []chain.Address{approval.Spender.Address}); err != nil || security[approval.Spender.Address].Malicious != market.Yes {
					t.Errorf("%+v, %v", security, err)
				}
			}
			if approval.Spender.Trusted == market.Yes {
				trusted++
			}
		}
	}
	if kinds[market.AllowanceApproval] == 0 || kinds[market.OperatorApproval] == 0 || malicious == 0 || trusted == 0 || dropped.Load() != 0 {
		t.Errorf("approvals %v, %d malicious, %d trusted spenders, %d rows dropped", kinds, malicious, trusted, dropped.Load())
	}
}
