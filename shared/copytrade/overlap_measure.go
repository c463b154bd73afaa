package copytrade

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

const (
	// nearby is how far apart two entries may be that match.
	nearby = 24 * time.Hour
	// Chance is measured by moving one side's entries this many days to and fro, so many times.
	shortestShiftDays, longestShiftDays = 3, 10
	shuffles                            = 500
	// plainSign is the probability below which a direction is plain.
	plainSign = 0.05
	// A token with fewHolders or fewer counts in full, one with manyHolders next to nothing.
	fewHolders, manyHolders = 1_000, 1_000_000
	leastRarity             = 0.05
	// leastCommonDays is how many days a correlation needs.
	leastCommonDays = 20
	// normal95 is the normal quantile of a two-sided interval at 95 %.
	normal95 = 1.959963984540054
)

// rarity is how much it says that two wallets share a token: the inverse frequency of its holders on a logarithmic scale, 1 for a token
// with few holders and leastRarity for one that everybody has. Tokens whose holders nobody counted are taken for rare ones: new ones are.
func rarity(holders int) float64 {
	if holders <= fewHolders {
		return 1
	}
	scale := math.Log(float64(manyHolders) / float64(fewHolders))
	return min(1, max(leastRarity, math.Log(manyHolders/float64(holders))/scale))
}

// likeness is how alike two sets of weighted tokens are, each 0 to 1; NaN where a set is empty.
type likeness struct {
	// shared is the sum of the smaller shares, jaccard that over the sum of the larger ones, cosine the angle's.
	shared, jaccard, cosine float64
}

// compare compares amounts by token, weighted by what it says to have the token.
func compare(a, b map[chain.Address]float64, weight func(chain.Address) float64) likeness {
	tokens := make([]chain.Address, 0, len(a)+len(b))
	for token := range a {
		tokens = append(tokens, token)
	}
	for token := range b {
		if _, both := a[token]; !both {
			tokens = append(tokens, token)
		}
	}
	slices.SortFunc(tokens, func(x, y chain.Address) int { return bytes.Compare(x[:], y[:]) }) // sums of floats depend on their order
	var totalA, totalB float64
	for _, token := range tokens {
		totalA += float64(weight(token) * a[token])
		totalB += float64(weight(token) * b[token])
	}
	if !(totalA > 0) || !(totalB > 0) {
		return likeness{math.NaN(), math.NaN(), math.NaN()}
	}
	var least, most, dot, squaresA, squaresB float64
	for _, token := range tokens {
		x, y := weight(token)*a[token]/totalA, weight(token)*b[token]/totalB
		least += min(x, y)
		most += max(x, y)
		dot += float64(x * y)
		squaresA += float64(x * x)
		squaresB += float64(y * y)
	}
	return likeness{min(1, least), least / most, min(1, dot/math.Sqrt(squaresA*squaresB))}
}

// timing is how the entries of one side lie beside those of another.
type timing struct {
	// matched is the share of entries with one of the other side nearby, expected the share by chance, excess how much of what chance
	// leaves is matched: (matched-expected)/(1-expected), 0 for less than chance. NaN without entries.
	matched, expected, excess float64
	// lags are in minutes, positive where the first side came later; in the order of its entries, NaN where none matched.
	lags []float64
	// sign is the two-sided probability of so many lags of one sign, by the sign test; 1 without any.
	sign float64
}

// matchEntries matches entries with the nearest of the other side in the same token.
func matchEntries(entries, others []entry, seed uint64) timing {
	byToken := make(map[chain.Address][]int64)
	for _, e := range others {
		byToken[e.token] = append(byToken[e.token], e.at.Unix())
	}
	for _, times := range byToken {
		slices.Sort(times)
	}
	t := timing{matched: math.NaN(), expected: math.NaN(), excess: math.NaN(), sign: 1, lags: make([]float64, len(entries))}
	if len(entries) == 0 {
		return t
	}
	hits, after, before := 0, 0, 0
	for i, e := range entries {
		lag, found := nearestLag(byToken[e.token], e.at.Unix())
		if t.lags[i] = math.NaN(); !found {
			continue
		}
		hits++
		t.lags[i] = float64(lag) / 60
		if lag > 0 {
			after++
		} else if lag < 0 {
			before++
		}
	}
	if n := after + before; n > 0 {
		t.sign = min(1, 2*stats.BinomialTail(max(after, before), n, 0.5))
	}
	n := float64(len(entries))
	t.matched, t.expected = float64(hits)/n, expectedShare(entries, byToken, seed)
	if t.excess = 0; t.expected < 1 {
		t.excess = max(0, (t.matched-t.expected)/(1-t.expected))
	}
	return t
}

