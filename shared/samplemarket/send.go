package samplemarket

import (
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/chainstate"
)

// AccountFactory is where each chain has a factory of smart accounts: createAccount(address owner, uint256 salt) makes one, and
// getAddress(address owner, uint256 salt) tells where it will be.
const AccountFactory = "0x0000000000400CdFef5E2714E63d8040b700BC24"

// bridgedDollar is the stable coin that the prediction venue takes, which the simulated market does not trade.
const bridgedDollar = "0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174"

// accountFactoryCode is the runtime code of infra/contracts/account.
//
//go:embed accountfactory.hex
var accountFactoryCode string

const (
	maxRawTransaction = 128 << 10
	blockGasLimit     = 0x2255100
	// tipWei is the tip that wallets are told to offer.
	tipWei = 1_000_000
)

// standingAccount is a contract that a chain has besides those of the market; nil for any other address.
func (w *world) standingAccount(a address) *chainstate.Account {
	switch {
	case a == mustAddress(AccountFactory):
		code, err := hex.DecodeString(accountFactoryCode)
		if err != nil {
			panic("samplemarket: the code of the account factory: " + err.Error())
		}
		return &chainstate.Account{Code: code, Nonce: 1}
	case w.spec.slug == "polygon" && a == mustAddress(bridgedDollar):
		return &chainstate.Account{Code: w.codes["Issued"], Nonce: 1, Storage: map[[32]byte][32]byte{
			slotWord(slotOwner): addressSlot(w.entities[w.dapps[0]].address), slotWord(slotDecimals): slotWord(6),
			slotWord(6): shortText("USD Coin (PoS)"), slotWord(7): shortText("USDC.e"),
		}}
	}
	return nil
}

// shortText is how Solidity keeps a text of up to 31 bytes.
func shortText(text string) (slot [32]byte) {
	copy(slot[:31], text)
	slot[31] = byte(2 * len(text))
	return slot
}

// nextNonce is the nonce of an account's next transaction.
func (w *world) nextNonce(a address) uint64 {
	var nonce uint64
	if entity, known := w.byAddress[a]; known {
		nonce = uint64(w.entities[entity].nonce)
	}
	w.sent.mu.RLock()
	defer w.sent.mu.RUnlock()
	return max(nonce, w.sent.accounts[a].nonce)
}

func refusal(format string, arguments ...any) *rpcError {
	return &rpcError{Code: -32000, Message: fmt.Sprintf(format, arguments...)}
}

// sendRaw is eth_sendRawTransaction: what is in order is run at once and is in the newest block; anything else is refused in
// go-ethereum's words and leaves no trace.
func (w *world) sendRaw(text string) (any, *rpcError) {
	digits, found := strings.CutPrefix(text, "0x")
	raw, err := hex.DecodeString(digits)
	if err != nil || !found {
		return nil, errParams
	}
	if len(raw) > maxRawTransaction {
		return nil, refusal("oversized data: transaction size %d, limit %d", len(raw), maxRawTransaction)
	}
	tx := new(types.Transaction)
	if err := tx.UnmarshalBinary(raw); err != nil {
		return nil, refusal("%v", err)
	}
	w.sent.sending.Lock()
	defer w.sent.sending.Unlock()
	from, failure := w.admit(tx)
	if failure != nil {
		return nil, failure
	}
	message := chainstate.Message{From: from, To: (*[20]byte)(tx.To()), Input: tx.Data(), Value: *uint256.MustFromBig(tx.Value()), Gas: tx.Gas(), Nonce: tx.Nonce()}
	outcome, err := chainstate.Apply(w.chainState(), w.spec.id, w.headBlock(), message)
	if err != nil {
		return nil, refusal("%v: gas %d", err, tx.Gas())
	}
	kept := &sentTransaction{tx: tx, from: from, block: w.head(), failed: outcome.Fault != nil, gasUsed: outcome.GasUsed, logs: outcome.Logs}
	if tx.To() == nil {
		kept.created = (*address)(&outcome.Created)
	}
	kept.index, kept.logBase = w.placeInBlock(kept.block)
	w.sent.keep(kept, outcome.Changes)
	return tx.Hash().Hex(), nil
}

