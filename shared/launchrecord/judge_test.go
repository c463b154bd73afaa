package launchrecord_test

import (
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/launchrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

var (
	made     = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	launch   = market.PoolLaunch{Token: account(900), Pool: "0xpool", Version: "v2", Quote: account(901), Block: 100, Time: made}
	judgedAt = made.Add(launchrecord.Window)
	deployer = account(500)
	provider = account(501)
)

func account(i int) chain.Address { return chain.Address{0: 1, 18: byte(i >> 8), 19: byte(i)} }

func dollar(time.Time) float64 { return 1 }

// script writes a history in which the quote asset is worth a dollar and the supply a million tokens.
type script struct {
	history market.PoolHistory
	reserve float64
	block   uint64
	log     int
}

// opened is a pool made with so many dollars in it, of a token minted an hour before.
func opened(reserve float64) *script {
	s := &script{reserve: reserve, block: launch.Block}
	s.history = market.PoolHistory{
		Decimals: 18, Supply: 1e6, MintedAt: made.Add(-time.Hour), MintedTo: deployer, Until: judgedAt.Add(time.Hour),
		Moves: []market.TokenMove{{Block: 50, Time: made.Add(-time.Hour), To: deployer, Share: 1}},
	}
	s.liquidity(0, provider, reserve)
	return s
}

func (s *script) next(after time.Duration) (uint64, int) {
	s.log++
	s.block = max(s.block, launch.Block+uint64(after/(2*time.Second)))
	return s.block, s.log
}

// trade is a swap for so many dollars at a price, so long after the pool was made.
func (s *script) trade(after time.Duration, who chain.Address, buy bool, usd, price float64) *script {
	block, log := s.next(after)
	if buy {
		s.reserve += usd
	} else {
		s.reserve -= usd
	}
	s.history.Swaps = append(s.history.Swaps, market.PoolSwap{
		Block: block, LogIndex: log, Time: made.Add(after), Trader: who, Buy: buy, Tokens: usd / price, Quote: usd, QuoteReserve: s.reserve,
	})
	return s
}

func (s *script) buy(after time.Duration, who int, usd, price float64) *script {
	return s.trade(after, account(who), true, usd, price)
}

// liquidity puts dollars in or, negative, takes them out.
func (s *script) liquidity(after time.Duration, who chain.Address, usd float64) *script {
	block, log := s.next(after)
	if len(s.history.Changes) > 0 {
		s.reserve += usd
	}
	s.history.Changes = append(s.history.Changes, market.LiquidityChange{
		Block: block, LogIndex: log, Time: made.Add(after), Provider: who, Tokens: usd, Quote: usd, QuoteReserve: s.reserve,
	})
	return s
}

// settled has twenty trades of 100 dollars by accounts 1 to 20 at a price of 1, from the tenth minute on, half a minute apart.
func settled(reserve float64) *script {
	s := opened(reserve)
	for i := range 20 {
		s.buy(10*time.Minute+time.Duration(i)*30*time.Second, 1+i, 100, 1)
	}
	return s
}

// rally is an hour at a price with so many buyers and sellers, of 60 dollars each, from an hour after the pool was made.
func (s *script) rally(price float64, buyers, sellers int) *script {
	at := 2 * time.Hour
	for i := range buyers {
		s.buy(at, 100+i, 60, price)
		at += time.Second
	}
	for i := range sellers {
		s.trade(at, account(1+i), false, 60, price)
		at += time.Second
	}
	return s
}

func (s *script) judge() launchrecord.Outcome {
	return launchrecord.Judge(&s.history, launch, dollar, judgedAt)
}

func TestALaunchThatRose(t *testing.T) {
	o := settled(20_000).rally(5, 10, 5).judge()
	want := launchrecord.Outcome{
		Status: launchrecord.Eligible, LiquidityUSD: 20_000, ReferencePrice: 1, ReferenceAt: made.Add(19*time.Minute + 30*time.Second),
		Rose: true, Peak: 5, PeakAt: made.Add(2 * time.Hour), Team: []chain.Address{deployer, provider},
	}
	for i := range 20 {
		want.Early = append(want.Early, account(1+i))
	}
	if !reflect.DeepEqual(o, want) {
		t.Errorf("got  %+v\nwant %+v", o, want)
	}
}

func TestARiseNeedsThePriceTheMoneyAndThePeople(t *testing.T) {
	for name, c := range map[string]struct {
		s    *script
		want bool
	}{
		"all":                             {settled(20_000).rally(5, 10, 5), true},
		"a price just below":              {settled(20_000).rally(4.999, 10, 5), false},
		"nine buyers":                     {settled(20_000).rally(5, 9, 9), false},
		"four sellers":                    {settled(20_000).rally(5, 14, 4), false},
		"a pool of 8,000 that gets 2,600": {settled(6_000).rally(5, 10, 5), false},
		"some of the hour with too little, enough people with enough": {settled(7_700).rally(5, 15, 5), true},
		"too few people with enough":                                  {settled(7_399).rally(5, 15, 5), false},
		"half withdrawn before":                                       {settled(40_000).liquidity(time.Hour, provider, -21_000).rally(5, 10, 5), true},
		"more than half withdrawn":                                    {settled(40_000).liquidity(time.Hour, provider, -21_700).rally(5, 10, 5), false},
		"withdrawn in parts":                                          {settled(40_000).liquidity(time.Hour, provider, -11_000).liquidity(time.Hour, provider, -11_000).rally(5, 10, 5), false},
		"withdrawn and put back":                                      {settled(40_000).liquidity(time.Hour, provider, -30_000).liquidity(time.Hour, provider, 25_000).rally(5, 10, 5), true},
		"one trade at a hundred times":                                {settled(20_000).rally(2, 20, 10).buy(150*time.Minute, 99, 60, 100), false},
	} {
		if o := c.s.judge(); o.Status != launchrecord.Eligible || o.Rose != c.want {
			t.Errorf("%s: %v rose %v (peak %v), want %v", name, o.Status, o.Rose, o.Peak, c.want)
		}
	}
}

func TestARiseIsAnHourOfTheClockAfterTheReference(t *testing.T) {
	spread := func(begin time.Duration) *script {
		s := settled(20_000)
		for i := range 15 {
			s.trade(begin+time.Duration(i)*2*time.Minute, account(100+i), i%3 > 0, 60, 6)
		}
		return s
	}
	if !spread(2 * time.Hour).judge().Rose {
		t.Error("half an hour within one of the clock")
	}
	if spread(105 * time.Minute).judge().Rose {
		t.Error("ten buyers of two hours")
	}
	// The same before the reference: the price was there before anybody could refer to it.
	s := opened(20_000)
	for i := range 19 {
		s.trade(time.Duration(i)*time.Second, account(100+i), i%3 > 0, 60, 6)
	}
	if o := s.buy(2*time.Hour, 1, 100, 1).judge(); o.Rose || o.Peak != 0 || o.ReferencePrice != 1 {
		t.Errorf("%+v", o)
	}
	late := settled(20_000)
	late.history.Until = judgedAt.Add(10 * time.Hour)
	for i := range 15 {
		late.trade(launchrecord.Window+time.Duration(i)*time.Second, account(100+i), i%3 > 0, 60, 6)
	}
	if late.judge().Rose {
		t.Error("a rise after the window")
	}
}

func TestWhichLaunchesCount(t *testing.T) {
	few := opened(20_000)
	for i := range 19 {
		few.buy(time.Hour, i, 100, 1)
	}
	dust := opened(20_000)
	for i := range 30 {
		dust.buy(time.Hour, i, 0.99, 1)
	}
	old := settled(20_000)
	old.history.MintedAt, old.history.MintedTo = time.Time{}, chain.Address{}
	cut := func(after time.Duration) *script {
		s := settled(20_000).rally(6, 10, 5)
		s.history.Until, s.history.Truncated = made.Add(after), true
		return s
	}
	unknown := settled(20_000)
	for i := range unknown.history.Swaps {
		unknown.history.Swaps[i].QuoteReserve = math.NaN()
	}
	reference := 19*time.Minute + 30*time.Second
	for name, c := range map[string]struct {
		s    *script
		want launchrecord.Status
	}{
		"twenty trades":            {settled(20_000), launchrecord.Eligible},
		"nineteen trades":          {few, launchrecord.FewTrades},
		"dust":                     {dust, launchrecord.FewTrades},
		"nothing":                  {opened(20_000), launchrecord.FewTrades},
		"5,000 at the reference":   {settled(3_000), launchrecord.Eligible},
		"less at the reference":    {settled(2_999), launchrecord.Thin},
		"an old token":             {old, launchrecord.NotNew},
		"cut a day after":          {cut(reference + 24*time.Hour), launchrecord.Eligible},
		"cut earlier":              {cut(reference + 24*time.Hour - 1), launchrecord.HistoryCut},
		"cut before the reference": {cut(reference), launchrecord.HistoryCut},
		"unknown reserves":         {unknown, launchrecord.Unmeasured},
	} {
		if o := c.s.judge(); o.Status != c.want || (o.Status != launchrecord.Eligible && (o.Rose || len(o.Early) > 0)) {
			t.Errorf("%s: %+v, want %v", name, o, c.want)
		}
	}
	s := settled(20_000)
	if o := launchrecord.Judge(&s.history, launch, dollar, judgedAt.Add(-1)); !reflect.DeepEqual(o, launchrecord.Outcome{Status: launchrecord.Pending}) {
		t.Errorf("%+v", o)
	}
	if o := launchrecord.Judge(&s.history, launch, func(time.Time) float64 { return math.NaN() }, judgedAt); o.Status != launchrecord.Unmeasured {
		t.Errorf("%+v", o)
	}
}

func TestLiquidityIsWhatWasThereBeforeTheFirstTrade(t *testing.T) {
	sold := opened(20_000).trade(time.Second, account(70), false, 500, 1)
	for i := range 20 {
		sold.buy(time.Minute, 1+i, 100, 1)
	}
	if o := sold.judge(); o.LiquidityUSD != 20_000 {
		t.Errorf("%+v", o)
	}
	s := settled(20_000)
	s.history.Swaps[0].QuoteReserve = math.NaN()
	if o := s.judge(); o.LiquidityUSD != 20_000 {
		t.Errorf("by the deposit: %+v", o)
	}
	twice := func(time.Time) float64 { return 2 }
	if o := launchrecord.Judge(&settled(20_000).history, launch, twice, judgedAt); o.LiquidityUSD != 40_000 || o.ReferencePrice != 1 {
		t.Errorf("in USD: %+v", o)
	}
}

// early judges a launch with twenty settled trades and what a test adds before and after.
func early(t *testing.T, s *script, account chain.Address) (bool, launchrecord.Exclusions) {
	t.Helper()
	o := s.judge()
	if o.Status != launchrecord.Eligible {
		t.Fatalf("%+v", o)
	}
	return slices.Contains(o.Early, account), o.Excluded
}

func TestWhoIsEarly(t *testing.T) {
	w := account(77)
	day := 24 * time.Hour
	sent := func(s *script, after time.Duration, share float64) *script {
		s.history.Moves = append(s.history.Moves, market.TokenMove{Block: 60, Time: made.Add(after), From: deployer, To: w, Share: share})
		return s
	}
	none := launchrecord.Exclusions{}
	small := launchrecord.Exclusions{Small: 1}
	supplied := launchrecord.Exclusions{Supplied: 1}
	before := func(usd, price float64) *script { // a buy as the fifth of all trades
		s := opened(20_000)
		for i := range 20 {
			if i == 4 {
				s.buy(11*time.Minute, 77, usd, price)
			}
			s.buy(10*time.Minute+time.Duration(i)*30*time.Second, 1+i, 100, 1)
		}
		return s
	}
	for name, c := range map[string]struct {
		s    *script
		want bool
		out  launchrecord.Exclusions
	}{
		"a day later, at 1.9":           {settled(20_000).buy(day, 77, 50, 1.9), true, none},
		"for 49":                        {settled(20_000).buy(day, 77, 49, 1.9), false, small},
		"for 25 and 25":                 {settled(20_000).buy(day, 77, 25, 1.9).buy(day, 77, 25, 1.5), true, none},
		"at the trade that reaches 2":   {settled(20_000).buy(day, 77, 50, 2), false, none},
		"after it, at 1":                {settled(20_000).buy(day, 9, 50, 2).buy(day, 77, 50, 1), false, none},
		"25 before it and 25 after":     {settled(20_000).buy(day, 77, 25, 1).buy(day, 9, 50, 2).buy(day, 77, 25, 1), false, small},
		"before the reference, at 1":    {before(50, 1), true, none},
		"before the reference, at 2":    {before(50, 2), false, small},
		"by selling":                    {settled(20_000).trade(day, w, false, 90, 1), false, none},
		"buying and selling in a block": {settled(20_000).buy(day, 77, 90, 1).trade(day, w, false, 50, 1), false, launchrecord.Exclusions{SameBlock: 1}},
		"selling a day later":           {settled(20_000).buy(day, 77, 90, 1).trade(2*day, w, false, 50, 1), true, none},
		"supplied before":               {sent(settled(20_000).buy(day, 77, 90, 1), -time.Minute, 0.001), false, supplied},
		"supplied dust":                 {sent(settled(20_000).buy(day, 77, 90, 1), -time.Minute, 0.00009), true, none},
		"supplied after all was over":   {sent(settled(20_000).buy(day, 77, 90, 1).buy(day, 9, 50, 2), day+time.Second, 0.5), true, none},
		"providing liquidity":           {settled(20_000).buy(day, 77, 90, 1).liquidity(2*day, w, 100), false, launchrecord.Exclusions{Provider: 1}},
		"taking liquidity out":          {settled(20_000).buy(day, 77, 90, 1).liquidity(2*day, w, -100), true, none},
	} {
		got, out := early(t, c.s, w)
		if got != c.want || out != c.out {
			t.Errorf("%s: %v %+v, want %v %+v", name, got, out, c.want, c.out)
		}
	}
}

func TestThoseOfTheLaunchAreNotEarly(t *testing.T) {
	insider := func(after time.Duration, who chain.Address, usd float64) *script {
		s := opened(20_000).trade(after, who, true, usd, 1)
		for i := range 20 {
			s.buy(10*time.Minute+time.Duration(i)*30*time.Second, 1+i, 100, 1)
		}
		return s
	}
	w := account(77)
	for name, c := range map[string]struct {
		s    *script
		who  chain.Address
		want bool
		out  launchrecord.Exclusions
	}{
		"the deployer":                      {insider(5*time.Minute, deployer, 90), deployer, false, launchrecord.Exclusions{Deployer: 1}},
		"in the block of the deposit":       {insider(0, w, 90), w, false, launchrecord.Exclusions{LaunchBlock: 1}},
		"in the next block":                 {insider(2*time.Second, w, 90), w, false, launchrecord.Exclusions{LaunchBlock: 1}},
		"in the block after that":           {insider(4*time.Second, w, 90), w, true, launchrecord.Exclusions{}},
		"with 3 % of the supply":            {insider(time.Minute, w, 30_000), w, true, launchrecord.Exclusions{}},
		"with more":                         {insider(time.Minute, w, 30_001), w, false, launchrecord.Exclusions{Large: 1}},
		"with more, sold within the minute": {insider(time.Minute, w, 30_001), w, false, launchrecord.Exclusions{Large: 1}},
	} {
		got, out := early(t, c.s, c.who)
		if got != c.want || out != c.out {
			t.Errorf("%s: %v %+v, want %v %+v", name, got, out, c.want, c.out)
		}
	}
	// A minute after the first trade, not later.
	s := insider(time.Minute, w, 20_000).buy(time.Hour, 77, 20_000, 1)
	if got, out := early(t, s, w); !got {
		t.Errorf("bought more later: %+v", out)
	}
}

func TestOnlyFiftyAreFirst(t *testing.T) {
	s := settled(20_000)
	for i := range 40 {
		s.buy(time.Hour, 200+i, 60, 1)
	}
	s.trade(time.Hour, chain.Address{}, true, 60, 1) // nobody's
	o := s.judge()
	if len(o.Early) != 50 || o.Early[49] != account(229) {
		t.Errorf("%d early, the last %v", len(o.Early), o.Early[len(o.Early)-1])
	}
	// One who is left out takes a place all the same.
	s.history.Moves = append(s.history.Moves, market.TokenMove{Block: 60, Time: made, From: deployer, To: account(3), Share: 0.1})
	if o := s.judge(); len(o.Early) != 49 || o.Excluded.Supplied != 1 {
		t.Errorf("%d early, %+v", len(o.Early), o.Excluded)
	}
}

// drawn is a history of random trades, deposits and withdrawals.
func drawn(t *rapid.T) *script {
	s := opened(rapid.Float64Range(1_000, 50_000).Draw(t, "deposit"))
	price := 1.0
	at := time.Duration(0)
	for range rapid.IntRange(0, 120).Draw(t, "trades") {
		at += rapid.SampledFrom([]time.Duration{0, 2 * time.Second, time.Minute, 20 * time.Minute, 3 * time.Hour}).Draw(t, "pause")
		price *= rapid.SampledFrom([]float64{0.8, 0.95, 1, 1.05, 1.3}).Draw(t, "move")
		who := account(rapid.IntRange(1, 70).Draw(t, "who"))
		switch rapid.IntRange(0, 12).Draw(t, "kind") {
		case 0:
			s.liquidity(at, who, -s.reserve*rapid.Float64Range(0, 0.9).Draw(t, "share"))
		case 1:
			s.liquidity(at, who, rapid.Float64Range(1, 20_000).Draw(t, "usd"))
		case 2:
			s.history.Moves = append(s.history.Moves, market.TokenMove{Block: s.block, Time: made.Add(at), To: who, Share: 0.01})
		case 3, 4, 5, 6:
			s.trade(at, who, false, min(s.reserve/2, 80), price)
		default:
			s.trade(at, who, true, rapid.Float64Range(0.5, 400).Draw(t, "usd"), price)
		}
	}
	return s
}

func TestWhatComesAfterTheWindowNeverMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		full := drawn(t)
		full.history.Until = made.Add(60 * 24 * time.Hour)
		short := full.history
		end := made.Add(launchrecord.Window)
		short.Swaps = slices.DeleteFunc(slices.Clone(short.Swaps), func(s market.PoolSwap) bool { return !s.Time.Before(end) })
		short.Changes = slices.DeleteFunc(slices.Clone(short.Changes), func(c market.LiquidityChange) bool { return !c.Time.Before(end) })
		short.Moves = slices.DeleteFunc(slices.Clone(short.Moves), func(m market.TokenMove) bool { return !m.Time.Before(end) })
		short.Until = end
		a := launchrecord.Judge(&full.history, launch, dollar, judgedAt.Add(rapid.Just(90*24*time.Hour).Draw(t, "later")))
		b := launchrecord.Judge(&short, launch, dollar, judgedAt)
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v\n%+v", a, b)
		}
	})
}

