package trader_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

func BenchmarkMeasureAndRate(b *testing.B) {
	for _, n := range []int{50, 500, 5_000, 500_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			random := rand.New(rand.NewPCG(1, uint64(n)))
			e := trader.Evidence{MatchedShare: 1, Seed: 1, AsOf: monday.AddDate(100, 0, 0)}
			for i := range n {
				r := closed(i, math.Exp(random.NormFloat64())-1, 100)
				r.Cluster = uint64(random.IntN(n))
				e.Results = append(e.Results, r)
			}
			b.ReportAllocs()
			for b.Loop() {
				trader.Rate(e, trader.Measure(e))
			}
		})
	}
}
