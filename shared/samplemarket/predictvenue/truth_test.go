package predictvenue

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"testing"
)

func TestThePlantedKindsAreThere(t *testing.T) {
	v := shared()
	if n := len(v.events); n < 250 || n > 310 {
		t.Errorf("%d events", n)
	}
	truths, planted := map[string][]WalletTruth{}, 0
	for _, truth := range v.Truth() {
		truths[truth.Kind] = append(truths[truth.Kind], truth)
		if truth.Kind != "crowd" {
			planted++
		}
	}
	if planted < 75 || planted > 90 {
		t.Errorf("%d planted wallets", planted)
	}
	for kind, want := range map[string]struct {
		low, high        float64 // true edge, dollars a share
		least, most      int     // resolved events
		execution, words string
	}{
		"skilled-taker":   {0.06, 0.18, 150, 250, "taker", ""},
		"fast-taker":      {0.06, 0.18, 100, 250, "taker", ""},
		"skilled-maker":   {0.015, 0.08, 120, 250, "maker", ""},
		"lucky":           {-0.03, 0, 10, 45, "taker", ""},
		"losing":          {-0.07, -0.03, 100, 200, "taker", "value"},
		"favourite-buyer": {-0.02, 0, 100, 250, "taker", "favourites"},
		"longshot-buyer":  {-0.03, 0, 80, 250, "taker", "value"},
		"insider":         {0.2, 0.9, 4, 30, "taker", ""},
		"washer":          {-0.02, 0.02, 20, 100, "", ""},
		"arbitrageur":     {0.003, 0.03, 80, 250, "maker", ""},
		"never-redeemer":  {-0.07, -0.03, 80, 200, "taker", ""},
		"redeemer":        {-0.03, 0, 80, 200, "taker", ""},
		"hedger":          {-0.03, 0, 50, 200, "taker", ""},
		"bot":             {-0.03, 0, 100, 250, "taker", ""},
		"new":             {-0.03, 0.01, 0, 9, "taker", ""},
		"dormant":         {0.06, 0.18, 60, 140, "taker", ""},
		"converter":       {-0.03, 0, 50, 150, "taker", ""},
		"prolific":        {-0.03, 0, 150, 300, "taker", ""},
	} {
		if len(truths[kind]) == 0 {
			t.Errorf("no %s", kind)
		}
		for _, truth := range truths[kind] {
			if truth.TrueEdge < want.low || truth.TrueEdge > want.high || truth.Events < want.least || truth.Events > want.most {
				t.Errorf("%s: edge %.4f in %d events", kind, truth.TrueEdge, truth.Events)
			}
			if truth.Execution != want.execution || want.words != "" && truth.Entries != want.words {
				t.Errorf("%s: %s, %s", kind, truth.Execution, truth.Entries)
			}
			if truth.Skilled != (truth.TrueEdge > 0.012) || truth.Followable != (kind == "skilled-taker") || truth.Wash != (kind == "washer") {
				t.Errorf("%s: skilled %v, followable %v, wash %v", kind, truth.Skilled, truth.Followable, truth.Wash)
			}
			if truth.Truncated != (kind == "prolific") {
				t.Errorf("%s: truncated %v", kind, truth.Truncated)
			}
			cadence, busy := map[string]string{"bot": "machine", "prolific": "machine", "lucky": "occasional", "losing": "regular"}[kind]
			if busy && truth.Cadence != cadence && truth.Cadence != "" {
				t.Errorf("%s: %s", kind, truth.Cadence)
			}
			if kind == "dormant" && truth.Activity != "dormant" || kind == "bot" && truth.Activity != "active" {
				t.Errorf("%s: %s", kind, truth.Activity)
			}
			if kind == "insider" && (truth.Wins != truth.Events || truth.ROI < 0.3) {
				t.Errorf("an insider won %d of %d", truth.Wins, truth.Events)
			}
			if kind == "favourite-buyer" && float64(truth.Wins) < 0.85*float64(truth.Events) {
				t.Errorf("a buyer of favourites won %d of %d", truth.Wins, truth.Events)
			}
		}
	}
}

// meanOfPurchases is a mean over what the wallets of a kind bought at the offer.
func meanOfPurchases(v *Venue, kind string, of func(m *market, outcome uint8, n *entry) float64) float64 {
	sum, count := 0.0, 0
	for _, w := range wallets(v, kind) {
		for _, id := range w.entries {
			if n := v.line(id); n.kind == traded && n.wallet == w.id && !n.sell {
				sum += of(v.markets[n.market], n.outcome, n)
				count++
			}
		}
	}
	return sum / float64(count)
}

// A minute after a slow taker's purchase the offer is where it was; after a fast one's it has gone where the taker knew it would.
func TestWhoCanBeFollowed(t *testing.T) {
	moved := func(m *market, outcome uint8, n *entry) float64 {
		_, ask := m.quote(outcome, n.at+60)
		return float64(ask-n.price) / whole
	}
	if slow := meanOfPurchases(shared(), "skilled-taker", moved); math.Abs(slow) > 0.005 {
		t.Errorf("a minute after slow takers bought the offer has moved by %.4f", slow)
	}
	if fast := meanOfPurchases(shared(), "fast-taker", moved); fast < 0.09 {
		t.Errorf("a minute after fast takers bought the offer has moved by %.4f only", fast)
	}
}

