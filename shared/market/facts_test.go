package market_test

import (
	"math"
	"math/big"
	"reflect"
	"testing"
	"time"

	"github.com/holiman/uint256"
	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		raw      string
		decimals int
		want     float64
	}{
		{"0", 18, 0}, {"1", 0, 1}, {"1", 18, 1e-18}, {"1500000", 6, 1.5}, {"1000000000000000000", 18, 1},
		{"123456789012345678901234567890", 18, 123456789012.34567}, {"18446744073709551615", 0, 18446744073709551615},
		{"18446744073709551616", 0, 18446744073709551616}, {"1", 36, 1e-36},
		{"115792089237316195423570985008687907853269984665640564039457584007913129639935", 18, 1.157920892373162e59},
	} {
		raw := uint256.MustFromDecimal(c.raw)
		if got := market.Units(raw, c.decimals); math.Abs(got-c.want) > 1e-15*c.want {
			t.Errorf("%s with %d decimals: %v, want %v", c.raw, c.decimals, got, c.want)
		}
		if raw.Dec() != c.raw {
			t.Errorf("the amount became %s", raw.Dec())
		}
	}
}

// The reference divides exactly. Two roundings and an inexact power of ten make at most four units in the last place.
func TestUnitsAgreeWithExactDivision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var raw market.Amount
		raw.SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 32).Draw(t, "raw"))
		decimals := rapid.IntRange(0, 36).Draw(t, "decimals")
		power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
		exact := new(big.Float).SetPrec(600).Quo(new(big.Float).SetPrec(600).SetInt(raw.ToBig()), new(big.Float).SetPrec(600).SetInt(power))
		want, _ := exact.Float64()
		got := market.Units(&raw, decimals)
		if math.Abs(got-want) > 4*(math.Nextafter(want, math.Inf(1))-want) {
			t.Fatalf("%s with %d decimals: %v, want %v", raw.Dec(), decimals, got, want)
		}
		if (got == 0) != raw.IsZero() || got < 0 {
			t.Fatalf("%s is %v", raw.Dec(), got)
		}
	})
}

func TestUntilKeepsWhatHadHappened(t *testing.T) {
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	at := func(seconds int) market.Transaction {
		return market.Transaction{Time: start.Add(time.Duration(seconds) * time.Second), Block: uint64(seconds)}
	}
	history := &market.Activity{
		Transactions: []market.Transaction{at(0), at(10), at(10), at(20)}, Truncated: true, Since: start,
	}
	for seconds, want := range map[int]int{-1: 0, 0: 1, 9: 1, 10: 3, 19: 3, 20: 4, 1000: 4} {
		cut := history.Until(start.Add(time.Duration(seconds) * time.Second))
		if len(cut.Transactions) != want {
			t.Errorf("until second %d: %d transactions, want %d", seconds, len(cut.Transactions), want)
		}
		if !cut.Truncated || !cut.Since.Equal(start) {
			t.Error("what was not read is forgotten")
		}
		if (cut == history) != (want == 4) {
			t.Error("only a history that is cut is a new one")
		}
	}
	if cut := history.Until(start.Add(20*time.Second - 1)); len(cut.Transactions) != 3 {
		t.Error("a nanosecond early")
	}
	// Times compare as instants, in whatever zone.
	if cut := history.Until(start.Add(10 * time.Second).In(time.FixedZone("", 5*3600))); len(cut.Transactions) != 3 {
		t.Error("zones matter")
	}
	// Appending to the part does not reach into the whole.
	cut := history.Until(start)
	_ = append(cut.Transactions, at(99))
	if history.Transactions[1].Block != 10 || len(history.Transactions) != 4 {
		t.Error("the whole has changed")
	}
	if empty := (&market.Activity{}).Until(start); len(empty.Transactions) != 0 {
		t.Error(empty)
	}
}

