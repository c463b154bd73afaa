package evmrpc

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

var (
	deployer = chain.Address{0xde}
	alice    = chain.Address{0xa1}
	bob      = chain.Address{0xb0}
	trading  = chain.Address{0x40} // a router
	taxman   = chain.Address{0x7a}
	newToken = chain.Address{0x01, 0x70}
	newPool  = chain.Address{0x9d}
)

// story writes the logs of transactions. Amounts are in thousandths of the token and of the quote asset, which both have 3 decimals
// less than they say: a raw amount is what is written times 10^15.
type story struct {
	logs  []Log
	block uint64
	index int
	hash  byte
}

func (s *story) tx() *story {
	s.hash++
	return s
}

func (s *story) next() *story {
	s.block, s.index = s.block+1, 0
	return s.tx()
}

func raw(amount int64) Word {
	n := new(big.Int).Mul(big.NewInt(amount), big.NewInt(1e15))
	if n.Sign() < 0 {
		n.Add(n, new(big.Int).Lsh(big.NewInt(1), 256))
	}
	return Word(uint256.MustFromBig(n).Bytes32())
}

func plain(n int64) Word {
	b := big.NewInt(n)
	if n < 0 {
		b.Add(b, new(big.Int).Lsh(big.NewInt(1), 256))
	}
	return Word(uint256.MustFromBig(b).Bytes32())
}

func (s *story) emit(contract chain.Address, topics []Word, data ...Word) *story {
	log := Log{
		Address: contract, Topics: topics, Block: s.block, Time: blockTimeOf(s.block), Transaction: market.Hash{s.hash},
		TransactionIndex: int(s.hash), Index: s.index,
	}
	for _, word := range data {
		log.Data = append(log.Data, word[:]...)
	}
	s.logs, s.index = append(s.logs, log), s.index+1
	return s
}

func (s *story) moves(token, from, to chain.Address, amount int64) *story {
	return s.emit(token, []Word{transferTopic, addressWord(from), addressWord(to)}, raw(amount))
}

// sync is of a pool whose token 0 is the token.
func (s *story) sync(tokens, quote int64) *story {
	return s.emit(newPool, []Word{syncTopic}, raw(tokens), raw(quote))
}

func (s *story) swapV2(tokensIn, quoteIn, tokensOut, quoteOut int64) *story {
	return s.emit(newPool, []Word{uniswapV2SwapTopic, addressWord(trading), addressWord(alice)}, raw(tokensIn), raw(quoteIn), raw(tokensOut), raw(quoteOut))
}

// opening mints a million tokens and puts 800,000 of them with 10 of the quote asset into the pool.
func (s *story) opening() *story {
	return s.next().moves(newToken, chain.Address{}, deployer, 1_000_000_000).
		next().moves(newToken, deployer, newPool, 800_000_000).
		moves(newPool, chain.Address{}, chain.Address{}, 1).moves(newPool, chain.Address{}, deployer, 89_000).
		sync(800_000_000, 10_000).emit(newPool, []Word{mintV2Topic, addressWord(trading)}, raw(800_000_000), raw(10_000))
}

func launchOf(version string) *market.PoolLaunch {
	on, _ := chain.Parse("eth")
	launch := &market.PoolLaunch{Token: newToken, Pool: newPool.String(), Version: version, Quote: on.WrappedNative.Address, Block: 1, Time: blockTimeOf(1)}
	if version == "v4" {
		launch.Pool, launch.Quote = Word{0x44}.String(), chain.Native
	}
	return launch
}

func readStory(t testing.TB, version string, logs []Log) *market.PoolHistory {
	t.Helper()
	on, _ := chain.Parse("eth")
	reader, _, err := newPoolReader(on, launchOf(version))
	if err != nil {
		t.Fatal(err)
	}
	reader.decimals = 18
	reader.read(logs)
	supply := reader.minted
	if !reader.isNew {
		supply = 2_000_000
	}
	return reader.finish(supply)
}

