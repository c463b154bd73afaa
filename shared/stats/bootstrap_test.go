package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// population draws returns of one kind of trader.
type population struct {
	name string
	draw func(*rand.Rand) float64
}

var (
	swing   = population{"swing", func(r *rand.Rand) float64 { return math.Exp(0.25*r.NormFloat64()) - 1 }}
	lottery = population{"lottery", func(r *rand.Rand) float64 { return min(3, math.Exp(r.NormFloat64()-0.5)-1) }}
	degen   = population{"degen", func(r *rand.Rand) float64 {
		if r.Float64() < 0.15 {
			return -1
		}
		return min(3, math.Exp(1.4*r.NormFloat64()-0.98)/0.85-1)
	}}
	jackpot = population{"jackpot", func(r *rand.Rand) float64 {
		if r.Float64() < 0.03 {
			return 3
		}
		return -0.1 + 0.05*r.NormFloat64()
	}}
	uncapped  = population{"uncapped lottery", func(r *rand.Rand) float64 { return math.Exp(1.4*r.NormFloat64()-0.98) - 1 }}
	lossHider = population{"loss hider", func(r *rand.Rand) float64 {
		if r.Float64() < 0.1 {
			return -min(1, 0.9*math.Exp(0.3*r.NormFloat64()))
		}
		return 0.1 * math.Exp(0.5*r.NormFloat64())
	}}
	twoValued = population{"two-valued loss hider", func(r *rand.Rand) float64 {
		if r.Float64() < 0.1 {
			return -0.9
		}
		return 0.1
	}}
)

func (p population) sample(n int, seed uint64) []float64 {
	random := rand.New(rand.NewPCG(seed, 99))
	x := make([]float64, n)
	for i := range x {
		x[i] = p.draw(random)
	}
	return x
}

// The expansion takes over at expansionFrom. There, and above, it must differ from 8,000 drawn rounds by less than the noise that
// 2,000 rounds have: 0.1 standard errors is about three of their standard deviations, which is 0.03.
func TestTheExpansionIsTheBootstrap(t *testing.T) {
	const rounds, bound = 8_000, 0.1
	for _, level := range []float64{0.80, 0.95} {
		for _, p := range []population{swing, lottery, degen, jackpot, uncapped, lossHider} {
			for _, n := range []int{expansionFrom, 200} {
				used := 0
				for seed := range uint64(4) {
					x := p.sample(n, seed)
					m := Describe(x)
					got, known := studentisedQuantile(x, m, level)
					if !known {
						continue
					}
					used++
					if want := bootstrapTQuantile(x, m, level, rounds, seed); math.Abs(got-want) > bound {
						t.Errorf("%s, n %d, level %v, seed %d: %v standard errors, drawn %v", p.name, n, level, seed, got, want)
					}
				}
				if used == 0 && p.name != jackpot.name && p.name != lossHider.name {
					t.Errorf("%s, n %d: the expansion was never used", p.name, n)
				}
			}
		}
	}
}

// With two values the quantile is exact: at most the level lies below it, and at least the level up to it, give or take the draws.
func TestTwoValuesFollowTheBinomial(t *testing.T) {
	const rounds, noise = 8_000, 0.02
	for seed := range uint64(8) {
		for _, level := range []float64{0.2, 0.80, 0.95} {
			x := twoValued.sample(expansionFrom+int(seed)*20, seed)
			m := Describe(x)
			got, known := twoValuedQuantile(x, m, level)
			low := bootstrapTQuantile(x, m, level-noise, rounds, seed)
			high := bootstrapTQuantile(x, m, level+noise, rounds, seed)
			if !known || got < low-1e-9 || got > high+1e-9 {
				t.Errorf("seed %d, level %v: %v (%t), drawn between %v and %v", seed, level, got, known, low, high)
			}
		}
	}
	if q, known := twoValuedQuantile([]float64{1, 2, 1, 3}, Moments{N: 4}, 0.8); known {
		t.Errorf("three values gave %v", q)
	}
}

func TestSkewBeyondTheExpansionIsDrawn(t *testing.T) {
	hider := slices.Repeat([]float64{0.03, 0.02, 0.04}, 50)
	hider[7] = -1
	for name, x := range map[string][]float64{"one great loss": hider, "few values": lottery.sample(expansionFrom-1, 1)} {
		if q, known := studentisedQuantile(x, Describe(x), 0.8); known {
			t.Errorf("%s: the expansion gave %v", name, q)
		}
	}
	// Whatever the skew, no sample is drawn value by value from some size on.
	large := slices.Repeat(hider, expansionAlways/len(hider)+1)
	if _, known := studentisedQuantile(large, Describe(large), 0.8); !known {
		t.Error("a large sample was drawn")
	}
}

