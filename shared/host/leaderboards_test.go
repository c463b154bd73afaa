package host

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

// inside answers requests by a handler of this process.
func inside(handler http.Handler) roundTrip {
	return func(r *http.Request) (*http.Response, error) {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, r)
		return recorder.Result(), nil
	}
}

// The leaderboards of both venues, all the way: the sample market plays everybody and writes the lists in the venues' formats, the
// adapters read them at the addresses of the configuration.
func TestLeaderboardsOfTheSampleMarket(t *testing.T) {
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	world := samplemarket.New(samplemarket.Config{Seed: 4, Start: start, Clock: func() time.Time { return start.Add(12 * 24 * time.Hour) }})
	config := readTestConfig(t, nil)
	config.Addresses = SampleAddresses("http://sample.invalid")
	service, err := NewService(config, testParts(inside(world.Handler())))
	if err != nil {
		t.Fatal(err)
	}

	recorder := httptest.NewRecorder()
	world.Handler().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/hyperliquid-stats/Mainnet/leaderboard", nil))
	var listed struct {
		Rows []struct {
			Account string `json:"ethAddress"`
		} `json:"leaderboardRows"`
	}
	if err := json.Unmarshal(recorder.Body.Bytes(), &listed); err != nil || len(listed.Rows) < 10 {
		t.Fatal(recorder.Code, len(listed.Rows), err)
	}
	all, err := service.Sources.PerpLeaderboard.PerpLeaderboard(t.Context(), len(listed.Rows))
	if err != nil || len(all) != len(listed.Rows) {
		t.Fatalf("%d of %d accounts, %v", len(all), len(listed.Rows), err)
	}
	best, err := service.Sources.PerpLeaderboard.PerpLeaderboard(t.Context(), 1)
	if err != nil || len(best) < 1 || len(best) > 4 {
		t.Fatalf("%d that lead one of four windows, %v", len(best), err)
	}
	for _, window := range []market.LeaderboardWindow{market.DayWindow, market.WeekWindow, market.MonthWindow, market.AllTimeWindow} {
		first := slices.MaxFunc(all, func(a, b market.PerpLeader) int {
			return cmp.Compare(a.Windows[window].PnLUSD, b.Windows[window].PnLUSD)
		})
		if !slices.ContainsFunc(best, func(l market.PerpLeader) bool { return l.Account == first.Account }) || !(first.Windows[window].PnLUSD > 0) {
			t.Errorf("%s is led by %+v, which is not among %+v", window, first, best)
		}
	}

	leaders, err := service.Sources.PredictionLeaderboard.PredictionLeaderboard(t.Context(), market.PredictionLeaderboardRequest{Window: market.MonthWindow, Limit: 120})
	if err != nil || len(leaders) < 60 {
		t.Fatalf("%d wallets, %v", len(leaders), err)
	}
	for i, leader := range leaders {
		if leader.Rank != i+1 || i > 0 && leader.Figures.PnLUSD > leaders[i-1].Figures.PnLUSD {
			t.Errorf("wallet %d: %+v", i, leader)
		}
	}

	for call, want := range map[string]int{
		"POST /hyperliquid-stats/Mainnet/leaderboard": 405, "GET /hyperliquid-stats/Testnet/leaderboard": 404, "GET /hyperliquid-stats/Mainnet": 404,
		"GET /hyperliquid-stats/Mainnet/leaderboard/x": 404, "GET /hyperliquid-stats": 404,
	} {
		method, path, _ := strings.Cut(call, " ")
		recorder := httptest.NewRecorder()
		world.Handler().ServeHTTP(recorder, httptest.NewRequest(method, path, nil))
		if recorder.Code != want {
			t.Errorf("%s: %d, want %d", call, recorder.Code, want)
		}
	}
	// The list has a host of its own, which fails by itself.
	world.SetFault(samplemarket.HyperliquidStats, samplemarket.Fault{Kind: samplemarket.FaultWrongTypes})
	if got, err := service.Sources.PerpLeaderboard.PerpLeaderboard(t.Context(), 1); !errors.Is(err, market.ErrUnavailable) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := service.Sources.PerpMarkets.PerpMarkets(t.Context(), ""); err != nil {
		t.Error(err)
	}
}

// The leaderboard may take longer than an answer has time for: jobs read it.
func TestTheLeaderboardHasTimeOfItsOwn(t *testing.T) {
	begun, until := time.Now(), make(map[string]time.Time)
	config := readTestConfig(t, map[string]string{"PROVIDERS": "live", "SINGLE_TIMEOUT": "2s"})
	service, err := NewService(config, testParts(roundTrip(func(r *http.Request) (*http.Response, error) {
		until[r.URL.Host], _ = r.Context().Deadline()
		return &http.Response{StatusCode: http.StatusNotFound, Header: make(http.Header), Body: http.NoBody}, nil
	})))
	if err != nil {
		t.Fatal(err)
	}
	_, leaderboardErr := service.Sources.PerpLeaderboard.PerpLeaderboard(t.Context(), 1)
	_, marketsErr := service.Sources.PerpMarkets.PerpMarkets(t.Context(), "")
	if leaderboardErr == nil || marketsErr == nil {
		t.Error("a host that knows nothing answered")
	}
	long, short := until["stats-data.hyperliquid.xyz"], until["api.hyperliquid.xyz"]
	if long.Before(begun.Add(time.Minute)) || short.IsZero() || long.Before(short) {
		t.Errorf("begun at %v, the leaderboard may take until %v, another question until %v", begun, long, short)
	}
}
