package activation_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/mirrorworthy/mirrorworthy/shared/activation"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/evmrpc"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
	"github.com/mirrorworthy/mirrorworthy/shared/walletsignature"
)

// The whole way, over real connections: a wallet that was made a moment ago signs and sends what each venue asks for, to chains that run
// it by an EVM, and the checker reads what came of it through the node's adapter.
func TestAWalletActivatesItsAgentsOnTheSampleMarket(t *testing.T) {
	sample := samplemarket.New(samplemarket.Config{Seed: 3, Start: now.Add(-6 * time.Hour), Clock: func() time.Time { return now }, Chains: []string{"base", "arbitrum", "polygon"}})
	server := httptest.NewServer(sample.Handler())
	defer server.Close()
	clients := map[chain.Slug]*upstream.Client{}
	for _, slug := range []chain.Slug{chain.Base, chain.Arbitrum, chain.Polygon} {
		clients[slug] = upstream.New(upstream.Config{Name: "node", Base: server.URL + "/rpc/" + string(slug), PerMinute: 1e6, Burst: 1e5, Examine: evmrpc.Examine},
			upstream.Shared{Clock: func() time.Time { return now }})
	}
	node, used := evmrpc.New(clients), newLedger()
	made, err := chain.ParseAddress(samplemarket.AccountFactory)
	if err != nil {
		t.Fatal(err)
	}
	checker := activation.Checker{
		Signatures: &walletsignature.Verifier{Code: node, Calls: node, Nonces: used}, Receipts: node, Calls: node, Nonces: used, Factory: made,
	}
	ask := func(slug chain.Slug, method string, parameters ...any) string {
		body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.Post(server.URL+"/rpc/"+string(slug), "application/json", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		var result struct{ Result string }
		if err != nil || json.Unmarshal(text, &result) != nil || result.Result == "" {
			t.Fatalf("%s: %s, %v", method, text, err)
		}
		return result.Result
	}
	owner := wallet(t, "a wallet of a moment ago")
	send := func(slug chain.Slug, tx *activation.Transaction) string {
		data, err := hex.DecodeString(tx.Data[2:])
		nonce, ok := new(big.Int).SetString(ask(slug, "eth_getTransactionCount", accountOf(owner).String(), "pending")[2:], 16)
		if err != nil || !ok {
			t.Fatal(err)
		}
		to := common.Address(tx.To)
		signed, err := types.SignNewTx(owner, types.LatestSignerForChainID(big.NewInt(tx.ChainID)), &types.DynamicFeeTx{
			ChainID: big.NewInt(tx.ChainID), Nonce: nonce.Uint64(), To: &to, Data: data, Gas: 2_000_000, GasFeeCap: big.NewInt(1e12),
		})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := signed.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return ask(slug, "eth_sendRawTransaction", "0x"+hex.EncodeToString(raw))
	}
	for venue, rounds := range venueSteps {
		s := subject(t, venue, "a wallet of a moment ago")
		promised := ask(s.Chain.Slug, "eth_call", map[string]string{"to": samplemarket.AccountFactory, "data": "0x8cb84e18" + word(s.Owner.String()[2:]) + word("0")}, "latest")
		if s.SmartAccount, err = chain.ParseAddress("0x" + promised[26:]); err != nil {
			t.Fatal(err)
		}
		p := activation.Begin(s, challenge, now)
		for i := range rounds {
			steps, err := checker.Open(t.Context(), s, p, now)
			if err != nil || len(steps) != len(rounds[i]) {
				t.Fatal(venue, steps, err)
			}
			var results []activation.Result
			for _, step := range steps {
				if step.Kind == activation.SendTransaction {
					early := activation.Result{Step: step.Step, TxHash: "0x" + strings.Repeat("ab", 32)}
					if _, err := checker.Accept(t.Context(), s, p, []activation.Result{early}, now); !errors.Is(err, activation.ErrPending) {
						t.Error(venue, err)
					}
					results = append(results, activation.Result{Step: step.Step, TxHash: send(s.Chain.Slug, step.Transaction)})
				} else {
					results = append(results, activation.Result{Step: step.Step, Signature: sign(t, owner, step)})
				}
			}
			if p, err = checker.Accept(t.Context(), s, p, results, now.Add(time.Minute)); err != nil {
				t.Fatal(venue, err)
			}
		}
		if !activation.Complete(s, p) {
			t.Errorf("%s: %+v", venue, p)
		}
	}
}
