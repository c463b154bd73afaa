package predictionrecord

import (
	"fmt"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// traded is a wallet with so many trades, four an event in two markets, every event decided after a day.
func traded(trades int) *Record {
	s := newStory()
	for i := range trades / 4 {
		event, ago := fmt.Sprint("event-", i), time.Duration(trades-4*i)*time.Hour+2*day
		price := 0.1 + 0.8*float64(i*37%101)/101
		s.Market(2*i, event, price).Market(2*i+1, event, 1-price)
		s.Buy(2*i, 0, 100+float64(i%7), price, ago).Buy(2*i, 0, 50, price, ago-time.Hour).Sell(2*i, 0, 20, price, ago-2*time.Hour).
			Buy(2*i+1, i%2, 30, 0.5, ago-3*time.Hour)
		s.Decide(2*i, ago-day, float64((i*53+7)%2)).Decide(2*i+1, ago-day, float64(i*29%2))
		if i > trades/4-followed {
			s.Prices[outcome(2*i, 0)] = []market.PricePoint{{Time: now.Add(-ago + time.Minute), USD: price}}
		}
	}
	return recordOf(s)
}

// BenchmarkAssess is to take under 30 ms for ten thousand trades, and the same for each trade however many there are; drawing luck
// takes most of it.
func BenchmarkAssess(b *testing.B) {
	for _, trades := range []int{100, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("trades=%d", trades), func(b *testing.B) {
			record := traded(trades)
			b.ReportAllocs()
			for b.Loop() {
				Assess(record, now)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(trades), "ns/trade")
		})
	}
}

func BenchmarkReckon(b *testing.B) {
	record := traded(10_000)
	b.ReportAllocs()
	for b.Loop() {
		reckon(record, now)
	}
}

func BenchmarkLuck(b *testing.B) {
	entries := reckon(traded(10_000), now).decided()
	for b.Loop() {
		chance(entries, 1)
	}
}
