package wallet

import (
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

// TraderStyleAnswer says how long a trader holds and how often it enters.
type TraderStyleAnswer struct {
	// Style is how long positions are held. One of scalp, intraday, swing, position, long-hold, mixed or insufficient-data.
	Style string `json:"style"`
	// Tempo is how often the wallet enters. One of dormant, slow, steady, active, rapid or machine.
	Tempo string `json:"tempo"`
	// MedianHoldHours is over closed positions; null without any.
	MedianHoldHours *float64 `json:"medianHoldHours"`
	// EntriesPerActiveWeek counts buys in weeks that had any; null without any.
	EntriesPerActiveWeek *float64 `json:"entriesPerActiveWeek"`
	// Burstiness is -1 for clockwork, 0 for chance, towards 1 for bursts; null with too few trades.
	Burstiness *float64 `json:"burstiness"`
	// Automated is how likely the timing is a machine's. One of likely, possible or unlikely.
	Automated string `json:"automated"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// TraderStyle declares trader-style.
func TraderStyle() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "trader-style", Units: 1, Graded: true,
		Summary:    "Says how long a trader holds and how often it enters.",
		Parameters: []endpoint.Parameter{endpoint.Wallet, endpoint.Chain},
		Needs:      tradingrecord.Needs,
	}, gatherRecord, assessTraderStyle)
}

// rhythm is the timing of a wallet's entries.
type rhythm struct {
	entries     int
	activeWeeks int
	perWeek     float64 // entries per active week; NaN without entries
	lastEntry   time.Time
	medianGap   time.Duration
	burstiness  float64 // NaN with fewer than minimumGaps gaps
	sleeps      bool
}

const (
	dormantDays = 30
	minimumGaps = 8
	// sleepHours is the stretch of the day without trades that a person's sleep leaves.
	sleepHours = 5
	week       = 7 * 24 * time.Hour
)

// measureRhythm reads the timing of buys.
func measureRhythm(trades []position.Trade) rhythm {
	r := rhythm{perWeek: math.NaN(), burstiness: math.NaN()}
	weeks := make(map[int64]bool)
	var hours [24]int
	var gaps []float64
	var previous time.Time
	for i := range trades {
		hours[trades[i].Time.UTC().Hour()]++
		if trades[i].Side != position.Buy {
			continue
		}
		at := trades[i].Time
		if r.entries > 0 {
			gaps = append(gaps, at.Sub(previous).Seconds())
		}
		r.entries++
		previous = at
		weeks[at.Unix()/int64(week/time.Second)] = true
	}
	r.lastEntry, r.activeWeeks = previous, len(weeks)
	r.sleeps = longestQuiet(hours) >= sleepHours
	if r.entries == 0 {
		return r
	}
	r.perWeek = float64(r.entries) / float64(r.activeWeeks)
	if len(gaps) >= minimumGaps {
		r.burstiness = stats.Burstiness(gaps)
		slices.Sort(gaps)
		r.medianGap = time.Duration(gaps[len(gaps)/2] * float64(time.Second))
	}
	return r
}

// longestQuiet is the longest run of hours of the day, around midnight too, without any trade.
func longestQuiet(hours [24]int) int {
	longest, run := 0, 0
	for h := range 48 {
		if hours[h%24] > 0 {
			run = 0
			continue
		}
		run++
		longest = max(longest, min(run, 24))
	}
	return longest
}

// tempo names the frequency of entries.
func (r rhythm) tempo(asOf time.Time) string {
	switch {
	case r.entries == 0 || asOf.Sub(r.lastEntry) > dormantDays*24*time.Hour:
		return "dormant"
	case r.perWeek > 500, r.medianGap > 0 && r.medianGap < time.Minute && !r.sleeps && r.entries >= 50:
		return "machine"
	case r.perWeek > 50:
		return "rapid"
	case r.perWeek > 10:
		return "active"
	case r.perWeek >= 2:
		return "steady"
	}
	return "slow"
}

func assessTraderStyle(record *tradingrecord.Record, asOf time.Time) TraderStyleAnswer {
	results := heldResults(record)
	r := measureRhythm(record.Book.Ledger.Trades)
	hold := medianHold(results)
	answer := TraderStyleAnswer{
		Style: trader.HoldStyle(results), Tempo: r.tempo(asOf), Automated: record.Evidence.Conduct.Automated.Verdict,
		EntriesPerActiveWeek: pointerTo(display.Round(r.perWeek, 1)), Burstiness: display.Probability(r.burstiness),
	}
	var reasons []reason.Reason
	if len(results) > 0 {
		answer.MedianHoldHours = pointerTo(display.Round(hold.Hours(), 2))
		reasons = append(reasons, because("STYLE", 1, "Typical holding time %s over %s.", display.DurationText(hold), display.Count(len(results), "closed position")))
	}
	switch {
	case answer.Style == "insufficient-data":
		reasons = append(reasons, because("THIN", 0.95, "%s; at least 3 are needed to call a style.", display.Count(len(results), "closed position")))
	case answer.Style == "mixed":
		reasons = append(reasons, because("MIXED", 0.9, "No holding time accounts for half of the positions."))
	}
	switch {
	case r.entries == 0:
		reasons = append(reasons, because("NO_ENTRIES", 0.8, "No buy was found on this chain."))
	case answer.Tempo == "dormant":
		reasons = append(reasons, because("DORMANT", 0.8, "The last entry was %s ago.", display.DurationText(asOf.Sub(r.lastEntry))))
	default:
		reasons = append(reasons, because("TEMPO", 0.8, "Entries a week in the %s: about %g.", display.Count(r.activeWeeks, "active week"), display.Round(r.perWeek, 1)))
	}
	if answer.Automated == "likely" {
		reasons = append(reasons, because("AUTOMATED", 0.7, "Timing, sizes or speed of its trades suggest automation."))
	}
	answer.Reasons = reason.Top(append(reasons, coverageReasons(record, asOf)...))
	return answer
}

// HoldStyleOf names how long the trader of a record holds, as its pages do.
func HoldStyleOf(record *tradingrecord.Record) string { return trader.HoldStyle(heldResults(record)) }

// heldResults are the closed positions as results, those too whose profit does not count: how long somebody holds is told by all.
func heldResults(r *tradingrecord.Record) []trader.Result {
	if len(r.Evidence.Conduct.Wash.Thin) == 0 {
		return r.Evidence.Results // nobody's profits were left out
	}
	return trader.FromBook(r.Book, trader.Conduct{}, 0).Results
}

// medianHold is the median holding time of results; zero without any.
func medianHold(results []trader.Result) time.Duration {
	if len(results) == 0 {
		return 0
	}
	holds := make([]float64, len(results))
	for i := range results {
		holds[i] = float64(results[i].Holding)
	}
	return time.Duration(stats.Median(holds))
}

// pointerTo is nil for an unmeasured number.
func pointerTo(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