func TestTheTransformationIsMonotoneAndContinuous(t *testing.T) {
	for _, s := range []float64{-1, -0.3, -1e-5, -1e-7, 0, 1e-7, 1e-5, 0.3, 1} {
		before := math.Inf(-1)
		for z := -4.0; z <= 4; z += 0.01 {
			q := hallQuantile(s, z)
			if !(q > before) {
				t.Fatalf("skew %v: %v at %v is not above %v", s, q, z, before)
			}
			before = q
			// Hall's transformation itself leads back.
			if back := q + s*q*q/3 + s*s*q*q*q/27 + s/6; math.Abs(back-z) > 1e-9 {
				t.Fatalf("skew %v: %v became %v and back %v", s, z, q, back)
			}
		}
	}
}

func TestBoundMovesWithTheSample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 150).Draw(t, "n")
		seed := rapid.Uint64().Draw(t, "seed")
		x := rapid.SampledFrom([]population{swing, lottery, lossHider}).Draw(t, "population").sample(n, seed)
		shift, scale := rapid.Float64Range(-2, 2).Draw(t, "shift"), rapid.Float64Range(0.1, 10).Draw(t, "scale")
		moved := make([]float64, n)
		for i, v := range x {
			moved[i] = shift + scale*v
		}
		given := slices.Clone(x)
		bound := BootstrapTLowerBound(x, 0.8, 200, seed)
		want := shift + scale*bound
		if got := BootstrapTLowerBound(moved, 0.8, 200, seed); got != want && !(math.Abs(got-want) < 1e-6*(1+math.Abs(want))) {
			t.Fatalf("bound %v, of the moved sample %v, want %v", bound, got, want)
		}
		if stricter := BootstrapTLowerBound(x, 0.95, 200, seed); stricter > bound {
			t.Fatalf("bound %v at 0.80, %v at 0.95", bound, stricter)
		}
		if again := BootstrapTLowerBound(x, 0.8, 200, seed); again != bound {
			t.Fatalf("bound %v, then %v", bound, again)
		}
		if !slices.Equal(x, given) {
			t.Fatal("the argument was changed")
		}
	})
}

// The draws are part of the answer: an answer given today must be given again tomorrow, on every machine.
func TestDrawsAreFixed(t *testing.T) {
	x := []float64{0.35, -0.42, 0.8, -0.15, 1.9, -0.6, 0.22, -0.05, -0.33, 0.47, 0.12, -0.7}
	seed := Seed([]byte("a wallet"), []byte("a purpose"))
	low, high := ClusterBootstrapMean(x, []int{1, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 8}, 0.9, 500, seed)
	for name, c := range map[string]struct{ got, want string }{
		"seed":         {fmt.Sprintf("%016x", seed), "ad63ba441c4cba65"},
		"bound":        {fmt.Sprint(BootstrapTLowerBound(x, 0.8, 2000, seed)), "-0.02845860656952104"},
		"p-value":      {fmt.Sprint(BootstrapMeanDifferencePValue(x[3:5], x, 2000, seed)), "0.2538730634682659"},
		"cluster low":  {fmt.Sprint(low), "-0.16654122463687537"},
		"cluster high": {fmt.Sprint(high), "0.7724989711293493"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", name, c.got, c.want)
		}
	}
}

func TestSeedsKeepPartsApart(t *testing.T) {
	seen := map[uint64]string{}
	for name, parts := range map[string][][]byte{
		"nothing": nil, "empty part": {{}}, "ab c": {[]byte("ab"), []byte("c")}, "a bc": {[]byte("a"), []byte("bc")}, "abc": {[]byte("abc")},
	} {
		seed := Seed(parts...)
		if other, taken := seen[seed]; taken {
			t.Errorf("%q and %q have one seed", name, other)
		}
		seen[seed] = name
	}
}

// A resample is n independent uniform draws: its sum has the sample's own variance times n, and every value comes up alike.
func TestResamplesAreUniform(t *testing.T) {
	for _, n := range []int{3, 40, 99, 101, 300} {
		x := make([]float64, n)
		x[n-1] = float64(n) // the others 0: the sum counts how often the last one was drawn
		r := newResampler(x, 0)
		source := generator(uint64(n))
		const rounds = 3000
		sum, squares := 0.0, 0.0
		for range rounds {
			total, _ := r.sums(source)
			count := total / float64(n)
			sum += count
			squares += count * count
		}
		average := sum / rounds
		spread := squares/rounds - average*average
		// Binomial: mean 1, variance 1-1/n; five standard errors.
		if math.Abs(average-1) > 5/math.Sqrt(rounds) || math.Abs(spread-(1-1/float64(n))) > 5*math.Sqrt(3.0/rounds) {
			t.Errorf("n %d: the last value came up %v times on average, with variance %v", n, average, spread)
		}
	}
}

func TestIndicesSpreadOverLargeTables(t *testing.T) {
	for _, n := range []int{tripleIndexUpTo, tripleIndexUpTo + 1, 1_000_000} {
		table := make([]drawn, n)
		for i := range table {
			at := float64(i) / float64(n-1)
			table[i] = drawn{at, at * at}
		}
		const draws = 30_001
		sum, squares := sumDraws(table, draws, generator(4))
		// A uniform place between 0 and 1: mean 1/2, mean square 1/3; five standard errors.
		if math.Abs(sum/draws-0.5) > 5*math.Sqrt(1.0/12/draws) || math.Abs(squares/draws-1.0/3) > 5*math.Sqrt(4.0/45/draws) {
			t.Errorf("table of %d: mean %v, mean square %v", n, sum/draws, squares/draws)
		}
	}
}

