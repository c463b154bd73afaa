package agent

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// noCode is a chain without contracts.
type noCode struct{}

func (noCode) Code(context.Context, *chain.Chain, chain.Address) (market.Code, error) {
	return market.Code{}, nil
}

func TestAnAgentIsMadeAndShown(t *testing.T) {
	o := newOffice(t)
	got := o.as(t, o.Key, me, http.MethodPost, "/v1/copy/agents", wish(Perps, ""))
	id := strings.Split(strings.TrimPrefix(got.Body, `{"agentId":"`), `"`)[0]
	shown := fmt.Sprintf(`{"agentId":%q,"venue":"perpvenue-perps","chain":null,"status":"pending_activation","mode":"paper","walletAddress":%q,`+
		`"smartAccountAddress":%q,"leaderWalletAddress":%q,"riskConfig":{"maxUsd":"250","copyPercent":50,"maxLeverage":null,"maxSlippageBps":null,`+
		`"dailyLossUsd":null,"perPositionCapPct":null,"excludeTokens":[],"copyExisting":false},"createdAt":"2026-11-20T12:30:45Z",`+
		`"changedAt":"2026-11-20T12:30:45Z","activatedAt":null,"credentialsExpireAt":null`, id, me, address(2), leaderWallet1)
	if got.Status != http.StatusCreated || !strings.HasPrefix(got.Body, shown+`,"next":"`) || got.Header.Get("X-Usage-Units") != "1" {
		t.Errorf("%+v\nwant %s", got, shown)
	}
	if read := o.as(t, o.Key, me, http.MethodGet, "/v1/copy/agents/"+id, ""); read.Status != http.StatusOK || read.Body != shown+"}" {
		t.Errorf("%+v\nwant %s}", read, shown)
	}
	if o.followed.Load() != 1 {
		t.Error("the leader will not be graded")
	}
	if len(o.said(t)) != 0 {
		t.Error(o.said(t))
	}
}

func TestWhatNoAgentCanBeMadeOf(t *testing.T) {
	o := newOffice(t)
	risk := func(config string) string {
		return fmt.Sprintf(`{"venue":"perpvenue-perps","smartAccountAddress":%q,"leaderWalletAddress":%q,"riskConfig":%s}`, address(2), leaderWallet1, config)
	}
	amounts := []string{"", "0", "0.0", "-1", "+1", "1e9", "NaN", "0x10", "１００", "1000000000000", "1.0000001", " 1", "1,5"}
	type row struct{ body, code, parameter string }
	rows := []row{
		{wish(Spot, ""), "missing_param", "chain"},
		{wish(Spot, `,"chain":"sol"`), "invalid_chain", "chain"},
		{wish(Spot, `,"chain":"base","mode":"live"`), "invalid_param", "mode"},
		{wish(Perps, `,"mode":"live"`), "invalid_param", "mode"},
		{wish(Perps, `,"mode":"real"`), "invalid_param", "mode"},
		{wish(Perps, `,"chain":"base"`), "invalid_param", "chain"},
		{wish(Prediction, `,"chain":"base"`), "invalid_param", "chain"},
		{wish("nowhere", ""), "invalid_param", "venue"},
		{wish(Perps, `,"asOf":"2026"`), "unknown_param", "asOf"},
		{strings.Replace(wish(Perps, ""), leaderWallet1.String(), address(2).String(), 1), "invalid_param", "leaderWalletAddress"},
		{strings.Replace(wish(Perps, ""), leaderWallet1.String(), me.String(), 1), "invalid_param", "leaderWalletAddress"},
		{strings.Replace(wish(Perps, ""), leaderWallet1.String(), chain.Address{}.String(), 1), "invalid_param", "leaderWalletAddress"},
		{strings.Replace(wish(Perps, ""), address(2).String(), chain.Address{}.String(), 1), "invalid_param", "smartAccountAddress"},
		{risk(`{"copyPercent":50}`), "missing_param", "riskConfig.maxUsd"},
		{risk(`{"maxUsd":"1"}`), "missing_param", "riskConfig.copyPercent"},
		{risk(`{"maxUsd":1,"copyPercent":50}`), "invalid_param", "riskConfig.maxUsd"},
		{risk(`{"maxUsd":"1","copyPercent":50,"more":1}`), "unknown_param", "riskConfig.more"},
		{risk(`{"maxUsd":"1","copyPercent":0}`), "invalid_param", "riskConfig.copyPercent"},
		{risk(`{"maxUsd":"1","copyPercent":100.1}`), "invalid_param", "riskConfig.copyPercent"},
		{risk(`{"maxUsd":"1","copyPercent":"50"}`), "invalid_param", "riskConfig.copyPercent"},
		{risk(`{"maxUsd":"1","copyPercent":1,"maxLeverage":0.5}`), "invalid_param", "riskConfig.maxLeverage"},
		{risk(`{"maxUsd":"1","copyPercent":1,"maxSlippageBps":0}`), "invalid_param", "riskConfig.maxSlippageBps"},
		{risk(`{"maxUsd":"1","copyPercent":1,"perPositionCapPct":0}`), "invalid_param", "riskConfig.perPositionCapPct"},
		{risk(`{"maxUsd":"1","copyPercent":1,"dailyLossUsd":"0"}`), "invalid_param", "riskConfig.dailyLossUsd"},
		{risk(`{"maxUsd":"1","copyPercent":1,"excludeTokens":["a b"]}`), "invalid_param", "riskConfig.excludeTokens"},
		{risk(`{"maxUsd":"1","copyPercent":1,"excludeTokens":[""]}`), "invalid_param", "riskConfig.excludeTokens"},
		{risk(`{"maxUsd":"1","copyPercent":1,"copyExisting":"yes"}`), "invalid_param", "riskConfig.copyExisting"},
		{strings.Replace(wish(Prediction, ""), `"copyPercent":50`, `"copyPercent":50,"maxLeverage":2`, 1), "invalid_param", "riskConfig.maxLeverage"},
	}
	for _, amount := range amounts {
		rows = append(rows, row{risk(fmt.Sprintf(`{"maxUsd":%q,"copyPercent":50}`, amount)), "invalid_param", "riskConfig.maxUsd"})
	}
	for _, r := range rows {
		got := o.as(t, o.Key, me, http.MethodPost, "/v1/copy/agents", r.body)
		if got.Status != http.StatusBadRequest || got.Problem(t).Error != r.code || got.Problem(t).Parameter != r.parameter {
			t.Errorf("%s: %+v, want %s of %s", r.body, got, r.code, r.parameter)
		}
	}
	if list := o.as(t, o.Key, me, http.MethodGet, "/v1/copy/agents", ""); list.Body != `{"agents":[],"nextCursor":null}` || o.followed.Load() != 0 {
		t.Error(list, o.followed.Load())
	}
}

