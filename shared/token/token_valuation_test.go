package token

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

var valuedAt = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

func onBase(t testing.TB) *chain.Chain {
	t.Helper()
	on, found := chain.Parse("base")
	if !found {
		t.Fatal("no base")
	}
	return on
}

func addressOf(n int) chain.Address { return chain.Address{0xaa, 18: byte(n >> 8), 19: byte(n)} }

// quotedPool is a pool of a token 30 days old against the chain's own coin.
func quotedPool(on *chain.Chain, capitalisation, liquidity, volume float64) market.Pool {
	return market.Pool{
		Quote: on.WrappedNative.Address, PriceUSD: 1, LiquidityUSD: liquidity, VolumeUSD24h: volume,
		MarketCapUSD: capitalisation, FullyDilutedUSD: capitalisation, CreatedAt: valuedAt.Add(-30 * 24 * time.Hour),
	}
}

// peersAround are n peers of 30 days whose ratios spread evenly by factors of e about 10 for liquidity, 20 for volume and 100 USD a
// holder.
func peersAround(n int) []peer {
	var peers []peer
	for i := range n {
		spread := 2*float64(i)/float64(n-1) - 1
		peers = append(peers, peer{Token: addressOf(1000 + i), measure: measure{
			Liquidity: math.Log(10) + spread, Volume: math.Log(20) + spread, Holders: math.Log(100) + spread, AgeDays: 30,
		}})
	}
	return peers
}

func valued(on *chain.Chain, pool market.Pool, holders int, peers []peer) TokenValuationAnswer {
	return assessValuation(&valuationFacts{
		on: on, token: addressOf(1), pools: []market.Pool{pool}, holders: holders, peers: peers, measuredAt: valuedAt,
	}, valuedAt)
}

// The peers' logarithms spread evenly over -1 to 1, so their median is 0, their MAD 0.5, and a factor of e is 1/(1.4826*0.5) = 1.349.
func TestValuationByHand(t *testing.T) {
	on := onBase(t)
	const z = 1 / (1.4826 * 0.5)
	for _, c := range []struct {
		name         string
		factor, want float64
		verdict      string
	}{
		{"typical", 1, 0, inLine},
		{"a little dear", math.Exp(0.74 / z), 0.74, inLine},
		{"dear", math.Exp(0.76 / z), 0.76, rich},
		{"very dear", math.Exp(1.51 / z), 1.51, overExtended},
		{"cheap", math.Exp(-0.76 / z), -0.76, cheap},
		{"very cheap", math.Exp(-1.51 / z), -1.51, underExtended},
	} {
		// All ratios are off by the same factor: a capitalisation of a million over 100,000 in the pools, 50,000 of volume, 10,000 holders.
		answer := valued(on, quotedPool(on, 1e6*c.factor, 1e5, 5e4), 10_000, peersAround(41))
		if answer.Valuation != c.verdict || answer.Zscore == nil || math.Abs(*answer.Zscore-c.want) > 0.006 {
			t.Errorf("%s: %s %v, want %s %v", c.name, answer.Valuation, answer.Zscore, c.verdict, c.want)
		}
		if !slices.Equal(answer.Compared, []string{"liquidity", "volume", "holders"}) || answer.PeerCount != 41 || *answer.PeerGroup != "tokens of 7 to 90 days on base" {
			t.Errorf("%s: %+v", c.name, answer)
		}
		if len(answer.Reasons) < 2 || !slices.Contains(reason.Codes(answer.Reasons), "NO_FUNDAMENTALS") {
			t.Errorf("%s: %+v", c.name, answer.Reasons)
		}
	}
	answer := valued(on, quotedPool(on, 2e6, 1e5, 5e4), 0, peersAround(41))
	if want := "Valued at 2.0 times the typical peer by liquidity, above 83% of 41 tokens of 7 to 90 days on base."; answer.Reasons[0].Text != want {
		t.Errorf("%q, want %q", answer.Reasons[0].Text, want)
	}
	if !slices.Equal(answer.Compared, []string{"liquidity", "volume"}) {
		t.Errorf("no holders are known, compared %v", answer.Compared)
	}
}

