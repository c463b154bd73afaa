// Package perpvenue is a simulated perpetuals venue that speaks the info API of Hyperliquid and has its leaderboard: accounts with
// planted behaviour (skilled, lucky, losing, martingale, liquidated, hedged, market-making, …) trade contracts whose prices follow one
// market with drift, changing volatility and jumps. Fills, funding, liquidations, margin and ledgers follow the venue's rules, and what
// was planted and what became of it is kept beside it and never served.
//
// The venue is a function of Seed and Start alone. Accounts are played when they are first asked for, each from its own stream of
// randomness, so neither the order of questions nor the steps in which time arrives change a byte.
//
// It is for development, load and accuracy tests. It has no order book of its own (accounts trade with a crowd that is not
// simulated), it is no model of real returns, and it is never a source of live answers.
package perpvenue
