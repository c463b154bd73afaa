package wallet

import (
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

// WalletNetflowAnswer says whether a wallet has been buying or selling of late.
type WalletNetflowAnswer struct {
	// Posture is what the wallet does on balance. One of accumulating, distributing, rotating, balanced or inactive.
	Posture string `json:"posture"`
	// BuyShare is the buys' share of the value traded, 0 to 1; null when inactive.
	BuyShare *float64 `json:"buyShare"`
	// WindowDays is how far back the trades go that were counted.
	WindowDays int `json:"windowDays"`
	// Trades counts the trades in the window.
	Trades int `json:"trades"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// WalletNetflow declares wallet-netflow.
func WalletNetflow() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "wallet-netflow", Units: 1, Graded: true,
		Summary:    "Says whether a wallet is accumulating or distributing.",
		Parameters: []endpoint.Parameter{endpoint.Wallet, endpoint.Chain},
		Needs:      tradingrecord.Needs,
	}, gatherRecord, assessWalletNetflow)
}

// The windows of the net flow and the thresholds of a posture.
const (
	flowDays, flowFallbackDays = 30, 90
	flowEnough                 = 5 // trades in the short window, else the long one is used
	flowMinimum                = 3
	postureShare               = 0.60
	postureProbability         = 0.90
	rotationShare              = 0.50
	rotationGap                = time.Hour
	// winsorMultiple caps a single transaction's value at so many medians, so that one whale buy does not set the posture.
	winsorMultiple = 5
)

// flow is the weighed buying and selling of a window.
type flow struct {
	days, trades int
	buyShare     float64 // NaN without value
	effective    float64 // Kish size of the values
	rotation     float64 // share of sells followed by a buy of another token within the hour
	sells        int
}

// measureFlow weighs the priced trades of the last so many days.
func measureFlow(trades []position.Trade, days int) flow {
	f := flow{days: days, buyShare: math.NaN()}
	values := make([]float64, 0, len(trades))
	for i := range trades {
		if trades[i].Priced {
			values = append(values, trades[i].ValueUSD)
		}
	}
	f.trades = len(values)
	f.rotation, f.sells = rotation(trades)
	if len(values) == 0 {
		return f
	}
	limit := winsorMultiple * stats.Median(values)
	buys, total := 0.0, 0.0
	next := 0
	for i := range trades {
		if !trades[i].Priced {
			continue
		}
		values[next] = min(trades[i].ValueUSD, limit)
		total += values[next]
		if trades[i].Side == position.Buy {
			buys += values[next]
		}
		next++
	}
	if total > 0 {
		f.buyShare = buys / total
		f.effective = stats.KishSize(values)
	}
	return f
}

// rotation is the share of sells that were followed within the hour by a buy of another token.
func rotation(trades []position.Trade) (share float64, sells int) {
	followed := 0
	for i := range trades {
		if trades[i].Side != position.Sell {
			continue
		}
		sells++
		for j := i + 1; j < len(trades) && trades[j].Time.Sub(trades[i].Time) <= rotationGap; j++ {
			if trades[j].Side == position.Buy && trades[j].Token != trades[i].Token {
				followed++
				break
			}
		}
	}
	if sells == 0 {
		return 0, 0
	}
	return float64(followed) / float64(sells), sells
}

// posture names the direction of a flow and gives the probability that more than half of the value is buying.
func (f flow) posture() (string, float64) {
	if f.trades < flowMinimum || math.IsNaN(f.buyShare) {
		return "inactive", math.NaN()
	}
	belief := stats.Beta{A: 1 + f.effective*f.buyShare, B: 1 + f.effective*(1-f.buyShare)}
	buying := 1 - belief.CDF(0.5)
	switch {
	case f.buyShare >= postureShare && buying >= postureProbability:
		return "accumulating", buying
	case f.buyShare <= 1-postureShare && buying <= 1-postureProbability:
		return "distributing", buying
	case f.rotation >= rotationShare && f.sells >= flowMinimum:
		return "rotating", buying
	}
	return "balanced", buying
}

func assessWalletNetflow(record *tradingrecord.Record, asOf time.Time) WalletNetflowAnswer {
	f := measureFlow(record.RecentTrades(flowDays), flowDays)
	if f.trades < flowEnough {
		f = measureFlow(record.RecentTrades(flowFallbackDays), flowFallbackDays)
	}
	posture, _ := f.posture()
	answer := WalletNetflowAnswer{Posture: posture, WindowDays: f.days, Trades: f.trades}
	var reasons []reason.Reason
	switch {
	case posture == "inactive":
		reasons = append(reasons, because("INACTIVE", 1, "%s in %d days; at least %d are needed to call a direction.",
			display.Count(f.trades, "priced trade"), f.days, flowMinimum))
	default:
		answer.BuyShare = display.Probability(f.buyShare)
		reasons = append(reasons, because("POSTURE", 1, "%s of traded value was buying over %d days (%s).",
			display.PercentText(f.buyShare), f.days, display.Count(f.trades, "trade")))
		switch posture {
		case "rotating":
			reasons = append(reasons, because("ROTATING", 0.9, "%s of %d sells were followed by a buy of another token within the hour.",
				display.PercentText(f.rotation), f.sells))
		case "balanced":
			if f.buyShare >= postureShare || f.buyShare <= 1-postureShare {
				reasons = append(reasons, because("UNCERTAIN", 0.9, "Too few trades of comparable size to call a direction."))
			} else {
				reasons = append(reasons, because("BALANCED", 0.8, "Buying and selling are close to even; a direction is called from %s on.", display.PercentText(postureShare)))
			}
		default:
			reasons = append(reasons, because("CLEAR", 0.8, "That is too far from even to be chance for trades of these sizes."))
		}
	}
	if share := sentOut(record, f.days); share >= 0.2 {
		reasons = append(reasons, because("OUTFLOW", 0.5, "It sent about %s of what it held to other accounts in that time; transfers are not counted as selling.", display.PercentText(share)))
	}
	answer.Reasons = reason.Top(append(reasons, coverageReasons(record, asOf)...))
	return answer
}

// sentOut is the part, by cost, of what the wallet acquired or held that left it by transfer in the last so many days.
func sentOut(r *tradingrecord.Record, days int) float64 {
	from := r.Book.AsOf.AddDate(0, 0, -days)
	sent := make(map[chain.Address]float64)
	for i := range r.Book.Ledger.Transfers {
		t := &r.Book.Ledger.Transfers[i]
		if !t.In && t.Time.After(from) && (t.Origin == position.TransferUnknown || t.Origin == position.ExchangeTransfer) {
			sent[t.Token] += t.Quantity
		}
	}
	held, gone := 0.0, 0.0
	for i := range r.Book.Positions {
		p := &r.Book.Positions[i]
		if p.AcquiredQuantity <= 0 || (!p.ClosedAt.IsZero() && p.ClosedAt.Before(from)) {
			continue
		}
		unsold := 1 - p.ClosedShare
		held += p.CostUSD * unsold
		gone += p.CostUSD * min(unsold, sent[p.Token]/p.AcquiredQuantity)
	}
	if held <= 0 {
		return 0
	}
	return gone / held
}
