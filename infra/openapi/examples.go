package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/client/localwallet"
	"github.com/mirrorworthy/mirrorworthy/shared/discovery"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/catalogue"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/leader"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

// epoch is when the examples begin.
var epoch = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

const (
	// exampleChain is the one chain of the examples' market: one on which the gate lets some leaders through.
	exampleChain = "arbitrum"
	// exampleHistory is enough for leaders to have a record.
	exampleHistory = 90 * 24 * time.Hour
	// aWhile is patience with a market that answers from this machine, however busy that is.
	aWhile = 2 * time.Minute
)

// stage is a whole service on a sample market whose clock is moved by hand. Everything that would be random is not, so that the same
// requests have the same answers, to the byte.
type stage struct {
	*recorder
	clock   atomic.Int64 // Unix seconds
	market  *samplemarket.Market
	kept    *embedded.Store
	config  host.Config
	parts   host.Parts
	handler http.Handler
	key     string // of the partner
	wallet  *localwallet.Wallet
	agent   map[string]string // the path values of an agent
	perps   string            // an account of the perpetuals venue, with something open
	close   []func()
}

func (s *stage) now() time.Time { return time.Unix(s.clock.Load(), 0).UTC() }

func (s *stage) pass(d time.Duration) { s.clock.Add(int64(d / time.Second)) }

func (s *stage) end() {
	for i := len(s.close) - 1; i >= 0; i-- {
		s.close[i]()
	}
}

// setting is the environment that the service reads.
func setting(folder string) func(string) string {
	values := map[string]string{"DATA_DIR": folder, "JOBS": "none", "AGENT_SECRET": strings.Repeat("5a", 32), "KEY_PEPPER": strings.Repeat("0b", 32)}
	return func(name string) string { return values[name] }
}

// newStage raises the service. What it needs on disk is in the folder.
func newStage(ctx context.Context, folder string) (s *stage, err error) {
	s = &stage{}
	s.clock.Store(epoch.Unix())
	defer func() {
		if err != nil {
			s.end()
		}
	}()
	if s.config, err = host.ReadConfig(setting(folder)); err != nil {
		return nil, err
	}
	s.config.Now, s.config.SingleTimeout, s.config.BundleTimeout = s.now, aWhile, aWhile
	if s.kept, err = embedded.Open(filepath.Join(folder, "store.db")); err != nil {
		return nil, err
	}
	s.close = append(s.close, func() { _ = s.kept.Close() })
	s.market = samplemarket.New(samplemarket.Config{Seed: 1, Start: epoch.Add(-exampleHistory), Clock: s.now, Chains: []string{exampleChain}})
	providers := httptest.NewServer(s.market.Handler())
	s.close = append(s.close, func() {
		providers.CloseClientConnections()
		providers.Close()
	})
	s.config.Addresses = host.SampleAddresses(providers.URL)
	pepper, err := partnerkey.ParsePepper(s.config.Pepper.Reveal())
	if err != nil {
		return nil, err
	}
	s.parts = host.Parts{Keys: s.kept.Keys(), Meter: s.kept.Meter(), Idempotency: s.kept.Idempotency(), Log: slog.New(slog.DiscardHandler), Metrics: uncounted{}, Pepper: pepper}
	if s.handler, err = s.raise(s.config, nil); err != nil {
		return nil, err
	}
	if s.key, err = s.partner(ctx, "example-app", partnerkey.DefaultLimit); err != nil {
		return nil, err
	}
	on, _ := chain.Parse(exampleChain)
	if s.wallet, err = localwallet.New(ctx, strings.Repeat("17", 32), map[int64]string{on.ID: s.config.Addresses["rpc/"+exampleChain]}); err != nil {
		return nil, err
	}
	s.close = append(s.close, s.wallet.Close)
	return s, nil
}

// partner makes a partner that may use so many units, and a key for it.
func (s *stage) partner(ctx context.Context, name string, limit store.Limit) (string, error) {
	var seed [32]byte
	copy(seed[:], name)
	administration := partnerkey.NewAdministration(s.kept.Keys(), s.parts.Pepper, s.now, rand.NewChaCha8(seed))
	if _, err := administration.Create(ctx, name, name, limit); err != nil {
		return "", err
	}
	key, err := administration.Issue(ctx, name, store.ModeTest, "")
	if err != nil {
		return "", err
	}
	return key.Reveal(), nil
}

