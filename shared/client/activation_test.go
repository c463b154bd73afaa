package client_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/client"
)

func create(t *testing.T, c *client.Client) client.Agent {
	t.Helper()
	agent, err := c.CreateAgent(t.Context(), client.CreateAgentRequest{
		Venue: client.VenueSpot, SmartAccountAddress: testWallet, LeaderWalletAddress: leaderOne, RiskConfig: client.RiskConfig{MaxUSD: "250", CopyPercent: 50},
	})
	if err != nil {
		t.Fatal(err)
	}
	return agent
}

func TestAnAgentFromItsCreationToItsEnd(t *testing.T) {
	_, c := start(t, nil)
	agent := create(t, c)
	if agent.AgentID != "ag_1" || agent.Status != client.StatusPendingActivation || agent.RiskConfig.MaxUSD != "250" || agent.CredentialsExpireAt != nil {
		t.Errorf("%+v", agent)
	}
	wallet := &signer{}
	var rounds [][]string
	done, err := c.Activate(t.Context(), agent.AgentID, wallet, client.ActivateOptions{OnRound: func(steps []client.Step) error {
		var names []string
		for _, step := range steps {
			names = append(names, step.Step)
		}
		rounds = append(rounds, names)
		return nil
	}})
	if err != nil || done.Status != client.StatusActive || len(done.Steps) != 0 || fmt.Sprint(rounds) != "[[deploy] [consent session]]" {
		t.Errorf("%+v %v %v", done, err, rounds)
	}
	if want := []string{"{8453 " + testWallet + " " + leaderOne + " 0x01 0x0}", "I agree.", `{"primaryType":"Session"}`}; !slices.Equal(wallet.signed, want) {
		t.Errorf("%q", wallet.signed)
	}
	// What is active already has no steps.
	if done, err := c.Activate(t.Context(), agent.AgentID, nil, client.ActivateOptions{}); err != nil || done.Status != client.StatusActive {
		t.Errorf("%+v %v", done, err)
	}
	for _, step := range []struct {
		move func(context.Context, string) (client.Agent, error)
		want string
	}{{c.Pause, client.StatusPaused}, {c.Resume, client.StatusActive}, {c.Stop, client.StatusStopped}, {c.GetAgent, client.StatusStopped}} {
		if moved, err := step.move(t.Context(), agent.AgentID); err != nil || moved.Status != step.want {
			t.Errorf("%+v %v, want %s", moved, err, step.want)
		}
	}
	if _, err := c.Resume(t.Context(), agent.AgentID); code(t, err) != "agent_state_conflict" {
		t.Error(err)
	}
	if _, err := c.GetAgent(t.Context(), "../agents?x=ä"); code(t, err) != "not_found" {
		t.Error(err)
	}
	create(t, c)
	create(t, c)
	var listed []string
	for agent, err := range c.ListAgents(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, agent.AgentID)
	}
	if !slices.Equal(listed, []string{"ag_3", "ag_2", "ag_1"}) {
		t.Errorf("%v", listed)
	}
}