func TestCompositeByHand(t *testing.T) {
	for _, c := range []struct {
		ratios   []ratio
		z, above float64
	}{
		{[]ratio{{z: 1, above: 0.8, weight: 0.4}, {z: 5, above: 1, weight: 0.35}, {z: -3, above: 0, weight: 0.25}}, 1, 0.8},
		{[]ratio{{z: 9, above: 0.99, weight: 0.4}, {z: 5, above: 1, weight: 0.35}, {z: -3, above: 0, weight: 0.25}}, 5, 0.99},
		// Of two the mean: 0.4*2 - 0.35*1 over 0.75, and 0.4*0.7 + 0.35*0.19 over 0.75.
		{[]ratio{{z: 2, above: 0.7, weight: 0.4}, {z: -1, above: 0.19, weight: 0.35}}, 0.6, 0.462},
		{[]ratio{{z: 2, above: 1, weight: 0.5}, {z: -1, above: 0.5, weight: 0.5}}, 0.5, 0.75},
	} {
		if z, above := composite(c.ratios); math.Abs(z-c.z) > 1e-12 || math.Abs(above-c.above) > 1e-12 {
			t.Errorf("%+v: %v and %v, want %v and %v", c.ratios, z, above, c.z, c.above)
		}
	}
}

func TestAWordNeedsBothDistanceAndShare(t *testing.T) {
	for _, c := range []struct {
		z, above float64
		want     string
	}{
		{1.5, 0.9, overExtended}, {1.49, 0.9, rich}, {1.5, 0.89, rich}, {9, 0.75, rich}, {9, 0.74, inLine}, {0.74, 1, inLine}, {0, 0.5, inLine},
		{-1.5, 0.1, underExtended}, {-1.49, 0.1, cheap}, {-1.5, 0.11, cheap}, {-9, 0.25, cheap}, {-9, 0.26, inLine}, {-0.74, 0, inLine},
		{2, 0.05, inLine}, {-2, 0.95, inLine}, {math.NaN(), 0.5, notValued}, {1, math.NaN(), notValued},
	} {
		if got := standing(c.z, c.above); got != c.want {
			t.Errorf("z %v above %v: %s, want %s", c.z, c.above, got, c.want)
		}
	}
	order := []string{underExtended, cheap, inLine, rich, overExtended}
	rapid.Check(t, func(t *rapid.T) {
		z, above := rapid.Float64Range(-4, 4).Draw(t, "z"), rapid.Float64Range(0, 1).Draw(t, "above")
		dearer, higher := z+rapid.Float64Range(0, 4).Draw(t, "dearer"), min(1, above+rapid.Float64Range(0, 1).Draw(t, "higher"))
		here, there := slices.Index(order, standing(z, above)), slices.Index(order, standing(dearer, higher))
		if there < here {
			t.Errorf("%v, %v is %s and %v, %v only %s", z, above, order[here], dearer, higher, order[there])
		}
	})
}

// Where most peers are alike, a small distance is many standard deviations, and half of the peers may stand further out.
func TestASmallSpreadMakesNothingUnusual(t *testing.T) {
	on := onBase(t)
	peers := peersAround(40)
	for i := range peers {
		m := &peers[i].measure
		m.Holders = math.NaN()
		switch {
		case i < 26:
			m.Liquidity, m.Volume = math.Log(10)+float64(i%3-1)*0.01, math.Log(20)+float64(i%3-1)*0.01
		default:
			m.Liquidity, m.Volume = math.Log(40), math.Log(80)
		}
	}
	answer := valued(on, quotedPool(on, 1.2e6, 1e5, 5e4), 0, peers)
	if answer.Valuation != inLine || *answer.Zscore < overExtendedZ || !slices.Contains(reason.Codes(answer.Reasons), "NOT_UNUSUAL") {
		t.Errorf("%s %v %v", answer.Valuation, *answer.Zscore, answer.Reasons)
	}
}

func TestAPoolWithNextToNothingTellsNoValue(t *testing.T) {
	on := onBase(t)
	for liquidity, want := range map[float64]string{999: notValued, 1000: underExtended} {
		answer := valued(on, quotedPool(on, 10, liquidity, 500), 10_000, peersAround(41))
		if answer.Valuation != want {
			t.Errorf("%v in the pool: %+v", liquidity, answer)
		}
	}
}

func TestPeersExcludeSelf(t *testing.T) {
	on := onBase(t)
	peers := peersAround(20)
	peers[0].Token = addressOf(1)
	if answer := valued(on, quotedPool(on, 1e6, 1e5, 5e4), 10_000, peers); answer.Valuation != notValued || reason.Codes(answer.Reasons)[0] != "FEW_PEERS" {
		t.Errorf("19 others: %+v", answer)
	}
	peers = append(peers, peersAround(41)[40])
	if answer := valued(on, quotedPool(on, 1e6, 1e5, 5e4), 10_000, peers); answer.PeerCount != 20 || answer.Valuation == notValued || !slices.Contains(reason.Codes(answer.Reasons), "PEERS_N") {
		t.Errorf("20 others: %+v", answer)
	}
}

