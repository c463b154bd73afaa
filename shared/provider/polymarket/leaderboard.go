package polymarket

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

const (
	leaderboardPath = "/v1/leaderboard"
	// leadersAPage is how many rows the service gives at once.
	leadersAPage   = 50
	maximumLeaders = 200
)

var timePeriods = map[market.LeaderboardWindow]string{
	market.DayWindow: "DAY", market.WeekWindow: "WEEK", market.MonthWindow: "MONTH", market.AllTimeWindow: "ALL",
}

type wireLeader struct {
	Rank   upstream.Number `json:"rank"`
	Wallet upstream.Text   `json:"proxyWallet"`
	Volume upstream.Number `json:"vol"`
	Profit upstream.Number `json:"pnl"`
}

// PredictionLeaderboard reads the list of the wallets with the largest profit, 50 rows at a time. The service tells no return. A wallet
// that moves while the pages are read, and is in two of them, counts where it is better.
func (a *Adapter) PredictionLeaderboard(ctx context.Context, request market.PredictionLeaderboardRequest) ([]market.PredictionLeader, error) {
	period, known := timePeriods[request.Window]
	switch {
	case !known:
		return nil, fmt.Errorf("a leaderboard of the window %q", request.Window)
	case request.Limit < 1 || request.Limit > maximumLeaders:
		return nil, fmt.Errorf("a leaderboard of %d wallets, want 1 to %d", request.Limit, maximumLeaders)
	}
	query := url.Values{
		"category": {cmp.Or(request.Category, "OVERALL")}, "timePeriod": {period}, "orderBy": {"PNL"}, "limit": {strconv.Itoa(leadersAPage)},
	}
	pages := make([][]market.PredictionLeader, (request.Limit+leadersAPage-1)/leadersAPage)
	first, more, err := a.leaders(ctx, query, 0)
	if err != nil {
		return nil, err
	}
	pages[0] = first
	if more {
		calls, callsContext := parallel.WithContext(ctx)
		for i := range pages[1:] {
			calls.Go(func() (err error) {
				pages[i+1], _, err = a.leaders(callsContext, query, (i+1)*leadersAPage)
				return err
			})
		}
		if err := calls.Wait(); err != nil {
			return nil, err
		}
	}
	leaders := append([]market.PredictionLeader{}, slices.Concat(pages...)...)
	slices.SortFunc(leaders, func(x, y market.PredictionLeader) int {
		return cmp.Or(cmp.Compare(x.Rank, y.Rank), bytes.Compare(x.Wallet[:], y.Wallet[:]))
	})
	seen := make(map[chain.Address]bool, len(leaders))
	leaders = slices.DeleteFunc(leaders, func(leader market.PredictionLeader) bool {
		twice := seen[leader.Wallet]
		seen[leader.Wallet] = true
		return twice
	})
	return leaders[:min(len(leaders), request.Limit)], nil
}

// leaders reads a page, and tells whether it is full.
func (a *Adapter) leaders(ctx context.Context, query url.Values, offset int) (leaders []market.PredictionLeader, full bool, err error) {
	asked := url.Values{"offset": {strconv.Itoa(offset)}}
	for name, values := range query {
		asked[name] = values
	}
	count := 0
	leaders, err = upstream.Get(ctx, a.data, leaderboardPath, asked, func(response *upstream.Response) ([]market.PredictionLeader, error) {
		rows, err := upstream.JSON[*upstream.Rows[wireLeader]](response)
		switch {
		case err != nil:
			return nil, err
		case rows == nil:
			return nil, fmt.Errorf("%w: no list", upstream.ErrUnreadable)
		}
		count = len(rows.Good) + rows.Dropped
		legible := make([]market.PredictionLeader, 0, len(rows.Good))
		for _, row := range rows.Good {
			if leader, ok := row.read(); ok {
				legible = append(legible, leader)
			}
		}
		if count > 0 && len(legible) == 0 {
			return nil, fmt.Errorf("%w: none of %d rows can be read", upstream.ErrUnreadable, count)
		}
		return legible, nil
	})
	if err != nil {
		return nil, false, err
	}
	a.data.Drop(leaderboardPath, count-len(leaders))
	return leaders, count >= leadersAPage, nil
}

func (row wireLeader) read() (market.PredictionLeader, bool) {
	wallet, err := chain.ParseWireAddress(string(row.Wallet))
	rank, ranked := row.Rank.Count()
	profit, earned := within(row.Profit, -upstream.MaximumUSD, upstream.MaximumUSD)
	volume, traded := row.Volume.USD()
	return market.PredictionLeader{Wallet: wallet, Rank: rank, Figures: market.VenueFigures{PnLUSD: profit, VolumeUSD: volume, Return: math.NaN()}},
		err == nil && wallet != chain.Address{} && ranked && rank >= 1 && earned && traded
}
