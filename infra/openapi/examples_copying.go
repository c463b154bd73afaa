package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/client"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/catalogue"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// webhooks are the answers about where events are sent.
func (s *stage) webhooks(context.Context) error {
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	defer receiver.Close()
	for _, each := range []ask{
		{Hidden: true, Endpoint: "put-webhook", Body: map[string]any{"url": receiver.URL}},
		{Name: "delivered", Summary: "The receiver answered.", Endpoint: "test-webhook", Header: http.Header{"Idempotency-Key": {"1f0c6f4e-5d0a-4a3e-9a51-0d3f6a1f7c11"}}},
		{Hidden: true, Endpoint: "delete-webhook"},
		{Name: "new", Summary: "A new webhook, with the secret that is shown once.", Endpoint: "put-webhook", Body: map[string]any{"url": "https://hooks.example.com/mirrorworthy", "events": []string{"agent.session_expiring", "execution.executed", "execution.skipped"}}},
		{Name: "active", Summary: "The webhook as it stands.", Endpoint: "webhook"},
		{Name: "removed", Summary: "The webhook is gone.", Endpoint: "delete-webhook"},
	} {
		each.Key = s.key
		if _, err := s.success(s.handler, each); err != nil {
			return err
		}
	}
	return nil
}

// signed are the headers by which the wallet signs requests now.
func (s *stage) signed(ctx context.Context) (http.Header, error) {
	on, _ := chain.Parse(exampleChain)
	headers, err := client.AuthHeadersFor(client.SignIn{
		BaseURL: "https://" + exampleHost + "/v1", Address: s.wallet.Address(), ChainID: on.ID, SignMessage: s.wallet.SignMessage, Clock: s.now,
		Random: rand.NewChaCha8([32]byte{byte(s.clock.Load()), byte(s.clock.Load() >> 8), byte(s.clock.Load() >> 16), byte(s.clock.Load() >> 24)}),
	})
	if err != nil {
		return nil, err
	}
	return headers(ctx)
}

// results does the steps of a round.
func (s *stage) results(ctx context.Context, round []byte) ([]map[string]any, error) {
	var open struct {
		Steps []struct {
			Step      string          `json:"step"`
			Message   string          `json:"message"`
			TypedData json.RawMessage `json:"typedData"`
		} `json:"steps"`
	}
	if err := json.Unmarshal(round, &open); err != nil {
		return nil, err
	}
	results := make([]map[string]any, 0, len(open.Steps))
	for _, step := range open.Steps {
		var signature string
		var err error
		if step.Message != "" {
			signature, err = s.wallet.SignMessage(ctx, step.Message)
		} else {
			signature, err = s.wallet.SignTypedData(ctx, step.TypedData)
		}
		if err != nil {
			return nil, err
		}
		results = append(results, map[string]any{"step": step.Step, "signature": signature})
	}
	return results, nil
}

