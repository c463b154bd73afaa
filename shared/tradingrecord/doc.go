// Package tradingrecord gathers a wallet's trading record on one chain, once a request and shared: what it traded, in which
// positions, and what that says of the trader. Whoever grades a trader grades this record, so that all grades of a wallet agree.
//
// It fetches facts and has positions and measures made of them. The grade itself is trader's, answers are the pages'.
package tradingrecord
