package wallet

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

// WalletTradesAnswer lists a wallet's latest trades without amounts.
type WalletTradesAnswer struct {
	// Trades are the latest first.
	Trades []TradeRow `json:"trades"`
	// Summary sums up the listed trades.
	Summary TradesSummary `json:"summary"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// TradeRow is one trade. SizeBand is null for a trade that could not be valued.
type TradeRow struct {
	// Action is what was done. One of buy, sell or swap.
	Action string `json:"action"`
	// Symbol is that of the token bought or sold; of a swap, that of the token received.
	Symbol string `json:"symbol"`
	// FromSymbol is what was given in a swap of one token for another; null otherwise.
	FromSymbol *string `json:"fromSymbol"`
	// SizeBand is the order of magnitude of the trade's value in USD. One of dust, micro, small, medium, large or whale; null for a
	// trade that could not be valued.
	SizeBand *string `json:"sizeBand"`
	// MinsAgo is the trade's age in whole minutes.
	MinsAgo int `json:"minsAgo"`
}

// TradesSummary sums up the listed trades.
type TradesSummary struct {
	// Tilt is where the trades lean by value. One of buying, selling or balanced.
	Tilt string `json:"tilt"`
	// TopTokens are the symbols traded most by value, at most five.
	TopTokens []string `json:"topTokens"`
	// Buys counts the listed buys.
	Buys int `json:"buys"`
	// Sells counts the listed sells.
	Sells int `json:"sells"`
	// Swaps counts the listed swaps of one token for another.
	Swaps int `json:"swaps"`
}

// TradesLimit is how many trades wallet-trades lists.
var TradesLimit = endpoint.Integer("tradesLimit", "How many of the latest trades to list.", 1, 100, 20)

// tradesFacts are a record and the number of rows asked for.
type tradesFacts struct {
	*tradingrecord.Record
	limit int
}

// WalletTrades declares wallet-trades.
func WalletTrades() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "wallet-trades", Units: 2, Graded: true,
		Summary:    "Lists a wallet's latest trades as actions, symbols, size bands and ages.",
		Parameters: []endpoint.Parameter{endpoint.Wallet, endpoint.Chain, TradesLimit},
		Needs:      tradingrecord.Needs,
	}, func(ctx context.Context, r *endpoint.Request) (tradesFacts, error) {
		record, err := gatherRecord(ctx, r)
		return tradesFacts{record, TradesLimit.Of(r)}, err
	}, assessWalletTrades)
}

// topTokens is how many symbols a summary names.
const topTokens = 5

func assessWalletTrades(facts tradesFacts, asOf time.Time) WalletTradesAnswer {
	rows := latestTrades(facts.Record, facts.limit)
	answer := WalletTradesAnswer{Trades: make([]TradeRow, len(rows))}
	buyValue, sellValue := 0.0, 0.0
	values := make(map[chain.Address]float64)
	for i, row := range rows {
		answer.Trades[i] = tradeRowOf(facts.Record, row, asOf)
		switch row.action {
		case "buy":
			answer.Summary.Buys++
			buyValue += row.value
		case "sell":
			answer.Summary.Sells++
			sellValue += row.value
		default:
			answer.Summary.Swaps++
		}
		values[row.token] += row.value
	}
	answer.Summary.Tilt = tilt(answer.Summary.Buys, answer.Summary.Sells, buyValue, sellValue)
	answer.Summary.TopTokens = topTokensOf(facts.Record, values)
	answer.Reasons = reason.Top(append(facts.tradesReasons(answer, rows, asOf), coverageReasons(facts.Record, asOf)...))
	return answer
}

func (f tradesFacts) tradesReasons(answer WalletTradesAnswer, rows []tradeRow, asOf time.Time) []reason.Reason {
	if len(rows) == 0 {
		return []reason.Reason{because("NO_TRADES", 1, "No trade of this wallet was found on this chain.")}
	}
	oldest := rows[len(rows)-1].at
	return []reason.Reason{
		because("LISTED", 1, "The oldest of the %s listed is %s old.", display.Count(len(rows), "trade"), display.DurationText(asOf.Sub(oldest))),
		because("TILT", 0.9, "Among them: %s, %s and %s of one token for another.", display.Count(answer.Summary.Buys, "buy"), display.Count(answer.Summary.Sells, "sell"), display.Count(answer.Summary.Swaps, "swap")),
	}
}

// tradeRow is a trade, or the two legs of a swap between tokens.
type tradeRow struct {
	action      string
	token, from chain.Address
	value       float64 // 0 when unpriced
	priced      bool
	at          time.Time
}

// latestTrades lists the last so many trades, newest first. The two legs of a token-to-token swap are one row.
func latestTrades(r *tradingrecord.Record, limit int) []tradeRow {
	trades := r.Book.Ledger.Trades
	rows := make([]tradeRow, 0, min(limit, len(trades)))
	for i := len(trades) - 1; i >= 0 && len(rows) < limit; i-- {
		t := &trades[i]
		row := tradeRow{action: "buy", token: t.Token, value: t.ValueUSD, priced: t.Priced, at: t.Time}
		if !t.Priced {
			row.value = 0
		}
		if t.Side == position.Sell {
			row.action = "sell"
		}
		if t.Swap {
			row.action = "swap"
			row.from = t.Quote
			if t.Side == position.Sell {
				row.token, row.from = t.Quote, t.Token
			}
			i -= otherLegs(trades, i)
		}
		rows = append(rows, row)
	}
	return rows
}

// otherLegs counts the trades just before i that are legs of the same swap between tokens.
func otherLegs(trades []position.Trade, i int) int {
	legs := 0
	for j := i - 1; j >= 0 && trades[j].Swap && trades[j].Tx == trades[i].Tx && trades[j].Tx != (market.Hash{}); j-- {
		legs++
	}
	return legs
}

func tradeRowOf(r *tradingrecord.Record, t tradeRow, asOf time.Time) TradeRow {
	row := TradeRow{Action: t.action, Symbol: symbolIn(r, t.token), MinsAgo: display.MinutesAgo(t.at, asOf)}
	if t.action == "swap" {
		from := symbolIn(r, t.from)
		row.FromSymbol = &from
	}
	if t.priced {
		band := display.SizeBand(t.value)
		row.SizeBand = &band
	}
	return row
}

// tilt calls a direction only where count and value agree.
func tilt(buys, sells int, buyValue, sellValue float64) string {
	switch {
	case buys > sells && buyValue > sellValue:
		return "buying"
	case sells > buys && sellValue > buyValue:
		return "selling"
	}
	return "balanced"
}

// topTokensOf names the tokens with the most value; ties by symbol, then address.
func topTokensOf(r *tradingrecord.Record, values map[chain.Address]float64) []string {
	tokens := make([]chain.Address, 0, len(values))
	for token := range values {
		tokens = append(tokens, token)
	}
	slices.SortFunc(tokens, func(a, b chain.Address) int {
		switch {
		case values[a] != values[b] && values[a] > values[b]:
			return -1
		case values[a] != values[b]:
			return 1
		}
		if c := strings.Compare(symbolIn(r, a), symbolIn(r, b)); c != 0 {
			return c
		}
		return bytes.Compare(a[:], b[:])
	})
	symbols := make([]string, 0, topTokens)
	for _, token := range tokens[:min(len(tokens), topTokens)] {
		symbols = append(symbols, symbolIn(r, token))
	}
	return symbols
}
