package copytrade

import (
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

const (
	// overlapDays is the window in which trades are compared; resultDays that of results, which are fewer.
	overlapDays, resultDays = 30, 180
	// leastTrades is how many trades each side needs.
	leastTrades = 5
	// sameEntry is how soon after a buy another of the same token is a part of it.
	sameEntry = time.Hour
	// mostEntries and mostEpisodes bound what is compared with each other, the latest first.
	mostEntries, mostEpisodes = 300, 500
	// highestReturn is what one result counts for at most.
	highestReturn = 3
)

// entry is the beginning of a purchase.
type entry struct {
	token chain.Address
	at    time.Time
}

// episode is a position from its beginning to its end.
type episode struct {
	from, to time.Time
	// result is its return as a fraction.
	result float64
}

// party is one of two leaders that are compared.
type party struct {
	record *tradingrecord.Record
	// trades counts those in the window.
	trades int
	// holdings and bought are by value in USD, chosen tokens alone: what is paid with does not count.
	holdings, bought map[chain.Address]float64
	// entries are those in the window, oldest first; around are those and others as long before it as chance may shift them.
	entries, around []entry
	// daily are mean results by the day of closing, in days since 1970.
	daily    map[int64]float64
	episodes []episode
}

func partyOf(record *tradingrecord.Record) *party {
	s := &party{
		record: record, holdings: make(map[chain.Address]float64), bought: make(map[chain.Address]float64), daily: make(map[int64]float64),
	}
	asOf := record.Book.AsOf
	from := asOf.AddDate(0, 0, -overlapDays)
	for i := range record.Book.Positions {
		if p := &record.Book.Positions[i]; p.Status == position.Open && p.RecoverableUSD > 0 {
			s.holdings[p.Token] += p.RecoverableUSD
		}
	}
	last := make(map[chain.Address]time.Time)
	for _, t := range record.RecentTrades(overlapDays + longestShiftDays + 1) {
		if t.Time.After(asOf) {
			break
		}
		within := t.Time.After(from)
		if within {
			s.trades++
		}
		if t.Side != position.Buy {
			continue
		}
		if within && t.Priced && t.ValueUSD > 0 {
			s.bought[t.Token] += t.ValueUSD
		}
		if before, found := last[t.Token]; found && t.Time.Sub(before) <= sameEntry {
			last[t.Token] = t.Time
			continue
		}
		last[t.Token] = t.Time
		s.around = append(s.around, entry{t.Token, t.Time})
		if within {
			s.entries = append(s.entries, entry{t.Token, t.Time})
		}
	}
	s.entries = s.entries[max(0, len(s.entries)-mostEntries):]
	s.readResults(asOf)
	return s
}

// readResults reads what the leader closed in the window of results.
func (s *party) readResults(asOf time.Time) {
	from := asOf.AddDate(0, 0, -resultDays)
	counts := make(map[int64]float64)
	for i := range s.record.Evidence.Results {
		r := &s.record.Evidence.Results[i]
		if !r.ClosedAt.After(from) || r.ClosedAt.After(asOf) || math.IsNaN(r.Return) {
			continue
		}
		result := min(r.Return, highestReturn)
		day := r.ClosedAt.Unix() / (24 * 60 * 60)
		counts[day]++
		s.daily[day] += (result - s.daily[day]) / counts[day]
		s.episodes = append(s.episodes, episode{r.OpenedAt, r.ClosedAt, result})
	}
	s.episodes = s.episodes[max(0, len(s.episodes)-mostEpisodes):]
}

// sharedTokens lists the tokens that both hold or bought lately, those of the most common value first.
func sharedTokens(a, b *party) []chain.Address {
	common := make(map[chain.Address]float64)
	for _, pair := range [][2]map[chain.Address]float64{{a.holdings, b.holdings}, {a.bought, b.bought}} {
		for token, usd := range pair[0] {
			if other := pair[1][token]; other > 0 {
				common[token] = max(common[token], min(usd, other))
			}
		}
	}
	tokens := make([]chain.Address, 0, len(common))
	for token := range common {
		tokens = append(tokens, token)
	}
	slices.SortFunc(tokens, func(x, y chain.Address) int {
		switch {
		case common[x] > common[y]:
			return -1
		case common[x] < common[y]:
			return 1
		}
		return x.Compare(y)
	})
	return tokens
}
