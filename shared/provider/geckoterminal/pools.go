package geckoterminal

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// parallelCalls is small: the service allows few calls.
const parallelCalls = 3

// Pools lists the twenty pools of each token that the service ranks first by volume and liquidity, deepest first; only those
// in which the token is the base. It costs one call a token. The native coin has the pools of its wrapped form.
func (a *Adapter) Pools(ctx context.Context, on *chain.Chain, tokens []chain.Address) (map[chain.Address][]market.Pool, error) {
	name, err := network(on)
	if err != nil {
		return nil, err
	}
	asked := slices.Clone(tokens)
	slices.SortFunc(asked, chain.Address.Compare)
	asked = slices.Compact(asked)
	answers := make([][]market.Pool, len(asked))
	calls, ctx := parallel.WithContext(ctx)
	calls.SetLimit(parallelCalls)
	for i, token := range asked {
		calls.Go(func() (err error) {
			answers[i], err = a.poolsOf(ctx, name, on.ERC20(token))
			return err
		})
	}
	if err := calls.Wait(); err != nil {
		return nil, err
	}
	found := make(map[chain.Address][]market.Pool, len(asked))
	for i, token := range asked {
		for j := range answers[i] {
			answers[i][j].Token = token
		}
		if len(answers[i]) > 0 {
			found[token] = answers[i]
		}
	}
	return found, nil
}

type poolAnswer struct {
	Data upstream.Rows[poolRow] `json:"data"`
}

type poolRow struct {
	Attributes struct {
		Address   upstream.Text   `json:"address"`
		Name      upstream.Text   `json:"name"`
		BasePrice upstream.Number `json:"base_token_price_usd"`
		Reserve   upstream.Number `json:"reserve_in_usd"`
		CreatedAt upstream.Text   `json:"pool_created_at"`
		Volume    struct {
			Day  upstream.Number `json:"h24"`
			Hour upstream.Number `json:"h1"`
		} `json:"volume_usd"`
		Trades struct {
			Day  counts `json:"h24"`
			Hour counts `json:"h1"`
		} `json:"transactions"`
		FullyDiluted upstream.Number `json:"fdv_usd"`
		MarketCap    upstream.Number `json:"market_cap_usd"`
	} `json:"attributes"`
	Relationships struct {
		Base     reference `json:"base_token"`
		Quote    reference `json:"quote_token"`
		Exchange reference `json:"dex"`
	} `json:"relationships"`
}

type counts struct {
	Buys  upstream.Number `json:"buys"`
	Sells upstream.Number `json:"sells"`
}

// flow is what was traded within a window; what is missing or cannot be counts as nothing.
func (c counts) flow(volume upstream.Number) market.PoolFlow {
	usd, ok := volume.USD()
	if !ok {
		usd = 0
	}
	buys, _ := c.Buys.Count()
	sells, _ := c.Sells.Count()
	return market.PoolFlow{VolumeUSD: usd, Buys: buys, Sells: sells}
}

type reference struct {
	Data struct {
		ID upstream.Text `json:"id"`
	} `json:"data"`
}

// address is the part of an id like polygon_pos_0x… after the network's name.
func (r reference) address() (chain.Address, bool) {
	id := string(r.Data.ID)
	address, err := chain.ParseWireAddress(id[strings.LastIndexByte(id, '_')+1:])
	return address, err == nil
}

func (a *Adapter) poolsOf(ctx context.Context, network string, token chain.Address) ([]market.Pool, error) {
	path := "/networks/" + network + "/tokens/" + token.String() + "/pools"
	query := url.Values{"page": {"1"}, "sort": {"h24_volume_usd_liquidity_desc"}}
	return upstream.Get(ctx, a.client, path, query, func(response *upstream.Response) ([]market.Pool, error) {
		if response.Status == http.StatusNotFound {
			return nil, nil
		}
		answer, err := upstream.JSON[poolAnswer](response)
		if err != nil {
			return nil, err
		}
		pools, dropped := readPools(answer, token, a.client.Now())
		a.client.Drop(path, dropped)
		return pools, nil
	})
}

func readPools(answer poolAnswer, token chain.Address, now time.Time) ([]market.Pool, int) {
	var pools []market.Pool
	dropped := answer.Data.Dropped
	for i := range answer.Data.Good {
		row := &answer.Data.Good[i]
		base, validBase := row.Relationships.Base.address()
		if validBase && base != token {
			continue
		}
		pool, ok := row.pool(now)
		if !ok || !validBase {
			dropped++
			continue
		}
		pool.Token = token
		if !slices.ContainsFunc(pools, func(known market.Pool) bool { return known.ID == pool.ID }) {
			pools = append(pools, pool)
		}
	}
	upstream.SortPools(pools)
	return pools, dropped
}

func (p *poolRow) pool(now time.Time) (market.Pool, bool) {
	id, validID := upstream.PoolID(string(p.Attributes.Address))
	quote, validQuote := p.Relationships.Quote.address()
	price, validPrice := p.Attributes.BasePrice.OrMissing(upstream.Number.Price)
	liquidity, validLiquidity := p.Attributes.Reserve.OrMissing(upstream.Number.USD)
	if !validID || !validQuote || !validPrice || !validLiquidity {
		return market.Pool{}, false
	}
	day := p.Attributes.Trades.Day.flow(p.Attributes.Volume.Day)
	exchange := string(p.Relationships.Exchange.Data.ID)
	created, _ := upstream.Timestamp(string(p.Attributes.CreatedAt), now)
	return market.Pool{
		ID: id, Quote: quote, QuoteSymbol: quoteSymbol(string(p.Attributes.Name)), Exchange: exchange,
		PriceUSD: price, LiquidityUSD: liquidity, VolumeUSD24h: day.VolumeUSD, Trades24h: day.Buys + day.Sells,
		Buys24h: day.Buys, Sells24h: day.Sells, LastHour: p.Attributes.Trades.Hour.flow(p.Attributes.Volume.Hour),
		MarketCapUSD: upstream.Capitalization(p.Attributes.MarketCap), FullyDilutedUSD: upstream.Capitalization(p.Attributes.FullyDiluted),
		Version: upstream.PoolVersion(id, exchange), CreatedAt: created,
	}, true
}

// quoteSymbol is the second part of a name like "WETH / USDC 0.05%".
func quoteSymbol(name string) string {
	_, rest, found := strings.Cut(name, " / ")
	if !found {
		return ""
	}
	symbol, _, _ := strings.Cut(rest, " ")
	return symbol
}
