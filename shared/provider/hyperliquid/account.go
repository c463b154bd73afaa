package hyperliquid

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// summary is the margin of some positions of an account.
type summary struct {
	Value upstream.Number `json:"accountValue"`
}

// state is an account on one exchange. Answers of 2023 do not tell the maintenance margin, nor positions' highest leverage and funding.
type state struct {
	All         *summary                      `json:"marginSummary"`
	Cross       *summary                      `json:"crossMarginSummary"`
	Maintenance upstream.Number               `json:"crossMaintenanceMarginUsed"`
	Positions   *upstream.Rows[assetPosition] `json:"assetPositions"`
}

type assetPosition struct {
	Position struct {
		Coin     upstream.Text   `json:"coin"`
		Size     upstream.Number `json:"szi"`
		Leverage struct {
			Kind  upstream.Text   `json:"type"`
			Value upstream.Number `json:"value"`
		} `json:"leverage"`
		EntryPrice       upstream.Number `json:"entryPx"`
		Value            upstream.Number `json:"positionValue"`
		Unrealized       upstream.Number `json:"unrealizedPnl"`
		ReturnOnEquity   upstream.Number `json:"returnOnEquity"`
		LiquidationPrice upstream.Number `json:"liquidationPx"`
		MarginUsed       upstream.Number `json:"marginUsed"`
		MaximumLeverage  upstream.Number `json:"maxLeverage"`
		Funding          struct {
			SinceOpen upstream.Number `json:"sinceOpen"`
		} `json:"cumFunding"`
	} `json:"position"`
}

// balances are what an account holds beside its margin.
type balances struct {
	Rows *upstream.Rows[balance] `json:"balances"`
}

type balance struct {
	Token upstream.Number `json:"token"`
	Total upstream.Number `json:"total"`
}

// PerpAccount reads the account on the main exchange and on those of the builders, which come in their order, each once, side by side.
// An account that the venue does not know has nothing. Only the spot balances may fail.
func (a *Adapter) PerpAccount(ctx context.Context, account chain.Address, builders []string) (*market.PerpAccount, error) {
	exchanges := []string{""}
	for _, name := range builders {
		if !slices.Contains(exchanges, name) {
			exchanges = append(exchanges, name)
		}
	}
	read := &market.PerpAccount{Clearinghouses: make([]market.PerpClearinghouse, len(exchanges)), SpotDollars: math.NaN()}
	group, ctx := parallel.WithContext(ctx)
	for i, exchange := range exchanges {
		group.Go(func() (err error) {
			read.Clearinghouses[i], err = a.clearinghouse(ctx, account, exchange)
			return err
		})
	}
	group.Go(func() error {
		q := question{Type: "spotClearinghouseState", User: account.String()}
		if dollars, err := info(ctx, a, q, upstream.Weight{Asking: stateWeight}, a.readBalances); err == nil {
			read.SpotDollars = dollars
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return read, nil
}

func (a *Adapter) clearinghouse(ctx context.Context, account chain.Address, exchange string) (market.PerpClearinghouse, error) {
	q := question{Type: "clearinghouseState", User: account.String(), Dex: exchange}
	return info(ctx, a, q, upstream.Weight{Asking: stateWeight}, func(r *upstream.Response) (market.PerpClearinghouse, error) {
		read, dropped, err := readState(r)
		a.client.Drop(path, dropped)
		read.Exchange = exchange
		return read, err
	})
}

func readState(r *upstream.Response) (market.PerpClearinghouse, int, error) {
	found, err := upstream.JSON[state](r)
	if err != nil {
		return market.PerpClearinghouse{}, 0, err
	}
	if found.Cross == nil || found.Positions == nil {
		return market.PerpClearinghouse{}, 0, fmt.Errorf("%w: no account", upstream.ErrUnreadable)
	}
	read := market.PerpClearinghouse{CrossMaintenanceUSD: math.NaN()}
	dropped, isolated := found.Positions.Dropped, found.Positions.Dropped > 0
	for _, row := range found.Positions.Good {
		position, ok := row.check()
		switch {
		case !ok:
			dropped, isolated = dropped+1, true
		case position.Size != 0:
			read.Positions = append(read.Positions, position)
			isolated = isolated || position.Isolated
		}
	}
	if found.All == nil && !isolated {
		// Without isolated positions the shared margin is all there is.
		found.All = found.Cross
	}
	if found.All == nil {
		return market.PerpClearinghouse{}, dropped, fmt.Errorf("%w: no account value", upstream.ErrUnreadable)
	}
	value, known := signedUSD(found.All.Value)
	cross, shared := signedUSD(found.Cross.Value)
	maintenance, needed := found.Maintenance.OrMissing(upstream.Number.USD)
	if !known || !shared || !needed {
		return market.PerpClearinghouse{}, dropped, fmt.Errorf("%w: no account value", upstream.ErrUnreadable)
	}
	read.ValueUSD, read.CrossValueUSD, read.CrossMaintenanceUSD = value, cross, maintenance
	return read, dropped, nil
}

// check refuses a position whose size, value, profit, margin or leverage cannot be. One of no size is none.
func (p assetPosition) check() (market.PerpPosition, bool) {
	wire := p.Position
	size, sized := coins(wire.Size)
	value, valued := wire.Value.USD()
	unrealized, profited := signedUSD(wire.Unrealized)
	margin, backed := wire.MarginUsed.USD()
	set, levered := leverage(wire.Leverage.Value)
	kind := wire.Leverage.Kind
	if sized && size == 0 {
		return market.PerpPosition{}, true
	}
	if !named(wire.Coin) || !sized || !valued || value <= 0 || !profited || !backed || !levered || kind != "cross" && kind != "isolated" {
		return market.PerpPosition{}, false
	}
	return market.PerpPosition{
		Coin: string(wire.Coin), Size: size, ValueUSD: value, UnrealizedUSD: unrealized, MarginUsedUSD: margin, Leverage: set,
		EntryPrice:       orUnknown(wire.EntryPrice, upstream.Number.Price),
		ReturnOnEquity:   orUnknown(wire.ReturnOnEquity, signedUSD),
		LiquidationPrice: orUnknown(wire.LiquidationPrice, upstream.Number.Price),
		MaximumLeverage:  orUnknown(wire.MaximumLeverage, leverage),
		FundingUSD:       orUnknown(wire.Funding.SinceOpen, signedUSD),
		Isolated:         kind == "isolated",
	}, true
}

// readBalances adds up what is held in dollar coins. Where one of them cannot be read the sum is unknown.
func (a *Adapter) readBalances(r *upstream.Response) (float64, error) {
	found, err := upstream.JSON[balances](r)
	if err != nil {
		return math.NaN(), err
	}
	if found.Rows == nil {
		return math.NaN(), fmt.Errorf("%w: no balances", upstream.ErrUnreadable)
	}
	if found.Rows.Dropped > 0 {
		a.client.Drop(path, found.Rows.Dropped)
		return math.NaN(), nil
	}
	sum := 0.0
	for _, row := range found.Rows.Good {
		if _, dollar := dollarCoins[string(row.Token)]; !dollar {
			continue
		}
		total, ok := row.Total.USD()
		if !ok {
			a.client.Drop(path, 1)
			return math.NaN(), nil
		}
		sum += total
	}
	return sum, nil
}
