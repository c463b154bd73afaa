package portfolio

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// A hundred tokens cost one call for their pools, one for their prices and a few for each that is assessed; and few of these wait for
// another.
func TestAHundredHoldings(t *testing.T) {
	for depth, levels := range map[int]int{10: 4, 50: 12} {
		synctest.Test(t, func(t *testing.T) {
			v := newVenue()
			v.takes = time.Second
			v.holdOwn(chain.Native, 1)
			for i := range 100 {
				v.hold(number(i), fmt.Sprint("T", i), 100, float64(10+i%3), sound)
			}
			began := time.Now()
			answer, body := v.risk(t, fmt.Sprintf(`,"depth":%d`, depth))
			took := time.Since(began)
			if answer.Coverage.Assessed != depth || answer.Coverage.BeyondDepth+answer.Coverage.Dust != 101-depth {
				t.Errorf("%s", body)
			}
			tokens := depth - 1 // the ether is one of the largest and needs no assessment
			want := map[market.Port]int{
				market.HoldingFacts: 1, market.PriceFacts: 1, market.PoolFacts: 1, market.ContractFacts: tokens,
				market.TokenSecurityFacts: tokens, market.SimulationFacts: tokens, market.HolderFacts: tokens, market.CandleFacts: tokens,
			}
			for port, n := range v.asked {
				if n != want[port] {
					t.Errorf("depth %d: %s was asked %d times, not %d", depth, port, n, want[port])
				}
			}
			// Balances; prices; then, ten tokens at a time, the contracts and whatever rests on them.
			if took != time.Duration(levels)*time.Second {
				t.Errorf("depth %d took %v of calls that take a second", depth, took)
			}
		})
	}
}

func TestWhatIsNotReachedInTimeIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue()
		v.takes = time.Second
		v.holdOwn(usdc, 1000)
		v.hold(number(1), "SLOW", 900, 1, hanging)
		v.hold(number(2), "TRAP", 100, 1, trap)
		began := time.Now()
		answer, body := v.risk(t, "")
		if took := time.Since(began); took >= 30*time.Second || took < 29*time.Second {
			t.Errorf("took %v", took)
		}
		if answer.Coverage.Unassessed != 1 || answer.Coverage.Assessed != 2 || len(answer.RiskyPositions) != 1 ||
			!strings.Contains(body, "1 token with 45% of the value could not be assessed, 1 of them for want of time; ") {
			t.Error(body)
		}
	})
}

func TestOneTokenThatFailsCostsNoOther(t *testing.T) {
	for _, of := range []nature{broken, noToken, panicking, dark} {
		v := newVenue()
		v.holdOwn(usdc, 500)
		v.hold(number(1), "BAD", 250, 1, of)
		v.hold(number(2), "TRAP", 250, 1, trap)
		answer, body := v.risk(t, "")
		// 0.5*5 + 0.25*50 + 0.25*98.
		if *answer.WeightedRisk != 39.5 || answer.Coverage.Unassessed != 1 || answer.Coverage.Assessed != 2 || strings.Contains(body, "want of time") {
			t.Errorf("%d: %s", of, body)
		}
	}
}

func TestProvidersThatFail(t *testing.T) {
	down := fmt.Errorf("%w: down", market.ErrUnavailable)
	mixed := func() *venue {
		v := newVenue()
		v.holdOwn(chain.Native, 1)
		v.hold(number(1), "SOUND", 1000, 2, sound)
		return v
	}
	for _, port := range []market.Port{market.HoldingFacts, market.PoolFacts} {
		v := mixed()
		v.failures[port] = down
		if answer := v.ask(t, "portfolio-risk", ""); answer.Status != http.StatusServiceUnavailable || answer.Problem(t).Error != "provider_unavailable" {
			t.Errorf("%s: %d %s", port, answer.Status, answer.Body)
		}
	}

	v := mixed()
	v.failures[market.PriceFacts] = down
	v.pools[chain.Native] = []market.Pool{poolOf(usdc, 2000, 1e8)}
	answer, body := v.risk(t, "")
	if answer.Coverage.Assessed != 2 || !strings.Contains(body, "One of the sources of prices did not answer") {
		t.Error(body)
	}
	v.failures[market.PoolFacts] = down
	if answer := v.ask(t, "portfolio-risk", ""); answer.Status != http.StatusServiceUnavailable {
		t.Errorf("%d %s", answer.Status, answer.Body)
	}

	// Without tokens nobody's pools are needed.
	own := newVenue()
	own.holdOwn(chain.Native, 1)
	own.failures[market.PoolFacts] = down
	if answer, body := own.risk(t, ""); answer.Grade != healthy || own.asked[market.PoolFacts] != 0 {
		t.Error(body)
	}
	// An asset of the chain's own that the index does not know is priced by its pools.
	delete(own.index, chain.Native)
	own.failures[market.PoolFacts] = nil
	own.pools[chain.Native] = []market.Pool{poolOf(usdc, 2000, 1e8)}
	if answer, body := own.risk(t, ""); answer.Grade != healthy || own.asked[market.PoolFacts] != 1 {
		t.Error(body)
	}
}

func TestAPriceIndexThatHangsIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue()
		v.hold(number(1), "SOUND", 1000, 2, sound)
		v.hangs[market.PriceFacts] = true
		began := time.Now()
		if answer, body := v.risk(t, ""); answer.Coverage.Assessed != 1 || time.Since(began) != 2*time.Second {
			t.Errorf("%v: %s", time.Since(began), body)
		}
	})
}
