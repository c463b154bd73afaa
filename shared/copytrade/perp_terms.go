package copytrade

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/margin"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

const (
	// assumedMaximumLeverage is a middling contract's, for one of which nothing is known.
	assumedMaximumLeverage = 10
	assumedHoldHours       = 24
	// highestLeverage is more than any venue allows.
	highestLeverage = 200
	// farApart is the factor from which on two prices cannot be of the same contract: the units of contracts differ by a thousand.
	farApart = 100
)

// figure is a number and where it came from.
type figure struct {
	value  float64
	source string
}

// perpTerms are what a decision is made from. Numbers that are not known are NaN.
type perpTerms struct {
	side margin.Side
	// leverage is the leader's; fundingHourly a fraction of the position's value, positive when longs pay.
	leverage, fundingHourly             float64
	entryPrice, markPrice, liquidation  float64
	venueMaximum, maintenance, holdTime figure
	// volatility is the standard deviation of a day's log return, a fraction, measured on so many days where the venue tells it.
	volatility     figure
	volatilityDays int
	// grade is the leader's, empty when unknown.
	grade      string
	allocation float64
	// coin is true where a contract was named, and listed where the venue's list of contracts was read. crowding is the share of so many
	// other contracts whose funding is smaller.
	coin, listed            bool
	crowding                float64
	contracts               int
	dayVolume, openInterest float64
	onlyIsolated            bool
}

// leastLeverage is the leader's leverage as a follower could take it: venues offer none below 1.
func (t *perpTerms) leastLeverage() float64 { return max(t.leverage, 1) }

func readPerp(r *endpoint.Request) *perpTerms {
	optional := func(p endpoint.Typed[float64]) float64 {
		if p.Has(r) {
			return p.Of(r)
		}
		return math.NaN()
	}
	given := func(p endpoint.Typed[float64], scale float64) figure { return figure{optional(p) * scale, fromRequest} }
	t := &perpTerms{
		side: margin.Long, leverage: leverage.Of(r), fundingHourly: fundingRateHourly.Of(r),
		entryPrice: optional(entryPrice), markPrice: optional(markPrice), liquidation: optional(liquidationPrice),
		venueMaximum: given(maxLeverage, 1), maintenance: given(maintenanceMarginRate, 1), volatility: given(dailyVolPct, 0.01),
		holdTime: given(holdHours, 1), grade: leaderGrade.Of(r), allocation: optional(allocationUSD), coin: coin.Has(r),
		crowding: math.NaN(), dayVolume: math.NaN(), openInterest: math.NaN(),
	}
	if side.Of(r) == "short" {
		t.side = margin.Short
	}
	return t
}

// checkPerp refuses what contradicts itself, and what would be ignored.
func checkPerp(r *endpoint.Request) error {
	if coin.Has(r) && !coinName().MatchString(coin.Of(r)) {
		return endpoint.Invalid("coin", "coin must be a contract's name of letters and digits, like BTC, kPEPE or xyz:CL, with or without -PERP or -USD.")
	}
	t := readPerp(r)
	switch rate := t.maintenance.value; {
	case rate*t.leverage >= 1:
		return endpoint.Invalid("maintenanceMarginRate", fmt.Sprintf(
			"maintenanceMarginRate must be below 1/leverage: with %v at %s a position is liquidated as it is opened.", rate, leverageText(t.leverage)))
	case rate*t.venueMaximum.value >= 1:
		return endpoint.Invalid("maintenanceMarginRate", fmt.Sprintf(
			"maintenanceMarginRate must be below 1/maxLeverage: with %v at %s a position is liquidated as it is opened.", rate, leverageText(t.venueMaximum.value)))
	}
	if math.IsNaN(t.markPrice) && !t.coin {
		switch {
		case !math.IsNaN(t.liquidation):
			return endpoint.Invalid("liquidationPrice", "liquidationPrice tells nothing without markPrice or coin. Send one of them, or leave it out.")
		case !math.IsNaN(t.entryPrice):
			return endpoint.Invalid("entryPrice", "entryPrice tells nothing without markPrice or coin. Send one of them, or leave it out.")
		}
	}
	if t.side == margin.Long && t.liquidation >= t.markPrice {
		return endpoint.Invalid("liquidationPrice", "liquidationPrice must be below markPrice for a long position.")
	}
	if t.side == margin.Short && t.liquidation <= t.markPrice {
		return endpoint.Invalid("liquidationPrice", "liquidationPrice must be above markPrice for a short position.")
	}
	return t.checkEntry()
}