// The truth about probabilities is true: the skilled win as much more often than they pay for as their edge says, and the rest do not.
func TestTheTrueEdgeIsRealised(t *testing.T) {
	venues := []*Venue{venueAt(20, 60), venueAt(21, 60)}
	for _, kind := range []string{"skilled-taker", "fast-taker", "losing", "favourite-buyer", "redeemer", "bot"} {
		realised, promised, events := 0.0, 0.0, 0.0
		for _, v := range venues {
			for _, w := range wallets(v, kind) {
				promised += w.edge / w.edgeShares / float64(len(venues)*len(wallets(v, kind)))
			}
			events += float64(len(v.events))
			realised += meanOfPurchases(v, kind, func(m *market, outcome uint8, n *entry) float64 {
				return m.price(outcome, m.event.closed) - float64(n.price)/whole
			}) / float64(len(venues))
		}
		// The wallets of a kind share events, so that there are no more independent draws than events.
		if margin := 3 * 0.5 / math.Sqrt(events); math.Abs(realised-promised) > margin {
			t.Errorf("%s: %.4f a share against a true edge of %.4f (margin %.3f)", kind, realised, promised, margin)
		}
	}
}

func TestInsidersBetLate(t *testing.T) {
	v := shared()
	for _, w := range wallets(v, "insider") {
		topics := map[string]bool{}
		for _, id := range w.entries {
			if n := v.line(id); n.kind == traded {
				e := v.markets[n.market].event
				topics[e.category.label] = true
				if left := e.ends - n.at; left > 6*hourSeconds {
					t.Errorf("%d s before the outcome", left)
				}
			}
		}
		if len(topics) != 1 {
			t.Errorf("topics %v", topics)
		}
	}
}

// What can be read from outside adds up to the truth, by cash and by what is still held of closed markets.
func TestTruthIsWhatTheAnswersAddUpTo(t *testing.T) {
	v := shared()
	read := []string{"skilled-taker", "skilled-maker", "washer", "arbitrageur", "never-redeemer", "redeemer", "hedger", "converter", "new"}
	checked := map[string]bool{}
	for _, truth := range v.Truth() {
		if checked[truth.Kind] || !slices.Contains(read, truth.Kind) {
			continue
		}
		checked[truth.Kind] = true
		spent, got := map[string]float64{}, map[string]float64{}
		for _, row := range readActivity(t, v, truth.Address) {
			paid := row.Type == "SPLIT" || row.Type == "TRADE" && row.Side == "BUY"
			switch {
			case paid:
				spent[row.EventSlug] += row.USDCSize
			case row.ConditionID != "":
				got[row.EventSlug] += row.USDCSize
			}
		}
		for offset := 0; ; offset += 500 {
			rows := ask[[]positionRow](t, v.Data, "positions", url.Values{"user": {truth.Address}, "limit": {"500"}, "sizeThreshold": {"0"}, "offset": {strconv.Itoa(offset)}})
			for _, row := range rows {
				if row.Redeemable {
					got[row.EventSlug] += row.Size * row.CurPrice
				}
			}
			if len(rows) < 500 {
				break
			}
		}
		events, wins, all, back := 0, 0, 0.0, 0.0
		for slug, cost := range spent {
			if !v.isClosed(v.eventBySlug[slug]) {
				continue
			}
			events++
			all, back = all+cost, back+got[slug]
			if got[slug]-cost > 1e-6 {
				wins++
			}
		}
		if events != truth.Events || wins != truth.Wins || math.Abs(back/all-1-truth.ROI) > 1e-6 {
			t.Errorf("%s: %d of %d at %.6f, the truth says %d of %d at %.6f", truth.Kind, wins, events, back/all-1, truth.Wins, truth.Events, truth.ROI)
		}
	}
	if len(checked) != len(read) {
		t.Errorf("only %d kinds were checked", len(checked))
	}
}

func TestBanded(t *testing.T) {
	bands := []band{{0, "low"}, {10, "high"}}
	for x, want := range map[float64]string{0: "low", 8.9: "low", 9.1: "", 10: "", 10.9: "", 11.1: "high"} {
		if got := banded(x, 1, bands...); got != want {
			t.Errorf("%v is %q, want %q", x, got, want)
		}
	}
}

func TestEffectiveEvents(t *testing.T) {
	v := &Venue{events: []*event{{closed: 1}, {closed: 1}, {closed: 9}}, now: 5}
	h := habits{bought: []int64{30, 10, 40}}
	if got := v.effectiveEvents(&h, false); math.Abs(got-6400.0/2600) > 1e-12 {
		t.Errorf("%v of all", got)
	}
	if got := v.effectiveEvents(&h, true); math.Abs(got-1.6) > 1e-12 {
		t.Errorf("%v of the resolved", got)
	}
}

func TestSamples(t *testing.T) {
	v, kinds := shared(), map[string]int{}
	for _, s := range v.Samples() {
		kinds[s.Kind]++
		if w := v.wallet(s.Address); w == nil || w.kind.name != s.Kind || s.About == "" {
			t.Errorf("sample %+v", s)
		}
	}
	if len(kinds) != 19 || kinds["prolific"] != 1 || kinds["skilled-taker"] != 2 {
		t.Errorf("samples of %v", kinds)
	}
}
