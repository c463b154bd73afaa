package market

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// Rough sizes in bytes, for the weight of what is cached.
const (
	perpFillBytes           = 150
	perpPositionBytes       = 140
	perpPaymentBytes        = 80
	perpTransferBytes       = 48
	perpMarketBytes         = 200
	predictionTradeBytes    = 330 // the outcome's token alone is a number of 77 digits
	predictionMoveBytes     = 160
	predictionPositionBytes = 420
	predictionMarketBytes   = 600
	pricePointBytes         = 32
)

// cachedVenues puts a cache before the ports of the perpetuals and prediction venues.
func cachedVenues(s Sources, f Freshness, clock func() time.Time, share func(uint64) uint64) Sources {
	if s.PerpFills != nil {
		s.PerpFills = &cachedPerpFills{s.PerpFills, f, newShelf[chain.Address, *PerpFills](share(5), clock, f.Deadline)}
	}
	if s.PerpAccounts != nil {
		s.PerpAccounts = &cachedPerpAccounts{s.PerpAccounts, f, newShelf[builderKey, *PerpAccount](share(1), clock, f.Deadline)}
	}
	if s.PerpFunding != nil {
		s.PerpFunding = &cachedPerpFunding{s.PerpFunding, f, newShelf[fundingKey, *PerpFunding](share(1), clock, f.Deadline)}
	}
	if s.PerpLedgers != nil {
		s.PerpLedgers = &cachedPerpLedgers{s.PerpLedgers, f, newShelf[chain.Address, *PerpLedger](share(1), clock, f.Deadline)}
	}
	if s.PerpMarkets != nil {
		s.PerpMarkets = &cachedPerpMarkets{s.PerpMarkets, f, newShelf[string, []PerpMarket](share(1), clock, f.Deadline)}
	}
	if s.PerpCandles != nil {
		s.PerpCandles = &cachedPerpCandles{s.PerpCandles, f, newShelf[perpCandleKey, []Candle](share(1), clock, f.Deadline)}
	}
	if s.PredictionActivity != nil {
		s.PredictionActivity = &cachedPredictionActivity{s.PredictionActivity, f, newShelf[chain.Address, *PredictionActivity](share(4), clock, f.Deadline)}
	}
	if s.PredictionPositions != nil {
		s.PredictionPositions = &cachedPredictionPositions{s.PredictionPositions, f, newShelf[chain.Address, *PredictionPositions](share(2), clock, f.Deadline)}
	}
	if s.PredictionMarkets != nil {
		s.PredictionMarkets = &cachedPredictionMarkets{s.PredictionMarkets, f, newShelf[Hash, finding[PredictionMarket]](share(2), clock, f.Deadline)}
	}
	if s.PredictionPrices != nil {
		s.PredictionPrices = &cachedPredictionPrices{s.PredictionPrices, f, clock, newShelf[predictionPriceKey, []PricePoint](share(1), clock, f.Deadline)}
	}
	return s
}

type cachedPerpFills struct {
	next  PerpFillPort
	fresh Freshness
	shelf *shelf[chain.Address, *PerpFills]
}

func (c *cachedPerpFills) PerpFills(ctx context.Context, account chain.Address) (*PerpFills, error) {
	return c.shelf.get(ctx, account, func(ctx context.Context) (kept[*PerpFills], error) {
		fills, err := c.next.PerpFills(ctx, account)
		if err != nil {
			return kept[*PerpFills]{}, err
		}
		return kept[*PerpFills]{fills, c.fresh.lasting(c.fresh.PerpFills, len(fills.Fills) > 0), len(fills.Fills) * perpFillBytes}, nil
	})
}

// builderKey names an account and the builders' exchanges it is read on, in order and joined.
type builderKey struct {
	account  chain.Address
	builders string
}

type cachedPerpAccounts struct {
	next  PerpAccountPort
	fresh Freshness
	shelf *shelf[builderKey, *PerpAccount]
}

