// Package perpvenue is a simulated perpetuals venue that speaks the info API of Hyperliquid and has its leaderboard: accounts with
// planted behaviour (skilled, lucky, losing, martingale, liquidated, hedged, market-making, …) trade contracts whose prices follow one
// market with drift, changing volatility and jumps. Fills, funding, liquidations, margin and ledgers follow the venue's rules, and what
// was planted and what became of it is kept beside it and never served.
//
// Guests trade there from outside by the exchange API: with what an account signs it approves an agent, gets a paper balance of 12,500 USD,
// and the agent's orders are filled at once against the book, are checked like the venue's (signature, nonce, step, minimum, margin,
// leverage), show in the account's fills, positions and margin, pay funding and can be liquidated. Orders that would rest in the book,
// other actions and withdrawals are refused; how long an agent may trade where nobody said so (90 days) and the words of some refusals are
// assumptions. What guests do is kept in memory and ends with the venue.
//
// But for its guests the venue is a function of Seed and Start alone. Accounts are played when they are first asked for, each from its own stream of
// randomness, so neither the order of questions nor the steps in which time arrives change a byte.
//
// It is for development, load and accuracy tests. It has no order book of its own (accounts trade with a crowd that is not
// simulated), it is no model of real returns, and it is never a source of live answers.
package perpvenue
