package polymarket

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

func pointRow(at time.Time, price string) string {
	return fmt.Sprintf(`{"t":%d,"p":%s}`, at.Unix(), price)
}

func pricesOf(t *testing.T, from, to time.Time, answer func(string, url.Values) (int, string)) ([]market.PricePoint, *service) {
	t.Helper()
	a, s := adapter(answer)
	got, err := a.PredictionPrices(t.Context(), market.PredictionPriceRequest{Asset: asset(1), From: from, To: to})
	if err != nil {
		t.Fatal(err)
	}
	return got, s
}

func TestPricesAreThoseOfTheTimeAskedForInOrder(t *testing.T) {
	body := `{"history":` + array(pointRow(ago(2*time.Hour), "0.4"), pointRow(ago(3*time.Hour), `"0.3"`), pointRow(ago(2*time.Hour), "0.5"), pointRow(ago(25*time.Hour), "0.2"),
		pointRow(ago(time.Hour), "1"), pointRow(ago(time.Hour), "0"), pointRow(ago(time.Hour), "1.1"), pointRow(ago(time.Hour), "null"), `{"t":"x","p":0.5}`, "7") + "}"
	got, s := pricesOf(t, ago(24*time.Hour), ago(-time.Hour), func(string, url.Values) (int, string) { return 200, body })
	want := []market.PricePoint{{Time: ago(3 * time.Hour), USD: 0.3}, {Time: ago(2 * time.Hour), USD: 0.4}}
	if !slices.Equal(got, want) || s.dropped[pricesPath] != 4 || len(s.asked) != 1 {
		t.Fatal(got, s.dropped)
	}
	asked := url.Values{"market": {asset(1)}, "fidelity": {"1"}, "startTs": {strconv.FormatInt(ago(24*time.Hour).Unix(), 10)}, "endTs": {strconv.FormatInt(now.Unix(), 10)}}
	if s.asked[0].Path != "/prices-history" || s.asked[0].Query().Encode() != asked.Encode() {
		t.Error(s.asked[0])
	}
}

func TestLongTimesAreReadInPartsWithoutGapOrOverlap(t *testing.T) {
	for days, want := range map[int]struct {
		calls    int
		fidelity string
	}{1: {1, "1"}, 13: {1, "10"}, 14: {2, "10"}, 40: {3, "60"}} {
		got, s := pricesOf(t, ago(time.Duration(days)*day), now, func(_ string, query url.Values) (int, string) {
			start, _ := strconv.ParseInt(query.Get("startTs"), 10, 64)
			end, _ := strconv.ParseInt(query.Get("endTs"), 10, 64)
			if end-start >= 14*24*3600 {
				return 400, `{"error":"too long"}`
			}
			return 200, `{"history":` + array(pointRow(time.Unix(start, 0), "0.5"), pointRow(time.Unix(end, 0), "0.5")) + `}`
		})
		if len(s.asked) != want.calls || s.asked[0].Query().Get("fidelity") != want.fidelity || got[0].Time != ago(time.Duration(days)*day) || got[len(got)-1].Time != now {
			t.Errorf("%d days: %d calls, %v", days, len(s.asked), got)
		}
		for i := 2; i < len(got); i += 2 {
			if got[i].Time.Sub(got[i-1].Time) != time.Second {
				t.Errorf("%d days: from %v to %v", days, got[i-1].Time, got[i].Time)
			}
		}
	}
}

func TestOfMarketsThatEndedHalfDaysAreRead(t *testing.T) {
	got, s := pricesOf(t, ago(40*day), ago(20*day), func(_ string, query url.Values) (int, string) {
		if query.Encode() == (url.Values{"market": {asset(1)}, "interval": {"max"}, "fidelity": {"720"}}).Encode() {
			return 200, `{"history":` + array(pointRow(ago(50*day), "0.1"), pointRow(ago(30*day), "0.2"), pointRow(ago(10*day), "0.3")) + `}`
		}
		return 200, `{"history":null}`
	})
	if len(got) != 1 || got[0].USD != 0.2 || len(s.asked) != 3 {
		t.Error(got, len(s.asked))
	}
}

func TestTimesWithoutPrices(t *testing.T) {
	for _, span := range [][2]time.Time{{now.Add(time.Hour), now.Add(2 * time.Hour)}, {ago(day), ago(2 * day)}, {time.Unix(0, 0), time.Unix(1e9, 0)}} {
		if got, s := pricesOf(t, span[0], span[1], nil); len(got) != 0 || len(s.asked) != 0 {
			t.Error(span, got)
		}
	}
	got, s := pricesOf(t, ago(day), now, func(string, url.Values) (int, string) { return 200, `{"history":[]}` })
	if len(got) != 0 || len(s.asked) != 2 {
		t.Error(got, len(s.asked))
	}
}

func TestPricesThatCannotBeReadAreFailures(t *testing.T) {
	for _, body := range []string{`{}`, `[]`, `{"history":7}`, `{"history":[{}]}`, `{"error":"no"}`} {
		a, _ := adapter(always(map[string]string{pricesPath: body}))
		if got, err := a.PredictionPrices(t.Context(), market.PredictionPriceRequest{Asset: asset(1), From: ago(day), To: now}); !errors.Is(err, market.ErrUnavailable) {
			t.Error(body, got, err)
		}
	}
	a, s := adapter(nil)
	if got, err := a.PredictionPrices(t.Context(), market.PredictionPriceRequest{Asset: "0x12", From: ago(day), To: now}); err == nil || len(s.asked) != 0 {
		t.Error(got, err)
	}
}
