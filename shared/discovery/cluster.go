package discovery

import (
	"cmp"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// leastOverlap is the share of tokens, of those that either of two wallets was early in, that both were early in (Jaccard).
const leastOverlap = 0.5

// OneOfEachHand keeps of the findings that seem to belong to the same hand the best, and names the others as its siblings: those that
// overlap in their tokens by half or more and are linked, by what linked says of two wallets, directly or through others. Best is who
// is confirmed, then who is least likely by chance. The result is in order of address.
func OneOfEachHand(findings []Finding, linked func(a, b chain.Address) bool) []Finding {
	byWallet := slices.Clone(findings)
	slices.SortFunc(byWallet, func(a, b Finding) int { return a.Wallet.Compare(b.Wallet) })
	sets := make([]map[chain.Address]bool, len(byWallet))
	for i := range byWallet {
		sets[i] = make(map[chain.Address]bool, len(byWallet[i].Tokens))
		for _, token := range byWallet[i].Tokens {
			sets[i][token] = true
		}
	}
	hand := make([]int, len(byWallet)) // the first of each one's hand
	for i := range byWallet {
		hand[i] = i
		for j := range i {
			if hand[j] != hand[i] && overlap(sets[i], sets[j]) >= leastOverlap && linked(byWallet[j].Wallet, byWallet[i].Wallet) {
				from, to := max(hand[i], hand[j]), min(hand[i], hand[j])
				for k := range i + 1 {
					if hand[k] == from {
						hand[k] = to
					}
				}
			}
		}
	}
	hands := make(map[int][]int)
	for i, first := range hand {
		hands[first] = append(hands[first], i)
	}
	kept := []Finding{}
	for i := range byWallet {
		members := hands[hand[i]]
		best := slices.MinFunc(members, func(a, b int) int { return better(&byWallet[a], &byWallet[b]) })
		if best != i {
			continue
		}
		f := byWallet[i]
		f.Siblings = nil
		for _, m := range members {
			if m != i {
				f.Siblings = append(f.Siblings, byWallet[m].Wallet)
			}
		}
		kept = append(kept, f)
	}
	return kept
}

// better orders the best first.
func better(a, b *Finding) int {
	if a.Confirmed != b.Confirmed {
		if a.Confirmed {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.AdjustedP, b.AdjustedP), cmp.Compare(a.Older.P, b.Older.P), cmp.Compare(a.Newer.P, b.Newer.P), a.Wallet.Compare(b.Wallet))
}

func overlap(a, b map[chain.Address]bool) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	both := 0
	for token := range a {
		if b[token] {
			both++
		}
	}
	if both == 0 {
		return 0
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
