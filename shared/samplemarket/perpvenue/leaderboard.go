package perpvenue

import (
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

type leaderboardWire struct {
	Rows []leaderWire `json:"leaderboardRows"`
}

type leaderWire struct {
	Account string  `json:"ethAddress"`
	Value   string  `json:"accountValue"`
	Windows []any   `json:"windowPerformances"` // pairs of a window's name and performanceWire
	Prize   int     `json:"prize"`
	Name    *string `json:"displayName"`
}

type performanceWire struct {
	Profit string `json:"pnl"`
	Return string `json:"roi"`
	Volume string `json:"vlm"`
}

// displayNames are what traders call themselves; most have no name.
var displayNames = []string{"", "gm", "Степан", "<b>whale</b>", "=1+1", "🦈🦈🦈", "null", "not financial advice\u202e"}

// Leaderboard answers GET /Mainnet/leaderboard of the venue's statistics as of the last Advance: everybody who ever paid in, in no
// order of merit. It changes nothing that can be seen and may be called concurrently.
func (v *Venue) Leaderboard() any {
	v.lock.RLock()
	defer v.lock.RUnlock()
	w := leaderboardWire{Rows: []leaderWire{}}
	for _, a := range v.accounts {
		v.with(a.address, func(a *account) {
			if a.joined <= v.now {
				w.Rows = append(w.Rows, a.leaderWire(v.now))
			}
		})
	}
	return w
}

func (a *account) leaderWire(now int64) leaderWire {
	history := a.portfolio(now)
	last := history[len(history)-1]
	w := leaderWire{Account: a.address, Value: moneyText(last.perpValue + last.spotValue)}
	for _, span := range spans(now) {
		w.Windows = append(w.Windows, []any{span.name, performance(since(history, now-span.length))})
	}
	// The venue's windows come in no order that could be counted on.
	luck := seeded.NewStream(seeded.MixAll(a.key, seeded.HashText("leaderboard")))
	for i := len(w.Windows) - 1; i > 0; i-- {
		j := luck.IntN(i + 1)
		w.Windows[i], w.Windows[j] = w.Windows[j], w.Windows[i]
	}
	if n := luck.IntN(3 * len(displayNames)); n < len(displayNames) {
		w.Name = &displayNames[n]
	}
	return w
}

// performance is what came of a window, spot included. The return is the profit over what the account was worth at the beginning and
// the most that was paid in since, at least 100 USD.
func performance(history []snapshot) performanceWire {
	if len(history) == 0 {
		return performanceWire{"0.0", "0.0", "0.0"}
	}
	first, last := history[0], history[len(history)-1]
	profit := func(s snapshot) int64 { return s.perpProfit + s.spotProfit }
	value := func(s snapshot) int64 { return s.perpValue + s.spotValue }
	paidIn := func(s snapshot) int64 { return value(s) - profit(s) }
	var most int64
	for _, s := range history {
		most = max(most, paidIn(s)-paidIn(first))
	}
	earned := profit(last) - profit(first)
	capital := math.Max(100, float64(value(first)+most)/million)
	volume := last.perpVolume + last.spotVolume - first.perpVolume - first.spotVolume
	return performanceWire{moneyText(earned), floatText(float64(earned)/million/capital, 10), moneyText(volume)}
}
