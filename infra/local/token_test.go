package main

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
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

const tokenOverviewPath = "/v1/token-overview"

// tokenPage is the bundle of the token page and the single that is not in it.
func tokenPage() (overview, risk endpoint.Endpoint) {
	for _, e := range catalogue.Endpoints(host.Kept{}, copying.Copying{}) {
		switch e.Name {
		case "token-overview":
			overview = e
		case "token-risk":
			risk = e
		}
	}
	return overview, risk
}

// askToken sends one request about a token; more is what the body has besides.
func (s *service) askToken(path string, token samplemarket.Sample, more string) *httptest.ResponseRecorder {
	return s.send(path, `{"token":"`+token.Address+`","chain":"`+token.Chain+`"`+more+`}`)
}

// tokenSlots takes a token-overview apart.
func (s *service) tokenSlots(token samplemarket.Sample, more string) (slots map[string]string, failed []string, err error) {
	answer := s.askToken(tokenOverviewPath, token, more)
	var members map[string]jsontext.Value
	if err := json.Unmarshal(answer.Body.Bytes(), &members); answer.Code != http.StatusOK || err != nil {
		return nil, nil, fmt.Errorf("status %d: %.500s", answer.Code, answer.Body)
	}
	slots = make(map[string]string)
	overview, _ := tokenPage()
	for _, e := range overview.Components {
		slots[e.Slot()] = string(members[e.Slot()])
	}
	_ = json.Unmarshal(members["failed"], &failed)
	return slots, failed, nil
}

// oneOfEachKind is one token of each kind, on all chains.
func (l *laboratory) oneOfEachKind() []samplemarket.Sample {
	var tokens []samplemarket.Sample
	for _, sample := range l.market.Samples().Tokens {
		if sample.Kind == "not-a-token" {
			continue
		}
		if !slices.ContainsFunc(tokens, func(known samplemarket.Sample) bool { return known.Kind == sample.Kind }) {
			tokens = append(tokens, sample)
		}
	}
	return tokens
}

// ofKind is a token of a kind.
func (l *laboratory) ofKind(t *testing.T, kind string) samplemarket.Sample {
	t.Helper()
	for _, token := range l.market.Samples().Tokens {
		if token.Kind == kind {
			return token
		}
	}
	t.Fatalf("no token is a %s", kind)
	return samplemarket.Sample{}
}

func TestTheTokenPageCostsWhatItsSlotsCost(t *testing.T) {
	overview, risk := tokenPage()
	if overview.Units != 19 || len(overview.Components) != 10 || risk.Units != 2 {
		t.Errorf("%d units, %d slots, token-risk %d units", overview.Units, len(overview.Components), risk.Units)
	}
}

// Every slot's bytes are its single's bytes, token-changes' too where neither came after the other; and the page asks for nothing
// that was asked before.
func TestATokenSlotIsItsSingle(t *testing.T) {
	bundles, singles := newLaboratory(t), newLaboratory(t)
	one, other := bundles.service(t, plenty, plenty), singles.service(t, plenty, plenty)
	overview, _ := tokenPage()
	// Few kinds, and many buyers only where few trade: a page costs hundreds of provider calls, nearly all for its buyers.
	for kind, sample := range map[string]string{"fader": "", "thin": `,"sample":99`, "honeypot": `,"sample":4`} {
		token := bundles.ofKind(t, kind)
		answer := one.askToken(tokenOverviewPath, token, sample)
		bundle := answer.Body.String()
		if answer.Code != http.StatusOK || strings.Contains(bundle, `"failed":[`) || answer.Header().Get("X-Usage-Units") != "19" {
			t.Errorf("%s on %s: status %d: %.600s", token.Kind, token.Chain, answer.Code, bundle)
			continue
		}
		for _, e := range overview.Components {
			more := ""
			if e.Name == "smart-money-flow" {
				more = sample
			}
			single := other.askToken(e.Path, token, more)
			if single.Code != http.StatusOK || !strings.Contains(bundle, `"`+e.Slot()+`":`+single.Body.String()) {
				t.Errorf("%s of a %s: status %d, %.400s is not in the bundle", e.Name, token.Kind, single.Code, single.Body)
			}
		}
	}
}