// told is a swap in short: direction, tokens, quote, reserve afterwards, trader.
func told(s market.PoolSwap) string {
	direction := "sells"
	if s.Buy {
		direction = "buys"
	}
	return fmt.Sprintf("%x %s %.6g for %.6g, %.6g left", s.Trader[:1], direction, s.Tokens, s.Quote, s.QuoteReserve)
}

func nearly(x, y float64) bool { return math.Abs(x-y) <= 1e-12*math.Abs(y) }

func checkSwaps(t *testing.T, name string, history *market.PoolHistory, want ...string) {
	t.Helper()
	got := []string{}
	for _, swap := range history.Swaps {
		got = append(got, told(swap))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", name, got, want)
	}
}

func TestTradesOfAConstantProductPool(t *testing.T) {
	for name, c := range map[string]struct {
		logs *story
		want []string
	}{
		"through a router": {new(story).opening().next().moves(newToken, newPool, alice, 1000).sync(799_999_000, 10_010).swapV2(0, 10, 1000, 0),
			[]string{"a1 buys 1 for 0.01, 10.01 left"}},
		"an aggregator passes the tokens on": {new(story).opening().next().moves(newToken, newPool, trading, 1000).sync(799_999_000, 10_010).swapV2(0, 10, 1000, 0).
			moves(newToken, trading, alice, 1000), []string{"a1 buys 1 for 0.01, 10.01 left"}},
		"a sandwich": {new(story).opening().next().moves(newToken, newPool, bob, 5000).sync(799_995_000, 10_050).swapV2(0, 50, 5000, 0).
			tx().moves(newToken, newPool, alice, 1000).sync(799_994_000, 10_061).swapV2(0, 11, 1000, 0).
			tx().moves(newToken, bob, newPool, 5000).sync(799_999_000, 10_010).swapV2(5000, 0, 0, 51),
			[]string{"b0 buys 5 for 0.05, 10.05 left", "a1 buys 1 for 0.011, 10.061 left", "b0 sells 5 for 0.051, 10.01 left"}},
		"a taxed purchase": {new(story).opening().next().moves(newToken, newPool, taxman, 100).moves(newToken, newPool, alice, 900).sync(799_999_000, 10_010).
			swapV2(0, 10, 1000, 0), []string{"a1 buys 1 for 0.01, 10.01 left"}},
		"a taxed sale": {new(story).opening().next().moves(newToken, alice, taxman, 300).moves(newToken, alice, newPool, 700).sync(800_000_700, 9_993).
			swapV2(700, 0, 0, 7), []string{"a1 sells 0.7 for 0.007, 9.993 left"}},
		"the token sells its tax first": {new(story).opening().next().moves(newToken, newToken, newPool, 500).sync(800_000_500, 9_995).swapV2(500, 0, 0, 5).
			moves(newToken, alice, newToken, 100).moves(newToken, alice, newPool, 900).sync(800_001_400, 9_986).swapV2(900, 0, 0, 9),
			[]string{"00 sells 0.5 for 0.005, 9.995 left", "a1 sells 0.9 for 0.009, 9.986 left"}},
		"bought for several": {new(story).opening().next().moves(newToken, newPool, alice, 500).moves(newToken, newPool, bob, 500).sync(799_999_000, 10_010).
			swapV2(0, 10, 1000, 0), []string{"00 buys 1 for 0.01, 10.01 left"}},
		"sold by several": {new(story).opening().next().moves(newToken, alice, newPool, 500).moves(newToken, bob, newPool, 200).sync(800_000_700, 9_993).
			swapV2(700, 0, 0, 7), []string{"00 sells 0.7 for 0.007, 9.993 left"}},
		"nobody keeps anything": {new(story).opening().next().moves(newToken, newPool, trading, 1000).swapV2(0, 10, 1000, 0).moves(newToken, trading, newPool, 1000).
			sync(800_000_000, 10_001).swapV2(1000, 0, 0, 9), []string{"00 buys 1 for 0.01, 10 left", "00 sells 1 for 0.009, 10.001 left"}},
		"a loan paid back in kind": {new(story).opening().next().moves(newToken, newPool, alice, 1000).moves(newToken, alice, newPool, 1004).sync(800_000_004, 10_000).
			swapV2(1004, 0, 1000, 0), []string{}},
		"an odd lot comes back": {new(story).opening().next().moves(newToken, newPool, alice, 1000).sync(799_999_000, 10_010).swapV2(200, 10, 1200, 0),
			[]string{"a1 buys 1 for 0.01, 10.01 left"}},
	} {
		checkSwaps(t, name, readStory(t, "v2", c.logs.logs), c.want...)
	}
}

