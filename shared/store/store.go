package store

import (
	"errors"
	"fmt"
	"time"
)

// What a store refuses. Engines wrap these with the id concerned; compare with errors.Is.
var (
	// ErrNotFound: what was asked for, or what a write depends on, is not there.
	ErrNotFound = errors.New("not found")
	// ErrConflict: the id, or the version, is taken already.
	ErrConflict = errors.New("already exists")
	// ErrTooManyKeys: the partner has MaxLiveKeys live keys of that mode already.
	ErrTooManyKeys = errors.New("too many live keys")
	// ErrInvalid: the arguments break a rule that the port states. It is a bug of the caller, and nothing was changed.
	ErrInvalid = errors.New("invalid argument")
	// ErrExceedsBurst: more units were asked for than the bucket ever holds, so waiting does not help.
	ErrExceedsBurst = errors.New("units exceed the burst of the limit")
)

// maxIDLength keeps composed keys far below DynamoDB's 1,024 bytes for a sort key.
const maxIDLength = 128

// The years that a time may lie in: all of it fits into nanoseconds since 1970, with room for the emptiest bucket to fill.
const (
	firstYear = 1970
	lastYear  = 2200
)

// CheckID reports ErrInvalid unless id can be a part of a key: 1 to 128 bytes of printable ASCII, without space and without
// '#', which separates the parts of a key. what names the id in the error.
func CheckID(what, id string) error {
	if id == "" || len(id) > maxIDLength {
		return fmt.Errorf("%w: %s has %d bytes, want 1 to %d", ErrInvalid, what, len(id), maxIDLength)
	}
	for i := range len(id) {
		if c := id[i]; c <= ' ' || c > '~' || c == '#' {
			return fmt.Errorf("%w: %s %q may hold printable ASCII only, no space, no '#'", ErrInvalid, what, id)
		}
	}
	return nil
}

// CheckTime reports ErrInvalid unless at lies in the years 1970 to 2200, which the zero time does not. what names the time in
// the error.
func CheckTime(what string, at time.Time) error {
	if year := at.UTC().Year(); year < firstYear || year > lastYear {
		return fmt.Errorf("%w: %s %v is not in the years %d to %d", ErrInvalid, what, at, firstYear, lastYear)
	}
	return nil
}

// checkData reports ErrInvalid unless data has 1 to maximum bytes.
func checkData(what string, data []byte, maximum int) error {
	if len(data) == 0 || len(data) > maximum {
		return fmt.Errorf("%w: %s of %d bytes, want 1 to %d", ErrInvalid, what, len(data), maximum)
	}
	return nil
}
