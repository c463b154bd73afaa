package mirroring

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/margin"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

// quotes reads what assets cost now, each once a session however many agents trade it.
type quotes struct {
	session *market.Session
	at      time.Time
}

type (
	quoteKey struct {
		venue    agent.Venue
		on       chain.Slug
		key      string
		security bool
	}
	exchangeKey string
)

// unquoted is a quote of which nothing is known.
func unquoted() Quote {
	nan := math.NaN()
	return Quote{
		Price: nan, Payout: nan, Spread: nan, DepthUSD: nan, FeeRate: nan, BuyTax: nan, SellTax: nan, FundingHourly: nan,
		MaximumLeverage: nan, MaintenanceRate: nan, TickSize: nan,
	}
}

// of is an asset's quote. Whether it is dangerous to buy is looked into for openings alone. The error wraps market.ErrUnavailable when
// nobody could be asked.
func (q *quotes) of(ctx context.Context, venue agent.Venue, asset *Asset, leg Leg) (*Quote, error) {
	key := quoteKey{venue, asset.Chain, asset.Key, venue == agent.Spot && leg == Open}
	return market.Once(ctx, q.session, key, func(ctx context.Context) (*Quote, error) {
		switch venue {
		case agent.Perps:
			return q.perp(ctx, asset)
		case agent.Prediction:
			return q.outcome(ctx, asset)
		}
		return q.token(ctx, asset, leg)
	})
}

func (q *quotes) perp(ctx context.Context, asset *Asset) (*Quote, error) {
	exchange, _, of := strings.Cut(asset.Key, ":")
	if !of {
		exchange = ""
	}
	markets, err := market.Once(ctx, q.session, exchangeKey(exchange), func(ctx context.Context) ([]market.PerpMarket, error) {
		return q.session.Sources.PerpMarkets.PerpMarkets(ctx, exchange)
	})
	if err != nil {
		return nil, err
	}
	quote := unquoted()
	quote.Closed = true // until it is found
	for i := range markets {
		if m := &markets[i]; m.Coin == asset.Key {
			quote.Closed, quote.Price, quote.DepthUSD, quote.FundingHourly = m.Delisted, m.MarkPrice, m.VolumeUSD24h, m.FundingHourly
			if m.Delisted {
				quote.Payout = m.MarkPrice
			}
			if schedule, err := margin.NewSchedule(m.Tiers); err == nil {
				quote.MaximumLeverage, quote.MaintenanceRate = m.Tiers[0].MaximumLeverage, schedule.Rate(0)
			}
		}
	}
	return &quote, nil
}

func (q *quotes) outcome(ctx context.Context, asset *Asset) (*Quote, error) {
	var condition market.Hash
	raw, err := hex.DecodeString(strings.TrimPrefix(asset.Market, "0x"))
	if err != nil || copy(condition[:], raw) != len(condition) {
		return nil, fmt.Errorf("a market called %q", asset.Market)
	}
	markets, err := q.session.Sources.PredictionMarkets.PredictionMarkets(ctx, []market.Hash{condition})
	if err != nil {
		return nil, err
	}
	quote := unquoted()
	m, found := markets[condition]
	if !found {
		return &quote, nil
	}
	quote.FeeRate, quote.TickSize, quote.DepthUSD = m.FeeRate, m.TickSize, m.LiquidityUSD
	for i := range m.Outcomes {
		if o := &m.Outcomes[i]; o.Asset == asset.Key {
			quote.Price, quote.Closed, quote.Payout = o.Price, m.Decided, o.Payout
			if known(quote.Price) && m.Spread >= 0 && m.Spread < 1 {
				quote.Spread = m.Spread / quote.Price
			}
		}
	}
	return &quote, nil
}

// token quotes the deepest pool. Of a token without any pool the DepthUSD is 0.
func (q *quotes) token(ctx context.Context, asset *Asset, leg Leg) (*Quote, error) {
	on, knownChain := chain.Parse(string(asset.Chain))
	address, err := chain.ParseAddress(asset.Key)
	if err != nil || !knownChain {
		return nil, fmt.Errorf("a token called %q on %q", asset.Key, asset.Chain)
	}
	subject := tokenfacts.Subject{Chain: on, Token: address, AsOf: q.at}
	pools, err := tokenfacts.Pools(ctx, q.session, subject)
	if err != nil {
		return nil, err
	}
	quote := unquoted()
	switch deepest, found := tokenfacts.Deepest(pools); {
	case found:
		quote.Price, quote.DepthUSD = deepest.PriceUSD, deepest.LiquidityUSD/2
	case len(pools) == 0:
		quote.Price, quote.DepthUSD = math.NaN(), 0
	default:
		for i := range pools {
			if known(pools[i].PriceUSD) {
				quote.Price = pools[i].PriceUSD
				break
			}
		}
	}
	security, err := tokenfacts.SecurityOf(ctx, q.session, subject)
	if err != nil {
		if leg == Close { // taxes that nobody tells keep nobody from selling
			return &quote, nil
		}
		return nil, err
	}
	quote.BuyTax, quote.SellTax = security.BuyTax, security.SellTax
	if leg == Open {
		err = q.examine(ctx, subject, &quote)
	}
	return &quote, err
}

// examine tells whether a token must not be bought: where the page of its risk says high or critical, or that it is no token. What is
// unknown keeps nobody from buying.
func (q *quotes) examine(ctx context.Context, subject tokenfacts.Subject, quote *Quote) error {
	for _, port := range tokenrisk.Needs {
		if !q.session.Sources.Has(port) {
			return nil
		}
	}
	assessment, err := tokenrisk.Of(ctx, q.session, subject)
	switch {
	case errors.Is(err, tokenfacts.ErrNotAToken):
		quote.Danger = "What the leader bought is no token that can be traded."
		return nil
	case err != nil:
		return err
	case assessment.Verdict == tokenrisk.High || assessment.Verdict == tokenrisk.Critical:
		quote.Danger = "The token's risk is " + assessment.Verdict + "."
		if len(assessment.Reasons) > 0 {
			quote.Danger = "The token's risk is " + assessment.Verdict + ": " + assessment.Reasons[0].Text
		}
	}
	return nil
}
