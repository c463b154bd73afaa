package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/client"
	"github.com/mirrorworthy/mirrorworthy/shared/client/localwallet"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/leader"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

// copyService is a service over HTTP on a market of its own, whose time is moved, and a wallet made for it.
type copyService struct {
	server *server
	kept   host.Engine
	config host.Config
	url    string
	keys   map[string]string // by partner
	wallet *localwallet.Wallet
	base   string // a node
}

const (
	copyingPartner = "wallet-app"
	otherPartner   = "another-app"
)

func newCopying(t *testing.T) *copyService {
	t.Helper()
	return newCopyingOn(t, discardLog(), inFile(t), func(handler http.Handler, _ map[string]job.Function) http.Handler { return handler })
}

// inFile opens the store of a service's data folder.
func inFile(t *testing.T) func(host.Config) host.Engine {
	return func(config host.Config) host.Engine {
		kept, err := embedded.Open(filepath.Join(config.DataDir, "store.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = kept.Close() })
		return kept
	}
}

// newCopyingOn is newCopying with a log, on a store, with what it answers by and its jobs wrapped.
func newCopyingOn(t *testing.T, log *slog.Logger, open func(host.Config) host.Engine, wrap func(http.Handler, map[string]job.Function) http.Handler) *copyService {
	t.Helper()
	config, err := host.ReadConfig(environment(t, "JOBS", "none", "CLOCK", "", "LIVE_TRADING", "on", "AGENT_SECRET", strings.Repeat("5a", 32)))
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	clock, err := newMovableClock(func() time.Time { return begin }, filepath.Join(config.DataDir, "sample-ahead"))
	if err != nil {
		t.Fatal(err)
	}
	config.Now = clock.now
	c := &copyService{keys: make(map[string]string), kept: open(config)}
	market := samplemarket.New(samplemarket.Config{Seed: 1, Start: begin.Add(-10 * 24 * time.Hour), Clock: clock.now, Chains: []string{"base", "arbitrum"}})
	providers := httptest.NewServer(market.Handler())
	t.Cleanup(func() {
		providers.CloseClientConnections()
		providers.Close()
	})
	config.Addresses = host.SampleAddresses(providers.URL)
	source, err := os.ReadFile(config.Template)
	if err != nil {
		t.Fatal(err)
	}
	c.config = config
	c.server = &server{log: log, clock: clock, sample: market, now: clock.now}
	handler, err := c.server.newHandler(config, source, c.kept, testPepper)
	if err != nil {
		t.Fatal(err)
	}
	handler = wrap(handler, c.server.jobs.functions)
	_, stop := c.server.jobs.run(t.Context())
	t.Cleanup(stop)
	service := httptest.NewServer(described(handler))
	t.Cleanup(service.Close)
	c.url = service.URL
	administration := partnerkey.NewAdministration(c.kept.Keys(), testPepper, clock.now, zeros{})
	for i, partner := range []string{copyingPartner, otherPartner} {
		if _, err := administration.Create(t.Context(), partner, partner, store.Limit{PerMinute: 10_000_000, Burst: 10_000_000}); err != nil {
			t.Fatal(err)
		}
		key, err := partnerkey.NewAdministration(c.kept.Keys(), testPepper, clock.now, strings.NewReader(strings.Repeat(string(rune('a'+i)), 1000))).Issue(t.Context(), partner, store.ModeTest, "")
		if err != nil {
			t.Fatal(err)
		}
		c.keys[partner] = key.Reveal()
	}
	c.base = config.Addresses["rpc/base"]
	nodes := map[int64]string{8453: config.Addresses["rpc/base"], 42161: config.Addresses["rpc/arbitrum"]}
	if c.wallet, err = localwallet.New(t.Context(), strings.Repeat("17", 32), nodes); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.wallet.Close)
	return c
}

// as is the client of a partner, signed in by a wallet.
func (c *copyService) as(t *testing.T, partner string, wallet *localwallet.Wallet) *client.Client {
	t.Helper()
	base := c.url + "/v1"
	signedIn, err := client.AuthHeadersFor(client.SignIn{BaseURL: base, Address: wallet.Address(), ChainID: 8453, SignMessage: wallet.SignMessage, Clock: c.server.clock.now})
	if err != nil {
		t.Fatal(err)
	}
	made, err := client.New(client.Options{BaseURL: base, APIKey: c.keys[partner], AuthHeaders: signedIn, Clock: c.server.clock.now})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// pass lets time pass.
func (c *copyService) pass(t *testing.T, by time.Duration) {
	t.Helper()
	answer, err := http.Post(c.url+"/sample/advance?by="+by.String(), "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(string(text), err)
	}
}

// grade has a leader pass the gate, or not.
func (c *copyService) grade(t *testing.T, address string, passes bool) {
	t.Helper()
	group, at := store.Group{Kind: leader.Perp, Place: leader.PerpVenue}, c.server.clock.now()
	graded := leader.Graded{AsOf: at, Assessment: &leader.Assessment{Mirrorable: passes, Evidence: "closed-trades"}}
	graded.Score.Verdict = "mirror-worthy"
	data, err := json.Marshal(graded)
	if err != nil {
		t.Fatal(err)
	}
	known, err := c.kept.Leaders().Leader(t.Context(), group, address)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.kept.Leaders().Grade(t.Context(), group, address, known.Grading.At, store.Grading{At: at, Pass: "p", Grade: "A", Verdict: "mirror-worthy", Data: data}); err != nil {
		t.Fatal(err)
	}
}

// inbox takes a partner's webhooks and verifies them.
type inbox struct {
	mu     sync.Mutex
	secret string
	clock  func() time.Time
	events []client.Event
	bad    []error
}

func (i *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	i.mu.Lock()
	defer i.mu.Unlock()
	event, err := client.VerifyWebhook([]string{i.secret}, r.Header, body, i.clock())
	if err != nil {
		i.bad = append(i.bad, err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	i.events = append(i.events, event)
}

// types lists the types of the events about an agent since the last look.
func (i *inbox) types(agent string) []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	var all []string
	for _, e := range i.events {
		if strings.Contains(string(e.Data), agent) {
			all = append(all, e.Type)
		}
	}
	i.events = nil
	slices.Sort(all)
	return all
}

// trader is a perpetuals account that has something open.
func (c *copyService) trader(t *testing.T) string {
	t.Helper()
	for _, sample := range c.server.sample.Samples().Perps {
		address, err := chain.ParseAddress(sample.Address)
		if err != nil {
			t.Fatal(err)
		}
		body := strings.NewReader(fmt.Sprintf(`{"wallet":%q}`, address))
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url+"/v1/perp-wallet", body)
		request.Header.Set("Authorization", "Bearer "+c.keys[copyingPartner])
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		var page struct {
			Positions []struct {
				Coin string `json:"coin"`
			} `json:"positions"`
		}
		err = json.NewDecoder(answer.Body).Decode(&page)
		answer.Body.Close()
		if err == nil && len(page.Positions) > 0 && len(page.Positions) < 6 && !slices.ContainsFunc(page.Positions, func(p struct {
			Coin string `json:"coin"`
		}) bool {
			return strings.Contains(p.Coin, ":")
		}) {
			return sample.Address
		}
	}
	t.Fatal("no trader has anything open")
	return ""
}

// From the making of an agent to its end, over HTTP, with a wallet that signs and sends, on paper and with the venue's double.
func TestTheWholeWayOfACopy(t *testing.T) { wholeWayOfACopy(t, newCopying(t)) }

func wholeWayOfACopy(t *testing.T, c *copyService) {
	t.Helper()
	app, ctx := c.as(t, copyingPartner, c.wallet), t.Context()
	mail := &inbox{clock: c.server.clock.now}
	receiver := httptest.NewServer(mail)
	defer receiver.Close()
	hook, err := app.PutWebhook(ctx, client.PutWebhookRequest{URL: receiver.URL})
	if err != nil || !strings.HasPrefix(hook.Secret, "whsec_") {
		t.Fatal(hook, err)
	}
	mail.secret = hook.Secret
	followed := c.trader(t)
	paper, err := app.CreateAgent(ctx, client.CreateAgentRequest{
		Venue: client.VenuePerps, SmartAccountAddress: c.wallet.Address(), LeaderWalletAddress: followed,
		RiskConfig: client.RiskConfig{MaxUSD: "300", CopyPercent: 100, CopyExisting: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	live, err := app.CreateAgent(ctx, client.CreateAgentRequest{
		Venue: client.VenuePerps, SmartAccountAddress: c.wallet.Address(), LeaderWalletAddress: followed, Mode: "live",
		RiskConfig: client.RiskConfig{MaxUSD: "500", CopyPercent: 100, CopyExisting: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	rounds := func(agent string) (steps []string) {
		t.Helper()
		done, err := app.Activate(ctx, agent, c.wallet, client.ActivateOptions{OnRound: func(round []client.Step) error {
			for _, step := range round {
				steps = append(steps, step.Step)
			}
			return nil
		}})
		if err != nil || done.Status != client.StatusActive {
			t.Fatal(done, err)
		}
		return steps
	}
	for _, agent := range []client.Agent{paper, live} {
		if got := rounds(agent.AgentID); !slices.Equal(got, []string{"approve-trading-agent", "accept-leverage-cap"}) {
			t.Error(got)
		}
	}
	spot, err := app.CreateAgent(ctx, client.CreateAgentRequest{
		Venue: client.VenueSpot, Chain: "base", SmartAccountAddress: c.smartAccount(t), LeaderWalletAddress: "0x00000000000000000000000000000000000000f1",
		RiskConfig: client.RiskConfig{MaxUSD: "250.5", CopyPercent: 50},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := rounds(spot.AgentID); !slices.Equal(got, []string{"deploy-smart-account", "approve-spending", "grant-session"}) {
		t.Error(got)
	}

	// Nobody has graded the leader: nothing is opened, and it is said why. Then it passes, and what it has open is copied, once.
	c.pass(t, time.Minute)
	executions := func(agent string) (all []client.Execution) {
		t.Helper()
		for e, err := range app.ListExecutions(ctx, agent, "") {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, e)
		}
		return all
	}
	for _, agent := range []string{paper.AgentID, live.AgentID} {
		got := executions(agent)
		if len(got) == 0 || got[0].SkipReason == nil || *got[0].SkipReason != "leader_gate_failed" || got[0].Reason == "" {
			t.Fatalf("%+v", got)
		}
	}
	if got := mail.types(paper.AgentID); !slices.Contains(got, "agent.activated") || !slices.Contains(got, "execution.skipped") {
		t.Error(got)
	}
	c.grade(t, followed, true)
	second, err := app.CreateAgent(ctx, client.CreateAgentRequest{
		Venue: client.VenuePerps, SmartAccountAddress: c.wallet.Address(), LeaderWalletAddress: followed,
		RiskConfig: client.RiskConfig{MaxUSD: "300", CopyPercent: 100, CopyExisting: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	liveAgain, err := app.CreateAgent(ctx, client.CreateAgentRequest{
		Venue: client.VenuePerps, SmartAccountAddress: c.wallet.Address(), LeaderWalletAddress: followed, Mode: "live",
		RiskConfig: client.RiskConfig{MaxUSD: "500", CopyPercent: 100, CopyExisting: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	rounds(second.AgentID)
	rounds(liveAgain.AgentID)
	c.pass(t, 11*time.Minute) // a leader that does nothing is looked at every ten
	c.pass(t, time.Minute)
	for _, agent := range []string{second.AgentID, liveAgain.AgentID} {
		got := executions(agent)
		done := slices.IndexFunc(got, func(e client.Execution) bool { return e.Status == "executed" || e.Status == "partial" })
		if done < 0 || got[done].Price == nil || got[done].SizeUSD == nil || got[done].ExecutedAt == nil {
			t.Errorf("%s: %+v", agent, got)
		}
		if again := executions(agent); len(again) != len(got) {
			t.Errorf("%d executions, then %d", len(got), len(again))
		}
	}
	if got := mail.types(second.AgentID); !slices.Contains(got, "execution.executed") && !slices.Contains(got, "execution.partial") {
		t.Error(got)
	}

	// Somebody else's agent is not there, by whatever name.
	stranger, err := localwallet.New(ctx, strings.Repeat("18", 32), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]*client.Client{"another wallet": c.as(t, copyingPartner, stranger), "another partner": c.as(t, otherPartner, c.wallet)} {
		var listed error
		for _, err := range other.ListExecutions(ctx, second.AgentID, "") {
			listed = err
		}
		_, shown := other.GetAgent(ctx, second.AgentID)
		_, steps := other.GetActivation(ctx, second.AgentID)
		for _, err := range []error{listed, shown, steps} {
			if !isRefused(err, http.StatusNotFound, "not_found") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := other.Stop(ctx, second.AgentID); !isRefused(err, http.StatusNotFound, "not_found") {
			t.Errorf("%s: %v", name, err)
		}
	}

	// A month later: it is said twice before, and then the agent has expired, and comes back by its activation alone.
	for _, step := range []struct {
		by   time.Duration
		want string
	}{{27*24*time.Hour + time.Hour, "agent.session_expiring"}, {48 * time.Hour, "agent.session_expiring"}, {24 * time.Hour, "agent.expired"}} {
		c.pass(t, step.by)
		if got := mail.types(second.AgentID); !slices.Contains(got, step.want) {
			t.Errorf("%v, want %s", got, step.want)
		}
	}
	if _, err := app.Resume(ctx, second.AgentID); !isRefused(err, http.StatusConflict, "agent_expired") {
		t.Error(err)
	}
	rounds(second.AgentID)
	if stopped, err := app.Stop(ctx, second.AgentID); err != nil || stopped.Status != client.StatusStopped {
		t.Error(stopped, err)
	}
	if _, err := app.Resume(ctx, second.AgentID); !isRefused(err, http.StatusConflict, "agent_state_conflict") {
		t.Error(err)
	}
	if len(mail.bad) > 0 {
		t.Error(mail.bad)
	}
}

// smartAccount is the account on base that the wallet's factory makes for it.
func (c *copyService) smartAccount(t *testing.T) string {
	t.Helper()
	word := func(hexadecimal string) string { return strings.Repeat("0", 64-len(hexadecimal)) + hexadecimal }
	to, err := chain.ParseAddress(samplemarket.AccountFactory)
	if err != nil {
		t.Fatal(err)
	}
	data, err := hex.DecodeString("8cb84e18" + word(strings.ToLower(c.wallet.Address()[2:])) + word("0")) // getAddress(address,uint256)
	if err != nil {
		t.Fatal(err)
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":%q,"data":"0x%x"},"latest"]}`, to, data)
	answer, err := http.Post(c.base, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var said struct{ Result string }
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil || len(said.Result) != 66 {
		t.Fatal(said, err)
	}
	return "0x" + said.Result[26:]
}

func isRefused(err error, status int, code string) bool {
	refused := (*client.Error)(nil)
	return errors.As(err, &refused) && refused.Status == status && refused.Code == code
}
