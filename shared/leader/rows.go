package leader

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

// disclosure stands beside all simulated numbers.
const disclosure = "Simulated numbers are measured on tokens that did rise, a universe chosen with hindsight, and compounding stakes 10% of equity a trade. " +
	"What entries made after the grading came to is in the track record."

// Venues by what is traded there.
const (
	spotVenue       = "dexvenue-spot"
	perpVenue       = "perpvenue-perps"
	predictionVenue = "predictvenue-markets"
)

// What a grade rests on.
const (
	closedTrades = "closed-trades"
	venueOnly    = "venue-only"
)

// Standing is our grade of a leader among all that were looked at. Grade, score and subscores are null when unrated, which is
// unknown, not bad.
type Standing struct {
	// Grade is the one-glance answer. One of A, B, C, D or F; null when unrated.
	Grade *string `json:"grade"`
	// Verdict is the one of the wallet's own page. One of mirror-worthy, watch, avoid or unrated.
	Verdict string `json:"verdict"`
	// Score is 0 to 100; null when unrated.
	Score *float64 `json:"score"`
	// Subscores are what the score is made of; null when unrated, and at venues whose grades are made otherwise.
	Subscores *wallet.Subscores `json:"subscores"`
	// Confidence is how much history backs the score, 0 to 1.
	Confidence *float64 `json:"confidence"`
	// SampleSize counts closed positions with a known result.
	SampleSize int `json:"sampleSize"`
	// MirrorWorthy is true when the verdict is mirror-worthy and adjustedP is at most 0.1.
	MirrorWorthy bool `json:"mirrorWorthy"`
	// AdjustedP is the probability of luck after allowing for the number of wallets looked at, 0 to 1 and never shown below 0.001; null
	// when the record is too thin for one.
	AdjustedP *float64 `json:"adjustedP"`
	// HoldStyle is how long positions are held. One of scalp, intraday, swing, position, long-hold, mixed or insufficient-data; null
	// where that is not told.
	HoldStyle *string `json:"holdStyle"`
	// LastEntryAt is when the leader last opened a position, as far as is known.
	LastEntryAt *string `json:"lastEntryAt"`
	// GradedAt is the instant that the grade describes.
	GradedAt string `json:"gradedAt"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// Intel is our grade of a leader beside its venue's own figures, and never made of them.
type Intel struct {
	Standing
	// Evidence is what the grade rests on: trade history, or nothing but the venue's own figures. One of closed-trades or venue-only;
	// null when there is neither.
	Evidence *string `json:"evidence"`
	// Mirrorable says whether a follower could do the same; null where nobody assessed it.
	Mirrorable *bool `json:"mirrorable"`
}

// FoundBy is a way in which a leader was found, and when last.
type FoundBy struct {
	// Source is the way. One of early-buyer, active-buyer or venue-leaderboard.
	Source string `json:"source"`
	// FoundAt is when the wallet was last found so.
	FoundAt string `json:"foundAt"`
}

// TraderBoardRow is a wallet that its own page calls mirror-worthy.
type TraderBoardRow struct {
	// Rank is the row's place on the board, from 1.
	Rank int `json:"rank"`
	// Wallet is the wallet's address.
	Wallet string `json:"wallet"`
	// Chain is the chain's slug.
	Chain string `json:"chain"`
	Standing
	// Found are the ways in which the wallet was found.
	Found []FoundBy `json:"found"`
}

// SpotLeaderRow is a wallet that was among the first buyers of tokens that rose, more often than chance gives.
type SpotLeaderRow struct {
	// Rank is the row's place on the board, from 1.
	Rank int `json:"rank"`
	// Wallet is the wallet's address.
	Wallet string `json:"wallet"`
	// Chain is the chain's slug.
	Chain string `json:"chain"`
	Standing
	// Assessment says whether the wallet can be mirrored, and why.
	Assessment Assessment `json:"assessment"`
	// Disclosure must be shown next to the numbers of the assessment.
	Disclosure string `json:"disclosure"`
}

// TopTraderRow is a spot trader.
type TopTraderRow struct {
	// Rank is the row's place on the board, from 1.
	Rank int `json:"rank"`
	// Wallet is the wallet's address.
	Wallet string `json:"wallet"`
	// Chain is the chain's slug.
	Chain string `json:"chain"`
	// Venue is where the wallet trades. One of dexvenue-spot, perpvenue-perps or predictvenue-markets.
	Venue string `json:"venue"`
	// VenuePnLUSD is the profit that the venue publishes: null, since decentralised exchanges publish none.
	VenuePnLUSD *float64 `json:"venuePnlUsd"`
	// Intel is our grade, which is never made of the venue's figures.
	Intel Intel `json:"intel"`
}

// readGraded reads what a leader's grading says.
func readGraded(leader *store.Leader) (*Graded, error) {
	graded := new(Graded)
	err := json.Unmarshal(leader.Grading.Data, graded)
	switch verdict := graded.Score.Verdict; {
	case err != nil:
	case verdict != trader.MirrorWorthy && verdict != trader.Watch && verdict != trader.Avoid && verdict != trader.Unrated:
		err = fmt.Errorf("verdict %q", verdict)
	case graded.AsOf.IsZero():
		err = errors.New("no instant")
	case graded.Chance != nil && !(*graded.Chance >= 0 && *graded.Chance <= 1):
		err = fmt.Errorf("a probability of %v", *graded.Chance)
	}
	if err != nil {
		return nil, fmt.Errorf("the grading of %s on %s: %w", leader.Address, leader.Group.Place, err)
	}
	return graded, nil
}

// standingOf is the candidate's standing among those of its kind.
func standingOf(c *candidate, among *selection) Standing {
	score := &c.graded.Score
	s := Standing{
		Grade: score.Grade, Verdict: score.Verdict, Score: score.Score, Subscores: score.Subscores, Confidence: score.Confidence,
		SampleSize: score.SampleSize, MirrorWorthy: c.worthy, LastEntryAt: timeText(c.graded.LastEntryAt),
		GradedAt: *timeText(c.graded.AsOf), Reasons: among.reasons(c),
	}
	if c.adjustedP != nil {
		s.AdjustedP = luck(*c.adjustedP)
	}
	if c.graded.HoldStyle != "" {
		s.HoldStyle = &c.graded.HoldStyle
	}
	return s
}

func intelOf(c *candidate, among *selection) Intel {
	intel := Intel{Standing: standingOf(c, among)}
	evidence := ""
	switch assessment := c.graded.Assessment; {
	case assessment != nil:
		evidence, intel.Mirrorable = assessment.Evidence, &assessment.Mirrorable
	case c.graded.Score.Grade != nil:
		evidence = closedTrades
	case c.group.Kind != Spot:
		evidence = venueOnly
	}
	if evidence != "" {
		intel.Evidence = &evidence
	}
	return intel
}

func traderBoardRow(rank int, c *candidate, among *selection) TraderBoardRow {
	return TraderBoardRow{Rank: rank, Wallet: c.address, Chain: c.group.Place, Standing: standingOf(c, among), Found: c.found}
}

func spotLeaderRow(rank int, c *candidate, among *selection) SpotLeaderRow {
	row := SpotLeaderRow{
		Rank: rank, Wallet: c.address, Chain: c.group.Place, Standing: standingOf(c, among), Assessment: notAssessed(), Disclosure: disclosure,
	}
	if c.graded.Assessment != nil {
		row.Assessment = *c.graded.Assessment
	}
	return row
}

// notAssessed is the assessment of a wallet that was found among first buyers after it was graded last.
func notAssessed() Assessment {
	return Assessment{Evidence: closedTrades, Reasons: []reason.Reason{{
		Code: "NOT_ASSESSED", Text: "Found among first buyers since its last grading: what a copier of it would have met has not been simulated yet, and nothing is known against it.",
	}}}
}

func topTraderRow(rank int, c *candidate, among *selection) TopTraderRow {
	return TopTraderRow{Rank: rank, Wallet: c.address, Chain: c.group.Place, Venue: spotVenue, Intel: intelOf(c, among)}
}

// leastLuck is the least probability of luck that is shown: none is so sure that it is 0.
const leastLuck = 0.001

// luck shows a probability of luck; nil for what is no number.
func luck(p float64) *float64 {
	shown := display.Probability(p)
	if shown != nil {
		*shown = max(*shown, leastLuck)
	}
	return shown
}

// timeText writes a time as answers do; nil for the zero time.
func timeText(at time.Time) *string {
	if at.IsZero() {
		return nil
	}
	text := at.UTC().Truncate(time.Second).Format(time.RFC3339)
	return &text
}
