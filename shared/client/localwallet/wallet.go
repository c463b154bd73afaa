package localwallet

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"

	"github.com/mirrorworthy/mirrorworthy/shared/client"
)

// Wallet is a private key, and the nodes by which its transactions are sent. Its methods may be called from any number of goroutines.
type Wallet struct {
	key     *ecdsa.PrivateKey
	address common.Address
	nodes   map[int64]*ethclient.Client
	// sending is held from the choice of a nonce until the node has the transaction.
	sending sync.Mutex
	poll    time.Duration
}

var _ client.Signer = (*Wallet)(nil)

// Why a wallet does not do what it is asked.
var (
	// ErrKey: not a private key of secp256k1 in 64 hexadecimal digits.
	ErrKey = errors.New("localwallet: not a private key")
	// ErrTypedData: not typed data of EIP-712.
	ErrTypedData = errors.New("localwallet: not typed data")
	// ErrTransaction: the transaction is from another account, for a chain that there is no node of, or unreadable.
	ErrTransaction = errors.New("localwallet: not a transaction of this wallet")
	// ErrReverted: the transaction is in a block and did nothing.
	ErrReverted = errors.New("localwallet: the transaction was reverted")
)

// usualPoll is how often a node is asked whether a transaction is in a block.
const usualPoll = time.Second

// New makes a wallet of a private key, 64 hexadecimal digits with or without 0x. Nodes are addresses of JSON-RPC by chain id; without any
// it signs, and sends nothing. Close ends the connections.
func New(ctx context.Context, privateKey string, nodes map[int64]string) (*Wallet, error) {
	key, err := crypto.HexToECDSA(strings.TrimPrefix(privateKey, "0x"))
	if err != nil {
		// What it is made of is not told.
		return nil, ErrKey
	}
	w := &Wallet{key: key, address: crypto.PubkeyToAddress(key.PublicKey), nodes: make(map[int64]*ethclient.Client), poll: usualPoll}
	for id, address := range nodes {
		node, err := ethclient.DialContext(ctx, address)
		if err != nil {
			w.Close()
			return nil, fmt.Errorf("localwallet: the node of chain %d: %w", id, err)
		}
		w.nodes[id] = node
	}
	return w, nil
}

// Close ends the connections to nodes.
func (w *Wallet) Close() {
	for _, node := range w.nodes {
		node.Close()
	}
}

// Address is the wallet's address with its checksum.
func (w *Wallet) Address() string { return w.address.Hex() }

// String is the address: the key is never printed.
func (w *Wallet) String() string { return w.Address() }

// GoString is the address.
func (w *Wallet) GoString() string { return w.Address() }

// Format writes the address for every verb.
func (w *Wallet) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(w.Address())) }

// LogValue is the address.
func (w *Wallet) LogValue() slog.Value { return slog.StringValue(w.Address()) }

// SignMessage signs a text as EIP-191 says: 65 bytes, the last 27 or 28.
func (w *Wallet) SignMessage(_ context.Context, text string) (string, error) {
	return w.sign(accounts.TextHash([]byte(text)))
}

// SignTypedData signs typed data of EIP-712: 65 bytes, the last 27 or 28.
func (w *Wallet) SignTypedData(_ context.Context, typedData json.RawMessage) (string, error) {
	var data apitypes.TypedData
	if err := json.Unmarshal(typedData, &data); err != nil {
		return "", fmt.Errorf("%w: %w", ErrTypedData, err)
	}
	hash, _, err := apitypes.TypedDataAndHash(data)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrTypedData, err)
	}
	return w.sign(hash)
}

func (w *Wallet) sign(hash []byte) (string, error) {
	signature, err := crypto.Sign(hash, w.key)
	if err != nil {
		return "", fmt.Errorf("localwallet: sign: %w", err)
	}
	signature[crypto.RecoveryIDOffset] += 27
	return hexutil.Encode(signature), nil
}

// SendTransaction signs a transaction of EIP-1559, sends it, and waits until it is in a block. It pays up to twice the latest block's base
// fee and the tip that the node advises. ErrReverted comes with the hash; so does the context's error when the wait is cut short, after
// which the transaction is still on its way.
func (w *Wallet) SendTransaction(ctx context.Context, asked client.Transaction) (string, error) {
	call, node, err := w.read(asked)
	if err != nil {
		return "", err
	}
	signed, err := w.send(ctx, node, big.NewInt(asked.ChainID), call)
	if err != nil {
		return "", err
	}
	hash := signed.Hash().Hex()
	receipt, err := w.wait(ctx, node, signed.Hash())
	switch {
	case err != nil:
		return hash, err
	case receipt.Status != types.ReceiptStatusSuccessful:
		return hash, fmt.Errorf("%w: %s", ErrReverted, hash)
	}
	return hash, nil
}

