package leader

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// cursor is where the next page of a board begins.
type cursor struct {
	view view
	// at is the time of the edition that is being read, position the first row of the next page.
	at       time.Time
	position int
}

// cursorSeparator stands in no board's name.
const cursorSeparator = "#"

// text writes the cursor. Its parts are those of a view, so that a cursor of one view is none of another.
func (c cursor) text() string {
	parts := []string{c.view.board, c.view.part, strconv.FormatInt(c.at.UnixNano(), 10), strconv.Itoa(c.position)}
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Join(parts, cursorSeparator)))
}

// readCursor reads a cursor of a view. The error is for the partner who sent it.
func readCursor(text string, of view) (cursor, error) {
	invalid := endpoint.Invalid("cursor", "cursor must be the nextCursor of an answer to this same request, or left out to start again.")
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return cursor{}, invalid
	}
	parts := strings.Split(string(decoded), cursorSeparator)
	if len(parts) != 4 {
		return cursor{}, invalid
	}
	nanoseconds, timeErr := strconv.ParseInt(parts[2], 10, 64)
	position, positionErr := strconv.Atoi(parts[3])
	// Whatever is not to the letter what the view's own cursor would be, that of another view too, is refused by its text.
	c := cursor{view: of, at: time.Unix(0, nanoseconds).UTC(), position: position}
	if timeErr != nil || positionErr != nil || position < 1 || position >= store.MaximumBoardRows ||
		store.CheckTime("cursor", c.at) != nil || c.text() != text {
		return cursor{}, invalid
	}
	return c, nil
}
