package discovery_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/discovery"
)

var (
	from = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC) // a Monday
	to   = from.AddDate(0, 0, 56)
)

const hour = time.Hour

func account(i int) chain.Address {
	var a chain.Address
	a[0] = 7
	binary.BigEndian.PutUint32(a[16:], uint32(i))
	return a
}

// launches are a list of launches, an hour and a bit apart, all with the same liquidity.
func launches(begin time.Time, n int, rose func(i int) bool) []discovery.Launch {
	list := make([]discovery.Launch, n)
	for i := range list {
		at := begin.Add(time.Duration(i) * time.Hour / 4)
		list[i] = discovery.Launch{Token: account(int(at.Unix())), At: at, LiquidityUSD: 8_000, Rose: rose(i)}
	}
	return list
}

// buy makes a wallet early in launches of a list: so many that rose and so many that did not, from an offset on.
func buy(list []discovery.Launch, wallet chain.Address, hits, misses, offset int) {
	for i := range list {
		l := &list[(i+offset)%len(list)]
		switch {
		case l.Rose && hits > 0:
			hits--
		case !l.Rose && misses > 0:
			misses--
		default:
			continue
		}
		l.Early = append(l.Early, wallet)
	}
}

func every(n int) func(int) bool { return func(i int) bool { return i%n == 0 } }

func of(t *testing.T, s *discovery.Search, wallet chain.Address) discovery.Finding {
	t.Helper()
	f, tested := s.Of(wallet)
	if !tested {
		t.Fatalf("%v was not tested", wallet)
	}
	return f
}

func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance }

func TestTheSameHitsAreWorthLessTheMoreWereTried(t *testing.T) {
	list := launches(from, 600, every(20))
	few, many := account(1), account(2)
	buy(list, few, 3, 2, 0)
	buy(list, many, 3, 47, 100)
	for i := range 18 {
		buy(list, account(100+i), 0, 20, 20*i)
	}
	s := discovery.Run(list, from, to)
	// P(X>=3) of a binomial with p 0.05: 0.00116 for n 5, 0.459 for n 50; 20 wallets were tested.
	f := of(t, s, few)
	if !near(f.Older.P, 0.00116, 0.00003) || !near(f.AdjustedP, 20*f.Older.P, 1e-12) || !f.Found() {
		t.Errorf("3 of 5: %+v", f)
	}
	g := of(t, s, many)
	if !near(g.Older.P, 0.459, 0.004) || g.Found() {
		t.Errorf("3 of 50: %+v", g)
	}
	if f.Older.Launches != 5 || f.Older.Rose != 3 || !near(f.Older.Expected, 0.25, 0.002) || f.Tested != 20 || s.Tested() != 20 {
		t.Errorf("%+v", f)
	}
	if found := s.Found(); len(found) != 1 || !reflect.DeepEqual(found[0], f) {
		t.Errorf("%+v", found)
	}
}

func TestWhatIsFoundOnOlderLaunchesIsConfirmedOnNewerOnes(t *testing.T) {
	older, newer := launches(from, 600, every(10)), launches(from.AddDate(0, 0, 28), 600, every(10))
	for i := range 600 { // others buy what comes
		for j := range 4 {
			older[i].Early = append(older[i].Early, account(1_000+(7*i+151*j)%60))
			newer[i].Early = append(newer[i].Early, account(1_000+(7*i+151*j)%60))
		}
	}
	holds, fails, stops := account(1), account(2), account(3)
	for _, w := range []chain.Address{holds, fails, stops} {
		buy(older, w, 10, 10, 0)
	}
	buy(newer, holds, 3, 7, 0) // P(X>=3 | 10, 0.1) = 0.0702
	buy(newer, fails, 2, 8, 0) // P(X>=2 | 10, 0.1) = 0.2639
	s := discovery.Run(append(newer, older...), from, to)
	h, f, n := of(t, s, holds), of(t, s, fails), of(t, s, stops)
	if !h.Found() || !f.Found() || !n.Found() {
		t.Errorf("not found: %v %v %v", h.AdjustedP, f.AdjustedP, n.AdjustedP)
	}
	if !h.Confirmed || f.Confirmed || n.Confirmed {
		t.Errorf("confirmed: %v %v %v", h.Confirmed, f.Confirmed, n.Confirmed)
	}
	if h.Newer.Launches != 10 || h.Newer.Rose != 3 || !near(h.Newer.P, newerTail(3, h.BaseRate), 1e-12) || n.Newer.P != 1 {
		t.Errorf("%+v", h)
	}
	// Too few wallets to learn the weight of chance from: it is ten launches.
	if want := (3 + 10*h.BaseRate) / 20; !near(h.HitRate, want, 1e-12) || !near(h.BaseRate, h.Newer.Expected/10, 1e-12) {
		t.Errorf("%+v", h)
	}
	if n.HitRate != n.BaseRate || !near(n.BaseRate, n.Older.Expected/20, 1e-12) {
		t.Errorf("%+v", n)
	}
	if len(h.Tokens) != 30 || h.Tokens[0] != lastToken(newer, holds) {
		t.Errorf("tokens: %v", h.Tokens)
	}
}

