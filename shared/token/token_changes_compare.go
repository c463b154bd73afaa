package token

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
)

// level is where a metric stood when it was last told to a partner. Later scans are compared with that and not with the scan before
// them, so that what drifts is told as soon as it has drifted far enough.
type level struct {
	// Number or Word is the value that was told last.
	Number *float64 `json:"number,omitempty"`
	Word   string   `json:"word,omitempty"`
	// Before is the value that the last change came from, for as long as the change can be taken back.
	Before *float64 `json:"before,omitempty"`
	// At is when the metric was last seen there, or near.
	At time.Time `json:"at"`
}

// levels are the metrics that were ever measured, by name. One that a scan could not measure stays as it was: a gap is no change.
type levels map[string]level

// levelsVersion is the format that is written and read.
const levelsVersion = 1

type wireLevels struct {
	Version int    `json:"v"`
	Levels  levels `json:"levels"`
}

func (l levels) encode() ([]byte, error) { return json.Marshal(wireLevels{levelsVersion, l}) }

// decodeLevels reads what encode wrote; no data gives no levels.
func decodeLevels(data []byte) (levels, error) {
	if len(data) == 0 {
		return levels{}, nil
	}
	var wire wireLevels
	if err := json.Unmarshal(data, &wire); err != nil {
		return nil, fmt.Errorf("read scan: %w", err)
	}
	if wire.Version != levelsVersion || wire.Levels == nil {
		return nil, fmt.Errorf("read scan: version %d, this version reads %d", wire.Version, levelsVersion)
	}
	return wire.Levels, nil
}

// rounding is left out of comparisons with a band, so that a move of exactly the band is one.
const rounding = 1e-9

// compare gives the levels after a scan and what changed.
func (l levels) compare(now scanned, at time.Time) (levels, []Change) {
	after, changes := make(levels, len(metrics)), []Change{}
	for i := range metrics {
		m := &metrics[i]
		before, known := l[m.name]
		if !now.has(m.name) {
			if known {
				after[m.name] = before
			}
			continue
		}
		var change *Change
		if x, number := now.numbers[m.name]; number {
			after[m.name], change = m.compareNumber(before, known && before.Number != nil, x, now.dailyDeviation, at)
		} else {
			after[m.name], change = m.compareWord(before, known && before.Word != "", now.words[m.name], at)
		}
		if change != nil {
			changes = append(changes, *change)
		}
	}
	return after, changes
}

// compareWord tells a change of a word.
func (m *metric) compareWord(before level, known bool, to string, at time.Time) (level, *Change) {
	now := level{Word: to, At: later(before.At, at)}
	if !known || before.Word == to {
		return now, nil
	}
	change := &Change{Metric: m.name, Direction: "changed"}
	steps := 0
	if from, to := slices.Index(m.order, before.Word), slices.Index(m.order, to); from >= 0 && to >= 0 {
		steps = to - from
		change.Direction = direction(float64(steps))
	}
	change.Severity = m.weigh(before.Word, to, float64(steps))
	change.Detail = m.wordDetail(before.Word, to, at.Sub(before.At))
	return now, change
}

// wordDetail writes a change of a word. Accounts are not named.
func (m *metric) wordDetail(from, to string, passed time.Duration) string {
	switch m.name {
	case "owner":
		switch {
		case to == ownerNobody:
			return fmt.Sprintf("The owner gave up ownership within %s.", display.DurationText(max(0, passed)))
		case from == ownerNobody:
			return fmt.Sprintf("The token had no owner and has got one within %s.", display.DurationText(max(0, passed)))
		}
		return fmt.Sprintf("The token has another owner than %s before.", display.DurationText(max(0, passed)))
	case "selling":
		return fmt.Sprintf("Selling was %s %s before and is %s now.", from, display.DurationText(max(0, passed)), to)
	case "implementation":
		return fmt.Sprintf("The contract runs other code than %s before.", display.DurationText(max(0, passed)))
	}
	return fmt.Sprintf("The %s went from %s to %s in %s.", m.label, from, to, display.DurationText(max(0, passed)))
}

// compareNumber tells a change of a number. A number that has moved by its band is told, and is told again when it moves on by a
// band, or when it comes back to within leaveShare of a band of where it had come from. In between nothing is told, so that a number
// that wavers at a threshold does not flap.
func (m *metric) compareNumber(before level, known bool, x, dailyDeviation float64, at time.Time) (level, *Change) {
	if !known {
		return level{Number: &x, At: at}, nil
	}
	told := *before.Number
	enter, leave := m.bandFor(dailyDeviation, at.Sub(before.At))
	moved := m.distance(told, x)
	back := false
	if before.Before != nil {
		// A band that has grown since must not make the told change itself look like a way back.
		leave := min(leave, leaveShare*math.Abs(m.distance(*before.Before, told)))
		back = math.Abs(m.distance(*before.Before, x)) <= leave+rounding
	}
	switch {
	case back:
		return level{Number: &x, At: at}, m.numberChange(told, x, moved, at.Sub(before.At))
	case math.Abs(moved) >= enter-rounding:
		return level{Number: &x, Before: &told, At: at}, m.numberChange(told, x, moved, at.Sub(before.At))
	case math.Abs(moved) <= leave:
		before.At = later(before.At, at)
	}
	return before, nil
}

// distance is how far a number moved: as a fraction of what it was, or as a difference.
func (m *metric) distance(from, to float64) float64 {
	if !m.relative {
		return to - from
	}
	if from == 0 {
		if to == 0 {
			return 0
		}
		return 1 // from nothing to something: all of it
	}
	return to/from - 1
}

func (m *metric) numberChange(from, to, moved float64, passed time.Duration) *Change {
	change := &Change{Metric: m.name, Direction: direction(moved), Severity: m.weigh("", "", moved)}
	in := display.DurationText(max(0, passed))
	switch by := display.PercentText(math.Abs(moved)); {
	case m.show == nil:
		change.Detail = fmt.Sprintf("The %s went %s by %s in %s.", m.label, change.Direction, by, in)
	case m.relative:
		change.Detail = fmt.Sprintf("The %s went from %s to %s, %s by %s, in %s.", m.label, m.show(from), m.show(to), change.Direction, by, in)
	default:
		change.Detail = fmt.Sprintf("The %s went from %s to %s in %s.", m.label, m.show(from), m.show(to), in)
	}
	return change
}

func direction(by float64) string {
	if by < 0 {
		return "down"
	}
	return "up"
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
