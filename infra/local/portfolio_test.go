package main

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/catalogue"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

const portfolioPath = "/v1/portfolio-overview"

// portfolioPage is the bundle of the portfolio page.
func portfolioPage(t testing.TB) endpoint.Endpoint {
	t.Helper()
	for _, e := range catalogue.Endpoints(host.Kept{}, copying.Copying{}) {
		if e.Path == portfolioPath {
			return e
		}
	}
	t.Fatal("there is no portfolio page")
	return endpoint.Endpoint{}
}

func (s *service) askPortfolio(path string, sample samplemarket.Sample, more string) *httptest.ResponseRecorder {
	return s.send(path, `{"wallet":"`+sample.Address+`","chain":"`+sample.Chain+`"`+more+`}`)
}

// portfolioSlots takes a portfolio-overview apart.
func (s *service) portfolioSlots(t testing.TB, sample samplemarket.Sample) (slots map[string]string, failed []string, err error) {
	t.Helper()
	answer := s.askPortfolio(portfolioPath, sample, "")
	var members map[string]jsontext.Value
	if err := json.Unmarshal(answer.Body.Bytes(), &members); answer.Code != http.StatusOK || err != nil {
		return nil, nil, fmt.Errorf("status %d: %.500s", answer.Code, answer.Body)
	}
	slots = make(map[string]string)
	for _, e := range portfolioPage(t).Components {
		slots[e.Slot()] = string(members[e.Slot()])
	}
	if members["failed"] != nil {
		err = json.Unmarshal(members["failed"], &failed)
	}
	if partial := string(members["partial"]) == "true"; partial != (len(failed) > 0) {
		err = fmt.Errorf("partial is %t and failed %v", partial, failed)
	}
	return slots, failed, err
}

// holder is a wallet on a chain with a short list of positions whose page takes every provider there is: it holds priced tokens that are assessed.
func (l *laboratory) holder(t testing.TB, chain string) samplemarket.Sample {
	t.Helper()
	s := l.service(t, plenty, plenty)
	for _, sample := range l.samples {
		if sample.Chain != chain {
			continue
		}
		var answer struct {
			Coverage struct {
				Assessed int `json:"assessed"`
			} `json:"coverage"`
		}
		s.ResetCalls()
		if err := json.Unmarshal(s.askPortfolio("/v1/portfolio-risk", sample, "").Body.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		if n := answer.Coverage.Assessed; n >= 2 && n <= 6 && s.asked("/ohlcv/", "token_security", "/dexscreener/", "/defillama/") {
			return sample
		}
	}
	t.Fatalf("nobody on %s holds what takes every provider", chain)
	return samplemarket.Sample{}
}

// asked tells whether each part is in some call.
func (s *service) asked(parts ...string) bool {
	calls := s.Calls()
	for _, part := range parts {
		found := false
		for call := range calls {
			found = found || strings.Contains(call, part)
		}
		if !found {
			return false
		}
	}
	return true
}

func TestThePortfolioPage(t *testing.T) {
	t.Parallel()
	l := newLaboratory(t)
	sample := l.holder(t, "eth")
	t.Run("slots are singles", func(t *testing.T) { portfolioSlotsAreSingles(t, l, sample) })
	t.Run("nothing is asked twice", func(t *testing.T) { portfolioAsksNothingTwice(t, l, sample) })
	t.Run("one provider fails", func(t *testing.T) { oneProviderFailsOnThePortfolioPage(t, l, sample) })
}

// portfolioSlotsAreSingles: every slot's bytes are its single's bytes, whatever the depth, and the page costs what its slots cost.
func portfolioSlotsAreSingles(t *testing.T, l *laboratory, sample samplemarket.Sample) {
	t.Helper()
	s := l.service(t, plenty, plenty)
	page := portfolioPage(t)
	if page.Units != 5 || len(page.Components) != 3 {
		t.Errorf("%d units, %d slots", page.Units, len(page.Components))
	}
	answers := make(map[string]bool)
	for _, depth := range []string{"", `,"depth":1`, `,"depth":50`} {
		answer := s.askPortfolio(portfolioPath, sample, depth)
		bundle := answer.Body.String()
		if answer.Code != http.StatusOK || strings.Contains(bundle, `"partial"`) || answer.Header().Get("X-Usage-Units") != "5" {
			t.Errorf("%s: status %d, %s units: %.500s", depth, answer.Code, answer.Header().Get("X-Usage-Units"), bundle)
		}
		if old := s.askPortfolio("/api"+portfolioPath, sample, depth); old.Body.String() != bundle {
			t.Errorf("%s: the older address answers otherwise", depth)
		}
		for _, e := range page.Components {
			more := ""
			if e.Name == "portfolio-risk" {
				more = depth
			}
			single := s.askPortfolio(e.Path, sample, more)
			if single.Code != http.StatusOK || !strings.Contains(bundle, `"`+e.Slot()+`":`+single.Body.String()) {
				t.Errorf("%s with %q: status %d, %.400s is not in the bundle", e.Name, depth, single.Code, single.Body)
			}
			if single.Header().Get("X-Usage-Units") != fmt.Sprint(e.Units) {
				t.Errorf("%s costs %s units", e.Name, single.Header().Get("X-Usage-Units"))
			}
		}
		answers[bundle] = true
	}
	if len(answers) < 2 {
		t.Error("the depth changes nothing")
	}
}

// portfolioAsksNothingTwice: a cold page, asked for twice at once, asks each provider for each fact once; what comes after asks nothing.
func portfolioAsksNothingTwice(t *testing.T, l *laboratory, sample samplemarket.Sample) {
	t.Helper()
	s := l.service(t, plenty, plenty)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			if _, failed, err := s.portfolioSlots(t, sample); err != nil || len(failed) > 0 {
				t.Errorf("%v %v", failed, err)
			}
		})
	}
	all.Wait()
	for call, times := range s.Calls() {
		if times > 1 {
			t.Errorf("asked %d times for %s", times, call)
		}
	}
	s.ResetCalls()
	s.askPortfolio(portfolioPath, sample, "")
	for _, e := range portfolioPage(t).Components {
		s.askPortfolio(e.Path, sample, "")
	}
	if again := s.Calls(); len(again) > 0 {
		t.Errorf("asked again: %v", slices.Collect(maps.Keys(again)))
	}
}

