package leader

import (
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

// Kinds of leaders, by what they trade.
const (
	Spot       = "spot"
	Perp       = "perp"
	Prediction = "prediction"
)

// Places of leaders that are on no chain of ours: venues.
const (
	PerpVenue       = "perpvenue"
	PredictionVenue = "predictvenue"
)

// Ways in which leaders are found.
const (
	// EarlyBuyer was among the first buyers of several tokens that rose, more often than chance gives.
	EarlyBuyer = "early-buyer"
	// ActiveBuyer bought one of a chain's most traded tokens lately.
	ActiveBuyer = "active-buyer"
	// VenueLeaderboard stands on the venue's own leaderboard.
	VenueLeaderboard = "venue-leaderboard"
	// Followed is followed by somebody's agent. It has the leader graded; boards neither list a leader for it nor tell of it.
	Followed = "followed"
)

// Graded is what a grading keeps of a leader, for the boards to be made of. It is the Data of a store.Grading, in JSON.
type Graded struct {
	// AsOf is the instant that the grade describes.
	AsOf time.Time `json:"asOf"`
	// Score is what the trader page says at that instant; of perpetuals and prediction traders the same, by their own results.
	Score wallet.TraderScoreAnswer `json:"score"`
	// Chance is the probability that a trader without any edge looks at least as good: one less PSR*. Nil when unrated.
	Chance *float64 `json:"chance"`
	// HoldStyle is how long positions are held, in a word; empty when unknown.
	HoldStyle string `json:"holdStyle,omitzero"`
	// LastEntryAt is the latest entry; zero when there is none.
	LastEntryAt time.Time `json:"lastEntryAt,omitzero"`
	// Assessment says whether a follower could do the same; nil where nobody assessed it.
	Assessment *Assessment `json:"assessment,omitzero"`
}

// Assessment says whether a leader can be mirrored, and why.
type Assessment struct {
	// Mirrorable is true when the simulated delayed copier gained and the wallet cleared the gate of trader quality.
	Mirrorable bool `json:"mirrorable"`
	// Evidence is what the verdict rests on: real trade history, or the venue's own figures alone. One of closed-trades or venue-only.
	Evidence string `json:"evidence"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
	// Simulation is the delayed copier's result; null where there is none.
	Simulation *Simulated `json:"simulation"`
	// Discovery is how the wallet was found; null where that was not among first buyers.
	Discovery *Found `json:"discovery"`
	// Forecast is what is expected of its next entries; null where there is none.
	Forecast *Expected `json:"forecast"`
}

// Simulated are the aggregates of a delayed copier of the leader's entries. They are null unless rated.
type Simulated struct {
	// Rated is true with three results or more; below that the aggregates are null.
	Rated bool `json:"rated"`
	// Trades counts the simulated entries whose outcome is known.
	Trades int `json:"trades"`
	// Tokens counts the tokens of those entries.
	Tokens int `json:"tokens"`
	// WinRate is the copier's, 0 to 1.
	WinRate *float64 `json:"winRate"`
	// BaseWinRate is that of random entries in the same tokens around the same time, 0 to 1.
	BaseWinRate *float64 `json:"baseWinRate"`
	// MedianReturnPct is the median result of a copy after costs.
	MedianReturnPct *float64 `json:"medianReturnPct"`
	// CompoundedReturnPct stakes a tenth of the equity on each entry in turn.
	CompoundedReturnPct *float64 `json:"compoundedReturnPct"`
	// MedianRunUpPct is how far the price had moved between the leader's buy and the copier's.
	MedianRunUpPct *float64 `json:"medianRunUpPct"`
}

// Found is how a wallet was found among the first buyers of launches: first on older ones, then confirmed on newer ones.
type Found struct {
	// Launches counts the eligible launches that the wallet bought early.
	Launches int `json:"launches"`
	// Rose is how many of them rose.
	Rose int `json:"rose"`
	// Expected is how many of them chance alone would have had rise.
	Expected *float64 `json:"expected"`
	// AdjustedP is the probability of luck after allowing for the number of wallets looked at, 0 to 1 and never shown below 0.001.
	AdjustedP *float64 `json:"adjustedP"`
	// ConfirmedP is that of the newer launches alone, 0 to 1 and never shown below 0.001.
	ConfirmedP *float64 `json:"confirmedP"`
	// HitRate is the part of its launches that rose, 0 to 1, shrunk toward baseRate by how much is known.
	HitRate *float64 `json:"hitRate"`
	// BaseRate is the part of all launches that rose, 0 to 1.
	BaseRate *float64 `json:"baseRate"`
	// Siblings is how many wallets that seem to belong to the same hand were found with it.
	Siblings int `json:"siblings"`
}

// Expected is what is expected of a leader's next entries, copied with a delay.
type Expected struct {
	// WinProbability is that of an entry, 0 to 1.
	WinProbability *float64 `json:"winProbability"`
	// BaseProbability is that of random entries in comparable tokens, 0 to 1.
	BaseProbability *float64 `json:"baseProbability"`
}