// agents are the life of an agent, from its creation to its end.
func (s *stage) agents(ctx context.Context) error {
	signed, err := s.signed(ctx)
	if err != nil {
		return err
	}
	leaderWallet := s.perps
	keyed := func(key string) http.Header {
		header := signed.Clone()
		header.Set("Idempotency-Key", key)
		return header
	}
	ok := func(a ask) (value []byte, err error) {
		a.Key = s.key
		if a.Header == nil {
			a.Header = signed
		}
		return s.success(s.handler, a)
	}
	if _, err := ok(ask{Name: "venues", Summary: "The venues.", Endpoint: "venues", Header: http.Header{}}); err != nil {
		return err
	}
	create := map[string]any{
		"venue": "perpvenue-perps", "smartAccountAddress": s.wallet.Address(), "leaderWalletAddress": leaderWallet,
		"riskConfig": map[string]any{"maxUsd": "250", "copyPercent": 50, "maxLeverage": 3, "copyExisting": true},
	}
	made, err := ok(ask{Name: "paper", Summary: "An agent that trades on paper.", Endpoint: "create-agent", Body: create, Header: keyed("0f5c2a7e-93c1-4a35-8a0b-8d6f1f1d2c01")})
	if err != nil {
		return err
	}
	var agent struct {
		AgentID string `json:"agentId"`
	}
	if err := json.Unmarshal(made, &agent); err != nil {
		return err
	}
	id := map[string]string{"agentId": agent.AgentID}
	round, err := ok(ask{Name: "first", Summary: "What is to be signed first.", Endpoint: "activation", Path: id})
	if err != nil {
		return err
	}
	name := "first"
	for rounds := 0; ; rounds++ {
		results, err := s.results(ctx, round)
		if err != nil {
			return err
		}
		if len(results) == 0 {
			break
		}
		if rounds > 5 {
			return errors.New("the activation has no end")
		}
		if round, err = ok(ask{
			Name: name, Summary: "The results of a round.", Endpoint: "activate-agent", Path: id, Body: map[string]any{"results": results},
			Header: keyed(fmt.Sprintf("5b7c1d9e-2f64-4b5f-9d43-6a1e0c9b7d%02d", rounds)), Hidden: rounds > 0,
		}); err != nil {
			return err
		}
	}
	if err := s.mirror(ctx); err != nil {
		return err
	}
	for _, each := range []ask{
		{Name: "latest", Summary: "What the agent did, and why it did nothing.", Endpoint: "executions", Path: id, Query: url.Values{"limit": {"2"}}},
		{Name: "agents", Summary: "The wallet's agents.", Endpoint: "list-agents", Query: url.Values{"limit": {"10"}}},
		{Name: "active", Summary: "An active agent.", Endpoint: "agent", Path: id},
	} {
		if _, err := ok(each); err != nil {
			return err
		}
	}
	refused := func(code, to, key string, body any) error {
		a := ask{Endpoint: to, Path: id, Key: s.key, Header: signed, Body: body}
		if key != "" {
			a.Header = keyed(key)
		}
		return s.refusal(s.handler, code, a)
	}
	if err := refused("agent_state_conflict", "resume-agent", "", nil); err != nil {
		return err
	}
	create["riskConfig"] = map[string]any{"maxUsd": "500", "copyPercent": 50}
	if err := refused("idempotency_conflict", "create-agent", "0f5c2a7e-93c1-4a35-8a0b-8d6f1f1d2c01", create); err != nil {
		return err
	}
	change := func(to, summary, key string) error {
		_, err := ok(ask{Name: strings.TrimSuffix(to, "-agent"), Summary: summary, Endpoint: to, Path: id, Header: keyed(key)})
		return err
	}
	if err := change("pause-agent", "A paused agent.", "3d2f8b60-7a15-4f0e-b1a7-2c9d5e7f1a01"); err != nil {
		return err
	}
	if err := change("resume-agent", "An agent that is active again.", "3d2f8b60-7a15-4f0e-b1a7-2c9d5e7f1a02"); err != nil {
		return err
	}
	s.agent = id
	return nil
}

// lapse is what is answered once the credentials of an agent have lapsed.
func (s *stage) lapse(ctx context.Context) error {
	s.pass(31 * 24 * time.Hour) // a day more than credentials last
	signed, err := s.signed(ctx)
	if err != nil {
		return err
	}
	if err := s.refusal(s.handler, "agent_expired", ask{Endpoint: "resume-agent", Path: s.agent, Key: s.key, Header: signed}); err != nil {
		return err
	}
	signed.Set("Idempotency-Key", "3d2f8b60-7a15-4f0e-b1a7-2c9d5e7f1a03")
	_, err = s.success(s.handler, ask{Name: "stop", Summary: "A stopped agent.", Endpoint: "stop-agent", Path: s.agent, Key: s.key, Header: signed})
	return err
}

// mirror has agents look at their leaders.
func (s *stage) mirror(ctx context.Context) error {
	copies, err := copying.New(s.config, s.parts)
	if err != nil {
		return err
	}
	s.pass(time.Minute)
	for _, spread := range catalogue.Spreads(host.KeptIn(s.kept), market.Sources{}, copies, nil) {
		if spread.Name == "mirror-trades" {
			return run(ctx, spread, s.now())
		}
	}
	return errors.New("nothing mirrors trades")
}
