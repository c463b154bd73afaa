// Package dexscreener reads tokens' current pools from DexScreener (https://docs.dexscreener.com/api/reference).
//
// It asks GET /tokens/v1/{chain}/{addresses}, 30 addresses a call, and stays under the 300 calls a minute the document
// allows. It keeps only pools of the asked chain in which the token is the base, since the price given is the base's.
// It knows nothing of history.
package dexscreener

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

const (
	// tokensPerCall is the most addresses the provider takes.
	tokensPerCall = 30
	// pairsPerAnswer is where the provider cuts its answers: an answer this long may lack tokens.
	pairsPerAnswer = 30
	// smallGroup is the number of tokens asked together that were missing in a cut answer.
	smallGroup    = 5
	parallelCalls = 4
)

// Liquidity is what the pool's own contract claims, and a token's deployer can claim anything. Beyond idleLiquidity a pool
// is believed only as far as it is used: believedTurnover times its volume of the last day.
const (
	idleLiquidity    = 100_000
	believedTurnover = 1000
)

// Adapter implements market.PoolPort.
type Adapter struct{ client *upstream.Client }

var _ market.PoolPort = (*Adapter)(nil)

// Defaults is the public service within its limits.
func Defaults() upstream.Config {
	return upstream.Config{Name: "dexscreener", Base: "https://api.dexscreener.com", PerMinute: 270, Burst: 30, Timeout: 4 * time.Second}
}

// New reads through a client whose base is the service's root.
func New(client *upstream.Client) *Adapter { return &Adapter{client: client} }

var chainNames = map[chain.Slug]string{
	chain.Ethereum: "ethereum", chain.Base: "base", chain.BSC: "bsc",
	chain.Arbitrum: "arbitrum", chain.Polygon: "polygon", chain.Optimism: "optimism",
}

// Pools lists each token's pools, deepest first, those of unknown depth last. The native coin has the pools of its wrapped
// form. Liquidity above $100,000 counts only up to a thousand times the last day's volume; a pool whose liquidity the
// provider does not give, or whose numbers cannot be, has NaN or is left out.
func (a *Adapter) Pools(ctx context.Context, on *chain.Chain, tokens []chain.Address) (map[chain.Address][]market.Pool, error) {
	name, supported := chainNames[on.Slug]
	if !supported {
		return nil, fmt.Errorf("%w: dexscreener does not cover %s", market.ErrUnavailable, on.Slug)
	}
	asked := make([]chain.Address, 0, len(tokens))
	for _, token := range tokens {
		asked = append(asked, on.ERC20(token))
	}
	slices.SortFunc(asked, chain.Address.Compare)
	asked = slices.Compact(asked)
	found, err := a.groups(ctx, name, slices.Collect(slices.Chunk(asked, tokensPerCall)))
	if err != nil {
		return nil, err
	}
	answer := make(map[chain.Address][]market.Pool, len(tokens))
	for _, token := range tokens {
		pools := found[on.ERC20(token)]
		if len(pools) == 0 {
			continue
		}
		if token == chain.Native {
			pools = slices.Clone(pools)
			for i := range pools {
				pools[i].Token = chain.Native
			}
		}
		answer[token] = pools
	}
	return answer, nil
}

func (a *Adapter) groups(ctx context.Context, chainName string, groups [][]chain.Address) (map[chain.Address][]market.Pool, error) {
	answers := make([]map[chain.Address][]market.Pool, len(groups))
	calls, ctx := parallel.WithContext(ctx)
	calls.SetLimit(parallelCalls)
	for i, group := range groups {
		calls.Go(func() (err error) {
			answers[i], err = a.group(ctx, chainName, group)
			return err
		})
	}
	if err := calls.Wait(); err != nil {
		return nil, err
	}
	found := make(map[chain.Address][]market.Pool)
	for _, answer := range answers {
		for token, pools := range answer {
			found[token] = pools
		}
	}
	return found, nil
}

// group asks for up to tokensPerCall tokens, and again, in smaller groups, for those that a cut answer left out.
func (a *Adapter) group(ctx context.Context, chainName string, tokens []chain.Address) (map[chain.Address][]market.Pool, error) {
	texts := make([]string, len(tokens))
	for i := range tokens {
		texts[i] = tokens[i].String()
	}
	path := "/tokens/v1/" + chainName + "/" + strings.Join(texts, ",")
	rows, err := upstream.Get(ctx, a.client, path, nil, readPairs)
	if err != nil {
		return nil, err
	}
	pools, dropped := poolsOf(rows.Good, chainName, tokens, a.client.Now())
	a.client.Drop(path, rows.Dropped+dropped)
	if len(rows.Good)+rows.Dropped < pairsPerAnswer || len(tokens) == 1 {
		return pools, nil
	}
	var missing []chain.Address
	for _, token := range tokens {
		if len(pools[token]) == 0 {
			missing = append(missing, token)
		}
	}
	size := smallGroup
	if len(tokens) <= smallGroup {
		size = 1
	}
	more, err := a.groups(ctx, chainName, slices.Collect(slices.Chunk(missing, size)))
	if err != nil {
		return nil, err
	}
	for token := range more {
		pools[token] = more[token]
	}
	return pools, nil
}

