package copytrade

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

func TestRefusals(t *testing.T) {
	v, f := newVenue(), endpointtest.New(t)
	f.Service.Sources = market.Sources{PerpMarkets: v, PerpCandles: v}
	e := PerpCopyDecision()
	endpointtest.Refusals(t, endpoint.NewHandler(f.Service, e), []endpoint.Endpoint{e}, f.Key, v.calls)
}

// What is out of range, of the wrong type or contradicts itself is refused before the venue is asked.
func TestNonsenseIsRefused(t *testing.T) {
	v := newVenue()
	handler := v.handler()
	for _, c := range []struct {
		parameter, says string
		pairs           []any
	}{
		{"side", "one of long, short", []any{"side", "LONG"}},
		{"side", "one of long, short", []any{"side", 1}},
		{"leverage", "above 0 to 200", []any{"leverage", 0}},
		{"leverage", "above 0 to 200", []any{"leverage", -5}},
		{"leverage", "above 0 to 200", []any{"leverage", 200.1}},
		{"leverage", "above 0 to 200", []any{"leverage", "10"}},
		{"fundingRateHourly", "from -0.04 to 0.04", []any{"fundingRateHourly", 0.041}},
		{"fundingRateHourly", "from -0.04 to 0.04", []any{"fundingRateHourly", -0.041}},
		{"coin", "1 to 40 bytes", []any{"coin", ""}},
		{"coin", "1 to 40 bytes", []any{"coin", strings.Repeat("B", 41)}},
		{"coin", "letters and digits", []any{"coin", "BTC "}},
		{"coin", "letters and digits", []any{"coin", "<b>"}},
		{"coin", "letters and digits", []any{"coin", "@107"}},
		{"coin", "letters and digits", []any{"coin", "a:b:c"}},
		{"coin", "letters and digits", []any{"coin", ":BTC"}},
		{"entryPrice", "above 0 to 1000000000", []any{"entryPrice", 0, "markPrice", 1}},
		{"markPrice", "above 0 to 1000000000", []any{"markPrice", 1e10}},
		{"liquidationPrice", "above 0 to 1000000000", []any{"liquidationPrice", -1, "markPrice", 1}},
		{"maintenanceMarginRate", "above 0 to 0.5", []any{"maintenanceMarginRate", 0}},
		{"maintenanceMarginRate", "above 0 to 0.5", []any{"maintenanceMarginRate", 0.51}},
		{"maintenanceMarginRate", "below 1/leverage", []any{"maintenanceMarginRate", 0.2}},
		{"maintenanceMarginRate", "below 1/maxLeverage", []any{"maintenanceMarginRate", 0.1, "maxLeverage", 10}},
		{"maxLeverage", "from 1 to 200", []any{"maxLeverage", 0.9}},
		{"dailyVolPct", "from 0.1 to 300", []any{"dailyVolPct", 0}},
		{"dailyVolPct", "from 0.1 to 300", []any{"dailyVolPct", 301}},
		{"leaderGrade", "one of A, B, C, D, F", []any{"leaderGrade", "E"}},
		{"leaderGrade", "one of A, B, C, D, F", []any{"leaderGrade", ""}},
		{"allocationUsd", "above 0 to 1000000000", []any{"allocationUsd", 0}},
		{"holdHours", "from 0.25 to 720", []any{"holdHours", 0.2}},
		{"holdHours", "from 0.25 to 720", []any{"holdHours", 721}},
		{"liquidationPrice", "markPrice or coin", []any{"liquidationPrice", 90}},
		{"entryPrice", "markPrice or coin", []any{"entryPrice", 90}},
		{"liquidationPrice", "below markPrice", []any{"liquidationPrice", 100, "markPrice", 100}},
		{"liquidationPrice", "above markPrice", []any{"side", "short", "liquidationPrice", 99, "markPrice", 100}},
		{"entryPrice", "more than 100 times", []any{"entryPrice", 1, "markPrice", 101}},
		{"entryPrice", "more than 100 times", []any{"entryPrice", 101, "markPrice", 1}},
	} {
		sent := body(t, c.pairs...)
		call := endpointtest.Call{Method: http.MethodPost, Path: "/v1/perp-copy-decision", Body: sent}
		problem := endpointtest.CheckRefusal(t, call, call.Do(t, handler), http.StatusBadRequest, "invalid_param")
		if problem.Parameter != c.parameter || !strings.Contains(problem.Message, c.says) {
			t.Errorf("%s: %s: %s, want %s: %s", sent, problem.Parameter, problem.Message, c.parameter, c.says)
		}
	}
	for _, sent := range []string{
		`{"side":"long","leverage":NaN,"fundingRateHourly":0}`, `{"side":"long","leverage":Infinity,"fundingRateHourly":0}`,
		`{"side":"long","leverage":5,"fundingRateHourly":-Infinity}`,
	} {
		if answer := post(t, handler, sent); answer.Status != http.StatusBadRequest || answer.Problem(t).Error != "invalid_json" {
			t.Errorf("%s: %d %s", sent, answer.Status, answer.Body)
		}
	}
	if answer := post(t, handler, `{"side":"long","leverage":1e999,"fundingRateHourly":0}`); answer.Problem(t).Parameter != "leverage" {
		t.Errorf("%s", answer.Body)
	}
	if v.calls() != 0 {
		t.Errorf("the venue was asked %v", v.asked)
	}
}

