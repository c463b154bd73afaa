package upstream

import (
	"cmp"
	"encoding/hex"
	"math"
	"slices"
	"strings"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// PoolID reads a pool's address, or the 32-byte id of a pool without one, in lower case; false for any other text.
func PoolID(text string) (string, bool) {
	id := strings.ToLower(text)
	if (len(id) != 42 && len(id) != 66) || !strings.HasPrefix(id, "0x") {
		return "", false
	}
	if _, err := hex.DecodeString(id[2:]); err != nil {
		return "", false
	}
	return id, true
}

// SortPools puts the deepest pool first, pools of unknown depth last, and equals in the order of their ids.
func SortPools(pools []market.Pool) {
	slices.SortFunc(pools, func(a, b market.Pool) int {
		return cmp.Or(cmp.Compare(depth(b), depth(a)), cmp.Compare(a.ID, b.ID))
	})
}

func depth(pool market.Pool) float64 {
	if math.IsNaN(pool.LiquidityUSD) {
		return -1
	}
	return pool.LiquidityUSD
}