// checkEntry refuses prices that are not of the same contract.
func (t *perpTerms) checkEntry() error {
	if t.entryPrice > farApart*t.markPrice || t.markPrice > farApart*t.entryPrice {
		return endpoint.Invalid("entryPrice", fmt.Sprintf(
			"entryPrice is more than %d times away from the mark price; give the price of one unit of the contract.", farApart))
	}
	return nil
}

// gatherPerp completes what the request left out: from the venue where a contract is named, else from what is given, else from
// defaults.
func gatherPerp(ctx context.Context, r *endpoint.Request) (*perpTerms, error) {
	t := readPerp(r)
	if t.coin {
		if err := t.readVenue(ctx, r); err != nil {
			return nil, err
		}
	}
	t.assume()
	return t, nil
}

// readVenue reads the contract's figures. Its list of contracts is needed for what only the venue knows, too, such as how crowded a
// side is: where nothing else is missing, a venue that does not answer leaves that open.
func (t *perpTerms) readVenue(ctx context.Context, r *endpoint.Request) error {
	priced := !math.IsNaN(t.entryPrice) || !math.IsNaN(t.liquidation)
	needsMark := priced && math.IsNaN(t.markPrice)
	complete := !needsMark && !math.IsNaN(t.venueMaximum.value) && !math.IsNaN(t.maintenance.value) && !math.IsNaN(t.volatility.value)
	listed, err := findContract(ctx, r.Session, coin.Of(r))
	if err != nil {
		if complete && errors.Is(err, market.ErrUnavailable) {
			return nil
		}
		return err
	}
	contract := listed.contract()
	if err := t.takeFrom(listed, contract, needsMark); err != nil {
		return err
	}
	if !math.IsNaN(t.volatility.value) {
		return nil
	}
	daily, days, err := readVolatility(ctx, r.Session, contract.Coin, r.AsOf)
	t.volatility, t.volatilityDays = figure{daily, fromVenue}, days
	return err
}

func (t *perpTerms) takeFrom(listed *listing, contract *market.PerpMarket, needsMark bool) error {
	if needsMark {
		if !(contract.MarkPrice > 0) {
			return fmt.Errorf("mark price of %s: %w", contract.Coin, market.ErrUnavailable)
		}
		t.markPrice = contract.MarkPrice
		if err := t.checkEntry(); err != nil {
			return err
		}
	}
	if len(contract.Tiers) == 0 || !(contract.Tiers[len(contract.Tiers)-1].MaximumLeverage >= 1) {
		return fmt.Errorf("margin tiers of %s: %w", contract.Coin, market.ErrUnavailable)
	}
	// A larger position is held to the tier of its size.
	tier := tierOf(contract.Tiers, t.allocation*min(t.leastLeverage(), mostLeverage))
	if math.IsNaN(t.venueMaximum.value) {
		t.venueMaximum = figure{tier.MaximumLeverage, fromVenue}
	}
	if math.IsNaN(t.maintenance.value) {
		t.maintenance = figure{maintenanceOf(tier.MaximumLeverage), fromVenue}
	}
	t.listed, t.onlyIsolated = true, contract.OnlyIsolated
	t.crowding, t.contracts = listed.standing(t.fundingHourly)
	t.dayVolume, t.openInterest = contract.VolumeUSD24h, contract.OpenInterestUSD
	return nil
}

// tierOf is the margin tier of a position worth so much; the first for one of unknown value.
func tierOf(tiers []market.MarginTier, valueUSD float64) market.MarginTier {
	at := slices.IndexFunc(tiers, func(t market.MarginTier) bool { return t.FromUSD > valueUSD })
	switch {
	case math.IsNaN(valueUSD) || at == 0:
		return tiers[0]
	case at < 0:
		return tiers[len(tiers)-1]
	}
	return tiers[at-1]
}

// maintenanceOf is the maintenance rate of a maximum leverage: half of the initial rate.
func maintenanceOf(maximumLeverage float64) float64 { return 1 / (2 * maximumLeverage) }

// assume fills in what nobody told.
func (t *perpTerms) assume() {
	source := derived
	if math.IsNaN(t.venueMaximum.value) {
		t.venueMaximum = figure{min(1/(2*t.maintenance.value), highestLeverage), derived}
		if math.IsNaN(t.maintenance.value) {
			t.venueMaximum, source = figure{assumedMaximumLeverage, byDefault}, byDefault
		}
	}
	if math.IsNaN(t.maintenance.value) {
		t.maintenance = figure{maintenanceOf(t.venueMaximum.value), source}
	}
	if math.IsNaN(t.volatility.value) {
		t.volatility = figure{assumedVolatility(t.venueMaximum.value), byDefault}
	}
	if math.IsNaN(t.holdTime.value) {
		t.holdTime = figure{assumedHoldHours, byDefault}
	}
}
