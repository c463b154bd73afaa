package samplemarket

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// BenchmarkNew makes a market with 200 days of history; it is to be ready within two seconds on two cores.
func BenchmarkNew(b *testing.B) {
	now := testStart.Add(200 * 24 * time.Hour)
	for b.Loop() {
		New(Config{Seed: 1, Start: testStart, Clock: func() time.Time { return now }})
	}
}

// BenchmarkHour is the cost of one more hour on every chain.
func BenchmarkHour(b *testing.B) {
	now := testStart.Add(60 * 24 * time.Hour)
	m := New(Config{Seed: 1, Start: testStart, Clock: func() time.Time { return now }})
	for b.Loop() {
		now = now.Add(time.Hour)
		m.advance()
	}
}

func BenchmarkRequest(b *testing.B) {
	m := shared()
	w := m.worlds[0]
	wallet := w.entities[w.wallets[w.crowd[0]].entity].address.String()
	t := &w.tokens[w.listed[len(w.listed)/2]]
	token, pool := w.entities[t.entity].address.String(), w.poolAddress(&w.pools[t.pool])
	major := w.poolAddress(&w.pools[w.tokens[w.majors[0]].pool])
	for name, path := range map[string]string{
		"blockscout-transfers":    "/blockscout/eth/api/v2/addresses/" + wallet + "/token-transfers?type=ERC-20",
		"blockscout-transactions": "/blockscout/eth/api/v2/addresses/" + wallet + "/transactions",
		"blockscout-holders":      "/blockscout/eth/api/v2/tokens/" + token + "/holders",
		"gecko-pool":              "/geckoterminal/api/v2/networks/eth/pools/" + pool,
		"gecko-ohlcv-1000":        "/geckoterminal/api/v2/networks/eth/pools/" + major + "/ohlcv/hour?limit=1000",
		"gecko-trades":            "/geckoterminal/api/v2/networks/eth/pools/" + major + "/trades",
		"dexscreener-token":       "/dexscreener/tokens/v1/ethereum/" + token,
		"defillama-current":       "/defillama/prices/current/ethereum:" + token,
		"goplus-token":            "/goplus/api/v1/token_security/1?contract_addresses=" + token,
		"goplus-approvals":        "/goplus/api/v2/token_approval_security/1?addresses=" + wallet,
	} {
		b.Run(name, func(b *testing.B) {
			handler := m.Handler()
			for b.Loop() {
				handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil))
			}
		})
	}
}
