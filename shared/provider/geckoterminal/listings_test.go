package geckoterminal

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

func TestListed(t *testing.T) {
	numbered := func(n int) chain.Address { return chain.Address{7, 19: byte(n)} }
	list := func(first, count int, reserve string) string {
		var rows []string
		for n := first; n < first+count; n++ {
			rows = append(rows, poolRowText(chain.Address{8, byte(len(reserve)), 19: byte(n)}.String(), numbered(n).String(), `,"base_token_price_usd":"2","reserve_in_usd":"`+reserve+`"`))
		}
		return `{"data":[` + strings.Join(rows, ",") + `]}`
	}
	a, s := adapter(func(u *url.URL) (int, string) {
		switch page := u.Query().Get("page"); {
		case strings.HasSuffix(u.Path, "/networks/polygon_pos/pools") && u.Query().Get("sort") == "h24_volume_usd_desc" && page == "1":
			return 200, list(20, 20, "500")
		case strings.HasSuffix(u.Path, "/networks/polygon_pos/pools") && page == "2":
			return 200, strings.Replace(list(40, 20, "500"), numbered(40).String(), "nobody", 1)
		case strings.HasSuffix(u.Path, "/networks/polygon_pos/new_pools") && page == "1":
			return 200, list(15, 10, "70000") // five of them traded most too
		}
		return 500, ``
	})
	got, err := a.Listed(t.Context(), polygon())
	if err != nil || len(s.asked) != 3 || s.dropped != 1 {
		t.Fatal(err, len(s.asked), s.dropped)
	}
	if len(got) != 44 {
		t.Fatal(len(got))
	}
	for i, listed := range got {
		n := 15 + i
		if n >= 40 {
			n++
		}
		want := 500.0
		if n < 25 {
			want = 70_000
		}
		if listed.Token != numbered(n) || listed.Pool.Token != listed.Token || listed.Pool.LiquidityUSD != want || listed.Pool.PriceUSD != 2 {
			t.Errorf("%d: %+v", n, listed)
		}
	}
}

func TestHalfAListingIsNone(t *testing.T) {
	for _, status := range []int{404, 200} {
		for _, body := range []string{`{}`, `{"data":null}`, `{"data":[{"id":"x"}]}`, `{"data":{}}`} {
			a, _ := adapter(func(u *url.URL) (int, string) {
				if strings.HasSuffix(u.Path, "/new_pools") {
					return status, body
				}
				return 200, `{"data":[]}`
			})
			if got, err := a.Listed(t.Context(), polygon()); !errors.Is(err, market.ErrUnavailable) {
				t.Error(fmt.Sprint(status, body), got, err)
			}
		}
	}
	a, _ := adapter(func(*url.URL) (int, string) { return 200, `{"data":[]}` })
	if got, err := a.Listed(t.Context(), polygon()); err != nil || len(got) != 0 {
		t.Error(got, err)
	}
}
