package samplemarket

import (
	"sort"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

type assetKind uint8

const (
	assetNative assetKind = iota
	assetWrapped
	assetStable
	assetStaked
	assetToken
	assetLiquidity   // the receipt of a constant-product pool, issued by the pair itself
	assetCollectible // an ERC-721 collection; only its approvals matter
)

// The first two assets of every chain.
const (
	nativeAsset  int32 = 0
	wrappedAsset int32 = 1
)

// asset is a coin or token contract. Its amounts are counted in units of 10^-digits.
type asset struct {
	kind     assetKind
	entity   int32
	token    int32 // index into world.tokens, -1 for the rest
	symbol   string
	name     string
	decimals int
	digits   int
	supply   int64
	holders  []int32 // every entity that ever held it, in order of first receipt
	holding  int     // how many hold some now
	logs     int     // transfers so far
}

type entityKind uint8

const (
	kindWallet entityKind = iota
	kindExchange
	kindContract // anything with code that needs no special treatment
	kindAsset
	kindPool
	kindRouter
	kindDistributor
	kindBurn
	kindLocker
	kindSpender
	kindValidator
)

// entity is anything with an address.
type entity struct {
	address  address
	sum      string // checksummed text
	kind     entityKind
	ref      int32 // index into the slice of its kind, -1 for none
	name     string
	verified bool
	creator  int32
	created  int32
	touch    []int32 // every transaction it takes part in, oldest first
	nonce    uint32
	code     []byte // EIP-7702 designator of a wallet that has delegated
}

// transaction is one row of the ledger.
type transaction struct {
	time     int32 // seconds from Start, a block time
	from, to int32 // to is -1 for a contract creation
	value    int64 // native units sent along
	gasUsed  int32
	gasPrice int32 // thousandths of a gwei
	legs     int32 // first leg
	swaps    int32 // first swap
	approval int32 // index of the approval it makes, -1 for none
	made     int32 // entity it creates, -1 for none
	nonce    uint32
	method   method
	index    uint16 // position in its block
	legCount uint16
	swapped  uint8 // number of swaps
	pooled   uint8 // number of deposits into pools and withdrawals
	failed   bool
}

// leg moves an asset inside a transaction: an ERC-20 transfer, or an internal transfer of the native coin.
type leg struct {
	asset    int32
	from, to int32
	amount   int64
}

// swap is one trade against one pool, with the reserves it left behind.
type swap struct {
	transaction  int32
	after        int32 // the leg its event follows
	pool         int32
	trader       int32
	tokenOut     int64 // what left the pool, negative for what came in
	quoteOut     int64
	tokenReserve int64
	quoteReserve int64
	usd          float64 // value of the quote leg when it happened
	router       int32
}

// approval is an ERC-20 approve, a Permit2 approve, or an ERC-721 setApprovalForAll.
type approval struct {
	transaction int32
	owner       int32
	asset       int32
	spender     int32
	amount      int64 // units; unlimitedAmount for an unlimited one
	permit2     bool  // a nested allowance kept by Permit2
	expires     int64 // Unix time, of Permit2 allowances
	spent       bool  // used up since, without another event
}

const unlimitedAmount int64 = -1

// ledger is the append-only record of one chain.
type ledger struct {
	start     int64 // Unix time of the history's first instant
	spec      *chainSpec
	entities  []entity
	byAddress map[address]int32
	assets    []asset
	txs       []transaction
	legs      []leg
	swaps     []swap
	changes   []liquidityChange
	approvals []approval
	byOwner   map[int32][]int32 // approvals by owner
	balances  map[uint64]int64  // by entity<<32 | asset
	validator int32
	open      transaction // the transaction being written
}

func (l *ledger) addEntity(e entity) int32 {
	id := int32(len(l.entities))
	if _, taken := l.byAddress[e.address]; taken {
		panic("samplemarket: two entities with address " + e.address.String())
	}
	e.sum = e.address.checksum()
	l.byAddress[e.address] = id
	l.entities = append(l.entities, e)
	return id
}

func (l *ledger) balance(entity, asset int32) int64 {
	return l.balances[uint64(entity)<<32|uint64(asset)]
}

func (l *ledger) credit(entity, asset int32, amount int64) {
	key := uint64(entity)<<32 | uint64(asset)
	before, known := l.balances[key]
	if !known {
		l.assets[asset].holders = append(l.assets[asset].holders, entity)
	}
	after := before + amount
	if before <= 0 && after > 0 {
		l.assets[asset].holding++
	} else if before > 0 && after <= 0 {
		l.assets[asset].holding--
	}
	l.balances[key] = after
}

// blockTime is the time, in seconds from Start, of the first block at or after an instant.
func (l *ledger) blockTime(at int32) int32 {
	unix := l.start + int64(at)
	number := l.spec.blockAt(unix)
	if l.spec.timeOfBlock(number) < unix {
		number++
	}
	return int32(l.spec.timeOfBlock(number) - l.start)
}

func (l *ledger) blockNumber(tx *transaction) int64 {
	return l.spec.blockAt(l.start + int64(tx.time))
}

// begin opens a transaction. Everything until commit belongs to it.
func (l *ledger) begin(at, from, to int32, m method) {
	l.open = transaction{
		time: l.blockTime(at), from: from, to: to, method: m, approval: -1, made: -1,
		legs: int32(len(l.legs)), swaps: int32(len(l.swaps)), nonce: l.entities[from].nonce,
	}
	l.entities[from].nonce++
}

// send attaches native coin to the open transaction.
func (l *ledger) send(value int64) {
	if l.open.to < 0 || value <= 0 {
		return
	}
	l.open.value += value
	l.credit(l.open.from, nativeAsset, -value)
	l.credit(l.open.to, nativeAsset, value)
}

// move adds a leg. Native coin moved into the wrapper's contract mints the wrapped form for its sender, and back.
func (l *ledger) move(assetID, from, to int32, amount int64) {
	if amount <= 0 {
		return
	}
	l.legs = append(l.legs, leg{asset: assetID, from: from, to: to, amount: amount})
	a := &l.assets[assetID]
	a.logs++
	if zero := int32(0); from == zero {
		a.supply += amount
	} else {
		l.credit(from, assetID, -amount)
	}
	if to == 0 {
		a.supply -= amount
	} else {
		l.credit(to, assetID, amount)
	}
	if assetID != nativeAsset {
		return
	}
	switch wrapper := l.assets[wrappedAsset].entity; wrapper {
	case to:
		l.credit(from, wrappedAsset, amount)
		l.assets[wrappedAsset].supply += amount
	case from:
		l.credit(to, wrappedAsset, -amount)
		l.assets[wrappedAsset].supply -= amount
	}
}

// commit closes the open transaction, charges its gas and indexes everybody in it.
func (l *ledger) commit(gasUsed int32) int32 {
	tx := l.open
	id := int32(len(l.txs))
	tx.legCount = uint16(int32(len(l.legs)) - tx.legs)
	tx.swapped = uint8(int32(len(l.swaps)) - tx.swaps)
	tx.gasUsed = gasUsed / 1000 * 1000
	tx.gasPrice = int32(l.spec.gasMilliGwei * (80 + int64(seeded.Mix(uint64(tx.time))%61)) / 100)
	if id > 0 {
		if last := &l.txs[id-1]; last.time == tx.time {
			tx.index = last.index + 1
		} else {
			tx.index = uint16(seeded.Mix(uint64(tx.time)+7) % 40)
		}
	}
	fee := tx.fee()
	l.credit(tx.from, nativeAsset, -fee)
	l.credit(l.validator, nativeAsset, fee)
	l.txs = append(l.txs, tx)
	l.touch(tx.from, id)
	if tx.to >= 0 {
		l.touch(tx.to, id)
	}
	if tx.made >= 0 {
		l.touch(tx.made, id)
	}
	for i := tx.legs; i < int32(len(l.legs)); i++ {
		leg := &l.legs[i]
		l.touch(leg.from, id)
		l.touch(leg.to, id)
		if leg.asset != nativeAsset {
			l.touch(l.assets[leg.asset].entity, id)
		}
	}
	for i := tx.swaps; i < int32(len(l.swaps)); i++ {
		l.swaps[i].transaction = id
		l.touch(l.swaps[i].router, id)
	}
	if tx.approval >= 0 {
		granted := &l.approvals[tx.approval]
		granted.transaction = id
		l.touch(granted.owner, id)
		l.touch(granted.spender, id)
		l.touch(l.assets[granted.asset].entity, id)
	}
	return id
}

func (l *ledger) touch(entity, tx int32) {
	e := &l.entities[entity]
	if n := len(e.touch); n == 0 || e.touch[n-1] != tx {
		e.touch = append(e.touch, tx)
	}
}

// grant adds an approval to the open transaction.
func (l *ledger) grant(a approval) {
	id := int32(len(l.approvals))
	l.approvals = append(l.approvals, a)
	l.byOwner[a.owner] = append(l.byOwner[a.owner], id)
	l.open.approval = id
}

// fee is what a transaction's gas cost, in native units (gwei).
func (t *transaction) fee() int64 { return int64(t.gasUsed) / 1000 * int64(t.gasPrice) }

// txsSince is the index of the first transaction at or after a time.
func (l *ledger) txsSince(at int32) int {
	return sort.Search(len(l.txs), func(i int) bool { return l.txs[i].time >= at })
}

// txHash is the transaction's hash: its number, scattered by the chain's key, and a checksum of 24 bytes.
func (l *ledger) txHash(id int32) [32]byte { return l.sealed(uint64(id), 0x7478) }

// txByHash is the inverse of txHash.
func (l *ledger) txByHash(hash [32]byte) (int32, bool) {
	id, ok := l.unsealed(hash, 0x7478)
	return int32(id), ok && id < uint64(len(l.txs))
}

func (l *ledger) blockHash(number int64) [32]byte { return l.sealed(uint64(number), 0x626c) }

func (l *ledger) sealed(value, domain uint64) [32]byte {
	key := seeded.MixAll(uint64(l.spec.id), domain, uint64(l.start))
	first := seeded.Mix(value ^ key)
	return hash32(first, seeded.Mix(first^key), seeded.Mix(first+key), seeded.Mix(^first^key))
}

func (l *ledger) unsealed(hash [32]byte, domain uint64) (uint64, bool) {
	key := seeded.MixAll(uint64(l.spec.id), domain, uint64(l.start))
	value := unmix(firstWord(hash)) ^ key
	return value, value < 1<<40 && l.sealed(value, domain) == hash
}
