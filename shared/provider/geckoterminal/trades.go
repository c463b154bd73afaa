package geckoterminal

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

const (
	// tradesPerAnswer is where the service cuts its list of trades, which reaches back tradeWindow at most.
	tradesPerAnswer = 300
	tradeWindow     = 24 * time.Hour
	// maximumUnits bounds an amount in token units: 2^256 raw units of a token without decimals.
	maximumUnits = 1.2e77
)

var _ market.TradePort = (*Adapter)(nil)

type tradeAnswer struct {
	// Data is nil where the answer has no list, which is not the same as an empty one.
	Data *upstream.Rows[tradeRow] `json:"data"`
}

type tradeRow struct {
	ID         upstream.Text `json:"id"`
	Attributes struct {
		Block      upstream.Number `json:"block_number"`
		Hash       upstream.Text   `json:"tx_hash"`
		Trader     upstream.Text   `json:"tx_from_address"`
		FromAmount upstream.Number `json:"from_token_amount"`
		ToAmount   upstream.Number `json:"to_token_amount"`
		Time       upstream.Text   `json:"block_timestamp"`
		ValueUSD   upstream.Number `json:"volume_in_usd"`
		From       upstream.Text   `json:"from_token_address"`
		To         upstream.Text   `json:"to_token_address"`
	} `json:"attributes"`
}

// Trades reads the latest trades of a token in one pool: those of the last day, 300 at most. Which side a trade was on follows from
// the tokens it names. Of a pool that the service does not know, nothing is covered: the list is empty, truncated, and reaches back
// to now.
func (a *Adapter) Trades(ctx context.Context, on *chain.Chain, request market.TradesRequest) (*market.TokenTrades, error) {
	name, err := network(on)
	if err != nil {
		return nil, err
	}
	id, ok := upstream.PoolID(request.Pool)
	if !ok {
		return nil, errNotAPool
	}
	token, now := on.ERC20(request.Token), a.client.Now()
	path := "/networks/" + name + "/pools/" + id + "/trades"
	return upstream.Get(ctx, a.client, path, url.Values{"token": {token.String()}}, func(response *upstream.Response) (*market.TokenTrades, error) {
		if response.Status == http.StatusNotFound {
			return &market.TokenTrades{Truncated: true, Since: now}, nil
		}
		answer, err := upstream.JSON[tradeAnswer](response)
		if err != nil {
			return nil, err
		}
		if answer.Data == nil {
			return nil, fmt.Errorf("%w: no list of trades", upstream.ErrUnreadable)
		}
		trades, dropped := readTrades(answer.Data, token, now)
		if rows := len(answer.Data.Good) + answer.Data.Dropped; rows > 0 && dropped == rows {
			return nil, fmt.Errorf("%w: none of %d trades can be true", upstream.ErrUnreadable, rows)
		}
		a.client.Drop(path, dropped)
		return trades, nil
	})
}

var errNotAPool = errors.New("not a pool's address or id: want 0x and 40 or 64 hexadecimal digits")

func readTrades(rows *upstream.Rows[tradeRow], token chain.Address, now time.Time) (*market.TokenTrades, int) {
	answer := &market.TokenTrades{
		Truncated: len(rows.Good)+rows.Dropped >= tradesPerAnswer, Since: now.Add(-tradeWindow),
		Trades: make([]market.TokenTrade, 0, len(rows.Good)),
	}
	dropped := rows.Dropped
	for i := range rows.Good {
		trade, ok := rows.Good[i].trade(token, now)
		switch {
		case !ok:
			dropped++
		case !trade.Time.Before(answer.Since):
			answer.Trades = append(answer.Trades, trade)
		}
	}
	slices.SortStableFunc(answer.Trades, func(a, b market.TokenTrade) int {
		return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.LogIndex, b.LogIndex), a.Time.Compare(b.Time))
	})
	answer.Trades = slices.CompactFunc(answer.Trades, func(a, b market.TokenTrade) bool {
		return a.Transaction == b.Transaction && a.LogIndex == b.LogIndex
	})
	if answer.Truncated && len(answer.Trades) > 0 {
		answer.Since = answer.Trades[0].Time
	}
	return answer, dropped
}

func (r *tradeRow) trade(token chain.Address, now time.Time) (market.TokenTrade, bool) {
	row := &r.Attributes
	block, validBlock := row.Block.Int()
	hash, validHash := transactionHash(string(row.Hash))
	trader, traderErr := chain.ParseWireAddress(string(row.Trader))
	from, fromErr := chain.ParseWireAddress(string(row.From))
	to, toErr := chain.ParseWireAddress(string(row.To))
	at, validTime := upstream.Timestamp(string(row.Time), now)
	index, validIndex := r.logIndex()
	value, validValue := row.ValueUSD.USD()
	buy := to == token
	moved, other := row.FromAmount, row.ToAmount
	if buy {
		moved, other = other, moved
	}
	amount, validAmount := moved.Float()
	quoteAmount, validQuote := other.Float()
	if !validQuote || !(quoteAmount > 0) || quoteAmount > maximumUnits {
		quoteAmount = 0
	}
	if !validBlock || block < 0 || !validHash || traderErr != nil || trader.IsZero() || fromErr != nil || toErr != nil || !validTime || !validIndex ||
		!validValue || !validAmount || amount <= 0 || amount > maximumUnits || (from == token) == buy {
		return market.TokenTrade{}, false
	}
	return market.TokenTrade{
		Time: at, Transaction: hash, Block: uint64(block), LogIndex: index, Trader: trader, Buy: buy, Amount: amount, ValueUSD: value, QuoteAmount: quoteAmount,
	}, true
}

// logIndex is the part before the last of an id like polygon_pos_{block}_{transaction}_{log index}_{time}.
func (r *tradeRow) logIndex() (int, bool) {
	parts := strings.Split(string(r.ID), "_")
	if len(parts) < 5 {
		return 0, false
	}
	index, err := strconv.ParseInt(parts[len(parts)-2], 10, 32)
	return int(index), err == nil && index >= 0
}

func transactionHash(text string) (hash market.Hash, ok bool) {
	if len(text) != 66 || text[:2] != "0x" {
		return market.Hash{}, false
	}
	_, err := hex.Decode(hash[:], []byte(text[2:]))
	return hash, err == nil
}