// admit tells who sent a transaction, or why it is not taken.
func (w *world) admit(tx *types.Transaction) (from address, failure *rpcError) {
	baseFee := big.NewInt(w.spec.gasMilliGwei * 1_000_000)
	switch tx.Type() {
	case types.LegacyTxType, types.AccessListTxType, types.DynamicFeeTxType:
	default:
		return from, refusal("transaction type not supported")
	}
	if !tx.Protected() {
		return from, refusal("only replay-protected (EIP-155) transactions allowed over RPC")
	}
	sender, err := types.Sender(types.LatestSignerForChainID(big.NewInt(w.spec.id)), tx)
	if err != nil {
		return from, refusal("invalid sender: %v", err)
	}
	from = address(sender)
	next := w.nextNonce(from)
	switch {
	case w.sent.byHash(tx.Hash()) != nil:
		return from, refusal("already known")
	case w.sent.full():
		return from, refusal("txpool is full")
	case tx.Gas() > blockGasLimit:
		return from, refusal("exceeds block gas limit")
	case tx.GasTipCapIntCmp(tx.GasFeeCap()) > 0:
		return from, refusal("max priority fee per gas higher than max fee per gas")
	case tx.GasFeeCapIntCmp(baseFee) < 0:
		return from, refusal("max fee per gas less than block base fee: address %s, maxFeePerGas: %s, baseFee: %s", sender.Hex(), tx.GasFeeCap(), baseFee)
	case tx.Nonce() < next:
		return from, refusal("nonce too low: next nonce %d, tx nonce %d", next, tx.Nonce())
	case tx.Nonce() > next:
		return from, refusal("nonce too high: next nonce %d, tx nonce %d", next, tx.Nonce())
	case tx.Value().Sign() > 0:
		return from, refusal("insufficient funds for gas * price + value: address %s have 0 want %s", sender.Hex(), tx.Value())
	case len(w.accountCode(from)) > 0:
		return from, refusal("sender not an eoa: address %s", sender.Hex())
	}
	return from, nil
}

func (w *world) accountCode(a address) []byte {
	if account := w.accountState(a); account != nil {
		return account.Code
	}
	return nil
}

// placeInBlock is the place of the next transaction of a block, after the ledger's own and those that were sent, and of its first log.
func (w *world) placeInBlock(number int64) (index, logs int) {
	at := w.spec.timeOfBlock(number) - w.start
	for id := w.txsSince(int32(at)); id < len(w.txs) && int64(w.txs[id].time) == at; id++ {
		index++
		logs += len(w.logsOf(int32(id)))
	}
	for _, t := range w.sent.between(number, number) {
		index++
		logs += len(t.logs)
	}
	return index, logs
}

// estimateGas is eth_estimateGas.
func (w *world) estimateGas(params []json.RawMessage) (any, *rpcError) {
	gas, fault := chainstate.Estimate(w.chainState(), w.spec.id, w.headBlock(), params)
	if fault != nil {
		return nil, rpcFault(fault)
	}
	return quantity(int64(gas)), nil
}

// feeHistory is eth_feeHistory of a chain whose base fee never changes.
func (w *world) feeHistory(params []json.RawMessage) (any, *rpcError) {
	const longest = 1024
	var newest, counted string
	var percentiles []float64
	if len(params) < 2 || json.Unmarshal(params[1], &newest) != nil || len(params) > 2 && json.Unmarshal(params[2], &percentiles) != nil {
		return nil, errParams
	}
	var count int64
	if json.Unmarshal(params[0], &counted) == nil {
		count, _ = strconv.ParseInt(strings.TrimPrefix(counted, "0x"), 16, 64)
	} else if json.Unmarshal(params[0], &count) != nil {
		return nil, errParams
	}
	last, ok := w.blockTag(newest)
	if !ok || count < 1 || count > longest || last > w.head() || len(percentiles) > 100 {
		return nil, errParams
	}
	history := struct {
		Oldest string     `json:"oldestBlock"`
		Base   []string   `json:"baseFeePerGas"`
		Used   []float64  `json:"gasUsedRatio"`
		Reward [][]string `json:"reward,omitempty"`
	}{Oldest: quantity(last - count + 1), Base: []string{quantity(w.spec.gasMilliGwei * 1_000_000)}}
	for range count {
		history.Base, history.Used = append(history.Base, history.Base[0]), append(history.Used, 0.5)
		if len(percentiles) > 0 {
			rewards := make([]string, len(percentiles))
			for i := range rewards {
				rewards[i] = quantity(int64(tipWei))
			}
			history.Reward = append(history.Reward, rewards)
		}
	}
	return history, nil
}
