package samplemarket

import (
	"encoding/hex"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/sha3"
	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

// A chain is the same world whether or not there are others.
func TestAChainAloneIsTheSameWorld(t *testing.T) {
	end := testStart.Add(daySeconds * time.Second)
	clock := func() time.Time { return end }
	all := New(Config{Seed: 3, Start: testStart, Clock: clock})
	alone := New(Config{Seed: 3, Start: testStart, Clock: clock, Chains: []string{"arbitrum"}})
	w, v := all.worldBySlug("arbitrum"), alone.worldBySlug("arbitrum")
	if len(alone.worlds) != 1 || len(w.txs) == 0 || !reflect.DeepEqual(w.txs, v.txs) || !reflect.DeepEqual(w.swaps, v.swaps) {
		t.Errorf("%d worlds, %d and %d transactions", len(alone.worlds), len(w.txs), len(v.txs))
	}
	if s := alone.Samples(); len(s.Wallets) == 0 || len(s.Tokens) == 0 {
		t.Errorf("%+v", s)
	}
}

// The same seed is the same world, whatever steps the clock takes.
func TestStepsOfTheClockChangeNothing(t *testing.T) {
	const span = 4 * daySeconds
	end := testStart.Add(span * time.Second)
	whole := New(Config{Seed: 3, Start: testStart, Clock: func() time.Time { return end }})
	if n := len(whole.worlds[0].txs); n < 1000 {
		t.Fatalf("only %d transactions", n)
	}
	uneven := seeded.NewStream(11)
	for name, step := range map[string]func() int{
		"seconds and minutes": func() int { return 1 + uneven.IntN(3000) },
		"an hour":             func() int { return hourSeconds },
		"a day and a bit":     func() int { return daySeconds + 17 },
	} {
		now := testStart
		stepped := New(Config{Seed: 3, Start: testStart, Clock: func() time.Time { return now }})
		for now.Before(end) {
			stepped.advance()
			now = now.Add(time.Duration(step()) * time.Second)
		}
		now = end
		stepped.advance()
		for i, w := range whole.worlds {
			v := stepped.worlds[i]
			if !reflect.DeepEqual(w.txs, v.txs) || !reflect.DeepEqual(w.legs, v.legs) || !reflect.DeepEqual(w.swaps, v.swaps) || !reflect.DeepEqual(w.approvals, v.approvals) {
				t.Fatalf("%s: %s differs: %d and %d transactions", name, w.spec.slug, len(w.txs), len(v.txs))
			}
			if !reflect.DeepEqual(w.balances, v.balances) {
				t.Fatalf("%s: %s: balances differ", name, w.spec.slug)
			}
			token := w.entities[w.tokens[0].entity].address.String()
			for _, path := range []string{
				"/goplus/api/v1/token_security/" + quantityDecimal(w.spec.id) + "?contract_addresses=" + token,
				"/geckoterminal/api/v2/networks/" + w.spec.gecko + "/tokens/" + token + "/pools",
				"/dexscreener/tokens/v1/" + w.spec.dexscreener + "/" + token,
			} {
				_, a := get(t, whole, path)
				_, b := get(t, stepped, path)
				if a != b {
					t.Fatalf("%s: %s differs:\n%s\n%s", name, path, a, b)
				}
			}
		}
	}
}

func quantityDecimal(n int64) string { return strconv.FormatInt(n, 10) }

func TestAnotherSeedIsAnotherWorld(t *testing.T) {
	a := New(Config{Seed: 1, Start: testStart})
	b := New(Config{Seed: 2, Start: testStart})
	if a.worlds[0].entities[40].address == b.worlds[0].entities[40].address && a.worlds[0].wallets[0].entity == b.worlds[0].wallets[0].entity &&
		a.worlds[0].entities[a.worlds[0].wallets[0].entity].address == b.worlds[0].entities[b.worlds[0].wallets[0].entity].address {
		t.Fatal("two seeds gave the same wallet")
	}
}

// Every balance is the sum of what the ledger says moved, nothing is below zero, and every pool holds its reserves.
func TestLedgerConserves(t *testing.T) {
	for _, w := range shared().worlds {
		sums := map[uint64]int64{}
		add := func(entity, asset int32, amount int64) { sums[uint64(entity)<<32|uint64(asset)] += amount }
		wrapper := w.assets[wrappedAsset].entity
		supply := make([]int64, len(w.assets))
		for id := range w.txs {
			tx := &w.txs[id]
			if id > 0 && (tx.time < w.txs[id-1].time || tx.time == w.txs[id-1].time && tx.index != w.txs[id-1].index+1) {
				t.Fatalf("%s: transaction %d comes before its predecessor", w.spec.slug, id)
			}
			if tx.value > 0 {
				add(tx.from, nativeAsset, -tx.value)
				add(tx.to, nativeAsset, tx.value)
			}
			add(tx.from, nativeAsset, -tx.fee())
			add(w.validator, nativeAsset, tx.fee())
			for j := tx.legs; j < tx.legs+int32(tx.legCount); j++ {
				l := &w.legs[j]
				if l.amount <= 0 {
					t.Fatalf("%s: leg %d moves %d", w.spec.slug, j, l.amount)
				}
				if l.from == 0 {
					supply[l.asset] += l.amount
				} else {
					add(l.from, l.asset, -l.amount)
				}
				if l.to == 0 {
					supply[l.asset] -= l.amount
				} else {
					add(l.to, l.asset, l.amount)
				}
				if l.asset == nativeAsset && l.to == wrapper {
					add(l.from, wrappedAsset, l.amount)
					supply[wrappedAsset] += l.amount
				}
				if l.asset == nativeAsset && l.from == wrapper {
					add(l.to, wrappedAsset, -l.amount)
					supply[wrappedAsset] -= l.amount
				}
			}
		}
		for key, amount := range w.balances {
			if sums[key] != amount {
				t.Fatalf("%s: entity %d holds %d of asset %d, the transfers say %d", w.spec.slug, key>>32, amount, uint32(key), sums[key])
			}
			if amount < 0 {
				t.Fatalf("%s: entity %d (%s) owes %d of %s", w.spec.slug, key>>32, w.entities[key>>32].name, amount, w.assets[uint32(key)].symbol)
			}
		}
		managed := map[int32]int64{}
		for i := range w.assets {
			if w.assets[i].supply != supply[i] {
				t.Fatalf("%s: supply of %s is %d, the transfers say %d", w.spec.slug, w.assets[i].symbol, w.assets[i].supply, supply[i])
			}
		}
		for i := range w.pools {
			p := &w.pools[i]
			if p.version == poolV4 {
				managed[p.token] += p.tokenReserve
				managed[p.quote] += p.quoteReserve
				continue
			}
			if w.balance(p.entity, p.token) != p.tokenReserve || w.balance(p.entity, p.quote) != p.quoteReserve {
				t.Fatalf("%s: pool %d says it holds other reserves than it does", w.spec.slug, i)
			}
		}
		for asset, amount := range managed {
			if w.balance(w.manager, asset) != amount {
				t.Fatalf("%s: the pool manager holds %d of asset %d, its pools say %d", w.spec.slug, w.balance(w.manager, asset), asset, amount)
			}
		}
	}
}

// A trade never lowers the product of a pool's reserves, and pays out by the constant-product rule.
func TestSwapsFollowTheCurve(t *testing.T) {
	w := shared().worlds[0]
	checked := 0
	for i := range w.pools {
		p := &w.pools[i]
		for j := 1; j < len(p.swaps); j++ {
			before, after := &w.swaps[p.swaps[j-1]], &w.swaps[p.swaps[j]]
			if before.tokenReserve-after.tokenOut != after.tokenReserve || before.quoteReserve-after.quoteOut != after.quoteReserve {
				continue // liquidity moved in between
			}
			k0 := new(big.Int).Mul(big.NewInt(before.tokenReserve), big.NewInt(before.quoteReserve))
			k1 := new(big.Int).Mul(big.NewInt(after.tokenReserve), big.NewInt(after.quoteReserve))
			if k1.Cmp(k0) < 0 {
				t.Fatalf("pool %d swap %d lowered the product", i, j)
			}
			in, reserveIn, reserveOut, out := -after.quoteOut, before.quoteReserve, before.tokenReserve, after.tokenOut
			if after.tokenOut < 0 {
				in, reserveIn, reserveOut, out = -after.tokenOut, before.tokenReserve, before.quoteReserve, after.quoteOut
			}
			net := float64(in) * (1 - float64(p.feeHundredth)/1e6)
			want := net * float64(reserveOut) / (float64(reserveIn) + net)
			if math.Abs(float64(out)-want) > want*1e-6+3 {
				t.Fatalf("pool %d swap %d: paid %d, the curve says %.1f", i, j, out, want)
			}
			checked++
		}
	}
	if checked < 5000 {
		t.Fatalf("checked only %d swaps", checked)
	}
}

func TestPopulation(t *testing.T) {
	m := shared()
	groups, tokens, wallets := map[string]int{}, 0, 0
	for _, w := range m.worlds {
		tokens += len(w.tokens)
		wallets += len(w.wallets)
		for i := range w.wallets {
			groups[w.wallets[i].plan.group]++
		}
		if len(w.majors) != 4 || len(w.phoenixes) != 4 {
			t.Errorf("%s: %d majors, %d phoenixes", w.spec.slug, len(w.majors), len(w.phoenixes))
		}
	}
	if tokens < 300 || wallets < 3000 {
		t.Errorf("%d tokens, %d wallets", tokens, wallets)
	}
	for i := range plans {
		if p := &plans[i]; p.count == 0 && groups[p.group] < 60 {
			t.Errorf("%d of %s", groups[p.group], p.group)
		}
	}
}

// The planted behaviour shows in what the agents really did.
func TestPlantedBehaviour(t *testing.T) {
	type total struct{ edge, closed, wins float64 }
	groups := map[string]*total{}
	truth := shared().Truth()
	for i := range truth.Wallets {
		x := &truth.Wallets[i]
		g := groups[x.Group]
		if g == nil {
			g = &total{}
			groups[x.Group] = g
		}
		n := float64(x.Closed)
		g.edge += x.Edge * n
		g.wins += x.WinRate * n
		g.closed += n
	}
	edge := func(group string) float64 { return groups[group].edge / groups[group].closed }
	for group, bounds := range map[string][2]float64{
		"skilled-flipper": {0.1, 2}, "skilled-swing": {0.15, 2}, "skilled-launch": {0.2, 3}, "skilled-active": {0.1, 2}, "skilled-robot": {0.08, 2},
		"lucky-flipper": {-0.15, 0.1}, "lucky-swing": {-0.25, 0.2}, "losing-flipper": {-0.5, -0.03}, "losing-swing": {-0.7, -0.05},
		"scalper": {-0.1, 0}, "wash-round-trip": {-0.03, 0}, "thin-printer": {0.5, 10}, "mev-bot": {0.001, 0.2},
	} {
		if groups[group].closed < 60 {
			t.Errorf("%s: %v closed positions", group, groups[group].closed)
		}
		if got := edge(group); got < bounds[0] || got > bounds[1] {
			t.Errorf("%s: mean return %.3f, want within %v", group, got, bounds)
		}
	}
	if rate := groups["loss-hider"].wins / groups["loss-hider"].closed; rate < 0.85 {
		t.Errorf("loss hiders won only %.2f of what they closed", rate)
	}
}

func TestLabelsSayWhatHappened(t *testing.T) {
	truth := shared().Truth()
	styles := map[string]map[string]int{}
	for i := range truth.Wallets {
		x := &truth.Wallets[i]
		if styles[x.Group] == nil {
			styles[x.Group] = map[string]int{}
		}
		styles[x.Group][x.HoldStyle]++
		if x.Archetype == "scalper" && x.HoldStyle != "scalp" && x.Closed > 5 || x.Archetype == "flipper" && x.HoldStyle == "swing" {
			t.Errorf("%s: %s holds %v (%s)", x.Group, x.Archetype, x.MedianHold, x.HoldStyle)
		}
	}
	for group, style := range map[string]string{"scalper": "scalp", "lucky-flipper": "intraday", "skilled-swing": "swing", "lucky-swing": "swing", "robot": "intraday", "wash-round-trip": "scalp"} {
		if got := styles[group][style]; got < 45 {
			t.Errorf("%s: only %d hold %s: %v", group, got, style, styles[group])
		}
	}
}

func TestTrapsTrap(t *testing.T) {
	rugged, failed := 0, 0
	for _, w := range shared().worlds {
		for i := range w.tokens {
			switch token := &w.tokens[i]; token.kind {
			case kindRug:
				if token.ruggedAt == 0 {
					continue
				}
				rugged++
				p := &w.pools[token.pool]
				if n := len(p.swaps); n > 0 && w.swapTime(p.swaps[n-1]) > token.ruggedAt {
					t.Errorf("%s: a drained pool still trades", w.spec.slug)
				}
			case kindHoneypot:
				if token.pool < 0 {
					continue
				}
				for _, id := range w.pools[token.pool].swaps {
					if s := &w.swaps[id]; s.tokenOut < 0 && s.trader != token.creator {
						t.Fatalf("%s: somebody sold a honeypot", w.spec.slug)
					}
				}
				failed++
			}
		}
	}
	if rugged < 6 || failed < 6 {
		t.Errorf("%d rugs, %d honeypots", rugged, failed)
	}
}

func TestBlocksAndTimes(t *testing.T) {
	for i := range chainSpecs {
		c := &chainSpecs[i]
		rapid.Check(t, func(t *rapid.T) {
			unix := rapid.Int64Range(1_600_000_000, 2_000_000_000).Draw(t, "unix")
			number := c.blockAt(unix)
			if at := c.timeOfBlock(number); at > unix || unix-at >= c.blockSeconds || c.blockAt(at) != number {
				t.Fatalf("%s: block %d at %d for %d", c.slug, number, at, unix)
			}
		})
	}
}

func TestQueueKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q eventQueue
		times := rapid.SliceOfN(rapid.Int32Range(-5, 5), 1, 60).Draw(t, "times")
		for i, at := range times {
			q.push(event{at: at, actor: int32(i)})
		}
		last := event{at: -6, actor: -1}
		for range times {
			e := q.pop()
			if e.at < last.at || e.at == last.at && e.actor < last.actor {
				t.Fatalf("%d planned at %d came after %d planned at %d", last.actor, last.at, e.actor, e.at)
			}
			last = e
		}
	})
}

func TestAmounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64Range(0, 1<<61).Draw(t, "a")
		c := rapid.Int64Range(1, 1<<61).Draw(t, "c")
		b := rapid.Int64Range(0, c).Draw(t, "b")
		want := new(big.Int).Div(new(big.Int).Mul(big.NewInt(a), big.NewInt(b)), big.NewInt(c))
		if got := mulDiv(a, b, c); got != want.Int64() {
			t.Fatalf("%d*%d/%d = %d, want %v", a, b, c, got, want)
		}
		digits := rapid.IntRange(0, 9).Draw(t, "digits")
		x := asset{decimals: digits + rapid.IntRange(0, 9).Draw(t, "more"), digits: digits}
		units := rapid.Int64().Draw(t, "units")
		if units == math.MinInt64 {
			units++
		}
		raw := x.rawBig(units)
		if got := x.rawWord(units); hexWord(got)[2:] != bigWord(raw) {
			t.Fatalf("word of %d: %x", units, got)
		}
		if got := x.raw(units); got != raw.String() {
			t.Fatalf("raw of %d: %s, want %s", units, got, raw)
		}
		exact, ok := new(big.Rat).SetString(x.decimal(units))
		if !ok || exact.Cmp(new(big.Rat).SetFrac(big.NewInt(units), new(big.Int).SetUint64(powersOfTen[digits]))) != 0 {
			t.Fatalf("decimal of %d with %d digits: %s", units, digits, x.decimal(units))
		}
	})
}

