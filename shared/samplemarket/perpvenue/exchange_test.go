package perpvenue

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const (
	knownSigner   = "0x27ceacc987489d41aa21e0a21cb6f2e723b05278"
	knownOrder    = `{"action":{"type":"order","orders":[{"a":120001,"b":true,"p":"4081.5","s":"0.0735","r":false,"t":{"limit":{"tif":"Ioc"}},"c":"0x0100000000000000000000000000000f"}],"grouping":"na"},"nonce":1788222600000,"signature":{"r":"0x2893619a03104e9ddb4d91664f916456296cead1786d70c53057faeb2394a618","s":"0x2fe694afd2d7d45a9dd8b7733f39694cf9a15e9a841df61a9c9e7be35dff9bab","v":27},"vaultAddress":null,"expiresAfter":1788222610000}`
	knownApproval = `{"action":{"type":"approveAgent","signatureChainId":"0x66eee","hyperliquidChain":"Mainnet","agentAddress":"0xa900000000000000000000000000000000000001","agentName":"mirror valid_until 1790000000000","nonce":1788222600000},"nonce":1788222600000,"signature":{"r":"0x7e30facd5325b8a80831f50a8dc8741cba0fadcd237999301ea663818b2c5b8e","s":"0x3c1453dc9de0e0083fcce19ad5e0dc513508e2f8ceab10a4e4cf8afb21b9ec9e","v":27},"vaultAddress":null}`
)

// The requests were made by another implementation, whose tests have them as well.
func TestKnownSigners(t *testing.T) {
	var r exchangeRequest
	var orders ordersWire
	if !strictly([]byte(knownOrder), &r) || !strictly(r.Action, &orders) {
		t.Fatal("not read")
	}
	packed, ok := packOrders(&orders)
	if got, err := signer(actionDigest(packed, &r), r.Signature); !ok || err != nil || got != knownSigner {
		t.Errorf("order: %s, %v", got, err)
	}
	v := New(Config{Seed: 25, Start: testStart})
	v.Advance(time.UnixMilli(1_788_222_600_000))
	if status, answer := v.Exchange([]byte(knownApproval)); status != http.StatusOK || jsonOf(answer) != `{"status":"ok","response":{"type":"default"}}` {
		t.Errorf("approval: %d %s", status, jsonOf(answer))
	}
	want := `[{"name":"mirror","address":"0xa900000000000000000000000000000000000001","validUntil":1790000000000}]`
	if got := string(ask(t, v, `{"type":"extraAgents","user":"%s"}`, knownSigner)); got != want {
		t.Errorf("agents %s", got)
	}
	// What is not signed as it stands is somebody else's.
	for _, change := range [][2]string{{`"s":"0.0735"`, `"s":"0.0736"`}, {`"b":true`, `"b":false`}, {"1788222610000", "1788222610001"}, {"1788222600000", "1788222600001"},
		{`"vaultAddress":null`, `"vaultAddress":"` + knownSigner + `"`}, {`0f"}]`, `0e"}]`}} {
		var changed exchangeRequest
		var orders ordersWire
		if !strictly([]byte(strings.Replace(knownOrder, change[0], change[1], 1)), &changed) || !strictly(changed.Action, &orders) {
			t.Fatal(change)
		}
		packed, _ := packOrders(&orders)
		if got, err := signer(actionDigest(packed, &changed), changed.Signature); err == nil && got == knownSigner {
			t.Errorf("%s: still the same signer", change)
		}
	}
}

