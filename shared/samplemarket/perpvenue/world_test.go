package perpvenue

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"sync"
	"testing"
	"time"
)

// everything is what a venue answers about everybody and every coin, in one text, the accounts in an order of the caller's.
func everything(t testing.TB, v *Venue, backwards bool) string {
	addresses := []string{v.backstop.address, v.stranger}
	for _, a := range v.accounts {
		addresses = append(addresses, a.address)
	}
	slices.Sort(addresses)
	answers := make([]string, len(addresses))
	for n := range addresses {
		i := n
		if backwards {
			i = len(addresses) - 1 - n
		}
		for _, question := range []string{"userFills", "clearinghouseState", "spotClearinghouseState", `userFunding","startTime":0,"x":"`,
			`userNonFundingLedgerUpdates","startTime":0,"x":"`, "portfolio"} {
			answers[i] += string(ask(t, v, `{"user":"%s","type":"%s"}`, addresses[i], question))
		}
	}
	text := ""
	for _, answer := range answers {
		text += answer
	}
	for _, question := range []string{`{"type":"metaAndAssetCtxs"}`, `{"type":"metaAndAssetCtxs","dex":"xyz"}`, `{"type":"allMids"}`, `{"type":"l2Book","coin":"ETH"}`,
		`{"type":"candleSnapshot","req":{"coin":"SOL","interval":"15m","startTime":0,"endTime":9000000000000}}`, `{"type":"fundingHistory","coin":"BTC","startTime":0}`} {
		text += string(ask(t, v, "%s", question))
	}
	return text
}

const stepDays = 14

// Whatever steps time arrives in, whatever is asked on the way and in whatever order, and whether time was set back: the same bytes.
func TestStepsDoNotMatter(t *testing.T) {
	end := testStart.Add(stepDays*24*time.Hour + 17*time.Minute + 333*time.Millisecond)
	once := New(Config{Seed: 5, Start: testStart})
	once.Advance(end)
	steps := New(Config{Seed: 5, Start: testStart})
	for n, now := 0, testStart; now.Before(end); n++ {
		now = now.Add([]time.Duration{time.Minute, 26 * time.Hour, 59 * time.Minute, 31*time.Hour + time.Second}[n%4])
		steps.Advance(now)
		steps.Advance(now.Add(-5 * time.Hour))
		for i := n % 5; i < len(steps.accounts); i += 5 {
			ask(t, steps, `{"type":"userFills","user":"%s"}`, steps.accounts[i].address)
		}
		if n%7 == 0 {
			ask(t, steps, `{"type":"clearinghouseState","user":"%s"}`, steps.backstop.address)
			steps.Leaderboard()
		}
		if next := now.Add(31 * time.Hour); next.After(end) {
			steps.Advance(end)
			now = end
		}
	}
	world := everything(t, once, false)
	if world != everything(t, steps, true) || jsonOf(once.Leaderboard()) != jsonOf(steps.Leaderboard()) {
		t.Fatal("the world at one time depends on how it got there")
	}
	if sum := sha256.Sum256([]byte(world)); hex.EncodeToString(sum[:8]) != golden {
		t.Errorf("the world is another one: %x", sum[:8])
	}
	if other := New(Config{Seed: 6, Start: testStart}); other.accounts[0].address == once.accounts[0].address {
		t.Fatal("another seed is to make another venue")
	}
}