func TestGroupsWiden(t *testing.T) {
	on := onBase(t)
	pool := quotedPool(on, 1e6, 1e5, 5e4)
	old := peersAround(25)
	for i := range old {
		old[i].AgeDays = 400
	}
	if answer := valued(on, pool, 10_000, old); answer.PeerGroup == nil || *answer.PeerGroup != "tokens of all ages on base" {
		t.Errorf("%+v", answer)
	}
	unknownAge := pool
	unknownAge.CreatedAt = time.Time{}
	if answer := valued(on, unknownAge, 10_000, peersAround(25)); answer.PeerGroup == nil || *answer.PeerGroup != "tokens of all ages on base" {
		t.Errorf("%+v", answer)
	}
	far := assessValuation(&valuationFacts{
		on: on, token: addressOf(1), pools: []market.Pool{pool}, holders: 10_000, peers: old[:10], others: peersAround(15), measuredAt: valuedAt,
	}, valuedAt)
	if far.PeerGroup == nil || *far.PeerGroup != "tokens of all ages on all chains" || far.PeerCount != 25 {
		t.Errorf("%+v", far)
	}
}

// Peers that do not differ tell no distance, and one ratio alone is no verdict.
func TestPeersWithoutSpread(t *testing.T) {
	on := onBase(t)
	peers := peersAround(25)
	for i := range peers {
		peers[i].Liquidity, peers[i].Holders = math.Log(10), math.NaN()
	}
	answer := valued(on, quotedPool(on, 1e7, 1e5, 5e4), 10_000, peers)
	if answer.Valuation != notValued || answer.Zscore != nil || !slices.Equal(answer.Compared, []string{"volume"}) || answer.Reasons[0].Code != "FEW_RATIOS" {
		t.Errorf("%+v", answer)
	}
}

func TestWhatHasNoValuation(t *testing.T) {
	on := onBase(t)
	pool := quotedPool(on, 1e6, 1e5, 5e4)
	bare := pool
	bare.MarketCapUSD, bare.FullyDilutedUSD = math.NaN(), math.NaN()
	for code, f := range map[string]*valuationFacts{
		"WRAPPED":      {token: on.WrappedNative.Address, pools: []market.Pool{pool}},
		"STAKED":       {token: on.Staked[0].Address, pools: []market.Pool{pool}},
		"NO_POOL":      {token: addressOf(1)},
		"NO_VALUATION": {token: addressOf(1), pools: []market.Pool{bare}},
		"NO_PEERS":     {token: addressOf(1), pools: []market.Pool{pool}},
		"PEERS_OLD":    {token: addressOf(1), pools: []market.Pool{pool}, measuredAt: valuedAt.Add(-49 * time.Hour)},
		"FEW_PEERS":    {token: addressOf(1), pools: []market.Pool{pool}, measuredAt: valuedAt, peers: peersAround(19)},
	} {
		f.on = on
		answer := assessValuation(f, valuedAt)
		if answer.Valuation != notValued || answer.Zscore != nil || answer.Compared == nil || len(answer.Reasons) != 1 || answer.Reasons[0].Code != code {
			t.Errorf("%s: %+v", code, answer)
		}
	}
}

func TestPegs(t *testing.T) {
	on := onBase(t)
	for price, want := range map[float64]string{
		1: inLine, 1.0049: inLine, 0.9951: inLine, 1.005: rich, 0.995: cheap, 1.02: overExtended, 0.98: underExtended, 0.5: underExtended,
	} {
		pool := quotedPool(on, 1e9, 1e8, 1e7)
		pool.PriceUSD = price
		answer := assessValuation(&valuationFacts{on: on, token: on.Stables[0].Address, pools: []market.Pool{pool}}, valuedAt)
		if answer.Valuation != want || !slices.Equal(answer.Compared, []string{"peg"}) || answer.Zscore != nil || len(answer.Reasons) != 2 {
			t.Errorf("at %v: %+v, want %s", price, answer, want)
		}
	}
}

