package cache_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/cache"
)

type key struct{ chain, address string }

func TestTypedValues(t *testing.T) {
	c := cache.New(cache.Options[key, []int]{MaximumEntries: 10})
	if _, found := c.Get(key{"base", "a"}); found {
		t.Error("an empty cache has a value")
	}
	c.Set(key{"base", "a"}, []int{1})
	c.Set(key{"eth", "a"}, nil)
	if got, found := c.Get(key{"base", "a"}); !found || len(got) != 1 {
		t.Error(got, found)
	}
	if got, found := c.Get(key{"eth", "a"}); !found || got != nil {
		t.Error("nothing, kept, is found again:", got, found)
	}
	c.Forget(key{"base", "a"})
	if _, found := c.Get(key{"base", "a"}); found {
		t.Error("a forgotten value is there")
	}
}

// A cache of interfaces holds nil like any value.
func TestNilInterfaces(t *testing.T) {
	c := cache.New(cache.Options[string, error]{MaximumEntries: 10})
	got, err := c.Load(context.Background(), "a", func(context.Context) (error, error) { return nil, nil })
	if got != nil || err != nil {
		t.Error(got, err)
	}
	if got, found := c.Get("a"); got != nil || !found {
		t.Error(got, found)
	}
}

func TestOneMakesForAll(t *testing.T) {
	c := cache.New(cache.Options[int, *int]{MaximumEntries: 10})
	var made [16]*int
	var wait sync.WaitGroup
	for i := range made {
		wait.Go(func() { made[i] = c.GetOrMake(1, func() *int { return new(int) }) })
	}
	wait.Wait()
	for _, one := range made {
		if one != made[0] {
			t.Error("two were made for one key")
		}
	}
}

func TestValuesEndByTheirOwnTime(t *testing.T) {
	var now atomic.Pointer[time.Time] // the library looks at it in the background
	set := func(at time.Time) { now.Store(&at) }
	set(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	c := cache.New(cache.Options[string, time.Duration]{
		MaximumEntries: 10, Clock: func() time.Time { return *now.Load() }, Lasts: func(d time.Duration) time.Duration { return d },
	})
	c.Set("short", time.Second)
	c.Set("long", time.Hour)
	set(now.Load().Add(time.Minute))
	if _, found := c.Get("short"); found {
		t.Error("what lasts a second is there after a minute")
	}
	if _, found := c.Get("long"); !found {
		t.Error("what lasts an hour is gone after a minute")
	}
}

// Whatever is asked of it, a bounded cache gives what was set or loaded last, or nothing, and holds no more than its bound.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const bound = 4
		c := cache.New(cache.Options[int, int]{MaximumWeight: bound, Weigh: func(int, int) int { return 1 }})
		model := make(map[int]int)
		anyKey := rapid.IntRange(0, 8)
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				k, v := anyKey.Draw(t, "key"), rapid.Int().Draw(t, "value")
				c.Set(k, v)
				model[k] = v
			},
			"forget": func(t *rapid.T) {
				k := anyKey.Draw(t, "key")
				c.Forget(k)
				delete(model, k)
			},
			"load all": func(t *rapid.T) {
				keys := rapid.SliceOfDistinct(anyKey, func(k int) int { return k }).Draw(t, "keys")
				found, err := c.LoadAll(context.Background(), keys, func(_ context.Context, missing []int) (map[int]int, error) {
					loaded := make(map[int]int)
					for _, k := range missing {
						loaded[k] = -k
						model[k] = -k
					}
					return loaded, nil
				})
				if err != nil || len(found) != len(keys) {
					t.Fatal(found, err)
				}
				for k, v := range found {
					if model[k] != v {
						t.Fatalf("%d is %d, not %d", k, v, model[k])
					}
				}
			},
			"": func(t *rapid.T) {
				for k := range 9 {
					if v, found := c.Get(k); found && model[k] != v {
						t.Fatalf("%d is %d, not %d", k, v, model[k])
					}
				}
			},
		})
	})
}

func TestRoomIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cache.New(cache.Options[int, []byte]{MaximumWeight: 1000, Weigh: func(_ int, b []byte) int { return len(b) }})
		for i := range 100 {
			c.Set(i, make([]byte, 100))
		}
		synctest.Wait()
		held := 0
		for i := range 100 {
			if _, found := c.Get(i); found {
				held++
			}
		}
		if held > 10 || held == 0 {
			t.Errorf("%d values of 100 bytes in 1000 bytes", held)
		}
	})
}

// A load is shared by all who ask meanwhile; its failure reaches them all and is not kept.
func TestLoadsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cache.New(cache.Options[string, int]{MaximumEntries: 10})
		release, loads := make(chan struct{}), 0
		broken := errors.New("broken")
		load := func(result int, err error) func(context.Context) (int, error) {
			return func(context.Context) (int, error) {
				loads++
				<-release
				return result, err
			}
		}
		ask := func(load func(context.Context) (int, error)) (errs int) {
			var wait sync.WaitGroup
			var mu sync.Mutex
			for range 8 {
				wait.Go(func() {
					if _, err := c.Load(t.Context(), "a", load); errors.Is(err, broken) {
						mu.Lock()
						errs++
						mu.Unlock()
					}
				})
			}
			synctest.Wait()
			release <- struct{}{}
			wait.Wait()
			return errs
		}
		if errs := ask(load(0, broken)); errs != 8 || loads != 1 {
			t.Errorf("%d loads, %d errors", loads, errs)
		}
		if errs := ask(load(7, nil)); errs != 0 || loads != 2 {
			t.Errorf("%d loads, %d errors", loads, errs)
		}
		if got, err := c.Load(t.Context(), "a", func(context.Context) (int, error) { return 0, broken }); got != 7 || err != nil {
			t.Error(got, err)
		}
	})
}

func BenchmarkGet(b *testing.B) {
	c := cache.New(cache.Options[key, int]{MaximumEntries: 1000})
	c.Set(key{"base", "a"}, 1)
	b.ReportAllocs()
	for b.Loop() {
		c.Get(key{"base", "a"})
	}
}