func TestContractsAreRefusedByName(t *testing.T) {
	for _, c := range []struct{ coin, says string }{
		{"NOPE", "no perpetual contract of this name. They are called like"}, {"PEPE", "It has kPEPE"}, {"pepe-usd", "It has kPEPE"},
		{"GONE", "does not trade GONE any more"}, {"xyz:NOPE", "no perpetual contract of this name"}, {"abc:BTC", "no perpetual contract of this name"},
	} {
		answer := post(t, newVenue().handler(), body(t, "coin", c.coin))
		if problem := answer.Problem(t); answer.Status != http.StatusBadRequest || problem.Error != "invalid_param" || problem.Parameter != "coin" || !strings.Contains(problem.Message, c.says) {
			t.Errorf("%s: %d %s", c.coin, answer.Status, answer.Body)
		}
	}
	// The mark price is the venue's here: the prices of a thousand coins and of one.
	if answer := post(t, newVenue().handler(), body(t, "coin", "kPEPE", "entryPrice", 0.000012)); answer.Status != http.StatusBadRequest || answer.Problem(t).Parameter != "entryPrice" {
		t.Errorf("%s", answer.Body)
	}
}

// The venue is asked for what a request leaves out, once, and for nothing else.
func TestOnlyWhatIsMissingIsFetched(t *testing.T) {
	complete := []any{"markPrice", 100, "maxLeverage", 40, "maintenanceMarginRate", 0.0125, "dailyVolPct", 3}
	for _, c := range []struct {
		name  string
		pairs []any
		asked []string
	}{
		{"without a coin", nil, nil},
		{"without a coin, everything given", complete, nil},
		{"a coin alone", []any{"coin", "BTC"}, []string{"markets ", "candles BTC 2026-05-02 2026-06-01"}},
		{"a coin and its volatility", []any{"coin", "BTC", "dailyVolPct", 3}, []string{"markets "}},
		{"a coin in lower case on a builder's exchange", []any{"coin", "xyz:cl"}, []string{"markets xyz", "candles xyz:CL 2026-05-02 2026-06-01"}},
		{"an exchange in upper case", []any{"coin", "XYZ:CL", "dailyVolPct", 3}, []string{"markets XYZ", "markets xyz"}},
		{"a coin and everything else: how crowded it is, is missing", append([]any{"coin", "BTC"}, complete...), []string{"markets "}},
	} {
		v := newVenue()
		decide(t, v.handler(), c.pairs...)
		if !slices.Equal(v.asked, c.asked) {
			t.Errorf("%s: asked %q, want %q", c.name, v.asked, c.asked)
		}
	}
}