// A spot agent without a chain trades where its leader is known, if that is one chain.
func TestTheChainOfASpotLeader(t *testing.T) {
	o := newOffice(t)
	know := func(slug string) {
		t.Helper()
		err := o.engine.Leaders().Find(t.Context(), store.Group{Kind: "spot", Place: slug}, leaderWallet1.String(), store.Finding{Source: "early-buyer", At: o.Clock.Now(), Data: []byte("{}")})
		if err != nil {
			t.Fatal(err)
		}
	}
	know("base")
	if got := o.as(t, o.Key, me, http.MethodPost, "/v1/copy/agents", wish(Spot, "")); got.Status != http.StatusCreated || !strings.Contains(got.Body, `"chain":"base"`) {
		t.Error(got)
	}
	know("arbitrum")
	if got := o.as(t, o.Key, me, http.MethodPost, "/v1/copy/agents", wish(Spot, "")); got.Status != http.StatusBadRequest || got.Problem(t).Parameter != "chain" {
		t.Error(got)
	}
	if got := o.as(t, o.Key, me, http.MethodPost, "/v1/copy/agents", wish(Spot, `,"chain":"matic"`)); got.Status != http.StatusCreated || !strings.Contains(got.Body, `"chain":"polygon"`) {
		t.Error(got)
	}
	if got := o.as(t, o.Key, me, http.MethodPost, "/v1/copy/agents", wish(Prediction, "")); got.Status != http.StatusCreated || !strings.Contains(got.Body, `"chain":"polygon"`) {
		t.Error(got)
	}
}