func TestVelodromePoolsAreReadLikePairs(t *testing.T) {
	logs := new(story).next().moves(newToken, chain.Address{}, deployer, 1_000_000_000).
		next().moves(newToken, deployer, newPool, 800_000_000).moves(newPool, chain.Address{}, deployer, 89_000).
		emit(newPool, []Word{velodromeSyncTopic}, raw(800_000_000), raw(10_000)).emit(newPool, []Word{mintV2Topic, addressWord(trading)}, raw(800_000_000), raw(10_000)).
		next().moves(newToken, newPool, alice, 1000).emit(newPool, []Word{velodromeSyncTopic}, raw(799_999_000), raw(10_010)).
		emit(newPool, []Word{velodromeSwapTopic, addressWord(trading), addressWord(alice)}, raw(0), raw(10), raw(1000), raw(0)).
		next().moves(newPool, deployer, newPool, 89_000).moves(newToken, newPool, deployer, 799_999_000).emit(newPool, []Word{velodromeSyncTopic}, raw(0), raw(0)).
		emit(newPool, []Word{velodromeBurnTopic, addressWord(trading), addressWord(deployer)}, raw(799_999_000), raw(10_010)).logs
	history := readStory(t, "v2", logs)
	checkSwaps(t, "Velodrome", history, "a1 buys 1 for 0.01, 10.01 left")
	if len(history.Changes) != 2 || history.Changes[1].Provider != deployer || history.Changes[1].Quote != -10.01 || history.Changes[1].QuoteReserve != 0 {
		t.Errorf("%+v", history.Changes)
	}
}

// Pools of version 3 do not tell their reserves: a purchase for 2, a withdrawal of half, collected with 0.5 of fees.
func TestAConcentratedPool(t *testing.T) {
	position := func(topic Word) []Word { return []Word{topic, addressWord(trading), plain(-600), plain(600)} }
	logs := new(story).next().moves(newToken, chain.Address{}, deployer, 1_000_000_000).
		next().moves(newToken, deployer, newPool, 800_000_000).emit(newPool, position(mintV3Topic), addressWord(trading), plain(77), raw(800_000_000), raw(10_000)).
		next().moves(newToken, newPool, alice, 5000).
		emit(newPool, []Word{uniswapV3SwapTopic, addressWord(trading), addressWord(alice)}, raw(-5000), raw(2000), plain(1), plain(1), plain(1)).
		next().emit(newPool, position(burnV3Topic), plain(38), raw(400_000_000), raw(6_000)).
		moves(newToken, newPool, deployer, 400_000_000).emit(newPool, position(collectTopic), addressWord(deployer), raw(400_000_000), raw(6_500)).
		next().moves(newToken, bob, newPool, 1000).
		emit(newPool, []Word{pancakeV3SwapTopic, addressWord(trading), addressWord(bob)}, raw(1000), raw(-1000), plain(1), plain(1), plain(1), plain(0), plain(0)).
		next().emit(newPool, []Word{collectProtocolTopic, addressWord(trading), addressWord(trading)}, raw(0), raw(100)).
		emit(newPool, []Word{flashTopic, addressWord(trading), addressWord(trading)}, raw(0), raw(9000), raw(0), raw(300)).
		next().emit(newPool, position(burnV3Topic), plain(0), raw(0), raw(0)).moves(newToken, newPool, alice, 1000).
		emit(newPool, []Word{uniswapV3SwapTopic, addressWord(trading), addressWord(alice)}, raw(-1000), raw(500), plain(1), plain(1), plain(1)).logs
	history := readStory(t, "v3", logs)
	checkSwaps(t, "version 3", history, "a1 buys 5 for 2, 12 left", "b0 sells 1 for 1, 4.5 left", "a1 buys 1 for 0.5, 5.2 left")
	if len(history.Changes) != 2 || history.Changes[0].Provider != deployer || !nearly(history.Changes[0].Tokens, 800_000) || history.Changes[0].QuoteReserve != 10 ||
		history.Changes[1].Provider != deployer || !nearly(history.Changes[1].Tokens, -400_000) || history.Changes[1].Quote != -6 || history.Changes[1].QuoteReserve != 6 {
		t.Errorf("%+v", history.Changes)
	}
}