func TestCaveats(t *testing.T) {
	on := onBase(t)
	pool := quotedPool(on, 1e6, 1e5, 5e6)
	pool.FullyDilutedUSD = 6e6
	if codes := reason.Codes(valued(on, pool, 10_000, peersAround(41)).Reasons); !slices.Contains(codes, "LOW_FLOAT") {
		t.Error(codes)
	}
	pool.MarketCapUSD = math.NaN()
	if codes := reason.Codes(valued(on, pool, 10_000, peersAround(41)).Reasons); !slices.Contains(codes, "FULLY_DILUTED") || slices.Contains(codes, "LOW_FLOAT") {
		t.Error(codes)
	}
	pool = quotedPool(on, 1e6, 1e5, 5e6)
	capped := valued(on, pool, 10_000, peersAround(41))
	if !slices.Contains(reason.Codes(capped.Reasons), "VOLUME_CAPPED") {
		t.Error(capped.Reasons)
	}
	pool.VolumeUSD24h = 1e6
	if same := valued(on, pool, 10_000, peersAround(41)); *same.Zscore != *capped.Zscore {
		t.Errorf("volume beyond ten times the liquidity counts: %v, %v", *same.Zscore, *capped.Zscore)
	}
	// A pool against what anybody can print makes nothing deeper.
	m := measureOf(on, []market.Pool{{Quote: addressOf(9), LiquidityUSD: 1e12}, quotedPool(on, 1e6, 1e5, 5e4)}, 10, valuedAt)
	if math.Abs(m.Liquidity-math.Log(10)) > 1e-12 {
		t.Errorf("%+v", m)
	}
}

// A currency has no say: all amounts in another unit give the same z and the same verdict.
func TestCurrencyScalingChangesNothing(t *testing.T) {
	on := onBase(t)
	rapid.Check(t, func(t *rapid.T) {
		scale := math.Exp(rapid.Float64Range(-6, 6).Draw(t, "scale"))
		amount := rapid.Float64Range(1e6, 1e11) // never next to nothing
		pools := func(scale float64, amounts []float64) market.Pool {
			return quotedPool(on, amounts[0]*scale, amounts[1]*scale, amounts[2]*scale)
		}
		var here, there []peer
		for i := range 25 {
			amounts := []float64{amount.Draw(t, "cap"), amount.Draw(t, "liquidity"), amount.Draw(t, "volume")}
			holders := rapid.IntRange(1, 100_000).Draw(t, "holders")
			here = append(here, peer{Token: addressOf(1000 + i), measure: measureOf(on, []market.Pool{pools(1, amounts)}, holders, valuedAt)})
			there = append(there, peer{Token: addressOf(1000 + i), measure: measureOf(on, []market.Pool{pools(scale, amounts)}, holders, valuedAt)})
		}
		own := []float64{amount.Draw(t, "cap"), amount.Draw(t, "liquidity"), amount.Draw(t, "volume")}
		a, b := valued(on, pools(1, own), 500, here), valued(on, pools(scale, own), 500, there)
		if math.Abs(*a.Zscore-*b.Zscore) > 0.011 {
			t.Errorf("z %v, scaled by %v %v", *a.Zscore, scale, *b.Zscore)
		}
	})
}

// Any facts, however absurd, give a whole answer without an amount in it.
func TestValuationIsTotal(t *testing.T) {
	on := onBase(t)
	absurd := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1), 1e308, 1e-308}), rapid.Float64Range(1, 1e9))
	rapid.Check(t, func(t *rapid.T) {
		pool := rapid.Custom(func(t *rapid.T) market.Pool {
			p := quotedPool(on, absurd.Draw(t, "cap"), absurd.Draw(t, "liquidity"), absurd.Draw(t, "volume"))
			p.FullyDilutedUSD, p.PriceUSD = absurd.Draw(t, "diluted"), absurd.Draw(t, "price")
			return p
		})
		token := rapid.SampledFrom([]chain.Address{addressOf(1), on.Stables[0].Address, on.WrappedNative.Address}).Draw(t, "token")
		answer := assessValuation(&valuationFacts{
			on: on, token: token, pools: rapid.SliceOfN(pool, 0, 3).Draw(t, "pools"), holders: rapid.IntRange(-1, 1e6).Draw(t, "holders"),
			peers: peersAround(rapid.IntRange(2, 40).Draw(t, "peers")), measuredAt: valuedAt,
		}, valuedAt)
		if !slices.Contains([]string{overExtended, rich, inLine, cheap, underExtended, notValued}, answer.Valuation) || answer.Compared == nil {
			t.Fatalf("%+v", answer)
		}
		if len(answer.Reasons) < 1 || len(answer.Reasons) > 5 || answer.Valuation != notValued && len(answer.Reasons) < 2 {
			t.Fatalf("%+v", answer.Reasons)
		}
		for _, why := range answer.Reasons {
			if strings.ContainsAny(why.Text, "$%!") && strings.Contains(why.Text, "%!") || strings.Contains(why.Text, "$") || strings.Contains(why.Text, "NaN") {
				t.Errorf("%q", why.Text)
			}
		}
		if answer.Zscore != nil && (math.IsNaN(*answer.Zscore) || math.IsInf(*answer.Zscore, 0)) {
			t.Errorf("z %v", *answer.Zscore)
		}
	})
}