// What had happened stays as it was, and what comes shows in nothing served before.
func TestTheFutureDoesNotShow(t *testing.T) {
	v := New(Config{Seed: 9, Start: testStart})
	now := testStart.Add(20*24*time.Hour + 25*time.Minute)
	v.Advance(now)
	questions := []string{`{"type":"candleSnapshot","req":{"coin":"ETH","interval":"1h","startTime":0,"endTime":%d}}`, `{"type":"fundingHistory","coin":"ETH","startTime":0,"endTime":%d}`}
	for _, address := range slices.Concat(of(v, "skilled-intraday"), of(v, "market-making"), of(v, "scalper"), of(v, "liquidated")) {
		questions = append(questions, `{"type":"userFillsByTime","user":"`+address+`","startTime":0,"endTime":%d}`,
			`{"type":"userNonFundingLedgerUpdates","user":"`+address+`","startTime":0,"endTime":%d}`)
	}
	v.Advance(now.Add(-3 * time.Hour)) // changes nothing
	if state := told[stateWire](t, v, `{"type":"clearinghouseState","user":"%s"}`, v.stranger); state.Time != now.UnixMilli() {
		t.Errorf("time went back to %d", state.Time)
	}
	before := make([]string, len(questions))
	for i, question := range questions {
		until := now.UnixMilli()
		if i == 0 {
			until = now.Add(-90 * time.Minute).UnixMilli() // candles that are over
		}
		before[i] = string(ask(t, v, question, until))
	}
	later := New(Config{Seed: 9, Start: testStart})
	later.Advance(now.Add(36 * time.Hour))
	grown := false
	for i, question := range questions {
		until := now.UnixMilli()
		if i == 0 {
			until = now.Add(-90 * time.Minute).UnixMilli()
		}
		if after := string(ask(t, later, question, until)); after != before[i] {
			t.Errorf("%s: the past has changed", question)
		}
		grown = grown || string(ask(t, later, question, int64(math.MaxInt64))) != before[i]
	}
	if !grown {
		t.Error("nothing new in a day and a half")
	}
}

// The backstop, too, is where it would be if it had not been asked before.
func TestBackstopKeepsUp(t *testing.T) {
	const question = `{"type":"userFills","user":"%s"}`
	v := New(Config{Seed: young().seed, Start: testStart})
	for _, days := range []int{15, 40} {
		v.Advance(testStart.AddDate(0, 0, days))
		ask(t, v, question, v.backstop.address)
	}
	want := ask(t, young(), question, young().backstop.address)
	if got := ask(t, v, question, v.backstop.address); string(got) != string(want) || len(want) < 200 {
		t.Fatalf("%d and %d bytes", len(got), len(want))
	}
}

// Neither the half of an hour nor an hour tells the way of the next.
func TestPricesAreNotPredictable(t *testing.T) {
	v := played()
	pairs, halves, hours := 0.0, 0.0, 0.0
	sign := func(x float64) float64 { return math.Copysign(1, x) }
	for coin := coinBTC; coin < coinHYPESpot; coin++ {
		p := v.pathOf(coin)
		for hour := 1; hour < testDays*24; hour++ {
			middle := p.grid(hour, gridSteps/2)
			halves += sign(middle-p.logs[hour]) * sign(p.logs[hour+1]-middle)
			hours += sign(p.logs[hour]-p.logs[hour-1]) * sign(p.logs[hour+1]-p.logs[hour])
			pairs++
		}
	}
	if math.Abs(halves/pairs) > 0.03 || math.Abs(hours/pairs) > 0.03 {
		t.Errorf("signs of following halves agree by %v, of following hours by %v", halves/pairs, hours/pairs)
	}
}

func TestConcurrentQuestions(t *testing.T) {
	end := testStart.Add(6 * 24 * time.Hour)
	alone, crowded := New(Config{Seed: 2, Start: testStart}), New(Config{Seed: 2, Start: testStart})
	alone.Advance(end)
	want := everything(t, alone, false)
	var crowd sync.WaitGroup
	for n := range 4 {
		crowd.Go(func() {
			if n == 0 {
				crowded.Advance(end.Add(-30 * time.Hour))
				crowded.Advance(end)
			}
			everything(t, crowded, n%2 == 1)
			crowded.Truth()
		})
	}
	crowd.Wait()
	if everything(t, crowded, false) != want {
		t.Fatal("questions at once were answered otherwise than one by one")
	}
}

// golden is the hash of a world. It changes with any draw, rule or format, and with the architecture, as last digits of exponentials do.
const golden = "53b8cfd35cf85b9e"

