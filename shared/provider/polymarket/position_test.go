package polymarket

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

func closedRow(n int, at time.Time) string {
	return object("proxyWallet", quoted(wallet.String()), "asset", quoted(asset(n)), "conditionId", quoted(writeHash(condition(n))), "avgPrice", "0.25",
		"totalBought", "80", "realizedPnl", "60", "curPrice", "1", "slug", `"a-market"`, "eventSlug", `"an-event"`, "outcomeIndex", "0",
		"oppositeAsset", quoted(asset(n+1000)), "endDate", `"2026-11-30"`, "timestamp", strconv.FormatInt(at.Unix(), 10))
}

func heldRow(n int, members ...string) string {
	return changed(closedRow(n, now), append([]string{"timestamp", "null", "size", "12.5", "redeemable", "false", "curPrice", "0.7", "endDate", `"2026-11-30T18:00:00Z"`}, members...)...)
}

func positionsOf(t *testing.T, held, closed string) (*market.PredictionPositions, *service) {
	t.Helper()
	a, s := adapter(always(map[string]string{positionsPath: held, closedPositionsPath: closed}))
	read, err := a.PredictionPositions(t.Context(), wallet)
	if err != nil {
		t.Fatal(err)
	}
	return read, s
}

func TestPositionsSayAllThatTheirRowsSay(t *testing.T) {
	got, s := positionsOf(t, array(heldRow(1)), array(closedRow(2, ago(day))))
	held := market.PredictionPosition{
		Market: condition(1), Event: "an-event", Asset: asset(1), Against: asset(1001), Shares: 12.5, BoughtShares: 80, AveragePrice: 0.25, RealizedUSD: 60,
		Price: 0.7, EndsAt: time.Date(2026, 11, 30, 18, 0, 0, 0, time.UTC),
	}
	closed := market.PredictionPosition{
		Market: condition(2), Event: "an-event", Asset: asset(2), Against: asset(1002), BoughtShares: 80, AveragePrice: 0.25, RealizedUSD: 60,
		Price: 1, Decided: true, ClosedAt: ago(day), EndsAt: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC),
	}
	if !slices.Equal(got.Open, []market.PredictionPosition{held}) || !slices.Equal(got.Closed, []market.PredictionPosition{closed}) || got.Truncated {
		t.Fatalf("got %+v", got)
	}
	for _, asked := range s.asked {
		query := asked.Query()
		want := url.Values{"user": {wallet.String()}, "offset": {"0"}, "limit": {"50"}, "sortBy": {"TIMESTAMP"}, "sortDirection": {"DESC"}}
		if asked.Path == positionsPath {
			want = url.Values{"user": {wallet.String()}, "offset": {"0"}, "limit": {"500"}, "sortBy": {"INITIAL"}, "sortDirection": {"DESC"}, "sizeThreshold": {"0"}}
		}
		if query.Encode() != want.Encode() {
			t.Error(asked)
		}
	}
}

func TestWhichPositionsAreDecided(t *testing.T) {
	got, _ := positionsOf(t,
		array(heldRow(1, "redeemable", "true", "curPrice", "0.005"), heldRow(2, "curPrice", "0"), heldRow(3, "redeemable", "null"), heldRow(4, "redeemable", "true", "curPrice", "null")),
		array(closedRow(5, now), changed(closedRow(6, now), "curPrice", "0"), changed(closedRow(7, now), "curPrice", "0.5"), changed(closedRow(8, now), "curPrice", "null")))
	for _, position := range append(got.Open, got.Closed...) {
		want := map[string]bool{asset(1): true, asset(4): true, asset(5): true, asset(6): true}[position.Asset]
		if position.Decided != want {
			t.Errorf("%+v", position)
		}
	}
	if len(got.Open) != 4 || len(got.Closed) != 4 {
		t.Error(got)
	}
}