// raise makes a service of a configuration, changed as somebody likes.
func (s *stage) raise(config host.Config, change func(*endpoint.Service, []endpoint.Endpoint)) (http.Handler, error) {
	service, err := host.NewService(config, s.parts)
	if err != nil {
		return nil, err
	}
	copies, err := copying.New(config, s.parts)
	if err != nil {
		return nil, err
	}
	copies.Loopback, copies.Random = true, rand.NewChaCha8([32]byte{1})
	endpoints := catalogue.Endpoints(host.KeptIn(s.kept), copies)
	if s.recorder == nil {
		s.recorder = newRecorder(endpoints)
	}
	var requests, operations atomic.Int64
	service.NewID = func() string { return fmt.Sprintf("01990f2a-8c00-7000-8000-%012x", requests.Add(1)) }
	service.NewOperation = func() string { return fmt.Sprintf("%032x", 0xa11ce0000+operations.Add(1)) }
	service.MeterTimeout = aWhile
	if change != nil {
		change(&service, endpoints)
	}
	return endpoint.NewHandler(service, endpoints...), nil
}

// illustrate makes the requests of the examples. The folder is empty, and its own.
func illustrate(ctx context.Context, folder string) (illustrations, error) {
	s, err := newStage(ctx, folder)
	if err != nil {
		return illustrations{}, err
	}
	defer s.end()
	for _, scene := range []func(context.Context) error{s.peers, s.pages, s.boards, s.decisions, s.webhooks, s.agents, s.account, s.refusals, s.lapse} {
		if err := scene(ctx); err != nil {
			return illustrations{}, err
		}
	}
	return s.shown, nil
}

// about finds a sample whose description holds a word.
func about(samples []samplemarket.Sample, kind string) (string, error) {
	for _, sample := range samples {
		if sample.Kind == kind && (sample.Chain == "" || sample.Chain == exampleChain) {
			return sample.Address, nil
		}
	}
	kinds := make([]string, len(samples))
	for i := range samples {
		kinds[i] = samples[i].Kind + "@" + samples[i].Chain
	}
	return "", fmt.Errorf("no sample is %s: %v", kind, kinds)
}

// peers has the tokens measured that others are compared with.
func (s *stage) peers(ctx context.Context) error {
	sources, err := host.NewSources(s.config, s.parts)
	if err != nil {
		return err
	}
	for _, j := range catalogue.Jobs(host.KeptIn(s.kept), sources) {
		if j.Name == "refresh-peers" {
			// The market has one of the chains, and the others fail.
			if _, err := j.Run(ctx, s.now()); err != nil {
				return err
			}
		}
	}
	for _, sample := range s.market.Samples().Perps {
		answer, err := s.success(s.handler, ask{Hidden: true, Endpoint: "perp-wallet", Body: map[string]any{"wallet": sample.Address}, Key: s.key})
		if err != nil {
			return err
		}
		var page struct {
			Positions []struct{} `json:"positions"`
			WinRate   *float64   `json:"winRate"`
		}
		if err := json.Unmarshal(answer, &page); err != nil {
			return err
		}
		if len(page.Positions) > 0 && len(page.Positions) < 4 && page.WinRate != nil {
			s.perps = sample.Address
			return nil
		}
	}
	return errors.New("no account of the perpetuals venue has anything open")
}

