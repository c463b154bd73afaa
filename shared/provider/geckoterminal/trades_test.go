package geckoterminal

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

var stable, _ = chain.ParseWireAddress("0x3c499c542cef5e3811e1192ce70d8cc03d5c3359")

// tradeText is a trade as the service writes it: from one token to another, so many minutes ago.
func tradeText(block, index, minutesAgo int, from, to chain.Address, fromAmount, toAmount, usd string) string {
	hash := fmt.Sprintf("0x%064x", block*1000+index)
	at := now.Add(-time.Duration(minutesAgo) * time.Minute)
	return fmt.Sprintf(`{"id":"polygon_pos_%[1]d_%[2]s_%[3]d_%[4]d","type":"trade","attributes":{"block_number":%[1]d,"tx_hash":"%[2]s",
		"tx_from_address":"0x346c802df3404bec2f265603db28b815321251ee","from_token_amount":"%[5]s","to_token_amount":"%[6]s",
		"price_from_in_currency_token":"0.0039901329177727","price_to_in_currency_token":"1.0","price_from_in_usd":"11.6","price_to_in_usd":"2910.1",
		"block_timestamp":"%[7]s","kind":"buy","volume_in_usd":"%[8]s","from_token_address":"%[9]s","to_token_address":"%[10]s"}}`,
		block, hash, index, at.Unix(), fromAmount, toAmount, at.Format(time.RFC3339), usd, from, to)
}

func tradesOf(rows ...string) string { return `{"data":[` + strings.Join(rows, ",") + `]}` }

func TestTradesAreReadOldestFirst(t *testing.T) {
	sold := tradeText(100, 7, 5, token, stable, "38.6549739088577", "0.154238483829378", "448.860795728014")
	a, s := adapter(func(*url.URL) (int, string) {
		return 200, tradesOf(
			tradeText(101, 2, 4, stable, token, "5.5", "11.25", "5.5"), sold, sold,
			tradeText(100, 3, 5, stable, token, "1", "2", "1.01"),
			tradeText(50, 3, 24*60+1, stable, token, "1", "2", "1.01")) // out of the window
	})
	got, err := a.Trades(t.Context(), polygon(), market.TradesRequest{Pool: pool.Checksum(), Token: token})
	if err != nil {
		t.Fatal(err)
	}
	if u := s.asked[0]; u.Path != "/api/v2/networks/polygon_pos/pools/"+pool.String()+"/trades" || u.Query().Get("token") != token.String() {
		t.Error(u)
	}
	if len(got.Trades) != 3 || got.Truncated || !got.Since.Equal(now.Add(-24*time.Hour)) || s.dropped != 0 {
		t.Fatalf("%+v, %d dropped", got, s.dropped)
	}
	if first, last := got.Trades[0], got.Trades[2]; first.Block != 100 || first.LogIndex != 3 || !first.Buy || first.Amount != 2 || last.Block != 101 || last.Amount != 11.25 {
		t.Errorf("%+v", got.Trades)
	}
	hash := market.Hash{30: 100007 >> 8 & 0xff, 31: 100007 & 0xff, 29: 100007 >> 16}
	trader, _ := chain.ParseWireAddress("0x346c802df3404bec2f265603db28b815321251ee")
	if want := (market.TokenTrade{
		Time: now.Add(-5 * time.Minute), Transaction: hash, Block: 100, LogIndex: 7, Trader: trader, Amount: 38.6549739088577, ValueUSD: 448.860795728014,
		QuoteAmount: 0.154238483829378,
	}); got.Trades[1] != want {
		t.Errorf("got %+v\nwant %+v", got.Trades[1], want)
	}
}

func TestAFullListOfTradesIsTruncated(t *testing.T) {
	var rows []string
	for i := range tradesPerAnswer {
		rows = append(rows, tradeText(1000-i, 1, i, stable, token, "1", "2", "1"))
	}
	rows[17] = `7`
	a, s := adapter(func(*url.URL) (int, string) { return 200, tradesOf(rows...) })
	got, err := a.Trades(t.Context(), polygon(), market.TradesRequest{Pool: pool.String(), Token: token})
	if err != nil || len(got.Trades) != 299 || !got.Truncated || !got.Since.Equal(now.Add(-299*time.Minute)) || s.dropped != 1 {
		t.Fatalf("%d trades, %+v, %v", len(got.Trades), got, err)
	}
}

