package samplemarket

import (
	"encoding/hex"
	"encoding/json"
	"math/big"

	"github.com/holiman/uint256"
	"golang.org/x/crypto/sha3"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/chainstate"
)

// Storage slots of the sample contracts, as their source says.
const (
	slotBalances   = 0
	slotAllowances = 1
	slotSupply     = 2
	slotOwner      = 3
	slotPair       = 4
	slotDecimals   = 5
	slotBuyFee     = 8
	slotSellFee    = 9
	slotCollector  = 12
	slotToken0     = 8
	slotToken1     = 9
	slotReserves   = 10
)

// The slots of EIP-1967 that the sample proxies use.
var (
	implementationSlot = mustSlot("360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc")
	adminSlot          = mustSlot("b53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103")
)

func mustSlot(digits string) [32]byte {
	b, err := hex.DecodeString(digits)
	if err != nil {
		panic(err)
	}
	return [32]byte(b)
}

func slotWord(index uint64) [32]byte { return word(0, index) }

func addressSlot(a address) (slot [32]byte) {
	copy(slot[12:], a[:])
	return slot
}

// mappingSlot is where Solidity keeps a holder's entry of the mapping at a slot.
func mappingSlot(holder address, table uint64) (slot [32]byte) {
	key, index := addressSlot(holder), slotWord(table)
	digest := sha3.NewLegacyKeccak256()
	digest.Write(key[:])
	digest.Write(index[:])
	digest.Sum(slot[:0])
	return slot
}

// chainState lets an EVM read this world: the code of its contracts, and of their storage what trades need. It is made for one call.
func (w *world) chainState() chainstate.Source {
	seen := map[[20]byte]*chainstate.Account{}
	return func(a [20]byte) *chainstate.Account {
		account, known := seen[a]
		if !known {
			account = w.accountState(a)
			seen[a] = account
		}
		return account
	}
}

// accountState is an account as it is now: as the ledger has it, and on top of that what was sent to the chain since.
func (w *world) accountState(a address) *chainstate.Account {
	account := w.ledgerAccount(a)
	if account == nil {
		account = w.standingAccount(a)
	}
	return w.sent.over(a, account)
}

func (w *world) ledgerAccount(a address) *chainstate.Account {
	entity, known := w.byAddress[a]
	if !known {
		if behind := w.implementationAt(a); behind != nil {
			return &chainstate.Account{Code: w.codes[w.assetContract(w.entities[behind.entity].ref)]}
		}
		return nil
	}
	e := &w.entities[entity]
	native := uint256.MustFromBig(w.assets[nativeAsset].rawBig(max(0, w.balance(entity, nativeAsset))))
	account := &chainstate.Account{Balance: native, Code: w.codes[w.standIn(entity)]}
	switch {
	case e.kind == kindAsset:
		account.Storage = w.assetStorage(e.ref)
		if w.proxied(entity) {
			account.Storage[implementationSlot] = addressSlot(w.implementation(entity))
			account.Storage[adminSlot] = addressSlot(w.entities[w.dapps[1]].address)
		}
	case e.kind == kindPool && e.ref >= 0:
		account.Storage = w.poolStorage(&w.pools[e.ref])
	case len(account.Code) == 0 && w.isContract(entity):
		account.Code = []byte{0xfe} // a contract that trades have no business with
	}
	return account
}

// assetStorage is a token contract's storage: of its balances those of the pools, of its creator and its own.
func (w *world) assetStorage(assetID int32) map[[32]byte][32]byte {
	a := &w.assets[assetID]
	storage := map[[32]byte][32]byte{
		slotWord(slotSupply): a.rawWord(max(0, a.supply)), slotWord(slotOwner): addressSlot(w.entities[w.issuer(a)].address), slotWord(slotDecimals): slotWord(uint64(a.decimals)),
	}
	hold := func(holder int32, units int64) {
		if units > 0 {
			storage[mappingSlot(w.entities[holder].address, slotBalances)] = a.rawWord(units)
		}
	}
	if a.token < 0 {
		for i := range w.pools {
			switch p := &w.pools[i]; {
			case p.version == poolV4:
			case p.quote == assetID:
				hold(p.entity, p.quoteReserve)
			case p.token == assetID:
				hold(p.entity, p.tokenReserve)
			}
		}
		return storage
	}
	t := &w.tokens[a.token]
	hold(t.creator, w.balance(t.creator, assetID))
	hold(t.entity, w.balance(t.entity, assetID))
	for _, id := range t.pools {
		if p := &w.pools[id]; p.version != poolV4 {
			hold(p.entity, p.tokenReserve)
		}
	}
	if t.pool >= 0 {
		storage[slotWord(slotPair)] = addressSlot(w.entities[w.pools[t.pool].entity].address)
	}
	switch plainContract(t.contract) {
	case "TaxedBounded", "TaxedUnbounded", "SwapBack":
		storage[slotWord(slotBuyFee)], storage[slotWord(slotSellFee)] = slotWord(uint64(t.buyTax)), slotWord(uint64(t.sellTax))
		if plainContract(t.contract) == "SwapBack" {
			storage[slotWord(slotCollector)] = addressSlot(w.entities[t.creator].address)
		}
	}
	return storage
}

