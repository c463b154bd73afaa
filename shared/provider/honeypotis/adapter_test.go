package honeypotis

import (
	"errors"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

type service struct {
	status int
	body   string
	asked  []*url.URL
}

func (s *service) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked = append(s.asked, r.URL)
	return &http.Response{StatusCode: s.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(s.body))}, nil
}

func (s *service) simulate(t testing.TB, slug string, token chain.Address) (*market.Simulation, error) {
	t.Helper()
	on, known := chain.Parse(slug)
	if !known {
		t.Fatal(slug)
	}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	client := upstream.New(Defaults(), upstream.Shared{Transport: s, Clock: func() time.Time { return now }})
	return New(client).Simulate(t.Context(), on, market.SimulationRequest{Token: token})
}

var token = chain.Address{0xab, 19: 1}

// trap is a token that can be bought and not sold, sound one that takes 3.5 % of a sale.
const (
	trap = `{"token":{"symbol":"TRP","totalHolders":9},"simulationSuccess":true,
		"honeypotResult":{"isHoneypot":true,"honeypotReason":"execution reverted: UniswapV2: INSUFFICIENT_OUTPUT_AMOUNT"},
		"simulationResult":{"buyTax":0,"sellTax":100,"transferTax":0,"buyGas":"0","sellGas":"0"},"holderAnalysis":{"holders":"6"},"flags":["high_tax"]}`
	sound = `{"simulationSuccess":true,"honeypotResult":{"isHoneypot":false},"simulationResult":{"buyTax":-0.02,"sellTax":3.5,"transferTax":0,"buyGas":"152000"}}`
)

func TestTrades(t *testing.T) {
	s := &service{200, trap, nil}
	got, err := s.simulate(t, "bsc", token)
	if err != nil || got.Source != "honeypot.is" || got.Reason != "" || got.Buy != (market.Trial{Done: market.Yes}) || got.SellAll.Done != market.No || !math.IsNaN(got.SellAll.Tax) {
		t.Errorf("%+v, %v", got, err)
	}
	if u := s.asked[0]; u.Path != "/v2/IsHoneypot" || u.Query().Get("address") != token.Checksum() || u.Query().Get("chainID") != "56" {
		t.Error(u)
	}
	s = &service{200, sound, nil}
	got, err = s.simulate(t, "eth", token)
	if err != nil || got.Buy != (market.Trial{Done: market.Yes}) || got.SellAll != (market.Trial{Done: market.Yes, Tax: 0.035}) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, untried := range []market.Trial{got.SellHalves, got.SellElsewhere, got.SellLater, got.SellLarge} {
		if untried.Done != market.Unknown || !math.IsNaN(untried.Tax) {
			t.Errorf("%+v", got)
		}
	}
}

func TestWhatWasNotTriedSaysNothing(t *testing.T) {
	for name, c := range map[string]struct {
		chain, body, reason string
		status, calls       int
	}{
		"no pool":       {"base", `{"code":404,"error":"No pairs found"}`, notTradable, 404, 1},
		"not simulated": {"base", `{"simulationSuccess":false,"simulationError":"Low liquidity","flags":[]}`, notTried, 200, 1},
		"not covered":   {"polygon", trap, notCovered, 200, 0},
	} {
		s := &service{c.status, c.body, nil}
		got, err := s.simulate(t, c.chain, token)
		if err != nil || got.Source != "" || got.Reason != c.reason || len(s.asked) != c.calls {
			t.Fatalf("%s: %+v, %v", name, got, err)
		}
		for _, untried := range []market.Trial{got.Buy, got.SellAll, got.SellHalves, got.SellElsewhere, got.SellLater, got.SellLarge} {
			if untried.Done != market.Unknown || !math.IsNaN(untried.Tax) {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
}

func TestUnreadableAnswersAreUnavailable(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
	}{
		{200, `{}`}, {200, `[]`}, {200, `{"simulationSuccess":true}`}, {200, `{"simulationSuccess":true,"honeypotResult":{}}`},
		{200, `{"simulationSuccess":"perhaps","honeypotResult":{"isHoneypot":false}}`}, {400, `{"code":400,"error":"Invalid address"}`},
	} {
		s := &service{c.status, c.body, nil}
		if got, err := s.simulate(t, "eth", token); !errors.Is(err, market.ErrUnavailable) {
			t.Errorf("%s: %+v, %v", c.body, got, err)
		}
	}
}

func TestTaxes(t *testing.T) {
	for text, want := range map[upstream.Number]float64{"0": 0, "100": 1, "97.5": 0.975, "-0.5": 0, "250": 1, "0.3": 0.003} {
		if got := tax(text); got != want || math.Signbit(got) {
			t.Errorf("%s: %g, want %g", text, got, want)
		}
	}
	for _, text := range []upstream.Number{"", "-5", "NaN", "1e400", "Infinity", "0x10"} {
		if got := tax(text); !math.IsNaN(got) {
			t.Errorf("%s: %g", text, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(trap))
	f.Add([]byte(sound))
	f.Add([]byte(`{"simulationSuccess":1,"honeypotResult":{"isHoneypot":0},"simulationResult":{"buyTax":1e400,"sellTax":"-1e9"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := read(&upstream.Response{Status: 200, Body: body})
		if err != nil {
			return
		}
		for _, trial := range []market.Trial{got.Buy, got.SellAll} {
			if !(math.IsNaN(trial.Tax) || trial.Tax >= 0 && trial.Tax <= 1 && trial.Done == market.Yes) {
				t.Errorf("%+v", got)
			}
		}
		if (got.Source == "") != (got.Reason != "") || got.Source == "" && got.Buy.Done != market.Unknown {
			t.Errorf("%+v", got)
		}
	})
}
