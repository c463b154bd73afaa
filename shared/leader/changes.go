package leader

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// gradeChanged is said when a leader's grade or verdict is another than before.
const gradeChanged = "leader.grade_changed"

// GradeChange is the data of a leader.grade_changed event. Of chain and venue one is there. Grades are null while unrated.
type GradeChange struct {
	Wallet      string  `json:"wallet"`
	Chain       string  `json:"chain,omitzero"`
	Venue       string  `json:"venue,omitzero"`
	FromGrade   *string `json:"fromGrade"`
	ToGrade     *string `json:"toGrade"`
	FromVerdict string  `json:"fromVerdict"`
	ToVerdict   string  `json:"toVerdict"`
	At          string  `json:"at"`
}

// changes are the events of a grading: one when it differs from the one before, none for a first grading.
func changes(leader *store.Leader, now store.Grading) ([]store.Event, error) {
	before := leader.Grading
	if before.At.IsZero() || before.Grade == now.Grade && before.Verdict == now.Verdict {
		return nil, nil
	}
	change := GradeChange{
		Wallet: leader.Address, FromGrade: gradeOrNull(before.Grade), ToGrade: gradeOrNull(now.Grade),
		FromVerdict: before.Verdict, ToVerdict: now.Verdict, At: now.At.UTC().Format(time.RFC3339),
	}
	switch leader.Group.Kind {
	case Perp:
		change.Venue = perpVenue
	case Prediction:
		change.Venue = predictionVenue
	default:
		change.Chain = leader.Group.Place
	}
	data, err := json.Marshal(change, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	id := nameOf(gradeChanged, leader.Group.Kind, leader.Group.Place, leader.Address, strconv.FormatInt(now.At.UnixNano(), 10))
	return []store.Event{{ID: id, Type: gradeChanged, At: now.At, Data: data}}, nil
}

func gradeOrNull(grade string) *string {
	if grade == "" {
		return nil
	}
	return &grade
}

// nameOf is a name that the same parts, none of which holds a line break, always have, and no others: 64 hexadecimal digits that are
// spread evenly.
func nameOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:])
}
