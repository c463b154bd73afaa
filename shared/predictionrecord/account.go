package predictionrecord

// Account is what a wallet holds of one outcome at its average cost. Its zero value is empty.
//
// Shares may fall below zero, since fills of one moment are listed in any order and shares also come by splits and conversions; cost
// never does: what was not bought costs nothing until it is.
type Account struct {
	// Shares is what is held, CostUSD what that cost, RealizedUSD the profit of what was sold.
	Shares, CostUSD, RealizedUSD float64
}

// Buy adds shares and what was paid for them, fees included.
func (a *Account) Buy(shares, usd float64) {
	a.Shares += shares
	a.CostUSD += usd
}

// Sell takes shares away at their average cost and adds what they brought, net of fees.
func (a *Account) Sell(shares, usd float64) {
	cost := 0.0
	if a.Shares > 0 {
		cost = a.CostUSD / a.Shares * shares
	}
	a.RealizedUSD += usd - cost
	a.Shares -= shares
	a.CostUSD = max(0, a.CostUSD-cost)
}