func TestBrokenTradesAreDropped(t *testing.T) {
	good := tradeText(100, 1, 5, stable, token, "1", "2", "1")
	broken := []string{
		strings.Replace(good, `"to_token_amount":"2"`, `"to_token_amount":"-2"`, 1), strings.Replace(good, `"to_token_amount":"2"`, `"to_token_amount":"0"`, 1),
		strings.Replace(good, `"to_token_amount":"2"`, `"to_token_amount":"1e400"`, 1), strings.Replace(good, `"to_token_amount":"2"`, `"to_token_amount":"NaN"`, 1),
		strings.Replace(good, `"to_token_amount":"2"`, `"to_token_amount":"1e80"`, 1), strings.Replace(good, `"volume_in_usd":"1"`, `"volume_in_usd":null`, 1),
		strings.Replace(good, `"volume_in_usd":"1"`, `"volume_in_usd":"-1"`, 1), strings.Replace(good, `"block_number":100`, `"block_number":-1`, 1),
		strings.Replace(good, `"tx_hash":"0x`, `"tx_hash":"0y`, 1), `{"id":"x"}`,
		strings.Replace(good, "0x346c802df3404bec2f265603db28b815321251ee", chain.Native.String(), 1),
		tradeText(100, 1, -60, stable, token, "1", "2", "1"), tradeText(100, 1, 5, stable, pool, "1", "2", "1"), tradeText(100, 1, 5, token, token, "1", "2", "1"),
		strings.Replace(good, `"id":"polygon_pos_100_`, `"id":"100_`, 1), strings.Replace(good, "_1_", "_-1_", 1),
	}
	for _, row := range broken {
		if row == good {
			t.Fatal("not broken")
		}
		a, s := adapter(func(*url.URL) (int, string) { return 200, tradesOf(row, good) })
		got, err := a.Trades(t.Context(), polygon(), market.TradesRequest{Pool: pool.String(), Token: token})
		if err != nil || len(got.Trades) != 1 || s.dropped != 1 {
			t.Errorf("%s: %+v, %v, %d dropped", row, got, err, s.dropped)
		}
	}
}

func TestAPaymentThatCannotBeReadIsUnknown(t *testing.T) {
	for _, paid := range []string{"", "0", "-1", "1e80", "many"} {
		a, s := adapter(func(*url.URL) (int, string) {
			return 200, tradesOf(tradeText(100, 1, 5, stable, token, paid, "2", "1"))
		})
		got, err := a.Trades(t.Context(), polygon(), market.TradesRequest{Pool: pool.String(), Token: token})
		if err != nil || len(got.Trades) != 1 || got.Trades[0].QuoteAmount != 0 || got.Trades[0].Amount != 2 || s.dropped != 0 {
			t.Errorf("%q: %+v, %v, %d dropped", paid, got, err, s.dropped)
		}
	}
}

func TestTradesThatAreNotThere(t *testing.T) {
	ask := func(status int, body string) (*market.TokenTrades, error) {
		a, _ := adapter(func(*url.URL) (int, string) { return status, body })
		return a.Trades(t.Context(), polygon(), market.TradesRequest{Pool: pool.String(), Token: token})
	}
	if got, err := ask(404, `{"errors":[{"status":"404"}]}`); err != nil || len(got.Trades) != 0 || !got.Truncated || !got.Since.Equal(now) {
		t.Errorf("an unknown pool: %+v, %v", got, err)
	}
	if got, err := ask(200, tradesOf()); err != nil || len(got.Trades) != 0 || got.Truncated || !got.Since.Equal(now.Add(-24*time.Hour)) {
		t.Errorf("a pool without trades: %+v, %v", got, err)
	}
	for _, body := range []string{`{}`, `{"data":{}}`, `{"data":null}`, `[]`, `{"data":[{"id":"x"},5]}`} {
		if _, err := ask(200, body); !errors.Is(err, market.ErrUnavailable) {
			t.Errorf("%s: %v", body, err)
		}
	}
	a, s := adapter(func(*url.URL) (int, string) { return 200, tradesOf() })
	if _, err := a.Trades(t.Context(), polygon(), market.TradesRequest{Pool: "../tokens", Token: token}); err == nil || len(s.asked) != 0 {
		t.Error("asked for", s.asked)
	}
}

func FuzzTrades(f *testing.F) {
	f.Add([]byte(tradesOf(tradeText(100, 1, 5, stable, token, "1", "2", "1"), tradeText(99, 1, 6, token, stable, "1e76", "2", "1e14"))))
	f.Add([]byte(tradesOf(tradeText(100, 1, 5, stable, token, "1", "1e999", "-0"), `{"id":"____"}`)))
	f.Fuzz(func(t *testing.T, body []byte) {
		answer, err := upstream.JSON[tradeAnswer](&upstream.Response{Status: 200, Body: body})
		if err != nil || answer.Data == nil {
			return
		}
		got, dropped := readTrades(answer.Data, token, now)
		if dropped < 0 || dropped+len(got.Trades) > len(answer.Data.Good)+answer.Data.Dropped {
			t.Error(dropped)
		}
		for i, trade := range got.Trades {
			if !(trade.Amount > 0) || math.IsInf(trade.Amount, 0) || !(trade.ValueUSD >= 0 && trade.ValueUSD <= upstream.MaximumUSD) || trade.Trader.IsZero() ||
				trade.Time.After(now.Add(5*time.Minute)) || trade.LogIndex < 0 || i > 0 && trade.Block < got.Trades[i-1].Block {
				t.Errorf("%+v", trade)
			}
		}
	})
}
