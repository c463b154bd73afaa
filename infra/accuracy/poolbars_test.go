package accuracy

import (
	"math/rand/v2"
	"testing"
)

func TestLiftInterval(t *testing.T) {
	random := func() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }
	alike := []poolMoves{{100, 20, 10, 4}, {100, 20, 10, 4}, {50, 10, 5, 2}}
	if low, high := liftInterval(alike, 200, random()); low < 2-1e-12 || high > 2+1e-12 {
		t.Errorf("pools that agree on a lift of 2 give %v to %v", low, high)
	}
	// One pool has all the lift: drawing it twice, once or never gives 3, 2 or 1.
	unlike := []poolMoves{{100, 20, 10, 6}, {100, 20, 10, 2}}
	if low, high := liftInterval(unlike, 2000, random()); low < 1-1e-12 || low > 1+1e-12 || high < 3-1e-12 || high > 3+1e-12 {
		t.Errorf("pools that disagree give %v to %v, not 1 to 3", low, high)
	}
}