func TestDifferenceOfEqualsIsUniform(t *testing.T) {
	for _, c := range []struct {
		population    population
		segment, rest int
	}{{swing, 20, 60}, {lottery, 20, 200}, {lottery, 150, 150}} {
		const trials = 1000
		rejected := 0
		for i := range uint64(trials) {
			if BootstrapMeanDifferencePValue(c.population.sample(c.segment, 2*i), c.population.sample(c.rest, 2*i+1), 199, i) <= 0.1 {
				rejected++
			}
		}
		// One in ten, give or take: the standard deviation is 0.95 %.
		if share := float64(rejected) / trials; share < 0.06 || share > 0.14 {
			t.Errorf("%s, %d and %d: %v of equal pairs differ at the level 0.1", c.population.name, c.segment, c.rest, share)
		}
	}
}

// A large sample is not drawn value by value. Its p-value must be that of the draws.
func TestALargeSideIsTheBootstrap(t *testing.T) {
	const rounds = 8000
	for _, p := range []population{swing, lottery, degen, lossHider} {
		for seed, segments := range []int{12, 40, 100, 100} {
			seed := uint64(seed)
			segment, rest := p.sample(segments, seed+50), swing.sample(100, seed)
			a, b := Describe(segment), Describe(rest)
			// Any difference will do; this one lies where p-values decide.
			observed := 1.4
			shift := observed*math.Sqrt(a.SD*a.SD/float64(a.N)+b.SD*b.SD/float64(b.N)) - (a.Mean - b.Mean)
			for i := range segment {
				segment[i] += shift
			}
			drawnA, drawnB, source := newResampler(segment, a.Mean+shift), newResampler(rest, b.Mean), generator(seed)
			reached := 0
			for range rounds {
				meanA, errorA := drawnA.meanAndVariance(source)
				meanB, errorB := drawnB.meanAndVariance(source)
				if welch(meanA-meanB, errorA+errorB) >= observed {
					reached++
				}
			}
			want := float64(reached+1) / float64(rounds+1)
			if got := BootstrapMeanDifferencePValue(segment, rest, rounds, seed); math.Abs(got-want) > 0.02 {
				t.Errorf("%s, %d and 100: p %v, drawn %v", p.name, segments, got, want)
			}
		}
	}
}

func TestAPlantedDifferenceIsFound(t *testing.T) {
	segment := lottery.sample(60, 1)
	for i := range segment {
		segment[i] += 2
	}
	rest := lottery.sample(200, 2)
	if p := BootstrapMeanDifferencePValue(segment, rest, 999, 3); p > 0.01 {
		t.Errorf("p %v", p)
	}
	if p := BootstrapMeanDifferencePValue(rest, segment, 999, 3); p < 0.99 {
		t.Errorf("the other way round: p %v", p)
	}
}

// Copies of a value within its cluster are no news: the interval must not narrow as it does for independent values.
func TestClustersCountOnce(t *testing.T) {
	x := swing.sample(40, 8)
	var copies []float64
	var ofCopies, ofOnes []int
	for i, v := range x {
		ofOnes = append(ofOnes, -i)
		for range 5 {
			copies, ofCopies = append(copies, v), append(ofCopies, i*1000)
		}
	}
	low, high := ClusterBootstrapMean(x, ofOnes, 0.9, 400, 5)
	copiedLow, copiedHigh := ClusterBootstrapMean(copies, ofCopies, 0.9, 400, 5)
	if math.Abs(low-copiedLow) > 1e-12 || math.Abs(high-copiedHigh) > 1e-12 {
		t.Errorf("%v to %v, with copies %v to %v", low, high, copiedLow, copiedHigh)
	}
	if mean := mean(x); !(low < mean && mean < high) {
		t.Errorf("%v to %v is not about the mean %v", low, high, mean)
	}
}

func BenchmarkBootstrapTLowerBound(b *testing.B) {
	for _, n := range []int{10, 50, 99, 200, 500, 5_000, 500_000} {
		x := lottery.sample(n, 1)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				BootstrapTLowerBound(x, 0.8, 2000, 1)
			}
		})
	}
}

func BenchmarkProbabilisticSharpeWithLoss(b *testing.B) {
	for _, n := range []int{50, 500, 500_000} {
		x := lottery.sample(n, 1)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ProbabilisticSharpeWithLoss(x)
			}
		})
	}
}

func BenchmarkBootstrapMeanDifferencePValue(b *testing.B) {
	segment, rest := lottery.sample(30, 1), lottery.sample(500, 2)
	for b.Loop() {
		BootstrapMeanDifferencePValue(segment, rest, 2000, 1)
	}
}

func BenchmarkClusterBootstrapMean(b *testing.B) {
	x := lottery.sample(500, 1)
	cluster := make([]int, len(x))
	for i := range cluster {
		cluster[i] = i / 5
	}
	for b.Loop() {
		ClusterBootstrapMean(x, cluster, 0.9, 2000, 1)
	}
}