// incompletePortfolio tells whether a portfolio's risk says that some of it could not be told.
func incompletePortfolio(slot string) bool {
	return strings.Contains(slot, "could not be assessed") || strings.Contains(slot, "did not answer, so that fewer")
}

// oneProviderFailsOnThePortfolioPage: whatever one provider does, the page is answered: a slot is what it is without the fault, or says
// that a provider failed, or, of the risks of tokens, how much could not be told; and after the fault it is whole.
func oneProviderFailsOnThePortfolioPage(t *testing.T, l *laboratory, sample samplemarket.Sample) {
	t.Helper()
	reference := l.service(t, plenty, plenty)
	undisturbed, failed, err := reference.portfolioSlots(t, sample)
	if err != nil || len(failed) > 0 || incompletePortfolio(undisturbed["portfolioRisk"]) {
		t.Fatal(failed, err, undisturbed)
	}
	e, body := portfolioPage(t).Components[0], `{"wallet":"`+sample.Address+`","chain":"`+sample.Chain+`"}`
	whole := reference.send(e.Path, body).Body.String()
	needed := []string{samplemarket.Blockscout, samplemarket.DexScreener}
	partly := []string{samplemarket.GeckoTerminal, samplemarket.GoPlus, samplemarket.RPC, samplemarket.DefiLlama}
	room := make(chan struct{}, 6)
	var all sync.WaitGroup
	for i, f := range faults {
		for j, provider := range slices.Concat(needed, partly) {
			if f.fault.Kind != samplemarket.FaultServerError && (i+j)%6 > 0 {
				continue
			}
			s := l.service(t, f.single, f.bundle)
			all.Go(func() {
				room <- struct{}{}
				defer func() { <-room }()
				name := provider + ", " + f.name
				s.SetFault(provider, f.fault)
				slots, failed, err := s.portfolioSlots(t, sample)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				risk := slots["portfolioRisk"]
				for slot, text := range slots {
					switch {
					case slices.Contains(failed, slot):
						if !unavailable(text) {
							t.Errorf("%s: %s is said to have failed: %.300s", name, slot, text)
						}
					case text == undisturbed[slot], slot == "portfolioRisk" && incompletePortfolio(text):
					default:
						t.Errorf("%s: %s is %.700s\nwithout the fault %.700s", name, slot, text, undisturbed[slot])
					}
				}
				if slices.Contains(needed, provider) && !slices.Contains(failed, "portfolioRisk") {
					t.Errorf("%s: the risk is told all the same: %.500s", name, risk)
				}
				if slices.Contains(partly, provider) && f.fault.Kind == samplemarket.FaultServerError && risk == undisturbed["portfolioRisk"] {
					t.Errorf("%s: the risk is told as if nothing were wrong", name)
				}
				s.SetFault(provider, samplemarket.Fault{})
				if err := s.until(e.Path, body, whole, func(answer *httptest.ResponseRecorder) bool { return incompletePortfolio(answer.Body.String()) }); err != nil {
					t.Errorf("%s is over: %v", name, err)
				}
			})
		}
	}
	all.Wait()
}

