// Package holdings takes stock of a wallet: what it holds on one chain, and what that is worth.
//
// Balances come from the explorer, prices from where tokens are traded, and a holding counts only at a price that can be believed and
// for no more than its pools could pay (valuation.go). It judges neither the tokens nor their owner.
package holdings