// pages are the answers about wallets and tokens.
func (s *stage) pages(context.Context) error {
	samples := s.market.Samples()
	var trader, newcomer, token string
	for to, from := range map[*string]struct {
		samples []samplemarket.Sample
		kind    string
	}{&trader: {samples.Wallets, exampleTrader}, &newcomer: {samples.Wallets, exampleNewcomer}, &token: {samples.Tokens, exampleToken}} {
		var err error
		if *to, err = about(from.samples, from.kind); err != nil {
			return err
		}
	}
	var failed error
	show := func(name, summary, to string, body map[string]any) {
		_, err := s.success(s.handler, ask{Name: name, Summary: summary, Endpoint: to, Body: body, Key: s.key})
		failed = errors.Join(failed, err)
	}
	wallets := []string{"trader-score", "copy-simulate", "trader-edge", "wallet-pnl-quality", "wallet-archetype", "trader-style", "wallet-health", "wallet-netflow", "wallet-trades", "portfolio-risk"}
	for _, to := range wallets {
		body := map[string]any{"wallet": trader, "chain": exampleChain}
		switch to {
		case "wallet-trades":
			body["tradesLimit"] = 3
		case "portfolio-risk":
			body["depth"] = 5
		}
		show("trader", "A wallet that trades.", to, body)
	}
	show("newcomer", "A wallet with too little history: unknown, not bad.", "trader-score", map[string]any{"wallet": newcomer, "chain": exampleChain})
	show("trader", "A wallet that trades.", "wallet-overview", map[string]any{"wallet": trader, "chain": exampleChain, "tradesLimit": 3})
	show("holdings", "A wallet's holdings.", "portfolio-overview", map[string]any{"wallet": trader, "chain": exampleChain, "depth": 5})
	for _, to := range []string{"token-intel", "token-signal", "token-risk", "smart-money-flow", "exit-risk", "token-inflection", "token-holders-insight", "token-valuation", "token-narrative", "token-price-action"} {
		show("token", "A token that is traded.", to, map[string]any{"token": token, "chain": exampleChain})
	}
	show("baseline", "The first scan has nothing to compare with.", "token-changes", map[string]any{"token": token, "chain": exampleChain})
	s.pass(6 * time.Hour)
	show("later", "A scan six hours later.", "token-changes", map[string]any{"token": token, "chain": exampleChain})
	show("token", "A token that is traded.", "token-overview", map[string]any{"token": token, "chain": exampleChain, "sample": 8})
	show("account", "An account of the perpetuals venue.", "perp-wallet", map[string]any{"wallet": s.perps})
	show("trader", "A wallet of the prediction market.", "prediction-wallet", map[string]any{"wallet": samples.Predictions[0].Address})
	show("comparison", "Two wallets.", "trader-leaderboard", map[string]any{"wallets": []string{trader, newcomer}, "chain": exampleChain})
	return failed
}

// boards are the leaderboards, once their jobs have run.
func (s *stage) boards(ctx context.Context) error {
	if err := s.find(ctx); err != nil {
		return err
	}
	sources, err := host.NewSources(s.config, s.parts)
	if err != nil {
		return err
	}
	on, _ := chain.Parse(exampleChain)
	for _, name := range []string{"grade-leaders", "resolve-track-record"} {
		for _, spread := range catalogue.Spreads(host.KeptIn(s.kept), sources, copying.Copying{Clock: s.now}, []*chain.Chain{on}) {
			if spread.Name != name {
				continue
			}
			if err := run(ctx, spread, s.now()); err != nil {
				return err
			}
			s.pass(26 * time.Hour)
		}
	}
	for _, each := range []struct {
		to, summary string
		query       url.Values
	}{
		{"trader-board", "The first rows of a chain's board.", url.Values{"chain": {exampleChain}, "limit": {"2"}}},
		{"strategies", "What can be copied on a chain.", url.Values{"chainId": {strconv.FormatInt(on.ID, 10)}, "limit": {"1"}}},
		{"top-traders", "The first rows of a chain's board.", url.Values{"chainId": {strconv.FormatInt(on.ID, 10)}, "limit": {"2"}}},
		{"spot-leaders", "The mirrorable wallets alone.", url.Values{"chain": {exampleChain}, "mirrorableOnly": {"1"}, "limit": {"2"}}},
		{"track-record", "A record that has just begun.", url.Values{"source": {"spot-leader-gate"}, "limit": {"2"}}},
		{"copy-leaders", "Leaders of the spot venue.", url.Values{"venue": {"dexvenue-spot"}, "chain": {exampleChain}, "limit": {"2"}}},
	} {
		if _, err := s.success(s.handler, ask{Name: "first", Summary: each.summary, Endpoint: each.to, Query: each.query, Key: s.key}); err != nil {
			return err
		}
	}
	return nil
}

