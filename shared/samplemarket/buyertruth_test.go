package samplemarket

import (
	"net/http"
	"slices"
	"strconv"
	"testing"

	"github.com/go-json-experiment/json"
)

// Who bought lately is told as anybody sees it in the listed trades, newest first.
func TestLatestBuyersAreThoseInTheListedTrades(t *testing.T) {
	m := shared()
	w := m.worlds[0]
	groups := map[string]int{}
	for _, id := range w.listed {
		token := &w.tokens[id]
		address := w.entities[token.entity].address.String()
		status, body := get(t, m, "/geckoterminal/api/v2/networks/eth/pools/"+w.poolAddress(&w.pools[token.pool])+"/trades?token="+address)
		var answer struct {
			Data []struct {
				Attributes struct {
					Trader string `json:"tx_from_address"`
					Kind   string `json:"kind"`
					USD    string `json:"volume_in_usd"`
				} `json:"attributes"`
			} `json:"data"`
		}
		if err := json.Unmarshal([]byte(body), &answer); status != http.StatusOK || err != nil {
			t.Fatal(status, err)
		}
		if len(answer.Data) == 300 {
			continue // what is older is cut off
		}
		want := BuyerTruth{}
		seen := map[string]bool{w.entities[token.creator].address.String(): true}
		for _, trade := range answer.Data {
			a := trade.Attributes
			if usd, err := strconv.ParseFloat(a.USD, 64); err != nil || usd < leastPurchase || a.Kind != "buy" || seen[a.Trader] || want.All == latestBuyers {
				continue
			}
			seen[a.Trader] = true
			want.All++
			for i := range w.wallets {
				me := &w.wallets[i]
				if w.entities[me.entity].address.String() != a.Trader {
					continue
				}
				truth := w.walletTruth(me)
				groups[truth.Group]++
				switch {
				case truth.Skilled:
					want.Skilled++
					if truth.Closed >= 30 {
						want.Proven++
					}
				case slices.Contains([]string{"lucky-position", "rotator", "position", "degen", "diamond", "accumulator"}, truth.Group):
					want.Carried++
				}
			}
		}
		if got := w.tokenTruth(token).Buyers; got != want {
			t.Errorf("%s: %+v, listed are %+v", address, got, want)
		}
	}
	if groups["crowd"] == 0 || len(groups) < 4 {
		t.Errorf("buyers %v", groups)
	}
}