func (c *cachedPerpAccounts) PerpAccount(ctx context.Context, account chain.Address, builders []string) (*PerpAccount, error) {
	builders = slices.Sorted(slices.Values(builders))
	return c.shelf.get(ctx, builderKey{account, strings.Join(builders, " ")}, func(ctx context.Context) (kept[*PerpAccount], error) {
		found, err := c.next.PerpAccount(ctx, account, builders)
		if err != nil {
			return kept[*PerpAccount]{}, err
		}
		bytes := 0
		for i := range found.Clearinghouses {
			bytes += perpPositionBytes * (1 + len(found.Clearinghouses[i].Positions))
		}
		return kept[*PerpAccount]{found, c.fresh.PerpAccount, bytes}, nil
	})
}

// fundingKey cuts the instant to the hour, in which funding is paid: pages read minutes apart share what was read.
type fundingKey struct {
	account chain.Address
	since   int64
}

type cachedPerpFunding struct {
	next  PerpFundingPort
	fresh Freshness
	shelf *shelf[fundingKey, *PerpFunding]
}

func (c *cachedPerpFunding) PerpFunding(ctx context.Context, account chain.Address, since time.Time) (*PerpFunding, error) {
	since = since.Truncate(time.Hour)
	return c.shelf.get(ctx, fundingKey{account, since.Unix()}, func(ctx context.Context) (kept[*PerpFunding], error) {
		funding, err := c.next.PerpFunding(ctx, account, since)
		if err != nil {
			return kept[*PerpFunding]{}, err
		}
		return kept[*PerpFunding]{funding, c.fresh.lasting(c.fresh.PerpHistory, len(funding.Payments) > 0), len(funding.Payments) * perpPaymentBytes}, nil
	})
}

type cachedPerpLedgers struct {
	next  PerpLedgerPort
	fresh Freshness
	shelf *shelf[chain.Address, *PerpLedger]
}

func (c *cachedPerpLedgers) PerpLedger(ctx context.Context, account chain.Address) (*PerpLedger, error) {
	return c.shelf.get(ctx, account, func(ctx context.Context) (kept[*PerpLedger], error) {
		ledger, err := c.next.PerpLedger(ctx, account)
		if err != nil {
			return kept[*PerpLedger]{}, err
		}
		return kept[*PerpLedger]{ledger, c.fresh.lasting(c.fresh.PerpHistory, len(ledger.Transfers) > 0), len(ledger.Transfers) * perpTransferBytes}, nil
	})
}

type cachedPerpMarkets struct {
	next  PerpMarketPort
	fresh Freshness
	shelf *shelf[string, []PerpMarket]
}

func (c *cachedPerpMarkets) PerpMarkets(ctx context.Context, exchange string) ([]PerpMarket, error) {
	return c.shelf.get(ctx, exchange, func(ctx context.Context) (kept[[]PerpMarket], error) {
		markets, err := c.next.PerpMarkets(ctx, exchange)
		return kept[[]PerpMarket]{markets, c.fresh.lasting(c.fresh.PerpMarkets, len(markets) > 0), len(markets) * perpMarketBytes}, err
	})
}

type perpCandleKey struct {
	coin     string
	from, to int64
}

type cachedPerpCandles struct {
	next  PerpCandlePort
	fresh Freshness
	shelf *shelf[perpCandleKey, []Candle]
}

func (c *cachedPerpCandles) PerpCandles(ctx context.Context, request PerpCandleRequest) ([]Candle, error) {
	key := perpCandleKey{request.Coin, request.From.Unix(), request.To.Unix()}
	return c.shelf.get(ctx, key, func(ctx context.Context) (kept[[]Candle], error) {
		candles, err := c.next.PerpCandles(ctx, request)
		return kept[[]Candle]{candles, c.fresh.lasting(c.fresh.PerpHistory, len(candles) > 0), len(candles) * candleBytes}, err
	})
}

type cachedPredictionActivity struct {
	next  PredictionActivityPort
	fresh Freshness
	shelf *shelf[chain.Address, *PredictionActivity]
}