func TestTheTokenPageAsksNothingTwice(t *testing.T) {
	l := newLaboratory(t)
	const few = `,"sample":4`
	for _, kind := range []string{"grower", "fader"} {
		token := l.ofKind(t, kind)
		s := l.service(t, plenty, plenty)
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				if _, failed, err := s.tokenSlots(token, few); err != nil || len(failed) > 0 {
					t.Errorf("%s: %v %v", token.Kind, failed, err)
				}
			})
		}
		all.Wait()
		for call, times := range s.Calls() {
			if times > 1 {
				t.Errorf("%s: asked %d times for %s", token.Kind, times, call)
			}
		}
		s.ResetCalls()
		overview, risk := tokenPage()
		for _, e := range append(slices.Clone(overview.Components), risk) {
			more := ""
			if e.Name == "smart-money-flow" {
				more = few
			}
			if answer := s.askToken(e.Path, token, more); answer.Code != http.StatusOK {
				t.Errorf("%s of a %s: status %d: %.300s", e.Name, token.Kind, answer.Code, answer.Body)
			}
		}
		if calls := s.Calls(); len(calls) > 0 {
			t.Errorf("%s: a warm page asks %v", token.Kind, slices.Collect(maps.Keys(calls)))
		}
	}
}

// An address that is no token is refused by the three answers that say so, costs nothing there, and is unknown to the others.
func TestWhatIsNoToken(t *testing.T) {
	l := newLaboratory(t)
	s := l.service(t, plenty, plenty)
	overview, risk := tokenPage()
	wallet := l.samples[0]
	for _, e := range append(slices.Clone(overview.Components), risk) {
		answer := s.askToken(e.Path, wallet, "")
		refused := e.Name == "token-intel" || e.Name == "token-signal" || e.Name == "token-risk"
		isRefusal := answer.Code == http.StatusNotFound && strings.Contains(answer.Body.String(), `"error":"not_a_token"`) && answer.Header().Get("X-Usage-Units") == "0"
		if refused && !isRefusal || !refused && answer.Code != http.StatusOK {
			t.Errorf("%s: status %d: %.300s", e.Name, answer.Code, answer.Body)
		}
	}
	slots, failed, err := s.tokenSlots(wallet, "")
	if err != nil || !slices.Equal(failed, []string{"tokenIntel", "tokenSignal"}) || !strings.Contains(slots["tokenIntel"], `"not_a_token"`) {
		t.Errorf("%v %v %v", slots["tokenIntel"], failed, err)
	}
}

// unsafe is what may stand in no text of an answer: markup, links, hidden characters, amounts of money.
var unsafe = regexp.MustCompile("[<>`&]|://|www\\.|\\$\\d|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")

// Whatever one provider does, the token page is answered; each slot is what it is without the fault or says that a provider failed,
// and nothing of the fault is remembered.
func TestOneProviderFailsOnTheTokenPage(t *testing.T) {
	t.Parallel()
	l := newLaboratory(t)
	providers := append(slices.Clone(everyProvider), samplemarket.HoneypotIs)
	// A token that few trade: a page with many buyers to grade is asked for elsewhere.
	token := l.ofKind(t, "fader")
	undisturbed, failed, err := l.service(t, plenty, plenty).tokenSlots(token, "")
	if err != nil || len(failed) > 0 {
		t.Fatal(failed, err)
	}
	room := make(chan struct{}, 3)
	var all sync.WaitGroup
	for i, f := range faults {
		for j, provider := range providers {
			if f.fault.Kind != samplemarket.FaultServerError && (j != i%len(providers) || i%2 == 0) {
				continue
			}
			all.Go(func() {
				room <- struct{}{}
				defer func() { <-room }()
				s := newLaboratory(t).service(t, f.single, f.bundle)
				s.SetFault(provider, f.fault)
				slots, failed, err := s.tokenSlots(token, "")
				if err != nil {
					t.Errorf("%s, %s: %v", provider, f.name, err)
					return
				}
				// Prices are for buyers' records, of which this token may have none, and honeypot.is stands in for the node.
				needed := provider != samplemarket.DefiLlama && provider != samplemarket.HoneypotIs
				if f.fault.Kind == samplemarket.FaultServerError && needed && len(failed) == 0 {
					t.Errorf("%s, %s: the page is answered as if nothing were wrong", provider, f.name)
				}
				for name, slot := range slots {
					switch {
					case slices.Contains(failed, name):
						if !unavailable(slot) {
							t.Errorf("%s, %s: %s is %.300s", provider, f.name, name, slot)
						}
					case slot != undisturbed[name]:
						t.Errorf("%s, %s: %s is %.500s\nwithout the fault %.500s", provider, f.name, name, slot, undisturbed[name])
					}
				}
			})
		}
	}
	all.Wait()
}

func TestTokenAnswersHoldNothingUnsafe(t *testing.T) {
	l := newLaboratory(t)
	s := l.service(t, plenty, plenty)
	for i, token := range l.oneOfEachKind() {
		if i%4 != 2 {
			continue
		}
		for path, more := range map[string]string{tokenOverviewPath: `,"sample":4`, "/v1/token-risk": ""} {
			if text := s.askToken(path, token, more).Body.String(); unsafe.MatchString(text) {
				t.Errorf("%s of a %s: %q in %s", path, token.Kind, unsafe.FindString(text), text)
			}
		}
	}
}
