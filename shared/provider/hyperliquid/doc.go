// Package hyperliquid reads accounts and contracts of the perpetuals venue Hyperliquid from its info endpoint
// (https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/info-endpoint), and those of the exchanges that builders run on it, and trades there.
//
// Adapter asks POST /info alone: userFillsByTime, clearinghouseState, spotClearinghouseState, userFunding, userNonFundingLedgerUpdates,
// metaAndAssetCtxs and candleSnapshot. Of an account's fills the venue gives the latest 10,000, of everything else all; long histories
// come in pages, oldest first. The venue allows each address of the internet a weight of 1,200 a minute, where a question has a weight
// and so has every row of some answers: the rate and the burst of Defaults keep below that together.
//
// Leaderboard reads the venue's list of traders from the host of its statistics, GET /Mainnet/leaderboard, which is not documented: all
// of some 30,000 rows in one answer, of which only those that lead a window are kept.
//
// Exchange trades, by POST /exchange: it places orders that are filled at once or not at all, cancels, and sets leverages for accounts
// that approved an agent, whose TradingKey signs; and it forwards approvals that an account signed itself. There is no action that moves
// money, and none is repeated: what is not known to be done is an UnknownOutcome, and found out by reading. What is signed follows the
// venue's own client (https://github.com/hyperliquid-dex/hyperliquid-python-sdk): action.go and typeddata.go say what, tradingkey.go with
// what, nonce.go when, wirenumber.go how prices and sizes are written, contracts.go of which contracts. answer.go reads what the venue makes
// of it, orderstatus.go what became of it.
//
// It judges nothing and does no accounting. Fills of spot pairs and of other things than perpetual contracts are counted and left out.
package hyperliquid
