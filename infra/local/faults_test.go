package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/catalogue"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

// laboratory is what services under test have in common: a store with one partner, and a sample market that each of them enters
// by a door of its own.
type laboratory struct {
	config  host.Config
	source  []byte
	kept    *embedded.Store
	key     string
	market  *samplemarket.Market
	samples []samplemarket.Sample
}

var testPepper = []byte("a pepper of the tests, 32 bytes..")

// newLaboratory opens a store, and shares the market that the package's other tests ask.
func newLaboratory(t testing.TB) *laboratory {
	t.Helper()
	config, err := host.ReadConfig(environment(t))
	if err != nil {
		t.Fatal(err)
	}
	l := &laboratory{config: config}
	if l.source, err = os.ReadFile(config.Template); err != nil {
		t.Fatal(err)
	}
	if l.kept, err = embedded.Open(filepath.Join(config.DataDir, "store.db")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.kept.Close() })
	ctx := context.Background()
	administration := partnerkey.NewAdministration(l.kept.Keys(), testPepper, time.Now, zeros{})
	if _, err := administration.Create(ctx, localPartner, "Laboratory", store.Limit{PerMinute: 10_000_000, Burst: 10_000_000}); err != nil {
		t.Fatal(err)
	}
	key, err := administration.Issue(ctx, localPartner, store.ModeTest, "")
	if err != nil {
		t.Fatal(err)
	}
	l.key = key.Reveal()
	l.market = sampled().sample
	l.samples = l.market.Samples().Wallets
	return l
}

// zeros is a source of randomness without any.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// service is one service, with empty caches, behind the gateway.
type service struct {
	*samplemarket.Entrance
	gateway http.Handler
	key     string
}

// service starts a service that enters the market by a door of its own.
func (l *laboratory) service(t testing.TB, singleTimeout, bundleTimeout time.Duration) *service {
	t.Helper()
	return l.serviceBehind(t, singleTimeout, bundleTimeout, func(door http.Handler) http.Handler { return door })
}

// serviceBehind is a service whose door something stands before.
func (l *laboratory) serviceBehind(t testing.TB, singleTimeout, bundleTimeout time.Duration, before func(door http.Handler) http.Handler) *service {
	t.Helper()
	s := &service{Entrance: l.market.Entrance(), key: l.key}
	providers := httptest.NewServer(before(s.Entrance.Handler()))
	t.Cleanup(func() {
		providers.CloseClientConnections()
		providers.Close()
	})
	config := l.config
	config.SingleTimeout, config.BundleTimeout = singleTimeout, bundleTimeout
	config.Addresses = host.SampleAddresses(providers.URL)
	var err error
	if s.gateway, err = (&server{log: discardLog()}).newHandler(config, l.source, l.kept, testPepper); err != nil {
		t.Fatal(err)
	}
	return s
}

// ask sends one request through the gateway.
func (s *service) ask(path string, sample samplemarket.Sample) *httptest.ResponseRecorder {
	return s.send(path, `{"wallet":"`+sample.Address+`","chain":"`+sample.Chain+`"}`)
}

// send sends a body through the gateway.
func (s *service) send(path, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequestWithContext(context.Background(), http.MethodPost, path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+s.key)
	answer := httptest.NewRecorder()
	s.gateway.ServeHTTP(answer, request)
	return answer
}

const overviewPath = "/v1/wallet-overview"

// overview is a wallet-overview taken apart.
type overview struct {
	status int
	whole  string
	slots  map[string]string
	failed []string
}

func (s *service) overview(sample samplemarket.Sample) overview {
	answer := s.ask(overviewPath, sample)
	o := overview{status: answer.Code, whole: answer.Body.String(), slots: make(map[string]string)}
	var members map[string]jsontext.Value
	if json.Unmarshal(answer.Body.Bytes(), &members) != nil {
		return o
	}
	_ = json.Unmarshal(members["failed"], &o.failed)
	for _, e := range pageSlots() {
		o.slots[e.Slot()] = string(members[e.Slot()])
	}
	return o
}

// pageSlots are the components of the trader page.
func pageSlots() []endpoint.Endpoint {
	return catalogue.Endpoints(host.Kept{}, copying.Copying{})[0].Components
}

// unavailable tells whether a slot says that a provider failed, and nothing else.
func unavailable(slot string) bool {
	var problem struct {
		Error   string `json:"error"`
		Message string `json:"message"`
	}
	err := json.Unmarshal([]byte(slot), &problem, json.RejectUnknownMembers(true))
	return err == nil && problem.Error == "provider_unavailable" && problem.Message != ""
}

