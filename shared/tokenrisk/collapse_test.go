package tokenrisk

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// hours is a chart of closes, an hour apart, each hour opening at the close before, with so much traded in the first.
func hours(volumeUSD float64, closes ...float64) []market.Candle {
	candles := make([]market.Candle, len(closes))
	for i, c := range closes {
		candles[i] = market.Candle{Time: noon().Add(time.Duration(i-len(closes)) * time.Hour), Open: closes[max(i-1, 0)], Close: c}
	}
	candles[0].VolumeUSD = volumeUSD
	return candles
}

func TestATokenThatWasSoldOut(t *testing.T) {
	mints := func(f *Facts) { owned(f); f.Code.Mints = true }
	fallen := hours(100_000, 1, 1, 0.4, 0.03, 0.02, 0.02)
	for name, c := range map[string]struct {
		power   func(*Facts)
		depth   float64
		chart   []market.Candle
		verdict string // empty where the fall is no finding
	}{
		"minted, something left":         {mints, 4_000, fallen, High},
		"minted, next to nothing left":   {mints, 990, hours(50_000, 1, 0.01), Critical},
		"minted, then renounced":         {func(f *Facts) { f.Code.Mints = true }, 4_000, fallen, High},
		"the provider sees the minting":  {func(f *Facts) { f.Security.Mintable = market.Yes }, 4_000, fallen, High},
		"a creator with a third":         {func(f *Facts) { f.Security.CreatorShare = 0.3 }, 4_000, fallen, High},
		"nobody could":                   {nil, 4_000, fallen, Medium},
		"liquidity is there":             {mints, 50_000, fallen, ""},
		"liquidity is there, just":       {mints, 5_001, fallen, ""},
		"there was no trading":           {mints, 400, hours(9_999, 1, 0.01), ""},
		"over a day":                     {mints, 4_000, hours(100_000, 1, .8, .6, .5, .4, .3, .25, .2, .15, .1, .08, .06, .04), ""},
		"came back":                      {mints, 4_000, hours(100_000, 1, 0.02, 0.3), ""},
		"fell by nine tenths":            {mints, 4_000, hours(100_000, 1, 0.1, 0.1), ""},
		"within the hour":                {mints, 4_000, hours(100_000, 1, 0.05), High},
		"prices that cannot be":          {mints, 4_000, hours(100_000, math.Inf(1), math.NaN(), 0, math.NaN()), ""},
		"a price of nothing all the way": {mints, 4_000, hours(100_000, 0, 0, 0), ""},
		"no chart":                       {mints, 4_000, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := assess(func(f *Facts) {
				if c.power != nil {
					c.power(f)
				}
				f.Pools[0].LiquidityUSD, f.Chart.Hours = c.depth, c.chart
			})
			found := slices.Contains(reason.Codes(a.Flags), "DUMPED")
			if found != (c.verdict != "") || found && a.Verdict != c.verdict {
				t.Errorf("%s %v", a.Verdict, a.Flags)
			}
		})
	}
}

func TestAWellKnownTokenThatCrashesIsNotSoldOut(t *testing.T) {
	a := assess(func(f *Facts) {
		f.Token = eth().Stables[0].Address
		f.Code.Mints = true
		f.Pools[0].LiquidityUSD, f.Chart.Hours = 40_000, hours(10e6, 1, 0.03)
	})
	if a.Verdict != Low || slices.Contains(reason.Codes(a.Flags), "DUMPED") {
		t.Errorf("%s %v", a.Verdict, a.Flags)
	}
}

func TestWhoeverCanUseAPowerIsNamed(t *testing.T) {
	hidden := func(f *Facts) { f.Security.HiddenOwner = market.Yes }
	for _, c := range []struct {
		change func(*Facts)
		text   string
	}{
		{func(*Facts) {}, "The code lets an owner stop all trading, but ownership was given up."},
		{hidden, "A single account can stop all trading."},
		{owned, "A single account can stop all trading."},
		{func(f *Facts) { owned(f); f.Contract.OwnerContract = market.Yes }, "The owner, itself a contract, can stop all trading."},
		{func(f *Facts) { f.Contract.Owned = market.Unknown }, "A privileged account can stop all trading."},
	} {
		a := assess(func(f *Facts) { f.Code.PausesTrading = true; c.change(f) })
		if !slices.ContainsFunc(a.Flags, func(r reason.Reason) bool { return r.Text == c.text }) {
			t.Errorf("%q is missing in %v", c.text, a.Flags)
		}
	}
}

func TestSentencesDoNotContradictEachOther(t *testing.T) {
	has := func(a Assessment, text string) bool {
		return slices.ContainsFunc(a.Reasons, func(r reason.Reason) bool { return r.Text == text })
	}
	trapped := assess(func(f *Facts) { f.Simulation.SellAll, f.Security.Honeypot = fail, market.Unknown })
	if slices.Contains(reason.Codes(trapped.Flags), "SELL_NOT_SHOWN") {
		t.Errorf("selling was shown to fail: %v", trapped.Flags)
	}
	if !has(trapped, "The age and the build of its market look sound; the verdict rests on what was found besides.") {
		t.Errorf("a small chance beside a critical verdict is not explained: %v", trapped.Reasons)
	}
	coin := assess(func(f *Facts) {
		f.Token, f.Security.LiquidityProviders, f.Code.Mints = eth().Stables[0].Address, nil, true
	})
	if coin.Flags[0].Code != "ISSUER" || coin.Reasons[0].Code != "MARKET" {
		t.Errorf("what a well-known coin is comes before what is not known of it: %v, %v", coin.Flags, coin.Reasons)
	}
}

func TestWhatSpeaksForAMarketCountsUpToALimit(t *testing.T) {
	a := assess(func(f *Facts) { f.Pools[0].CreatedAt = noon().Add(-24 * time.Hour) })
	if want := 1 / (1 + math.Exp(favourLimit)); a.Probability < want-1e-9 {
		t.Errorf("%v after a day, at least %v", a.Probability, want)
	}
	if measured := measureMarket(sound(), noon()); measured.facts.LockedLiquidity != 0.9 {
		t.Errorf("%+v", measured)
	}
}

// TestLiquidityInWorseHandsNeverLowersTheScore covers what the scorecard could see as a better build.
func TestLiquidityInWorseHandsNeverLowersTheScore(t *testing.T) {
	at := func(share float64, who chain.Address, locked bool) Assessment {
		return assess(func(f *Facts) {
			f.Security.LiquidityProviders = []market.Holder{
				{Account: market.Account{Address: chain.Burn, Kind: market.BurnAccount}, Share: 1 - share, Locked: true},
				{Account: market.Account{Address: who}, Share: share, Locked: locked},
			}
		})
	}
	for _, share := range []float64{0.01, 0.2, 0.5, 0.8, 0.95, 1} {
		locked, other, creator := at(share, address(20), true), at(share, address(20), false), at(share, address(9), false)
		if locked.Score > other.Score || other.Score > creator.Score {
			t.Errorf("%v: locked %v, withdrawable %v, by the creator %v", share, locked.Score, other.Score, creator.Score)
		}
	}
}