func TestUnitsOfTokenAndQuoteChangeNothingButThePrice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawn(t)
		plain := s.judge()
		const tokens, quote = 1024, 1.0 / 256 // powers of two keep every digit
		s.history.Supply *= tokens
		for i := range s.history.Swaps {
			s.history.Swaps[i].Tokens *= tokens
			s.history.Swaps[i].Quote *= quote
			s.history.Swaps[i].QuoteReserve *= quote
		}
		for i := range s.history.Changes {
			s.history.Changes[i].Quote *= quote
			s.history.Changes[i].QuoteReserve *= quote
		}
		scaled := launchrecord.Judge(&s.history, launch, func(time.Time) float64 { return 1 / quote }, judgedAt)
		scaled.ReferencePrice *= tokens / quote
		if !reflect.DeepEqual(plain, scaled) {
			t.Fatalf("%+v\n%+v", plain, scaled)
		}
	})
}

func TestEarlyBuyersAreFewDistinctAndNoneOfTheTeam(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawn(t)
		o := s.judge()
		sorted := slices.SortedFunc(slices.Values(o.Early), chain.Address.Compare)
		if len(o.Early) > 50 || len(slices.Compact(sorted)) != len(o.Early) {
			t.Fatalf("early: %v", o.Early)
		}
		for _, w := range o.Early {
			if slices.Contains(o.Team, w) {
				t.Fatalf("%v is of the team", w)
			}
		}
		if o.Rose && o.Peak < 5 {
			t.Fatalf("rose by %v", o.Peak)
		}
		data, err := launchrecord.Encode(o)
		if err != nil || len(data) > 4<<10 {
			t.Fatalf("%d bytes, %v", len(data), err)
		}
		if back, err := launchrecord.Decode(data); err != nil || !reflect.DeepEqual(back, o) {
			t.Fatalf("%+v\n%+v\n%v", o, back, err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	data, err := launchrecord.Encode(settled(20_000).rally(5, 10, 5).judge())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"v":1,"status":"thin"}`))
	f.Add([]byte(`{"v":2,"status":"thin"}`))
	f.Add([]byte(`{"v":1,"status":"eligible","rose":true}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := launchrecord.Decode(data)
		if err != nil {
			return
		}
		again, err := launchrecord.Encode(o)
		if err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
		if back, err := launchrecord.Decode(again); err != nil || !reflect.DeepEqual(back, o) {
			t.Fatalf("%+v\n%+v\n%v", o, back, err)
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	s := settled(20_000)
	for i := range 10_000 {
		s.trade(time.Hour+time.Duration(i)*time.Minute, account(1+i%700), i%3 > 0, 60, 1+float64(i%10)/20)
	}
	b.ReportAllocs()
	for b.Loop() {
		s.judge()
	}
}
