package activation_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/mirrorworthy/mirrorworthy/shared/activation"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/walletsignature"
)

// failing is what tests and properties have in common.
type failing interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

const challenge = "0123456789abcdef0123456789abcdef"

func wallet(t failing, name string) *ecdsa.PrivateKey {
	t.Helper()
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte(name)))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func accountOf(key *ecdsa.PrivateKey) chain.Address {
	return chain.Address(crypto.PubkeyToAddress(key.PublicKey))
}

var factory = chain.Address{0xfa}

// subject is an agent of the venue whose owner is the wallet of that name.
func subject(t failing, venue, owner string) activation.Subject {
	t.Helper()
	slug := map[string]string{"dexvenue-spot": "base", "perpvenue-perps": "arbitrum", "predictvenue-markets": "polygon"}[venue]
	on, known := chain.Parse(slug)
	if !known {
		t.Fatal(venue)
	}
	me := accountOf(wallet(t, owner))
	return activation.Subject{
		Partner: "partner", Agent: "ag_1", Venue: venue, Live: true, Chain: on, Owner: me, SmartAccount: promisedTo(me), Leader: chain.Address{0x1e},
		MaxMicroUSD: 250_500_000, MaxLeverage: 2.5, TradingAgent: chain.Address{0x7a}, Executor: chain.Address{0xe8},
	}
}

// promisedTo is the account that the ledger's factory makes for an owner.
func promisedTo(owner chain.Address) chain.Address {
	return chain.Address(crypto.Keccak256(owner[:])[12:])
}

// ledger is a chain in memory, and the nonces that were used.
type ledger struct {
	mu         sync.Mutex
	receipts   map[string]market.Receipt // by chain and hash
	owners     map[chain.Address]chain.Address
	allowances map[string][]byte // by token, owner and spender
	noFactory  bool
	sent       byte
	claims     map[string]string
	// down makes calls, receipts, code or nonces fail.
	down map[string]bool
}

func newLedger() *ledger {
	return &ledger{receipts: map[string]market.Receipt{}, owners: map[chain.Address]chain.Address{}, allowances: map[string][]byte{}, claims: map[string]string{}, down: map[string]bool{}}
}

func (l *ledger) checker() activation.Checker {
	return activation.Checker{
		Signatures: &walletsignature.Verifier{Code: l, Calls: l, Nonces: l}, Receipts: l, Calls: l, Nonces: l, Factory: factory,
	}
}

func (l *ledger) fails(what string) error {
	if l.down[what] {
		return fmt.Errorf("%w: %s", market.ErrUnavailable, what)
	}
	return nil
}

func (l *ledger) Code(context.Context, *chain.Chain, chain.Address) (market.Code, error) {
	return market.Code{Empty: true}, l.fails("code")
}

func (l *ledger) Call(_ context.Context, _ *chain.Chain, to chain.Address, data []byte) (market.CallResult, error) {
	if err := l.fails("calls"); err != nil {
		return market.CallResult{}, err
	}
	word := func(a chain.Address) market.CallResult {
		return market.CallResult{Returned: append(make([]byte, 12), a[:]...)}
	}
	switch hex.EncodeToString(data[:4]) {
	case "8da5cb5b": // owner()
		if owner, made := l.owners[to]; made {
			return word(owner), nil
		}
		return market.CallResult{}, nil
	case "8cb84e18": // getAddress(address,uint256)
		if to != factory || l.noFactory || len(bytes.Trim(data[36:68], "\x00")) > 0 {
			return market.CallResult{}, nil
		}
		return word(promisedTo(chain.Address(data[16:36]))), nil
	case "dd62ed3e": // allowance(address,address)
		amount := l.allowances[to.String()+hex.EncodeToString(data[4:68])]
		if amount == nil {
			amount = make([]byte, 32)
		}
		return market.CallResult{Returned: amount}, nil
	}
	return market.CallResult{Reverted: true}, nil
}

