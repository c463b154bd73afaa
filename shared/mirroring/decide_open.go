package mirroring

import (
	"math"
	"strconv"
	"strings"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/margin"
)

// decideOpen holds an opening against everything that forbids it, and then sizes it.
func decideOpen(in *Input) Decision {
	if why, reason := forbidden(in); why != "" {
		return skip(why, reason)
	}
	if why, reason := moved(in); why != "" {
		return skip(why, reason)
	}
	leverage, reason := copyLeverage(in)
	if reason != "" {
		return skip(LeverageExceeded, reason)
	}
	return size(in, leverage)
}

// forbidden tells what keeps the agent from opening whatever the price.
func forbidden(in *Input) (SkipReason, string) {
	t, q, risk := in.Trade, in.Quote, in.Risk
	limit := limitsOf(in.Venue, t.Asset.Chain)
	age := in.Now.Sub(t.At)
	switch {
	case in.expired():
		return AgentExpired, "The agent's credentials have lapsed; activate it again."
	case in.Status != agent.Active:
		return AgentPaused, "The agent is paused: it opens nothing and still closes what the leader closes."
	case t.Existing && in.Copy != nil:
		return Duplicate, "A copy of " + t.Asset.Name + " is open already."
	case excluded(risk.ExcludeTokens, &t.Asset):
		return AssetExcluded, "The owner excluded " + t.Asset.Name + "."
	case !in.Gate.Mirrorable:
		return LeaderGateFailed, in.Gate.Why
	case !t.Existing && age > limit.stale:
		return SignalStale, "The leader's trade is " + display.DurationText(age) + " old; after " + display.DurationText(limit.stale) +
			" it is not followed."
	case q.Closed:
		return MarketClosed, t.Asset.Name + " is not traded any more."
	case !known(q.Price) || in.Venue == agent.Prediction && q.Price >= 1:
		return MarketClosed, "There is no price of " + t.Asset.Name + " to trade at now."
	case in.Copy != nil && in.Copy.Side != t.Side:
		return PositionConflict, "The leader opened a " + string(t.Side) + " position in " + t.Asset.Name + " while the open copy is " +
			string(in.Copy.Side) + "."
	case in.Against != nil:
		return PositionConflict, "A copy of another outcome of the same market is open."
	case q.Danger != "":
		return TokenRisk, q.Danger
	case risk.DailyLossUSD != nil && in.LostToday >= *risk.DailyLossUSD:
		return DailyLossLimit, "Copies lost " + moneyText(in.LostToday) + " today, which reaches the limit of " +
			moneyText(*risk.DailyLossUSD) + " a day."
	case in.Copy == nil && in.Copies >= maximumCopies:
		return MaxExposure, "The agent has " + strconv.Itoa(in.Copies) + " copies open, as many as it may."
	}
	return "", ""
}

// excluded tells whether an asset is on the owner's list. Letter case does not matter.
func excluded(list []string, asset *Asset) bool {
	for _, entry := range list {
		if strings.EqualFold(entry, asset.Key) || strings.EqualFold(entry, asset.Name) ||
			asset.Market != "" && strings.EqualFold(entry, asset.Market) {
			return true
		}
	}
	return false
}

// slippageLimit is how much worse than the leader's the price may be, as a part of it.
func (in *Input) slippageLimit() float64 {
	if bps := in.Risk.MaxSlippageBps; bps != nil {
		return float64(*bps) / 10_000
	}
	return limitsOf(in.Venue, in.Trade.Asset.Chain).slippage
}

// paid is how much worse than the leader's price an order costs that moves nothing: what the price moved, and half the spread. It is a part
// of the leader's price, negative where the price came back; what existed already has no price of the leader's, and counts the spread alone.
func (in *Input) paid() (drift, worse float64) {
	half := in.Quote.halfSpread(in.Venue)
	if in.Trade.Existing || !known(in.Trade.Price) {
		return 0, half
	}
	sign := in.Trade.Side.sign()
	drift = sign * (in.Quote.Price/in.Trade.Price - 1)
	return drift, sign * (in.Quote.Price*(1+sign*half)/in.Trade.Price - 1)
}

