package samplemarket

import (
	"net/http"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/perpvenue"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/predictvenue"
)

// venues are the markets besides the chains: one of perpetual contracts, one of predictions. Each comes into being when it is first
// asked for, because most who make a market never ask; what it is does not depend on when.
type venues struct {
	perps       *perpvenue.Venue
	predictions *predictvenue.Venue
}

// advance lets the venues that are there catch up.
func (v *venues) advance(now time.Time) {
	if v.perps != nil {
		v.perps.Advance(now)
	}
	if v.predictions != nil {
		v.predictions.Advance(now)
	}
}

// openPerps makes the venue of perpetual contracts if it is not there yet.
func (m *Market) openPerps() {
	m.advance()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.venues.perps == nil {
		m.venues.perps = perpvenue.New(perpvenue.Config{Seed: m.config.Seed, Start: m.config.Start})
		m.venues.perps.Advance(time.Unix(m.unix, 0).UTC())
	}
}

// openPredictions makes the prediction venue if it is not there yet.
func (m *Market) openPredictions() {
	m.advance()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.venues.predictions == nil {
		m.venues.predictions = predictvenue.New(predictvenue.Config{Seed: m.config.Seed, Start: m.config.Start})
		m.venues.predictions.Advance(time.Unix(m.unix, 0).UTC())
	}
}

// openVenue makes the venue behind a provider.
func (m *Market) openVenue(provider string) {
	switch provider {
	case Hyperliquid, HyperliquidStats:
		m.openPerps()
	case PolymarketData, PolymarketGamma, PolymarketCLOB:
		m.openPredictions()
	}
}

// serveVenue answers a call to a venue. The second result is false for a provider that is none.
func (m *Market) serveVenue(provider, verb string, req *request) (status int, answer any, served bool) {
	var serve func() (int, any)
	method := http.MethodGet
	switch provider {
	case Hyperliquid:
		method = http.MethodPost
		serve = func() (int, any) {
			switch {
			case len(req.path) != 1:
			case req.part(0) == "info":
				return m.venues.perps.Info(req.body)
			case req.part(0) == exchangePart:
				return m.venues.perps.Exchange(req.body)
			}
			return http.StatusNotFound, "Not found"
		}
	case HyperliquidStats:
		serve = func() (int, any) {
			if len(req.path) != 2 || req.part(0) != "Mainnet" || req.part(1) != "leaderboard" {
				return http.StatusNotFound, "Not found"
			}
			return http.StatusOK, m.venues.perps.Leaderboard()
		}
	case PolymarketData:
		serve = func() (int, any) { return m.venues.predictions.Data(req.path, req.query) }
	case PolymarketGamma:
		serve = func() (int, any) { return m.venues.predictions.Gamma(req.path, req.query) }
	case PolymarketCLOB:
		serve = func() (int, any) { return m.venues.predictions.CLOB(req.path, req.query) }
	default:
		return 0, nil, false
	}
	if verb != method {
		return http.StatusMethodNotAllowed, map[string]string{"error": "Method not allowed"}, true
	}
	status, answer = serve()
	return status, answer, true
}

// PerpTruth is what was planted on the venue of perpetual contracts, and what became of it.
func (m *Market) PerpTruth() (truth []perpvenue.AccountTruth) {
	m.openPerps()
	m.view(func() { truth = m.venues.perps.Truth() })
	return truth
}

// PredictionTruth is what was planted on the prediction venue, and what became of it.
func (m *Market) PredictionTruth() (truth []predictvenue.WalletTruth) {
	m.openPredictions()
	m.view(func() { truth = m.venues.predictions.Truth() })
	return truth
}