// read holds a transaction against the wallet.
func (w *Wallet) read(asked client.Transaction) (ethereum.CallMsg, *ethclient.Client, error) {
	node := w.nodes[asked.ChainID]
	switch {
	case node == nil:
		return ethereum.CallMsg{}, nil, fmt.Errorf("%w: there is no node of chain %d", ErrTransaction, asked.ChainID)
	case !common.IsHexAddress(asked.From) || common.HexToAddress(asked.From) != w.address:
		return ethereum.CallMsg{}, nil, fmt.Errorf("%w: it is from %s", ErrTransaction, asked.From)
	case !common.IsHexAddress(asked.To):
		return ethereum.CallMsg{}, nil, fmt.Errorf("%w: it goes to %q", ErrTransaction, asked.To)
	}
	data, err := hexutil.Decode(orZero(asked.Data, "0x"))
	if err != nil {
		return ethereum.CallMsg{}, nil, fmt.Errorf("%w: its data: %w", ErrTransaction, err)
	}
	value, err := hexutil.DecodeBig(orZero(asked.Value, "0x0"))
	if err != nil {
		return ethereum.CallMsg{}, nil, fmt.Errorf("%w: its value: %w", ErrTransaction, err)
	}
	to := common.HexToAddress(asked.To)
	return ethereum.CallMsg{From: w.address, To: &to, Data: data, Value: value}, node, nil
}

func orZero(text, zero string) string {
	if text == "" {
		return zero
	}
	return text
}

// send signs a call as a transaction and hands it to the node. One that could not succeed is not sent.
func (w *Wallet) send(ctx context.Context, node *ethclient.Client, chainID *big.Int, call ethereum.CallMsg) (*types.Transaction, error) {
	w.sending.Lock()
	defer w.sending.Unlock()
	actual, err := node.ChainID(ctx)
	if err != nil {
		return nil, fmt.Errorf("localwallet: the node's chain: %w", err)
	}
	if actual.Cmp(chainID) != 0 {
		return nil, fmt.Errorf("%w: the node is of chain %s, and the transaction is for %s", ErrTransaction, actual, chainID)
	}
	gas, err := node.EstimateGas(ctx, call)
	if err != nil {
		return nil, fmt.Errorf("localwallet: it would not succeed: %w", err)
	}
	latest, err := node.HeaderByNumber(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("localwallet: the latest block: %w", err)
	}
	if latest.BaseFee == nil {
		return nil, fmt.Errorf("%w: its chain has no base fee (EIP-1559)", ErrTransaction)
	}
	tip, err := node.SuggestGasTipCap(ctx)
	if err != nil {
		return nil, fmt.Errorf("localwallet: the tip: %w", err)
	}
	nonce, err := node.PendingNonceAt(ctx, w.address)
	if err != nil {
		return nil, fmt.Errorf("localwallet: the nonce: %w", err)
	}
	signed, err := types.SignNewTx(w.key, types.LatestSignerForChainID(chainID), &types.DynamicFeeTx{
		ChainID: chainID, Nonce: nonce, To: call.To, Data: call.Data, Value: call.Value, Gas: gas + gas/5,
		GasTipCap: tip, GasFeeCap: new(big.Int).Add(tip, new(big.Int).Lsh(latest.BaseFee, 1)),
	})
	if err != nil {
		return nil, fmt.Errorf("localwallet: sign: %w", err)
	}
	if err := node.SendTransaction(ctx, signed); err != nil {
		return nil, fmt.Errorf("localwallet: send: %w", err)
	}
	return signed, nil
}

// wait asks for the receipt until there is one. A node that does not answer in between is asked again.
func (w *Wallet) wait(ctx context.Context, node *ethclient.Client, hash common.Hash) (*types.Receipt, error) {
	ticker := time.NewTicker(w.poll)
	defer ticker.Stop()
	for {
		if receipt, err := node.TransactionReceipt(ctx, hash); err == nil {
			return receipt, nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("localwallet: %s is on its way: %w", hash.Hex(), ctx.Err())
		}
	}
}
