package accuracy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/predictionrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// foresight measures how often late bettors are suspected of private knowledge: honest ones, whom luck or skill makes right beyond their
// prices, and those who know.
func foresight(wallets int) []Row {
	const late = 3 * time.Hour
	wallets = max(1, wallets/10)
	var rows []Row
	for _, p := range []bettors{
		{name: "fair, even markets", structure: singleMarket, price: even, left: late},
		{name: "fair favourites", structure: nested, price: favourites, unequal: true, left: late},
		{name: "fair longshots", structure: singleMarket, price: longshots, left: late},
		{name: "+10 cents, even markets", structure: singleMarket, price: even, edge: 0.10, left: late},
		{name: "+5 cents, any price", structure: singleMarket, price: anyPrice, unequal: true, edge: 0.05, left: late},
		{name: "outcome known days before", structure: singleMarket, price: even, known: 1},
	} {
		most := 0.01
		if p.edge > 0 {
			most = 0.02
		}
		share := p.suspected(wallets)
		rows = append(rows, foresightRow(p.name, fmt.Sprintf("<= %.2f", most), samplingError(most, wallets), share, share <= most+samplingError(most, wallets)))
	}
	const least = 0.95
	for _, known := range []float64{1, 0.95} {
		p := bettors{name: fmt.Sprintf("outcome known in %.0f %%", 100*known), structure: singleMarket, price: even, known: known, left: late}
		share := p.suspected(wallets)
		rows = append(rows, foresightRow(p.name, fmt.Sprintf(">= %.2f", least), samplingError(least, wallets), share, share >= least-samplingError(least, wallets)))
	}
	return rows
}

func foresightRow(name, goal string, sampling, share float64, pass bool) Row {
	return Row{
		Name: fmt.Sprintf("prediction foresight, %s, %d events", name, foresightEvents), Goal: fmt.Sprintf("suspected %s, sampling +- %.4f", goal, sampling),
		Measured: fmt.Sprintf("%.4f", share), Pass: pass,
	}
}

// foresightEvents is how many events the records of late bettors hold.
const foresightEvents = 20

// suspected is the part of the wallets that is suspected.
func (p bettors) suspected(wallets int) float64 {
	return shares(wallets, cellSeed("foresight "+p.name, foresightEvents), func(random *rand.Rand) []string {
		a := predictionrecord.Assess(p.record(foresightEvents, random))
		if slices.Contains(reason.Codes(a.Reasons), "INSIDER") {
			return []string{"suspected"}
		}
		return nil
	})["suspected"]
}
