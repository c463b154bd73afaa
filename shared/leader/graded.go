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
	Mirrorable bool `json:"mirrorable"`
	// Evidence is closed-trades when the verdict rests on real trade history, venue-only when on the venue's own figures alone.
	Evidence string          `json:"evidence"`
	Reasons  []reason.Reason `json:"reasons"`
	// Simulation is the delayed copier's result, Discovery how the wallet was found, Forecast what is expected of its next entries.
	// Nil where there is none.
	Simulation *Simulated `json:"simulation"`
	Discovery  *Found     `json:"discovery"`
	Forecast   *Expected  `json:"forecast"`
}

// Simulated are the aggregates of a delayed copier of the leader's entries. They are null unless rated.
type Simulated struct {
	Rated  bool `json:"rated"`
	Trades int  `json:"trades"`
	Tokens int  `json:"tokens"`
	// WinRate and BaseWinRate are fractions: the copier's, and that of random entries in the same tokens around the same time.
	// CompoundedReturnPct stakes a tenth of the equity on each entry in turn.
	WinRate             *float64 `json:"winRate"`
	BaseWinRate         *float64 `json:"baseWinRate"`
	MedianReturnPct     *float64 `json:"medianReturnPct"`
	CompoundedReturnPct *float64 `json:"compoundedReturnPct"`
	// MedianRunUpPct is how far the price had moved between the leader's buy and the copier's.
	MedianRunUpPct *float64 `json:"medianRunUpPct"`
}

// Found is how a wallet was found among the first buyers of launches: first on older ones, then confirmed on newer ones.
type Found struct {
	// Launches were eligible and bought early, Rose is how many of them rose, Expected how many chance alone would give.
	Launches int      `json:"launches"`
	Rose     int      `json:"rose"`
	Expected *float64 `json:"expected"`
	// AdjustedP is the probability of luck after allowing for the number of wallets looked at, ConfirmedP that of the newer launches
	// alone; neither is shown below 0.001.
	AdjustedP  *float64 `json:"adjustedP"`
	ConfirmedP *float64 `json:"confirmedP"`
	// HitRate is shrunk toward BaseRate by how much is known.
	HitRate  *float64 `json:"hitRate"`
	BaseRate *float64 `json:"baseRate"`
	// Siblings is how many wallets that seem to belong to the same hand were found with it.
	Siblings int `json:"siblings"`
}

// Expected is what is expected of a leader's next entries, copied with a delay.
type Expected struct {
	// WinProbability is that of an entry, BaseProbability that of random entries in comparable tokens.
	WinProbability  *float64 `json:"winProbability"`
	BaseProbability *float64 `json:"baseProbability"`
}