func TestLimits(t *testing.T) {
	v := played()
	address := of(v, "market-making-busy")[0]
	a := v.byName[address]
	fills := everyFill(t, v, address)
	if len(a.fills) <= 10_000 || len(fills) != 10_000 {
		t.Fatalf("%d of %d fills are reachable", len(fills), len(a.fills))
	}
	if last := len(a.fills) - 1; fills[10_000-1].Trade != a.fills[last].trade || fills[0].Trade != a.fills[last-10_000+1].trade {
		t.Error("the reachable fills are not the latest")
	}
	newest := told[[]fillWire](t, v, `{"type":"userFills","user":"%s"}`, address)
	reversed := told[[]fillWire](t, v, `{"type":"userFillsByTime","user":"%s","startTime":0,"reversed":true}`, address)
	if len(newest) != 2_000 || len(reversed) != 2_000 || newest[0].Trade != fills[10_000-1].Trade || reversed[7].Trade != newest[7].Trade {
		t.Error("the newest 2,000 come first")
	}
	until := fills[50].Time
	for i, f := range told[[]fillWire](t, v, `{"type":"userFillsByTime","user":"%s","startTime":%d,"endTime":%d}`, address, fills[10].Time, until) {
		if f.Time < fills[10].Time || f.Time > until {
			t.Errorf("fill %d is of another time", i)
		}
	}
	if rows := told[[]fundingWire](t, v, `{"type":"userFunding","user":"%s","startTime":0}`, address); len(rows) != 500 {
		t.Errorf("%d funding payments in one answer", len(rows))
	}
	rates := told[[]fundingRateWire](t, v, `{"type":"fundingHistory","coin":"ETH","startTime":%d}`, testStart.Add(time.Hour).UnixMilli())
	if len(rates) != 500 || rates[0].Time != testStart.Add(time.Hour).UnixMilli() || rates[499].Time-rates[0].Time != 499*hourMillis {
		t.Errorf("%d rates, from %d to %d", len(rates), rates[0].Time, rates[len(rates)-1].Time)
	}
	if candles := told[[]candleWire](t, v, `{"type":"candleSnapshot","req":{"coin":"BTC","interval":"1m","startTime":0,"endTime":%d}}`, v.now); len(candles) != 5_000 {
		t.Errorf("%d candles", len(candles))
	}
}

// A day's candle is its hours' candles put together, and one follows on the other.
func TestCandlesFit(t *testing.T) {
	v := played()
	for _, coin := range []string{"BTC", "kPEPE", "xyz:TSLA", "@107"} {
		const question = `{"type":"candleSnapshot","req":{"coin":"%s","interval":"%s","startTime":%d,"endTime":%d}}`
		from, to := testStart.AddDate(0, 0, 30).UnixMilli(), testStart.AddDate(0, 0, 40).UnixMilli()-1
		hours := asked[[]candleWire](t, v, question, coin, "1h", from, to)
		days := asked[[]candleWire](t, v, question, coin, "1d", from, to)
		if len(hours) != 240 || len(days) != 10 || days[0].Open != from {
			t.Fatalf("%s: %d hours, %d days", coin, len(hours), len(days))
		}
		for i, day := range days {
			high, low := 0.0, math.Inf(1)
			for _, hour := range hours[24*i : 24*i+24] {
				high, low = max(high, number(t, hour.High)), min(low, number(t, hour.Low))
				if number(t, hour.Low) > number(t, hour.First) || number(t, hour.High) < number(t, hour.Last) || hour.Close-hour.Open != hourMillis-1 {
					t.Fatalf("%s: %+v", coin, hour)
				}
			}
			if day.First != hours[24*i].First || day.Last != hours[24*i+23].Last || number(t, day.High) != high || number(t, day.Low) != low {
				t.Fatalf("%s day %d: %+v", coin, i, day)
			}
			if i > 0 && days[i-1].Last != day.First {
				t.Fatalf("%s day %d does not follow on", coin, i)
			}
		}
	}
}