// newerTail is the tail of ten trials, written out.
func newerTail(k int, p float64) float64 {
	exactly := make([]float64, k)
	exactly[0] = 1
	reached := 0.0
	for i := range 10 {
		if i >= k-1 {
			reached += exactly[k-1] * p
		}
		for j := k - 1; j >= 1; j-- {
			exactly[j] = exactly[j]*(1-p) + exactly[j-1]*p
		}
		exactly[0] *= 1 - p
	}
	return reached
}

func lastToken(list []discovery.Launch, wallet chain.Address) (token chain.Address) {
	for _, l := range list {
		if slices.Contains(l.Early, wallet) {
			token = l.Token
		}
	}
	return token
}

func TestChanceIsThatOfTheStratum(t *testing.T) {
	// Two weeks with 40 % and 10 %; within each, small pools rise three times as often as the others.
	random := rand.New(rand.NewPCG(1, 2))
	var list []discovery.Launch
	rate := map[[2]int]float64{{0, 0}: 0.6, {0, 1}: 0.3, {0, 2}: 0.3, {1, 0}: 0.18, {1, 1}: 0.06, {1, 2}: 0.06}
	rose := map[[2]int]float64{}
	for week := range 2 {
		for i := range 3_000 {
			third := i % 3
			l := discovery.Launch{
				Token: account(len(list)), At: from.AddDate(0, 0, 7*week).Add(time.Duration(i) * 3 * time.Minute),
				LiquidityUSD: 5_000 * math.Pow(4, float64(third)) * (1 + random.Float64()), Rose: random.Float64() < rate[[2]int{week, third}],
			}
			if l.Rose {
				rose[[2]int{week, third}]++
			}
			list = append(list, l)
		}
	}
	wallet := map[[2]int]chain.Address{}
	for key := range rate {
		wallet[key] = account(10_000 + 10*key[0] + key[1])
	}
	for i := range list {
		key := [2]int{i / 3_000, i % 3}
		if i%100 < 3 {
			list[i].Early = append(list[i].Early, wallet[key])
		}
	}
	s := discovery.Run(list, from, to)
	for key, want := range rate {
		f := of(t, s, wallet[key])
		got := f.Older.Expected / float64(f.Older.Launches)
		if !near(got, rose[key]/1_000, 0.03) {
			t.Errorf("stratum %v: %.3f, want about %.3f (planted %.2f)", key, got, rose[key]/1_000, want)
		}
	}
}

func TestAThinStratumBorrowsFromItsChain(t *testing.T) {
	list := launches(from, 600, every(10))
	lone := launches(from.AddDate(0, 0, 14), 3, every(1)) // the only three of their week, and all rose
	w := account(1)
	buy(lone, w, 3, 0, 0)
	s := discovery.Run(append(list, lone...), from, to)
	f := of(t, s, w)
	if rate := f.Older.Expected / 3; rate < 0.11 || rate > 0.6 {
		t.Errorf("%.3f: want more than the chain's 10 %%, much less than what three launches say", rate)
	}
}

