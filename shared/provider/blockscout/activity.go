package blockscout

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
)

// nativeLogIndex is the LogIndex of movements of the native coin, which leave no log.
const nativeLogIndex = -1

// Activity merges the wallet's transactions, ERC-20 transfers and internal transactions. Where one of the three lists is too
// long to be read whole, the history begins where all three are complete.
//
// The lists tell the sender and target only of transactions that the wallet signed or was called by; of others that moved
// its tokens, Sender and Target are zero.
func (a *Adapter) Activity(ctx context.Context, on *chain.Chain, wallet chain.Address) (*market.Activity, error) {
	client, err := a.client(on)
	if err != nil {
		return nil, err
	}
	path := "/addresses/" + wallet.String()
	var (
		transfers    []wireTransfer
		transactions []wireTransaction
		internals    []wireInternal
		cut          horizon
	)
	cut.block.Store(-1)
	group, groupContext := parallel.WithContext(ctx)
	group.Go(func() (err error) {
		transfers, err = list[wireTransfer](groupContext, client, path+"/token-transfers", url.Values{"type": {fungible}}, a.maximumPages, &cut)
		return err
	})
	group.Go(func() (err error) {
		transactions, err = list[wireTransaction](groupContext, client, path+"/transactions", nil, a.maximumPages, &cut)
		return err
	})
	group.Go(func() (err error) {
		internals, err = list[wireInternal](groupContext, client, path+"/internal-transactions", nil, a.maximumPages, &cut)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	h := newHistory(on, wallet, client.Now(), cut.block.Load())
	for i := range transactions {
		h.addTransaction(&transactions[i])
	}
	for i := range transfers {
		h.addTransfer(&transfers[i])
	}
	for i := range internals {
		h.addInternal(&internals[i])
	}
	client.Drop(path, h.dropped)
	return h.activity(), nil
}

// history collects rows into transactions.
type history struct {
	on     *chain.Chain
	wallet chain.Address
	now    time.Time
	// cut is the newest block of which something may be missing, -1 when nothing is.
	cut      int64
	cutTime  time.Time
	byHash   map[market.Hash]*entry
	tokens   map[chain.Address]market.Token
	accounts map[chain.Address]market.Account
	dropped  int
}

type entry struct {
	market.Transaction
	internal []internalMovement
	// transfers guards against rows repeated at the seams of pages, which move when new rows arrive.
	transfers map[int]bool
}

type internalMovement struct {
	market.Movement
	index int
}

func newHistory(on *chain.Chain, wallet chain.Address, now time.Time, cut int64) *history {
	return &history{
		on: on, wallet: wallet, now: now, cut: cut,
		byHash:   make(map[market.Hash]*entry),
		tokens:   make(map[chain.Address]market.Token),
		accounts: make(map[chain.Address]market.Account),
	}
}

// entry finds or makes the transaction a row belongs to; nil for a row that is not told whole or lies before the cut.
func (h *history) entry(hash market.Hash, block uint64, at time.Time, ok bool) *entry {
	if !ok {
		h.dropped++
		return nil
	}
	if int64(block) <= h.cut {
		if at.After(h.cutTime) {
			h.cutTime = at
		}
		return nil
	}
	e := h.byHash[hash]
	if e == nil {
		e = &entry{Transaction: market.Transaction{Hash: hash, Block: block, Index: -1, Time: at}, transfers: make(map[int]bool)}
		h.byHash[hash] = e
	}
	return e
}

func (h *history) addTransaction(row *wireTransaction) {
	if row.Status == "" {
		return // pending: nothing has happened yet
	}
	row.TransactionHash = row.Hash
	hash, block, at, ok := row.at(h.now)
	sender, ok1 := row.From.address()
	target, ok2 := row.To.address()
	value, ok3 := row.Value.Amount()
	e := h.entry(hash, block, at, ok && ok1 && ok2 && ok3 && row.From != nil)
	if e == nil || !e.Sender.IsZero() {
		return
	}
	e.Sender, e.Target, e.Method, e.Failed = sender, target, string(row.Method), row.Status == "error"
	if index, ok := row.Position.Count(); ok {
		e.Index = index
	}
	if sender == h.wallet {
		e.GasFee, _ = row.Fee.Value.Amount()
	}
	h.note(row.To)
	if e.Failed {
		return
	}
	if movement, ok := h.movement(chain.Native, sender, target, value, nativeLogIndex); ok {
		e.Movements = append(e.Movements, movement)
		h.note(row.From)
	}
}

func (h *history) addTransfer(row *wireTransfer) {
	if kind := either(row.TokenType, row.Token.Type); kind != fungible && kind != "" {
		return
	}
	hash, block, at, ok := row.at(h.now)
	from, ok1 := row.From.address()
	to, ok2 := row.To.address()
	amount, ok3 := row.Total.Value.Amount()
	logIndex, ok4 := row.LogIndex.Count()
	if row.Token.Decimals == "" {
		row.Token.Decimals = row.Total.Decimals
	}
	token, ok5 := row.Token.token()
	e := h.entry(hash, block, at, ok && ok1 && ok2 && ok3 && ok4 && ok5 && token.Known)
	if e == nil || e.transfers[logIndex] {
		return
	}
	e.transfers[logIndex] = true
	movement, ok := h.movement(token.Address, from, to, amount, logIndex)
	if !ok {
		return
	}
	movement.Minted = movement.In && from.IsZero()
	movement.Burned = !movement.In && to.IsZero()
	e.Movements = append(e.Movements, movement)
	if e.Method == "" {
		e.Method = string(row.Method)
	}
	if _, found := h.tokens[token.Address]; !found {
		h.tokens[token.Address] = token
	}
	h.note(row.From)
	h.note(row.To)
}

func (h *history) addInternal(row *wireInternal) {
	index, ok := row.Index.Count()
	switch row.Type {
	case "delegatecall", "staticcall", "callcode":
		return // they carry a value without moving it
	case "call":
		if ok && index == 0 {
			return // the transaction itself
		}
	}
	if market.Tristate(row.Success) == market.No {
		return
	}
	receiver := row.To
	if receiver == nil {
		receiver = row.Created
	}
	hash, block, at, ok1 := row.at(h.now)
	from, ok2 := row.From.address()
	to, ok3 := receiver.address()
	amount, ok4 := row.Value.Amount()
	e := h.entry(hash, block, at, ok && ok1 && ok2 && ok3 && ok4)
	if e == nil || slices.ContainsFunc(e.internal, func(m internalMovement) bool { return m.index == index }) {
		return
	}
	if movement, ok := h.movement(chain.Native, from, to, amount, nativeLogIndex); ok {
		e.internal = append(e.internal, internalMovement{movement, index})
		h.note(row.From)
		h.note(receiver)
	}
}

// movement is false for what moves nothing of the wallet's.
func (h *history) movement(token, from, to chain.Address, amount market.Amount, logIndex int) (market.Movement, bool) {
	if amount.IsZero() || from == to || (from != h.wallet && to != h.wallet) {
		return market.Movement{}, false
	}
	movement := market.Movement{Token: token, Counterparty: from, Amount: amount, In: to == h.wallet, LogIndex: logIndex}
	if !movement.In {
		movement.Counterparty = to
	}
	return movement, true
}

// note keeps what is known of a party other than the wallet.
func (h *history) note(party *wireAddress) {
	account, known := party.describe()
	if !known || account.Address == h.wallet {
		return
	}
	if _, found := h.accounts[account.Address]; !found {
		h.accounts[account.Address] = account
	}
}

func (h *history) activity() *market.Activity {
	activity := &market.Activity{Tokens: h.tokens, Accounts: h.accounts, Truncated: h.cut >= 0}
	activity.Transactions = make([]market.Transaction, 0, len(h.byHash))
	for _, e := range h.byHash {
		slices.SortFunc(e.internal, func(x, y internalMovement) int { return cmp.Compare(x.index, y.index) })
		for _, m := range e.internal {
			e.Movements = append(e.Movements, m.Movement)
		}
		if len(e.Movements) == 0 && e.Sender != h.wallet {
			continue
		}
		slices.SortStableFunc(e.Movements, func(x, y market.Movement) int { return cmp.Compare(x.LogIndex, y.LogIndex) })
		activity.Transactions = append(activity.Transactions, e.Transaction)
	}
	sortChainOrder(activity.Transactions)
	if slices.ContainsFunc(activity.Transactions, func(t market.Transaction) bool {
		return slices.ContainsFunc(t.Movements, func(m market.Movement) bool { return m.Token == chain.Native })
	}) {
		h.tokens[chain.Native] = market.NativeToken(h.on)
	}
	if activity.Truncated {
		activity.Since = h.cutTime
		if len(activity.Transactions) > 0 {
			activity.Since = activity.Transactions[0].Time
		}
	}
	return activity
}

// sortChainOrder sorts oldest first. Within a block it goes by index where all are known, else by the first log, else by
// hash: the order of log indexes is that of the transactions, but only some have logs.
func sortChainOrder(transactions []market.Transaction) {
	slices.SortFunc(transactions, func(x, y market.Transaction) int {
		return cmp.Or(cmp.Compare(x.Block, y.Block), slices.Compare(x.Hash[:], y.Hash[:]))
	})
	for start := 0; start < len(transactions); {
		end := start + 1
		for end < len(transactions) && transactions[end].Block == transactions[start].Block {
			end++
		}
		block := transactions[start:end]
		indexed := !slices.ContainsFunc(block, func(t market.Transaction) bool { return t.Index < 0 })
		slices.SortStableFunc(block, func(x, y market.Transaction) int {
			if indexed {
				return cmp.Compare(x.Index, y.Index)
			}
			return cmp.Compare(firstLog(&x), firstLog(&y))
		})
		start = end
	}
}

// firstLog is the lowest log index of a transaction's movements, -1 without any.
func firstLog(t *market.Transaction) int {
	for i := range t.Movements {
		if t.Movements[i].LogIndex >= 0 {
			return t.Movements[i].LogIndex
		}
	}
	return -1
}