// gathering holds calls back until so many of them wait at a time; from then on it lets all through. Calls that are made one after the
// other never come that far.
type gathering struct {
	path  string
	least int
	next  http.Handler

	mu      sync.Mutex
	waiting int
	open    chan struct{}
}

// ServeHTTP answers a call, or gives it up with its caller.
func (g *gathering) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.URL.Path, g.path) {
		g.mu.Lock()
		if g.waiting++; g.waiting == g.least {
			close(g.open)
		}
		g.mu.Unlock()
		select {
		case <-g.open:
		case <-r.Context().Done():
			return
		}
	}
	g.next.ServeHTTP(rw, r)
}

// manyHoldings answers for a wallet of an explorer's chain that holds much of each of these tokens.
func manyHoldings(door http.Handler, tokens []string) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/token-balances") {
			door.ServeHTTP(rw, r)
			return
		}
		rows := make([]string, len(tokens))
		for i, token := range tokens {
			rows[i] = fmt.Sprintf(`{"token":{"address_hash":%q,"symbol":"T%d","name":"Token %d","decimals":"18","type":"ERC-20","holders_count":"900",`+
				`"total_supply":"1000000000000000000000000000000"},"token_id":null,"value":"1000000000000000000000"}`, token, i, i)
		}
		_, _ = fmt.Fprintf(rw, "[%s]", strings.Join(rows, ","))
	})
}

// A hundred holdings take no more rounds of calls than a few: their prices come in batches, and tokens are assessed side by side.
func TestAHundredHoldingsAreReadSideBySide(t *testing.T) {
	l := newLaboratory(t)
	const held, parallel = 100, 4
	var tokens []string
	for _, token := range l.market.Truth().Tokens {
		if token.Chain == "eth" && len(tokens) < held {
			tokens = append(tokens, token.Address)
		}
	}
	if len(tokens) < held {
		t.Fatalf("eth has %d tokens", len(tokens))
	}
	for _, path := range []string{"/dexscreener/", "/token_security/"} {
		s := l.serviceBehind(t, plenty, plenty, func(door http.Handler) http.Handler {
			return &gathering{path: path, least: parallel, next: manyHoldings(door, tokens), open: make(chan struct{})}
		})
		answer := s.askPortfolio("/v1/portfolio-risk", l.samples[0], `,"depth":6`)
		if answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), `"holdings":101,`) || incompletePortfolio(answer.Body.String()) {
			t.Errorf("%s are not called %d at a time: status %d: %s", path, parallel, answer.Code, answer.Body)
		}
		batches := 0
		for call := range s.Calls() {
			if strings.HasPrefix(call, "/defillama/batchHistorical") || strings.HasPrefix(call, "/dexscreener/tokens/") {
				batches++
			}
		}
		if batches > 10 {
			t.Errorf("prices of %d holdings take %d calls", held, batches)
		}
	}
}
