package trader

import (
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

const (
	// automationMinimum is the number of transactions below which nothing is said about automation.
	automationMinimum = 30
	// sleepHours is the shortest nightly pause of a person.
	sleepHours = 5
	// quietShare is the part of trades that may fall into a pause.
	quietShare = 0.02
	// sameSizeTolerance is how close two sizes must be to be one.
	sameSizeTolerance = 0.001
)

// automation weighs signs that a program trades. Even trained classifiers tell programs from people in only about five cases
// of six (Niedermayer, Saggese & Haslhofer 2024), so two signs make it likely and one possible.
func automation(trades []position.Trade) Automation {
	a := Automation{Verdict: AutomationUnlikely}
	var hours [24]int
	gaps, sizes := make([]float64, 0, len(trades)), make([]float64, 0, len(trades))
	days, today := 0, int64(math.MinInt64)
	var last *position.Trade
	for i := range trades {
		t := &trades[i]
		if t.Side == position.Buy && t.Priced && t.ValueUSD > 0 {
			sizes = append(sizes, t.ValueUSD)
		}
		if last != nil && t.Tx == last.Tx && t.Time.Equal(last.Time) {
			continue // the other half of a swap, or a split order
		}
		a.Trades++
		hours[t.Time.UTC().Hour()]++
		if date := t.Time.Unix() / int64(day/time.Second); date != today {
			days, today = days+1, date
		}
		if last != nil {
			gaps = append(gaps, t.Time.Sub(last.Time).Seconds())
		}
		last = t
	}
	if a.Trades < automationMinimum {
		return a
	}
	a.QuietHours = quietHours(&hours, a.Trades)
	gapMoments := stats.Describe(gaps)
	if gapMoments.Mean > 0 {
		a.GapVariation = gapMoments.SD / gapMoments.Mean
	}
	a.MedianGap = time.Duration(stats.Median(gaps) * float64(time.Second))
	a.SameSizeShare = sameSizeShare(sizes)
	a.TradesPerActiveDay = float64(a.Trades) / float64(days)
	signs := 0
	if a.QuietHours < sleepHours && a.Trades >= 100 && days >= 5 {
		signs++
	}
	if a.MedianGap < time.Minute {
		signs++
	}
	if a.GapVariation < 0.3 {
		signs += 2
	}
	if a.SameSizeShare >= 0.5 && len(sizes) >= automationMinimum {
		signs++
	}
	switch {
	case a.TradesPerActiveDay >= 500:
		signs += 2
	case a.TradesPerActiveDay >= 100:
		signs++
	}
	switch {
	case signs >= 2:
		a.Verdict = AutomationLikely
	case signs == 1:
		a.Verdict = AutomationPossible
	}
	return a
}

// quietHours is the longest stretch of hours around the clock in which next to nothing happens.
func quietHours(hours *[24]int, total int) int {
	allowed := int(quietShare * float64(total))
	longest := 0
	for start := range hours {
		count := 0
		for length := 1; length <= len(hours); length++ {
			if count += hours[(start+length-1)%len(hours)]; count > allowed {
				break
			}
			longest = max(longest, length)
		}
	}
	return longest
}

func sameSizeShare(sizes []float64) float64 {
	if len(sizes) == 0 {
		return 0
	}
	slices.Sort(sizes)
	most, from := 0, 0
	for to := range sizes {
		for sizes[to] > sizes[from]*(1+sameSizeTolerance) {
			from++
		}
		most = max(most, to-from+1)
	}
	return float64(most) / float64(len(sizes))
}
