package agent

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/activation"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
	"github.com/mirrorworthy/mirrorworthy/shared/walletsignature"
)

// walletHeader names the wallet that a test's request is signed by.
const walletHeader = "Test-Wallet"

// named tells the wallet by a header alone.
type named struct{}

func (named) Session(_ context.Context, header http.Header, _, _ string, _ time.Time) (chain.Address, error) {
	wallet, err := chain.ParseAddress(header.Get(walletHeader))
	if err != nil {
		return chain.Address{}, fmt.Errorf("%w: no wallet signed this", walletsignature.ErrSignature)
	}
	return wallet, nil
}

// office is a desk over a store of its own, behind HTTP.
type office struct {
	*endpointtest.Fixture
	desk    Desk
	engine  *embedded.Store
	handler http.Handler
	// followed counts whom the desk has had graded.
	followed atomic.Int64
}

func newOffice(t *testing.T) *office {
	t.Helper()
	engine, err := embedded.Open(filepath.Join(t.TempDir(), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	o := &office{Fixture: endpointtest.New(t), engine: engine}
	o.desk = Desk{
		Access:  Access{Agents: engine.Agents(), Sessions: named{}},
		Leaders: engine.Leaders(),
		Follow: func(ctx context.Context, of store.FollowedLeader, at time.Time) error {
			o.followed.Add(1)
			return engine.Leaders().Find(ctx, of.Group, of.Leader, store.Finding{Source: "followed", At: at, Data: []byte("{}")})
		},
		Checker: activation.Checker{
			Signatures: &walletsignature.Verifier{Code: noCode{}, Calls: nil, Nonces: engine.Nonces()}, Nonces: engine.Nonces(),
		},
		TradingAgent: func(id, _ string) chain.Address { return chain.Address{0xee, byte(len(id))} }, Executor: func() chain.Address { return chain.Address{0xef} },
	}
	o.Service.Idempotency = engine.Idempotency()
	o.open()
	return o
}

// open serves the desk as it is.
func (o *office) open() { o.handler = endpoint.NewHandler(o.Service, o.desk.Endpoints()...) }

// as sends a request signed by a wallet.
func (o *office) as(t endpointtest.T, key string, wallet chain.Address, method, path, body string, headers ...string) endpointtest.Answer {
	t.Helper()
	call := endpointtest.Call{Method: method, Path: path, Key: key, Body: body, Header: http.Header{walletHeader: {wallet.String()}}}
	for i := 0; i < len(headers); i += 2 {
		call.Header.Set(headers[i], headers[i+1])
	}
	return call.Do(t, o.handler)
}

var me, leaderWallet1 = address(1), address(9)

// wish is the body of a request for an agent.
func wish(venue Venue, more string) string {
	return fmt.Sprintf(`{"venue":%q,"smartAccountAddress":%q,"leaderWalletAddress":%q,"riskConfig":{"maxUsd":"250","copyPercent":50}%s}`, venue, address(2), leaderWallet1, more)
}

// made makes an agent and gives its ID.
func (o *office) made(t endpointtest.T, wallet chain.Address, body string) string {
	t.Helper()
	got := o.as(t, o.Key, wallet, http.MethodPost, "/v1/copy/agents", body)
	if got.Status != http.StatusCreated {
		t.Fatalf("%+v", got)
	}
	var answer Created
	if err := json.Unmarshal([]byte(got.Body), &answer); err != nil || !strings.HasPrefix(answer.AgentID, "ag_") || len(answer.AgentID) != 35 {
		t.Fatalf("%s: %v", got.Body, err)
	}
	return answer.AgentID
}

// bring puts an agent into a state behind the desk's back.
func (o *office) bring(t *testing.T, id string, status Status, expireAt time.Time) {
	t.Helper()
	record, err := o.engine.Agents().Agent(t.Context(), store.AgentKey{Partner: endpointtest.Partner, ID: id})
	if err != nil {
		t.Fatal(err)
	}
	a, err := Read(record)
	if err != nil {
		t.Fatal(err)
	}
	a.Status, a.CredentialsExpireAt, a.ActivatedAt = status, expireAt, o.Clock.Now()
	a.Version++
	if record, err = a.Record(); err != nil {
		t.Fatal(err)
	}
	if err := o.engine.Agents().Change(t.Context(), record); err != nil {
		t.Fatal(err)
	}
}

// said lists the types of all events of today.
func (o *office) said(t *testing.T) []string {
	t.Helper()
	events, err := o.engine.Events().Said(t.Context(), o.Clock.Now(), time.Time{}, "", 100)
	if err != nil {
		t.Fatal(err)
	}
	return kinds(events)
}
