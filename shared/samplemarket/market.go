package samplemarket

import (
	"slices"
	"sync"
	"time"
)

// Config is what makes a market. Two markets of the same Seed and Start are the same world.
type Config struct {
	Seed uint64
	// Start is the first instant of the simulated history, cut to the hour. What is older (established tokens, funding) is there too.
	Start time.Time
	// Clock tells the present; the world has happened up to the newest block at that time.
	Clock func() time.Time
	// Chains are the slugs of the chains that there are, each the same world as among all; none are all.
	Chains []string
}

// Market is the simulated market. It is safe for concurrent use.
type Market struct {
	config Config
	start  int64
	mu     sync.RWMutex
	worlds []*world
	unix   int64 // the world has happened up to here
	door   door
	venues venues
}

// New makes the market and lets its history happen up to the clock. A nil Clock is one that stands at Start.
func New(config Config) *Market {
	config.Start = config.Start.UTC().Truncate(time.Hour)
	if config.Clock == nil {
		start := config.Start
		config.Clock = func() time.Time { return start }
	}
	m := &Market{config: config, start: config.Start.Unix(), door: newDoor(config.Seed)}
	for i := range chainSpecs {
		if len(config.Chains) > 0 && !slices.Contains(config.Chains, chainSpecs[i].slug) {
			continue
		}
		m.worlds = append(m.worlds, newWorld(&chainSpecs[i], config.Seed, m.start))
	}
	m.advance()
	return m
}

// advance lets the worlds catch up with the clock. A clock that goes back changes nothing.
func (m *Market) advance() {
	now := m.config.Clock().Unix()
	m.mu.RLock()
	behind := now > m.unix
	m.mu.RUnlock()
	if !behind {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if now <= m.unix {
		return
	}
	if now-m.unix < 6*hourSeconds {
		for _, w := range m.worlds {
			w.advance(now)
		}
	} else {
		var group sync.WaitGroup
		for _, w := range m.worlds {
			group.Go(func() { w.advance(now) })
		}
		group.Wait()
	}
	m.venues.advance(time.Unix(now, 0).UTC())
	m.unix = now
}

// view runs a function on the market as it is now; nothing moves while it runs.
func (m *Market) view(read func()) {
	m.advance()
	m.mu.RLock()
	defer m.mu.RUnlock()
	read()
}

func (m *Market) worldBySlug(slug string) *world {
	for _, w := range m.worlds {
		if w.spec.slug == slug {
			return w
		}
	}
	return nil
}

func (m *Market) worldWhere(match func(*chainSpec) bool) *world {
	for _, w := range m.worlds {
		if match(w.spec) {
			return w
		}
	}
	return nil
}

func (w *world) time(at int32) time.Time { return time.Unix(w.start+int64(at), 0).UTC() }
