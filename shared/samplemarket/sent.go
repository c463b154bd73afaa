package samplemarket

import (
	"cmp"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/core/types"
	"golang.org/x/crypto/sha3"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/chainstate"
)

// maxSent bounds the transactions that one chain takes.
const maxSent = 200_000

// sentLedger is what was sent to a chain from outside, and what that changed. It is safe for concurrent use.
type sentLedger struct {
	// sending is held while a transaction is run and kept, mu while what is kept is read or changed.
	sending  sync.Mutex
	mu       sync.RWMutex
	accounts map[address]sentAccount
	words    map[storageWord][32]byte
	hashes   map[[32]byte]*sentTransaction
	list     []*sentTransaction // in the order of their blocks, and in their order within those
}

// sentAccount is what transactions made of an account; code is nil where they made none.
type sentAccount struct {
	nonce uint64
	code  []byte
	made  int64 // the block of its code
}

type storageWord struct {
	account address
	slot    [32]byte
}

// sentTransaction is one that is in a block.
type sentTransaction struct {
	tx      *types.Transaction
	from    address
	block   int64
	index   int
	failed  bool
	gasUsed uint64
	created *address
	logs    []chainstate.Log
	logBase int // the index of its first log
}

func newSentLedger() *sentLedger {
	return &sentLedger{accounts: map[address]sentAccount{}, words: map[storageWord][32]byte{}, hashes: map[[32]byte]*sentTransaction{}}
}

// over is an account with what was sent on top; account is nil for one that did not exist before.
func (s *sentLedger) over(a address, account *chainstate.Account) *chainstate.Account {
	s.mu.RLock()
	defer s.mu.RUnlock()
	touched, found := s.accounts[a]
	if !found {
		return account
	}
	if account == nil {
		account = &chainstate.Account{}
	}
	if touched.code != nil {
		account.Code = touched.code
	}
	account.Nonce = max(account.Nonce, touched.nonce)
	account.Written = func(slot [32]byte) (word [32]byte, found bool) { return s.word(a, slot) }
	return account
}

func (s *sentLedger) word(a address, slot [32]byte) (word [32]byte, found bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	word, found = s.words[storageWord{a, slot}]
	return word, found
}

func (s *sentLedger) hasCode(a address) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.accounts[a].code != nil
}

// madeIn is the block in which a transaction made a contract, 0 for any other account.
func (s *sentLedger) madeIn(a address) int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.accounts[a].made
}

func (s *sentLedger) byHash(hash [32]byte) *sentTransaction {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.hashes[hash]
}

// between lists the transactions of some blocks.
func (s *sentLedger) between(first, last int64) []*sentTransaction {
	s.mu.RLock()
	defer s.mu.RUnlock()
	at := func(block int64) int {
		i, _ := slices.BinarySearchFunc(s.list, block, func(t *sentTransaction, block int64) int { return cmp.Compare(t.block, block) })
		return i
	}
	return slices.Clone(s.list[at(first):max(at(first), at(last+1))])
}

// allowance answers allowance(owner, spender) of a token where an approval of the two was sent.
func (s *sentLedger) allowance(token address, selector string, args []byte) ([32]byte, bool) {
	if selector != "dd62ed3e" || len(args) < 64 {
		return [32]byte{}, false
	}
	outer := mappingSlot(address(args[12:32]), slotAllowances)
	spender := addressSlot(address(args[44:64]))
	var slot [32]byte
	digest := sha3.NewLegacyKeccak256()
	digest.Write(spender[:])
	digest.Write(outer[:])
	digest.Sum(slot[:0])
	return s.word(token, slot)
}

// keep takes a transaction that was run, with what it changed.
func (s *sentLedger) keep(t *sentTransaction, changes map[[20]byte]chainstate.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for account, change := range changes {
		kept := s.accounts[account]
		kept.nonce = change.Nonce
		if len(change.Code) > 0 {
			kept.code, kept.made = change.Code, t.block
		}
		s.accounts[account] = kept
		for slot, word := range change.Storage {
			s.words[storageWord{account, slot}] = word
		}
	}
	s.hashes[t.tx.Hash()] = t
	s.list = append(s.list, t)
}

// full tells whether no more can be sent.
func (s *sentLedger) full() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.list) >= maxSent
}