// find has some of the market's traders found, as discovery finds them.
func (s *stage) find(ctx context.Context) error {
	var failed error
	find := func(kind, place, address, source string, data any) {
		raw, err := json.Marshal(data)
		if err == nil {
			err = s.kept.Leaders().Find(ctx, store.Group{Kind: kind, Place: place}, address, store.Finding{Source: source, At: s.now(), Data: raw})
		}
		failed = errors.Join(failed, err)
	}
	count := make(map[string]int)
	for _, w := range s.market.Truth().Wallets {
		if w.Chain != exampleChain {
			continue
		}
		count[w.Group]++
		address, err := chain.ParseAddress(w.Address)
		if err != nil {
			return err
		}
		switch {
		case w.Group == "scout" && count[w.Group] <= 6, w.Group == "early-crowd" && count[w.Group] <= 2:
			find(leader.Spot, w.Chain, w.Address, leader.EarlyBuyer, discovery.Finding{
				Wallet: address, Older: discovery.Evidence{Launches: 20, Rose: 9, Expected: 2.4, P: 0.0001}, Newer: discovery.Evidence{Launches: 8, Rose: 3, Expected: 1, P: 0.08},
				AdjustedP: 0.002, Tested: 400, HitRate: 0.3, BaseRate: 0.12, Confirmed: true,
			})
		case w.Group == "skilled-swing" && count[w.Group] <= 2, w.Group == "losing-swing" && count[w.Group] == 1:
			find(leader.Spot, w.Chain, w.Address, leader.ActiveBuyer, nil)
		}
	}
	samples := s.market.Samples()
	places := map[string]any{"places": []map[string]any{{"window": "month", "rank": 3, "pnlUsd": 1234.5}}}
	find(leader.Perp, leader.PerpVenue, s.perps, leader.VenueLeaderboard, places)
	find(leader.Prediction, leader.PredictionVenue, samples.Predictions[0].Address, leader.VenueLeaderboard, places)
	return failed
}

// run does all parts of a spread job.
func run(ctx context.Context, spread job.Spread, at time.Time) error {
	plan, err := spread.Plan(ctx, at)
	if err != nil {
		return err
	}
	pass := store.Pass{Job: spread.Name, ID: "example-" + strconv.FormatInt(at.Unix(), 10), At: at, Parts: plan.Parts, Data: plan.Data}
	var report job.Report
	for part := range plan.Parts {
		done, err := spread.Part(ctx, at, pass, part)
		if err != nil {
			return err
		}
		report = append(report, done...)
		pass.Done = append(pass.Done, part)
	}
	if spread.Conclude != nil {
		concluded, err := spread.Conclude(ctx, at, pass)
		if err != nil {
			return err
		}
		report = append(report, concluded...)
	}
	return report.Failed()
}

// decisions are the answers about what to copy.
func (s *stage) decisions(context.Context) error {
	samples := s.market.Samples()
	follower, err := about(samples.Wallets, exampleNewcomer)
	if err != nil {
		return err
	}
	trader, err := about(samples.Wallets, exampleTrader)
	if err != nil {
		return err
	}
	other, err := about(samples.Wallets, exampleOther)
	if err != nil {
		return err
	}
	for _, each := range []ask{
		{Name: "moderate", Summary: "A plan for a moderate follower.", Endpoint: "copy-plan", Body: map[string]any{"wallet": follower, "leadWallet": trader, "chain": exampleChain, "riskProfile": "moderate"}},
		{Name: "given", Summary: "All figures are given.", Endpoint: "perp-copy-decision", Body: map[string]any{
			"side": "long", "leverage": 8, "fundingRateHourly": 0.0000125, "markPrice": 60000, "dailyVolPct": 3, "maxLeverage": 40, "leaderGrade": "B", "allocationUsd": 500,
		}},
		{Name: "others", Summary: "Next to one other leader.", Endpoint: "copy-overlap", Body: map[string]any{"wallet": follower, "leadWallet": trader, "chain": exampleChain, "leaders": []string{other}}},
	} {
		each.Key = s.key
		if _, err := s.success(s.handler, each); err != nil {
			return err
		}
	}
	return nil
}

// account is what a partner is told of itself.
func (s *stage) account(context.Context) error {
	_, err := s.success(s.handler, ask{Name: "usage", Summary: "What was used.", Endpoint: "usage", Key: s.key})
	return err
}