// expectedShare is the share of entries that match when the other side's are moved by days.
func expectedShare(entries []entry, byToken map[chain.Address][]int64, seed uint64) float64 {
	random := rand.New(rand.NewPCG(seed, 1))
	const day = 24 * 60 * 60
	hits := 0
	for range shuffles {
		shift := int64((shortestShiftDays + random.Float64()*(longestShiftDays-shortestShiftDays)) * day)
		if random.Uint64()&1 == 0 {
			shift = -shift
		}
		for _, e := range entries {
			if _, found := nearestLag(byToken[e.token], e.at.Unix()-shift); found {
				hits++
			}
		}
	}
	return float64(hits) / float64(shuffles*len(entries))
}

// nearestLag is how many seconds after the nearest of the sorted times an instant lies; found is true within a day.
func nearestLag(times []int64, at int64) (lag int64, found bool) {
	next, _ := slices.BinarySearch(times, at)
	const limit = int64(nearby / time.Second)
	lag = limit + 1
	if next < len(times) {
		lag = at - times[next]
	}
	if next > 0 {
		if since := at - times[next-1]; since < max(lag, -lag) {
			lag = since
		}
	}
	return lag, max(lag, -lag) <= limit
}

// medianLag is the middle lag in minutes, NaN without any.
func (t *timing) medianLag() float64 {
	return stats.Median(slices.DeleteFunc(slices.Clone(t.lags), math.IsNaN))
}

// correlation is a correlation coefficient with its interval; days is 0 where it is not measured.
type correlation struct {
	value, low, high float64
	days             int
}

// correlate is the correlation of daily results on the days that both have, with the interval of Fisher's z at 95 %.
func correlate(a, b map[int64]float64) correlation {
	var x, y []float64
	for _, day := range sortedDays(a) {
		if of, both := b[day]; both {
			x, y = append(x, a[day]), append(y, of)
		}
	}
	none := correlation{value: math.NaN(), low: math.NaN(), high: math.NaN()}
	mx, my := stats.Describe(x), stats.Describe(y)
	if len(x) < leastCommonDays || mx.SD == 0 || my.SD == 0 {
		return none
	}
	covariance := 0.0
	for i := range x {
		covariance += float64((x[i] - mx.Mean) * (y[i] - my.Mean))
	}
	n := float64(len(x))
	r := min(1, max(-1, covariance/(n-1)/(mx.SD*my.SD)))
	half := normal95 / math.Sqrt(n-3)
	return correlation{r, math.Tanh(math.Atanh(r) - half), math.Tanh(math.Atanh(r) + half), len(x)}
}

func sortedDays(of map[int64]float64) []int64 {
	days := make([]int64, 0, len(of))
	for day := range of {
		days = append(days, day)
	}
	slices.Sort(days)
	return days
}

// asynchronous is the correlation of two sides' results by Hayashi & Yoshida (2005), for sides that close at different times: what was
// closed counts for the time since the close before, and every two such times that overlap add the product of their results, less each
// side's mean: two who gain do not resemble each other for that. NaN where it cannot be told.
func asynchronous(a, b []episode) float64 {
	if len(a) < leastTrades || len(b) < leastTrades {
		return math.NaN()
	}
	a, b = increments(a), increments(b)
	var varianceA, varianceB, covariance float64
	for i := range a {
		varianceA += float64(a[i].result * a[i].result)
		for j := range b {
			if a[i].from.Before(b[j].to) && b[j].from.Before(a[i].to) {
				covariance += float64(a[i].result * b[j].result)
			}
		}
	}
	for j := range b {
		varianceB += float64(b[j].result * b[j].result)
	}
	if !(varianceA > 0) || !(varianceB > 0) {
		return math.NaN()
	}
	return min(1, max(-1, covariance/math.Sqrt(varianceA*varianceB)))
}

// increments are results less their mean, each from the close before to its own. They come in order of closing.
func increments(episodes []episode) []episode {
	results := make([]float64, len(episodes))
	for i := range episodes {
		results[i] = episodes[i].result
	}
	mean := stats.Describe(results).Mean
	var all []episode
	for i, e := range episodes {
		e.result -= mean
		if n := len(all); n > 0 && !e.to.After(all[n-1].to) {
			all[n-1].result += e.result
			continue
		}
		if i > 0 {
			e.from = episodes[i-1].to
		}
		all = append(all, e)
	}
	return all
}

// varianceChange is by how much the variance of the mean daily result of all sides differs with a further one, as a fraction. Days
// without a result count as no change. NaN below leastCommonDays days, and where nothing varies.
func varianceChange(sides []*party, further *party) float64 {
	days := make(map[int64]float64)
	for _, s := range append(slices.Clone(sides), further) {
		for day := range s.daily {
			days[day] = 0
		}
	}
	if len(sides) == 0 || len(days) < leastCommonDays {
		return math.NaN()
	}
	var without, with []float64
	for _, day := range sortedDays(days) {
		sum := 0.0
		for _, s := range sides {
			sum += s.daily[day]
		}
		without = append(without, sum/float64(len(sides)))
		with = append(with, (sum+further.daily[day])/float64(len(sides)+1))
	}
	before, after := stats.Describe(without).SD, stats.Describe(with).SD
	if before == 0 {
		return math.NaN()
	}
	return after*after/(before*before) - 1
}