func TestOrdersFollowTheRules(t *testing.T) {
	f := openFloor(t)
	mark := float64(f.v.mark(coinSOL, f.v.now)) / million
	price := func(factor float64) string { return floatTrim(significant(mark*factor, 5, 4)) }
	for _, c := range []struct {
		name               string
		asset              int
		buy                bool
		price, size, wants string
		reduce             bool
	}{
		{"too many digits", 2, true, price(1.01) + "001", "1", "Price must be divisible by tick size. asset=2", false},
		{"too fine", 2, true, price(1.01), "1.001", "Order has invalid size. asset=2", false},
		{"too small", 2, true, price(1.01), "0.05", "Order must have minimum value of $10. asset=2", false},
		{"too far", 2, true, price(2), "1", "away from the reference price", false},
		{"nobody sells", 2, true, price(0.99), "1", "Order could not immediately match against any resting orders. asset=2", false},
		{"nothing to reduce", 2, false, price(0.99), "1", "Reduce only order would increase position. asset=2", true},
		{"too much", 2, true, price(1.01), "5000", "Insufficient margin to place order. asset=2", false},
		{"no such contract", 13, true, "1", "20", "Invalid asset", false},
		{"a pair of spot", 10_107, true, "1", "20", "Invalid asset", false},
		{"fine", 2, true, price(1.01), "2", `{"filled":{"totalSz":"2.0","avgPx":"`, false},
		{"the wrong side", 2, true, price(1.01), "1", "Reduce only order would increase position. asset=2", true},
		{"more than there is", 2, false, price(0.99), "2.01", "Reduce only order would increase position. asset=2", true},
		{"a part", 2, false, price(0.99), "1.97", `{"filled":{"totalSz":"1.97","avgPx":"`, true},
		{"the rest, small as it is", 2, false, price(0.99), "0.03", `{"filled":{"totalSz":"0.03","avgPx":"`, true},
		{"on the builder's exchange", 110_002, true, "4500", "0.05", `{"filled":{"totalSz":"0.05","avgPx":"`, false},
	} {
		if got := f.order(c.asset, c.buy, c.price, c.size, c.reduce); !strings.Contains(got, c.wants) {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	state := asked[stateWire](t, f.v, `{"type":"clearinghouseState","user":"%s","dex":"xyz"}`, f.owner.address())
	if len(state.Positions) != 1 || state.Positions[0].Position.Coin != "xyz:GOLD" || state.Positions[0].Position.Size != "0.05" {
		t.Errorf("%+v", state)
	}
	// Zeros at the end are not what is signed.
	nonce := f.next()
	action, _ := f.agent.orderText(2, true, price(1.01), "1", false, "0x"+strings.Repeat("7", 32))
	zeros := strings.Replace(action, `"s":"1"`, `"s":"1.0"`, 1)
	var p packed
	p.table(3).text("type").text("order").text("orders").list(1).table(7).text("a").number(2).text("b").truth(true).text("p").text(price(1.01)).text("s").text("1.0")
	p.text("r").truth(false).text("t").table(1).text("limit").table(1).text("tif").text("Ioc").text("c").text("0x" + strings.Repeat("7", 32)).text("grouping").text("na")
	f.want(f.agent.signed(zeros, p.String(), nonce, nil), "does not exist")
}

// An order takes what stands in the book, best price first, and no more than its limit.
func TestOrdersTakeTheBook(t *testing.T) {
	f := openFloor(t)
	book := asked[bookWire](t, f.v, `{"type":"l2Book","coin":"SOL"}`)
	third := book.Levels[1][2]
	limit := strings.TrimSuffix(third.Price, ".0")
	depth, cost := 0.0, 0.0
	for _, l := range book.Levels[1][:3] {
		depth += number(t, l.Size)
		cost += number(t, l.Size) * number(t, l.Price)
	}
	size := min(depth+5, math.Floor(120_000/number(t, third.Price)))
	got := f.order(2, true, limit, floatTrim(math.Round(size*100)/100), false)
	if depth > size {
		t.Fatal("the book is deeper than the account")
	}
	want := fmt.Sprintf(`{"filled":{"totalSz":"%s","avgPx":"`, floatText(depth, 2))
	if !strings.Contains(got, want) {
		t.Fatalf("%s, want %s", got, want)
	}
	fills := asked[[]fillWire](t, f.v, `{"type":"userFills","user":"%s"}`, f.owner.address())
	if len(fills) != 3 || fills[0].Price != third.Price || fills[2].Price != book.Levels[1][0].Price {
		t.Errorf("%+v", fills)
	}
}

func TestNoncesOfTheVenue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := &Venue{now: 1_000_000_000_000, guests: newGuests()}
		var all []int64
		for range rapid.IntRange(1, 300).Draw(t, "requests") {
			near := rapid.Int64Range(-150, 150).Draw(t, "near")
			nonce := v.now + near
			if rapid.IntRange(0, 20).Draw(t, "far") == 0 {
				nonce = v.now + near*2_000_000
			}
			slices.Sort(all)
			fresh := !slices.Contains(all, nonce) && (len(all) < 100 || nonce > all[len(all)-100])
			fine := fresh && nonce > v.now-2*dayMillis && nonce < v.now+dayMillis
			err := v.useNonce("somebody", &exchangeRequest{Nonce: uint64(nonce)})
			if fine != (err == nil) {
				t.Fatalf("%d after %v: %v", nonce, all, err)
			}
			if fine {
				all = append(all, nonce)
			}
			if v.useNonce("somebody else", &exchangeRequest{Nonce: uint64(nonce)}) == nil && rapid.Bool().Draw(t, "time passes") {
				v.now += 10
			}
		}
	})
}

