package samplemarket

import (
	"encoding/json"
	"net/http"
	"testing"
)

func TestHoneypotIsTriesTrades(t *testing.T) {
	type answer struct {
		SimulationSuccess bool
		HoneypotResult    *struct{ IsHoneypot bool }
		SimulationResult  *struct{ BuyTax, SellTax float64 }
	}
	for _, w := range shared().worlds {
		for i := range w.tokens {
			token := &w.tokens[i]
			path := "/honeypotis/v2/IsHoneypot?chainID=" + quantityDecimal(w.spec.id) + "&address=" + w.entities[token.entity].sum
			status, body := get(t, shared(), path)
			switch covered := honeypotChains[w.spec.slug]; {
			case !covered && status != http.StatusBadRequest, covered && token.pool < 0 && status != http.StatusNotFound:
				t.Fatalf("%s: status %d: %s", path, status, body)
			case !covered || token.pool < 0:
				continue
			}
			var got answer
			if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK {
				t.Fatalf("%s: status %d, %v: %s", path, status, err, body)
			}
			p := &w.pools[token.pool]
			tries := p.version != poolV4 && p.drainedAt == 0
			if got.SimulationSuccess != tries || (got.HoneypotResult != nil) != tries || (got.SimulationResult != nil) != tries {
				t.Fatalf("%s: %s", path, body)
			}
			if !tries {
				continue
			}
			if got.HoneypotResult.IsHoneypot != (token.kind == kindHoneypot) || got.SimulationResult.BuyTax != float64(token.buyTax) ||
				(token.kind != kindHoneypot && got.SimulationResult.SellTax != float64(token.sellTax)) {
				t.Fatalf("%s, a %s taxed %d and %d: %s", path, tokenKindNames[token.kind], token.buyTax, token.sellTax, body)
			}
		}
	}
	for path, want := range map[string]int{
		"/honeypotis/v2/IsHoneypot?address=0x12": http.StatusBadRequest, "/honeypotis/v2/IsHoneypot": http.StatusBadRequest, "/honeypotis/v1": http.StatusNotFound,
		"/honeypotis/v2/IsHoneypot?address=" + burnAddress.String() + "&chainID=one": http.StatusBadRequest,
		"/honeypotis/v2/IsHoneypot?address=" + burnAddress.String():                  http.StatusNotFound,
	} {
		if status, body := get(t, shared(), path); status != want {
			t.Errorf("%s: status %d: %s", path, status, body)
		}
	}
}

func TestGeckoRanksPoolsByVolume(t *testing.T) {
	for _, w := range shared().worlds {
		for order, of := range map[string]func(p *pool) float64{
			"h24_volume_usd_desc": func(p *pool) float64 { return w.windows(p, daySeconds)[0].volume },
			"h24_tx_count_desc": func(p *pool) float64 {
				return float64(w.windows(p, daySeconds)[0].buys + w.windows(p, daySeconds)[0].sells)
			},
		} {
			last, seen := 0.0, map[string]bool{}
			for _, number := range []string{"1", "2"} {
				var answer struct {
					Data []struct {
						Attributes struct{ Address string }
					}
				}
				_, body := get(t, shared(), "/geckoterminal/api/v2/networks/"+w.spec.gecko+"/pools?sort="+order+"&page="+number)
				decode(t, body, &answer)
				if number == "1" && len(answer.Data) != geckoPage {
					t.Fatalf("%s: %d pools on the first page", w.spec.slug, len(answer.Data))
				}
				for _, row := range answer.Data {
					p := w.poolByAddress(row.Attributes.Address)
					if p == nil || seen[row.Attributes.Address] || of(p) <= 0 || len(seen) > 0 && of(p) > last {
						t.Fatalf("%s by %s: %s out of order", w.spec.slug, order, row.Attributes.Address)
					}
					seen[row.Attributes.Address], last = true, of(p)
				}
			}
		}
	}
}
