package conformance

import (
	"bytes"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const lease = time.Minute

func newRequest(partner, key, token string, at time.Time) store.KeyedRequest {
	return store.KeyedRequest{Partner: partner, Key: key, Fingerprint: []byte("\x00\xffprint"), Token: token, BegunAt: at, LeaseUntil: at.Add(lease)}
}

func sameRequest(got, want store.KeyedRequest) bool {
	return got.Partner == want.Partner && got.Key == want.Key && bytes.Equal(got.Fingerprint, want.Fingerprint) && got.Token == want.Token &&
		got.BegunAt.Equal(want.BegunAt) && got.BegunAt.Location() == time.UTC &&
		got.LeaseUntil.Equal(want.LeaseUntil) && got.LeaseUntil.Location() == time.UTC &&
		got.Status == want.Status && bytes.Equal(got.Answer, want.Answer)
}

// beginRequest begins a request and checks whether it is the caller's, and what is kept then.
func beginRequest(t tester, s Stores, request store.KeyedRequest, wantMine bool, want store.KeyedRequest) {
	t.Helper()
	kept, mine, err := s.Idempotency.Begin(t.Context(), request)
	mustDo(t, err)
	if mine != wantMine || !sameRequest(kept, want) {
		t.Errorf("request %+v, mine %v; want %+v, mine %v", kept, mine, want, wantMine)
	}
}

func checkIdempotency(t *testing.T, s Stores) {
	ctx := t.Context()
	first := newRequest("acme", "key", "first", epoch)
	inZone := first
	inZone.BegunAt, inZone.LeaseUntil = first.BegunAt.In(behind), first.LeaseUntil.In(behind)
	beginRequest(t, s, inZone, true, first)

	// As long as it is leased nobody else goes on, and whoever asks something else never does.
	other := newRequest("acme", "key", "other", epoch.Add(2*lease))
	other.Fingerprint = []byte("other")
	for _, after := range []time.Duration{-time.Hour, 0, lease - 1} {
		beginRequest(t, s, newRequest("acme", "key", "second", epoch.Add(after)), false, first)
	}
	beginRequest(t, s, other, false, first)
	// When the lease has ended one goes on, with the token of the first.
	second := newRequest("acme", "key", "second", epoch.Add(lease))
	prolonged := second
	prolonged.Token = "first"
	beginRequest(t, s, second, true, prolonged)
	beginRequest(t, s, newRequest("acme", "key", "third", epoch.Add(2*lease-1)), false, prolonged)

	// Answered by whoever has the token, once.
	wantError(t, "Answer with another token", s.Idempotency.Answer(ctx, "acme", "key", "second", 200, []byte("wrong")), store.ErrNotFound)
	wantError(t, "Answer of none", s.Idempotency.Answer(ctx, "acme", "other", "first", 200, []byte("wrong")), store.ErrNotFound)
	answered := prolonged
	answered.Status, answered.Answer = 201, bytes.Repeat([]byte{0xfe}, store.MaximumAnswer)
	mustDo(t, s.Idempotency.Answer(ctx, "acme", "key", "first", 201, answered.Answer))
	mustDo(t, s.Idempotency.Answer(ctx, "acme", "key", "first", 500, []byte("later")))
	mustDo(t, s.Idempotency.Release(ctx, "acme", "key", "first"))
	for _, at := range []time.Time{epoch, epoch.Add(3 * lease), prolonged.BegunAt.Add(store.IdempotencyLife)} {
		again := newRequest("acme", "key", "third", at)
		beginRequest(t, s, again, false, answered)
		again.Fingerprint = []byte("other")
		beginRequest(t, s, again, false, answered)
	}
	// It lives as long as was promised since it was begun last, and not a nanosecond longer.
	late := newRequest("acme", "key", "late", prolonged.BegunAt.Add(store.IdempotencyLife+1))
	late.Fingerprint = []byte("other")
	beginRequest(t, s, late, true, late)
	wantError(t, "Answer with the token of one that is gone", s.Idempotency.Answer(ctx, "acme", "key", "first", 200, []byte("wrong")), store.ErrNotFound)

	// Without an answer, too: then whoever comes has a token of its own, although the lease ended.
	slow := newRequest("acme", "slow", "first", epoch)
	beginRequest(t, s, slow, true, slow)
	slower := newRequest("acme", "slow", "second", epoch.Add(store.IdempotencyLife))
	taken := slower
	taken.Token = "first"
	beginRequest(t, s, slower, true, taken)
	slowest := newRequest("acme", "slow", "third", slower.BegunAt.Add(store.IdempotencyLife+1))
	beginRequest(t, s, slowest, true, slowest)

	// Released it is as if it had never been; with another token nothing is.
	for _, token := range []string{"first", "other"} {
		mustDo(t, s.Idempotency.Release(ctx, "acme", "slow", token))
	}
	beginRequest(t, s, newRequest("acme", "slow", "fourth", slowest.BegunAt), false, slowest)
	for range 2 {
		mustDo(t, s.Idempotency.Release(ctx, "acme", "slow", "third"))
		mustDo(t, s.Idempotency.Release(ctx, "acme", "none", "third"))
	}
	fresh := newRequest("acme", "slow", "fifth", slowest.BegunAt)
	beginRequest(t, s, fresh, true, fresh)

	// Similar names do not see each other.
	names := []string{"a", "a!", "a-b", "aa"}
	for _, partner := range names {
		for _, key := range names {
			request := newRequest(partner, key, partner+key, epoch)
			beginRequest(t, s, request, true, request)
		}
	}
	for _, partner := range names {
		for _, key := range names {
			beginRequest(t, s, newRequest(partner, key, "again", epoch), false, newRequest(partner, key, partner+key, epoch))
		}
	}
}

func checkConcurrentIdempotency(t *testing.T, s Stores) {
	ctx := t.Context()
	for round, at := range []time.Time{epoch, epoch.Add(time.Hour), epoch.Add(time.Hour + store.IdempotencyLife + 1)} {
		var begun atomic.Int64
		tokens := make([]string, goroutines)
		atOnce(goroutines, func(i int) {
			kept, mine, err := s.Idempotency.Begin(ctx, newRequest("acme", "rush", fmt.Sprint(round, "-", i), at))
			if err != nil {
				t.Errorf("Begin: %v", err)
			}
			if mine {
				begun.Add(1)
			}
			tokens[i] = kept.Token
		})
		if begun.Load() != 1 {
			t.Errorf("round %d: %d have begun it, want 1", round, begun.Load())
		}
		for _, token := range tokens {
			if token != tokens[0] {
				t.Errorf("round %d: tokens %s and %s of one request", round, token, tokens[0])
			}
		}
	}
	kept, _, err := s.Idempotency.Begin(ctx, newRequest("acme", "rush", "late", epoch.Add(time.Hour+store.IdempotencyLife+1)))
	mustDo(t, err)
	atOnce(racers, func(i int) {
		if err := s.Idempotency.Answer(ctx, "acme", "rush", kept.Token, 200+i, fmt.Append(nil, 200+i)); err != nil {
			t.Errorf("Answer: %v", err)
		}
	})
	kept, mine, err := s.Idempotency.Begin(ctx, newRequest("acme", "rush", "later", kept.LeaseUntil.Add(time.Hour)))
	if mustDo(t, err); mine || string(kept.Answer) != fmt.Sprint(kept.Status) {
		t.Errorf("answer %d %q, mine %v", kept.Status, kept.Answer, mine)
	}
}

func checkInvalidIdempotency(t *testing.T, s Stores) {
	ctx := t.Context()
	good := newRequest("acme", "good", "first", epoch)
	beginRequest(t, s, good, true, good)
	try := func(what string, bad store.KeyedRequest) {
		t.Helper()
		_, mine, err := s.Idempotency.Begin(ctx, bad)
		if wantError(t, what, err, store.ErrInvalid); mine {
			t.Errorf("%s: mine beside an error", what)
		}
	}
	for _, id := range []string{"", "a b", "a#b", strings.Repeat("x", 129)} {
		for _, names := range [][3]string{{id, "good", "first"}, {"acme", id, "first"}, {"acme", "good", id}} {
			try("Begin", newRequest(names[0], names[1], names[2], epoch))
			wantError(t, "Answer", s.Idempotency.Answer(ctx, names[0], names[1], names[2], 200, []byte("{}")), store.ErrInvalid)
			wantError(t, "Release", s.Idempotency.Release(ctx, names[0], names[1], names[2]), store.ErrInvalid)
		}
	}
	for what, spoil := range map[string]func(*store.KeyedRequest){
		"no fingerprint": func(r *store.KeyedRequest) { r.Fingerprint = nil }, "a long fingerprint": func(r *store.KeyedRequest) { r.Fingerprint = make([]byte, 65) },
		"no time": func(r *store.KeyedRequest) { r.BegunAt = time.Time{} }, "no lease": func(r *store.KeyedRequest) { r.LeaseUntil = epoch },
		"a status": func(r *store.KeyedRequest) { r.Status = 200 }, "an answer": func(r *store.KeyedRequest) { r.Answer = []byte("{}") },
	} {
		bad := newRequest("acme", "bad", "first", epoch)
		spoil(&bad)
		try(what, bad)
	}
	for _, status := range []int{-1, 0, 99, 600} {
		wantError(t, "a status", s.Idempotency.Answer(ctx, "acme", "good", "first", status, []byte("{}")), store.ErrInvalid)
	}
	for _, size := range []int{0, store.MaximumAnswer + 1} {
		wantError(t, "an answer", s.Idempotency.Answer(ctx, "acme", "good", "first", 200, make([]byte, size)), store.ErrInvalid)
	}
	beginRequest(t, s, newRequest("acme", "good", "second", epoch), false, good)

	// Memory is not shared.
	mine := newRequest("acme", "mine", "first", epoch)
	want := newRequest("acme", "mine", "first", epoch)
	kept, _, err := s.Idempotency.Begin(ctx, mine)
	mustDo(t, err)
	kept.Fingerprint[0] = '?'
	if mine.Fingerprint[0] == '?' {
		t.Error("what Begin gave is the caller's own memory")
	}
	mine.Fingerprint[0] = '!'
	beginRequest(t, s, newRequest("acme", "mine", "second", epoch), false, want)
	answer := []byte("answer")
	mustDo(t, s.Idempotency.Answer(ctx, "acme", "mine", "first", 200, answer))
	answer[0] = '!'
	want.Status, want.Answer = 200, []byte("answer")
	kept, _, err = s.Idempotency.Begin(ctx, newRequest("acme", "mine", "second", epoch))
	mustDo(t, err)
	kept.Answer[0] = '?'
	beginRequest(t, s, newRequest("acme", "mine", "second", epoch), false, want)
}

func checkNonces(t *testing.T, s Stores) {
	ctx, until := t.Context(), epoch.Add(time.Hour)
	claim := func(holder string, until, now time.Time) error {
		return s.Nonces.Claim(ctx, "scope", "nonce", holder, until, now)
	}
	mustDo(t, claim("first", until.In(behind), epoch.In(behind)))
	for _, now := range []time.Time{epoch.Add(-time.Hour), epoch, until.Add(-1)} {
		mustDo(t, claim("first", until.Add(time.Hour), now)) // which prolongs nothing
		for _, holder := range []string{"second", "firs", "first!"} {
			wantError(t, "Claim of another", claim(holder, until.Add(time.Hour), now), store.ErrConflict)
		}
	}
	// It is free when the first claim said; and time that goes back gives it to nobody else.
	mustDo(t, claim("second", until.Add(time.Minute), until))
	wantError(t, "Claim of the first, late", claim("first", until.Add(time.Hour), until), store.ErrConflict)
	wantError(t, "Claim of the first, its clock behind", claim("first", until.Add(time.Hour), epoch), store.ErrConflict)
	mustDo(t, claim("second", until.Add(time.Hour), until.Add(time.Minute)))
	wantError(t, "Claim", claim("first", until.Add(2*time.Hour), until.Add(time.Hour-1)), store.ErrConflict)

	// Whatever becomes of others, and however far ahead somebody's clock is: what was claimed stays.
	for i := range 20 {
		now := epoch.Add(time.Duration(i) * time.Hour)
		mustDo(t, s.Nonces.Claim(ctx, "many", fmt.Sprint(i), "first", now.Add(time.Hour), now))
	}
	for i := range 20 {
		now := epoch.Add(time.Duration(i) * time.Hour)
		wantError(t, "Claim of a nonce of many", s.Nonces.Claim(ctx, "many", fmt.Sprint(i), "second", now.Add(2*time.Hour), now.Add(time.Hour-1)), store.ErrConflict)
	}

	names := []string{"a", "a!", "a-b", "aa", long}
	for _, scope := range names {
		for _, nonce := range names {
			mustDo(t, s.Nonces.Claim(ctx, scope, nonce, long[:len(scope)], until, epoch))
		}
	}
	var claimed atomic.Int64
	for _, now := range []time.Time{epoch, until} { // new, and free again
		claimed.Store(0)
		atOnce(goroutines, func(i int) {
			switch err := s.Nonces.Claim(ctx, "rush", "nonce", fmt.Sprint(now.Unix(), "-", i/2), now.Add(time.Hour), now); {
			case err == nil:
				claimed.Add(1)
			case !isConflict(err):
				t.Errorf("Claim: %v", err)
			}
		})
		if claimed.Load() != 2 { // a holder's two
			t.Errorf("%d hold one nonce, want one holder, twice", claimed.Load())
		}
	}

	for _, id := range []string{"", "a b", "a#b", strings.Repeat("x", 129)} {
		for _, names := range [][3]string{{id, "new", "first"}, {"scope", id, "first"}, {"scope", "new", id}} {
			wantError(t, "Claim", s.Nonces.Claim(ctx, names[0], names[1], names[2], until, epoch), store.ErrInvalid)
		}
	}
	for _, times := range [][2]time.Time{{epoch, epoch}, {epoch, until}, {until, {}}, {{}, epoch}} {
		wantError(t, "Claim", s.Nonces.Claim(ctx, "scope", "new", "first", times[0], times[1]), store.ErrInvalid)
	}
	mustDo(t, s.Nonces.Claim(ctx, "scope", "new", "second", until, epoch))
}