func TestHashesComeBack(t *testing.T) {
	w := shared().worlds[0]
	rapid.Check(t, func(t *rapid.T) {
		if x := rapid.Uint64().Draw(t, "x"); unmix(seeded.Mix(x)) != x {
			t.Fatalf("unmix(seeded.Mix(%d)) = %d", x, unmix(seeded.Mix(x)))
		}
		id := rapid.Int32Range(0, int32(len(w.txs)-1)).Draw(t, "id")
		hash := w.txHash(id)
		if back, ok := w.txByHash(hash); !ok || back != id {
			t.Fatalf("transaction %d came back as %d, %v", id, back, ok)
		}
		hash[rapid.IntRange(0, 31).Draw(t, "byte")] ^= 1
		if _, ok := w.txByHash(hash); ok {
			t.Fatal("a damaged hash was taken for a transaction")
		}
	})
}

func keccak(text string) string {
	digest := sha3.NewLegacyKeccak256()
	digest.Write([]byte(text))
	return hex.EncodeToString(digest.Sum(nil))
}

func TestTopicsAndSelectors(t *testing.T) {
	for signature, topic := range map[string]string{
		"Transfer(address,address,uint256)": topicTransfer, "Approval(address,address,uint256)": topicApproval, "ApprovalForAll(address,address,bool)": topicApprovalForAll,
		"Approval(address,address,address,uint160,uint48)": topicPermit2, "Swap(address,uint256,uint256,uint256,uint256,address)": topicSwapV2, "Sync(uint112,uint112)": topicSync,
		"Swap(address,address,int256,int256,uint160,uint128,int24)": topicSwapV3, "Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)": topicSwapV4,
		"Deposit(address,uint256)": topicDeposit, "Withdrawal(address,uint256)": topicWithdrawal,
		"PairCreated(address,address,address,uint256)": topicPairCreated, "PoolCreated(address,address,uint24,int24,address)": topicPoolCreated,
		"Initialize(uint160,int24)": topicInitializeV3, "Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)": topicInitializeV4,
		"ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)": topicModifyLiquidity, "Mint(address,uint256,uint256)": topicMintV2,
		"Burn(address,uint256,uint256,address)": topicBurnV2, "Mint(address,address,int24,int24,uint128,uint256,uint256)": topicMintV3,
		"Burn(address,int24,int24,uint128,uint256,uint256)": topicBurnV3, "Collect(address,address,int24,int24,uint128,uint128)": topicCollectV3,
	} {
		if got := "0x" + keccak(signature); got != topic {
			t.Errorf("%s: %s, want %s", signature, got, topic)
		}
	}
	for signature, m := range map[string]method{
		"approve(address,uint256)": methodApprove, "transfer(address,uint256)": methodTransfer, "swapExactETHForTokens(uint256,address[],address,uint256)": methodBuyNative,
		"swapExactTokensForETH(uint256,uint256,address[],address,uint256)": methodSellNative, "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)": methodSwapTokens,
		"swapExactETHForTokensSupportingFeeOnTransferTokens(uint256,address[],address,uint256)":         methodBuyNativeTaxed,
		"swapExactTokensForETHSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)": methodSellNativeTaxed,
		"multicall(uint256,bytes[])": methodMulticall, "execute(bytes,bytes[],uint256)": methodExecute, "claim()": methodClaim, "setApprovalForAll(address,bool)": methodApproveAll,
		"addLiquidityETH(address,uint256,uint256,uint256,address,uint256)": methodAddLiquidity, "removeLiquidityETH(address,uint256,uint256,uint256,address,uint256)": methodRemoveLiquidity,
		"approve(address,address,uint160,uint48)": methodPermit2Approve, "mint(address,uint256)": methodMint, "checkIn()": methodInteract,
	} {
		if got := keccak(signature)[:8]; got != methods[m].selector {
			t.Errorf("%s: %s, want %s", signature, methods[m].selector, got)
		}
	}
	for call, selector := range map[string]string{
		"allowance(address,address,address)": "927da105", "allowance(address,address)": "dd62ed3e", "balanceOf(address)": "70a08231", "isApprovedForAll(address,address)": "e985e9c5",
		"getReserves()": "0902f1ac", "liquidity()": "1a686502", "fee()": "ddca3f43", "slot0()": "3850c7bd", "owner()": "8da5cb5b",
	} {
		if got := keccak(call)[:8]; got != selector {
			t.Errorf("%s: %s, want %s", call, selector, got)
		}
	}
}