// In version 4 amounts are the swapper's, liquidity is told without amounts, and the native coin is token 0. At a price of 1, liquidity
// of 1,000 between ticks -6931 and 6931, e^±0.693065 or about a half and twice the price,
// is worth 1000 (1 - e^-0.346533) = 292.864 of each.
func TestAManagedPool(t *testing.T) {
	on, _ := chain.Parse("eth")
	manager, _ := managerOf(on)
	id, other := Word{0x44}, Word{0x45}
	one := Word(new(uint256.Int).Lsh(uint256.NewInt(1), 96).Bytes32())
	modify := func(liquidity int64, of Word) ([]Word, []Word) {
		return []Word{modifyLiquidityTopic, of, addressWord(trading)}, []Word{plain(-6931), plain(6931), raw(liquidity * 1000), {}}
	}
	swap := func(coin, tokens int64, of Word, fee int64) ([]Word, []Word) {
		return []Word{uniswapV4SwapTopic, of, addressWord(trading)}, []Word{raw(coin), raw(tokens), one, plain(1), plain(0), plain(fee)}
	}
	s := new(story)
	put := func(topics, data []Word) { s.emit(manager, topics, data...) }
	s.next().moves(newToken, chain.Address{}, deployer, 1_000_000_000)
	put(modify(1000, id)) // before a price: nothing can be told
	s.next().emit(manager, []Word{uniswapV4InitializeTopic, id, {}, addressWord(newToken)}, plain(3000), plain(60), plain(0), one, plain(0))
	s.next()
	put(modify(5, other)) // another pool
	early := readStory(t, "v4", s.logs)
	if len(early.Changes) != 1 || !math.IsNaN(early.Changes[0].Quote) || !math.IsNaN(early.Changes[0].QuoteReserve) {
		t.Errorf("%+v", early.Changes)
	}
	s = new(story)
	s.next().moves(newToken, chain.Address{}, deployer, 1_000_000_000)
	s.next().emit(manager, []Word{uniswapV4InitializeTopic, id, {}, addressWord(newToken)}, plain(3000), plain(60), plain(0), one, plain(0))
	put(modify(1000, id))
	s.moves(newToken, deployer, manager, 292_900)
	s.next()
	put(swap(-10_000, 9_000, other, 3000))
	put(swap(-10_000, 9_000, id, 10_000)) // 10 of the coin, of which 1 % are fees
	s.moves(newToken, manager, trading, 9_000).moves(newToken, trading, alice, 9_000)
	s.next()
	put(swap(5_000, -5_000, id, 0))
	s.moves(newToken, bob, manager, 5_000)
	s.next()
	put(swap(1_000, -1_000, id, 0))
	s.moves(newToken, newToken, manager, 1_000)
	s.next()
	put(modify(-500, id))
	s.moves(newToken, manager, deployer, 146_400)
	history := readStory(t, "v4", s.logs)
	checkSwaps(t, "version 4", history, "a1 buys 9 for 10, 302.764 left", "b0 sells 5 for 5, 297.764 left", "00 sells 1 for 1, 296.764 left")
	if len(history.Changes) != 2 || history.Changes[0].Provider != deployer || history.Changes[1].Provider != deployer ||
		math.Abs(history.Changes[0].Quote-292.864) > 1e-3 || math.Abs(history.Changes[0].Tokens-292.864) > 1e-3 || math.Abs(history.Changes[1].Quote+146.432) > 1e-3 {
		t.Errorf("%+v", history.Changes)
	}
}

