package mirroring

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/perprecord"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/hyperliquid"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/perpvenue"
)

// simulated is a simulated perpetuals venue behind its adapter.
type simulated struct {
	venue *perpvenue.Venue
	now   time.Time
}

func (s *simulated) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	status, answer := s.venue.Info(body)
	encoded, err := json.Marshal(answer)
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(encoded))}, err
}

func (s *simulated) advance(to time.Time) {
	s.now = to
	s.venue.Advance(to)
}

// simulate makes the venue, as it is at an instant, and the ports to it.
func simulate(begin, at time.Time) (*simulated, market.Sources) {
	s := &simulated{venue: perpvenue.New(perpvenue.Config{Seed: 11, Start: begin})}
	s.advance(at)
	config := hyperliquid.Defaults()
	config.Base, config.PerMinute, config.Burst = "http://venue.invalid", 1e9, 1e9
	clock := func() time.Time { return s.now }
	adapter := hyperliquid.New(upstream.New(config, upstream.Shared{
		Transport: s, Clock: clock, Present: clock, Observe: func(upstream.Call) {}, Random: func() float64 { return 0 },
	}))
	return s, market.Sources{PerpFills: adapter, PerpAccounts: adapter, PerpMarkets: adapter}
}

// A follower of planted skilled traders, who opens nothing that they held before and is half a minute late, has their results of the
// weeks, less what spreads, impacts and fees cost.
func TestPaperFollowsSkilledTradersOverSimulatedWeeks(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	from, until := begin.AddDate(0, 0, 50), begin.AddDate(0, 0, 64)
	seer, past := simulate(begin, until) // knows when the leader is going to trade
	for _, kind := range []string{"skilled-swing"} {
		i := slices.IndexFunc(seer.venue.Samples(), func(s perpvenue.Sample) bool { return s.Kind == kind })
		leaderAddress, err := chain.ParseWireAddress(seer.venue.Samples()[i].Address)
		if err != nil {
			t.Fatal(err)
		}
		fills, err := past.PerpFills.PerpFills(t.Context(), leaderAddress)
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(t)
		w.now = from
		w.grade(true)
		live, sources := simulate(begin, from)
		w.mirror.sources = sources
		a := w.follower("a", func(a *agent.Agent) {
			a.Risk = agent.RiskConfig{MaxUSD: 100_000 * agent.Dollar, CopyPercent: 100, MaxSlippageBps: of(300), MaxLeverage: of(20.0)}
			a.Leader = leaderAddress
		})
		var steps []time.Time
		for _, f := range fills.Fills {
			if f.Time.After(from) {
				steps = append(steps, f.Time.Truncate(time.Minute).Add(time.Minute+30*time.Second))
			}
		}
		for at := from.Add(6 * time.Hour); at.Before(until); at = at.Add(6 * time.Hour) {
			steps = append(steps, at)
		}
		slices.SortFunc(steps, time.Time.Compare)
		for _, at := range slices.CompactFunc(steps, time.Time.Equal) {
			if !at.Before(until) {
				break
			}
			live.advance(at)
			w.now = at
			w.gradeOf(a.Followed(), true)
			w.mustPass()
			w.account(a)
		}

		standing, err := sources.PerpAccounts.PerpAccount(t.Context(), leaderAddress, nil)
		if err != nil {
			t.Fatal(err)
		}
		equity := standing.Clearinghouses[0].ValueUSD
		// The leader's own result of the positions that it opened and closed in these weeks, over its equity.
		theirs := 0.0
		for _, e := range perprecord.Reconstruct(fills.Fills, nil).Episodes {
			if e.OpenedAt.After(from) && e.ClosedAt.Before(w.now) {
				theirs += e.NetUSD() / equity
			}
		}
		ours, traded, opened, closed := 0.0, 0.0, 0, 0
		skips := map[string]int{}
		still := w.account(a).Copies
		for _, e := range w.executions(a) {
			if e.SizeUSD != nil {
				traded += e.SizeUSD.USD() / 100_000
			}
			switch {
			case e.SkipReason != nil:
				skips[string(*e.SkipReason)]++
			case e.Leg == Open:
				opened++
			default:
				closed++
				ours += e.RealizedUSD.USD() / 100_000
			}
		}
		t.Logf("%s: theirs %.4f, ours %.4f of %.2f traded; %d opened, %d closed, %d open; skips %v", kind, theirs, ours, traded, opened, closed, len(still), skips)
		if opened < 5 || closed < 5 {
			t.Errorf("%s: hardly anything was copied", kind)
		}
		// Twenty hundredths of a percent of what is traded: fees, half a spread, impact, and how prices move in a minute.
		if theirs <= 0 || ours <= 0 || math.Abs(ours-theirs) > 0.002*traded {
			t.Errorf("%s: the copies made %.2f%%, the leader %.2f%%", kind, 100*ours, 100*theirs)
		}
		for skip := range skips {
			if !strings.Contains("no_position_to_close below_min_order slippage_exceeded", skip) {
				t.Errorf("%s: %s", kind, skip)
			}
		}
	}
}