// A venue that does not answer leaves unsaid what only it knows, and is an error where the decision hangs on it.
func TestFailingVenue(t *testing.T) {
	complete := []any{"coin", "BTC", "markPrice", 100, "maxLeverage", 40, "maintenanceMarginRate", 0.0125, "dailyVolPct", 3}
	down := fmt.Errorf("%w: down", market.ErrUnavailable)
	for _, c := range []struct {
		name            string
		failing, silent error
		pairs           []any
		status          int
	}{
		{"nothing is missing", down, down, complete, http.StatusOK},
		{"the maximum is missing", down, nil, slices.Delete(slices.Clone(complete), 4, 6), http.StatusServiceUnavailable},
		{"the mark is not needed", down, nil, slices.Delete(slices.Clone(complete), 2, 4), http.StatusOK},
		{"the mark is needed", down, nil, append(slices.Delete(slices.Clone(complete), 2, 4), "entryPrice", 100), http.StatusServiceUnavailable},
		{"the candles are needed", nil, down, []any{"coin", "BTC"}, http.StatusServiceUnavailable},
		{"another error is not swallowed", context.Canceled, nil, complete, http.StatusServiceUnavailable},
	} {
		v := newVenue()
		v.failing, v.silent = c.failing, c.silent
		if answer := post(t, v.handler(), body(t, c.pairs...)); answer.Status != c.status {
			t.Errorf("%s: %d %s", c.name, answer.Status, answer.Body)
		}
	}
	v := newVenue()
	v.markets[""][0].MarkPrice = math.NaN()
	if answer := post(t, v.handler(), body(t, "coin", "BTC", "entryPrice", 60_000)); answer.Status != http.StatusServiceUnavailable {
		t.Errorf("no mark: %s", answer.Body)
	}
	v.markets[""][0].Tiers = nil
	if answer := post(t, v.handler(), body(t, "coin", "BTC")); answer.Status != http.StatusServiceUnavailable {
		t.Errorf("no tiers: %s", answer.Body)
	}
}

func TestFiguresAndTheirSources(t *testing.T) {
	for _, c := range []struct {
		name    string
		pairs   []any
		want    PerpAssumptions
		assumed bool
	}{
		{"defaults", nil, PerpAssumptions{Assumption{10, "default"}, Assumption{0.05, "default"}, Assumption{6.5, "default"}, Assumption{24, "default"}}, true},
		{"from the maximum", []any{"maxLeverage", 40}, PerpAssumptions{Assumption{40, "request"}, Assumption{0.0125, "derived"}, Assumption{3.5, "default"}, Assumption{24, "default"}}, true},
		{"from the rate", []any{"maintenanceMarginRate", 0.025, "holdHours", 48}, PerpAssumptions{Assumption{20, "derived"}, Assumption{0.025, "request"}, Assumption{5, "default"}, Assumption{48, "request"}}, true},
		{"a rate too low for any venue", []any{"maintenanceMarginRate", 1e-300}, PerpAssumptions{Assumption{200, "derived"}, Assumption{0, "request"}, Assumption{3.5, "default"}, Assumption{24, "default"}}, true},
		{"a rate of no leverage", []any{"leverage", 1, "maintenanceMarginRate", 0.5}, PerpAssumptions{Assumption{1, "derived"}, Assumption{0.5, "request"}, Assumption{10, "default"}, Assumption{24, "default"}}, true},
		{"the venue's", []any{"coin", "BTC"}, PerpAssumptions{Assumption{40, "venue"}, Assumption{0.0125, "venue"}, Assumption{4, "venue"}, Assumption{24, "default"}}, false},
		{"given before the venue's", []any{"coin", "BTC", "maxLeverage", 15, "dailyVolPct", 7}, PerpAssumptions{Assumption{15, "request"}, Assumption{0.0125, "venue"}, Assumption{7, "request"}, Assumption{24, "default"}}, false},
		{"too few candles", []any{"coin", "THIN"}, PerpAssumptions{Assumption{3, "venue"}, Assumption{0.16667, "venue"}, Assumption{10, "default"}, Assumption{24, "default"}}, true},
		{"candles without any movement", []any{"coin", "kPEPE"}, PerpAssumptions{Assumption{10, "venue"}, Assumption{0.05, "venue"}, Assumption{6.5, "default"}, Assumption{24, "default"}}, true},
		{"the tier of a small copy", []any{"coin", "DOGE", "allocationUsd", 500_000}, PerpAssumptions{Assumption{10, "venue"}, Assumption{0.05, "venue"}, Assumption{5, "venue"}, Assumption{24, "default"}}, false},
		{"the tier of a large one", []any{"coin", "DOGE", "allocationUsd", 600_000}, PerpAssumptions{Assumption{5, "venue"}, Assumption{0.1, "venue"}, Assumption{5, "venue"}, Assumption{24, "default"}}, false},
	} {
		got := decide(t, newVenue().handler(), c.pairs...)
		if got.Assumptions != c.want || slices.Contains(got.Flags, volatilityAssumed) != c.assumed {
			t.Errorf("%s: %+v %v, want %+v", c.name, got.Assumptions, got.Flags, c.want)
		}
	}
}

