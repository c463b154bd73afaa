// Package hyperliquid reads accounts and contracts of the perpetuals venue Hyperliquid from its info endpoint
// (https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/info-endpoint), and those of the exchanges that builders run on it.
//
// Adapter asks POST /info alone: userFillsByTime, clearinghouseState, spotClearinghouseState, userFunding, userNonFundingLedgerUpdates,
// metaAndAssetCtxs and candleSnapshot. Of an account's fills the venue gives the latest 10,000, of everything else all; long histories
// come in pages, oldest first. The venue allows each address of the internet a weight of 1,200 a minute, where a question has a weight
// and so has every row of some answers: the rate and the burst of Defaults keep below that together.
//
// Leaderboard reads the venue's list of traders from the host of its statistics, GET /Mainnet/leaderboard, which is not documented: all
// of some 30,000 rows in one answer, of which only those that lead a window are kept.
//
// It judges nothing and does no accounting. Fills of spot pairs and of other things than perpetual contracts are counted and left out.
package hyperliquid
