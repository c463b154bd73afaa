package polymarket

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

const (
	positionsPath       = "/positions"
	closedPositionsPath = "/closed-positions"
	// What is read of each list at most: 5,000 positions held, 500 closed.
	heldRows, heldPages     = 500, 10
	closedRows, closedPages = 50, 10
)

// wirePosition is a row of both lists: Size and Redeemable are of the held alone, Timestamp of the closed.
type wirePosition struct {
	Wallet       upstream.Text   `json:"proxyWallet"`
	Asset        upstream.Text   `json:"asset"`
	Condition    upstream.Text   `json:"conditionId"`
	Size         upstream.Number `json:"size"`
	AveragePrice upstream.Number `json:"avgPrice"`
	Bought       upstream.Number `json:"totalBought"`
	Realized     upstream.Number `json:"realizedPnl"`
	Price        upstream.Number `json:"curPrice"`
	Redeemable   upstream.Flag   `json:"redeemable"`
	Slug         upstream.Text   `json:"slug"`
	EventSlug    upstream.Text   `json:"eventSlug"`
	Outcome      upstream.Number `json:"outcomeIndex"`
	Opposite     upstream.Text   `json:"oppositeAsset"`
	EndDate      upstream.Text   `json:"endDate"`
	Timestamp    upstream.Number `json:"timestamp"`
}

// positionList is one of the two lists of a wallet's positions.
type positionList struct {
	path        string
	query       url.Values
	rows, pages int
}

// heldPositions are sorted by what they cost, which no price changes: where they are too many, the smallest bets are missing and not
// the lost ones. Without a threshold of zero the service leaves out what is less than a share.
func heldPositions() positionList {
	return positionList{positionsPath, url.Values{"sizeThreshold": {"0"}, "sortBy": {"INITIAL"}, "sortDirection": {"DESC"}}, heldRows, heldPages}
}

// closedPositions are sorted by time: the service's own order has the best first, and would make every wallet cut short a winner.
func closedPositions() positionList {
	return positionList{closedPositionsPath, url.Values{"sortBy": {"TIMESTAMP"}, "sortDirection": {"DESC"}}, closedRows, closedPages}
}

// PredictionPositions reads what a wallet holds, up to 5,000 positions, and what it closed, the latest 500.
func (a *Adapter) PredictionPositions(ctx context.Context, wallet chain.Address) (*market.PredictionPositions, error) {
	var held, closed []wirePosition
	var heldMore, closedMore bool
	calls, callsContext := parallel.WithContext(ctx)
	calls.Go(func() (err error) {
		held, heldMore, err = a.positions(callsContext, heldPositions(), wallet)
		return err
	})
	calls.Go(func() (err error) {
		closed, closedMore, err = a.positions(callsContext, closedPositions(), wallet)
		return err
	})
	if err := calls.Wait(); err != nil {
		return nil, err
	}
	positions := &market.PredictionPositions{Truncated: heldMore || closedMore}
	now, dropped := a.data.Now(), 0
	// A row that came twice, because others moved between two pages, is one position.
	seenOpen, seenClosed := make(map[string]bool, len(held)), make(map[string]bool, len(closed))
	for i := range closed {
		position, ok := closed[i].read(now)
		if !ok {
			dropped++
		} else if !seenClosed[position.Asset] {
			seenClosed[position.Asset] = true
			// No order can be placed at zero or one: such a price is what the market ended at.
			position.Decided = position.Price == 0 || position.Price == 1
			positions.Closed = append(positions.Closed, position)
		}
	}
	a.data.Drop(closedPositionsPath, dropped)
	dropped = 0
	for i := range held {
		position, ok := held[i].read(now)
		shares, known := within(held[i].Size, 0, maximumShares)
		if !ok || !known {
			dropped++
			continue
		}
		position.Shares = shares
		position.Decided = market.Tristate(held[i].Redeemable) == market.Yes
		switch {
		case shares > 0 && !seenOpen[position.Asset]:
			seenOpen[position.Asset] = true
			positions.Open = append(positions.Open, position)
		case shares == 0 && !seenClosed[position.Asset]:
			// The threshold of zero lets through what was sold to the last share.
			seenClosed[position.Asset] = true
			positions.Closed = append(positions.Closed, position)
		}
	}
	a.data.Drop(positionsPath, dropped)
	slices.SortFunc(positions.Open, byMarket)
	slices.SortFunc(positions.Closed, func(x, y market.PredictionPosition) int {
		return cmp.Or(y.ClosedAt.Compare(x.ClosedAt), byMarket(x, y))
	})
	return positions, nil
}