func (c *cachedPredictionActivity) PredictionActivity(ctx context.Context, wallet chain.Address) (*PredictionActivity, error) {
	return c.shelf.get(ctx, wallet, func(ctx context.Context) (kept[*PredictionActivity], error) {
		activity, err := c.next.PredictionActivity(ctx, wallet)
		if err != nil {
			return kept[*PredictionActivity]{}, err
		}
		bytes := len(activity.Trades)*predictionTradeBytes + len(activity.Moves)*predictionMoveBytes
		return kept[*PredictionActivity]{activity, c.fresh.lasting(c.fresh.Predictions, bytes > 0), bytes}, nil
	})
}

type cachedPredictionPositions struct {
	next  PredictionPositionPort
	fresh Freshness
	shelf *shelf[chain.Address, *PredictionPositions]
}

func (c *cachedPredictionPositions) PredictionPositions(ctx context.Context, wallet chain.Address) (*PredictionPositions, error) {
	return c.shelf.get(ctx, wallet, func(ctx context.Context) (kept[*PredictionPositions], error) {
		positions, err := c.next.PredictionPositions(ctx, wallet)
		if err != nil {
			return kept[*PredictionPositions]{}, err
		}
		rows := len(positions.Open) + len(positions.Closed)
		return kept[*PredictionPositions]{positions, c.fresh.lasting(c.fresh.Predictions, rows > 0), rows * predictionPositionBytes}, nil
	})
}

type cachedPredictionMarkets struct {
	next  PredictionMarketPort
	fresh Freshness
	shelf *shelf[Hash, finding[PredictionMarket]]
}

func (c *cachedPredictionMarkets) PredictionMarkets(ctx context.Context, markets []Hash) (map[Hash]PredictionMarket, error) {
	if len(markets) == 0 {
		return nil, nil
	}
	found, err := c.shelf.getAll(ctx, markets, func(ctx context.Context, missing []Hash) (map[Hash]kept[finding[PredictionMarket]], error) {
		missing = slices.Clone(missing)
		slices.SortFunc(missing, func(a, b Hash) int { return slices.Compare(a[:], b[:]) })
		known, err := c.next.PredictionMarkets(ctx, missing)
		if err != nil {
			return nil, err
		}
		loaded := make(map[Hash]kept[finding[PredictionMarket]], len(missing))
		for _, id := range missing {
			m, there := known[id]
			lasts := c.fresh.lasting(c.fresh.PredictionMarkets, there)
			if m.Decided {
				lasts = c.fresh.Decided
			}
			loaded[id] = kept[finding[PredictionMarket]]{finding[PredictionMarket]{m, there}, lasts, predictionMarketBytes}
		}
		return loaded, nil
	})
	if err != nil {
		return nil, err
	}
	answer := make(map[Hash]PredictionMarket, len(found))
	for id, of := range found {
		if of.known {
			answer[id] = of.value
		}
	}
	return answer, nil
}

type predictionPriceKey struct {
	asset    string
	from, to int64
}

type cachedPredictionPrices struct {
	next  PredictionPricePort
	fresh Freshness
	clock func() time.Time
	shelf *shelf[predictionPriceKey, []PricePoint]
}

func (c *cachedPredictionPrices) PredictionPrices(ctx context.Context, request PredictionPriceRequest) ([]PricePoint, error) {
	key := predictionPriceKey{request.Asset, request.From.Unix(), request.To.Unix()}
	return c.shelf.get(ctx, key, func(ctx context.Context) (kept[[]PricePoint], error) {
		points, err := c.next.PredictionPrices(ctx, request)
		lasts := c.fresh.Predictions
		if len(points) > 0 && c.clock().Sub(request.To) > time.Hour {
			lasts = c.fresh.Decided
		}
		return kept[[]PricePoint]{points, c.fresh.lasting(lasts, len(points) > 0), len(points) * pricePointBytes}, err
	})
}