// moved tells whether the price has run away. What is left to be won is half gone, or more, where an outcome has made half the way to a
// dollar, or another price more than half of what the leader's positions usually gain. Beyond that the owner's limit counts.
func moved(in *Input) (SkipReason, string) {
	t, q := in.Trade, in.Quote
	drift, worse := in.paid()
	switch {
	case t.Existing:
	case !known(t.Price):
		return SlippageExceeded, "What the leader paid for " + t.Asset.Name + " is not known, so nobody can tell how much more a copy would pay."
	case in.Venue == agent.Prediction && q.Price-t.Price > remainingEdge*(1-t.Price):
		return EdgeExhausted, "The outcome rose from " + priceText(t.Price) + " to " + priceText(q.Price) +
			", more than half of what the leader could still win."
	case in.Venue != agent.Prediction && known(in.Gate.MedianGain) && drift > remainingEdge*in.Gate.MedianGain:
		return EdgeExhausted, "The price moved " + fineText(drift) + " the leader's way; its positions usually gain " +
			fineText(in.Gate.MedianGain) + ", and more than half of that is gone."
	}
	if limit := in.slippageLimit(); !(worse <= limit) {
		return SlippageExceeded, "A copy would pay " + fineText(worse) + " more than the leader; at most " + fineText(limit) + " is allowed."
	}
	return "", ""
}

// copyLeverage is the leader's leverage within the owner's cap, the venue's, and what leaves room for the price to move; a position that is
// open keeps its own. It is 1 outside perpetuals. The second result says why no leverage will do.
func copyLeverage(in *Input) (float64, string) {
	if in.Venue != agent.Perps {
		return 1, ""
	}
	limit := in.Risk.LeverageCap()
	if in.Quote.MaximumLeverage > 0 {
		limit = min(limit, in.Quote.MaximumLeverage)
	}
	if in.Copy != nil {
		if in.Copy.Leverage > limit {
			return 0, "The open copy of " + in.Trade.Asset.Name + " has a leverage of " + plainText(in.Copy.Leverage) + ", and no more than " +
				plainText(limit) + " is allowed now; a position has one leverage."
		}
		return in.Copy.Leverage, ""
	}
	leverage := 1.0
	if known(in.Trade.Leverage) {
		leverage = math.Floor(max(1, min(in.Trade.Leverage, limit)))
	}
	side := margin.Long
	if in.Trade.Side == Short {
		side = margin.Short
	}
	for leverage > 1 && !(margin.FollowerDistance(side, leverage, in.Quote.maintenance()) >= leastDistance) {
		leverage--
	}
	if leverage > limit || !(margin.FollowerDistance(side, leverage, in.Quote.maintenance()) >= leastDistance) {
		return 0, in.Trade.Asset.Name + " cannot be held with a leverage of " + plainText(limit) + " or less."
	}
	return leverage, ""
}

