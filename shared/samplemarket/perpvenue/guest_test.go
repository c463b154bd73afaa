package perpvenue

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whatever a guest orders, it never ties up more margin than there is, and its money is what it paid in, its profits and its fees.
func TestMarginIsNeverExceeded(t *testing.T) {
	v := New(Config{Seed: 25, Start: testStart})
	v.Advance(testStart.Add(30 * time.Hour))
	guest := byte(10)
	rapid.Check(t, func(t *rapid.T) {
		guest++
		a := v.newGuest(keyNumber(guest).address())
		a.run()
		for range rapid.IntRange(1, 15).Draw(t, "orders") {
			coin := rapid.SampledFrom([]int{coinBTC, coinSOL, coinWIF, coinPEPE, coinTSLA}).Draw(t, "coin")
			c, p := &v.coins[coin], &a.positions[coin]
			if p.size == 0 {
				p.leverage, p.isolated = rapid.IntRange(1, c.maxLeverage()).Draw(t, "leverage"), c.onlyIsolate || rapid.Bool().Draw(t, "isolated")
			}
			mark := float64(v.mark(coin, v.now)) / million
			buy, usd := rapid.Bool().Draw(t, "buy"), rapid.Float64Range(10, 200_000).Draw(t, "usd")
			if rapid.Bool().Draw(t, "all there is") {
				free := float64(a.standing(c.exchange, v.now).free()) / million * float64(p.leverage)
				usd = max(10, free*rapid.Float64Range(0.985, 1.001).Draw(t, "share"))
			}
			limit := mark * map[bool]float64{true: 1.03, false: 0.97}[buy]
			w := &orderWire{Buy: buy, ReduceOnly: rapid.Bool().Draw(t, "reduce"), Price: floatTrim(float64(c.tick(limit)) / million),
				Size: floatTrim(float64(c.units(roundMoney(usd), v.mark(coin, v.now))) / float64(powersOfTen[c.unit]))}
			before := p.size
			o := &order{coin: coin, buy: buy, tif: "Ioc", reduceOnly: w.ReduceOnly, id: a.order(v.now)}
			_, refused := v.match(a, o, w)
			if refused != nil && p.size != before || o.filled > o.size || w.ReduceOnly && absolute(p.size) > absolute(before) {
				t.Fatalf("%+v changed %d to %d: %+v", o, before, p.size, refused)
			}
			if s := a.standing(c.exchange, v.now); o.filled > 0 && absolute(p.size) > absolute(before) && s.crossUsed > s.crossValue {
				t.Fatalf("%+v ties up %d of %d", o, s.crossUsed, s.crossValue)
			}
		}
		var profit int64
		for _, f := range a.fills {
			profit += f.profit - f.fee
		}
		if sum := a.cash[0] + a.cash[1]; sum != paperDeposit+profit {
			t.Fatalf("%d is there, %d was paid in, %d was made", sum, int64(paperDeposit), profit)
		}
	})
}

// What guests do changes nothing for anybody else.
func TestTheWorldDoesNotNoticeItsGuests(t *testing.T) {
	f := openFloor(t)
	for i := range 30 {
		f.order(i%3, i%4 != 3, map[int]string{0: "70000", 1: "3700", 2: "170"}[i%3], []string{"0.03", "0.6", "12"}[i%3], false)
		f.v.Advance(testStart.Add(time.Duration(30+6*i) * time.Hour))
		f.nonce = f.v.now
	}
	quiet := New(Config{Seed: 25, Start: testStart})
	quiet.Advance(testStart.Add(time.Duration(30+6*29) * time.Hour))
	if fmt.Sprint(f.v.Truth()) != fmt.Sprint(quiet.Truth()) || jsonOf(f.v.Leaderboard()) != jsonOf(quiet.Leaderboard()) {
		t.Error("somebody noticed")
	}
	if a, b := ask(t, f.v, `{"type":"l2Book","coin":"SOL"}`), ask(t, quiet, `{"type":"l2Book","coin":"SOL"}`); string(a) != string(b) {
		t.Error("the book did")
	}
	history := asked[[]fundingWire](t, f.v, `{"type":"userFunding","user":"%s","startTime":0}`, f.owner.address())
	if len(history) == 0 {
		t.Error("guests pay no funding")
	}
}

func TestManyTradeAtOnce(t *testing.T) {
	f := openFloor(t)
	const traders = 6
	for n := range traders {
		f.want(keyNumber(byte(20+2*n)).approval(keyNumber(byte(21+2*n)).address(), "main", f.next()), `"ok"`)
	}
	base := f.v.now
	var group sync.WaitGroup
	for n := range traders {
		group.Go(func() {
			owner, agent := keyNumber(byte(20+2*n)), keyNumber(byte(21+2*n))
			for i := range 10 {
				id := fmt.Sprintf("0x%032x", i/2)
				action, packed := agent.orderText(2, true, "170", "0.5", false, id)
				f.v.Exchange([]byte(agent.signed(action, packed, base+int64(i), nil)))
				f.v.Info([]byte(`{"type":"clearinghouseState","user":"` + owner.address() + `"}`))
				f.v.Info([]byte(`{"type":"orderStatus","user":"` + owner.address() + `","oid":"` + id + `"}`))
			}
		})
	}
	group.Go(func() {
		for i := range 10 {
			f.v.Advance(testStart.Add(30*time.Hour + time.Duration(i)*time.Second))
		}
	})
	group.Wait()
	for n := range traders {
		state := asked[stateWire](t, f.v, `{"type":"clearinghouseState","user":"%s"}`, keyNumber(byte(20+2*n)).address())
		if len(state.Positions) != 1 || state.Positions[0].Position.Size != "2.5" {
			t.Errorf("trader %d: five orders, each sent twice: %+v", n, state.Positions)
		}
	}
}

func FuzzExchange(f *testing.F) {
	for _, seed := range []string{knownOrder, knownApproval, `{}`, `null`, `{"action":{"type":"cancelByCloid","cancels":[{"asset":1,"cloid":"0x"}]},"nonce":1,"signature":{"r":"0x1","s":"0x1","v":27}}`,
		`{"action":{"type":"withdraw3","hyperliquidChain":"Mainnet","signatureChainId":"0x1","amount":"1","time":1,"destination":"x"},"nonce":1,"signature":{"r":"0x1","s":"0x1","v":28}}`} {
		f.Add([]byte(seed))
	}
	v := New(Config{Seed: 3, Start: testStart})
	v.Advance(testStart.AddDate(0, 0, 3))
	f.Fuzz(func(t *testing.T, body []byte) {
		status, answer := v.Exchange(body)
		text, err := json.Marshal(answer)
		if err != nil || status != http.StatusOK && status != http.StatusUnprocessableEntity || status == http.StatusOK && !strings.HasPrefix(string(text), `{"status":"`) {
			t.Fatalf("%d %s %v", status, text, err)
		}
	})
}
