package discovery

import (
	"cmp"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

const (
	// MostAdjustedP is the false-discovery rate at which wallets are named.
	MostAdjustedP = 0.05
	// leastLaunches is how many a wallet was early in to be tested.
	leastLaunches = 3
	// mostConfirmedP is how likely by chance the result on newer launches may be.
	mostConfirmedP = 0.2
	// mostPerDay is how many launches of a UTC day a person may be early in; who buys more buys everything.
	mostPerDay = 100
	// usualStrength is how many launches the chance of a hit weighs as much as where too few wallets are there to learn it from.
	usualStrength = 10
)

// Launch is an eligible launch of a chain.
type Launch struct {
	Token chain.Address
	At    time.Time
	// LiquidityUSD is what the pool held of the quote asset before the first trade.
	LiquidityUSD float64
	Rose         bool
	// Early are its early buyers.
	Early []chain.Address
}

// Evidence is what a wallet was early in, and what chance would have given.
type Evidence struct {
	// Launches it was early in, and how many of them rose.
	Launches int `json:"launches"`
	Rose     int `json:"rose"`
	// Expected is how many would have risen by chance, P the probability of as many as rose or more.
	Expected float64 `json:"expected"`
	P        float64 `json:"p"`
}

// Finding is what the search says of a wallet.
type Finding struct {
	Wallet chain.Address `json:"wallet"`
	// Older is what it was found by, Newer what came later.
	Older Evidence `json:"older"`
	Newer Evidence `json:"newer"`
	// AdjustedP is the false-discovery rate at which it is named among the Tested wallets.
	AdjustedP float64 `json:"adjustedP"`
	Tested    int     `json:"tested"`
	// HitRate is that of the newer launches drawn to BaseRate, the chance of a hit there, by how much is known. Without newer launches
	// both are the chance on the older ones.
	HitRate  float64 `json:"hitRate"`
	BaseRate float64 `json:"baseRate"`
	// Confirmed is true when the newer launches bear out what the older ones say.
	Confirmed bool `json:"confirmed"`
	// Tokens are those of all launches it was early in, the latest first.
	Tokens []chain.Address `json:"tokens"`
	// Siblings are wallets that seem to belong to the same hand, in order of address.
	Siblings []chain.Address `json:"siblings,omitempty"`
}

// Found reports whether the wallet stands out, confirmed or not.
func (f Finding) Found() bool { return f.AdjustedP <= MostAdjustedP }

// Search is a finished search over a chain's launches.
type Search struct {
	launches []Launch
	chances  []float64
	newer    int             // index of the first newer launch
	wallets  []chain.Address // that were tested, in order
	early    [][]int32       // launches of each tested wallet, in order
	older    []Evidence
	adjusted []float64
	strength float64
}

// Run searches the launches of a chain made from an instant (inclusive) to another (exclusive). The first half of that time is older.
// Of launches with the same token the first counts. The order of the launches does not matter.
func Run(launches []Launch, from, to time.Time) *Search {
	s := &Search{launches: within(launches, from, to)}
	middle := from.Add(to.Sub(from) / 2)
	s.newer, _ = slices.BinarySearchFunc(s.launches, middle, func(l Launch, at time.Time) int { return l.At.Compare(at) })
	s.chances = append(chances(s.launches[:s.newer]), chances(s.launches[s.newer:])...)
	s.choose()
	s.crowd()
	p := make([]float64, len(s.wallets))
	successes, trials := make([]int, len(s.wallets)), make([]int, len(s.wallets))
	s.older = make([]Evidence, len(s.wallets))
	for i, early := range s.early {
		s.older[i] = s.evidence(early[:s.cut(early)])
		p[i], successes[i], trials[i] = s.older[i].P, s.older[i].Rose, s.older[i].Launches
	}
	s.adjusted = stats.BenjaminiHochberg(p)
	s.strength = usualStrength
	if prior, ok := stats.EmpiricalBayesPrior(successes, trials); ok {
		s.strength = prior.A + prior.B
	}
	return s
}

// within are the launches of a time, each token once, by time and then by token.
func within(launches []Launch, from, to time.Time) []Launch {
	kept := make([]Launch, 0, len(launches))
	for _, l := range launches {
		if !l.At.Before(from) && l.At.Before(to) {
			kept = append(kept, l)
		}
	}
	slices.SortStableFunc(kept, func(a, b Launch) int { return cmp.Or(a.At.Compare(b.At), a.Token.Compare(b.Token)) })
	seen := make(map[chain.Address]bool, len(kept))
	return slices.DeleteFunc(kept, func(l Launch) bool {
		again := seen[l.Token]
		seen[l.Token] = true
		return again
	})
}

// choose lists the wallets to test, with their launches.
func (s *Search) choose() {
	index := make(map[chain.Address]int32)
	var wallets []chain.Address
	var early [][]int32
	for i := range s.launches {
		for _, wallet := range s.launches[i].Early {
			w, known := index[wallet]
			if !known {
				w = int32(len(wallets))
				index[wallet] = w
				wallets, early = append(wallets, wallet), append(early, nil)
			}
			if n := len(early[w]); n == 0 || early[w][n-1] != int32(i) {
				early[w] = append(early[w], int32(i))
			}
		}
	}
	order := make([]int32, 0, len(wallets))
	for w := range wallets {
		if s.cut(early[w]) >= leastLaunches && !s.everything(early[w]) {
			order = append(order, int32(w))
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return wallets[a].Compare(wallets[b]) })
	for _, w := range order {
		s.wallets, s.early = append(s.wallets, wallets[w]), append(s.early, early[w])
	}
}

// crowd raises the chances of either half by what any early buyer gets in it.
func (s *Search) crowd() {
	var older, newer []Evidence
	for _, early := range s.early {
		cut := s.cut(early)
		older = append(older, s.evidence(early[:cut]))
		if len(early)-cut >= leastLaunches {
			newer = append(newer, s.evidence(early[cut:]))
		}
	}
	crowded(s.chances[:s.newer], crowding(older))
	crowded(s.chances[s.newer:], crowding(newer))
}

// cut is how many of a wallet's launches are older.
func (s *Search) cut(early []int32) int {
	n, _ := slices.BinarySearch(early, int32(s.newer))
	return n
}

// everything tells whether a wallet was early in too many launches of one day.
func (s *Search) everything(early []int32) bool {
	for i := mostPerDay; i < len(early); i++ {
		if day(s.launches[early[i-mostPerDay]].At) == day(s.launches[early[i]].At) {
			return true
		}
	}
	return false
}

func day(at time.Time) int64 { return at.Truncate(24 * time.Hour).Unix() }

func (s *Search) evidence(early []int32) Evidence {
	e := Evidence{Launches: len(early)}
	p := make([]float64, len(early))
	for i, launch := range early {
		p[i] = s.chances[launch]
		e.Expected += p[i]
		if s.launches[launch].Rose {
			e.Rose++
		}
	}
	e.P = stats.PoissonBinomialTail(e.Rose, p)
	return e
}

// Tested is how many wallets were tested.
func (s *Search) Tested() int { return len(s.wallets) }

// Launches are the launches that count, in order of time.
func (s *Search) Launches() []Launch { return s.launches }

// Of is what the search says of a wallet; false when it was not tested.
func (s *Search) Of(wallet chain.Address) (Finding, bool) {
	i, tested := slices.BinarySearchFunc(s.wallets, wallet, chain.Address.Compare)
	if !tested {
		return Finding{}, false
	}
	return s.finding(i), true
}

// Found lists the wallets that stand out, in order of address.
func (s *Search) Found() []Finding {
	found := []Finding{}
	for i, q := range s.adjusted {
		if q <= MostAdjustedP {
			found = append(found, s.finding(i))
		}
	}
	return found
}

func (s *Search) finding(i int) Finding {
	early := s.early[i]
	f := Finding{
		Wallet: s.wallets[i], Older: s.older[i], Newer: s.evidence(early[s.cut(early):]), AdjustedP: s.adjusted[i], Tested: len(s.wallets),
		Tokens: make([]chain.Address, 0, len(early)),
	}
	for _, launch := range slices.Backward(early) {
		f.Tokens = append(f.Tokens, s.launches[launch].Token)
	}
	f.BaseRate = f.Older.Expected / float64(f.Older.Launches)
	if f.Newer.Launches > 0 {
		f.BaseRate = f.Newer.Expected / float64(f.Newer.Launches)
	}
	f.HitRate = (float64(f.Newer.Rose) + s.strength*f.BaseRate) / (float64(f.Newer.Launches) + s.strength)
	f.Confirmed = f.Newer.P <= mostConfirmedP && f.HitRate > f.BaseRate
	return f
}
