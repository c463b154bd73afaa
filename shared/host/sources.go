package host

import (
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/approval"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/blockscout"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/defillama"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/dexscreener"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/evm"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/evmrpc"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/exchange"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/geckoterminal"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/goplus"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/honeypotis"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/hyperliquid"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/polymarket"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// sampleRate is the rate limit towards the sample market: none that matters.
const sampleRate = 6_000_000

// longestAttempt ends one attempt at a provider. Where answers have little time it is less, so that a provider that hangs is
// known to before the answer's time is up.
const longestAttempt = 5 * time.Second

// newSources makes an adapter for every port, each with a client of its own, and a cache in front of all.
func newSources(config Config, parts Parts, clock func() time.Time) (market.Sources, error) {
	fresh, _, err := newFreshSources(config, parts, clock, nodeMemory)
	return market.Cached(fresh, market.DefaultFreshness(), clock), err
}

// NewUncachedSources makes provider clients of their own whose answers are never old, and the way to the venue that takes orders: for what
// money hangs on. The errors are those of NewService.
func NewUncachedSources(config Config, parts Parts) (market.Sources, *hyperliquid.Exchange, error) {
	return newFreshSources(config, parts, config.Clock(), 0)
}

// newFreshSources makes an adapter for every port, each with a client of its own, and the way to the venue that takes orders. Remember is
// how long a node's answers stand; zero for not at all.
func newFreshSources(config Config, parts Parts, clock func() time.Time, remember time.Duration) (market.Sources, *hyperliquid.Exchange, error) {
	transport, err := newTransport(config, parts)
	if err != nil {
		return market.Sources{}, nil, err
	}
	shared := upstream.Shared{Transport: transport, Present: clock, Observe: observeCalls(parts.Metrics, parts.Log)}
	client := func(p provider) *upstream.Client {
		limits := p.limits
		limits.Remember = min(limits.Remember, remember)
		limits.Name, limits.Base, limits.Header = p.name, config.Addresses[p.name], limits.Header.Clone()
		if limits.Header == nil {
			limits.Header = make(http.Header)
		}
		if limits.Timeout == 0 {
			limits.Timeout = longestAttempt
		}
		// The leaderboard is long, and read by jobs, which have more time than an answer.
		if p.name != perpLeaderboard {
			limits.Timeout = min(limits.Timeout, config.SingleTimeout*5/6)
		}
		limits.Header.Set("User-Agent", "mirrorworthy/1")
		if config.Mode != Live {
			limits.PerMinute, limits.Burst, limits.Concurrency = sampleRate, sampleRate, 64
		}
		through := shared
		switch key := config.Keys[p.name]; {
		case key == "" || config.Mode != Live:
			// Keys are shown to the real providers only.
		case p.key == accessToken:
			limits.Header.Set("Authorization", key.Reveal())
		case p.key == apiKey:
			through.Transport = withAPIKey(orNetwork(transport), key)
		}
		return upstream.New(limits, through)
	}
	clients := make(map[string]*upstream.Client)
	for _, p := range providers() {
		clients[p.name] = client(p)
	}
	explorers, nodes := make(map[chain.Slug]*upstream.Client), make(map[chain.Slug]*upstream.Client)
	for _, on := range chain.All() {
		if c := clients[explorerOf(on)]; c != nil {
			explorers[on.Slug] = c
		}
		nodes[on.Slug] = clients[nodeOf(on)]
	}
	node := evmrpc.New(nodes)
	explorer := blockscout.New(explorers)
	router := evm.NewRouter(explorer, node)
	pools := geckoterminal.New(clients["geckoterminal"])
	security := goplus.New(clients["goplus"])
	prices := defillama.New(clients["defillama"])
	perps := hyperliquid.New(clients["hyperliquid"])
	predictions := polymarket.New(clients["polymarket-data"], clients["polymarket-gamma"], clients["polymarket-clob"])
	sources := market.Sources{
		Activity: router, Holdings: evm.NewPriced(router, prices),
		Prices:    prices,
		Pools:     dexscreener.New(clients["dexscreener"]),
		Candles:   pools,
		Approvals: approval.NewReader(security, node, node), Code: node,
		TokenSecurity: security, AddressSecurity: security,
		Holders: explorer, Trades: pools, Listings: pools,
		Launches: node, PoolHistories: node,
		Contracts: node, Calls: node, Receipts: node, Simulation: evm.NewSimulators(node, honeypotis.New(clients["honeypotis"])),
		PerpFills: perps, PerpAccounts: perps, PerpFunding: perps, PerpLedgers: perps, PerpMarkets: perps, PerpCandles: perps,
		PredictionActivity: predictions, PredictionPositions: predictions, PredictionMarkets: predictions, PredictionPrices: predictions,
		PerpLeaderboard: hyperliquid.NewLeaderboard(clients[perpLeaderboard]), PredictionLeaderboard: predictions,
	}
	orders := shared
	if orders.Transport == nil {
		// A connection that broke while it was idle would leave an order's outcome unknown.
		unkept := http.DefaultTransport.(*http.Transport).Clone()
		unkept.DisableKeepAlives = true
		orders.Transport = unkept
	}
	exchange := hyperliquid.NewExchange(perps, hyperliquid.ExchangeConfig{Base: config.Addresses["hyperliquid"]}, orders)
	return sources, exchange, nil
}

// newTransport carries provider calls: to the network, from recorded exchanges, or to the network while recording.
func newTransport(config Config, parts Parts) (http.RoundTripper, error) {
	switch {
	case config.Mode == Replay:
		replay, err := exchange.NewReplayer(os.DirFS(config.ReplayDir), parts.Log)
		if err != nil {
			return nil, fmt.Errorf("PROVIDERS=replay:%s: %w", config.ReplayDir, err)
		}
		return replay, nil
	case config.RecordDir != "":
		if err := os.MkdirAll(config.RecordDir, 0o700); err != nil {
			return nil, fmt.Errorf("RECORD=%s: %w", config.RecordDir, err)
		}
		// Runs write to files of their own, named by the time that passes even where the service's clock stands still.
		record, err := exchange.NewRecorder(config.RecordDir, time.Now(), orNetwork(parts.Transport), config.secrets())
		if err != nil {
			return nil, fmt.Errorf("RECORD=%s: %w", config.RecordDir, err)
		}
		return record, nil
	case config.Tracing:
		return traced(orNetwork(parts.Transport)), nil
	}
	return parts.Transport, nil
}

func orNetwork(transport http.RoundTripper) http.RoundTripper {
	if transport == nil {
		return http.DefaultTransport
	}
	return transport
}

// secrets are the configured keys, which never get into a recording.
func (c Config) secrets() []string {
	var secrets []string
	for _, key := range c.Keys {
		secrets = append(secrets, key.Reveal())
	}
	return secrets
}
