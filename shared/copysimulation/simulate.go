package copysimulation

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// The terms of the simulation.
const (
	// Horizon is how long the copier holds.
	Horizon = 7 * 24 * time.Hour
	// Haircut is the fraction lost to fees, spread and impact over a round trip.
	Haircut = 0.04
	// Stake is the part of equity put into each trade when results are compounded.
	Stake = 0.10
	// MinimumTrades is how many simulated trades, and how many closed positions, aggregates need.
	MinimumTrades = 3
	// minimumQuoteUSD is the quote side a pool must have for an exit to count as possible.
	minimumQuoteUSD = 5_000

	horizonHours = int64(Horizon / time.Hour)

	entryCarry = 6  // hours
	exitCarry  = 48 // hours
	// baseWindow is how far, either way, the random copier's entries lie from the trader's.
	baseWindow = 72 // hours
)

// Entry is a trader's first buy of an episode.
type Entry struct {
	Token chain.Address
	At    time.Time
	// AlreadyDead is true when the trader's own position ended because nothing could be recovered.
	AlreadyDead bool
}

// Terms is what is known about selling a token.
type Terms struct {
	// SellTax is a fraction, NaN when unknown, which counts as none.
	SellTax float64
	// Unsellable is true when holders cannot sell.
	Unsellable bool
	// QuoteUSD is the quote side of the deepest pool now; NaN when unknown.
	QuoteUSD float64
}

// Status is what became of a simulated trade.
type Status string

// The outcomes of a simulated trade.
const (
	Resolved Status = "resolved" // sold at the horizon
	Dead     Status = "dead"     // could not be sold at the horizon: a total loss
	Pending  Status = "pending"  // the horizon is not over yet
	Skipped  Status = "skipped"  // no entry price is known
)

// Trade is one simulated copy.
type Trade struct {
	Entry
	Status Status
	// Net is the net return as a fraction; NaN while pending and when skipped.
	Net float64
	// ResolvesAt is when the horizon ends.
	ResolvesAt time.Time
	// alternatives are the net returns of the random copier's entries.
	alternatives []float64
}

// Result is the whole simulation. Trades are in order of entry; ties by token.
type Result struct {
	Trades                                []Trade
	Counted, Wins, Dead, Pending, Skipped int
	// WinRate, Median, Mean, Best and Worst are of the counted trades' net returns, as fractions; NaN without any.
	WinRate, Median, Mean, Best, Worst float64
	// Compounded is the return of staking a tenth of equity on each counted trade in order of entry.
	Compounded float64
	// BaseWinRate is the random copier's; NaN without any comparable hour.
	BaseWinRate float64
}

// Run simulates every entry as of an instant. Tokens without a series count as having no price history.
func Run(entries []Entry, series map[chain.Address]*Series, terms map[chain.Address]Terms, asOf time.Time) Result {
	r := Result{Trades: make([]Trade, 0, len(entries))}
	ordered := slices.Clone(entries)
	slices.SortStableFunc(ordered, func(a, b Entry) int { return cmp.Or(a.At.Compare(b.At), a.Token.Compare(b.Token)) })
	nets := make([]float64, 0, len(entries))
	equity, baseWins, baseEntries := 1.0, 0.0, 0
	for _, e := range ordered {
		if e.At.After(asOf) {
			continue
		}
		t := simulate(e, series[e.Token], terms[e.Token], asOf)
		r.Trades = append(r.Trades, t)
		switch t.Status {
		case Pending:
			r.Pending++
		case Skipped:
			r.Skipped++
		case Dead, Resolved:
			if t.Status == Dead {
				r.Dead++
			}
			if t.Net > 0 {
				r.Wins++
			}
			nets = append(nets, t.Net)
			equity *= 1 + Stake*t.Net
			if len(t.alternatives) > 0 {
				baseWins += winShare(t.alternatives)
				baseEntries++
			}
		}
	}
	r.Counted = len(nets)
	r.WinRate, r.Median, r.Mean, r.Best, r.Worst, r.Compounded = math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()
	r.BaseWinRate = math.NaN()
	if baseEntries > 0 {
		r.BaseWinRate = baseWins / float64(baseEntries)
	}
	if r.Counted == 0 {
		return r
	}
	r.WinRate = float64(r.Wins) / float64(r.Counted)
	r.Compounded = equity - 1
	r.Median = stats.Median(nets)
	r.Best, r.Worst = slices.Max(nets), slices.Min(nets)
	sum := 0.0
	for _, net := range nets {
		sum += net
	}
	r.Mean = sum / float64(len(nets))
	return r
}

