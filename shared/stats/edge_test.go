package stats_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

var (
	nan = math.NaN()
	inf = math.Inf(1)
)

func same(got, want float64) bool {
	return got == want || math.IsNaN(got) && math.IsNaN(want) || math.Abs(got-want) <= 1e-12
}

// first keeps the first of two results.
func first[T any](value float64, _ T) float64 { return value }

func second[T any](_ T, value float64) float64 { return value }

func TestDegenerateAndImpossibleInput(t *testing.T) {
	beta := stats.Beta{A: 2, B: 3}
	wide := make([]int, 199)
	for i := range wide {
		wide[i] = 10
	}
	half := func(n []int) []int {
		k := make([]int, len(n))
		for i, v := range n {
			k[i] = v * (i % 2)
		}
		return k
	}
	known := func(_ stats.Beta, ok bool) float64 {
		if ok {
			return 1
		}
		return 0
	}
	for name, c := range map[string]struct{ got, want float64 }{
		"Wilson, no trials, low":                 {first(stats.Wilson(0, 0, 1.96)), 0},
		"Wilson, no trials, high":                {second(stats.Wilson(0, 0, 1.96)), 1},
		"Wilson, none of 3, low":                 {first(stats.Wilson(0, 3, 1.959963984540054)), 0},
		"Wilson, all of 3, low":                  {first(stats.Wilson(3, 3, 1.959963984540054)), 0.4385029682449546},
		"Wilson, all of 3, high":                 {second(stats.Wilson(3, 3, 1.959963984540054)), 1},
		"Wilson, 4 of 3":                         {first(stats.Wilson(4, 3, 1.96)), nan},
		"Wilson, -1 of 3":                        {second(stats.Wilson(-1, 3, 1.96)), nan},
		"Wilson of a rate, 0.9 of 3, low":        {first(stats.WilsonRate(0.9, 3, 1.959963984540054)), 0.3576286908085745},
		"Wilson of a rate, 0.9 of 3, high":       {second(stats.WilsonRate(0.9, 3, 1.959963984540054)), 0.9931736837873890},
		"Wilson of a rate, 4 of 10, low":         {first(stats.WilsonRate(0.4, 10, 1.96)), first(stats.Wilson(4, 10, 1.96))},
		"Wilson of a rate, z 0":                  {first(stats.WilsonRate(0.3, 7, 0)), 0.3},
		"Wilson of a rate, none":                 {second(stats.WilsonRate(0.3, 0, 1.96)), 1},
		"Wilson of a rate, below 0":              {first(stats.WilsonRate(-0.1, 3, 1.96)), nan},
		"Wilson of a rate, above 1":              {first(stats.WilsonRate(1.1, 3, 1.96)), nan},
		"Wilson of a rate, NaN":                  {first(stats.WilsonRate(nan, 3, 1.96)), nan},
		"Wilson of a rate, negative trials":      {first(stats.WilsonRate(0.5, -3, 1.96)), nan},
		"Wilson, z NaN":                          {first(stats.Wilson(1, 3, nan)), nan},
		"normal quantile at 0":                   {stats.NormalQuantile(0), -inf},
		"normal quantile at 1":                   {stats.NormalQuantile(1), inf},
		"normal quantile outside":                {stats.NormalQuantile(1.1), nan},
		"normal quantile of NaN":                 {stats.NormalQuantile(nan), nan},
		"Beta without shape":                     {stats.Beta{}.Mean(), nan},
		"Beta CDF below":                         {beta.CDF(-1), 0},
		"Beta CDF above":                         {beta.CDF(2), 1},
		"Beta CDF of NaN":                        {beta.CDF(nan), nan},
		"Beta quantile at 0":                     {beta.Quantile(0), 0},
		"Beta quantile at 1":                     {beta.Quantile(1), 1},
		"Beta quantile outside":                  {beta.Quantile(-0.1), nan},
		"posterior of the impossible":            {beta.Posterior(3, 2).Mean(), nan},
		"BetaGreater with itself":                {stats.BetaGreater(beta, beta), 0.5},
		"BetaGreater without shape":              {stats.BetaGreater(beta, stats.Beta{A: -1, B: 1}), nan},
		"BetaGreater, shape near 0":              {stats.BetaGreater(beta, stats.Beta{A: 1e-9, B: 1}), nan},
		"prior of 199 wallets":                   {known(stats.EmpiricalBayesPrior(half(wide), wide)), 0},
		"prior of 200 wallets":                   {known(stats.EmpiricalBayesPrior(half(append(wide, 10)), append(wide, 10))), 1},
		"prior of 199 and an idle one":           {known(stats.EmpiricalBayesPrior(half(append(wide, 0)), append(wide, 0))), 0},
		"prior, all won":                         {known(stats.EmpiricalBayesPrior(append(wide, 10), append(wide, 10))), 0},
		"prior, lengths differ":                  {known(stats.EmpiricalBayesPrior(wide, append(wide, 10))), 0},
		"effective size of nothing":              {stats.EffectiveSize(nil, 0.3), 0},
		"effective size, rho 2":                  {stats.EffectiveSize([]int{1}, 2), nan},
		"effective size, negative":               {stats.EffectiveSize([]int{-1}, 0.3), nan},
		"Kish of nothing":                        {stats.KishSize(nil), 0},
		"Kish, tiny weights":                     {stats.KishSize([]float64{1e-200, 1e-200}), 2},
		"Kish, huge weights":                     {stats.KishSize([]float64{1e300, 1e300}), 2},
		"Herfindahl of zeros":                    {stats.Herfindahl([]float64{0, 0}), 0},
		"Herfindahl, negative weight":            {stats.Herfindahl([]float64{1, -1}), nan},
		"PSR of nothing":                         {stats.ProbabilisticSharpe(stats.Describe(nil), 0), 0.5},
		"PSR of one":                             {stats.ProbabilisticSharpe(stats.Describe([]float64{1}), 0), 0.5},
		"PSR of equals":                          {stats.ProbabilisticSharpe(stats.Describe([]float64{0.1, 0.1, 0.1}), 0), 0.5},
		"PSR of NaN":                             {stats.ProbabilisticSharpe(stats.Describe([]float64{nan, 1, 2}), 0), nan},
		"PSR with a loss, of nothing":            {stats.ProbabilisticSharpeWithLoss(nil), 0.5},
		"PSR with a loss, of losses":             {stats.ProbabilisticSharpeWithLoss([]float64{-1, -1}), 0.5},
		"PSR with a loss, of NaN":                {stats.ProbabilisticSharpeWithLoss([]float64{nan}), nan},
		"equals have no deviation":               {stats.Describe([]float64{0.1, 0.1, 0.1}).SD, 0},
		"equals have their own mean":             {stats.Describe([]float64{0.1, 0.1, 0.1}).Mean, 0.1},
		"MinTRL of a loser":                      {stats.MinimumTrackRecord(-0.1, 0, 3, 0.95), inf},
		"MinTRL of NaN":                          {stats.MinimumTrackRecord(nan, 0, 3, 0.95), nan},
		"MinTRL, certainty":                      {stats.MinimumTrackRecord(1, 0, 3, 1), nan},
		"maximum of one":                         {stats.ExpectedMaximumNormal(1), 0},
		"maximum of none":                        {stats.ExpectedMaximumNormal(0), nan},
		"DSR, negative variance":                 {second(stats.DeflatedSharpe(stats.Moments{N: 5, Mean: 1, SD: 1}, 5, -1)), nan},
		"BH of an impossible p":                  {stats.BenjaminiHochberg([]float64{0.1, 1.5})[0], nan},
		"binomial, at least none":                {stats.BinomialTail(0, 5, 0.3), 1},
		"binomial, more than all":                {stats.BinomialTail(6, 5, 0.3), 0},
		"binomial, sure":                         {stats.BinomialTail(5, 5, 1), 1},
		"binomial, impossible rate":              {stats.BinomialTail(1, 5, -0.1), nan},
		"beta-binomial, at least none":           {stats.BetaBinomialTail(0, 5, stats.Beta{A: 1, B: 1}), 1},
		"beta-binomial, more than all":           {stats.BetaBinomialTail(6, 5, stats.Beta{A: 1, B: 1}), 0},
		"beta-binomial, fewer than no trials":    {stats.BetaBinomialTail(0, -1, stats.Beta{A: 1, B: 1}), nan},
		"beta-binomial, no belief":               {stats.BetaBinomialTail(1, 5, stats.Beta{}), nan},
		"beta-binomial, all of two":              {stats.BetaBinomialTail(2, 2, stats.Beta{A: 3, B: 97}), 3.0 / 100 * 4 / 101},
		"hypergeometric, 3 of 2":                 {stats.HypergeometricTail(1, 5, 6, 2), nan},
		"hypergeometric, forced":                 {stats.HypergeometricTail(1, 5, 4, 2), 1},
		"Poisson binomial of nothing":            {stats.PoissonBinomialTail(0, nil), 1},
		"Poisson binomial, NaN":                  {stats.PoissonBinomialTail(1, []float64{nan}), nan},
		"Theil-Sen of one":                       {stats.TheilSen([]float64{1}), nan},
		"Theil-Sen of NaN":                       {stats.TheilSen([]float64{1, nan, 3}), nan},
		"Theil-Sen at one place":                 {stats.TheilSenAt([]float64{1, 1}, []float64{1, 2}), nan},
		"Theil-Sen, lengths differ":              {stats.TheilSenAt([]float64{1}, []float64{1, 2}), nan},
		"median of nothing":                      {stats.Median(nil), nan},
		"median with NaN":                        {stats.Median([]float64{1, nan}), nan},
		"median deviation of one":                {stats.MedianAbsoluteDeviation([]float64{7}), 0},
		"quantile of nothing":                    {stats.Quantile(nil, 0.5), nan},
		"quantile outside":                       {stats.Quantile([]float64{1}, 1.5), nan},
		"robust z at the median":                 {stats.RobustZ(3, 3, 0), 0},
		"robust z without spread":                {stats.RobustZ(4, 3, 0), nan},
		"drawdown of nothing":                    {stats.MaximumDrawdown(nil, 1), 0},
		"drawdown, everything":                   {stats.MaximumDrawdown([]float64{0.5, -1, 2}, 1), 1},
		"drawdown, more than everything":         {stats.MaximumDrawdown([]float64{-5, -5}, 1), 1},
		"drawdown, NaN":                          {stats.MaximumDrawdown([]float64{nan}, 1), nan},
		"burstiness of a clock":                  {stats.Burstiness([]float64{5, 5, 5}), -1},
		"burstiness of one":                      {stats.Burstiness([]float64{5}), nan},
		"burstiness of no time":                  {stats.Burstiness([]float64{0, 0}), nan},
		"burstiness, negative":                   {stats.Burstiness([]float64{-1, 1}), nan},
		"Benford, no digit 0":                    {stats.BenfordProbability(0), 0},
		"Brier of nothing":                       {stats.BrierScore(nil, nil), nan},
		"Brier, lengths differ":                  {stats.BrierScore([]float64{0.5}, nil), nan},
		"Brier, forecast 2":                      {stats.BrierScore([]float64{2}, []bool{true}), nan},
		"skill without variety":                  {stats.BrierSkill([]float64{0.5}, []bool{true}), nan},
		"calibration of nothing":                 {stats.ExpectedCalibrationError(nil), nan},
		"martingale of nothing":                  {stats.TestMartingale(nil, 0.3), 1},
		"martingale, p0 0":                       {stats.TestMartingale(nil, 0), nan},
		"Kelly of nothing":                       {stats.Kelly(nil), 0},
		"Kelly of winners":                       {stats.Kelly([]float64{0.1, 0.2}), 1},
		"Kelly of losers":                        {stats.Kelly([]float64{0.1, -0.2}), 0},
		"Kelly of NaN":                           {stats.Kelly([]float64{nan}), nan},
		"Kelly beyond ruin stays below it":       {math.Floor(stats.Kelly([]float64{10, -2}) * 2), 0},
		"Kelly, losses beyond the stake":         {stats.Kelly([]float64{4, -1.5}), 2.5 / 12},
		"PSR, vanishing variance":                {stats.ProbabilisticSharpe(stats.Moments{N: 10, Mean: 2, SD: 1, Skew: 1, Kurtosis: 1}, 0), 0.5},
		"bound, half the resamples constant":     {stats.BootstrapTLowerBound([]float64{0, 1}, 0.8, 1000, 1), -inf},
		"drawdown after a rise past all numbers": {stats.MaximumDrawdown(append(slices.Repeat([]float64{10}, 400), -0.5), 1), 0.5},
		"Kelly shrink of a loser":                {stats.KellyShrink(-1, 0.1), 0},
		"Kelly shrink, certain":                  {stats.KellyShrink(1, 0), 1},
		"Kelly shrink, unknown":                  {stats.KellyShrink(1, inf), 0},
		"bound of nothing":                       {stats.BootstrapTLowerBound(nil, 0.8, 100, 1), -inf},
		"bound of one":                           {stats.BootstrapTLowerBound([]float64{1}, 0.8, 100, 1), -inf},
		"bound of equals":                        {stats.BootstrapTLowerBound([]float64{0.1, 0.1, 0.1}, 0.8, 100, 1), 0.1},
		"bound of NaN":                           {stats.BootstrapTLowerBound([]float64{1, nan}, 0.8, 100, 1), nan},
		"bound of infinity":                      {stats.BootstrapTLowerBound([]float64{1, inf}, 0.8, 100, 1), nan},
		"bound, level 1":                         {stats.BootstrapTLowerBound([]float64{1, 2}, 1, 100, 1), nan},
		"bound, no rounds":                       {stats.BootstrapTLowerBound([]float64{1, 2}, 0.8, 0, 1), nan},
		"difference, one value":                  {stats.BootstrapMeanDifferencePValue([]float64{9}, []float64{1, 2}, 100, 1), 1},
		"difference, NaN":                        {stats.BootstrapMeanDifferencePValue([]float64{9, nan}, []float64{1, 2}, 100, 1), nan},
		"difference, equal constants":            {stats.BootstrapMeanDifferencePValue([]float64{1, 1}, []float64{1, 1}, 99, 1), 1},
		"difference, smallest p":                 {stats.BootstrapMeanDifferencePValue([]float64{9, 9}, []float64{1, 1}, 99, 1), 0.01},
		"clusters, one":                          {first(stats.ClusterBootstrapMean([]float64{1, 2}, []int{4, 4}, 0.9, 99, 1)), -inf},
		"clusters, lengths differ":               {first(stats.ClusterBootstrapMean([]float64{1, 2}, []int{4}, 0.9, 99, 1)), nan},
		"clusters, equals":                       {second(stats.ClusterBootstrapMean([]float64{2, 2, 2}, []int{1, 2, 3}, 0.9, 99, 1)), 2},
		"Mann-Kendall of equals":                 {second(stats.MannKendall([]float64{1, 1, 1})), 1},
		"Mann-Kendall of NaN":                    {second(stats.MannKendall([]float64{1, nan})), nan},
	} {
		if !same(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

func TestPublishedExamples(t *testing.T) {
	at := func(sharpe, skew, kurtosis float64) stats.Moments {
		return stats.Moments{N: 24, Mean: sharpe, SD: 1, Skew: skew, Kurtosis: kurtosis}
	}
	_, deflated := stats.DeflatedSharpe(
		stats.Moments{N: 1250, Mean: 2.5 / math.Sqrt(250), SD: 1, Skew: -3, Kurtosis: 10}, 100, 0.5/250)
	for name, c := range map[string]struct{ got, printed, digit float64 }{
		"PSR, normal returns (Bailey & Lopez de Prado 2012)":  {stats.ProbabilisticSharpe(at(0.458, 0, 3), 0), 0.982, 0.001},
		"PSR, skewed returns (2012)":                          {stats.ProbabilisticSharpe(at(0.458, -2.448, 10.164), 0), 0.913, 0.001},
		"MinTRL in years (2012)":                              {stats.MinimumTrackRecord(0.7079, -0.2250, 2.9570, 0.95) / 12, 0.7152, 0.0001},
		"MinTRL in years, skewed (2012)":                      {stats.MinimumTrackRecord(0.8183, -1.4455, 7.0497, 0.95) / 12, 1.1593, 0.0001},
		"DSR (Bailey & Lopez de Prado 2014)":                  {deflated, 0.9004, 0.0001},
		"Kelly of an even bet won two times in three (1956)":  {stats.Kelly([]float64{1, -1, 1}), 1.0 / 3, 1e-12},
		"three early hits of fifty at a base rate of 5 %":     {stats.BinomialTail(3, 50, 0.05), 0.459, 0.001},
		"P(a die thrown 4 times shows a six): 1 - (5/6)^4":    {stats.BinomialTail(1, 4, 1.0/6), 1 - 625.0/1296, 1e-12},
		"a poker hand with at least three aces: 4560+48 ways": {stats.HypergeometricTail(3, 52, 4, 5), (4512.0 + 48) / 2598960, 1e-12},
	} {
		if math.Abs(c.got-c.printed) > c.digit/2+1e-15 {
			t.Errorf("%s: %v, printed %v", name, c.got, c.printed)
		}
	}
}

// The first digit is that of the shortest decimal form, whatever the magnitude.
func TestFirstDigitIsTheOneThatIsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.OneOf(
			rapid.Float64Range(5e-324, math.MaxFloat64),
			rapid.Custom(func(t *rapid.T) float64 {
				return float64(rapid.IntRange(1, 999).Draw(t, "n")) * math.Pow10(rapid.IntRange(-12, 12).Draw(t, "e"))
			}),
		).Draw(t, "v")
		// Of one value, the statistic tells the digit: it is 1/p - 1.
		digit := int(strconv.FormatFloat(v, 'e', -1, 64)[0] - '0')
		got, _, _ := stats.BenfordChiSquare([]float64{v})
		if want := 1/stats.BenfordProbability(digit) - 1; math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v: statistic %v, want %v for a leading %d", v, got, want, digit)
		}
	})
}
