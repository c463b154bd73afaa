package tokenrisk

import (
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// Taxes from which a token is worse, as fractions. What is below the first is the rounding of coins that rebase or reflect.
const (
	taxNoted    = 0.02
	taxNotLow   = 0.10
	taxHigh     = 0.15
	taxCritical = 0.50
)

// judgeTrades judges what test trades and the security provider say of buying and selling. It tells whether selling was seen to work.
func (j *judgement) judgeTrades(f *Facts, a *Assessment) (sold bool) {
	security := &f.Security.TokenSecurity
	if !f.Security.Known {
		security = &market.TokenSecurity{BuyTax: math.NaN(), SellTax: math.NaN(), TransferTax: math.NaN()}
	}
	simulation := f.Simulation
	if simulation == nil || simulation.Source == "" {
		simulation = &market.Simulation{}
	}
	if simulation.SellAll.Done == market.Unknown || simulation.Buy.Done == market.No {
		j.miss(LayerSimulation, "UNCHECKED_SIMULATION", "No test trade could show whether the token can be sold.")
	}
	trapped := simulation.Buy.Done == market.Yes && simulation.SellAll.Done == market.No
	works := simulation.Buy.Done == market.Yes && simulation.SellAll.Done == market.Yes
	switch {
	case trapped:
		j.find(floorCertain, "SELL_FAILS", "Selling failed in a test trade; you may not be able to exit.")
	case security.Honeypot == market.Yes && !works:
		j.find(floorCritical, "SELL_FAILS", "A security provider found that holders cannot sell; you may not be able to exit.")
	case security.Honeypot == market.Yes:
		j.find(floorHigh, "SELL_DISPUTED", "A test trade could be sold, yet a security provider found that holders cannot sell.")
	}
	switch {
	case trapped || security.Honeypot == market.Yes && !works:
		a.SellBlocked = market.Yes
	case works || security.Honeypot == market.No:
		a.SellBlocked = market.No
	}
	if security.CannotSellAll == market.Yes {
		j.find(floorHigh, "CANNOT_SELL_ALL", "A security provider found that a holder cannot sell everything at once.")
	}
	switch {
	case simulation.Buy.Done == market.No:
		j.find(floorMedium, "BUY_FAILS", "Buying failed in a test trade, so selling could not be tried.")
	case security.CannotBuy == market.Yes:
		j.find(floorMedium, "BUY_FAILS", "A security provider found that the token cannot be bought.")
	}
	if !trapped {
		j.judgeVariants(simulation)
	}
	a.BuyTax = j.judgeTax("BUY_TAX", "Buying", security.BuyTax, simulation.Buy)
	a.SellTax = j.judgeTax("SELL_TAX", "Selling", security.SellTax,
		simulation.SellAll, simulation.SellHalves, simulation.SellElsewhere, simulation.SellLater, simulation.SellLarge)
	if tax := fraction(security.TransferTax); tax >= taxHigh {
		j.find(floorHigh, "TRANSFER_TAX", "Sending the token to another wallet costs %s of the amount.", display.PercentText(tax))
	}
	return works || security.Honeypot == market.No
}

// judgeVariants judges the ways of selling that a trap may treat differently.
func (j *judgement) judgeVariants(s *market.Simulation) {
	if s.SellHalves.Done == market.No {
		j.find(floorHigh, "SELL_PART_FAILS", "Selling in parts failed in a test trade.")
	}
	if s.SellElsewhere.Done == market.No {
		j.find(floorHigh, "SELL_AFTER_TRANSFER_FAILS", "Selling from a second wallet failed in a test trade.")
	}
	if s.SellLater.Done == market.No {
		j.find(floorHigh, "SELL_LATER_FAILS", "Selling some time after buying failed in a test trade.")
	}
	if s.SellLarge.Done == market.No {
		j.find(floorHigh, "SELL_LARGE_FAILS", "Selling a larger amount failed in a test trade.")
	}
}

// judgeTax judges the largest tax of the trials, or else the provider's figure, and returns it; NaN when nobody knows. Where both are
// known the trials count, since a tax may have been lowered since the provider looked, and much less than it said is a finding.
func (j *judgement) judgeTax(code, action string, reported float64, trials ...market.Trial) float64 {
	tried := math.NaN()
	for _, trial := range trials {
		if tax := math.Max(trial.Tax, 0); trial.Done == market.Yes && tax <= 1 && !(tax <= tried) {
			tried = tax
		}
	}
	reported = fraction(reported)
	tax := tried
	if math.IsNaN(tried) {
		tax = reported
	}
	text := display.PercentText(tax)
	switch {
	case tax >= taxCritical:
		j.find(floorCritical, code, "%s costs %s of the amount.", action, text)
	case tax >= taxHigh:
		j.find(floorHigh, code, "%s costs %s of the amount.", action, text)
	case tax >= taxNotLow:
		j.find(floorNotLow, code, "%s costs %s of the amount.", action, text)
	case tax >= taxNoted:
		j.find(floorNone, code, "%s costs %s of the amount.", action, text)
	}
	if reported >= taxHigh && tried < taxHigh {
		j.find(floorMedium, code+"_DISPUTED", "%s cost %s of the amount in a test trade, but a security provider found %s.",
			action, text, display.PercentText(reported))
	}
	return tax
}
