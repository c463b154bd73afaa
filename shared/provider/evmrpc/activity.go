package evmrpc

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// nativeLogIndex is the LogIndex of movements of the native coin, which leave no log.
const nativeLogIndex = -1

// Activity finds the transactions in which the wallet sent or received an ERC-20 token or wrapped the native coin, and
// reads them. Plain transfers of the native coin and failed transactions leave no log and are not found; what arrives of
// the native coin is derived by nativeReceived.
func (a *Adapter) Activity(ctx context.Context, on *chain.Chain, wallet chain.Address) (*market.Activity, error) {
	client, err := a.client(on)
	if err != nil {
		return nil, err
	}
	logs, complete, err := a.walletLogs(ctx, client, on, wallet, a.limits.transactions)
	if err != nil {
		return nil, err
	}
	found := transactionsOf(logs)
	truncated := complete > 0
	if len(found) > a.limits.transactions {
		found, truncated = found[len(found)-a.limits.transactions:], true
	}
	group, groupContext := parallel.WithContext(ctx)
	group.SetLimit(parallelCalls)
	for i := range found {
		group.Go(func() error { return a.readTransaction(groupContext, client, on, &found[i]) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	activity := &market.Activity{
		Transactions: make([]market.Transaction, 0, len(found)),
		Accounts:     make(map[chain.Address]market.Account),
		Truncated:    truncated,
	}
	var assets []chain.Address
	seen := make(map[chain.Address]bool)
	for i := range found {
		f := &found[i]
		transaction := assemble(on, wallet, f)
		for _, movement := range transaction.Movements {
			if !seen[movement.Token] {
				seen[movement.Token] = true
				assets = append(assets, movement.Token)
			}
		}
		note(activity.Accounts, &transaction, f.receipt)
		activity.Transactions = append(activity.Transactions, transaction)
	}
	if activity.Tokens, err = a.describe(ctx, client, on, assets); err != nil {
		return nil, err
	}
	client.Drop("eth_getTransactionReceipt", dropUnknown(activity))
	activity.Transactions = slices.DeleteFunc(activity.Transactions, func(transaction market.Transaction) bool {
		return len(transaction.Movements) == 0 && transaction.Sender != wallet
	})
	switch {
	case truncated && len(found) > 0:
		activity.Since = found[0].time
	case truncated:
		if activity.Since, err = a.blockTime(ctx, client, on, complete); err != nil {
			return nil, err
		}
	}
	return activity, nil
}

// walletLogs finds the logs that name the wallet as a party. It stops early once they belong to more transactions than enough.
// Nothing is missing from the block on that it returns; zero means the whole chain was read.
func (a *Adapter) walletLogs(ctx context.Context, client *upstream.Client, on *chain.Chain, wallet chain.Address, enough int) ([]Log, uint64, error) {
	head, err := a.head(ctx, client)
	if err != nil {
		return nil, 0, err
	}
	party := []Word{addressWord(wallet)}
	distinct := make(map[market.Hash]struct{})
	counted := 0
	scan := &logScan{
		adapter: a, client: client, on: on, to: head,
		filters: []logFilter{
			{topics: topics{{transferTopic, depositTopic, withdrawalTopic}, party}},
			{topics: topics{{transferTopic}, nil, party}},
		},
		enough: func(found []Log) bool {
			for ; counted < len(found); counted++ {
				distinct[found[counted].Transaction] = struct{}{}
			}
			return len(distinct) > enough
		},
	}
	scan.callsLeft.Store(int64(a.limits.logCalls))
	logs, read, err := scan.run(ctx)
	if err != nil {
		return nil, 0, err
	}
	// Deposits and withdrawals of other contracts than the wrapped native coin mean other things.
	logs = slices.DeleteFunc(logs, func(log Log) bool {
		return log.Removed || len(log.Topics) == 0 || log.Topics[0] != transferTopic && log.Address != on.WrappedNative.Address
	})
	return logs, head + 1 - read, nil
}

// foundTransaction is a transaction of which a log was found, and what is then read of it.
type foundTransaction struct {
	hash    market.Hash
	block   uint64
	index   int
	time    time.Time
	body    *transaction
	receipt *Receipt
}

// transactionsOf lists the transactions that logs belong to, oldest first, each once.
func transactionsOf(logs []Log) []foundTransaction {
	seen := make(map[market.Hash]bool, len(logs))
	found := make([]foundTransaction, 0, len(logs))
	for i := range logs {
		log := &logs[i]
		if !seen[log.Transaction] {
			seen[log.Transaction] = true
			found = append(found, foundTransaction{hash: log.Transaction, block: log.Block, index: log.TransactionIndex, time: log.Time})
		}
	}
	slices.SortFunc(found, func(x, y foundTransaction) int {
		return cmp.Or(cmp.Compare(x.block, y.block), cmp.Compare(x.index, y.index))
	})
	return found
}

func (a *Adapter) readTransaction(ctx context.Context, client *upstream.Client, on *chain.Chain, f *foundTransaction) error {
	hash := Word(f.hash).String()
	var err error
	if f.body, err = ask(ctx, client, call{"eth_getTransactionByHash", []any{hash}}, parseTransaction); err != nil {
		return err
	}
	f.receipt, err = ask(ctx, client, call{"eth_getTransactionReceipt", []any{hash}}, func(result []byte) (*Receipt, error) {
		receipt, err := ParseReceipt(result)
		if err == nil && receipt.Hash != f.hash {
			return nil, fmt.Errorf("the receipt is of %v", Word(receipt.Hash))
		}
		return receipt, err
	})
	if err != nil {
		return err
	}
	if f.time.IsZero() {
		f.time, err = a.blockTime(ctx, client, on, f.block)
	}
	return err
}

func (a *Adapter) blockTime(ctx context.Context, client *upstream.Client, on *chain.Chain, block uint64) (time.Time, error) {
	key := blockKey{on.Slug, block}
	if at, found := a.blockTimes.Get(key); found {
		return at, nil
	}
	at, err := ask(ctx, client, call{"eth_getBlockByNumber", []any{hexBlock(block), false}}, parseBlockTime)
	if err == nil {
		a.blockTimes.Set(key, at)
	}
	return at, err
}

// assemble makes a transaction of the wallet's history of what was read of it.
func assemble(on *chain.Chain, wallet chain.Address, f *foundTransaction) market.Transaction {
	receipt := f.receipt
	assembled := market.Transaction{
		Hash: f.hash, Block: receipt.Block, Index: receipt.Index, Time: f.time,
		Sender: f.body.sender, Target: f.body.target, Method: f.body.selector, Failed: receipt.Failed,
	}
	if f.body.sender == wallet {
		if !receipt.Priced {
			priced := *receipt
			priced.GasPrice = f.body.gasPrice
			receipt = &priced
		}
		assembled.GasFee = receipt.Fee()
	}
	if receipt.Failed {
		return assembled
	}
	assembled.Movements = movements(on, wallet, f)
	return assembled
}

func movements(on *chain.Chain, wallet chain.Address, f *foundTransaction) []market.Movement {
	var moved []market.Movement
	add := func(token, from, to chain.Address, amount uint256.Int, logIndex int) {
		if amount.IsZero() || from == to || (from != wallet && to != wallet) {
			return
		}
		movement := market.Movement{Token: token, Counterparty: from, Amount: amount, In: to == wallet, LogIndex: logIndex}
		if !movement.In {
			movement.Counterparty = to
		}
		if token != chain.Native {
			movement.Minted = movement.In && from.IsZero()
			movement.Burned = !movement.In && to.IsZero()
		}
		moved = append(moved, movement)
	}
	for _, transfer := range f.receipt.Transfers {
		add(transfer.Token, transfer.From, transfer.To, transfer.Amount, transfer.LogIndex)
	}
	for _, wrap := range f.receipt.Wraps {
		if wrap.Token != on.WrappedNative.Address || mirrored(f.receipt.Transfers, wrap) {
			continue
		}
		if wrap.Unwrap {
			add(wrap.Token, wrap.Account, chain.Address{}, wrap.Amount, wrap.LogIndex)
		} else {
			add(wrap.Token, chain.Address{}, wrap.Account, wrap.Amount, wrap.LogIndex)
		}
	}
	slices.SortStableFunc(moved, func(x, y market.Movement) int { return cmp.Compare(x.LogIndex, y.LogIndex) })
	tokens := moved
	moved = nil
	add(chain.Native, f.body.sender, f.body.target, f.body.value, nativeLogIndex)
	for _, wrap := range f.receipt.Wraps {
		switch {
		case wrap.Token != on.WrappedNative.Address || wrap.Account != wallet:
		case wrap.Unwrap:
			add(chain.Native, wrap.Token, wallet, wrap.Amount, nativeLogIndex)
		case f.body.sender != wallet:
			// A smart account's own coin; where the wallet signed, it is the transaction's value.
			add(chain.Native, wallet, wrap.Token, wrap.Amount, nativeLogIndex)
		}
	}
	if received, from, ok := nativeReceived(on, wallet, f, tokens); ok {
		add(chain.Native, from, wallet, received, nativeLogIndex)
	}
	return append(moved, tokens...)
}

// mirrored tells whether a wrapped coin's contract reports a wrap by a transfer from or to the zero address as well.
func mirrored(transfers []Transfer, wrap Wrap) bool {
	from, to := chain.Address{}, wrap.Account
	if wrap.Unwrap {
		from, to = to, from
	}
	return slices.ContainsFunc(transfers, func(t Transfer) bool {
		return t.Token == wrap.Token && t.From == from && t.To == to && t.Amount == wrap.Amount
	})
}

// note remembers what a receipt tells of a transaction's counterparties: that one is a pool, or where tokens are burned.
func note(accounts map[chain.Address]market.Account, transaction *market.Transaction, receipt *Receipt) {
	for _, movement := range transaction.Movements {
		address := movement.Counterparty
		if movement.Token != chain.Native && address.IsZero() || address == chain.Burn {
			accounts[address] = market.Account{Address: address, Kind: market.BurnAccount}
			continue
		}
		for i := range receipt.Swaps {
			if receipt.Swaps[i].Contract == address {
				accounts[address] = market.Account{Address: address, Contract: true, Kind: market.DexAccount}
			}
		}
	}
}

// dropUnknown takes out the movements of tokens without decimals, whose quantities mean nothing, and counts them.
func dropUnknown(activity *market.Activity) (dropped int) {
	for i := range activity.Transactions {
		transaction := &activity.Transactions[i]
		before := len(transaction.Movements)
		transaction.Movements = slices.DeleteFunc(transaction.Movements, func(m market.Movement) bool {
			return !activity.Tokens[m.Token].Known
		})
		dropped += before - len(transaction.Movements)
	}
	for address, token := range activity.Tokens {
		if !token.Known {
			delete(activity.Tokens, address)
		}
	}
	return dropped
}
