package leader_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/leader"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// traded lists a token whose pool had some volume.
func (w *world) traded(n int, volume float64, trades ...market.TokenTrade) {
	w.listed = append(w.listed, market.ListedToken{Token: account(n), Pool: market.Pool{ID: fmt.Sprint("0xpool", n), Token: account(n), VolumeUSD24h: volume}})
	w.trades[fmt.Sprint("0xpool", n)] = trades
}

func bought(who int, ago time.Duration) market.TokenTrade {
	return market.TokenTrade{Trader: account(who), Buy: true, Time: today.Add(-ago)}
}

func (w *world) onlyTrades() market.Sources {
	return market.Sources{Listings: w, Trades: w, Holders: w, Code: w}
}

func TestActiveBuyersAreTheLatestPersonsOfTheBusiestPools(t *testing.T) {
	w, m := newWorld(), memoryFor(t)
	sold := bought(3, time.Minute)
	sold.Buy = false
	w.traded(501, 9_000, bought(1, time.Hour), bought(2, 2*time.Hour), sold, bought(4, 25*time.Hour), bought(5, -time.Minute), bought(6, time.Hour), bought(7, time.Hour), bought(8, time.Hour))
	w.traded(502, 8_000, bought(1, 30*time.Minute), bought(9, time.Hour))
	for i := range 20 {
		w.traded(510+i, float64(100+i), bought(30+i, time.Hour))
	}
	w.contracts[account(6)], w.contracts[account(7)] = market.Code{}, market.Code{Delegate: account(99)}
	w.holders[account(501)] = []market.Holder{{Account: market.Account{Address: account(8), Kind: market.ExchangeAccount}}, {Account: market.Account{Address: account(2)}}}
	w.down["0xpool502"] = true
	spread := leader.DiscoverLeaders(m, w.onlyTrades(), []*chain.Chain{base})
	report := pass(t, spread, today)
	found := leadersOf(t, m, onBase)
	want := []int{1, 2, 7}
	for i := range 18 { // the twenty pools that are asked are the two big ones and the eighteen of most volume
		want = append(want, 32+i)
	}
	if len(found) != len(want) || report["active/base"].Items != len(want) {
		t.Errorf("%d found, %+v", len(found), report)
	}
	for _, n := range want {
		l, kept := found[account(n).String()]
		if !kept || len(l.Findings) != 1 || l.Findings[0].Source != leader.ActiveBuyer || !l.Findings[0].At.Equal(today) {
			t.Errorf("%d: %+v", n, l)
		}
	}
	delete(w.down, "0xpool502")
	pass(t, spread, today.Add(time.Minute))
	var read struct {
		Token    chain.Address
		BoughtAt time.Time
	}
	again := leadersOf(t, m, onBase)
	if err := json.Unmarshal(again[account(1).String()].Findings[0].Data, &read); err != nil || read.Token != account(502) || !read.BoughtAt.Equal(today.Add(-30*time.Minute)) {
		t.Errorf("%+v %v", read, err)
	}
	if _, kept := again[account(9).String()]; !kept {
		t.Error("the buyer of a pool that answers again is not there")
	}
}

func TestActiveBuyersAreAtMostSixty(t *testing.T) {
	w, m := newWorld(), memoryFor(t)
	var trades []market.TokenTrade
	for i := range 100 {
		trades = append(trades, bought(100+i, time.Duration(100-i)*time.Minute))
	}
	w.traded(501, 9_000, trades...)
	pass(t, leader.DiscoverLeaders(m, w.onlyTrades(), []*chain.Chain{base}), today)
	found := leadersOf(t, m, onBase)
	if len(found) != 60 {
		t.Errorf("%d found", len(found))
	}
	for i := range 60 {
		if _, kept := found[account(199-i).String()]; !kept {
			t.Errorf("the latest but %d is not there", i)
		}
	}
}

func TestActiveBuyersCannotBeAskedFor(t *testing.T) {
	for _, what := range []string{"listed", "trades", "code"} {
		w := newWorld()
		w.traded(501, 9_000, bought(1, time.Hour))
		w.down[what] = true
		m := memoryFor(t)
		report := pass(t, leader.DiscoverLeaders(m, w.onlyTrades(), []*chain.Chain{base}), today)
		if report["part 0"].Err == nil || len(leadersOf(t, m, onBase)) > 0 {
			t.Errorf("%s: %+v", what, report)
		}
	}
}

