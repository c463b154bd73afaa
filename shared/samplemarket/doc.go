// Package samplemarket is a whole simulated market, served over HTTP in the wire formats of the public data providers.
//
// Agents with planted behaviour (skilled, lucky, losing, washing, sniping, farming, …) trade planted tokens (growers, pumps,
// rugs, honeypots, …) on constant-product pools of six chains. Every trade is a transaction in a ledger that conserves every
// asset; candles, holders, receipts, approvals and prices are all read off that one ledger. The ground truth of every wallet
// and token is kept beside it and never served.
//
// The world is a function of Seed and Start alone: the same two give the same bytes, in whatever steps the clock arrives.
//
// The nodes of its chains take transactions too (eth_sendRawTransaction), from whoever signs them, and run them by an EVM in the newest
// block: approvals of the chain's own tokens, the smart-account factory at AccountFactory, and contracts that are made. What was sent lies
// beside the ledger, in memory: it moves no asset of the simulated market, no agent notices it, and a market that is made again knows
// nothing of it. Gas is paid for by nobody, so that a key that was made a moment ago can send; its balance is zero all the same, and it
// can send no coin.
//
// It is for development, load and accuracy tests. It is no model of real returns, and it is never a source of live answers.
package samplemarket
