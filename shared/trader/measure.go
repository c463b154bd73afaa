package trader

import (
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

const (
	// stake is the share of equity each position is assumed to take in the equity curve.
	stake = 0.1
	// clusterCorrelation is how much repeated bets on one thing are assumed to resemble each other.
	clusterCorrelation = 0.3
	// bootstrapRounds and boundLevel are those of the lower bound of the mean return.
	bootstrapRounds = 2000
	boundLevel      = 0.80
	// wilsonZ is the two-sided 95 % normal quantile.
	wilsonZ = 1.959963984540054
	// returnCap and returnFloor winsorise single returns.
	returnCap, returnFloor = 3.0, -1.0
	// bagShare is the part of its cost under which an open position counts as a bag.
	bagShare = 0.2
	// priorStrength is how many positions of its own weigh as much as the neutral middle.
	priorStrength = 10
	day           = 24 * time.Hour
	week          = 7 * day
)

// Measures are the numbers a trader is judged by, each computed once. Shares are fractions. With no closed result the returns,
// shares and probabilities are NaN, and counts zero.
type Measures struct {
	// N counts closed results, Wins those with a positive net return, Imputed those that were valued and not traded.
	N, Wins, Imputed int
	// WinLow and WinHigh bound the true win rate: Wilson's interval at 95 %.
	WinLow, WinHigh float64
	// WinRate is the win rate after shrinkage toward the prior: the mean of the posterior Beta distribution.
	WinRate float64
	// PriorWinRate is the prior's mean.
	PriorWinRate float64
	// EffectiveN is how many independent results the sample is worth (design effect over clusters); Clusters counts them.
	EffectiveN float64
	Clusters   int
	// Moments describe the returns as they are.
	Moments stats.Moments
	// PSR is the probability that the true Sharpe ratio per result is above zero (Bailey & Lopez de Prado 2012). PSRStar is the
	// same with one total loss added to the sample, which unmasks traders that hide rare wipe-outs behind many small wins.
	PSR, PSRStar float64
	// PSRStarStrict is PSRStar, or less when open losers count at what they would bring and the sample is only worth EffectiveN: what
	// claims of skill rest on. It equals PSRStar without open losers and repeated bets.
	PSRStarStrict float64
	// MoreNeeded is how many further results it would take, by the minimum track record length at 95 %, before a positive
	// average is credible; 0 when it is already or when the average is not positive.
	MoreNeeded float64
	// MeanReturn is the mean of returns winsorised to -1 and +3; ExpectancyLow is its one-sided 80 % lower bound by the
	// studentised bootstrap (Efron & Tibshirani 1993), but no lower than the normal bound if the worst result came once more.
	MeanReturn, ExpectancyLow float64
	// ProfitFactor is gains over losses in USD; without a loss it is not defined. ProfitShare is gains/(gains+losses) with one
	// position of median cost added to the losses: 0.5 is break-even.
	ProfitFactor        float64
	ProfitFactorDefined bool
	ProfitShare         float64
	// TopTradeShare is the largest gain's part of all gains; TopTradeExcess is how far that is above an even split over the
	// winners, 0 to 1.
	TopTradeShare, TopTradeExcess float64
	// Drawdown is the deepest fall of the equity curve at 10 % stakes, 0 to 1.
	Drawdown float64
	// Weeks counts calendar weeks (UTC, from Monday) with a closed result; WeeksPositive those that ended in profit.
	Weeks, WeeksPositive int
	// CostWeightedReturn is total profit over total cost.
	CostWeightedReturn float64
	// LeaveBestOutMean is the mean return without the best result; NaN below two results.
	LeaveBestOutMean float64
	// Open counts open positions of known worth, Bags those that would bring less than 20 % of their cost.
	Open, Bags int
	// OpenLosing counts open positions that would bring less than they cost; OpenLosingReturn is what those would bring over
	// what they cost, less 1; 0 without any.
	OpenLosing       int
	OpenLosingReturn float64
	// MatchedShare and UnmatchedSells are the evidence's own.
	MatchedShare   float64
	UnmatchedSells int
	// DaysSinceLastClose is in days, NaN without a result.
	DaysSinceLastClose float64
	// Confidence is the weight the trader's own record carries against the neutral middle, 0 to 1: its effective size against
	// ten, times coverage, times recency.
	Confidence float64
}

// Measure computes the measures in time linear in the number of results.
func Measure(e Evidence) Measures {
	results := e.usable()
	n := len(results)
	prior := e.Prior
	if prior == (stats.Beta{}) {
		prior = DefaultPrior()
	}
	m := Measures{N: n, MatchedShare: e.MatchedShare, UnmatchedSells: e.UnmatchedSells, PriorWinRate: prior.Mean()}
	returns := make([]float64, 2*n, 2*n+len(e.Open)+1)
	returns, winsorised := returns[:n:n], returns[n:]
	best := 0
	for i := range results {
		r := &results[i]
		returns[i] = r.Return
		winsorised[i] = max(returnFloor, min(returnCap, r.Return))
		if r.Return > 0 {
			m.Wins++
		}
		if r.Imputed {
			m.Imputed++
		}
		if r.Return > results[best].Return {
			best = i
		}
	}
	m.WinLow, m.WinHigh = stats.Wilson(m.Wins, n, wilsonZ)
	m.WinRate = prior.Posterior(m.Wins, n).Mean()
	m.countOpen(e.Open)
	m.measureMoney(results)
	m.measureClusters(results)
	m.measureWeeks(results)
	if n == 0 {
		nan := math.NaN()
		m.PSR, m.PSRStar, m.PSRStarStrict, m.MeanReturn, m.ExpectancyLow, m.Drawdown = nan, nan, nan, nan, nan, nan
		m.LeaveBestOutMean, m.DaysSinceLastClose = nan, nan
		return m
	}
	m.measureReturns(returns, winsorised, e.Seed)
	m.LeaveBestOutMean = math.NaN()
	if n > 1 {
		m.LeaveBestOutMean = (m.Moments.Mean*float64(n) - returns[best]) / float64(n-1)
	}
	m.measureStrict(returns, winsorised[:0], e.Open)
	if m.DaysSinceLastClose = 0; !e.AsOf.IsZero() {
		m.DaysSinceLastClose = max(0, e.AsOf.Sub(results[n-1].ClosedAt).Hours()/24)
	}
	m.Confidence = m.EffectiveN / (m.EffectiveN + priorStrength) * m.coverage() * m.recency()
	return m
}

// coverage is the part of confidence that unknown costs leave.
func (m *Measures) coverage() float64 { return max(0.5, min(1, m.MatchedShare)) }

// recency fades from 30 days after the last close with a time constant of 180 days.
func (m *Measures) recency() float64 { return math.Exp(-max(0, m.DaysSinceLastClose-30) / 180) }

func (m *Measures) countOpen(open []OpenResult) {
	cost, worth := 0.0, 0.0
	for _, o := range open {
		if !(o.CostUSD > 0) || !finite(o.RecoverableUSD) {
			continue
		}
		m.Open++
		if o.RecoverableUSD < o.CostUSD {
			m.OpenLosing++
			cost, worth = cost+o.CostUSD, worth+o.RecoverableUSD
		}
		if o.RecoverableUSD < bagShare*o.CostUSD {
			m.Bags++
		}
	}
	if cost > 0 {
		m.OpenLosingReturn = worth/cost - 1
	}
}

func (m *Measures) measureMoney(results []Result) {
	costs := make([]float64, len(results))
	var gains, losses, top, cost float64
	for i := range results {
		pnl := results[i].PnLUSD
		costs[i] = results[i].CostUSD
		cost += results[i].CostUSD
		if pnl > 0 {
			gains += pnl
			top = max(top, pnl)
		} else {
			losses -= pnl
		}
	}
	m.ProfitFactor, m.ProfitFactorDefined = math.NaN(), losses > 0
	if m.ProfitFactorDefined {
		m.ProfitFactor = gains / losses
	}
	m.ProfitShare, m.TopTradeShare, m.TopTradeExcess, m.CostWeightedReturn = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	if len(results) == 0 {
		return
	}
	m.ProfitShare = 0.5
	if all := gains + losses + stats.Median(costs); all > 0 {
		m.ProfitShare = gains / all
	}
	if cost > 0 {
		m.CostWeightedReturn = (gains - losses) / cost
	}
	m.TopTradeExcess = 1
	if gains > 0 {
		m.TopTradeShare = top / gains
		if even := 1 / float64(m.Wins); m.Wins > 1 {
			m.TopTradeExcess = max(0, min(1, (m.TopTradeShare-even)/(1-even)))
		}
	}
}

func (m *Measures) measureClusters(results []Result) {
	index := make(map[uint64]int, len(results))
	sizes := make([]int, 0, len(results))
	for i := range results {
		at, seen := index[results[i].Cluster]
		if !seen {
			at = len(sizes)
			index[results[i].Cluster] = at
			sizes = append(sizes, 0)
		}
		sizes[at]++
	}
	m.Clusters = len(sizes)
	if len(sizes) > 0 {
		m.EffectiveN = stats.EffectiveSize(sizes, clusterCorrelation)
	}
}

func (m *Measures) measureWeeks(results []Result) {
	for i := 0; i < len(results); {
		current, pnl := weekOf(results[i].ClosedAt), 0.0
		for ; i < len(results) && weekOf(results[i].ClosedAt) == current; i++ {
			pnl += results[i].PnLUSD
		}
		m.Weeks++
		if pnl > 0 {
			m.WeeksPositive++
		}
	}
}

// weekOf numbers weeks that begin on Mondays in UTC; the epoch was a Thursday.
func weekOf(t time.Time) int64 {
	seconds := t.Unix() + int64(3*day/time.Second)
	length := int64(week / time.Second)
	if seconds < 0 {
		return (seconds - length + 1) / length
	}
	return seconds / length
}

func (m *Measures) measureReturns(returns, winsorised []float64, seed uint64) {
	m.Moments = stats.Describe(returns)
	m.PSR = stats.ProbabilisticSharpe(m.Moments, 0)
	m.PSRStar = stats.ProbabilisticSharpeWithLoss(returns)
	if m.Moments.SD == 0 && m.Moments.Mean == returnFloor {
		m.PSRStar = 0 // nothing but total losses has no spread, yet leaves no doubt
	}
	m.Drawdown = stats.MaximumDrawdown(returns, stake)
	for _, r := range winsorised {
		m.MeanReturn += r
	}
	m.MeanReturn /= float64(len(winsorised))
	m.ExpectancyLow = m.MeanReturn
	if len(winsorised) > 1 {
		m.ExpectancyLow = max(m.boundWithRepeat(winsorised), stats.BootstrapTLowerBound(winsorised, boundLevel, bootstrapRounds, seed))
	}
	if sharpe := m.Moments.Sharpe(); sharpe > 0 && m.Moments.N > 2 {
		if length := stats.MinimumTrackRecord(sharpe, m.Moments.Skew, m.Moments.Kurtosis, 0.95); finite(length) {
			m.MoreNeeded = max(0, math.Ceil(length)-float64(m.N))
		}
	}
}

// boundWithRepeat is the normal lower bound of the mean if the worst result came once more. The bootstrap's bound falls below it
// only where a short record has hardly any losses: resamples without them have next to no spread, and their statistics no end.
func (m *Measures) boundWithRepeat(winsorised []float64) float64 {
	worst := slices.Min(winsorised)
	n := float64(len(winsorised) + 1)
	mean := (m.MeanReturn*(n-1) + worst) / n
	squares := (worst - mean) * (worst - mean)
	for _, r := range winsorised {
		squares += (r - mean) * (r - mean)
	}
	return max(returnFloor, mean-stats.NormalQuantile(boundLevel)*math.Sqrt(squares/(n-1)/n))
}

// keepsLosers tells whether nearly all losers are still held: at least five, and four for each that was sold. The record of such a
// trader is one of winners, whatever the trader can do.
func (m *Measures) keepsLosers() bool {
	return m.OpenLosing >= 5 && m.OpenLosing >= 4*(m.N-m.Wins) && m.OpenLosingReturn < -openLoss
}

// measureStrict needs scratch space, which it overwrites.
func (m *Measures) measureStrict(returns, scratch []float64, open []OpenResult) {
	m.PSRStarStrict = m.PSRStar
	if m.OpenLosing > 0 {
		// Who sells winners and keeps losers has proven nothing: what is still held at a loss counts at what it would bring. Open
		// gains do not: they may never be taken.
		marked := append(scratch, returns...)
		for _, o := range open {
			if o.CostUSD > 0 && o.RecoverableUSD < o.CostUSD {
				marked = append(marked, o.RecoverableUSD/o.CostUSD-1)
			}
		}
		m.PSRStarStrict = min(m.PSRStarStrict, stats.ProbabilisticSharpeWithLoss(marked))
	}
	if p := m.PSRStarStrict; m.EffectiveN < float64(m.N) && p > 0 && p < 1 {
		// The statistic grows with the square root of the number of independent results.
		m.PSRStarStrict = stats.NormalCDF(stats.NormalQuantile(p) * math.Sqrt(m.EffectiveN/float64(m.N)))
	}
}