func TestOddPositions(t *testing.T) {
	good := heldRow(1)
	bad := []string{
		heldRow(2, "asset", `"x"`), heldRow(2, "conditionId", `"0xdust000000000000000000000000000000000000000000000000000000000000"`), heldRow(2, "size", "-1"),
		heldRow(2, "size", "null"), heldRow(2, "size", "1e13"), heldRow(2, "proxyWallet", `"0x00000000000000000000000000000000000000bb"`), "7", "null",
	}
	unknown := heldRow(3, "avgPrice", "1.5", "totalBought", "-1", "realizedPnl", `"x"`, "curPrice", "2", "oppositeAsset", `""`, "outcomeIndex", "999", "endDate", `"soon"`, "eventSlug", "null")
	got, s := positionsOf(t, array(append(bad, good, good, unknown)...), array(closedRow(4, ago(2*day)), closedRow(5, ago(day)), closedRow(4, ago(2*day)), changed(closedRow(6, now), "timestamp", "9999999999")))
	if len(got.Open) != 2 || s.dropped[positionsPath] != len(bad) || s.dropped[closedPositionsPath] != 0 {
		t.Fatal(got.Open, s.dropped)
	}
	p := got.Open[1]
	if !math.IsNaN(p.AveragePrice) || !math.IsNaN(p.BoughtShares) || !math.IsNaN(p.RealizedUSD) || !math.IsNaN(p.Price) || p.Against != "" || p.Outcome != -1 || !p.EndsAt.IsZero() || p.Event != "a-market" {
		t.Errorf("%+v", p)
	}
	if len(got.Closed) != 3 || got.Closed[0].Asset != asset(5) || got.Closed[1].Asset != asset(4) || got.Closed[2].Asset != asset(6) || !got.Closed[2].ClosedAt.IsZero() {
		t.Errorf("%+v", got.Closed)
	}
}

func TestWhatWasSoldToTheLastShareIsClosed(t *testing.T) {
	got, _ := positionsOf(t, array(heldRow(1, "size", "0"), heldRow(2, "size", "0.0"), heldRow(3)), array(closedRow(1, ago(day))))
	if len(got.Open) != 1 || len(got.Closed) != 2 || got.Closed[0].ClosedAt != ago(day) || got.Closed[1].Asset != asset(2) {
		t.Errorf("%+v", got)
	}
}

func TestPositionsAreReadInPagesUpToABound(t *testing.T) {
	var all []string
	for i := range 5001 {
		all = append(all, fmt.Sprintf(`{"asset":"%d","conditionId":%q,"size":1}`, i+1, writeHash(condition(1))))
	}
	for name, test := range map[string]struct {
		held, closed, deepest int
		heldCalls, closedCall int
		readHeld, readClosed  int
		truncated             bool
	}{
		"one short page":      {499, 49, 10_000, 1, 1, 499, 49, false},
		"one full page":       {500, 50, 10_000, 4, 4, 500, 50, false},
		"some pages":          {2100, 120, 10_000, 10, 4, 2100, 120, false},
		"more closed":         {1, 501, 10_000, 1, 10, 1, 500, true},
		"more held":           {5001, 1, 10_000, 10, 1, 5000, 1, true},
		"an earlier last one": {1200, 120, 50, 4, 4, 500, 100, true},
	} {
		a, s := adapter(func(path string, query url.Values) (int, string) {
			limit, _ := strconv.Atoi(query.Get("limit"))
			offset, _ := strconv.Atoi(query.Get("offset"))
			rows := all[:test.held]
			if path == closedPositionsPath {
				rows = all[:test.closed]
			}
			if offset > test.deepest {
				return 400, `{"error":"offset"}`
			}
			return 200, array(rows[min(offset, len(rows)):min(offset+limit, len(rows))]...)
		})
		got, err := a.PredictionPositions(t.Context(), wallet)
		if err != nil {
			t.Fatal(name, err)
		}
		if len(got.Open) != test.readHeld || len(got.Closed) != test.readClosed || got.Truncated != test.truncated ||
			s.calls(positionsPath) != test.heldCalls || s.calls(closedPositionsPath) != test.closedCall {
			t.Errorf("%s: %d open, %d closed, truncated %v, %d and %d calls", name, len(got.Open), len(got.Closed), got.Truncated, s.calls(positionsPath), s.calls(closedPositionsPath))
		}
	}
}

func TestPositionsThatSayNothingAreFailures(t *testing.T) {
	for _, path := range []string{positionsPath, closedPositionsPath} {
		for _, body := range []string{`{}`, `{"error":"no"}`, `[{}]`, `"x"`, array(heldRow(1, "proxyWallet", `"0x00000000000000000000000000000000000000bb"`))} {
			a, _ := adapter(always(map[string]string{path: body}))
			if got, err := a.PredictionPositions(t.Context(), wallet); !errors.Is(err, market.ErrUnavailable) {
				t.Error(path, body, got, err)
			}
		}
	}
}
