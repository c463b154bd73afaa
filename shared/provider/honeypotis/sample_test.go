package honeypotis_test

import (
	"math"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/honeypotis"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

// The whole way, over a real connection, against the sample market, whose truth is known.
func TestTrialsOfTheSampleMarket(t *testing.T) {
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	end := start.Add(20 * 24 * time.Hour)
	clock := func() time.Time { return end }
	sample := samplemarket.New(samplemarket.Config{Seed: 11, Start: start, Clock: clock})
	server := httptest.NewServer(sample.Handler())
	defer server.Close()
	config := honeypotis.Defaults()
	config.Base, config.PerMinute, config.Burst = server.URL+"/honeypotis", 600_000, 10_000
	a := honeypotis.New(upstream.New(config, upstream.Shared{Clock: clock}))
	traps, sound, untried := 0, 0, 0
	for _, truth := range sample.Truth().Tokens {
		on, _ := chain.Parse(truth.Chain)
		token, err := chain.ParseWireAddress(truth.Address)
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.Simulate(t.Context(), on, market.SimulationRequest{Token: token})
		if err != nil {
			t.Fatal(truth, err)
		}
		switch {
		case got.Source == "":
			untried++
			if truth.Chain == "eth" && !truth.Listed.IsZero() && truth.RuggedAt.IsZero() && len(truth.Pool) == 42 {
				t.Errorf("%s: %s", truth.Symbol, got.Reason)
			}
		case truth.Honeypot:
			traps++
			if got.Buy.Done != market.Yes || got.SellAll.Done != market.No {
				t.Errorf("%s: %+v", truth.Symbol, got)
			}
		default:
			sound++
			if got.SellAll.Done != market.Yes || math.Abs(got.SellAll.Tax-truth.SellTax) > 0.011 || math.Abs(got.Buy.Tax-truth.BuyTax) > 0.011 {
				t.Errorf("%s: taxes %g and %g, got %+v", truth.Symbol, truth.BuyTax, truth.SellTax, got)
			}
		}
	}
	if traps == 0 || sound == 0 || untried == 0 {
		t.Errorf("%d traps, %d sound tokens, %d untried", traps, sound, untried)
	}
}
