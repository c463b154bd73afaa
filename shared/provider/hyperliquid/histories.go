package hyperliquid

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// What the venue gives at once of the histories besides fills, and how often it is asked: 3,000 rows are four months of one position's
// funding, or a month of four's.
const (
	updatesAPage = 500
	updatePages  = 6
)

// payment is a funding payment as the venue writes it.
type payment struct {
	Time  upstream.Number `json:"time"`
	Hash  upstream.Text   `json:"hash"`
	Delta struct {
		Kind upstream.Text   `json:"type"`
		Coin upstream.Text   `json:"coin"`
		USD  upstream.Number `json:"usdc"`
		Size upstream.Number `json:"szi"`
		Rate upstream.Number `json:"fundingRate"`
	} `json:"delta"`
}

func (p payment) when() upstream.Number { return p.Time }
func (p payment) same() payment         { return p }

// PerpFunding reads funding payments from an instant on. Where there are more than are read, all of those until Until are there.
func (a *Adapter) PerpFunding(ctx context.Context, account chain.Address, since time.Time) (*market.PerpFunding, error) {
	payments := history[payment]{"userFunding", updatesAPage, updatePages}
	rows, more, err := payments.read(ctx, a, account, since)
	if err != nil {
		return nil, err
	}
	read := &market.PerpFunding{}
	if more {
		rows = whole(rows)
		read.Truncated, read.Until = true, rows[len(rows)-1].time
	}
	for _, row := range rows {
		if checked, ok := row.row.check(row.time); ok {
			read.Payments = append(read.Payments, checked)
		}
	}
	a.client.Drop(path, len(rows)-len(read.Payments))
	if len(rows) > 0 && len(read.Payments) == 0 {
		return nil, fmt.Errorf("%w: %s %s: %w", market.ErrUnavailable, a.client.Name(), path, noneLegible(len(rows)))
	}
	return read, nil
}

// whole leaves out the rows of the last instant, of which there may be others that were not read, unless there is no other instant.
func whole[R any](rows []dated[R]) []dated[R] {
	end := len(rows)
	for end > 0 && rows[end-1].time.Equal(rows[len(rows)-1].time) {
		end--
	}
	if end == 0 {
		return rows
	}
	return rows[:end]
}

func (p payment) check(at time.Time) (market.PerpPayment, bool) {
	usd, paid := signedUSD(p.Delta.USD)
	size, sized := coins(p.Delta.Size)
	hourly, rated := rate(p.Delta.Rate)
	if p.Delta.Kind != "funding" || !named(p.Delta.Coin) || !paid || !sized || !rated {
		return market.PerpPayment{}, false
	}
	return market.PerpPayment{Time: at, Coin: string(p.Delta.Coin), USD: usd, Size: size, Rate: hourly}, true
}

// update is an entry of the ledger as the venue writes it. Each kind has its own member for what was moved.
type update struct {
	Time  upstream.Number `json:"time"`
	Hash  upstream.Text   `json:"hash"`
	Delta struct {
		Kind      upstream.Text   `json:"type"`
		USD       upstream.Number `json:"usdc"`
		Value     upstream.Number `json:"usdcValue"`
		Withdrawn upstream.Number `json:"netWithdrawnUsd"`
		Token     upstream.Text   `json:"token"`
		Amount    upstream.Number `json:"amount"`
		Nonce     upstream.Number `json:"nonce"`
	} `json:"delta"`
}

func (u update) when() upstream.Number { return u.Time }
func (u update) same() update          { return u }

// transferKinds are the venue's kinds that are more than other transfers. What is sent goes from one account of the venue to another.
var transferKinds = map[upstream.Text]market.PerpTransferKind{
	"deposit": market.Deposit, "withdraw": market.Withdrawal,
	"accountClassTransfer": market.InternalTransfer, "internalTransfer": market.InternalTransfer,
	"subAccountTransfer": market.InternalTransfer, "spotTransfer": market.InternalTransfer, "send": market.InternalTransfer,
	"vaultCreate": market.VaultTransfer, "vaultDeposit": market.VaultTransfer, "vaultWithdraw": market.VaultTransfer,
	"vaultDistribution": market.VaultTransfer, "vaultLeaderCommission": market.VaultTransfer,
	"liquidation": market.LiquidationTransfer,
}

// PerpLedger reads the ledger from its beginning. Kinds that are not known are other transfers.
func (a *Adapter) PerpLedger(ctx context.Context, account chain.Address) (*market.PerpLedger, error) {
	updates := history[update]{"userNonFundingLedgerUpdates", updatesAPage, updatePages}
	rows, more, err := updates.read(ctx, a, account, time.Time{})
	if err != nil {
		return nil, err
	}
	read := &market.PerpLedger{Truncated: more}
	for _, row := range rows {
		if row.row.Delta.Kind == "" {
			continue
		}
		read.Transfers = append(read.Transfers, market.PerpTransfer{
			Time: row.time, Kind: transferKinds[row.row.Delta.Kind], USD: row.row.usd(),
		})
	}
	a.client.Drop(path, len(rows)-len(read.Transfers))
	if len(rows) > 0 && len(read.Transfers) == 0 {
		return nil, fmt.Errorf("%w: %s %s: %w", market.ErrUnavailable, a.client.Name(), path, noneLegible(len(rows)))
	}
	return read, nil
}

// usd is what was moved, without what it cost; NaN where the venue does not say, or says what cannot be. Of a liquidation it tells the
// value of the positions, which is not what was lost.
func (u update) usd() float64 {
	for _, told := range []upstream.Number{u.Delta.USD, u.Delta.Value, u.Delta.Withdrawn} {
		if told != "" {
			return orUnknown(told, upstream.Number.USD)
		}
	}
	if u.Delta.Token == "USDC" {
		return orUnknown(u.Delta.Amount, upstream.Number.USD)
	}
	return math.NaN()
}
