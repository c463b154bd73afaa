package blockscout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// tokenPages answers the page of one token and, by page, those of its holders.
type tokenPages struct {
	token  string
	pages  []string
	mu     sync.Mutex
	asked  []string
	drop   int
	status int
}

func (p *tokenPages) RoundTrip(request *http.Request) (*http.Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, request.URL.RequestURI())
	status, body := http.StatusNotFound, `{"message":"Not found"}`
	switch path := "/api/v2/tokens/" + mustParse(gold).String(); {
	case p.status != 0:
		status = p.status
	case request.URL.Path == path && p.token != "":
		status, body = http.StatusOK, p.token
	case request.URL.Path == path+"/holders" && len(p.pages) > 0:
		page := 0
		if request.URL.Query().Has("index") {
			_, _ = fmt.Sscan(request.URL.Query().Get("index"), &page)
		}
		next := "null"
		if page+1 < len(p.pages) {
			next = fmt.Sprintf(`{"index":%d,"value":115792089237316195423570985008687907853}`, page+1)
		}
		status, body = http.StatusOK, `{"items":[`+p.pages[page]+`],"next_page_params":`+next+`}`
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: request}, nil
}

func (p *tokenPages) holders(t *testing.T) (*market.TokenHolders, error) {
	t.Helper()
	client := upstream.New(upstream.Config{Name: "explorer", Base: "http://explorer.test/api/v2", PerMinute: 1e9, Burst: 1e6},
		upstream.Shared{Transport: p, Clock: func() time.Time { return now }, Observe: func(c upstream.Call) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.drop += c.Dropped
		}})
	return New(map[chain.Slug]*upstream.Client{chain.Ethereum: client}).Holders(context.Background(), ethereum(), mustParse(gold))
}

func holderRow(address, value string) string {
	return `{"address":` + party(address) + `,"value":"` + value + `","token_id":null}`
}

const poolParty = `{"hash":"` + router + `","is_contract":true,"is_verified":true,"name":"UniswapV2Pair","metadata":null}`

func TestHolders(t *testing.T) {
	p := &tokenPages{token: goldToken, pages: []string{
		`{"address":` + poolParty + `,"value":"400000","token_id":null},` + holderRow(alice, "250000") + `,` + holderRow("0x000000000000000000000000000000000000dEaD", "300000"),
		holderRow(bob, "1") + `,` + holderRow(alice, "250000") + `,` + holderRow(gold, "-5") + `,{"address":null,"value":"1"},7,` + holderRow(zero, "0"),
		holderRow(gold, "1"),
	}}
	got, err := p.holders(t)
	if err != nil {
		t.Fatal(err)
	}
	want := &market.TokenHolders{Known: true, Count: 12, Top: []market.Holder{
		{Account: market.Account{Address: mustParse(router), Contract: true, Label: "UniswapV2Pair", Kind: market.DexAccount}, Share: 0.4},
		{Account: market.Account{Address: chain.Burn, Kind: market.BurnAccount}, Share: 0.3, Locked: true},
		{Account: market.Account{Address: wallet}, Share: 0.25},
		{Account: market.Account{Address: mustParse(bob)}, Share: 1e-6},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if len(p.asked) != 3 || p.drop != 4 {
		t.Errorf("asked %v, %d dropped", p.asked, p.drop)
	}
}

func TestMoreThanEverythingIsEverything(t *testing.T) {
	p := &tokenPages{token: goldToken, pages: []string{holderRow(alice, "1769801017821791962") + `,` + holderRow(bob, strings.Repeat("9", 90))}}
	got, err := p.holders(t)
	if err != nil || len(got.Top) != 1 || got.Top[0].Share != 1 || p.drop != 1 {
		t.Fatal(got, err, p.drop)
	}
	// Without a supply there are no shares.
	p = &tokenPages{token: strings.Replace(goldToken, `"1000000"`, `null`, 1), pages: []string{holderRow(alice, "5")}}
	if got, err := p.holders(t); err != nil || !got.Known || got.Count != 12 || len(got.Top) != 0 {
		t.Fatal(got, err)
	}
}

func TestAtMostAHundredHolders(t *testing.T) {
	var rows []string
	for n := range 130 {
		rows = append(rows, holderRow(chain.Address{1, 19: byte(n)}.String(), fmt.Sprint(1000-n)))
	}
	p := &tokenPages{token: goldToken, pages: []string{strings.Join(rows, ","), holderRow(bob, "1")}}
	got, err := p.holders(t)
	if err != nil || len(got.Top) != 100 || got.Top[0].Share != 0.001 || len(p.asked) != 2 {
		t.Fatal(len(got.Top), err, p.asked)
	}
}

func TestHoldersNobodyKnows(t *testing.T) {
	for name, p := range map[string]*tokenPages{
		"never seen":  {},
		"collection":  {token: strings.Replace(goldToken, "ERC-20", "ERC-721", 1), pages: []string{holderRow(alice, "5")}},
		"no holders?": {token: "", pages: []string{holderRow(alice, "5")}},
	} {
		if got, err := p.holders(t); err != nil || got.Known || got.Count != 0 || got.Top != nil {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	bsc, _ := chain.Parse("bsc")
	if got, err := New(nil).Holders(t.Context(), bsc, mustParse(gold)); err != nil || got.Known {
		t.Error(got, err)
	}
	p := &tokenPages{}
	if got, err := New(map[chain.Slug]*upstream.Client{chain.Ethereum: nil}).Holders(t.Context(), ethereum(), chain.Native); err != nil || got.Known || len(p.asked) != 0 {
		t.Error(got, err)
	}
}

func TestUnreadableHoldersAreUnavailable(t *testing.T) {
	for name, p := range map[string]*tokenPages{
		"no token":    {token: `{}`, pages: []string{holderRow(alice, "5")}},
		"no accounts": {token: goldToken, pages: []string{`{"value":"5"},{"address":{"hash":"x"}}`}},
		"refused":     {status: http.StatusUnprocessableEntity},
	} {
		if got, err := p.holders(t); !errors.Is(err, market.ErrUnavailable) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func FuzzHolders(f *testing.F) {
	f.Add([]byte(`[` + holderRow(alice, "5") + `,` + holderRow(zero, "99999999999999999999999") + `]`))
	f.Add([]byte(`[{"address":{"hash":7},"value":1e400},{"value":{}},null]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		rows, err := upstream.JSON[upstream.Rows[wireHolder]](&upstream.Response{Status: 200, Body: body})
		if err != nil {
			return
		}
		var supply market.Amount
		supply.SetUint64(1_000_000)
		holders, dropped := readHolders(rows.Good, supply)
		if dropped < 0 || dropped+len(holders) > len(rows.Good) {
			t.Error(dropped)
		}
		for i, held := range holders {
			if !(held.Share > 0 && held.Share <= 1) || i > 0 && held.Share > holders[i-1].Share {
				t.Errorf("%+v", held)
			}
		}
	})
}
