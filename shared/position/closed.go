package position

import (
	"slices"
)

// closedRateable selects and orders the positions that make a record.
func closedRateable(positions []Position) []*Position {
	closed := make([]*Position, 0, len(positions))
	for i := range positions {
		if p := &positions[i]; p.Status == Closed && p.Rateable && !p.SameBlock {
			closed = append(closed, p)
		}
	}
	slices.SortStableFunc(closed, func(a, b *Position) int {
		if order := a.ClosedAt.Compare(b.ClosedAt); order != 0 {
			return order
		}
		if order := a.OpenedAt.Compare(b.OpenedAt); order != 0 {
			return order
		}
		return a.Token.Compare(b.Token)
	})
	return closed
}