// A leverage above what the supposed maintenance rate allows disproves the rate, not the leverage.
func TestHighLeverageAgainstASupposedRate(t *testing.T) {
	// Half of the initial rate at 22x: (1/22-1/44)/(1-1/44) = 2.33 %; at 27x it is 1.89 %.
	if got := decide(t, newVenue().handler(), "leverage", 22, "leaderGrade", "A"); !got.Copy || !slices.Contains(got.Flags, liquidationClose) {
		t.Errorf("%+v", got)
	}
	if got := decide(t, newVenue().handler(), "leverage", 27, "leaderGrade", "A"); got.Copy {
		t.Errorf("%+v", got)
	}
}

func TestCrowding(t *testing.T) {
	v := newVenue()
	for i := range v.markets[""] {
		v.markets[""][i].FundingHourly = 0.00001 * float64(i) // 29 others with 0.00001 to 0.0003
	}
	for _, c := range []struct {
		rate    float64
		side    string
		crowded bool
	}{{0.000285, "long", true}, {0.00025, "long", false}, {0.0003, "short", false}, {-0.0003, "short", true}} {
		got := decide(t, v.handler(), "coin", "BTC", "side", c.side, "leverage", 1, "fundingRateHourly", c.rate)
		if slices.Contains(got.Flags, crowdedSide) != c.crowded {
			t.Errorf("%+v: %v", c, got.Flags)
		}
	}
	got := decide(t, v.handler(), "coin", "xyz:CL", "fundingRateHourly", 0.0003)
	if slices.Contains(got.Flags, crowdedSide) {
		t.Errorf("crowded against nothing: %v", got.Flags)
	}
}