func TestLiquidityAndMoves(t *testing.T) {
	logs := new(story).opening().
		next().moves(newToken, deployer, bob, 50_000_000).moves(newToken, deployer, alice, 0).
		next().moves(newToken, chain.Address{}, taxman, 1_000_000_000).moves(newToken, newPool, alice, 1000).sync(799_999_000, 10_010).swapV2(0, 10, 1000, 0).
		next().moves(newToken, alice, bob, 400).moves(newToken, newToken, newPool, 500).sync(799_999_500, 10_005).swapV2(500, 0, 0, 5).
		next().moves(newPool, deployer, newPool, 44_000).moves(newPool, newPool, chain.Address{}, 44_000).moves(newToken, newPool, trading, 400_000_000).
		moves(newToken, trading, deployer, 400_000_000).sync(399_999_500, 5_005).
		emit(newPool, []Word{burnV2Topic, addressWord(trading), addressWord(trading)}, raw(400_000_000), raw(5_000)).logs
	history := readStory(t, "v2", logs)
	want := []struct {
		from, to chain.Address
		share    float64
	}{
		{chain.Address{}, deployer, 1}, {deployer, newPool, 0.8}, {deployer, bob, 0.05}, {chain.Address{}, taxman, 0.5}, {alice, bob, 2e-7},
		{newPool, trading, 0.2}, {trading, deployer, 0.2},
	}
	for i, move := range history.Moves {
		if i < len(want) && (move.From != want[i].from || move.To != want[i].to || math.Abs(move.Share-want[i].share) > 1e-12) {
			t.Errorf("move %d: %+v", i, move)
		}
	}
	if len(history.Moves) != len(want) {
		t.Errorf("%d moves", len(history.Moves))
	}
	if len(history.Changes) != 2 || history.Changes[0].Provider != deployer || history.Changes[0].Quote != 10 || history.Changes[0].QuoteReserve != 10 ||
		history.Changes[1].Provider != deployer || !nearly(history.Changes[1].Tokens, -400_000) || history.Changes[1].Quote != -5 || history.Changes[1].QuoteReserve != 5.005 {
		t.Errorf("%+v", history.Changes)
	}
	if history.Supply != 2_000_000 || !history.MintedAt.Equal(blockTimeOf(1)) || history.MintedTo != deployer || history.Decimals != 18 {
		t.Errorf("%+v", history)
	}
}

// A pool's shares that are burned at once or belong to the token's own contract do not tell the provider: whose tokens went in does.
func TestProvidersByTheirTokens(t *testing.T) {
	for _, holder := range []chain.Address{chain.Burn, newToken} {
		logs := new(story).next().moves(newToken, chain.Address{}, deployer, 1_000_000_000).
			next().moves(newToken, deployer, trading, 800_000_000).moves(newToken, trading, newPool, 800_000_000).moves(newPool, chain.Address{}, holder, 89_000).
			sync(800_000_000, 10_000).emit(newPool, []Word{mintV2Topic, addressWord(trading)}, raw(800_000_000), raw(10_000)).logs
		if changes := readStory(t, "v2", logs).Changes; len(changes) != 1 || changes[0].Provider != deployer {
			t.Errorf("%s: %+v", holder, changes)
		}
	}
}