func figures(pnl float64) market.VenueFigures {
	return market.VenueFigures{PnLUSD: pnl, VolumeUSD: 10 * math.Abs(pnl), Return: 0.25}
}

func TestLeadersOfThePerpetualsVenueAreTheFirstOfEachWindow(t *testing.T) {
	w, m := newWorld(), memoryFor(t)
	for i := range 120 {
		w.perps = append(w.perps, market.PerpLeader{Account: account(i), Windows: map[market.LeaderboardWindow]market.VenueFigures{
			market.DayWindow: figures(float64(1_000 - i)), market.AllTimeWindow: figures(float64(i)),
		}})
	}
	w.perps[0].Windows[market.DayWindow] = market.VenueFigures{PnLUSD: 1e6, VolumeUSD: 1, Return: math.NaN()}
	report := pass(t, leader.DiscoverLeaders(m, market.Sources{PerpLeaderboard: w}, nil), today)
	found := leadersOf(t, m, store.Group{Kind: leader.Perp, Place: leader.PerpVenue})
	if len(found) != 100 || report["perps"].Items != 100 {
		t.Errorf("%d found, %+v", len(found), report)
	}
	for n, want := range map[int]string{
		0:   `{"places":[{"window":"day","rank":1,"pnlUsd":1000000,"return":null}]}`,
		49:  `{"places":[{"window":"day","rank":50,"pnlUsd":951,"return":0.25}]}`,
		119: `{"places":[{"window":"all-time","rank":1,"pnlUsd":119,"return":0.25}]}`,
	} {
		f := found[account(n).String()].Findings
		if len(f) != 1 || f[0].Source != leader.VenueLeaderboard || !f[0].At.Equal(today) || string(f[0].Data) != want {
			t.Errorf("%d: %s", n, f)
		}
	}
	if asked := w.questions("perps"); !slices.Equal(asked, []string{"50"}) {
		t.Error(asked)
	}
}

func TestLeadersOfThePredictionVenueAreTheFirstOfItsBoards(t *testing.T) {
	w, m := newWorld(), memoryFor(t)
	for i := range 60 {
		row := market.PredictionLeader{Wallet: account(i), Rank: i + 1, Figures: figures(float64(1_000 - i))}
		w.boards["/week"] = append(w.boards["/week"], row)
		row.Wallet = account(1_000 + i)
		w.boards["SPORTS/month"] = append(w.boards["SPORTS/month"], row)
	}
	w.boards["CRYPTO/month"] = []market.PredictionLeader{{Wallet: account(7), Rank: 3, Figures: figures(5)}}
	report := pass(t, leader.DiscoverLeaders(m, market.Sources{PredictionLeaderboard: w}, nil), today)
	found := leadersOf(t, m, store.Group{Kind: leader.Prediction, Place: leader.PredictionVenue})
	if len(found) != 75 || report["predictions"].Items != 75 {
		t.Errorf("%d found, %+v", len(found), report)
	}
	want := `{"places":[{"window":"week","rank":8,"pnlUsd":993,"return":0.25},{"category":"CRYPTO","window":"month","rank":3,"pnlUsd":5,"return":0.25}]}`
	if f := found[account(7).String()].Findings; len(f) != 1 || string(f[0].Data) != want {
		t.Errorf("%s", f)
	}
	asked := w.questions("predictions")
	if len(asked) != 13 || !slices.Contains(asked, "/ all-time 50") && !slices.ContainsFunc(asked, func(q string) bool { return strings.Contains(q, "all-time") && strings.HasSuffix(q, "50") }) {
		t.Errorf("%q", asked)
	}
}

func TestAVenueThatIsDownFailsItsPartAlone(t *testing.T) {
	w, m := newWorld(), memoryFor(t)
	w.down["perps"] = true
	w.boards["/week"] = []market.PredictionLeader{{Wallet: account(7), Rank: 1, Figures: figures(5)}}
	report := pass(t, leader.DiscoverLeaders(m, market.Sources{PerpLeaderboard: w, PredictionLeaderboard: w}, nil), today)
	if report["part 0"].Err == nil || report["predictions"].Items != 1 {
		t.Errorf("%+v", report)
	}
}
