package hyperliquid

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

const universe = `{"universe":[{"name":"BTC","szDecimals":5,"maxLeverage":40},{"name":7},{"name":"OLD","szDecimals":1,"maxLeverage":3,"isDelisted":true},` +
	`{"name":"TWO","szDecimals":1,"maxLeverage":3},{"name":"TWO","szDecimals":1,"maxLeverage":3},{"name":"ODD","szDecimals":9,"maxLeverage":3},` +
	`{"name":"ISO","szDecimals":0,"maxLeverage":3,"marginMode":"strictIsolated"}]}`

func TestContractsHaveTheVenuesNumbers(t *testing.T) {
	times, now, alive := 0, present, true
	v := &venue{answer: func(q asked) (int, string) {
		times++
		switch {
		case !alive:
			return 422, "no"
		case q.Type == "perpDexs":
			return 200, `[null,{"name":"abc"},{"name":"xyz"}]`
		case q.Type == "meta" && q.Dex == "xyz":
			return 200, `{"universe":[{"name":"xyz:A","szDecimals":2,"maxLeverage":10},{"name":"xyz:GOLD","szDecimals":4,"maxLeverage":10}]}`
		case q.Type == "meta" && q.Dex == "":
			return 200, universe
		}
		return 422, "no"
	}}
	shared := upstream.Shared{Transport: v, Clock: func() time.Time { return now }, Random: func() float64 { return 0 }}
	x := NewExchange(New(upstream.New(Defaults(), shared)), ExchangeConfig{}, shared)
	for coin, want := range map[string]Contract{
		"BTC":      {Coin: "BTC", Asset: 0, SizeDecimals: 5, MaximumLeverage: 40},
		"OLD":      {Coin: "OLD", Asset: 2, SizeDecimals: 1, MaximumLeverage: 3, Delisted: true},
		"ISO":      {Coin: "ISO", Asset: 6, SizeDecimals: 0, MaximumLeverage: 3, OnlyIsolated: true},
		"xyz:GOLD": {Coin: "xyz:GOLD", Asset: 120_001, SizeDecimals: 4, MaximumLeverage: 10},
	} {
		if got, err := x.Contract(t.Context(), coin); err != nil || got != want {
			t.Errorf("%s: %+v, %v", coin, got, err)
		}
	}
	for _, coin := range []string{"TWO", "ODD", "NONE", "xyz:NONE", "qqq:A", "A"} {
		if got, err := x.Contract(t.Context(), coin); !errors.Is(err, ErrNoContract) {
			t.Errorf("%s: %+v, %v", coin, got, err)
		}
	}
	before := times
	for range 5 {
		if _, err := x.Contract(t.Context(), "BTC"); err != nil {
			t.Error(err)
		}
	}
	if times != before {
		t.Errorf("asked %d times again", times-before)
	}
	if result, err := x.Order(t.Context(), keyOf(t, "any"), OrderRequest{Coin: "OLD", Limit: 1, Size: 100, ClientID: ClientID{1}}); err != nil ||
		result.Status != Rejected || result.Reason != ReasonHalted {
		t.Errorf("%+v, %v", result, err)
	}
	now, alive = now.Add(contractsFresh), false
	if got, err := x.Contract(t.Context(), "BTC"); !errors.Is(err, market.ErrUnavailable) {
		t.Errorf("old and not to be had: %+v, %v", got, err)
	}
}

func TestUniversesThatCannotBe(t *testing.T) {
	for _, body := range []string{`null`, `{}`, `[]`, `{"universe":[]}`, `{"universe":[{"name":"BTC"}]}`, `{"universe":7}`,
		fmt.Sprintf(`{"universe":%s}`, list(make([]string, 3)...))} {
		if got, err := readUniverse(&upstream.Response{Status: 200, Body: []byte(body)}, 0); err == nil {
			t.Errorf("%s: %v", body, got)
		}
	}
}
