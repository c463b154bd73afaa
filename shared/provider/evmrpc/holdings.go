package evmrpc

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
)

// maximumHoldings bounds the tokens whose balance is read for one wallet.
const maximumHoldings = 500

// Holdings reads the balances of the native coin, of the chain's quote assets, and of the tokens that the wallet was seen
// to send or receive, most recently moved first where there are too many. A node knows no prices: PriceUSD is NaN.
func (a *Adapter) Holdings(ctx context.Context, on *chain.Chain, wallet chain.Address) ([]market.Holding, error) {
	client, err := a.client(on)
	if err != nil {
		return nil, err
	}
	logs, _, err := a.walletLogs(ctx, client, on, wallet, math.MaxInt)
	if err != nil {
		return nil, err
	}
	candidates := []chain.Address{chain.Native}
	for _, quote := range on.Quotes() {
		candidates = append(candidates, quote.Address)
	}
	slices.SortFunc(logs, func(x, y Log) int {
		return cmp.Or(cmp.Compare(y.Block, x.Block), cmp.Compare(y.Index, x.Index))
	})
	seen := make(map[chain.Address]bool, len(candidates))
	for _, candidate := range candidates {
		seen[candidate] = true
	}
	for i := range logs {
		if token := logs[i].Address; len(logs[i].Topics) == 3 && !seen[token] && len(candidates) < maximumHoldings {
			seen[token] = true
			candidates = append(candidates, token)
		}
	}
	balances := make([]market.Amount, len(candidates))
	group, groupContext := parallel.WithContext(ctx)
	group.SetLimit(parallelCalls)
	for i, candidate := range candidates {
		group.Go(func() (err error) {
			if candidate == chain.Native {
				balances[i], err = ask(groupContext, client, call{"eth_getBalance", []any{wallet, "latest"}}, parseQuantity)
				return err
			}
			balances[i], _, err = readAmount(groupContext, client, candidate, callData(balanceOfSelector, wallet))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var held []chain.Address
	for i, candidate := range candidates {
		if !balances[i].IsZero() {
			held = append(held, candidate)
		}
	}
	tokens, err := a.describe(ctx, client, on, held)
	if err != nil {
		return nil, err
	}
	holdings := make([]market.Holding, 0, len(held))
	dropped := 0
	for i, candidate := range candidates {
		switch token := tokens[candidate]; {
		case balances[i].IsZero():
		case !token.Known:
			dropped++
		default:
			holdings = append(holdings, market.Holding{Token: token, Amount: balances[i], PriceUSD: math.NaN()})
		}
	}
	client.Drop("eth_call", dropped)
	return holdings, nil
}

// delegationPrefix starts the code of an account that delegates to a contract (EIP-7702).
var delegationPrefix = []byte{0xef, 0x01, 0x00}

// Code reads the code at an account. An account that delegates is still an externally owned one.
func (a *Adapter) Code(ctx context.Context, on *chain.Chain, account chain.Address) (market.Code, error) {
	client, err := a.client(on)
	if err != nil {
		return market.Code{}, err
	}
	code, err := ask(ctx, client, call{"eth_getCode", []any{account, "latest"}}, parseData)
	if err != nil {
		return market.Code{}, err
	}
	return parseCode(code), nil
}

func parseCode(code []byte) market.Code {
	found := market.Code{Empty: len(code) == 0}
	if len(code) == len(delegationPrefix)+len(found.Delegate) && bytes.HasPrefix(code, delegationPrefix) {
		found.Delegate = chain.Address(code[len(delegationPrefix):])
	}
	return found
}
