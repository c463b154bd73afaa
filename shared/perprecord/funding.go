package perprecord

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// Funding are an account's funding payments for the time in which all of them are known.
type Funding struct {
	// From and Until bound that time.
	From, Until time.Time
	// Truncated is true when it ends before the record does.
	Truncated bool
	payments  []market.PerpPayment
	byCoin    map[string][]running
}

// running is the sum of a coin's payments up to an instant.
type running struct {
	at  time.Time
	usd float64
}

// NewFunding takes what was paid from one instant to another. The order of payments at the same time does not matter; those outside
// are left out, and so is what is no number.
func NewFunding(read *market.PerpFunding, from, asOf time.Time) *Funding {
	f := &Funding{From: from, Until: asOf, byCoin: make(map[string][]running)}
	if read.Truncated && read.Until.Before(asOf) {
		f.Until, f.Truncated = read.Until, true
	}
	inOrder := slices.SortedStableFunc(slices.Values(read.Payments), func(a, b market.PerpPayment) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Coin, b.Coin), cmp.Compare(a.USD, b.USD))
	})
	for _, p := range inOrder {
		if p.Time.Before(from) || p.Time.After(f.Until) || !(math.Abs(p.USD) <= largestNumber) {
			continue
		}
		f.payments = append(f.payments, p)
		sums := f.byCoin[p.Coin]
		sum := p.USD
		if len(sums) > 0 {
			sum += sums[len(sums)-1].usd
		}
		f.byCoin[p.Coin] = append(sums, running{p.Time, sum})
	}
	return f
}

// ReceivedUSD is the sum of all payments, negative for what was paid.
func (f *Funding) ReceivedUSD() float64 {
	sum := 0.
	for _, p := range f.payments {
		sum += p.USD
	}
	return sum
}

// LargestValueUSD is the most that the positions of any one hour's payments were worth together, as far as their rates tell.
func (f *Funding) LargestValueUSD() float64 {
	largest, hour, value := 0., time.Time{}, 0.
	for _, p := range f.payments {
		if at := p.Time.Truncate(time.Hour); !at.Equal(hour) {
			hour, value = at, 0
		}
		if worth := math.Abs(p.USD / p.Rate); worth > 0 && !math.IsInf(worth, 0) {
			value += worth
		}
		largest = max(largest, value)
	}
	return largest
}

// between is what one coin's position received after one instant up to another; NaN where that is not known.
func (f *Funding) between(coin string, after, until time.Time) float64 {
	if f == nil || after.Before(f.From) || until.After(f.Until) {
		return math.NaN()
	}
	sums := f.byCoin[coin]
	upTo := func(at time.Time) float64 {
		n := sort.Search(len(sums), func(i int) bool { return sums[i].at.After(at) })
		if n == 0 {
			return 0
		}
		return sums[n-1].usd
	}
	return upTo(until) - upTo(after)
}
