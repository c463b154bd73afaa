// Package blockscout reads wallets' histories and balances, and tokens' holders, from Blockscout explorers, one instance a chain.
//
// It asks the v2 REST API as Blockscout's own OpenAPI documents it (github.com/blockscout/blockscout-api-v2-swagger), of
// old and new instances alike: /addresses/{hash}, and below it token-transfers, transactions, internal-transactions and
// token-balances; and /tokens/{hash} with its holders. Lists of a wallet are read newest first, side by side, at most
// maximumPages pages each; no page size is sent, since instances disagree about it. Rates are the client's to keep: a public
// instance allows about three requests a second, a key five.
//
// It does not price history: the explorer's exchange rates are those of now. Where a chain has no explorer, package evmrpc
// reads the same facts from a node.
package blockscout

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// maximumPages bounds the pages read of one list of one wallet, 50 rows each on every instance known.
const maximumPages = 40

// Adapter reads facts from the explorers of one or more chains. It is safe for concurrent use.
type Adapter struct {
	clients      map[chain.Slug]*upstream.Client
	maximumPages int
}

// New makes an adapter whose clients' base addresses end in /api/v2.
func New(clients map[chain.Slug]*upstream.Client) *Adapter {
	return &Adapter{clients: clients, maximumPages: maximumPages}
}

// Covers tells whether an explorer is configured for a chain.
func (a *Adapter) Covers(slug chain.Slug) bool { return a.clients[slug] != nil }

func (a *Adapter) client(on *chain.Chain) (*upstream.Client, error) {
	if client := a.clients[on.Slug]; client != nil {
		return client, nil
	}
	return nil, fmt.Errorf("%w: no explorer is configured for %s", market.ErrUnavailable, on.Slug)
}

// orEmpty decodes like upstream.JSON, except that the 404 of an address never seen is the zero value.
func orEmpty[T any](response *upstream.Response) (T, error) {
	if response.Status == http.StatusNotFound {
		var empty T
		return empty, nil
	}
	return upstream.JSON[T](response)
}

// Holdings reads the balances of the native coin and of all ERC-20 tokens, with the explorer's current prices.
func (a *Adapter) Holdings(ctx context.Context, on *chain.Chain, wallet chain.Address) ([]market.Holding, error) {
	client, err := a.client(on)
	if err != nil {
		return nil, err
	}
	path := "/addresses/" + wallet.String()
	var account wireAccount
	var balances upstream.Rows[wireBalance]
	group, groupContext := parallel.WithContext(ctx)
	group.Go(func() (err error) {
		account, err = upstream.Get(groupContext, client, path, nil, readAccount)
		return err
	})
	group.Go(func() (err error) {
		balances, err = upstream.Get(groupContext, client, path+"/token-balances", nil, readBalances)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	holdings := make([]market.Holding, 0, 1+len(balances.Good))
	if amount, ok := account.Balance.Amount(); ok && !amount.IsZero() {
		holdings = append(holdings, market.Holding{Token: market.NativeToken(on), Amount: amount, PriceUSD: price(account.ExchangeRate)})
	}
	dropped := balances.Dropped
	for i := range balances.Good {
		row := &balances.Good[i]
		if row.Token.Type != fungible {
			continue
		}
		token, ok := row.Token.token()
		amount, known := row.Value.Amount()
		if !ok || !known || !token.Known {
			dropped++
			continue
		}
		if !amount.IsZero() {
			holdings = append(holdings, market.Holding{Token: token, Amount: amount, PriceUSD: price(row.Token.ExchangeRate)})
		}
	}
	client.Drop("/addresses/token-balances", dropped)
	return holdings, nil
}

// readAccount refuses an answer that names no account. The 404 of an address never seen is the zero value.
func readAccount(response *upstream.Response) (wireAccount, error) {
	account, err := orEmpty[wireAccount](response)
	if err == nil && response.Status != http.StatusNotFound {
		if _, parseErr := chain.ParseWireAddress(string(account.Hash)); parseErr != nil {
			err = fmt.Errorf("%w: no account", upstream.ErrUnreadable)
		}
	}
	return account, err
}

// readBalances refuses a list of which no row can be understood: it says nothing, which is not the same as no balances.
func readBalances(response *upstream.Response) (upstream.Rows[wireBalance], error) {
	rows, err := orEmpty[upstream.Rows[wireBalance]](response)
	count := len(rows.Good) + rows.Dropped
	if err == nil && count > 0 && !slices.ContainsFunc(rows.Good, func(row wireBalance) bool { return row.Token.Type != "" }) {
		err = fmt.Errorf("%w: none of %d balances names its kind of token", upstream.ErrUnreadable, count)
	}
	return rows, err
}

// price is NaN where the explorer has none.
func price(rate upstream.Number) float64 {
	if usd, ok := rate.Price(); ok {
		return usd
	}
	return math.NaN()
}