func TestChanceIsWhatAnyEarlyBuyerGets(t *testing.T) {
	crowded := func(crowd int) float64 {
		list := launches(from, 600, every(10))
		for i := range list {
			n := 10
			if list[i].Rose {
				n = crowd
			}
			for j := range n {
				list[i].Early = append(list[i].Early, account(1_000+(i*17+j*29)%500))
			}
		}
		w := account(1)
		buy(list, w, 5, 15, 0)
		f := of(t, discovery.Run(list, from, to), w)
		return f.Older.Expected / 20
	}
	if even := crowded(10); !near(even, 0.1, 0.005) {
		t.Errorf("even: %.3f", even)
	}
	// With 30 buyers of each that rose, 60*30 of 60*30+540*10 purchases hit: a quarter.
	if more := crowded(30); !near(more, 0.25, 0.01) {
		t.Errorf("crowds: %.3f", more)
	}
	if less := crowded(3); !near(less, 0.1, 0.005) {
		t.Errorf("fewer: %.3f", less)
	}
}

func TestWhoBuysEverythingIsNotTested(t *testing.T) {
	for n, want := range map[int]bool{100: true, 101: false} {
		list := launches(from, 600, every(10))
		for i := range n {
			list[i].At = from.Add(time.Duration(i) * time.Minute)
			list[i].Early = append(list[i].Early, account(1), account(1))
		}
		buy(list, account(2), 1, 2, 0)
		if _, tested := discovery.Run(list, from, to).Of(account(1)); tested != want {
			t.Errorf("%d launches a day: tested %v", n, tested)
		}
	}
}

func TestTwoLaunchesAreNotEnoughToTest(t *testing.T) {
	list := append(launches(from, 100, every(10)), launches(from.AddDate(0, 0, 28), 100, every(10))...)
	buy(list[:100], account(1), 2, 0, 0)
	buy(list[100:], account(1), 2, 10, 0)
	buy(list[:100], account(2), 0, 3, 0)
	s := discovery.Run(list, from, to)
	if _, tested := s.Of(account(1)); tested || s.Tested() != 1 {
		t.Errorf("%d tested", s.Tested())
	}
}

func TestNothingToSearch(t *testing.T) {
	for name, list := range map[string][]discovery.Launch{"none": nil, "nobody early": launches(from, 50, every(5)), "none rose": launches(from, 50, func(int) bool { return false })} {
		buy(list, account(1), 0, 10, 0)
		if found := discovery.Run(list, from, to).Found(); found == nil || len(found) != 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
	all := launches(from, 50, every(1))
	buy(all, account(1), 20, 0, 0)
	if f := of(t, discovery.Run(all, from, to), account(1)); f.Found() || !(f.Older.P > 0.5) {
		t.Errorf("all rose: %+v", f)
	}
}

// drawn is a random market of a few wallets.
func drawn(t *rapid.T) []discovery.Launch {
	list := make([]discovery.Launch, rapid.IntRange(0, 60).Draw(t, "launches"))
	for i := range list {
		list[i] = discovery.Launch{
			Token: account(rapid.IntRange(0, 80).Draw(t, "token")), At: from.Add(time.Duration(rapid.IntRange(-200, 1_600).Draw(t, "hour")) * hour),
			LiquidityUSD: rapid.SampledFrom([]float64{5_000, 8_000, 20_000, 50_000}).Draw(t, "liquidity"), Rose: rapid.Bool().Draw(t, "rose"),
		}
		for _, w := range rapid.SliceOfNDistinct(rapid.IntRange(100, 112), 0, 8, rapid.ID).Draw(t, "early") {
			list[i].Early = append(list[i].Early, account(w))
		}
	}
	return list
}

// everything is all that a search says.
func everything(s *discovery.Search) []discovery.Finding {
	all := []discovery.Finding{}
	for w := 100; w <= 112; w++ {
		if f, tested := s.Of(account(w)); tested {
			all = append(all, f)
		}
	}
	return all
}

func TestTheOrderOfLaunchesAndBuyersDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seen := make(map[chain.Address]bool)
		list := slices.DeleteFunc(drawn(t), func(l discovery.Launch) bool { // which of two at the same instant counts is their order
			again := seen[l.Token]
			seen[l.Token] = true
			return again
		})
		before := everything(discovery.Run(list, from, to))
		mixed := slices.Clone(list)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		random.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		for i := range mixed {
			mixed[i].Early = slices.Clone(mixed[i].Early)
			slices.Reverse(mixed[i].Early)
		}
		if after := everything(discovery.Run(mixed, from, to)); !reflect.DeepEqual(before, after) {
			t.Fatalf("%+v\n%+v", before, after)
		}
	})
}

func TestWhatIsOutsideOfTheWindowDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawn(t)
		inside := slices.DeleteFunc(slices.Clone(list), func(l discovery.Launch) bool { return l.At.Before(from) || !l.At.Before(to) })
		if a, b := everything(discovery.Run(list, from, to)), everything(discovery.Run(inside, from, to)); !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v\n%+v", a, b)
		}
	})
}

func TestNewerLaunchesDoNotChangeWhatIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawn(t)
		changed := slices.Clone(list)
		middle := from.Add(to.Sub(from) / 2)
		for i := range changed {
			if !changed[i].At.Before(middle) {
				changed[i].Rose, changed[i].LiquidityUSD = !changed[i].Rose, 1+changed[i].LiquidityUSD/2
			}
		}
		a, b := everything(discovery.Run(list, from, to)), everything(discovery.Run(changed, from, to))
		for i := range a {
			if a[i].Older != b[i].Older || a[i].AdjustedP != b[i].AdjustedP {
				t.Fatalf("%+v\n%+v", a[i], b[i])
			}
		}
	})
}

func TestFindingsAreCoherent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, f := range everything(discovery.Run(drawn(t), from, to)) {
			for _, e := range []discovery.Evidence{f.Older, f.Newer} {
				if e.Rose > e.Launches || !(e.P > 0 && e.P <= 1) || !(e.Expected >= 0 && e.Expected <= float64(e.Launches)) {
					t.Fatalf("%+v", f)
				}
			}
			if f.AdjustedP < f.Older.P || f.AdjustedP > 1 || f.Older.Launches < 3 || len(f.Tokens) != f.Older.Launches+f.Newer.Launches {
				t.Fatalf("%+v", f)
			}
			if !(f.HitRate > 0 && f.HitRate < 1 && f.BaseRate > 0 && f.BaseRate < 1) || f.Confirmed && f.HitRate <= f.BaseRate {
				t.Fatalf("%+v", f)
			}
		}
	})
}

func finding(wallet int, adjusted float64, confirmed bool, tokens ...int) discovery.Finding {
	f := discovery.Finding{Wallet: account(wallet), AdjustedP: adjusted, Confirmed: confirmed, Tokens: []chain.Address{}}
	for _, token := range tokens {
		f.Tokens = append(f.Tokens, account(1_000+token))
	}
	return f
}

func TestOneOfEachHand(t *testing.T) {
	findings := []discovery.Finding{
		finding(5, 0.001, false, 1, 2, 3), finding(4, 0.02, true, 1, 2, 3, 4), // one hand: 3 of 4, and the worse is confirmed
		finding(3, 0.03, true, 2, 3, 4, 5, 6), // linked to 4 alone: 3 of 6
		finding(2, 0.01, true, 1, 2, 3),       // the same tokens and no link
		finding(1, 0.01, true, 1, 2, 9, 10),   // a link, 2 of 6 tokens
	}
	linked := func(a, b chain.Address) bool {
		return a != account(2) && b != account(2) && !(a == account(3) && b == account(5))
	}
	kept := discovery.OneOfEachHand(findings, linked)
	siblings := map[chain.Address][]chain.Address{}
	for _, f := range kept {
		siblings[f.Wallet] = f.Siblings
	}
	want := map[chain.Address][]chain.Address{account(1): nil, account(2): nil, account(4): {account(3), account(5)}}
	if !reflect.DeepEqual(siblings, want) {
		t.Errorf("%v", siblings)
	}
	reversed := slices.Clone(findings)
	slices.Reverse(reversed)
	if again := discovery.OneOfEachHand(reversed, linked); !reflect.DeepEqual(kept, again) {
		t.Errorf("%v", again)
	}
	if none := discovery.OneOfEachHand(nil, linked); none == nil || len(none) != 0 {
		t.Errorf("%v", none)
	}
}

