package copytrade

import (
	"context"
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

func (b *bazaar) Activity(_ context.Context, _ *chain.Chain, wallet chain.Address) (*market.Activity, error) {
	if err := b.ask("activity", wallet.String()); err != nil {
		return nil, err
	}
	if a := b.activities[wallet]; a != nil {
		return a, nil
	}
	return &market.Activity{}, nil
}

func (b *bazaar) Holdings(_ context.Context, _ *chain.Chain, wallet chain.Address) ([]market.Holding, error) {
	return b.holdings[wallet], b.ask("holdings", wallet.String())
}

func (b *bazaar) Prices(_ context.Context, _ *chain.Chain, requests []market.PriceRequest) ([]market.PriceSeries, error) {
	series := make([]market.PriceSeries, len(requests))
	for i, r := range requests {
		series[i].Asset = r.Asset
		for _, at := range r.Times {
			usd := b.price(r.Asset, at)
			if r.Asset == chain.Native || r.Asset == b.on.WrappedNative.Address {
				usd = 2000
			}
			series[i].Points = append(series[i].Points, market.PricePoint{Time: at, USD: usd})
		}
	}
	return series, b.ask("prices")
}

func (b *bazaar) Pools(_ context.Context, on *chain.Chain, tokens []chain.Address) (map[chain.Address][]market.Pool, error) {
	pools := make(map[chain.Address][]market.Pool)
	for _, token := range tokens {
		liquidity := 2e6
		if of, found := b.liquidity[token]; found {
			liquidity = of
		}
		pools[token] = []market.Pool{{
			ID: "pool " + token.String(), Token: token, Quote: on.WrappedNative.Address, PriceUSD: b.price(token, now), LiquidityUSD: liquidity,
			VolumeUSD24h: 1e5, Trades24h: 200, Buys24h: 100, Sells24h: 95, MarketCapUSD: math.NaN(), FullyDilutedUSD: math.NaN(), CreatedAt: now.AddDate(-1, 0, 0),
		}}
	}
	return pools, b.ask("pools")
}

func (b *bazaar) Candles(_ context.Context, _ *chain.Chain, r market.CandleRequest) (*market.Candles, error) {
	found := &market.Candles{}
	for at := r.From; at.Before(r.To); at = at.Add(time.Hour) {
		p := b.price(r.Token, at.Add(time.Hour))
		found.Hours = append(found.Hours, market.Candle{Time: at, Open: p, High: p, Low: p, Close: p, VolumeUSD: 1000})
	}
	return found, b.ask("candles")
}

func (b *bazaar) TokenSecurity(_ context.Context, _ *chain.Chain, tokens []chain.Address) (map[chain.Address]market.TokenSecurity, error) {
	found := make(map[chain.Address]market.TokenSecurity, len(tokens))
	for _, token := range tokens {
		found[token] = market.TokenSecurity{
			Token: token, Honeypot: market.No, OpenSource: market.Yes, HiddenOwner: market.No, CreatorShare: 0.0005, Creator: b.creators[token],
			SellTax: math.NaN(), BuyTax: math.NaN(), Holders: b.holders[token],
			LiquidityProviders: []market.Holder{{Account: market.Account{Address: chain.Burn, Kind: market.BurnAccount}, Share: 0.99, Locked: true}},
		}
	}
	return found, b.ask("token-security")
}

func (b *bazaar) Contract(_ context.Context, _ *chain.Chain, token chain.Address) (*market.Contract, error) {
	return &market.Contract{
		Code: []byte{0}, AnswersSupply: market.Yes, AnswersDecimals: market.Yes, AnswersBalance: market.Yes, Decimals: 18, Owned: market.No,
	}, b.ask("contract", token.String())
}

func (b *bazaar) Simulate(_ context.Context, _ *chain.Chain, request market.SimulationRequest) (*market.Simulation, error) {
	pass := market.Trial{Done: market.Yes}
	simulation := &market.Simulation{Source: "node", Buy: pass, SellAll: pass, SellHalves: pass, SellElsewhere: pass, SellLater: pass, SellLarge: pass}
	if b.traps[request.Token] {
		simulation.SellAll = market.Trial{Done: market.No, Tax: math.NaN()}
	}
	return simulation, b.ask("simulation")
}

func (b *bazaar) Holders(_ context.Context, _ *chain.Chain, _ chain.Address) (*market.TokenHolders, error) {
	return &market.TokenHolders{Known: true, Count: 900, Top: []market.Holder{{Account: market.Account{Address: chain.Address{0x30}}, Share: 0.03}}}, b.ask("holders")
}

func (b *bazaar) sources() market.Sources {
	return market.Sources{
		Activity: b, Holdings: b, Prices: b, Pools: b, Candles: b, TokenSecurity: b, Contracts: b, Simulation: b, Holders: b,
	}
}
