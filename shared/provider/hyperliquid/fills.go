package hyperliquid

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

const (
	// reachableFills is how many of an account's fills the venue gives, the latest ones.
	reachableFills = 10_000
	fillsAPage     = 2_000
	// fillPages is more than it takes where pages overlap by most of their rows.
	fillPages = 20
)

// The fees of an account without discounts, as fractions of a fill's value
// (https://hyperliquid.gitbook.io/hyperliquid-docs/trading/fees).
const (
	baseTakerFee = 0.00045
	baseMakerFee = 0.00015
)

// dollarCoins are what contracts are settled in, by the venue's number of each: a name alone is anybody's.
var dollarCoins = map[string]string{"0": "USDC", "235": "USDE", "268": "USDT0", "360": "USDH"}

// fill is a fill as the venue writes it. Fills of 2023 have no trade, fee token or schedule.
type fill struct {
	Coin        upstream.Text   `json:"coin"`
	Price       upstream.Number `json:"px"`
	Size        upstream.Number `json:"sz"`
	Side        upstream.Text   `json:"side"`
	Time        upstream.Number `json:"time"`
	Before      upstream.Number `json:"startPosition"`
	Direction   upstream.Text   `json:"dir"`
	ClosedPnL   upstream.Number `json:"closedPnl"`
	Hash        upstream.Text   `json:"hash"`
	Order       upstream.Number `json:"oid"`
	Crossed     upstream.Flag   `json:"crossed"`
	Fee         upstream.Number `json:"fee"`
	FeeToken    upstream.Text   `json:"feeToken"`
	Trade       upstream.Number `json:"tid"`
	TWAP        upstream.Number `json:"twapId"`
	Liquidation struct {
		User upstream.Text `json:"liquidatedUser"`
	} `json:"liquidation"`
}

func (f fill) when() upstream.Number { return f.Time }

// same is the number of the trade and its side, as an account can trade with itself. Conversions of dust have the number zero, all of
// them, and old fills none: they are the same where everything is.
func (f fill) same() fill {
	if number(f.Trade) == 0 {
		return f
	}
	return fill{Trade: f.Trade, Side: f.Side}
}

// perpetual tells whether a fill is one of a perpetual contract: not of a spot pair, which is named like @107 or PURR/USDC, nor of an
// outcome, like #7501, nor a conversion of dust.
func (f fill) perpetual() bool {
	return !strings.HasPrefix(string(f.Coin), "@") && !strings.HasPrefix(string(f.Coin), "#") && !strings.Contains(string(f.Coin), "/") &&
		!strings.HasPrefix(string(f.Direction), "Spot")
}

// PerpFills reads all fills that the venue gives. Truncated is true where it gives as many as it ever does, and Since then tells the
// oldest one.
func (a *Adapter) PerpFills(ctx context.Context, account chain.Address) (*market.PerpFills, error) {
	fills := history[fill]{"userFillsByTime", fillsAPage, fillPages}
	rows, more, err := fills.read(ctx, a, account, time.Time{})
	if err != nil {
		return nil, err
	}
	if more {
		// The latest fills are missing, which nothing can be said without.
		return nil, fmt.Errorf("%w: %s gives more than %d pages of fills", market.ErrUnavailable, a.client.Name(), fillPages)
	}
	read, dropped := readFills(rows, account)
	a.client.Drop(path, dropped)
	if len(rows) > 0 && len(read.Fills) == 0 && read.FirstOther.IsZero() {
		return nil, fmt.Errorf("%w: %s %s: %w", market.ErrUnavailable, a.client.Name(), path, noneLegible(len(rows)))
	}
	return read, nil
}

// readFills checks fills, which are oldest first, and puts those of one instant into the order in which they happened.
func readFills(rows []dated[fill], account chain.Address) (*market.PerpFills, int) {
	read, dropped := &market.PerpFills{Fills: make([]market.PerpFill, 0, len(rows))}, 0
	for _, row := range rows {
		if !row.row.perpetual() {
			if read.FirstOther.IsZero() {
				read.FirstOther = row.time
			}
			continue
		}
		if checked, ok := row.row.check(row.time, account); ok {
			read.Fills = append(read.Fills, checked)
		} else {
			dropped++
		}
	}
	if len(rows) >= reachableFills {
		read.Truncated, read.Since = true, rows[0].time
	}
	chainUp(read.Fills)
	return read, dropped
}

// check refuses what cannot be. Names and numbers of orders and the like may be missing.
func (f fill) check(at time.Time, account chain.Address) (market.PerpFill, bool) {
	price, priced := f.Price.Price()
	size, sized := coins(f.Size)
	before, placed := coins(f.Before)
	closed, settled := signedUSD(f.ClosedPnL)
	paid, charged := signedUSD(f.Fee)
	buy := f.Side == "B"
	if !named(f.Coin) || !priced || !sized || !placed || !settled || !charged || size <= 0 || price*size > upstream.MaximumUSD ||
		!buy && f.Side != "A" {
		return market.PerpFill{}, false
	}
	maker := market.Tristate(f.Crossed) == market.No
	return market.PerpFill{
		Coin: string(f.Coin), Time: at, Buy: buy, Price: price, Size: size, Before: before, ClosedPnLUSD: closed,
		FeeUSD: feeUSD(paid, f.FeeToken, price*size, maker), Order: number(f.Order), Trade: number(f.Trade), TWAP: number(f.TWAP),
		Maker: maker, Forced: f.forced(account),
	}, true
}

// feeUSD is a fee as it stands where it is paid in a coin that is a dollar, or in one that is not named. Other coins have no price here:
// a fee paid in one is taken to be what the venue asks of an account without discounts, and a rebate to be none.
func feeUSD(paid float64, token upstream.Text, value float64, maker bool) float64 {
	if token == "" {
		return paid
	}
	for _, dollar := range dollarCoins {
		if string(token) == dollar {
			return paid
		}
	}
	switch {
	case paid <= 0:
		return 0
	case maker:
		return baseMakerFee * value
	}
	return baseTakerFee * value
}

// forced tells why the account did not close by itself. A liquidation is noted with both sides of the trade, and only one of them was
// liquidated; where it closed at the market, only that note tells it.
func (f fill) forced(account chain.Address) market.ForcedClose {
	switch direction := string(f.Direction); {
	case is(f.Liquidation.User, account):
		return market.Liquidated
	case direction == "Auto-Deleveraging":
		return market.AutoDeleveraged
	case direction == "Settlement":
		return market.Settled
	case strings.HasPrefix(direction, "Liquidated") && f.Liquidation.User == "":
		return market.Liquidated
	}
	return market.NotForced
}