func TestAgentsEndAndAreFew(t *testing.T) {
	f := openFloor(t)
	until := f.v.now + 10*dayMillis
	f.want(f.owner.approval(keyNumber(3).address(), fmt.Sprintf("short valid_until %d", until), f.next()), `"ok"`)
	f.want(f.owner.approval(keyNumber(4).address(), "third", f.next()), `"ok"`)
	f.want(f.owner.approval(keyNumber(5).address(), "fourth", f.next()), "Too many extra agents.")
	f.want(f.owner.approval(keyNumber(6).address(), "third", f.next()), `"ok"`)
	f.want(f.owner.approval(keyNumber(3).address(), "other", f.next()), "already used")
	f.want(keyNumber(9).approval(keyNumber(3).address(), "mine", f.next()), "already used")
	f.want(keyNumber(9).approval(f.owner.address(), "mine", f.next()), "already used")
	f.want(f.owner.approval(keyNumber(7).address(), "a name far too long", f.next()), "Invalid agent name")
	for _, bad := range []int64{f.v.now, f.v.now + 181*dayMillis, -1} {
		f.want(f.owner.approval(keyNumber(7).address(), fmt.Sprintf("short valid_until %d", bad), f.next()), "Invalid agent valid_until")
	}
	trade := func(k keyholder) string {
		nonce := f.next()
		action, packed := k.orderText(2, true, "1", "100", false, fmt.Sprintf("0x%032x", nonce))
		return f.send(k.signed(action, packed, nonce, nil))
	}
	for n, may := range map[byte]bool{2: true, 3: true, 4: false, 5: false, 6: true, 1: false} {
		if got := trade(keyNumber(n)); may == strings.Contains(got, "does not exist") {
			t.Errorf("agent %d: %s", n, got)
		}
	}
	f.v.Advance(time.UnixMilli(until))
	f.nonce = f.v.now
	if got := trade(keyNumber(3)); !strings.Contains(got, "does not exist") {
		t.Errorf("after its time: %s", got)
	}
	if agents := asked[[]agentWire](t, f.v, `{"type":"extraAgents","user":"%s"}`, f.owner.address()); len(agents) != 2 {
		t.Errorf("%+v", agents)
	}
	expired := uint64(f.v.now - 1)
	action, packed := f.agent.orderText(2, true, "1", "100", false, "0x"+strings.Repeat("1", 32))
	f.want(f.agent.signed(action, packed, f.next(), &expired), "expired")
}

func TestLeverageIsWithinBounds(t *testing.T) {
	f := openFloor(t)
	set := func(asset, leverage int, cross bool) string {
		w := leverageUpdateWire{"updateLeverage", uint32(asset), cross, uint32(leverage)}
		packed, _ := packLeverage(&w)
		return f.send(f.agent.signed(jsonOf(w), packed, f.next(), nil))
	}
	for _, c := range []struct {
		asset, leverage int
		cross           bool
		want            string
	}{{2, 20, true, `"ok"`}, {2, 21, true, "Invalid leverage value"}, {2, 0, true, "Invalid leverage value"}, {11, 3, true, "not allowed"}, {11, 3, false, `"ok"`},
		{99, 3, true, "Invalid asset"}, {2, 1, true, `"ok"`}} {
		if got := set(c.asset, c.leverage, c.cross); !strings.Contains(got, c.want) {
			t.Errorf("%+v: %s", c, got)
		}
	}
	f.order(2, true, "200", "40", false)
	if got := set(2, 2, false); !strings.Contains(got, "Cannot switch") {
		t.Error(got)
	}
	state := asked[stateWire](t, f.v, `{"type":"clearinghouseState","user":"%s"}`, f.owner.address())
	if len(state.Positions) != 1 || state.Positions[0].Position.Leverage.Value != 1 {
		t.Errorf("%+v", state)
	}
}