func TestWhetherATokenIsNew(t *testing.T) {
	buy := func(s *story) *story {
		return s.next().moves(newToken, newPool, alice, 1000).sync(799_999_000, 10_010).swapV2(0, 10, 1000, 0)
	}
	for name, c := range map[string]struct {
		logs  *story
		isNew bool
	}{
		"minted before the pool":       {buy(new(story).opening()), true},
		"moved before it was minted":   {buy(new(story).next().moves(newToken, alice, bob, 5).opening()), false},
		"more is given than was got":   {buy(new(story).opening().next().moves(newToken, bob, taxman, 7)), false},
		"nothing of it moves":          {new(story), false},
		"nothing is minted":            {buy(new(story).next().moves(newToken, deployer, newPool, 800_000_000)), false},
		"no amount proves nothing":     {buy(new(story).next().moves(newToken, alice, bob, 0).opening()), true},
		"balances grow once it trades": {buy(new(story).opening()).next().moves(newToken, alice, bob, 5000), true},
	} {
		history := readStory(t, "v2", c.logs.logs)
		if isNew := !history.MintedAt.IsZero(); isNew != c.isNew || isNew != !history.MintedTo.IsZero() {
			t.Errorf("%s: minted at %s to %s", name, history.MintedAt, history.MintedTo)
		}
		want := 2_000_000.0
		if c.isNew {
			want = 1_000_000
		}
		if history.Supply != want {
			t.Errorf("%s: supply %g, want %g", name, history.Supply, want)
		}
	}
	// Shares of a token that is not new are of all there is of it.
	old := readStory(t, "v2", new(story).next().moves(newToken, alice, bob, 500_000_000).logs)
	if len(old.Moves) != 1 || old.Moves[0].Share != 0.25 {
		t.Errorf("%+v", old.Moves)
	}
}

func TestWhatIsNoEventOfThePool(t *testing.T) {
	sound := new(story).opening().next().moves(newToken, newPool, alice, 1000).sync(799_999_000, 10_010).swapV2(0, 10, 1000, 0)
	want := readStory(t, "v2", sound.logs)
	odd := new(story).opening().next().moves(newToken, newPool, alice, 1000).sync(799_999_000, 10_010).swapV2(0, 10, 1000, 0)
	odd.emit(newPool, nil).emit(newPool, []Word{syncTopic}, raw(1)).emit(newPool, []Word{syncTopic, {}}, raw(1), raw(1)).
		emit(bob, []Word{syncTopic}, raw(1), raw(1)).emit(bob, []Word{uniswapV2SwapTopic, addressWord(bob), addressWord(bob)}, raw(0), raw(1), raw(1), raw(0)).
		emit(newPool, []Word{mintV2Topic}, raw(1), raw(1)).emit(newPool, []Word{burnV3Topic}, raw(1), raw(1), raw(1)).
		emit(newToken, []Word{syncTopic}, raw(1), raw(1)).emit(newToken, []Word{transferTopic, addressWord(bob), addressWord(bob), {}}).
		emit(newPool, []Word{uniswapV3SwapTopic, addressWord(bob), addressWord(bob)}, raw(1), raw(-1), plain(1), plain(1), plain(1)).
		emit(newPool, []Word{modifyLiquidityTopic, {}, {}}, plain(5), plain(-5), plain(1), plain(1)).
		emit(newPool, []Word{modifyLiquidityTopic, {}, {}}, raw(5), plain(-5), plain(1), plain(1))
	got := readStory(t, "v2", odd.logs)
	if !slices.Equal(got.Swaps, want.Swaps) || !slices.Equal(got.Changes, want.Changes) || !slices.Equal(got.Moves, want.Moves) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	huge := new(story).opening().next().moves(newToken, newPool, alice, 1000).swapV2(0, 1e17, 1000, 0)
	if swaps := readStory(t, "v2", huge.logs).Swaps; len(swaps) != 0 {
		t.Errorf("more of the quote asset than there is: %+v", swaps)
	}
}

