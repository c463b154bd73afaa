package market

import (
	"context"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// LeaderboardWindow is the time that a venue ranks its traders by.
type LeaderboardWindow string

// The windows that venues rank by.
const (
	DayWindow     LeaderboardWindow = "day"
	WeekWindow    LeaderboardWindow = "week"
	MonthWindow   LeaderboardWindow = "month"
	AllTimeWindow LeaderboardWindow = "all-time"
)

// VenueFigures are what a venue publishes of a trader for one window. They are the venue's and nobody checked them.
type VenueFigures struct {
	// PnLUSD may be negative; VolumeUSD is what was traded. Return is profit over capital as the venue reckons it, a fraction; NaN
	// where it tells none.
	PnLUSD, VolumeUSD, Return float64
}

// PerpLeader is a row of the perpetuals venue's leaderboard.
type PerpLeader struct {
	Account chain.Address
	// ValueUSD is the account's equity.
	ValueUSD float64
	// Windows holds the windows that the venue tells.
	Windows map[LeaderboardWindow]VenueFigures
}

// PerpLeaderboardPort reads the perpetuals venue's leaderboard: of each window the accounts with the largest profit, at most so many
// of each, each account once, sorted by account. The venue's list is long; only these are kept of it.
type PerpLeaderboardPort interface {
	PerpLeaderboard(ctx context.Context, ofEach int) ([]PerpLeader, error)
}

// PredictionLeader is a row of the prediction venue's leaderboard.
type PredictionLeader struct {
	Wallet chain.Address
	// Rank counts from 1.
	Rank    int
	Figures VenueFigures
}

// PredictionLeaderboardRequest asks for the wallets with the largest profit in a window. Category is the venue's word, empty for
// all; Limit is at most 200.
type PredictionLeaderboardRequest struct {
	Category string
	Window   LeaderboardWindow
	Limit    int
}

// PredictionLeaderboardPort reads the prediction venue's leaderboard, best first.
type PredictionLeaderboardPort interface {
	PredictionLeaderboard(ctx context.Context, request PredictionLeaderboardRequest) ([]PredictionLeader, error)
}
