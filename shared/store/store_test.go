package store_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

func FuzzCheckID(f *testing.F) {
	for _, seed := range []string{"acme", "a#b", "", " ", "a b", "ü", "\x00", "\x7f", "~", "!", strings.Repeat("x", 128), strings.Repeat("x", 129), "copy/leaders"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, id string) {
		want := len(id) >= 1 && len(id) <= 128 && !strings.ContainsFunc(id, func(r rune) bool { return r < '!' || r > '~' || r == '#' })
		if err := store.CheckID("id", id); (err == nil) != want || (err != nil && !errors.Is(err, store.ErrInvalid)) {
			t.Errorf("CheckID(%q): %v, want accepted %v", id, err, want)
		}
	})
}

func TestCheckTime(t *testing.T) {
	for at, want := range map[time.Time]bool{
		{}: false,
		time.Date(1969, 12, 31, 23, 59, 59, 999_999_999, time.UTC): false,
		time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC):                true,
		time.Date(2200, 12, 31, 23, 59, 59, 999_999_999, time.UTC): true,
		time.Date(2201, 1, 1, 0, 0, 0, 0, time.UTC):                false,
		// It is the year in UTC that counts.
		time.Date(1970, 1, 1, 0, 0, 0, 0, time.FixedZone("east", 3600)):      false,
		time.Date(2200, 12, 31, 23, 30, 0, 0, time.FixedZone("west", -3600)): false,
	} {
		if err := store.CheckTime("at", at); (err == nil) != want || (err != nil && !errors.Is(err, store.ErrInvalid)) {
			t.Errorf("CheckTime(%v): %v, want accepted %v", at, err, want)
		}
	}
}
