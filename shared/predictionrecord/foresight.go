package predictionrecord

import (
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// What it takes for late bets to look like private knowledge. Each bound alone is met by somebody honest: skilled wallets are right more
// often than prices say but enter early, buyers of favourites are nearly always right at prices that say so, and others bet late.
const (
	lateEntry         = 24 * time.Hour
	foreseenEvents    = 5
	foreseenRight     = 0.85
	foreseenExcess    = 0.20
	foreseenMoney     = 0.50
	foreseenKinds     = 3.0
	foreseenByChance  = 0.01
	categoriesToJudge = 0.9
)

// foresight is what entries shortly before the end say.
type foresight struct {
	suspected bool
	// late counts first entries less than a day before their outcome was known, right those that came true, and implied is their mean price.
	late, right int
	implied     float64
}

// inspectForesight looks for bets on private knowledge: most of the money placed less than a day before the outcome was known, in several
// events of few kinds, and right so far beyond their prices that luck does as well in at most one of a hundred fair wallets (the Poisson
// binomial distribution). Who knew what cannot be told from trades, so this is a suspicion and is called one.
func (b *book) inspectForesight(entries []entry) foresight {
	var f foresight
	var prices, kinds []float64
	byKind := make(map[string]int)
	money, lateMoney, known := 0.0, 0.0, 0
	for i := range entries {
		e := &entries[i]
		event := &b.events[e.event]
		money += event.cost
		if e.knownBy.IsZero() || e.knownBy.Sub(e.at) >= lateEntry || e.payout != 0 && e.payout != 1 {
			continue
		}
		lateMoney += event.cost
		f.late++
		f.right += int(e.payout)
		f.implied += e.price
		prices = append(prices, e.price)
		if event.category == "" {
			continue
		}
		known++
		at, seen := byKind[event.category]
		if !seen {
			at = len(kinds)
			byKind[event.category] = at
			kinds = append(kinds, 0)
		}
		kinds[at]++
	}
	if f.late == 0 {
		return f
	}
	n := float64(f.late)
	f.implied /= n
	right := float64(f.right) / n
	spread := float64(known) >= categoriesToJudge*n && 1/stats.Herfindahl(kinds) > foreseenKinds
	f.suspected = f.late >= foreseenEvents && right >= foreseenRight && right-f.implied >= foreseenExcess && lateMoney >= foreseenMoney*money &&
		!spread && stats.PoissonBinomialTail(f.right, prices[max(0, len(prices)-largestTested):]) <= foreseenByChance
	return f
}