// Two partners with two wallets each: whoever is not both gets, of every operation, the bytes of an agent that never was.
func TestAgentsOfOthersAreNotThere(t *testing.T) {
	o := newOffice(t)
	if _, err := o.Administration.Create(t.Context(), "other", "Other", store.Limit{PerMinute: 10_000, Burst: 10_000}); err != nil {
		t.Fatal(err)
	}
	keys := map[string]string{endpointtest.Partner: o.Key, "other": o.Issue(t, "other", store.ModeLive)}
	wallets := []chain.Address{me, address(7)}
	ids := make(map[string]string)
	for partner, key := range keys {
		for _, wallet := range wallets {
			got := o.as(t, key, wallet, http.MethodPost, "/v1/copy/agents", wish(Perps, ""))
			var answer Created
			if err := json.Unmarshal([]byte(got.Body), &answer); err != nil {
				t.Fatal(got)
			}
			ids[partner+wallet.String()] = answer.AgentID
		}
	}
	operations := []struct{ method, tail, body string }{
		{http.MethodGet, "", ""}, {http.MethodGet, "/activation", ""}, {http.MethodPost, "/activate", `{"results":[]}`},
		{http.MethodPost, "/pause", "{}"}, {http.MethodPost, "/resume", ""}, {http.MethodPost, "/stop", "{}"},
	}
	never := "ag_" + strings.Repeat("0", 32)
	without := func(a endpointtest.Answer) string {
		return strings.Replace(a.Body, a.Header.Get("X-Request-Id"), "", 1)
	}
	for partner, key := range keys {
		for _, wallet := range wallets {
			for owner, id := range ids {
				for _, op := range operations {
					got := o.as(t, key, wallet, op.method, "/v1/copy/agents/"+id+op.tail, op.body)
					if owner == partner+wallet.String() {
						if got.Status == http.StatusNotFound {
							t.Errorf("%s %s: %+v", op.method, op.tail, got)
						}
						continue
					}
					want := o.as(t, key, wallet, op.method, "/v1/copy/agents/"+never+op.tail, op.body)
					if got.Status != http.StatusNotFound || without(got) != without(want) || got.Header.Get("X-Usage-Units") != "0" {
						t.Errorf("%s %s: %+v, want %+v", op.method, op.tail, got, want)
					}
				}
			}
			list := o.as(t, key, wallet, http.MethodGet, "/v1/copy/agents", "")
			if strings.Count(list.Body, "agentId") != 1 || !strings.Contains(list.Body, ids[partner+wallet.String()]) {
				t.Error(list.Body)
			}
		}
	}
}

func TestNoSignatureNoAgent(t *testing.T) {
	o := newOffice(t)
	for _, call := range []endpointtest.Call{
		{Method: http.MethodGet, Path: "/v1/copy/agents", Key: o.Key}, {Method: http.MethodPost, Path: "/v1/copy/agents", Key: o.Key, Body: wish(Perps, "")},
		{Method: http.MethodPost, Path: "/v1/copy/agents/ag_1/stop", Key: o.Key},
	} {
		if got := call.Do(t, o.handler); got.Status != http.StatusUnauthorized || got.Problem(t).Error != "wallet_signature_invalid" || got.Header.Get("X-Usage-Units") != "0" {
			t.Errorf("%+v: %+v", call, got)
		}
	}
	if got := (endpointtest.Call{Method: http.MethodGet, Path: "/v1/copy/venues", Key: o.Key}).Do(t, o.handler); got.Status != http.StatusOK ||
		!strings.Contains(got.Body, `"venue":"perpvenue-perps","title":"Perpetuals"`) || strings.Contains(got.Body, "live") {
		t.Error(got)
	}
}

