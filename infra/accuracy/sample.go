package accuracy

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

// sampleSeed makes a market on which no threshold was chosen: whoever tunes one by looking at its rows takes another seed afterwards.
// sampleNow is the instant at which it is looked at.
const sampleSeed = 77_003

func sampleNow() time.Time { return time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC) }

// inProcess carries requests straight into a handler, without a socket.
type inProcess struct{ handler http.Handler }

// RoundTrip answers one request.
func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	recorder := httptest.NewRecorder()
	t.handler.ServeHTTP(recorder, r)
	response := recorder.Result()
	response.Request = r
	return response, nil
}

type noMetrics struct{}

func (noMetrics) Count(string, int, ...string) {}

// sampleHistory is how much history a sample market has.
const sampleHistory = 200 * 24 * time.Hour

// sampleService is the service on a sample market of its own.
func sampleService(now time.Time) (*samplemarket.Market, endpoint.Service, error) {
	clock := func() time.Time { return now }
	sample := samplemarket.New(samplemarket.Config{Seed: sampleSeed, Start: now.Add(-sampleHistory), Clock: clock})
	service, err := serviceOn(sample, now)
	return sample, service, err
}

// serviceOn is the service on a sample market, at the instant at which the market's clock stands.
func serviceOn(sample *samplemarket.Market, now time.Time) (endpoint.Service, error) {
	config, err := host.ReadConfig(func(name string) string {
		return map[string]string{"CLOCK": now.Format(time.RFC3339), "SINGLE_TIMEOUT": "20s", "BUNDLE_TIMEOUT": "25s"}[name]
	})
	if err != nil {
		return endpoint.Service{}, err
	}
	config.Addresses = host.SampleAddresses("http://sample.invalid")
	return host.NewService(config, host.Parts{
		Log: slog.New(slog.DiscardHandler), Metrics: noMetrics{}, Transport: inProcess{sample.Handler()},
	})
}

// overviewHandler answers wallet-overview without a key, as of an instant, from these sources.
func overviewHandler(service endpoint.Service, sources market.Sources, asOf time.Time) http.Handler {
	service.Sources = sources
	service.Present = func() time.Time { return asOf }
	open := wallet.WalletOverview()
	open.Open = true
	return endpoint.NewHandler(service, open)
}

// overview asks for one wallet.
func overview(handler http.Handler, wallet, chain string) ([]byte, error) {
	request := httptest.NewRequest(http.MethodPost, "/v1/wallet-overview", bytes.NewReader([]byte(`{"wallet":"`+wallet+`","chain":"`+chain+`"}`)))
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	body := recorder.Body.Bytes()
	if recorder.Code != http.StatusOK || bytes.Contains(body, []byte(`"partial":true`)) {
		return nil, fmt.Errorf("wallet-overview of %s on %s: status %d: %.600s", wallet, chain, recorder.Code, body)
	}
	return body, nil
}