func TestTheEncodingOfAFinding(t *testing.T) {
	f := finding(1, 0.02, true, 1)
	f.Older, f.Newer = discovery.Evidence{Launches: 20, Rose: 6, Expected: 2.5, P: 0.0004}, discovery.Evidence{Launches: 9, Rose: 4, Expected: 1.5, P: 0.016}
	f.Tested, f.HitRate, f.BaseRate, f.Siblings = 412, 0.25, 0.125, []chain.Address{account(2)}
	data, err := json.Marshal(f)
	want := `{"wallet":"0x0700000000000000000000000000000000000001","older":{"launches":20,"rose":6,"expected":2.5,"p":0.0004},` +
		`"newer":{"launches":9,"rose":4,"expected":1.5,"p":0.016},"adjustedP":0.02,"tested":412,"hitRate":0.25,"baseRate":0.125,"confirmed":true,` +
		`"tokens":["0x07000000000000000000000000000000000003e9"],"siblings":["0x0700000000000000000000000000000000000002"]}`
	if err != nil || string(data) != want {
		t.Errorf("%s %v", data, err)
	}
	var back discovery.Finding
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, f) {
		t.Errorf("%+v %v", back, err)
	}
}

func BenchmarkSearch(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	list := make([]discovery.Launch, 6_000)
	for i := range list {
		list[i] = discovery.Launch{Token: account(i), At: from.Add(time.Duration(i) * 13 * time.Minute), LiquidityUSD: 5_000 + random.ExpFloat64()*10_000, Rose: random.Float64() < 0.2}
		for range 50 {
			list[i].Early = append(list[i].Early, account(10_000+random.IntN(20_000)))
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if discovery.Run(list, from, to).Tested() < 15_000 {
			b.Fatal("too few")
		}
	}
}

func TestAFewWithSkillAreNoCrowd(t *testing.T) {
	list := launches(from, 600, every(10))
	for i := range list {
		for j := range 10 {
			list[i].Early = append(list[i].Early, account(1_000+(i*17+j*29)%100))
		}
	}
	for w := range 8 {
		buy(list, account(1+w), 40, 10, 0)
	}
	f := of(t, discovery.Run(list, from, to), account(1))
	if rate := f.Older.Expected / 50; !near(rate, 0.1, 0.01) {
		t.Errorf("chance is %.3f, want what launches and the others give: 0.1", rate)
	}
}

// differing draws launches of four weeks, so many a week, with the same or with different rates, and returns by how much
// the chance of those that rose exceeds that of the others.
func differing(t *testing.T, seed uint64, aWeek int, rates ...float64) float64 {
	random := rand.New(rand.NewPCG(seed, 1))
	var list []discovery.Launch
	for week, rate := range rates {
		for i := range aWeek {
			list = append(list, discovery.Launch{
				Token: account(len(list)), At: from.AddDate(0, 0, 7*week).Add(time.Duration(i) * time.Hour), LiquidityUSD: 1_000 * (1 + random.Float64()), Rose: random.Float64() < rate,
			})
		}
	}
	risers, fallers := account(1), account(2)
	buy(list, risers, len(list), 0, 0)
	buy(list, fallers, 0, len(list), 0)
	s := discovery.Run(list, from, to)
	a, b := of(t, s, risers), of(t, s, fallers)
	return a.Older.Expected/float64(a.Older.Launches) - b.Older.Expected/float64(b.Older.Launches)
}

func TestWhatRoseDoesNotMakeItsOwnChance(t *testing.T) {
	alike, unlike := 0.0, 0.0
	for seed := range uint64(40) {
		alike += differing(t, seed, 15, 0.3, 0.3, 0.3, 0.3) / 40
		unlike += differing(t, seed, 60, 0.1, 0.7, 0.1, 0.7) / 40
	}
	// Where weeks are alike, a launch weighs little in its own chance; where they differ clearly, most of that difference is there:
	// of those that rise seven eighths are of the better weeks, of the others a quarter, and the rates are 0.6 apart.
	if alike > 0.035 || unlike < 0.3 {
		t.Errorf("chances of risers exceed those of others by %.3f where weeks are alike, by %.3f where they differ", alike, unlike)
	}
}
