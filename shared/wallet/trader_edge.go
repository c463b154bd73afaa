package wallet

import (
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/copyrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

// TraderEdgeAnswer says how strong a trader's edge is, how long it holds, and where it does best.
type TraderEdgeAnswer struct {
	// Edge is how strong the edge is after allowing for chance. One of strong, moderate, thin, none, negative or insufficient-data.
	Edge string `json:"edge"`
	// HoldStyle is how long positions are held. One of scalp, intraday, swing, position, long-hold, mixed or insufficient-data.
	HoldStyle string `json:"holdStyle"`
	// BestAt lists at most three kinds of trades that did better than the rest by more than chance; empty is normal.
	BestAt []BestAt `json:"bestAt"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// BestAt is a kind of trade at which the trader stands out.
type BestAt struct {
	// Kind is what sets the trades apart, like entry-context.
	Kind string `json:"kind"`
	// Name is which of the kind's values it is, like launch.
	Name string `json:"name"`
	// Trades counts closed positions of the kind.
	Trades int `json:"trades"`
	// AverageReturnPct is their mean return, capped and drawn towards the trader's own average.
	AverageReturnPct *float64 `json:"averageReturnPct"`
}

// TraderEdge declares trader-edge.
func TraderEdge() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "trader-edge", Units: 2, Graded: true,
		Summary:    "Says how strong a trader's edge is, how long it holds, and at what it does best.",
		Parameters: []endpoint.Parameter{endpoint.Wallet, endpoint.Chain},
		Needs:      copyrecord.Needs,
	}, gatherCopies, assessTraderEdge)
}

func assessTraderEdge(record *copyrecord.Record, asOf time.Time) TraderEdgeAnswer {
	edge := trader.JudgeEdge(record.Measures)
	answer := TraderEdgeAnswer{Edge: edge.Edge, HoldStyle: HoldStyleOf(record.Record), BestAt: []BestAt{}}
	reasons := edge.Reasons
	best := trader.BestAt(record.Evidence.Results, segments(record), record.Evidence.Seed)
	for _, b := range best {
		answer.BestAt = append(answer.BestAt, BestAt{Kind: b.Dimension, Name: b.Name, Trades: b.N, AverageReturnPct: display.Percent(b.Return)})
	}
	if edge.Edge != "insufficient-data" {
		reasons = append(reasons, trader.SegmentReasons(best)...)
	}
	answer.Reasons = reason.Top(append(reasons, pricesCoverageReasons(record, asOf)...))
	return answer
}

// segmentSubject begins a sentence about the members of a segment.
var segmentSubject = map[string]string{
	"under-1-day": "Entries within a day of launch", "1-to-7-days": "Entries one to seven days after launch", "over-7-days": "Entries more than a week after launch",
	"dip": "Entries well below the week's high", "breakout": "Entries above the week's high", "launch": "Entries in the first hours of a token",
	"small": "Smaller than usual positions", "large": "Larger than usual positions",
	"asia": "Entries between 0 and 8 h UTC", "europe": "Entries between 8 and 16 h UTC", "americas": "Entries between 16 and 24 h UTC",
}

// The thresholds that set entries apart.
const (
	dipShare    = 0.80 // of the highest close of the seven days before
	launchHours = 6
)

// judgedPositions are the closed positions behind the trader's results, one for each, in their order.
func judgedPositions(r *tradingrecord.Record) []*position.Position {
	results := r.Evidence.Results
	judged := make([]*position.Position, 0, len(results))
	for _, p := range r.Book.Closed() {
		if next := len(judged); next < len(results) && results[next].OpenedAt.Equal(p.OpenedAt) &&
			results[next].ClosedAt.Equal(p.ClosedAt) && results[next].Cluster == stats.Seed(p.Token[:]) {
			judged = append(judged, p)
		}
	}
	return judged
}

// segments sorts the judged positions by what was known at their entry; members are indices of results.
func segments(r *copyrecord.Record) []trader.Segment {
	positions := judgedPositions(r.Record)
	members := make(map[[2]string][]int)
	add := func(dimension, name string, i int) {
		key := [2]string{dimension, name}
		members[key] = append(members[key], i)
	}
	costs := make([]float64, len(positions))
	for i := range positions {
		costs[i] = positions[i].CostUSD
	}
	typical := stats.Median(costs)
	for i, p := range positions {
		if launched, known := r.Launched[p.Token]; known {
			switch age := p.OpenedAt.Sub(launched); {
			case age < 24*time.Hour:
				add("token-age", "under-1-day", i)
			case age < week:
				add("token-age", "1-to-7-days", i)
			default:
				add("token-age", "over-7-days", i)
			}
			if p.OpenedAt.Sub(launched) < launchHours*time.Hour {
				add("entry-context", "launch", i)
			}
		}
		if high := r.Series[p.Token].HighSince(p.OpenedAt, week); high > 0 {
			switch {
			case p.EntryPriceUSD < dipShare*high:
				add("entry-context", "dip", i)
			case p.EntryPriceUSD > high:
				add("entry-context", "breakout", i)
			}
		}
		if p.CostUSD < typical {
			add("size", "small", i)
		} else if p.CostUSD > typical {
			add("size", "large", i)
		}
		add("session", []string{"asia", "europe", "americas"}[p.OpenedAt.UTC().Hour()/8], i)
	}
	var segments []trader.Segment
	for _, key := range segmentOrder {
		if len(members[key]) > 0 {
			segments = append(segments, trader.Segment{Dimension: key[0], Name: key[1], Subject: segmentSubject[key[1]], Members: members[key]})
		}
	}
	return segments
}

// segmentOrder fixes the order in which segments are tested and named.
var segmentOrder = [][2]string{
	{"token-age", "under-1-day"}, {"token-age", "1-to-7-days"}, {"token-age", "over-7-days"},
	{"entry-context", "launch"}, {"entry-context", "dip"}, {"entry-context", "breakout"},
	{"size", "small"}, {"size", "large"},
	{"session", "asia"}, {"session", "europe"}, {"session", "americas"},
}
