package mirroring

import (
	"github.com/mirrorworthy/mirrorworthy/shared/display"
)

// decideClose copies a close: the same part of the copy as the leader closed of its position, with what is owed of earlier closes. Nothing
// but lapsed credentials, a copy that is not there, a price that is not there and the venue's smallest order keep it from being made, and
// in the last two cases it is owed.
func decideClose(in *Input) Decision {
	t, c := in.Trade, in.Copy
	switch {
	case in.expired():
		return skip(AgentExpired, "The agent's credentials have lapsed, so it cannot close; activate it again.")
	case c == nil:
		return skip(NoPositionToClose, "The leader closed "+t.Asset.Name+", of which no copy is open.")
	case c.Side != t.Side:
		return skip(NoPositionToClose, "The leader closed a "+string(t.Side)+" position in "+t.Asset.Name+"; the open copy is "+string(c.Side)+".")
	}
	part := 1 - (1-c.Owed)*(1-share(t.Share, 1))
	if t.Flat || t.Own || !(part < 1) {
		part = 1
	}
	if !(part > 0) {
		return skip(BelowMinOrder, "The leader closed next to nothing of its position in "+t.Asset.Name+".")
	}
	price := in.Quote.Price
	if in.Quote.Closed {
		price = in.Quote.Payout
	}
	worthless := in.Quote.Closed && in.Quote.Payout == 0
	if !known(price) && !worthless {
		d := skip(MarketClosed, "There is no price of "+t.Asset.Name+" now; "+display.PercentText(part)+" of the copy is closed once there is one.")
		d.Part = part
		return d
	}
	d := Decision{Quantity: c.Quantity * part, Part: part, Leverage: c.Leverage}
	d.SizeUSD = d.Quantity * price
	d.WorstPrice = max(0, price*(1-c.Side.sign()*closingSlippage))
	least := limitsOf(in.Venue, t.Asset.Chain).leastUSD
	if part < 1 && d.SizeUSD < least {
		owed := skip(BelowMinOrder, "The close comes to "+usdText(d.SizeUSD)+", less than the smallest order of "+usdText(least)+
			"; it is made together with the next one.")
		owed.Part = part
		return owed
	}
	switch {
	case t.Own:
		d.Reason = t.Cause
	case part == 1:
		d.Reason = "The leader closed " + t.Asset.Name + ", and the whole copy is closed."
	default:
		d.Reason = "The leader closed " + display.PercentText(share(t.Share, 1)) + " of its position in " + t.Asset.Name + ", and " +
			display.PercentText(part) + " of the copy is closed."
	}
	return d
}
