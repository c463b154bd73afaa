package leader

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const (
	// boardPlaces is how many of a venue's board of a window are graded, categoryPlaces of a category's board of the month.
	boardPlaces    = 50
	categoryPlaces = 25
)

// categories are the prediction venue's boards besides the one over all.
var categories = [...]string{"POLITICS", "SPORTS", "CRYPTO", "CULTURE", "MENTIONS", "WEATHER", "ECONOMICS", "TECH", "FINANCE"}

// perps finds the leaders of the perpetuals venue's boards. It returns how many.
func (d *discoverer) perps(ctx context.Context, at time.Time) (int, error) {
	rows, err := d.sources.PerpLeaderboard.PerpLeaderboard(ctx, boardPlaces)
	if err != nil {
		return 0, err
	}
	places := make(map[chain.Address][]venuePlace)
	for _, window := range windows {
		// The venue gives the accounts with the largest profits of any window: of each window its first are all there.
		board := slices.DeleteFunc(slices.Clone(rows), func(row market.PerpLeader) bool { _, told := row.Windows[window]; return !told })
		slices.SortFunc(board, func(a, b market.PerpLeader) int {
			return cmp.Or(cmp.Compare(b.Windows[window].PnLUSD, a.Windows[window].PnLUSD), a.Account.Compare(b.Account))
		})
		for i, row := range board[:min(len(board), boardPlaces)] {
			places[row.Account] = append(places[row.Account], placed(venueBoard{Window: window}, i+1, row.Windows[window]))
		}
	}
	return d.keepPlaces(ctx, at, store.Group{Kind: Perp, Place: PerpVenue}, places)
}

// predictions finds the leaders of the prediction venue's boards: of each window over all, and of the month in each category. It
// returns how many.
func (d *discoverer) predictions(ctx context.Context, at time.Time) (int, error) {
	var boards []market.PredictionLeaderboardRequest
	for _, window := range windows {
		boards = append(boards, market.PredictionLeaderboardRequest{Window: window, Limit: boardPlaces})
	}
	for _, category := range categories {
		boards = append(boards, market.PredictionLeaderboardRequest{Category: category, Window: market.MonthWindow, Limit: categoryPlaces})
	}
	places := make(map[chain.Address][]venuePlace)
	for _, board := range boards {
		rows, err := d.sources.PredictionLeaderboard.PredictionLeaderboard(ctx, board)
		if err != nil {
			return 0, err
		}
		for i, row := range rows[:min(len(rows), board.Limit)] {
			rank := row.Rank
			if rank < 1 {
				rank = i + 1
			}
			places[row.Wallet] = append(places[row.Wallet], placed(venueBoard{board.Category, board.Window}, rank, row.Figures))
		}
	}
	return d.keepPlaces(ctx, at, store.Group{Kind: Prediction, Place: PredictionVenue}, places)
}

func placed(on venueBoard, rank int, figures market.VenueFigures) venuePlace {
	place := venuePlace{venueBoard: on, Rank: rank, PnLUSD: figures.PnLUSD}
	if !math.IsNaN(figures.Return) {
		place.Return = &figures.Return
	}
	return place
}

// keepPlaces writes down where each leader stands.
func (d *discoverer) keepPlaces(ctx context.Context, at time.Time, group store.Group, places map[chain.Address][]venuePlace) (int, error) {
	wallets := make([]chain.Address, 0, len(places))
	for wallet := range places {
		wallets = append(wallets, wallet)
	}
	slices.SortFunc(wallets, chain.Address.Compare)
	all := make([]discovered, len(wallets))
	for i, wallet := range wallets {
		where := places[wallet]
		slices.SortStableFunc(where, func(a, b venuePlace) int { return a.order(b.venueBoard) })
		data, err := json.Marshal(venuePlaces{where})
		if err != nil {
			return 0, err
		}
		all[i] = discovered{wallet.String(), data}
	}
	return len(all), d.keepAll(ctx, at, group, VenueLeaderboard, all)
}