// incomplete is what answers from candles say when some of those could not be had.
const incomplete = "were not looked up this time"

// against compares an answer under a fault with the undisturbed one: slots in must have failed, slots in may may have, and all
// others are what they are without a fault. Where only some candles are missing, the answers from candles may say so instead.
func (o overview) against(undisturbed overview, must, may []string) error {
	if o.status != http.StatusOK {
		return fmt.Errorf("status %d: %.300s", o.status, o.whole)
	}
	var failed []string
	for _, e := range pageSlots() {
		slot := e.Slot()
		if o.slots[slot] == undisturbed.slots[slot] {
			if slices.Contains(must, slot) {
				return fmt.Errorf("%s is answered as if nothing were wrong", slot)
			}
			continue
		}
		if slices.Contains(historySlots, slot) && !slices.Contains(must, slot) && strings.Contains(o.slots[slot], incomplete) {
			continue
		}
		if !unavailable(o.slots[slot]) {
			return fmt.Errorf("%s is neither the undisturbed answer nor a provider's failure: %.700s", slot, o.slots[slot])
		}
		if !slices.Contains(must, slot) && !slices.Contains(may, slot) {
			return fmt.Errorf("%s fails, but does not need the provider", slot)
		}
		failed = append(failed, slot)
	}
	if !slices.Equal(o.failed, failed) {
		return fmt.Errorf("failed is %v, the slots that failed are %v", o.failed, failed)
	}
	if partial := strings.Contains(o.whole, `"partial":true`); partial != (len(failed) > 0) {
		return fmt.Errorf("partial is %t, and %v failed", partial, failed)
	}
	return nil
}

// dependency is what a provider's failure may take away.
type dependency struct {
	provider string
	// ports are what the provider stands behind.
	ports []market.Port
	// must fail when it fails, for the tests' wallet; may fail, depending on the wallet.
	must, may []string
}

var (
	traderSlots  = []string{"traderScore", "copySimulate", "traderEdge", "walletPnlQuality", "walletArchetype", "traderStyle", "walletNetflow", "walletTrades"}
	historySlots = []string{"copySimulate", "traderEdge", "walletPnlQuality"}
	allSlots     = append([]string{"walletHealth"}, traderSlots...)
)

// dependencies hold on a chain with an explorer.
var dependencies = []dependency{
	{samplemarket.GeckoTerminal, []market.Port{market.CandleFacts}, historySlots, nil},
	// Health looks up pools only for balances that the explorer has no price for.
	{samplemarket.DexScreener, []market.Port{market.PoolFacts}, traderSlots, []string{"walletHealth"}},
	{samplemarket.DefiLlama, []market.Port{market.PriceFacts}, traderSlots, nil},
	{
		samplemarket.GoPlus, []market.Port{market.TokenSecurityFacts, market.AddressSecurityFacts, market.ApprovalFacts},
		// Who made a token is looked up only for wallets that bought at launch with money just received.
		[]string{"copySimulate", "walletHealth"},
		[]string{"traderScore", "traderEdge", "walletPnlQuality", "walletArchetype", "traderStyle", "walletNetflow", "walletTrades"},
	},
	{samplemarket.Blockscout, []market.Port{market.ActivityFacts, market.HoldingFacts}, allSlots, nil},
	{samplemarket.RPC, []market.Port{market.ApprovalFacts, market.CodeFacts}, []string{"walletHealth"}, nil},
}

// nodeOnly is what hangs on the node of a chain without an explorer.
var nodeOnly = dependency{
	samplemarket.RPC, []market.Port{market.ActivityFacts, market.HoldingFacts, market.ApprovalFacts, market.CodeFacts}, allSlots, nil,
}

// The table above is what the declarations say: a need that an endpoint does not have, or a slot that is missing here, shows.
func TestDependenciesAreThoseDeclared(t *testing.T) {
	for _, d := range append(slices.Clone(dependencies), nodeOnly) {
		var declared []string
		for _, e := range pageSlots() {
			if slices.ContainsFunc(e.Needs, func(p market.Port) bool { return slices.Contains(d.ports, p) }) {
				declared = append(declared, e.Slot())
			}
		}
		listed := slices.Concat(d.must, d.may)
		slices.Sort(declared)
		slices.Sort(listed)
		if !slices.Equal(listed, declared) {
			t.Errorf("%s: the table has %v, the declarations %v", d.provider, listed, declared)
		}
	}
}

// fault is a way to fail and the time that answers have under it: enough, but little where only its end ends them.
type fault struct {
	name           string
	fault          samplemarket.Fault
	single, bundle time.Duration
}

const (
	plenty = 20 * time.Second
	little = 3 * time.Second
)