func TestTheWholeAnswer(t *testing.T) {
	const want = `{"copy":true,"maxLeverage":9,"sizeFactor":0.4,"liqDistancePct":9.99,"fundingCostDaily":0.03,"touchProbability":0.043,"allocationUsd":400,` +
		`"flags":["leader-overlevered","isolated-recommended"],` +
		`"assumptions":{"maxLeverage":{"value":40,"source":"venue"},"maintenanceMarginRate":{"value":0.0125,"source":"venue"},"dailyVolPct":{"value":4,"source":"venue"},"holdHours":{"value":24,"source":"default"}},` +
		`"reasons":["The leader's grade is C, which allows 40% of full size at most.",` +
		`"At 9x the chance of touching liquidation, 9.99% away, within 24 hours is 4.3%; up to 5% is accepted.",` +
		`"The leader uses 10x, more than the 9x that keeps the chance of liquidation within 24 hours at 5% or less.",` +
		`"A typical day's move of 4%, measured on 30 days, is 40% of the margin at 10x; full size is for 20% at most.",` +
		`"At a chance of liquidation of 4.3%, margin of its own keeps a loss from the rest of the account."]}`
	for _, coin := range []string{"BTC", "btc", "Btc-PERP", "BTCUSDT", "BTC/USDC", "BTC-USD", "btc_usd"} {
		answer := post(t, newVenue().handler(), body(t, "coin", coin, "leverage", 10, "leaderGrade", "C", "allocationUsd", 1000))
		if answer.Body != want {
			t.Errorf("%s:\n%s, want\n%s", coin, answer.Body, want)
		}
		if answer.Header.Get("X-Method-Version") != endpoint.MethodVersion {
			t.Errorf("header %v", answer.Header)
		}
	}
}

func TestUnits(t *testing.T) {
	v, f := newVenue(), endpointtest.New(t)
	f.Service.Sources = market.Sources{PerpMarkets: v, PerpCandles: v}
	call := endpointtest.Call{Method: http.MethodPost, Path: "/v1/perp-copy-decision", Key: f.Key, Body: body(t)}
	if answer := call.Do(t, endpoint.NewHandler(f.Service, PerpCopyDecision())); answer.Status != http.StatusOK || answer.Header.Get("X-Usage-Units") != "1" {
		t.Errorf("%d %v", answer.Status, answer.Header)
	}
}

var (
	amount = regexp.MustCompile(`\$|USD [0-9]|[0-9] USD`)
	banned = regexp.MustCompile(`(?i)\b(guaranteed|safe|will|NaN|Inf)\b`)
)

// No amount of money is in an answer but the follower's own, and none of the venue's figures.
func TestNoAmountsLeave(t *testing.T) {
	v := newVenue()
	m := &v.markets[""][0]
	m.MarkPrice, m.VolumeUSD24h, m.OpenInterestUSD = 61234.5, 77777, 88888
	for _, pairs := range [][]any{
		{"coin", "BTC", "entryPrice", 60987.25, "liquidationPrice", 55432.1}, {"coin", "BTC", "entryPrice", 43211.5, "leaderGrade", "A"},
		{"coin", "BTC", "liquidationPrice", 60987.25, "leverage", 1, "allocationUsd", 4321.5}, {"coin", "BTC", "allocationUsd", 4321.5, "leaderGrade", "A"},
	} {
		answer := post(t, v.handler(), body(t, pairs...))
		if answer.Status != http.StatusOK {
			t.Fatalf("%s", answer.Body)
		}
		text := regexp.MustCompile(`"allocationUsd":[0-9.]+`).ReplaceAllString(answer.Body, "")
		if amount.MatchString(text) || banned.MatchString(text) {
			t.Errorf("%s", answer.Body)
		}
		for _, figure := range []string{"61234", "77777", "88888", "60987", "55432", "43211", "4321.5"} {
			if strings.Contains(text, figure) {
				t.Errorf("%s is told: %s", figure, answer.Body)
			}
		}
	}
}

// What happens after the instant of an answer does not change it.
func TestNothingLaterMatters(t *testing.T) {
	v := newVenue()
	before := post(t, v.handler(), body(t, "coin", "BTC"))
	for i := range 40 {
		v.candles["BTC"] = append(v.candles["BTC"], market.Candle{Time: now.Truncate(day).Add(time.Duration(i) * day), Open: 1, High: 9, Low: 0.1, Close: 2})
	}
	if after := post(t, v.handler(), body(t, "coin", "BTC")); after.Body != before.Body || !json.Valid([]byte(after.Body)) {
		t.Errorf("%s, before %s", after.Body, before.Body)
	}
}
