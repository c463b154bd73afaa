package golden

import "github.com/mirrorworthy/mirrorworthy/shared/stats"

type binomialCase struct {
	K    int     `json:"k"`
	N    int     `json:"n"`
	P0   float64 `json:"p0"`
	Want float64 `json:"p"`
}

type hypergeometricCase struct {
	Population int     `json:"M"`
	Marked     int     `json:"K"`
	Draws      int     `json:"n"`
	K          int     `json:"k"`
	Want       float64 `json:"p"`
}

type forecastCase struct {
	Forecasts   []float64 `json:"f"`
	Outcomes    []int     `json:"o"`
	Brier       float64   `json:"brier"`
	Skill       *float64  `json:"bss"`
	Reliability float64   `json:"rel"`
	Resolution  float64   `json:"res"`
	Uncertainty float64   `json:"unc"`
}

func (c forecastCase) happened() []bool {
	out := make([]bool, len(c.Outcomes))
	for i, o := range c.Outcomes {
		out[i] = o == 1
	}
	return out
}

func compareEach(s *Section, got, want []float64) {
	if len(got) != len(want) {
		s.compare(float64(len(got)), float64(len(want)))
		return
	}
	for i := range want {
		s.compare(got[i], want[i])
	}
}

// statisticsSections are the sections of a statistics file, in the order they are reported.
var statisticsSections = []struct {
	name    string
	compare comparison
}{
	{"wilson", each(func(c struct {
		K, N      int
		Z, Lo, Hi float64
	}, s *Section) {
		low, high := stats.Wilson(c.K, c.N, c.Z)
		s.compare(low, c.Lo)
		s.compare(high, c.Hi)
	})},
	{"betaShrink", each(func(c struct {
		K, N                        int
		A, B, Mean, Q05, Q95, PGt50 float64
	}, s *Section) {
		b := stats.Beta{A: c.A, B: c.B}.Posterior(c.K, c.N)
		s.compare(b.Mean(), c.Mean)
		s.compare(b.Quantile(.05), c.Q05)
		s.compare(b.Quantile(.95), c.Q95)
		s.compare(1-b.CDF(.5), c.PGt50)
	})},
	{"betaGreater", each(func(c struct {
		A, B [2]float64
		P    float64
	}, s *Section) {
		s.compare(stats.BetaGreater(stats.Beta{A: c.A[0], B: c.A[1]}, stats.Beta{A: c.B[0], B: c.B[1]}), c.P)
	})},
	{"empiricalBayes", one(func(c struct {
		K, N []int
		A, B float64
	}, s *Section) {
		prior, ok := stats.EmpiricalBayesPrior(c.K, c.N)
		s.compare(number(ok), 1)
		s.compare(prior.A, c.A)
		s.compare(prior.B, c.B)
	})},
	{"effectiveSize", each(func(c struct {
		Sizes     []int
		Rho, NEff float64
	}, s *Section) {
		s.compare(stats.EffectiveSize(c.Sizes, c.Rho), c.NEff)
	})},
	{"psr", each(func(c struct {
		Returns                                 []float64
		Mean, SD, Skew, Kurt, SR, PSR0, PSRStar float64
	}, s *Section) {
		m := stats.Describe(c.Returns)
		compareEach(s, []float64{m.Mean, m.SD, m.Skew, m.Kurtosis, m.Sharpe()}, []float64{c.Mean, c.SD, c.Skew, c.Kurt, c.SR})
		s.compare(stats.ProbabilisticSharpe(m, 0), c.PSR0)
		s.compare(stats.ProbabilisticSharpeWithLoss(c.Returns), c.PSRStar)
	})},
	{"psrPaper", each(func(c struct {
		N                    int
		SR, Skew, Kurt, PSR0 float64
	}, s *Section) {
		m := stats.Moments{N: c.N, Mean: c.SR, SD: 1, Skew: c.Skew, Kurtosis: c.Kurt}
		s.compare(stats.ProbabilisticSharpe(m, 0), c.PSR0)
	})},
	{"minTRLPaper", each(func(c struct{ SR, Skew, Kurt, MinTRL, Years float64 }, s *Section) {
		got := stats.MinimumTrackRecord(c.SR, c.Skew, c.Kurt, .95)
		s.compare(got, c.MinTRL)
		s.compare(got/12, c.Years)
	})},
	{"expectedMaxZ", each(func(c struct {
		N int
		Z float64
	}, s *Section) {
		s.compare(stats.ExpectedMaximumNormal(c.N), c.Z)
	})},
	{"dsrPaper", one(compareDeflated)},
	{"drawdown", each(func(c struct {
		Returns []float64
		MDD     float64
	}, s *Section) {
		s.compare(-stats.MaximumDrawdown(c.Returns, 1), c.MDD)
	})},
	{"profitFactor", each(func(c struct {
		PnL []float64
		PF  *float64
	}, s *Section) {
		got, defined := stats.ProfitFactor(c.PnL)
		s.compare(number(defined), number(c.PF != nil))
		if c.PF != nil {
			s.compare(got, *c.PF)
		}
	})},
	{"kelly", each(func(c struct {
		Returns []float64
		Full    float64
	}, s *Section) {
		s.compare(stats.Kelly(c.Returns), c.Full)
	})},
	{"kellyShrink", each(func(c struct{ Mean, SE, Factor float64 }, s *Section) {
		s.compare(stats.KellyShrink(c.Mean, c.SE), c.Factor)
	})},
	{"hhi", each(func(c struct {
		W         []float64
		HHI, NEff float64
	}, s *Section) {
		s.compare(stats.Herfindahl(c.W), c.HHI)
		s.compare(stats.KishSize(c.W), c.NEff)
	})},
	{"earlyBuyer", one(func(c struct {
		Hypergeom []hypergeometricCase
		Binom     []binomialCase
	}, s *Section) {
		for _, h := range c.Hypergeom {
			s.compare(stats.HypergeometricTail(h.K, h.Population, h.Marked, h.Draws), h.Want)
		}
		for _, b := range c.Binom {
			s.compare(stats.BinomialTail(b.K, b.N, b.P0), b.Want)
		}
	})},
	{"poissonBinomial", each(func(c struct {
		Ps []float64
		K  int
		P  float64
	}, s *Section) {
		s.compare(stats.PoissonBinomialTail(c.K, c.Ps), c.P)
	})},
	{"bh", one(func(c struct{ P, Q []float64 }, s *Section) { compareEach(s, stats.BenjaminiHochberg(c.P), c.Q) })},
	{"by", one(func(c struct{ P, Q []float64 }, s *Section) { compareEach(s, stats.BenjaminiYekutieli(c.P), c.Q) })},
	{"brier", one(func(c forecastCase, s *Section) {
		s.compare(stats.BrierScore(c.Forecasts, c.happened()), c.Brier)
		if c.Skill != nil {
			s.compare(stats.BrierSkill(c.Forecasts, c.happened()), *c.Skill)
		}
	})},
	{"murphy", one(func(c forecastCase, s *Section) {
		reliability, resolution, uncertainty := stats.MurphySplit(c.Forecasts, c.happened())
		got := []float64{reliability, resolution, uncertainty, reliability - resolution + uncertainty}
		compareEach(s, got, []float64{c.Reliability, c.Resolution, c.Uncertainty, c.Brier})
	})},
	{"trend", one(compareTrend)},
	{"mannKendall", each(func(c struct {
		X []float64
		S int
		P float64
	}, s *Section) {
		sum, p := stats.MannKendall(c.X)
		s.compare(float64(sum), float64(c.S))
		s.compare(p, c.P)
	})},
	{"theilSenAt", each(func(c struct {
		X, Y  []float64
		Slope float64
	}, s *Section) {
		s.compare(stats.TheilSenAt(c.X, c.Y), c.Slope)
	})},
	{"order", each(func(c struct {
		X, Sorted, P, Q    []float64
		Median, MAD, At, Z float64
	}, s *Section) {
		s.compare(stats.Median(c.X), c.Median)
		s.compare(stats.MedianAbsoluteDeviation(c.X), c.MAD)
		s.compare(stats.RobustZ(c.At, c.Median, c.MAD), c.Z)
		quantiles := make([]float64, len(c.P))
		for i, p := range c.P {
			quantiles[i] = stats.Quantile(c.Sorted, p)
		}
		compareEach(s, quantiles, c.Q)
	})},
	{"burstiness", each(func(c struct {
		Intervals []float64
		B         float64
	}, s *Section) {
		s.compare(stats.Burstiness(c.Intervals), c.B)
	})},
	{"benford", each(func(c struct {
		D int
		P float64
	}, s *Section) {
		s.compare(stats.BenfordProbability(c.D), c.P)
	})},
	{"benfordChiSquare", each(func(c struct {
		Values       []float64
		Statistic, P float64
	}, s *Section) {
		statistic, p, _ := stats.BenfordChiSquare(c.Values)
		s.compare(statistic, c.Statistic)
		s.compare(p, c.P)
	})},
	{"normal", each(func(c struct{ P, Z float64 }, s *Section) {
		s.compare(stats.NormalQuantile(c.P), c.Z)
		s.compare(stats.NormalCDF(c.Z), c.P)
	})},
}

func compareDeflated(c struct {
	N                               int `json:"n"`
	Trials                          int `json:"N"`
	SR, SR0, Skew, Kurt, VarSR, DSR float64
}, s *Section) {
	m := stats.Moments{N: c.N, Mean: c.SR, SD: 1, Skew: c.Skew, Kurtosis: c.Kurt}
	benchmark, probability := stats.DeflatedSharpe(m, c.Trials, c.VarSR)
	s.compare(benchmark, c.SR0)
	s.compare(probability, c.DSR)
}

func compareTrend(c struct {
	X        []float64
	TheilSen float64
	S        int
}, s *Section) {
	s.compare(stats.TheilSen(c.X), c.TheilSen)
	sum, _ := stats.MannKendall(c.X)
	s.compare(float64(sum), float64(c.S))
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