var faults = []fault{
	{"hang", samplemarket.Fault{Kind: samplemarket.FaultHang}, little, 2 * little},
	{"drip", samplemarket.Fault{Kind: samplemarket.FaultDrip, Interval: 2 * time.Second}, little, 2 * little},
	{"status 500", samplemarket.Fault{Kind: samplemarket.FaultServerError}, plenty, plenty},
	{"status 429", samplemarket.Fault{Kind: samplemarket.FaultRateLimit, RetryAfter: time.Second}, plenty, plenty},
	{"status 200 with HTML", samplemarket.Fault{Kind: samplemarket.FaultHTML}, plenty, plenty},
	{"truncated", samplemarket.Fault{Kind: samplemarket.FaultTruncated}, plenty, plenty},
	{"wrong types", samplemarket.Fault{Kind: samplemarket.FaultWrongTypes}, plenty, plenty},
	{"hostile", samplemarket.Fault{Kind: samplemarket.FaultHostile}, plenty, plenty},
	{"empty", samplemarket.Fault{Kind: samplemarket.FaultEmpty}, plenty, plenty},
}

// recovers asks until the answer is whole again: a provider that failed often is left alone for a moment, and a fetch that was
// under way when it came back still has to end.
func (s *service) recovers(sample samplemarket.Sample, undisturbed overview, must, may []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		now := s.overview(sample)
		if now.whole == undisturbed.whole {
			return nil
		}
		// Until then it fails as before: a failed slot is never anything but a provider's failure.
		if err := now.against(undisturbed, nil, slices.Concat(must, may)); err != nil {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("%v still fail", now.failed)
		}
	}
}

// Whatever one provider does, the page is answered, what does not need the provider is untouched, what needs it says so, and
// nothing of it is remembered.
func TestOneProviderFails(t *testing.T) {
	t.Parallel()
	l := newLaboratory(t)
	reference := l.service(t, plenty, plenty)
	rich := l.wallet(t, reference, "eth")
	bare := l.wallet(t, reference, "bsc")
	type trial struct {
		dependency
		fault
		sample      samplemarket.Sample
		undisturbed overview
	}
	var trials []trial
	for i, f := range faults {
		for j, d := range dependencies {
			// A broken status is tried on every provider, the other faults on one each: all providers share one client.
			if f.fault.Kind == samplemarket.FaultServerError || f.fault.Kind == samplemarket.FaultHang && j == 0 || j == i%len(dependencies) {
				trials = append(trials, trial{d, f, rich.sample, rich.overview})
			}
		}
		if i%4 == 0 {
			trials = append(trials, trial{nodeOnly, f, bare.sample, bare.overview})
		}
	}
	room := make(chan struct{}, 4)
	var all sync.WaitGroup
	for _, c := range trials {
		s := l.service(t, c.single, c.bundle)
		all.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			name := c.provider + " on " + c.sample.Chain + ", " + c.name
			s.SetFault(c.provider, c.fault.fault)
			if err := s.overview(c.sample).against(c.undisturbed, c.must, c.may); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			s.SetFault(c.provider, samplemarket.Fault{})
			if err := s.recovers(c.sample, c.undisturbed, c.must, c.may); err != nil {
				t.Errorf("%s, lifted: %v", name, err)
			}
		})
	}
	all.Wait()
}

// subject is a wallet and its undisturbed answer.
type subject struct {
	sample   samplemarket.Sample
	overview overview
}

// wallet finds a sample on a chain whose page asks every provider there is, and is rated.
func (l *laboratory) wallet(t *testing.T, s *service, chain string) subject {
	t.Helper()
	for _, truth := range l.market.Truth().Wallets {
		// One with a record, but a short one: the page is asked for some hundred times.
		if truth.Chain != chain || truth.Closed < 8 || truth.Closed > 25 {
			continue
		}
		sample := samplemarket.Sample{Address: truth.Address, Chain: truth.Chain, About: truth.Group}
		s.ResetCalls()
		o := s.overview(sample)
		calls := s.Calls()
		asked := func(part string) bool {
			for call := range calls {
				if strings.Contains(call, part) {
					return true
				}
			}
			return false
		}
		if o.status == http.StatusOK && len(o.failed) == 0 && asked("/ohlcv/") && asked("token_security") && asked("address_security") &&
			asked("/dexscreener/") && asked("/defillama/") && !strings.Contains(o.slots["traderScore"], `"unrated"`) &&
			!strings.Contains(o.whole, incomplete) {
			return subject{sample, o}
		}
	}
	t.Fatalf("no wallet on %s asks everything", chain)
	return subject{}
}