// size makes the order: of the agent's limit the copied percentage of the part of its own means that the leader put in, and no more than
// the limit for one position, what is left of the limit, what the account can spend, and what the market takes.
func size(in *Input, leverage float64) Decision {
	t, q, risk := in.Trade, in.Quote, in.Risk
	limit := limitsOf(in.Venue, t.Asset.Chain)
	part := share(t.Share, unknownShare)
	percent := max(0, min(100, risk.CopyPercent))
	wanted := micro(risk.MaxUSD.USD() * percent / 100 * part)
	cost, binding := wanted, ""
	lower := func(to agent.MicroUSD, what string) {
		if to = max(0, to); to < cost {
			cost, binding = to, what
		}
	}
	var open agent.MicroUSD
	if in.Copy != nil {
		open = in.Copy.Cost
	}
	if risk.PerPositionCapPct != nil {
		lower(micro(risk.MaxUSD.USD()*min(100, *risk.PerPositionCapPct)/100)-open, "the limit for one position")
	}
	lower(risk.MaxUSD-in.Exposure, "what is left of the limit of "+moneyText(risk.MaxUSD))
	if cost <= 0 && wanted > 0 {
		return skip(MaxExposure, "Nothing is left of "+binding+": copies for "+moneyText(in.Exposure)+" are open or under way.")
	}
	_, worse := in.paid()
	room := min(limit.impact, in.slippageLimit()-worse)
	if q.depth(in.Venue) <= 0 {
		return skip(InsufficientLiquidity, "Nobody knows how much can be traded of "+t.Asset.Name+".")
	}
	least := in.leastUSD(limit)
	lower(micro(q.sizeWithin(in.Venue, room)/leverage), "what the market takes without the price moving too far")
	if size := cost.USD() * leverage; size < least && binding != "" && wanted.USD()*leverage >= least {
		if strings.HasPrefix(binding, "what the market") {
			return skip(InsufficientLiquidity, "The market takes "+usdText(size)+" before the price moves more than "+fineText(max(0, room))+
				"; the smallest order is "+usdText(least)+".")
		}
		return skip(MaxExposure, "Only "+usdText(size)+" is left under "+binding+"; the smallest order is "+usdText(least)+".")
	}
	if !math.IsNaN(in.BalanceUSD) {
		fees := 1 + leverage*q.feeRate(in.Venue)
		lower(micro(in.BalanceUSD/fees), "what the account can spend")
		if cost.USD()*leverage < least && wanted.USD()*leverage >= least {
			return skip(InsufficientBalance, "The account can spend "+usdText(max(0, in.BalanceUSD))+"; the smallest order is "+usdText(least)+".")
		}
	}
	d := Decision{Cost: cost, SizeUSD: cost.USD() * leverage, Leverage: leverage, Reduced: cost < wanted}
	if d.SizeUSD < least || cost <= 0 {
		return skip(BelowMinOrder, "The copy comes to "+usdText(d.SizeUSD)+", less than the smallest order of "+usdText(least)+".")
	}
	d.Quantity = d.SizeUSD / q.Price
	d.WorstPrice = q.Price * (1 + t.Side.sign()*(q.halfSpread(in.Venue)+max(0, room)))
	if !t.Existing && known(t.Price) {
		d.WorstPrice = t.Price * (1 + t.Side.sign()*in.slippageLimit())
	}
	if in.Venue == agent.Prediction {
		d.WorstPrice = min(1, d.WorstPrice)
	}
	if in.Mode == agent.Live { // whatever the fill's price within the limit, it costs no more than is reserved
		d.Quantity = d.SizeUSD / max(d.WorstPrice, q.Price*(1+in.slippageLimit()))
	}
	d.Reason = sized(in, &d, part, binding)
	return d
}

// leastUSD is the smallest order now.
func (in *Input) leastUSD(limit limits) float64 {
	if in.Venue == agent.Prediction {
		return max(limit.leastUSD, outcomeShares*in.Quote.Price)
	}
	return limit.leastUSD
}

// sized says how the size of an opening came about.
func sized(in *Input, d *Decision, part float64, binding string) string {
	means := "The leader put " + fineText(part) + " of its means into " + in.Trade.Asset.Name
	if math.IsNaN(in.Trade.Share) {
		means = "What part of its means the leader put into " + in.Trade.Asset.Name + " is not known, and " + fineText(part) + " is assumed"
	}
	text := means + "; the copy takes " + moneyText(d.Cost) + " of " + moneyText(in.Risk.MaxUSD)
	if d.Leverage > 1 {
		text += ", " + plainText(d.Leverage) + " times leveraged"
	}
	if d.Reduced {
		return text + ", reduced by " + binding + "."
	}
	return text + "."
}