func simulate(e Entry, s *Series, terms Terms, asOf time.Time) Trade {
	t := Trade{Entry: e, ResolvesAt: e.At.Add(Horizon), Net: math.NaN()}
	entryHour := hourOf(e.At)
	if entryHour+horizonHours >= hourOf(asOf) {
		t.Status = Pending
		return t
	}
	if s.Empty() {
		if e.AlreadyDead {
			t.Status, t.Net = Dead, -1
			return t
		}
		t.Status = Skipped
		return t
	}
	net, known := s.net(entryHour, terms, hourOf(asOf))
	if !known {
		t.Status = Skipped
		return t
	}
	t.Status, t.Net = Resolved, net
	if net <= -1 {
		t.Status = Dead
	}
	for h := entryHour - baseWindow; h <= entryHour+baseWindow; h++ {
		if alternative, known := s.net(h, terms, hourOf(asOf)); known && h != entryHour {
			t.alternatives = append(t.alternatives, alternative)
		}
	}
	return t
}

// net is the result of an entry in an hour. It is unknown when the hour has no price or its horizon is not over by now.
func (s *Series) net(entryHour int64, terms Terms, now int64) (float64, bool) {
	if entryHour+horizonHours >= now {
		return 0, false
	}
	entry := s.closeAt(entryHour, entryCarry)
	if math.IsNaN(entry) || entry <= 0 {
		return 0, false
	}
	return s.netOf(entry, entryHour+horizonHours, terms, now), true
}

// netOf is the result of what was bought at a price and is sold in an hour that is over.
func (s *Series) netOf(entry float64, exitHour int64, terms Terms, now int64) float64 {
	exit := s.closeAt(exitHour, exitCarry)
	recent := now-exitHour <= exitCarry
	if math.IsNaN(exit) || terms.Unsellable || (recent && terms.QuoteUSD < minimumQuoteUSD) {
		return -1
	}
	proceeds := exit / entry * (1 - Haircut)
	if terms.SellTax > 0 {
		proceeds *= 1 - min(terms.SellTax, 1)
	}
	return max(proceeds-1, -1)
}

// Outcome is what became of a copy that followed an entry at an instant and was bought at a known price: the same as in a simulation,
// but for the price, which stays what it was when it was written down. Net is NaN while pending, and when the price is none.
func (s *Series) Outcome(at time.Time, price float64, terms Terms, asOf time.Time) (Status, float64) {
	exitHour := hourOf(at) + horizonHours
	switch {
	case exitHour >= hourOf(asOf):
		return Pending, math.NaN()
	case !(price > 0) || math.IsInf(price, 1):
		return Skipped, math.NaN()
	}
	net := s.netOf(price, exitHour, terms, hourOf(asOf))
	if net <= -1 {
		return Dead, net
	}
	return Resolved, net
}

// BaseWinRate is the share of the random copier's entries around a trade that gained; NaN without any, and for trades that did not
// count.
func (t *Trade) BaseWinRate() float64 {
	if len(t.alternatives) == 0 {
		return math.NaN()
	}
	return winShare(t.alternatives)
}

func winShare(nets []float64) float64 {
	wins := 0
	for _, net := range nets {
		if net > 0 {
			wins++
		}
	}
	return float64(wins) / float64(len(nets))
}

// timingDraws is how often the trader's hours are replaced by random ones.
const timingDraws = 1_000

// TimingP is the chance that entries at random hours, within three days of the trader's and in the same tokens, would have
// done at least as well on average: (1 + draws at least as good) / (1 + draws). It is NaN with fewer than MinimumTrades
// comparable trades. The same seed gives the same answer.
func (r *Result) TimingP(seed uint64) float64 {
	observed, comparable := 0.0, make([]*Trade, 0, len(r.Trades))
	for i := range r.Trades {
		if t := &r.Trades[i]; len(t.alternatives) > 0 {
			observed += t.Net
			comparable = append(comparable, t)
		}
	}
	if len(comparable) < MinimumTrades {
		return math.NaN()
	}
	random := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	atLeast := 0
	for range timingDraws {
		sum := 0.0
		for _, t := range comparable {
			sum += t.alternatives[random.IntN(len(t.alternatives))]
		}
		if sum >= observed {
			atLeast++
		}
	}
	return float64(1+atLeast) / float64(1+timingDraws)
}

// Form compares the last five counted trades with those before by Beta(2,2) posteriors: hot when the recent chance of
// winning is higher with probability of at least 0.8, cold when it is with at most 0.2, steady between; unknown with fewer
// than eight counted trades.
func (r *Result) Form() string {
	const recent, enough = 5, 8
	if r.Counted < enough {
		return "unknown"
	}
	wins := make([]bool, 0, r.Counted)
	for i := range r.Trades {
		if s := r.Trades[i].Status; s == Resolved || s == Dead {
			wins = append(wins, r.Trades[i].Net > 0)
		}
	}
	split := len(wins) - recent
	prior := stats.Beta{A: 2, B: 2}
	late := prior.Posterior(count(wins[split:]), recent)
	early := prior.Posterior(count(wins[:split]), split)
	switch p := stats.BetaGreater(late, early); {
	case p >= 0.8:
		return "hot"
	case p <= 0.2:
		return "cold"
	}
	return "steady"
}

func count(wins []bool) int {
	n := 0
	for _, won := range wins {
		if won {
			n++
		}
	}
	return n
}
