package trader_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

func account(i int) chain.Address { return chain.Address{1, byte(i >> 8), byte(i)} }

func token(i int) chain.Address { return chain.Address{2, byte(i)} }

// sold is a sale of token 0 so many minutes after monday.
func sold(from, to int, quantity float64, minute int) trader.Exchange {
	return trader.Exchange{
		Token: token(0), Seller: account(from), Buyer: account(to), Quantity: quantity, Time: monday.Add(time.Duration(minute) * time.Minute),
	}
}

// washed lists the indices of all exchanges in clusters.
func washed(clusters []trader.Cluster) []int {
	var indices []int
	for _, c := range clusters {
		indices = append(indices, c.Exchanges...)
	}
	slices.Sort(indices)
	return indices
}

func TestClosedClustersByHand(t *testing.T) {
	const a, b, c = 1, 2, 3
	for _, turnover := range []bool{false, true} {
		matching := trader.MarketMatching()
		matching.Occurrences, matching.OfTurnover = 1, turnover
		for _, test := range []struct {
			name      string
			exchanges []trader.Exchange
			want      []int
		}{
			{"there and back", []trader.Exchange{sold(a, b, 100, 0), sold(b, a, 100, 30)}, []int{0, 1}},
			{"a chain", []trader.Exchange{sold(a, b, 100, 0), sold(b, c, 50, 10)}, nil},
			{"a cycle of three", []trader.Exchange{sold(a, b, 100, 0), sold(b, c, 100, 10), sold(c, a, 100, 20)}, []int{0, 1, 2}},
			{"3 % short", []trader.Exchange{sold(a, b, 100, 0), sold(b, a, 97, 30)}, nil},
			{"1 % short", []trader.Exchange{sold(a, b, 100, 0), sold(b, a, 99.1, 30)}, []int{0, 1}},
			{"1.5 % short, then a large one", []trader.Exchange{sold(a, b, 1, 0), sold(b, a, 0.985, 30), sold(a, b, 1000, 40)}, nil},
			{"with itself", []trader.Exchange{sold(a, a, 100, 0), sold(a, b, 5, 1)}, []int{0}},
			{"and one more", []trader.Exchange{sold(a, b, 100, 0), sold(b, a, 100, 30), sold(a, b, 100, 40)}, []int{0, 1}},
			{"with strangers in between", []trader.Exchange{sold(a, b, 100, 0), sold(a, c, 70, 5), sold(b, a, 100, 30)}, []int{0, 2}},
			{"a day apart", []trader.Exchange{sold(a, b, 100, 0), sold(b, a, 100, 23*60)}, []int{0, 1}},
			{"a month apart", []trader.Exchange{sold(a, b, 100, 0), sold(b, a, 100, 30*24*60)}, nil},
			{"nothing", nil, nil},
			{"no quantity", []trader.Exchange{sold(a, b, 0, 0), sold(b, a, 0, 1)}, nil},
		} {
			if got := washed(trader.ClosedClusters(test.exchanges, matching)); !slices.Equal(got, test.want) {
				t.Errorf("%s (of turnover %v): %v, want %v", test.name, turnover, got, test.want)
			}
		}
	}
}

func TestClustersNeedOccurrences(t *testing.T) {
	var exchanges []trader.Exchange
	for i := range 4 {
		exchanges = append(exchanges, sold(1, 2, 100, 10*i), sold(2, 1, 100, 10*i+5))
	}
	if got := trader.ClosedClusters(exchanges, trader.WalletMatching()); len(got) != 0 {
		t.Errorf("four circles are a cluster: %v", got)
	}
	// The fifth circle is in another token: a group is counted over all of them.
	for _, e := range []trader.Exchange{sold(1, 2, 70, 100), sold(2, 1, 70, 110)} {
		e.Token = token(1)
		exchanges = append(exchanges, e)
	}
	if got := washed(trader.ClosedClusters(exchanges, trader.WalletMatching())); len(got) != 10 {
		t.Errorf("five circles: %v", got)
	}
}

// Layers are counted in bulk; taking them off one by one has to count the same groups.
func TestLayersOfOverlappingGroups(t *testing.T) {
	// Accounts 1 and 2 trade three circles, 2 and 3 one: the first layer holds all three accounts, two more the first pair.
	var exchanges []trader.Exchange
	for i := range 3 {
		exchanges = append(exchanges, sold(1, 2, 10, 2*i), sold(2, 1, 10, 2*i+1))
	}
	exchanges = append(exchanges, sold(2, 3, 10, 7), sold(3, 2, 10, 8))
	matching := trader.Matching{Windows: []time.Duration{time.Hour}, Occurrences: 2, Margin: 0.01}
	if got := washed(trader.ClosedClusters(exchanges, matching)); !slices.Equal(got, []int{0, 1, 2, 3, 4, 5}) {
		t.Errorf("the pair that circles twice: %v", got)
	}
	matching.Occurrences = 3
	if got := washed(trader.ClosedClusters(exchanges, matching)); got != nil {
		t.Errorf("no group circles three times by itself: %v", got)
	}
	matching.Occurrences = 1
	if got := washed(trader.ClosedClusters(exchanges, matching)); len(got) != 8 {
		t.Errorf("all circle once: %v", got)
	}
}

func TestClusterMembersEndFlat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var exchanges []trader.Exchange
		for i := range rapid.IntRange(0, 60).Draw(t, "n") {
			from, to := rapid.IntRange(1, 4).Draw(t, "from"), rapid.IntRange(1, 4).Draw(t, "to")
			exchanges = append(exchanges, sold(from, to, float64(rapid.IntRange(1, 3).Draw(t, "quantity")), 7*i))
		}
		matching := trader.Matching{Windows: []time.Duration{time.Hour, 24 * time.Hour}, Occurrences: 1, Margin: 0.01}
		clusters := trader.ClosedClusters(exchanges, matching)
		seen := make(map[int]bool)
		for _, c := range clusters {
			net := make(map[chain.Address]float64)
			for _, i := range c.Exchanges {
				if seen[i] {
					t.Fatalf("exchange %d is in two clusters", i)
				}
				seen[i] = true
				net[exchanges[i].Seller] -= exchanges[i].Quantity
				net[exchanges[i].Buyer] += exchanges[i].Quantity
				if !slices.Contains(c.Members, exchanges[i].Seller) || !slices.Contains(c.Members, exchanges[i].Buyer) {
					t.Fatalf("exchange %d has an outsider", i)
				}
			}
			for who, n := range net {
				if n > 0.03 || n < -0.03 {
					t.Fatalf("%v ends with %v", who, n)
				}
			}
		}
		// The order in which exchanges are given does not matter.
		order := rapid.Permutation(slices.Collect(seqTo(len(exchanges)))).Draw(t, "order")
		shuffled := make([]trader.Exchange, len(exchanges))
		for at, i := range order {
			shuffled[at] = exchanges[i]
		}
		var mapped []int
		for _, i := range washed(trader.ClosedClusters(shuffled, matching)) {
			mapped = append(mapped, order[i])
		}
		slices.Sort(mapped)
		if want := washed(clusters); !reflect.DeepEqual(mapped, want) {
			t.Fatalf("shuffled %v, want %v", mapped, want)
		}
	})
}

func seqTo(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func BenchmarkClosedClusters(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	exchanges := make([]trader.Exchange, 20000)
	for i := range exchanges {
		exchanges[i] = sold(random.IntN(500), random.IntN(500), random.Float64(), i)
	}
	b.ReportAllocs()
	for b.Loop() {
		trader.ClosedClusters(exchanges, trader.WalletMatching())
	}
}