// readPairs refuses an answer of which no row can be understood: it says nothing, which is not the same as no pools.
func readPairs(response *upstream.Response) (upstream.Rows[pair], error) {
	rows, err := upstream.JSON[upstream.Rows[pair]](response)
	if count := len(rows.Good) + rows.Dropped; err == nil && count > 0 && !slices.ContainsFunc(rows.Good, pair.legible) {
		err = fmt.Errorf("%w: none of %d pairs names its chain and token", upstream.ErrUnreadable, count)
	}
	return rows, err
}

func (p pair) legible() bool {
	_, err := chain.ParseWireAddress(string(p.BaseToken.Address))
	return p.ChainID != "" && err == nil
}

type pair struct {
	ChainID     upstream.Text `json:"chainId"`
	DexID       upstream.Text `json:"dexId"`
	PairAddress upstream.Text `json:"pairAddress"`
	BaseToken   side          `json:"baseToken"`
	QuoteToken  side          `json:"quoteToken"`
	// PriceUSD, volume and liquidity are missing where the provider does not know them.
	PriceUSD upstream.Number `json:"priceUsd"`
	Trades   struct {
		Day  trades `json:"h24"`
		Hour trades `json:"h1"`
	} `json:"txns"`
	Volume struct {
		Day  upstream.Number `json:"h24"`
		Hour upstream.Number `json:"h1"`
	} `json:"volume"`
	Liquidity struct {
		USD upstream.Number `json:"usd"`
	} `json:"liquidity"`
	FullyDiluted upstream.Number              `json:"fdv"`
	MarketCap    upstream.Number              `json:"marketCap"`
	Labels       upstream.Rows[upstream.Text] `json:"labels"`
	CreatedAt    upstream.Number              `json:"pairCreatedAt"`
}

type trades struct {
	Buys  upstream.Number `json:"buys"`
	Sells upstream.Number `json:"sells"`
}

type side struct {
	Address upstream.Text `json:"address"`
	Symbol  upstream.Text `json:"symbol"`
}

// poolsOf sorts rows into pools of the wanted tokens and counts the rows that cannot be true.
func poolsOf(rows []pair, chainName string, wanted []chain.Address, now time.Time) (map[chain.Address][]market.Pool, int) {
	pools := make(map[chain.Address][]market.Pool, len(wanted))
	dropped := 0
	for i := range rows {
		row := &rows[i]
		base, err := chain.ParseWireAddress(string(row.BaseToken.Address))
		if string(row.ChainID) != chainName || err != nil || !slices.Contains(wanted, base) {
			continue
		}
		pool, ok := row.pool(base, now)
		if !ok {
			dropped++
			continue
		}
		if !slices.ContainsFunc(pools[base], func(known market.Pool) bool { return known.ID == pool.ID }) {
			pools[base] = append(pools[base], pool)
		}
	}
	for token := range pools {
		upstream.SortPools(pools[token])
	}
	return pools, dropped
}

func (p *pair) pool(base chain.Address, now time.Time) (market.Pool, bool) {
	id, validID := upstream.PoolID(string(p.PairAddress))
	quote, err := chain.ParseWireAddress(string(p.QuoteToken.Address))
	price, validPrice := p.PriceUSD.OrMissing(upstream.Number.Price)
	liquidity, validLiquidity := p.Liquidity.USD.OrMissing(upstream.Number.USD)
	day, validDay := flow(p.Volume.Day, p.Trades.Day)
	hour, validHour := flow(p.Volume.Hour, p.Trades.Hour)
	if !validID || err != nil || !validPrice || !validLiquidity || !validDay || !validHour {
		return market.Pool{}, false
	}
	labels := make([]string, len(p.Labels.Good))
	for i, label := range p.Labels.Good {
		labels[i] = string(label)
	}
	created, _ := p.CreatedAt.Milliseconds(now)
	pool := market.Pool{
		ID: id, Token: base, Quote: quote, QuoteSymbol: string(p.QuoteToken.Symbol), Exchange: string(p.DexID),
		PriceUSD: price, LiquidityUSD: liquidity, VolumeUSD24h: day.VolumeUSD, Trades24h: day.Buys + day.Sells,
		Buys24h: day.Buys, Sells24h: day.Sells, LastHour: hour,
		MarketCapUSD: upstream.Capitalization(p.MarketCap), FullyDilutedUSD: upstream.Capitalization(p.FullyDiluted),
		Version: upstream.PoolVersion(id, string(p.DexID), labels...), CreatedAt: created,
	}
	pool.LiquidityUSD = believed(pool)
	return pool, true
}

// flow is what was traded within a window; what is missing did not happen. It is false for what cannot be.
func flow(volume upstream.Number, of trades) (market.PoolFlow, bool) {
	usd, validVolume := volume.OrMissing(upstream.Number.USD)
	buys, validBuys := of.Buys.OrMissing(upstream.Number.USD)
	sells, validSells := of.Sells.OrMissing(upstream.Number.USD)
	return market.PoolFlow{VolumeUSD: zeroIfUnknown(usd), Buys: count(buys), Sells: count(sells)}, validVolume && validBuys && validSells
}

// count keeps the sum of two counts within what Count gives elsewhere.
func count(trades float64) int { return int(min(zeroIfUnknown(trades), math.MaxInt32/2)) }

func zeroIfUnknown(value float64) float64 {
	if math.IsNaN(value) {
		return 0
	}
	return value
}

func believed(pool market.Pool) float64 {
	volume := pool.VolumeUSD24h
	if pool.Trades24h == 0 {
		volume = 0
	}
	return math.Min(pool.LiquidityUSD, math.Max(idleLiquidity, believedTurnover*volume))
}
