// Package polymarket reads wallets, markets and prices of the prediction market Polymarket.
//
// It asks three keyless services (https://docs.polymarket.com): the data service for what a wallet did and holds (GET /activity,
// /trades, /positions, /closed-positions of version 1) and for who leads its list of traders (GET /v1/leaderboard), the market
// catalogue for how markets stand (GET /markets), and the order book service for past prices (GET /prices-history) and, where the
// catalogue does not say how a market ended, for its winner (GET /markets/{condition}). A wallet is the account that holds the
// shares, a proxy contract as a rule: for the key that controls it the services know nothing.
//
// It says what the services say, checked at the door. It accounts for nothing: which trades belong to one bet, what a bet
// earned and whether it can be followed is for others to judge.
package polymarket