// refusals are the errors that have not come up so far.
func (s *stage) refusals(ctx context.Context) error {
	trader, err := about(s.market.Samples().Wallets, exampleTrader)
	if err != nil {
		return err
	}
	poor, err := s.partner(ctx, "small-app", store.Limit{PerMinute: 60, Burst: 3})
	if err != nil {
		return err
	}
	many := make([]string, 26)
	for i := range many {
		many[i] = fmt.Sprintf("0x%040x", i+1)
	}
	good := map[string]any{"wallet": trader, "chain": exampleChain}
	with := func(name string, value any) map[string]any {
		body := map[string]any{"wallet": trader, "chain": exampleChain}
		body[name] = value
		return body
	}
	for code, a := range map[string]ask{
		"invalid_json":             {Endpoint: "trader-score", RawBody: `{"wallet":`},
		"unknown_param":            {Endpoint: "trader-score", Body: with("asOf", "2026-01-01")},
		"missing_param":            {Endpoint: "trader-score", Body: map[string]any{"wallet": trader}},
		"invalid_param":            {Endpoint: "wallet-trades", Body: with("tradesLimit", 500)},
		"invalid_address":          {Endpoint: "trader-score", Body: with("wallet", "vitalik.eth")},
		"invalid_chain":            {Endpoint: "trader-score", Body: with("chain", "solana")},
		"too_many_wallets":         {Endpoint: "trader-leaderboard", Body: map[string]any{"wallets": many, "chain": exampleChain}},
		"wallet_signature_invalid": {Endpoint: "list-agents"},
		"not_found":                {Endpoint: "webhook"},
		"not_a_token":              {Endpoint: "token-risk", Body: map[string]any{"token": s.wallet.Address(), "chain": exampleChain}},
		"method_not_allowed":       {Endpoint: "trader-score", Method: http.MethodGet},
		"body_too_large":           {Endpoint: "trader-score", RawBody: `{"wallet":"` + strings.Repeat("0", endpoint.MaximumBody) + `"}`},
		"unsupported_media_type":   {Endpoint: "trader-score", Body: good, Header: http.Header{"Content-Type": {"text/plain"}}},
	} {
		// Each from a service that has answered nothing else, so that the order does not matter.
		handler, err := s.raise(s.config, nil)
		if err != nil {
			return err
		}
		a.Key = s.key
		if err := s.refusal(handler, code, a); err != nil {
			return err
		}
	}
	if _, err := s.success(s.handler, ask{Hidden: true, Endpoint: "trader-score", Body: good, Key: poor}); err != nil {
		return err
	}
	for code, change := range map[string]func(*host.Config, *endpoint.Service, []endpoint.Endpoint){
		"unauthorized": nil,
		"rate_limited": nil,
		"forbidden":    func(_ *host.Config, service *endpoint.Service, _ []endpoint.Endpoint) { service.SampleMarket = false },
		"internal": func(_ *host.Config, _ *endpoint.Service, endpoints []endpoint.Endpoint) {
			for i := range endpoints {
				if endpoints[i].Name == "trader-score" {
					endpoints[i] = endpoint.Document(endpoints[i].Declaration, func(context.Context, *endpoint.Request) ([]byte, error) {
						return nil, errors.New("nobody foresaw this")
					})
				}
			}
		},
	} {
		handler, err := s.raise(s.config, func(service *endpoint.Service, endpoints []endpoint.Endpoint) {
			if change != nil {
				change(&s.config, service, endpoints)
			}
		})
		if err != nil {
			return err
		}
		key := map[string]string{"unauthorized": "", "rate_limited": poor}
		a := ask{Endpoint: "trader-score", Body: good, Key: s.key}
		if other, ok := key[code]; ok {
			a.Key = other
		}
		if err := s.refusal(handler, code, a); err != nil {
			return err
		}
	}
	return s.outage(good)
}

// outage is what is answered while a provider is down.
func (s *stage) outage(wallet map[string]any) error {
	silent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer silent.Close()
	config := s.config
	config.Addresses = host.SampleAddresses(strings.TrimSuffix(config.Addresses["goplus"], "/goplus"))
	config.Addresses["goplus"] = silent.URL
	handler, err := s.raise(config, func(service *endpoint.Service, _ []endpoint.Endpoint) { service.SingleTimeout = 20 * time.Second })
	if err != nil {
		return err
	}
	if err := s.refusal(handler, "provider_unavailable", ask{Endpoint: "wallet-health", Body: wallet, Key: s.key}); err != nil {
		return err
	}
	_, err = s.success(handler, ask{Name: "partial", Summary: "One of the components failed.", Endpoint: "portfolio-overview", Body: wallet, Key: s.key})
	return err
}

// makeExamples makes the examples in a folder of their own, which is removed.
func makeExamples(ctx context.Context) (illustrations, error) {
	folder, err := os.MkdirTemp("", "mirrorworthy-examples")
	if err != nil {
		return illustrations{}, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	return illustrate(ctx, folder)
}

// The kinds of the market's samples that the examples are about.
const (
	exampleTrader   = "skilled-swing"
	exampleNewcomer = "tourist"
	exampleOther    = "losing-swing"
	exampleToken    = "major"
)

// uncounted takes metrics and forgets them.
type uncounted struct{}

// Count implements endpoint.Metrics.
func (uncounted) Count(string, int, ...string) {}
