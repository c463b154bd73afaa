package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/client"
)

// signer is a wallet whose signatures the double knows.
type signer struct {
	signed []string
	err    error
}

func (s *signer) SignMessage(_ context.Context, text string) (string, error) {
	s.signed = append(s.signed, text)
	return signatureOf(text), s.err
}

func (s *signer) SignTypedData(_ context.Context, typedData json.RawMessage) (string, error) {
	s.signed = append(s.signed, string(typedData))
	return signatureOf(string(typedData)), s.err
}

func (s *signer) SendTransaction(_ context.Context, sent client.Transaction) (string, error) {
	s.signed = append(s.signed, fmt.Sprint(sent))
	return transaction, s.err
}

// connect makes a client of the double, with a wallet signed in.
func connect(d *double, more func(*client.Options)) *client.Client {
	headers, err := client.AuthHeadersFor(client.SignIn{BaseURL: d.base(), Address: strings.ToLower(testWallet), ChainID: 8453, SignMessage: (&signer{}).SignMessage})
	if err != nil {
		panic(err)
	}
	options := client.Options{BaseURL: d.base(), APIKey: testKey, AuthHeaders: headers}
	if more != nil {
		more(&options)
	}
	c, err := client.New(options)
	if err != nil {
		panic(err)
	}
	return c
}

func start(t *testing.T, more func(*client.Options)) (*double, *client.Client) {
	t.Helper()
	d := newDouble()
	t.Cleanup(d.Close)
	return d, connect(d, more)
}

// code is the code of an error.
func code(t *testing.T, err error) string {
	t.Helper()
	var refused *client.Error
	if !errors.As(err, &refused) {
		t.Fatalf("%v is not from the service", err)
	}
	return refused.Code
}

func TestOptionsThatCannotWorkAreRefused(t *testing.T) {
	for _, base := range []string{
		"", "api.example.com/v1", "https://api.example.com", "https://api.example.com/v2", "https://api.example.com/v1?a=b", "https://api.example.com/v1?", "https://api.example.com/v1#",
		"https://u:p@api.example.com/v1", "http://api.example.com/v1", "ftp://api.example.com/v1", "https:///v1", "mailto:a@b/v1", "https://api.example.com/x%2fy/v1", "::",
	} {
		if _, err := client.New(client.Options{BaseURL: base, APIKey: "k"}); !errors.Is(err, client.ErrOptions) {
			t.Errorf("%q: %v", base, err)
		}
		if _, err := client.AuthHeadersFor(client.SignIn{BaseURL: base, Address: testWallet, ChainID: 1, SignMessage: (&signer{}).SignMessage}); !errors.Is(err, client.ErrOptions) {
			t.Errorf("%q: %v", base, err)
		}
	}
	for _, base := range []string{"https://api.example.com/v1", "https://example.com/api/v1/", "http://localhost:8080/v1", "http://127.0.0.1/v1", "http://[::1]:80/v1"} {
		if _, err := client.New(client.Options{BaseURL: base, APIKey: "k"}); err != nil {
			t.Errorf("%q: %v", base, err)
		}
	}
	for _, key := range []string{"", "a b", "a\n", "ä"} {
		if _, err := client.New(client.Options{BaseURL: "https://api.example.com/v1", APIKey: key}); !errors.Is(err, client.ErrOptions) {
			t.Errorf("%q: %v", key, err)
		}
	}
}

