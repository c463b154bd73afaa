package copytrade

import "math"

// The flags, in the order in which an answer lists them.
const (
	leaderOverlevered   = "leader-overlevered"
	liquidationClose    = "liq-close"
	fundingHeavy        = "funding-heavy"
	fundingPaysYou      = "funding-pays-you"
	crowdedSide         = "crowded-side"
	volatilityAssumed   = "volatility-assumed"
	chasingFlag         = "chasing"
	thinMarket          = "thin-market"
	isolatedRecommended = "isolated-recommended"
)

const (
	// crowdedShare of the other contracts must have smaller funding where a side is crowded.
	crowdedShare = 0.9
	// thinShare is the part of a day's volume, and of the open interest, from which on a copy is large for its market.
	// supposedCopyUSD is the value of a copy whose allocation is not given.
	thinShare, supposedCopyUSD = 0.01, 2000
	// isolatedTouch is the chance of liquidation from which on it is worth keeping the rest of an account out of it.
	isolatedTouch = 0.01
	// receivedFunding is the least that counts as being paid: half of the last digit that is shown.
	receivedFunding = 0.00005
)

func (d *ruling) flags() []string {
	flags := make([]string, 0, 9)
	for _, f := range [...]struct {
		name string
		up   bool
	}{
		{leaderOverlevered, d.overlevered()},
		{liquidationClose, d.leaderDistance < closeLiquidation},
		{fundingHeavy, d.fundingOfMargin > heavyFunding},
		{fundingPaysYou, d.paid()},
		{crowdedSide, d.crowded()},
		{volatilityAssumed, d.volatility.source == byDefault},
		{chasingFlag, d.chasing()},
		{thinMarket, d.shareOfMarket() > thinShare},
		{isolatedRecommended, d.isolated()},
	} {
		if f.up {
			flags = append(flags, f.name)
		}
	}
	return flags
}

func (d *ruling) overlevered() bool { return d.leverage > float64(d.maximum) && d.maximum > 0 }

// paid is true when the side receives funding.
func (d *ruling) paid() bool { return d.funding <= -receivedFunding }

// crowded is true when the side pays, and more than nearly all other contracts' sides: the crowd is where the payers are.
func (d *ruling) crowded() bool { return d.funding > 0 && d.crowding >= crowdedShare }

// shareOfMarket is the value of a full copy as a part of a day's volume or of the open interest, whichever is smaller; NaN where
// neither is known.
func (d *ruling) shareOfMarket() float64 {
	value := float64(supposedCopyUSD)
	if !math.IsNaN(d.allocation) {
		value = d.allocation * max(1, d.follower)
	}
	share := math.NaN()
	for _, traded := range [...]float64{d.dayVolume, d.openInterest} {
		if part := value / traded; !(part <= share) && !math.IsNaN(part) {
			share = part
		}
	}
	return share
}

// isolated is true when a liquidation is likely enough to be kept from the rest of the account, or the contract allows nothing else.
func (d *ruling) isolated() bool {
	return d.maximum > 0 && (d.onlyIsolated || d.touch >= isolatedTouch)
}