// poolStorage is a pool contract's storage.
func (w *world) poolStorage(p *pool) map[[32]byte][32]byte {
	first, second := p.token, p.quote
	firstReserve, secondReserve := p.tokenReserve, p.quoteReserve
	if !w.tokenIsFirst(p) {
		first, second, firstReserve, secondReserve = second, first, secondReserve, firstReserve
	}
	token0, token1 := addressSlot(w.entities[w.assets[first].entity].address), addressSlot(w.entities[w.assets[second].entity].address)
	if p.version == poolV3 {
		root, liquidity, _ := w.curve(p, p.tokenReserve, p.quoteReserve)
		fee := slotWord(uint64(p.feeHundredth))
		copy(token1[9:12], fee[29:]) // the fee shares a slot with the second token
		return map[[32]byte][32]byte{slotWord(0): token0, slotWord(1): token1, slotWord(2): uint256.MustFromBig(root).Bytes32(), slotWord(3): uint256.MustFromBig(liquidity).Bytes32()}
	}
	reserves := new(big.Int).Lsh(w.assets[second].rawBig(secondReserve), 112)
	reserves.Or(reserves, w.assets[first].rawBig(firstReserve))
	storage := map[[32]byte][32]byte{slotWord(slotToken0): token0, slotWord(slotToken1): token1, slotWord(slotReserves): uint256.MustFromBig(reserves).Bytes32()}
	if p.receipt >= 0 {
		storage[slotWord(slotSupply)] = w.assets[p.receipt].rawWord(max(0, w.assets[p.receipt].supply))
	}
	return storage
}

// headBlock is the newest block as a call sees it.
func (w *world) headBlock() chainstate.Block {
	head := w.head()
	return chainstate.Block{Number: uint64(head), Time: uint64(w.spec.timeOfBlock(head))}
}

func rpcFault(fault *chainstate.Fault) *rpcError {
	return &rpcError{Code: fault.Code, Message: fault.Message, Data: fault.Data}
}

// runCall is eth_call by an EVM, with overrides where there are any.
func (w *world) runCall(params []json.RawMessage) (any, *rpcError) {
	output, fault := chainstate.Call(w.chainState(), w.headBlock(), params)
	if fault != nil {
		return nil, rpcFault(fault)
	}
	return output, nil
}

// simulate is eth_simulateV1.
func (w *world) simulate(params []json.RawMessage) (any, *rpcError) {
	blocks, fault := chainstate.Simulate(w.chainState(), w.headBlock(), uint64(w.spec.blockSeconds), params)
	if fault != nil {
		return nil, rpcFault(fault)
	}
	return blocks, nil
}

// storageAt is eth_getStorageAt.
func (w *world) storageAt(a address, slot string) (any, *rpcError) {
	number, ok := new(big.Int).SetString(trimHex(slot), 16)
	if !ok || number.Sign() < 0 || number.BitLen() > 256 {
		return nil, errParams
	}
	var key [32]byte
	number.FillBytes(key[:])
	account := w.accountState(a)
	if account == nil {
		return hexWord([32]byte{}), nil
	}
	return hexWord(account.Word(key)), nil
}

func trimHex(text string) string {
	if len(text) > 2 && text[:2] == "0x" {
		return text[2:]
	}
	return "x"
}

// codeAt is eth_getCode as of a block: nothing before a contract was made.
func (w *world) codeAt(a address, number int64) string {
	entity, known := w.byAddress[a]
	if !known {
		if account := w.accountState(a); account != nil && number >= w.sent.madeIn(a) {
			return "0x" + hexBytes(account.Code)
		}
		return "0x"
	}
	e := &w.entities[entity]
	if w.isContract(entity) && w.spec.timeOfBlock(number) < w.start+int64(e.created) {
		return "0x"
	}
	if name := w.standIn(entity); name != "" && len(e.code) == 0 {
		return "0x" + hexBytes(w.codes[name])
	}
	return w.codeOf(entity)
}
