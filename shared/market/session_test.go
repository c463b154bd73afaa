package market_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

type factA struct{ id int }

type factB struct{ id int }

func TestManyAskersShareOneFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		session := market.NewSession(t.Context(), market.Sources{})
		var fetches atomic.Int64
		release := make(chan struct{})
		fetch := func(context.Context) (*int, error) {
			fetches.Add(1)
			<-release
			return new(int), nil
		}
		facts := make([]*int, 100)
		var askers sync.WaitGroup
		for i := range facts {
			askers.Go(func() {
				fact, err := market.Once(t.Context(), session, factA{1}, fetch)
				if err != nil {
					t.Error(err)
				}
				facts[i] = fact
			})
		}
		synctest.Wait() // every asker waits for the one fetch
		close(release)
		askers.Wait()
		if late, err := market.Once(t.Context(), session, factA{1}, fetch); err != nil || late != facts[0] {
			t.Error("a late asker got another fact", err)
		}
		for _, fact := range facts {
			if fact == nil || fact != facts[0] {
				t.Fatal("askers got different facts")
			}
		}
		if fetches.Load() != 1 {
			t.Errorf("%d fetches", fetches.Load())
		}
	})
}

func TestAFailureIsSharedAndNotRepeated(t *testing.T) {
	session := market.NewSession(t.Context(), market.Sources{})
	fetches := 0
	for range 3 {
		value, err := market.Once(t.Context(), session, factA{1}, func(context.Context) (int, error) {
			fetches++
			return 7, fmt.Errorf("asking: %w", market.ErrUnavailable)
		})
		if !errors.Is(err, market.ErrUnavailable) || value != 0 {
			t.Errorf("%v, %v", value, err)
		}
	}
	if fetches != 1 {
		t.Errorf("%d fetches", fetches)
	}
}

func TestAFetchThatDoesNotReturnIsAnError(t *testing.T) {
	session := market.NewSession(t.Context(), market.Sources{})
	for range 2 {
		value, err := market.Once(t.Context(), session, factA{1}, func(context.Context) (int, error) { panic("a bug at row 7") })
		if err == nil || value != 0 || !strings.Contains(err.Error(), "a bug at row 7") || !strings.Contains(err.Error(), "session_test.go") {
			t.Errorf("%v, %v", value, err)
		}
	}
	cause := errors.New("a cause")
	if _, err := market.Once(t.Context(), session, factA{2}, func(context.Context) (int, error) { panic(cause) }); err == nil || !strings.Contains(err.Error(), "a cause") {
		t.Error(err)
	}
	if _, err := market.Once(t.Context(), session, factA{3}, func(context.Context) (int, error) { runtime.Goexit(); return 1, nil }); err == nil {
		t.Error("an abandoned fetch is a fact")
	}
	// The session goes on.
	if value, err := market.Once(t.Context(), session, factA{4}, func(context.Context) (int, error) { return 4, nil }); err != nil || value != 4 {
		t.Error(value, err)
	}
}

func TestAnAskerThatLeavesLeavesTheOthersTheFact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		session := market.NewSession(t.Context(), market.Sources{})
		release := make(chan struct{})
		fetch := func(ctx context.Context) (string, error) {
			select {
			case <-release:
				return "fact", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}
		// The one that leaves is the one that started the fetch.
		outOfTime := errors.New("this slot is out of time")
		impatient, leave := context.WithCancelCause(t.Context())
		left := make(chan error)
		go func() {
			_, err := market.Once(impatient, session, factA{1}, fetch)
			left <- err
		}()
		synctest.Wait()
		stayed := make(chan string)
		go func() {
			fact, err := market.Once(t.Context(), session, factA{1}, fetch)
			if err != nil {
				t.Error(err)
			}
			stayed <- fact
		}()
		synctest.Wait()
		leave(outOfTime)
		if err := <-left; !errors.Is(err, outOfTime) {
			t.Error(err)
		}
		close(release)
		if fact := <-stayed; fact != "fact" {
			t.Errorf("%q", fact)
		}
		// Who comes too late still gets what is there, every time, and starts nothing.
		for range 100 {
			if fact, err := market.Once(impatient, session, factA{1}, fetch); err != nil || fact != "fact" {
				t.Fatal(fact, err)
			}
		}
		fetched := false
		if _, err := market.Once(impatient, session, factA{2}, func(context.Context) (string, error) { fetched = true; return "", nil }); !errors.Is(err, outOfTime) {
			t.Error(err)
		}
		synctest.Wait()
		if fetched {
			t.Error("a fetch for nobody")
		}
	})
}

func TestFetchesEndWithTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type mark struct{}
		request, end := context.WithTimeout(context.WithValue(t.Context(), mark{}, "request"), time.Minute)
		defer end()
		session := market.NewSession(request, market.Sources{})
		asker := context.WithValue(t.Context(), mark{}, "asker")
		_, err := market.Once(asker, session, factA{1}, func(ctx context.Context) (int, error) {
			if got := ctx.Value(mark{}); got != "request" {
				t.Errorf("fetched under the context of the %v", got)
			}
			<-ctx.Done()
			return 0, ctx.Err()
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

func TestKeysOfDifferentTypesNeverCollide(t *testing.T) {
	session := market.NewSession(t.Context(), market.Sources{})
	type factA struct{ id int } // another package's type of the same name and shape
	ask := func(key any, value string) string {
		t.Helper()
		got, err := market.Once(t.Context(), session, key, func(context.Context) (string, error) { return value, nil })
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	outer := func(id int) any { return outerKey(id) }
	for i, key := range []any{outer(1), factA{1}, factB{1}, 1, int64(1), "1", [1]int{1}, nil, struct{}{}} {
		want := fmt.Sprint(i)
		if got := ask(key, want); got != want {
			t.Errorf("%T shares the fact of number %s", key, got)
		}
		if got := ask(key, "again"); got != want {
			t.Errorf("%T: %s", key, got)
		}
	}
	// The same key with facts of another type is another fact, and no panic.
	if number, err := market.Once(t.Context(), session, 1, func(context.Context) (int, error) { return 5, nil }); err != nil || number != 5 {
		t.Error(number, err)
	}
	// A fact may be nothing.
	for range 2 {
		if none, err := market.Once(t.Context(), session, "none", func(context.Context) (fmt.Stringer, error) { return nil, nil }); err != nil || none != nil {
			t.Error(none, err)
		}
	}
}

func outerKey(id int) factA { return factA{id} }

// Whatever is asked for in whatever order, each key is fetched once and gives its own fact.
func TestOnceProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 30).Draw(t, "keys")
		session := market.NewSession(context.Background(), market.Sources{})
		var fetches [6]atomic.Int64
		var askers sync.WaitGroup
		wrong := make([]error, len(keys))
		for i, key := range keys {
			askers.Go(func() {
				fact, err := market.Once(context.Background(), session, factA{key}, func(context.Context) (int, error) {
					fetches[key].Add(1)
					return key * 10, nil
				})
				if err != nil || fact != key*10 {
					wrong[i] = fmt.Errorf("key %d: %d, %v", key, fact, err)
				}
			})
		}
		askers.Wait()
		if err := errors.Join(wrong...); err != nil {
			t.Fatal(err)
		}
		for key := range fetches {
			if n := fetches[key].Load(); n > 1 {
				t.Fatalf("key %d was fetched %d times", key, n)
			}
		}
	})
}

func BenchmarkOnceOfAKnownFact(b *testing.B) {
	session := market.NewSession(b.Context(), market.Sources{})
	fetch := func(context.Context) (int, error) { return 1, nil }
	b.ReportAllocs()
	for b.Loop() {
		if _, err := market.Once(b.Context(), session, factA{1}, fetch); err != nil {
			b.Fatal(err)
		}
	}
}