// Every port has a name, and no name stands for two ports.
func TestEveryPortIsNamed(t *testing.T) {
	ports := []market.Port{
		market.ActivityFacts, market.HoldingFacts, market.PriceFacts, market.PoolFacts, market.CandleFacts, market.ApprovalFacts,
		market.CodeFacts, market.TokenSecurityFacts, market.AddressSecurityFacts, market.HolderFacts, market.TradeFacts, market.ContractFacts,
		market.SimulationFacts, market.ListingFacts,
		market.PerpFillFacts,
		market.PerpAccountFacts,
		market.PerpFundingFacts,
		market.PerpLedgerFacts,
		market.PerpMarketFacts,
		market.PerpCandleFacts,
		market.PredictionActivityFacts,
		market.PredictionPositionFacts,
		market.PredictionMarketFacts,
		market.PredictionPriceFacts,
		market.LaunchFacts, market.PoolHistoryFacts, market.PerpLeaderboardFacts, market.PredictionLeaderboardFacts,
		market.CallFacts, market.ReceiptFacts,
	}
	fields := 0
	for _, field := range reflect.VisibleFields(reflect.TypeFor[market.Sources]()) {
		if field.IsExported() {
			fields++
		}
	}
	if fields != len(ports) {
		t.Fatalf("%d ports for %d sources", len(ports), fields)
	}
	for _, port := range append(ports, "", "other") {
		if (market.Sources{}).Has(port) {
			t.Errorf("nothing stands behind %q", port)
		}
	}
	for _, c := range []struct {
		sources market.Sources
		port    market.Port
	}{
		{market.Sources{Activity: struct{ market.ActivityPort }{}}, market.ActivityFacts},
		{market.Sources{Holdings: struct{ market.HoldingsPort }{}}, market.HoldingFacts},
		{market.Sources{Prices: struct{ market.PricePort }{}}, market.PriceFacts},
		{market.Sources{Pools: struct{ market.PoolPort }{}}, market.PoolFacts},
		{market.Sources{Candles: struct{ market.CandlePort }{}}, market.CandleFacts},
		{market.Sources{Approvals: struct{ market.ApprovalPort }{}}, market.ApprovalFacts},
		{market.Sources{Code: struct{ market.CodePort }{}}, market.CodeFacts},
		{market.Sources{TokenSecurity: struct{ market.TokenSecurityPort }{}}, market.TokenSecurityFacts},
		{market.Sources{AddressSecurity: struct{ market.AddressSecurityPort }{}}, market.AddressSecurityFacts},
		{market.Sources{Holders: struct{ market.HolderPort }{}}, market.HolderFacts},
		{market.Sources{Trades: struct{ market.TradePort }{}}, market.TradeFacts},
		{market.Sources{Contracts: struct{ market.ContractPort }{}}, market.ContractFacts},
		{market.Sources{Simulation: struct{ market.SimulationPort }{}}, market.SimulationFacts},
		{market.Sources{Listings: struct{ market.ListingPort }{}}, market.ListingFacts},
		{market.Sources{PerpFills: struct{ market.PerpFillPort }{}}, market.PerpFillFacts},
		{market.Sources{PerpAccounts: struct{ market.PerpAccountPort }{}}, market.PerpAccountFacts},
		{market.Sources{PerpFunding: struct{ market.PerpFundingPort }{}}, market.PerpFundingFacts},
		{market.Sources{PerpLedgers: struct{ market.PerpLedgerPort }{}}, market.PerpLedgerFacts},
		{market.Sources{PerpMarkets: struct{ market.PerpMarketPort }{}}, market.PerpMarketFacts},
		{market.Sources{PerpCandles: struct{ market.PerpCandlePort }{}}, market.PerpCandleFacts},
		{market.Sources{PredictionActivity: struct{ market.PredictionActivityPort }{}}, market.PredictionActivityFacts},
		{market.Sources{PredictionPositions: struct{ market.PredictionPositionPort }{}}, market.PredictionPositionFacts},
		{market.Sources{PredictionMarkets: struct{ market.PredictionMarketPort }{}}, market.PredictionMarketFacts},
		{market.Sources{PredictionPrices: struct{ market.PredictionPricePort }{}}, market.PredictionPriceFacts},
	} {
		for _, port := range ports {
			if c.sources.Has(port) != (port == c.port) {
				t.Errorf("%s is behind %s", c.port, port)
			}
		}
	}
}
