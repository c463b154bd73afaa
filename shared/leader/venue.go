package leader

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// venuePlaces are a leader's places on the boards of its venue at one time. They are the Data of a finding by VenueLeaderboard, in
// JSON.
type venuePlaces struct {
	Places []venuePlace `json:"places"`
}

// venuePlace is one of them, with the venue's own figures.
type venuePlace struct {
	venueBoard
	// Rank counts from 1.
	Rank int `json:"rank"`
	// PnLUSD may be negative. Return is a fraction, nil where the venue tells none.
	PnLUSD float64  `json:"pnlUsd"`
	Return *float64 `json:"return"`
}

// venueBoard names one of a venue's boards: Category is the venue's word, empty for all.
type venueBoard struct {
	Category string                   `json:"category,omitzero"`
	Window   market.LeaderboardWindow `json:"window"`
}

// windows are the windows of venues' boards, the shortest first.
var windows = [...]market.LeaderboardWindow{market.DayWindow, market.WeekWindow, market.MonthWindow, market.AllTimeWindow}

// order sorts boards: those of all categories first, then by category; the shortest window first.
func (b venueBoard) order(other venueBoard) int {
	return cmp.Or(strings.Compare(b.Category, other.Category),
		cmp.Compare(slices.Index(windows[:], b.Window), slices.Index(windows[:], other.Window)))
}

// venueStanding is where a leader stands on its venue's boards, as they were read at a time. It is empty for a leader that nobody found
// on them.
type venueStanding struct {
	places []venuePlace
	seenAt time.Time
}

// venueStandingOf reads where a leader stands.
func venueStandingOf(leader *store.Leader) (venueStanding, error) {
	finding, found := findingBy(leader, VenueLeaderboard)
	if !found {
		return venueStanding{}, nil
	}
	var read venuePlaces
	if err := json.Unmarshal(finding.Data, &read); err != nil {
		return venueStanding{}, fmt.Errorf("the places of %s on its venue's boards: %w", leader.Address, err)
	}
	for _, p := range read.Places {
		if p.Rank < 1 || !slices.Contains(windows[:], p.Window) {
			return venueStanding{}, fmt.Errorf("the places of %s on its venue's boards: place %d in the window %q", leader.Address, p.Rank, p.Window)
		}
	}
	return venueStanding{read.Places, finding.At}, nil
}

// findingBy is what a source found of a leader.
func findingBy(leader *store.Leader, source string) (store.Finding, bool) {
	i := slices.IndexFunc(leader.Findings, func(f store.Finding) bool { return f.Source == source })
	if i < 0 {
		return store.Finding{}, false
	}
	return leader.Findings[i], true
}