func TestListsGoOnWhereTheyEnded(t *testing.T) {
	o := newOffice(t)
	var want []string
	for n := range 7 {
		want = append(want, o.made(t, me, wish(Perps, "")))
		if n%2 == 0 {
			o.Clock.Advance(time.Second)
		}
	}
	var got []string
	path := "/v1/copy/agents?limit=3"
	for range 10 {
		answer := o.as(t, o.Key, me, http.MethodGet, path, "")
		var page List
		if err := json.Unmarshal([]byte(answer.Body), &page); err != nil || len(page.Agents) > 3 {
			t.Fatal(answer, err)
		}
		for _, a := range page.Agents {
			got = append(got, a.AgentID)
		}
		if page.NextCursor == nil {
			break
		}
		path = "/v1/copy/agents?limit=3&cursor=" + *page.NextCursor
	}
	slices.Sort(want)
	sorted := slices.Sorted(slices.Values(got))
	if !slices.Equal(sorted, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, bad := range []string{"x", "AAAA", "MjAyNi0xMS0yMFQxMjozMDo0NVo", "MjAyNi0xMS0yMFQxMjozMDo0NVogYSNi"} {
		if answer := o.as(t, o.Key, me, http.MethodGet, "/v1/copy/agents?cursor="+bad, ""); answer.Status != http.StatusBadRequest || answer.Problem(t).Parameter != "cursor" {
			t.Errorf("%s: %+v", bad, answer)
		}
	}
}

func TestPauseResumeAndStop(t *testing.T) {
	o := newOffice(t)
	id := o.made(t, me, wish(Perps, ""))
	do := func(verb string, headers ...string) endpointtest.Answer {
		t.Helper()
		o.Clock.Advance(time.Second)
		return o.as(t, o.Key, me, http.MethodPost, "/v1/copy/agents/"+id+"/"+verb, "{}", headers...)
	}
	refused := func(got endpointtest.Answer, code string) {
		t.Helper()
		if got.Status != http.StatusConflict || got.Problem(t).Error != code {
			t.Errorf("%+v, want %s", got, code)
		}
	}
	refused(do("pause"), "agent_state_conflict")
	o.bring(t, id, Active, o.Clock.Now().Add(time.Hour))
	first := do("pause", "Idempotency-Key", "k1")
	again := do("pause", "Idempotency-Key", "k1")
	if first.Status != http.StatusOK || !strings.Contains(first.Body, `"status":"paused"`) || again.Body != first.Body {
		t.Error(first, again)
	}
	refused(do("pause"), "agent_state_conflict")
	refused(do("resume", "Idempotency-Key", "k1"), "idempotency_conflict")
	if got := do("resume"); got.Status != http.StatusOK || !strings.Contains(got.Body, `"status":"active"`) {
		t.Error(got)
	}
	// Its credentials lapse: it cannot come back by resume, whether or not the job has looked at it.
	do("pause")
	o.Clock.Advance(time.Hour)
	refused(do("resume"), "agent_expired")
	o.bring(t, id, Expired, o.Clock.Now())
	refused(do("resume"), "agent_expired")
	refused(do("pause"), "agent_expired")
	if got := do("stop"); got.Status != http.StatusOK || !strings.Contains(got.Body, `"status":"stopped"`) {
		t.Error(got)
	}
	for _, verb := range []string{"stop", "pause", "resume"} {
		refused(do(verb), "agent_state_conflict")
	}
	if want := []string{EventPaused, EventResumed, EventPaused, EventStopped}; !slices.Equal(o.said(t), want) {
		t.Errorf("%v, want %v", o.said(t), want)
	}
}

// brokenAgents loses the answer of a write, or cannot be asked.
type brokenAgents struct {
	store.Agents
	lose, down bool
}

var errLost = errors.New("the answer is lost")

func (b *brokenAgents) Create(ctx context.Context, a store.Agent, events ...store.Event) error {
	if b.down {
		return errLost
	}
	if err := b.Agents.Create(ctx, a, events...); err != nil || !b.lose {
		return err
	}
	return errLost
}

func (b *brokenAgents) Change(ctx context.Context, a store.Agent, events ...store.Event) error {
	if b.down {
		return errLost
	}
	if err := b.Agents.Change(ctx, a, events...); err != nil || !b.lose {
		return err
	}
	return errLost
}

// A request whose outcome was not known is repeated under its key, and finds what it did.
func TestARepeatedRequestFindsWhatItDid(t *testing.T) {
	o := newOffice(t)
	broken := &brokenAgents{Agents: o.desk.Agents, lose: true}
	o.desk.Agents = broken
	o.open()
	create := func() endpointtest.Answer {
		return o.as(t, o.Key, me, http.MethodPost, "/v1/copy/agents", wish(Perps, ""), "Idempotency-Key", "one")
	}
	if got := create(); got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
		t.Error(got)
	}
	o.Clock.Advance(time.Minute)
	broken.lose = false
	got := create()
	list := o.as(t, o.Key, me, http.MethodGet, "/v1/copy/agents", "")
	if got.Status != http.StatusCreated || strings.Count(list.Body, "agentId") != 1 {
		t.Errorf("%+v, and there are %s", got, list.Body)
	}
	id := strings.Split(strings.TrimPrefix(got.Body, `{"agentId":"`), `"`)[0]
	o.bring(t, id, Active, o.Clock.Now().Add(time.Hour))
	broken.lose = true
	pause := func() endpointtest.Answer {
		return o.as(t, o.Key, me, http.MethodPost, "/v1/copy/agents/"+id+"/pause", "", "Idempotency-Key", "two")
	}
	if got := pause(); got.Status != http.StatusServiceUnavailable {
		t.Error(got)
	}
	o.Clock.Advance(time.Minute)
	broken.lose = false
	if got := pause(); got.Status != http.StatusOK || !strings.Contains(got.Body, `"status":"paused"`) {
		t.Error(got)
	}
	if want := []string{EventPaused}; !slices.Equal(o.said(t), want) {
		t.Errorf("%v, want %v", o.said(t), want)
	}
}