func TestBrowsing(t *testing.T) {
	d, c := start(t, nil)
	venues, err := c.ListVenues(t.Context())
	if err != nil || len(venues) != 1 || venues[0].Venue != client.VenueSpot || venues[0].SmartAccount != "The smart account." {
		t.Errorf("%+v %v", venues, err)
	}
	var ranks []int
	for leader, err := range c.ListLeaders(t.Context(), client.VenueSpot, client.LeaderFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		ranks = append(ranks, leader.Rank)
		if !strings.HasPrefix(leader.Address, "0x") || *leader.Grade != "A" || leader.Confidence != nil || leader.Assessment.Evidence != "closed-trades" || !leader.Assessment.Mirrorable ||
			!strings.Contains(string(leader.Raw), `"extra":1`) || leader.Reasons[0] != "Wins often." {
			t.Errorf("%+v", leader)
		}
	}
	if !slices.Equal(ranks, []int{1, 2, 3, 4, 5}) {
		t.Errorf("%v", ranks)
	}
	// A page is asked for when it is needed.
	before := len(d.asked)
	for leader := range c.ListLeaders(t.Context(), client.VenueSpot, client.LeaderFilter{}) {
		if leader.Rank == 2 {
			break
		}
	}
	if len(d.asked) != before+1 {
		t.Errorf("%v", d.asked[before:])
	}
	for only, want := range map[bool][]string{true: {leaderOne}, false: {leaderOne, testWallet}} {
		var got []string
		for leader, err := range c.SpotLeaders(t.Context(), client.LeaderFilter{MirrorableOnly: only, Chain: "base"}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, leader.Address)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	for leader, err := range c.ListLeaders(t.Context(), "nowhere", client.LeaderFilter{}) {
		if code(t, err) != "invalid_param" || leader.Address != "" {
			t.Errorf("%+v %v", leader, err)
		}
	}
	if raw, err := c.WalletOverview(t.Context(), testWallet, "base"); err != nil || string(raw) != `{"bundle":"wallet-overview"}` {
		t.Errorf("%s %v", raw, err)
	}
	if raw, err := c.Get(t.Context(), "/usage", url.Values{}); err != nil || string(raw) != `{"today":5}` {
		t.Errorf("%s %v", raw, err)
	}
}

func TestPlansAndDecisions(t *testing.T) {
	_, c := start(t, nil)
	plan, err := c.CopyPlan(t.Context(), client.CopyPlanRequest{Wallet: testWallet, LeadWallet: leaderOne, Chain: "base"})
	if err != nil || !plan.Copy || *plan.Plan.AllocationUSD != 250 || plan.RiskConfig.MaxUSD != "250" || plan.Warnings[0] != "Thin record." || len(plan.Plan.Exclusions) != 1 {
		t.Errorf("%+v %v", plan, err)
	}
	decision, err := c.PerpCopyDecision(t.Context(), client.PerpCopyDecisionRequest{Side: "long", Leverage: 5})
	if err != nil || decision.Copy || decision.MaxLeverage != 3 || *decision.LiqDistancePct != 33.1 || decision.FundingCostDaily != nil || decision.Flags[0] != "funding-high" {
		t.Errorf("%+v %v", decision, err)
	}
	overlap, err := c.CopyOverlap(t.Context(), client.CopyOverlapRequest{Wallet: testWallet, LeadWallet: leaderOne, Chain: "base"})
	if err != nil || overlap.Redundant != nil || overlap.Verdict != "unknown" {
		t.Errorf("%+v %v", overlap, err)
	}
}

func TestExecutionsAreListedWithWhatWasSkipped(t *testing.T) {
	_, c := start(t, nil)
	for status, want := range map[string]string{"": "ex_0 ex_1 ex_2 ex_3 ex_4", "skipped": "ex_1 ex_4", "partial": ""} {
		var got []string
		for execution, err := range c.ListExecutions(t.Context(), "ag_1", status) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, execution.ExecutionID)
			if (execution.Status == "skipped") != (execution.SkipReason != nil && *execution.SkipReason == "slippage_exceeded") || *execution.SizeUSD != "12.5" || execution.Asset.Name != "PEPE" {
				t.Errorf("%+v", execution)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v", status, got)
		}
	}
}

func TestAnActivationStopsWhereItMust(t *testing.T) {
	d, c := start(t, nil)
	agent := create(t, c)
	activate := func(s client.Signer, on func([]client.Step) error) error {
		_, err := c.Activate(t.Context(), agent.AgentID, s, client.ActivateOptions{OnRound: on})
		return err
	}
	wallet, no := &signer{}, errors.New("no")
	if err := activate(wallet, func([]client.Step) error { return no }); !errors.Is(err, no) || len(wallet.signed) != 0 {
		t.Errorf("%v after %q", err, wallet.signed)
	}
	wallet.err = no
	if err := activate(wallet, nil); !errors.Is(err, no) || d.rounds[agent.AgentID] != 0 || !strings.Contains(err.Error(), "deploy") {
		t.Error(err)
	}
	// An answer that this version does not understand is not signed.
	for body, want := range map[string]error{
		`{"status":"pending_activation","steps":[{"step":"a","kind":"sign_message","message":"x"},{"step":"b","kind":"scan_eye"}]}`: client.ErrUnknownStep,
		`{"status":"pending_activation","steps":[{"step":"b","kind":"sign_message"}]}`:                                              client.ErrAnswer,
		`{"status":"pending_activation","steps":[{"step":"b","kind":"send_transaction","transaction":null}]}`:                       client.ErrAnswer,
		`{"status":"pending_activation","steps":[{"step":"b","kind":"sign_typed_data"}]}`:                                           client.ErrAnswer,
		`{"status":"stopped","steps":[]}`: client.ErrNotActivated,
		`<html>`:                          client.ErrAnswer,
	} {
		d.trouble = func(w http.ResponseWriter, _ *http.Request) bool { reply(body)(w, nil); return true }
		silent := &signer{}
		if err := activate(silent, nil); !errors.Is(err, want) || len(silent.signed) != 0 {
			t.Errorf("%s: %v after %q", body, err, silent.signed)
		}
	}
	// One that never ends is given up.
	d.trouble = func(w http.ResponseWriter, _ *http.Request) bool {
		reply(`{"status":"pending_activation","steps":[{"step":"a","kind":"sign_message","message":"x"}]}`)(w, nil)
		return true
	}
	if err := activate(&signer{}, nil); !errors.Is(err, client.ErrNotActivated) {
		t.Error(err)
	}
	d.trouble = nil
	if err := activate(&signer{}, nil); err != nil {
		t.Error(err)
	}
}