func (l *ledger) Receipt(_ context.Context, on *chain.Chain, hash market.Hash) (market.Receipt, bool, error) {
	receipt, found := l.receipts[string(on.Slug)+hex.EncodeToString(hash[:])]
	return receipt, found, l.fails("receipts")
}

func (l *ledger) Claim(_ context.Context, scope, nonce, holder string, until, at time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := store.CheckClaim(scope, nonce, holder, until, at); err != nil {
		return err
	}
	if l.down["nonces"] {
		return fmt.Errorf("the store is down")
	}
	key := scope + "#" + nonce
	if held, there := l.claims[key]; there && held != holder {
		return store.ErrConflict
	}
	l.claims[key] = holder
	return nil
}

// send puts a step's transaction into a block and lets it have its effect.
func (l *ledger) send(t failing, s activation.Subject, step activation.Step) (hash string, receipt market.Receipt) {
	t.Helper()
	tx := step.Transaction
	data, err := hex.DecodeString(strings.TrimPrefix(tx.Data, "0x"))
	if err != nil {
		t.Fatal(err)
	}
	l.sent++
	receipt = market.Receipt{
		Transaction: market.Hash{0xaa, l.sent}, From: tx.From, To: tx.To, Input: data, Succeeded: true, Block: 100, Confirmations: 1, Time: now.Add(time.Minute),
	}
	switch hex.EncodeToString(data[:4]) {
	case "5fbfb9cf": // createAccount(address,uint256)
		owner := chain.Address(data[16:36])
		l.owners[promisedTo(owner)] = owner
	case "095ea7b3": // approve(address,uint256)
		from := append(make([]byte, 12), tx.From[:]...)
		l.allowances[tx.To.String()+hex.EncodeToString(append(from, data[4:36]...))] = data[36:68]
	default:
		t.Fatalf("nobody knows what %s does", tx.Data)
	}
	l.put(s.Chain, receipt)
	return "0x" + hex.EncodeToString(receipt.Transaction[:]), receipt
}

func (l *ledger) put(on *chain.Chain, receipt market.Receipt) {
	l.receipts[string(on.Slug)+hex.EncodeToString(receipt.Transaction[:])] = receipt
}

// sign is what a wallet makes of a step that is signed.
func sign(t failing, key *ecdsa.PrivateKey, step activation.Step) string {
	t.Helper()
	digest := walletsignature.PersonalDigest([]byte(step.Message))
	if step.Kind == activation.SignTypedData {
		var err error
		if digest, err = walletsignature.TypedDataDigest(step.TypedData); err != nil {
			t.Fatal(err)
		}
	}
	signature, err := crypto.Sign(digest[:], key)
	if err != nil {
		t.Fatal(err)
	}
	signature[64] += 27
	return "0x" + hex.EncodeToString(signature)
}

// do is the right result of a step.
func (l *ledger) do(t failing, s activation.Subject, owner string, step activation.Step) activation.Result {
	t.Helper()
	if step.Kind == activation.SendTransaction {
		hash, _ := l.send(t, s, step)
		return activation.Result{Step: step.Step, TxHash: hash}
	}
	return activation.Result{Step: step.Step, Signature: sign(t, wallet(t, owner), step)}
}

func opened(t failing, l *ledger, s activation.Subject, p activation.Progress) []activation.Step {
	t.Helper()
	steps, err := l.checker().Open(context.Background(), s, p, now.Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

// reach does all steps before the one of that name, and gives the progress and that step.
func reach(t failing, l *ledger, s activation.Subject, owner, name string) (activation.Progress, activation.Step) {
	t.Helper()
	p := activation.Begin(s, challenge, now)
	for range 5 {
		steps := opened(t, l, s, p)
		if i := slices.IndexFunc(steps, func(step activation.Step) bool { return step.Step == name }); i >= 0 {
			return p, steps[i]
		}
		var results []activation.Result
		for _, step := range steps {
			results = append(results, l.do(t, s, owner, step))
		}
		next, err := l.checker().Accept(context.Background(), s, p, results, now.Add(2*time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		p = next
	}
	t.Fatalf("no step %s", name)
	return p, activation.Step{}
}
