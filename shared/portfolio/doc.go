// Package portfolio is the portfolio page: how risky and how concentrated what a wallet holds on one chain is.
//
// What a wallet holds and what that is worth is told by package holdings. The risk of each token is that of package tokenrisk, which
// this package asks side by side for the largest holdings; it judges no token itself. It knows nothing of how a wallet trades: that,
// and the wallet's approvals, come as endpoints of another page that the host hands in.
package portfolio
