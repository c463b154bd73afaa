package tokenfacts

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// topHolders is how many holders a TopShare adds up.
const topHolders = 10

// IndependentHolders are the listed holders that can sell on their own account, largest first. Left out are the token's pools, the
// token contract itself, what is locked or burned, and accounts known as exchanges, bridges, routers, distributors or protocols:
// what those hold belongs to many. A contract that nobody has named counts as a holder, since somebody behind it can sell.
func IndependentHolders(holders *market.TokenHolders, pools []market.Pool, token chain.Address) []market.Holder {
	made := make(map[string]bool, len(pools))
	for i := range pools {
		made[strings.ToLower(pools[i].ID)] = true
	}
	var independent []market.Holder
	for _, h := range holders.Top {
		account := h.Account.Address
		switch {
		case h.Locked, account.IsZero(), account == token, h.Account.Kind != market.UnknownAccount, made[account.String()]:
		case !(h.Share > 0): // also not a number
		default:
			h.Share = min(h.Share, 1)
			independent = append(independent, h)
		}
	}
	slices.SortStableFunc(independent, func(a, b market.Holder) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), a.Account.Address.Compare(b.Account.Address))
	})
	return independent
}

// TopShare is what the ten largest independent holders have together, as a fraction of the supply, 0 to 1; NaN when nobody lists the
// holders.
func TopShare(holders *market.TokenHolders, pools []market.Pool, token chain.Address) float64 {
	if !holders.Known || len(holders.Top) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for i, h := range IndependentHolders(holders, pools, token) {
		if i < topHolders {
			sum += h.Share
		}
	}
	return min(sum, 1)
}
