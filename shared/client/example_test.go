package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/client"
)

// From the leaderboard to a running agent, and to its renewal. The service and the wallet are doubles here; a real wallet shows each step
// to its owner, and localwallet signs with a key in memory.
func Example() {
	service := newDouble()
	defer service.Close()
	ctx, wallet := context.Background(), &signer{}

	headers, err := client.AuthHeadersFor(client.SignIn{BaseURL: service.base(), Address: testWallet, ChainID: 8453, SignMessage: wallet.SignMessage})
	if err != nil {
		panic(err)
	}
	c, err := client.New(client.Options{BaseURL: service.base(), APIKey: testKey, AuthHeaders: headers})
	if err != nil {
		panic(err)
	}
	var best client.Leader
	for leader, err := range c.ListLeaders(ctx, client.VenueSpot, client.LeaderFilter{}) {
		if err != nil {
			panic(err)
		}
		best = leader
		break
	}
	fmt.Println(*best.Grade, best.Assessment.Evidence)

	page, err := c.WalletOverview(ctx, best.Address, "base") // nine answers about the leader, to be shown with their reasons
	if err != nil {
		panic(err)
	}
	fmt.Println(string(page))
	plan, err := c.CopyPlan(ctx, client.CopyPlanRequest{Wallet: testWallet, LeadWallet: best.Address, Chain: "base"})
	if err != nil {
		panic(err)
	}
	fmt.Println(plan.Copy, plan.Warnings)

	agent, err := c.CreateAgent(ctx, client.CreateAgentRequest{
		Venue: client.VenueSpot, SmartAccountAddress: testWallet, LeaderWalletAddress: best.Address, RiskConfig: *plan.RiskConfig,
	})
	if err != nil {
		panic(err)
	}
	show := client.ActivateOptions{OnRound: func(steps []client.Step) error {
		for _, step := range steps {
			shown := client.ExplainStep(step)
			fmt.Printf("%s (%s): %s\n", shown.Title, shown.Cost, shown.Safety)
		}
		return nil // an error here is a person's no: nothing of the round is signed
	}}
	active, err := c.Activate(ctx, agent.AgentID, wallet, show)
	if err != nil {
		panic(err)
	}
	fmt.Println(active.Status)

	for execution, err := range c.ListExecutions(ctx, agent.AgentID, "skipped") {
		if err != nil {
			panic(err)
		}
		fmt.Println(execution.Status, *execution.SkipReason)
	}

	// A month later a webhook says that the agent's credentials lapse. Activating it again renews them.
	header, body := service.expire(agent.AgentID)
	event, err := client.VerifyWebhook([]string{hookSecret}, header, body, time.Unix(1700000000, 0))
	if err != nil {
		panic(err)
	}
	fmt.Println(event.Type)
	again, err := c.Activate(ctx, agent.AgentID, wallet, client.ActivateOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(again.Status)
	// Output:
	// A closed-trades
	// {"bundle":"wallet-overview"}
	// true [Thin record.]
	// Title of deploy (network fee): It can never withdraw.
	// Title of consent (no gas): It can never withdraw.
	// Title of session (no gas): It can never withdraw.
	// active
	// skipped slippage_exceeded
	// skipped slippage_exceeded
	// agent.session_expiring
	// active
}

// A receiver of webhooks believes nothing that it has not verified, and answers quickly.
func ExampleVerifyWebhook() {
	secrets := []string{hookSecret}
	receiver := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
		if err != nil {
			http.Error(w, "unreadable", http.StatusBadRequest)
			return
		}
		event, err := client.VerifyWebhook(secrets, r.Header, body, time.Unix(1700000000, 0))
		if err != nil {
			http.Error(w, "not verified", http.StatusBadRequest)
			return
		}
		// What comes again has the same ID.
		fmt.Println(event.Type, string(event.Data))
		w.WriteHeader(http.StatusNoContent)
	})
	request := httptest.NewRequest(http.MethodPost, "/hooks", strings.NewReader(`{"type":"agent.session_expiring","timestamp":"2023-11-14T22:00:00Z","data":{"agentId":"ag_1"}}`))
	request.Header.Set("webhook-id", "evt_1")
	request.Header.Set("webhook-timestamp", "1700000000")
	request.Header.Set("webhook-signature", "v1,JDBhWJ+WPGvXwVjXpLjwYfygWyxCO5jWxIkg8YLl7so=")
	receiver.ServeHTTP(httptest.NewRecorder(), request)
	// Output: agent.session_expiring {"agentId":"ag_1"}
}