func TestChecksums(t *testing.T) {
	for i := range chainSpecs {
		for _, q := range chainSpecs[i].quotes {
			if got := mustAddress(q.address).checksum(); got != q.address {
				t.Errorf("%s: %s, want %s", q.symbol, got, q.address)
			}
		}
	}
	for _, text := range []string{"", "0x", "0x12", "0xg02aaa39b223fe8d0a0e5c4f27ead9083c756cc2", "00c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"} {
		if _, ok := parseAddress(text); ok {
			t.Errorf("%q passed for an address", text)
		}
	}
}

// A clock that jumps back changes nothing, and one before the start shows only what is older.
func TestClockBack(t *testing.T) {
	var now atomic.Int64
	now.Store(testStart.Add(48 * time.Hour).Unix())
	m := New(Config{Seed: 5, Start: testStart, Clock: func() time.Time { return time.Unix(now.Load(), 0) }})
	before := len(m.worlds[0].txs)
	now.Store(testStart.Unix() - 1000)
	m.advance()
	if got := len(m.worlds[0].txs); got != before {
		t.Errorf("%d transactions, then %d", before, got)
	}
	early := New(Config{Seed: 5, Start: testStart, Clock: func() time.Time { return testStart.Add(-24 * time.Hour) }})
	if n := len(early.worlds[0].txs); n == 0 || n >= before {
		t.Errorf("a day before the start there are %d transactions", n)
	}
}
