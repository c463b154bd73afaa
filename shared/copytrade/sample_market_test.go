package copytrade_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/copytrade"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

// inside answers requests by a handler of this process.
type inside struct{ http.Handler }

func (i inside) RoundTrip(r *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	i.ServeHTTP(recorder, r)
	return recorder.Result(), nil
}

type uncounted struct{}

func (uncounted) Count(string, int, ...string) {}

// fair is one chain of the sample market, ten weeks old, behind the endpoints of spot copies and the live adapters.
type fair struct {
	handler http.Handler
	wallets map[string][]string
}

func newFair(t *testing.T) *fair {
	t.Helper()
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	clock := func() time.Time { return start.AddDate(0, 0, 70) }
	world := samplemarket.New(samplemarket.Config{Seed: 7, Start: start, Clock: clock, Chains: []string{"base"}})
	config, err := host.ReadConfig(func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	config.Addresses = host.SampleAddresses("http://sample.invalid")
	service, err := host.NewService(config, host.Parts{
		Log: slog.New(slog.DiscardHandler), Metrics: uncounted{}, Transport: inside{world.Handler()}, Pepper: []byte("0123456789abcdef0123456789abcdef"),
	})
	if err != nil {
		t.Fatal(err)
	}
	service.Clock, service.Present, service.SingleTimeout = clock, clock, time.Minute
	endpoints := []endpoint.Endpoint{copytrade.CopyPlan(nil), copytrade.CopyOverlap(nil)}
	for i := range endpoints {
		endpoints[i].Open = true
	}
	f := &fair{handler: endpoint.NewHandler(service, endpoints...), wallets: make(map[string][]string)}
	for _, w := range world.Truth().Wallets {
		f.wallets[w.Group] = append(f.wallets[w.Group], w.Address)
	}
	return f
}

func ask[A any](t *testing.T, f *fair, name, leader, more string) (answer A, body string) {
	t.Helper()
	sent := fmt.Sprintf(`{"wallet":"%s","leadWallet":"%s","chain":"base"%s}`, f.wallets["whale"][0], leader, more)
	a := endpointtest.Call{Method: http.MethodPost, Path: "/v1/" + name, Body: sent}.Do(t, f.handler)
	if a.Status != http.StatusOK {
		t.Fatalf("%s %s: %d %s", name, sent, a.Status, a.Body)
	}
	if err := json.Unmarshal([]byte(a.Body), &answer); err != nil {
		t.Fatal(err)
	}
	return answer, a.Body
}

// Whoever was planted to be good is copied with more than a trial, whoever was planted to lose, to trade for show or to know more than
// others is not.
func TestTheSampleMarket(t *testing.T) {
	f := newFair(t)
	for group, want := range map[string]bool{
		"skilled-swing": true, "losing-swing": false, "wash-round-trip": false, "insider": false,
	} {
		answer, body := ask[copytrade.CopyPlanAnswer](t, f, "copy-plan", f.wallets[group][0], "")
		if answer.Copy != want || want != (answer.Plan.CapitalPct > 1) || want != (*answer.Plan.AllocationUSD > 0) || want != (answer.RiskConfig != nil) {
			t.Errorf("%s: %s", group, body)
		}
	}
	// Two skilled ones choose by themselves.
	skilled := f.wallets["skilled-active"]
	if apart, body := ask[copytrade.CopyOverlapAnswer](t, f, "copy-overlap", skilled[0], fmt.Sprintf(`,"leaders":["%s"]`, skilled[1])); apart.Verdict != "additive" {
		t.Error(body)
	}
}