func TestRefusedHistories(t *testing.T) {
	on, _ := chain.Parse("eth")
	for name, change := range map[string]func(*market.PoolLaunch){
		"no version":     func(l *market.PoolLaunch) { l.Version = "v5" },
		"no pool":        func(l *market.PoolLaunch) { l.Pool = "0x12" },
		"no id":          func(l *market.PoolLaunch) { l.Version = "v4" },
		"no quote asset": func(l *market.PoolLaunch) { l.Quote = alice },
		"two of them":    func(l *market.PoolLaunch) { l.Token = on.Stables[0].Address },
	} {
		launch := launchOf("v2")
		change(launch)
		if _, _, err := newPoolReader(on, launch); err == nil {
			t.Error(name)
		}
	}
}

// manyTrades are about so many logs of purchases and sales by a hundred accounts.
func manyTrades(logs int) []Log {
	s := new(story).opening()
	for len(s.logs) < logs {
		who := chain.Address{0xee, byte(len(s.logs) % 100)}
		s.next().moves(newToken, newPool, who, 1000).sync(799_999_000, 10_010).swapV2(0, 10, 1000, 0)
		s.next().moves(newToken, who, newPool, 900).sync(799_999_900, 10_000).swapV2(900, 0, 0, 10)
	}
	return s.logs
}

func BenchmarkPoolReader(b *testing.B) {
	for _, count := range []int{10_000, 40_000} {
		logs := manyTrades(count)
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if history := readStory(b, "v2", logs); len(history.Swaps) < count/3-10 {
					b.Fatal(len(history.Swaps))
				}
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(count), "ns/log")
		})
	}
}

func FuzzPoolReader(f *testing.F) {
	for _, log := range new(story).opening().next().moves(newToken, newPool, alice, 1000).sync(799_999_000, 10_010).swapV2(0, 10, 1000, 0).logs {
		f.Add(byte(0), byte(len(log.Topics)), log.Topics[0][:], log.Data)
	}
	for version, topics := range map[byte][]Word{1: poolTopics["v3"], 2: poolTopics["v4"]} {
		for _, topic := range topics {
			f.Add(version, byte(3), topic[:], make([]byte, 4*32))
			f.Add(version, byte(4), topic[:], make([]byte, 4*32))
		}
	}
	on, _ := chain.Parse("eth")
	manager, _ := managerOf(on)
	f.Fuzz(func(t *testing.T, kind, topics byte, first, data []byte) {
		version := []string{"v2", "v3", "v4"}[kind%3]
		s := new(story).opening().next()
		contracts := []chain.Address{newPool, newToken, manager}
		for i := range 6 {
			words := []Word{{}, {0x44}, addressWord(bob), {}, addressWord(alice)}[:min(int(topics%6), 5)]
			if len(words) > 0 {
				copy(words[0][:], first)
			}
			s.emit(contracts[i%3], words)
			s.logs[len(s.logs)-1].Data = data[:len(data)*(i+1)/6]
		}
		history := readStory(t, version, s.logs)
		for i := range history.Swaps {
			if swap := &history.Swaps[i]; !(swap.Tokens > 0 && swap.Quote > 0 && swap.Quote <= mostQuote) || math.IsInf(swap.Tokens, 0) || swap.QuoteReserve < 0 || math.IsInf(swap.QuoteReserve, 0) {
				t.Fatalf("%+v", swap)
			}
		}
		for i := range history.Changes {
			if change := &history.Changes[i]; math.IsInf(change.Quote, 0) || math.IsInf(change.Tokens, 0) || change.QuoteReserve < 0 || math.IsInf(change.QuoteReserve, 0) {
				t.Fatalf("%+v", change)
			}
		}
		for i := range history.Moves {
			if move := &history.Moves[i]; move.Share < 0 || move.Share > 1 || move.Time.Before(time.Unix(0, 0)) {
				t.Fatalf("%+v", move)
			}
		}
	})
}