func byMarket(x, y market.PredictionPosition) int {
	return cmp.Or(bytes.Compare(x.Market[:], y.Market[:]), cmp.Compare(x.Asset, y.Asset))
}

// positions reads a list, the first page and then the others side by side, and tells whether there is more.
func (a *Adapter) positions(ctx context.Context, list positionList, wallet chain.Address) (rows []wirePosition, more bool, err error) {
	dropped := 0
	add := func(page positionPage) (full bool) {
		rows = append(rows, page.rows...)
		dropped += page.count - len(page.rows)
		return page.count >= list.rows
	}
	first, err := a.positionPage(ctx, list, wallet, 0)
	if err != nil {
		return nil, false, err
	}
	more = add(first)
	for next, wave := 1, 0; more && next < list.pages; wave++ {
		answers := make([]positionPage, min(waves[min(wave, len(waves)-1)], list.pages-next))
		calls, callsContext := parallel.WithContext(ctx)
		for i := range answers {
			calls.Go(func() (err error) {
				answers[i], err = a.positionPage(callsContext, list, wallet, (next+i)*list.rows)
				return err
			})
		}
		if err := calls.Wait(); err != nil {
			return nil, false, err
		}
		for _, answer := range answers {
			if answer.beyond {
				next = list.pages
				break
			}
			if more = add(answer); !more {
				break
			}
		}
		next += len(answers)
	}
	a.data.Drop(list.path, dropped)
	return rows, more, nil
}

type positionPage struct {
	count int
	rows  []wirePosition
	// beyond is true when the offset is deeper than the service goes.
	beyond bool
}

func (a *Adapter) positionPage(ctx context.Context, list positionList, wallet chain.Address, offset int) (positionPage, error) {
	query := url.Values{"user": {wallet.String()}, "limit": {strconv.Itoa(list.rows)}, "offset": {strconv.Itoa(offset)}}
	for name, values := range list.query {
		query[name] = values
	}
	return upstream.Get(ctx, a.data, list.path, query, func(response *upstream.Response) (positionPage, error) {
		if response.Status == http.StatusBadRequest && offset > 0 {
			return positionPage{beyond: true}, nil
		}
		answer, err := upstream.JSON[upstream.Rows[wirePosition]](response)
		if err != nil {
			return positionPage{}, err
		}
		read := positionPage{count: len(answer.Good) + answer.Dropped, rows: answer.Good}
		read.rows = slices.DeleteFunc(read.rows, func(row wirePosition) bool {
			_, ok := readAsset(row.Asset)
			return !ok || !isOf(row.Wallet, wallet)
		})
		return read, refuseIllegible(read.count, len(read.rows))
	})
}

// read checks what both lists say. What is told besides of a position may be missing or wrong, and is unknown then.
func (w *wirePosition) read(now time.Time) (market.PredictionPosition, bool) {
	condition, ok1 := readHash(w.Condition)
	asset, ok2 := readAsset(w.Asset)
	if !ok1 || !ok2 {
		return market.PredictionPosition{}, false
	}
	against, _ := readAsset(w.Opposite)
	closedAt, _ := w.Timestamp.Seconds(now)
	return market.PredictionPosition{
		Market: condition, Event: name(w.EventSlug, w.Slug), Asset: asset, Against: against, Outcome: readOutcome(w.Outcome),
		BoughtShares: orNaN(w.Bought, 0, maximumShares), AveragePrice: orNaN(w.AveragePrice, 0, 1),
		RealizedUSD: orNaN(w.Realized, -upstream.MaximumUSD, upstream.MaximumUSD), Price: orNaN(w.Price, 0, 1),
		ClosedAt: closedAt, EndsAt: readDay(w.EndDate),
	}, true
}
