// Package wallet is the trader page: what a wallet's trading on one chain says of the trader, and how safe the wallet is.
//
// Each endpoint has a file: its answer, what it gathers, its pure assess function, and its declaration. What several of them
// need is gathered once a request: the record (trades, positions and measures, by tradingrecord), the price history of the tokens
// traded (history.go) and the holdings.
//
// The statistics behind grades live in trader and stats, positions in position; perpetuals and prediction markets have pages
// of their own.
package wallet
