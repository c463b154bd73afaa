// Package portfolio is the portfolio page: how risky and how concentrated what a wallet holds on one chain is.
//
// Holdings come from the explorer, prices from where tokens are traded, and a holding counts only at a price that can be believed
// and for no more than its pools could pay (valuation.go). The risk of each token is that of package tokenrisk, which this package
// asks side by side for the largest holdings; it judges no token itself. It knows nothing of how a wallet trades: that, and the
// wallet's approvals, come as endpoints of another page that the host hands in.
package portfolio
