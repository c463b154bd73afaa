package perpvenue

import (
	"fmt"
	"testing"
	"time"
)

func TestProbe(t *testing.T) {
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	t0 := time.Now()
	v := New(Config{Seed: 1, Start: start})
	v.Advance(start.Add(200 * 24 * time.Hour))
	fmt.Println("new", time.Since(t0))
	t0 = time.Now()
	truths := v.Truth()
	fmt.Println("truth", time.Since(t0))
	total := 0
	for i, tr := range truths {
		var a *account
		if i < len(v.accounts) {
			a = v.accounts[i]
		} else if tr.Kind == kindLiquidator {
			a = v.backstop.played
		}
		if a == nil {
			continue
		}
		total += len(a.fills)
		adl, settle, liqs, part := 0, 0, 0, 0
		for _, f := range a.fills {
			switch f.direction {
			case dirDeleveraging:
				adl++
			case dirSettlement:
				settle++
			case dirLiquidatedCross, dirLiquidatedIsolated:
				liqs++
			case dirLongToShort, dirShortToLong:
				part++
			}
		}
		fmt.Printf("%-17s %-24s ord %4d/%4d ep %4d/%4d wr %.3f pnl %10.0f fund %8.0f liq %3d %-11s tr %v fills %5d pay %5d adl %d set %d back %d flips %d dep %.0f eq %.0f\n", tr.Kind, tr.Coverage, tr.ClosingOrderWins, tr.ClosingOrders, tr.EpisodeWins, tr.Episodes, tr.WinRate, tr.NetPnL, tr.FundingPaid, tr.Liquidations, tr.Bias, tr.Truncated, len(a.fills), len(a.payments), adl, settle, liqs, part, float64(a.paidIn)/1e6, float64(a.standing(0, v.now).value)/1e6)
	}
	fmt.Println(total)
	for i := range v.coins {
		lo, hi := 1e18, 0.0
		for h := 0; h < 4800; h++ {
			x := v.oracleFloat(i, v.start+int64(h)*hourMillis)
			lo, hi = min(lo, x), max(hi, x)
		}
		fmt.Println(v.coins[i].name, v.coins[i].price, lo, hi, v.oracleFloat(i, v.now))
	}
	for _, j := range v.market.jumped {
		if j != 0 {
			fmt.Printf("%.3f ", j)
		}
	}
}
