package client_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
)

func (d *double) create(w http.ResponseWriter, r *http.Request) {
	var agent map[string]any
	if json.NewDecoder(r.Body).Decode(&agent) != nil || agent["venue"] == nil {
		refuse(w, 400, "invalid_json")
		return
	}
	agent["agentId"], agent["status"], agent["mode"] = fmt.Sprintf("ag_%d", len(d.agents)+1), "pending_activation", "paper"
	agent["activatedAt"], agent["credentialsExpireAt"] = nil, nil
	d.agents = append(d.agents, agent)
	w.WriteHeader(201)
	write(w, agent)
}

func (d *double) list(w http.ResponseWriter, r *http.Request) {
	var rows []any
	for _, agent := range slices.Backward(d.agents) {
		rows = append(rows, agent)
	}
	paged(w, r, "agents", rows)
}

func (d *double) find(w http.ResponseWriter, r *http.Request) map[string]any {
	for _, agent := range d.agents {
		if agent["agentId"] == r.PathValue("id") {
			return agent
		}
	}
	refuse(w, 404, "not_found")
	return nil
}

func (d *double) show(w http.ResponseWriter, r *http.Request) {
	if agent := d.find(w, r); agent != nil {
		write(w, agent)
	}
}

func (d *double) move(w http.ResponseWriter, r *http.Request) {
	agent := d.find(w, r)
	if agent == nil {
		return
	}
	status := map[string]string{"pause": "paused", "resume": "active", "stop": "stopped"}[r.PathValue("verb")]
	if status == "" || agent["status"] == "stopped" {
		refuse(w, 409, "agent_state_conflict")
		return
	}
	agent["status"] = status
	write(w, agent)
}

// steps are those of a round.
func steps(round int) []any {
	step := func(name, kind string, more map[string]any) map[string]any {
		all := map[string]any{
			"step": name, "kind": kind, "title": "Title of " + name, "what": "What.", "why": "Why.", "safety": "It can never withdraw.", "cost": "none", "walletShows": "A message.",
			"expiresAt": "2026-11-20T13:00:00Z",
		}
		for key, value := range more {
			all[key] = value
		}
		return all
	}
	switch round {
	case 0:
		return []any{step("deploy", "send_transaction", map[string]any{"cost": "gas", "transaction": map[string]any{"chainId": 8453, "from": testWallet, "to": leaderOne, "data": "0x01", "value": "0x0"}})}
	case 1:
		return []any{
			step("consent", "sign_message", map[string]any{"message": "I agree."}),
			step("session", "sign_typed_data", map[string]any{"typedData": map[string]any{"primaryType": "Session"}}),
		}
	}
	return []any{}
}

func (d *double) activation(w http.ResponseWriter, r *http.Request) {
	if agent := d.find(w, r); agent != nil {
		d.writeActivation(w, agent)
	}
}

func (d *double) writeActivation(w http.ResponseWriter, agent map[string]any) {
	id := agent["agentId"].(string)
	open := steps(d.rounds[id])
	if agent["status"] == "stopped" {
		open = []any{}
	}
	write(w, map[string]any{"agentId": id, "status": agent["status"], "steps": open, "expiresAt": nil})
}

func (d *double) activate(w http.ResponseWriter, r *http.Request) {
	agent := d.find(w, r)
	if agent == nil {
		return
	}
	var given struct {
		Results []struct{ Step, Signature, TxHash string }
	}
	if err := json.NewDecoder(r.Body).Decode(&given); err != nil {
		refuse(w, 400, "invalid_json")
		return
	}
	want := map[string][2]string{"deploy": {"", transaction}, "consent": {signatureOf("I agree."), ""}, "session": {signatureOf(`{"primaryType":"Session"}`), ""}}
	id := agent["agentId"].(string)
	if len(given.Results) != len(steps(d.rounds[id])) {
		refuse(w, 400, "invalid_param")
		return
	}
	for _, result := range given.Results {
		if want[result.Step] != [2]string{result.Signature, result.TxHash} {
			refuse(w, 401, "wallet_signature_invalid")
			return
		}
	}
	if d.pending > 0 {
		d.pending--
		w.Header().Set("Retry-After", "3")
		refuse(w, 409, "agent_state_conflict")
		return
	}
	if d.rounds[id]++; d.rounds[id] == 2 {
		agent["status"] = "active"
	}
	d.writeActivation(w, agent)
}

func (d *double) executions(w http.ResponseWriter, r *http.Request) {
	var rows []any
	for i, status := range []string{"executed", "skipped", "executed", "failed", "skipped"} {
		if wanted := r.URL.Query().Get("status"); wanted == "" || wanted == status {
			row := map[string]any{"executionId": fmt.Sprintf("ex_%d", i), "agentId": r.PathValue("id"), "status": status, "skipReason": nil, "reason": "Because.", "asset": map[string]any{"name": "PEPE"}, "sizeUsd": "12.5"}
			if status == "skipped" {
				row["skipReason"] = "slippage_exceeded"
			}
			rows = append(rows, row)
		}
	}
	paged(w, r, "executions", rows)
}

func (d *double) putHook(w http.ResponseWriter, r *http.Request) {
	var asked map[string]any
	if json.NewDecoder(r.Body).Decode(&asked) != nil {
		refuse(w, 400, "invalid_json")
		return
	}
	answer := map[string]any{"url": asked["url"], "events": []string{"agent.paused"}, "status": "active", "disabledReason": nil, "createdAt": "2026-11-20T12:00:00Z",
		"changedAt": "2026-11-20T12:00:00Z", "failingSinceAt": nil, "secrets": []any{map[string]any{"createdAt": "2026-11-20T12:00:00Z", "expiresAt": nil}}}
	d.hook = answer
	shown := map[string]any{"secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}
	for key, value := range answer {
		shown[key] = value
	}
	write(w, shown)
}

func (d *double) getHook(w http.ResponseWriter, _ *http.Request) {
	if d.hook == nil {
		refuse(w, 404, "not_found")
		return
	}
	write(w, d.hook)
}

func (d *double) deleteHook(w http.ResponseWriter, _ *http.Request) {
	removed := d.hook != nil
	d.hook = nil
	write(w, map[string]bool{"removed": removed})
}

// expire lets an agent's credentials lapse, and gives the webhook that told of it before.
func (d *double) expire(id string) (http.Header, []byte) {
	for _, agent := range d.agents {
		if agent["agentId"] == id {
			agent["status"], d.rounds[id] = "expired", 0
		}
	}
	header := http.Header{}
	header.Set("webhook-id", "evt_1")
	header.Set("webhook-timestamp", "1700000000")
	header.Set("webhook-signature", "v1,JDBhWJ+WPGvXwVjXpLjwYfygWyxCO5jWxIkg8YLl7so=")
	return header, []byte(`{"type":"agent.session_expiring","timestamp":"2023-11-14T22:00:00Z","data":{"agentId":"ag_1"}}`)
}
