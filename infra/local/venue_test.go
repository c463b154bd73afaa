package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

const (
	perpPath       = "/v1/perp-wallet"
	predictionPath = "/v1/prediction-wallet"
	decisionPath   = "/v1/perp-copy-decision"
	decisionOnCoin = `{"side":"long","leverage":5,"fundingRateHourly":0.0000125,"coin":"ETH","entryPrice":2000}`
)

// venueCase is a question about a venue's wallet, and the providers that it needs.
type venueCase struct {
	name, path, body string
	providers        []string
}

// sampleOf is a sample of a kind.
func sampleOf(t testing.TB, samples []samplemarket.Sample, kind string) samplemarket.Sample {
	t.Helper()
	for _, sample := range samples {
		if sample.Kind == kind {
			return sample
		}
	}
	t.Fatalf("no sample is a %s", kind)
	return samplemarket.Sample{}
}

func onlyWallet(address string) string { return `{"wallet":"` + address + `"}` }

// venueCases take every provider: an account on two exchanges, and a wallet whose grade takes markets and prices.
func (l *laboratory) venueCases(t testing.TB) []venueCase {
	t.Helper()
	samples := l.market.Samples()
	return []venueCase{
		{"perp-wallet", perpPath, onlyWallet(sampleOf(t, samples.Perps, "multi-exchange").Address), []string{samplemarket.Hyperliquid}},
		{
			"prediction-wallet", predictionPath, onlyWallet(sampleOf(t, samples.Predictions, "insider").Address),
			[]string{samplemarket.PolymarketData, samplemarket.PolymarketGamma, samplemarket.PolymarketCLOB},
		},
	}
}

// isUnavailable tells whether an answer says that a provider failed, costs nothing and tells when to ask again.
func isUnavailable(answer *httptest.ResponseRecorder) bool {
	return answer.Code == http.StatusServiceUnavailable && answer.Header().Get("Retry-After") != "" && answer.Header().Get("X-Usage-Units") == "0" &&
		strings.Contains(answer.Body.String(), `"error":"provider_unavailable"`)
}

// saysUnread tells whether an answer says that it lacks something.
func saysUnread(answer *httptest.ResponseRecorder) bool {
	return answer.Code == http.StatusOK && strings.Contains(answer.Body.String(), " could not be read this time; ")
}

// until asks until the undisturbed answer is back, and holds every answer before it to being a provider's failure, or to what else may
// be until then.
func (s *service) until(path, body, undisturbed string, meanwhile func(*httptest.ResponseRecorder) bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		answer := s.send(path, body)
		switch {
		case answer.Body.String() == undisturbed:
			return nil
		case !isUnavailable(answer) && !meanwhile(answer):
			return fmt.Errorf("status %d: %.500s", answer.Code, answer.Body)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("still fails: %.500s", answer.Body)
		}
	}
}

// A venue that fails in whatever way takes the answer with it and never changes it; the answer is back when the venue is.
func TestAVenueFails(t *testing.T) {
	t.Parallel()
	l := newLaboratory(t)
	room := make(chan struct{}, 18)
	var all sync.WaitGroup
	for _, c := range l.venueCases(t) {
		first := l.service(t, plenty, plenty).send(c.path, c.body)
		if first.Code != http.StatusOK || first.Header().Get("X-Usage-Units") != "3" {
			t.Fatalf("%s: status %d: %s", c.name, first.Code, first.Body)
		}
		undisturbed := first.Body.String()
		for _, provider := range c.providers {
			for _, f := range faults {
				s := l.service(t, f.single, f.bundle)
				all.Go(func() {
					room <- struct{}{}
					defer func() { <-room }()
					s.SetFault(provider, f.fault)
					if answer := s.send(c.path, c.body); !isUnavailable(answer) {
						t.Errorf("%s without %s, %s: status %d: %.700s", c.name, provider, f.name, answer.Code, answer.Body)
					}
					s.SetFault(provider, samplemarket.Fault{})
					// An account's answer without what it can do without stands for some seconds, which never pass on a stopped clock.
					lacking := false
					err := s.until(c.path, c.body, undisturbed, func(answer *httptest.ResponseRecorder) bool {
						lacking = saysUnread(answer)
						return false
					})
					if err != nil && !lacking {
						t.Errorf("%s, %s at %s is over: %v", c.name, f.name, provider, err)
					}
				})
			}
		}
	}
	all.Wait()
}

// An inactive wallet needs no markets and no prices, and one who is not known needs nothing but to be looked for.
func TestWhatIsNotNeededMayFail(t *testing.T) {
	t.Parallel()
	l := newLaboratory(t)
	s := l.service(t, plenty, plenty)
	s.SetFault(samplemarket.PolymarketGamma, samplemarket.Fault{Kind: samplemarket.FaultServerError})
	s.SetFault(samplemarket.PolymarketCLOB, samplemarket.Fault{Kind: samplemarket.FaultServerError})
	s.setEveryFault(samplemarket.Fault{Kind: samplemarket.FaultServerError})
	dormant := sampleOf(t, l.market.Samples().Predictions, "dormant")
	for _, address := range []string{dormant.Address, quietWallet} {
		if answer := s.send(predictionPath, onlyWallet(address)); answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), `"active":false`) {
			t.Errorf("prediction-wallet of %s: status %d: %s", address, answer.Code, answer.Body)
		}
	}
	if answer := s.send(perpPath, onlyWallet(quietWallet)); answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), `"no-venue-history"`) {
		t.Errorf("perp-wallet: status %d: %s", answer.Code, answer.Body)
	}
	complete := strings.TrimSuffix(decisionOnCoin, "}") + `,"markPrice":2000,"maintenanceMarginRate":0.02,"maxLeverage":25,"dailyVolPct":4}`
	s.SetFault(samplemarket.Hyperliquid, samplemarket.Fault{Kind: samplemarket.FaultServerError})
	if answer := s.send(decisionPath, complete); answer.Code != http.StatusOK {
		t.Errorf("perp-copy-decision with all figures given: status %d: %s", answer.Code, answer.Body)
	}
	if answer := s.send(decisionPath, decisionOnCoin); !isUnavailable(answer) {
		t.Errorf("perp-copy-decision without the venue: status %d: %s", answer.Code, answer.Body)
	}
}

// refusing answers some questions to the perpetuals venue as that venue answers what it does not know.
func refusing(kind string) func(http.Handler) http.Handler {
	return func(door http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err == nil && strings.Contains(string(body), `"type":"`+kind+`"`) {
				http.Error(rw, "Failed to deserialize the JSON body into the target type", http.StatusUnprocessableEntity)
				return
			}
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			door.ServeHTTP(rw, r)
		})
	}
}

// perpFields is what of a profile does not depend on what may be missing.
type perpFields struct {
	Positions []struct {
		Coin string `json:"coin"`
		Side string `json:"side"`
	} `json:"positions"`
	Bias           string   `json:"bias"`
	WinRate        *float64 `json:"winRate"`
	ClosedTrades   int      `json:"closedTrades"`
	FundingPaidPct *float64 `json:"fundingPaidPct"`
	StressMovePct  *float64 `json:"stressMovePct"`
	AccountBand    *string  `json:"accountBand"`
	Coverage       struct {
		Reason string `json:"reason"`
	} `json:"coverage"`
	Reasons []string `json:"reasons"`
}

func (s *service) perpFields(t testing.TB, address string) (f perpFields) {
	t.Helper()
	answer := s.send(perpPath, onlyWallet(address))
	if err := json.Unmarshal(answer.Body.Bytes(), &f); answer.Code != http.StatusOK || err != nil {
		t.Fatalf("status %d, %v: %s", answer.Code, err, answer.Body)
	}
	return f
}

// Of an account everything but fills and positions may be missing: the answer then says what could not be read, and measures the rest
// as ever.
func TestAnAnswerSaysWhatCouldNotBeRead(t *testing.T) {
	l := newLaboratory(t)
	address := sampleOf(t, l.market.Samples().Perps, "multi-exchange").Address
	whole := l.service(t, plenty, plenty).perpFields(t, address)
	if whole.FundingPaidPct == nil || whole.StressMovePct == nil || len(whole.Positions) == 0 || whole.WinRate == nil {
		t.Fatalf("%+v", whole)
	}
	for kind, missing := range map[string]string{
		"userFunding": "Funding payments", "userNonFundingLedgerUpdates": "Transfers", "metaAndAssetCtxs": "Margin tiers",
	} {
		without := l.serviceBehind(t, plenty, plenty, refusing(kind)).perpFields(t, address)
		told := slices.ContainsFunc(without.Reasons, func(sentence string) bool {
			return strings.HasPrefix(sentence, missing+" ") && strings.Contains(sentence, "could not be read this time")
		})
		if !told {
			t.Errorf("without %s the answer says %+v", kind, without.Reasons)
		}
		if (without.FundingPaidPct == nil) != (kind == "userFunding") || (without.StressMovePct == nil) != (kind == "metaAndAssetCtxs") {
			t.Errorf("without %s: %+v", kind, without)
		}
		if without.Bias != whole.Bias || *without.WinRate != *whole.WinRate || without.ClosedTrades != whole.ClosedTrades ||
			!slices.Equal(without.Positions, whole.Positions) || without.Coverage != whole.Coverage {
			t.Errorf("without %s: %+v\nwith it %+v", kind, without, whole)
		}
	}
	// Most of what somebody has who trades no contracts lies beside the margin: without it the size of the account is unknown.
	beside := sampleOf(t, l.market.Samples().Perps, "spot-only").Address
	without := l.serviceBehind(t, plenty, plenty, refusing("spotClearinghouseState")).perpFields(t, beside)
	if without.AccountBand != nil || !slices.ContainsFunc(without.Reasons, func(s string) bool { return strings.HasPrefix(s, "Dollar coins beside the margin could not be read") }) {
		t.Errorf("without dollar coins: %+v", without)
	}
	for _, kind := range []string{"userFillsByTime", "clearinghouseState"} {
		if answer := l.serviceBehind(t, plenty, plenty, refusing(kind)).send(perpPath, onlyWallet(address)); !isUnavailable(answer) {
			t.Errorf("without %s: status %d: %s", kind, answer.Code, answer.Body)
		}
	}
}

// Two cold questions at once ask a venue for everything once, and a warm one for nothing.
func TestVenuesAreAskedForNothingTwice(t *testing.T) {
	l := newLaboratory(t)
	samples := l.market.Samples()
	type question struct {
		path, body string
		least      int
		builders   bool
	}
	questions := []question{{decisionPath, decisionOnCoin, 2, false}}
	for _, kind := range []string{"multi-exchange", "never-used"} {
		questions = append(questions, question{perpPath, onlyWallet(sampleOf(t, samples.Perps, kind).Address), 6, kind == "multi-exchange"})
	}
	for _, kind := range []string{"insider", "new"} {
		questions = append(questions, question{predictionPath, onlyWallet(sampleOf(t, samples.Predictions, kind).Address), 4, false})
	}
	for _, q := range questions {
		s := l.service(t, plenty, plenty)
		answers := make([]string, 2)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() {
				answer := s.send(q.path, q.body)
				if answers[i] = answer.Body.String(); answer.Code != http.StatusOK {
					t.Errorf("%s %s: status %d: %s", q.path, q.body, answer.Code, answer.Body)
				}
			})
		}
		all.Wait()
		calls := s.Calls()
		for call, times := range calls {
			// Which builders' exchanges an account is on is known from its fills alone; all of it is then read anew, as of one moment.
			again := times == 2 && q.builders && strings.Contains(call, `learinghouseState"`)
			if times != 1 && !again {
				t.Errorf("%s %s: %d times %s", q.path, q.body, times, call)
			}
		}
		if len(calls) < q.least {
			t.Errorf("%s %s: only the calls %v", q.path, q.body, slices.Sorted(maps.Keys(calls)))
		}
		s.ResetCalls()
		warm := s.send(q.path, q.body)
		if again := s.Calls(); len(again) > 0 || warm.Body.String() != answers[0] || answers[1] != answers[0] {
			t.Errorf("%s %s: asked again: %v, answers\n%s\n%s", q.path, q.body, again, answers, warm.Body)
		}
	}
}

// writings are the ways to write an address that all mean the same.
func writings(checksummed string) []string {
	return []string{strings.ToLower(checksummed), "0x" + strings.ToUpper(checksummed[2:]), checksummed}
}

// Whatever address is asked about, known to the venue or not, gets an answer, and the same one however it is written.
func TestAnyAddressIsAnswered(t *testing.T) {
	l := newLaboratory(t)
	s := l.service(t, plenty, plenty)
	samples := l.market.Samples()
	addresses := map[string][]string{
		// The first three are examples of EIP-55.
		"unknown": writings("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"), "also unknown": writings("0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"),
		"upper case": writings("0x52908400098527886E0F7030069857D2E4169EE7"),
		"zero":       {"0x" + strings.Repeat("0", 40)}, "all ones": writings("0xFFfFfFffFFfffFFfFFfFFFFFffFFFffffFfFFFfF"),
		"of a chain":  {samples.Wallets[0].Address},
		"perps":       writings(sampleOf(t, samples.Perps, "few-trades").Address)[:2],
		"predictions": writings(sampleOf(t, samples.Predictions, "new").Address)[:2],
	}
	for _, path := range []string{perpPath, predictionPath} {
		for name, written := range addresses {
			first := ""
			for _, address := range written {
				for _, prefix := range []string{"", "/api"} {
					answer := s.send(prefix+path, onlyWallet(address))
					if first == "" {
						first = answer.Body.String()
					}
					if answer.Code != http.StatusOK || answer.Body.String() != first || answer.Header().Get("X-Usage-Units") != "3" ||
						answer.Header().Get("X-Method-Version") == "" {
						t.Errorf("%s%s of %s %s: status %d: %s\nfirst %s", prefix, path, name, address, answer.Code, answer.Body, first)
					}
				}
			}
		}
	}
}

// coverages are the words for how much of an account's history can be measured.
var coverages = []string{"ok", "no-venue-history", "open-positions-only", "account-too-new", "below-min-closed-trades"}

// money is an amount of money, in whatever way sentences and names could tell one. A share's price in cents is none.
var money = regexp.MustCompile(`(?i)[$€£]|\d\s*(usd|usdc|usdt|dollars?)\b|(usd|usdc|dollars?)\s*\d|"[a-z0-9]*(usd|notional|pnl|balance)"\s*:|\b\d{1,3}(,\d{3})+\b`)

// fills is the number of fills that a sentence tells, with separators.
var fills = regexp.MustCompile(`\d{1,3}(,\d{3})+ fills`)

// ofEachKind is a sample of each kind, but for those with thousands of rows, whose sentences others have too.
func ofEachKind(samples []samplemarket.Sample) []samplemarket.Sample {
	var chosen []samplemarket.Sample
	kinds := map[string]bool{
		"market-making": true, "market-making-busy": true, "scalper": true, "skilled-intraday": true,
		"bot": true, "prolific": true, "crowd": true, "arbitrageur": true, "washer": true,
	}
	for _, sample := range samples {
		if !kinds[sample.Kind] {
			kinds[sample.Kind] = true
			chosen = append(chosen, sample)
		}
	}
	return chosen
}

// No answer about anybody on the venues holds an amount of money, a link, markup or a word that promises; each has its documented
// parts and between one and five reasons.
func TestVenueAnswersHoldNothingUnsafe(t *testing.T) {
	l := newLaboratory(t)
	s := l.service(t, plenty, plenty)
	samples := l.market.Samples()
	promises := regexp.MustCompile(`(?i)\b(guaranteed|safe|will|NaN|Inf|infinity)\b`)
	check := func(path string, sample samplemarket.Sample) []byte {
		answer := s.send(path, onlyWallet(sample.Address))
		text := answer.Body.String()
		if answer.Code != http.StatusOK {
			t.Errorf("%s of a %s: status %d: %s", path, sample.Kind, answer.Code, text)
		}
		for _, forbidden := range []*regexp.Regexp{unsafe, money, promises} {
			if found := forbidden.FindString(fills.ReplaceAllString(text, "fills")); found != "" {
				t.Errorf("%s of a %s holds %q: %s", path, sample.Kind, found, text)
			}
		}
		var common struct {
			Reasons []string `json:"reasons"`
		}
		if err := json.Unmarshal(answer.Body.Bytes(), &common); err != nil || len(common.Reasons) < 1 || len(common.Reasons) > 5 {
			t.Errorf("%s of a %s: %v, %d reasons", path, sample.Kind, err, len(common.Reasons))
		}
		for _, sentence := range common.Reasons {
			if !strings.HasSuffix(sentence, ".") {
				t.Errorf("%s of a %s: %q", path, sample.Kind, sentence)
			}
		}
		return answer.Body.Bytes()
	}
	met := make(map[string]bool)
	for _, sample := range ofEachKind(samples.Perps) {
		var f perpFields
		if err := json.Unmarshal(check(perpPath, sample), &f); err != nil || !slices.Contains(coverages, f.Coverage.Reason) {
			t.Errorf("perp-wallet of a %s: %v, %+v", sample.Kind, err, f)
		}
		if measured := f.Coverage.Reason == "ok"; measured != (f.WinRate != nil) {
			t.Errorf("perp-wallet of a %s: coverage %s, win rate %v", sample.Kind, f.Coverage.Reason, f.WinRate)
		}
		met[f.Coverage.Reason] = true
	}
	if len(met) < 3 {
		t.Errorf("the samples have no coverages but %v", met)
	}
	for _, sample := range ofEachKind(samples.Predictions) {
		var f struct {
			Active     bool    `json:"active"`
			Mirrorable bool    `json:"mirrorable"`
			Grade      *string `json:"grade"`
			Verdict    string  `json:"verdict"`
		}
		body := check(predictionPath, sample)
		err := json.Unmarshal(body, &f)
		graded := strings.Contains(string(body), `"grade":`)
		if err != nil || graded != f.Active || !f.Active && (f.Verdict != "unrated" || f.Mirrorable) || f.Active && (f.Grade == nil) != (f.Verdict == "unrated") {
			t.Errorf("prediction-wallet of a %s: %v, %s", sample.Kind, err, body)
		}
	}
}

// What a request about a trade contradicts itself in, or could only ignore, is refused before the venue is asked.
func TestADecisionRefusesContradictions(t *testing.T) {
	l := newLaboratory(t)
	s := l.service(t, plenty, plenty)
	const long, short = `{"side":"long","leverage":10,"fundingRateHourly":0`, `{"side":"short","leverage":10,"fundingRateHourly":0`
	refused := func(body, parameter string) {
		t.Helper()
		answer := s.send(decisionPath, body)
		var problem struct {
			Error     string `json:"error"`
			Parameter string `json:"param"`
			Message   string `json:"message"`
		}
		err := json.Unmarshal(answer.Body.Bytes(), &problem)
		if answer.Code != http.StatusBadRequest || err != nil || problem.Error != "invalid_param" || problem.Parameter != parameter ||
			problem.Message == "" || answer.Header().Get("X-Usage-Units") != "0" {
			t.Errorf("%s: status %d: %s", body, answer.Code, answer.Body)
		}
	}
	for body, parameter := range map[string]string{
		long + `,"maintenanceMarginRate":0.1}`:                   "maintenanceMarginRate",
		long + `,"maintenanceMarginRate":0.03,"maxLeverage":40}`: "maintenanceMarginRate",
		long + `,"liquidationPrice":90}`:                         "liquidationPrice",
		long + `,"entryPrice":90}`:                               "entryPrice",
		long + `,"markPrice":100,"liquidationPrice":100}`:        "liquidationPrice",
		short + `,"markPrice":100,"liquidationPrice":99}`:        "liquidationPrice",
		long + `,"markPrice":100,"entryPrice":10001}`:            "entryPrice",
		short + `,"markPrice":10001,"entryPrice":100}`:           "entryPrice",
		long + `,"coin":"BTC PERP"}`:                             "coin",
		long + `,"coin":"<script>"}`:                             "coin",
		long + `,"coin":"a:b:c"}`:                                "coin",
		long + `,"coin":"\u0412TC"}`:                             "coin",
	} {
		refused(body, parameter)
	}
	if calls := s.Calls(); len(calls) > 0 {
		t.Errorf("refused requests made the calls %v", calls)
	}
	for _, unknown := range []string{"NOSUCHCOIN", "nosuch:BTC", "PEPE", "USD"} {
		refused(long+`,"coin":"`+unknown+`"}`, "coin")
	}
	exact := s.send(decisionPath, decisionOnCoin).Body.String()
	for _, spelling := range []string{"eth", "ETH-PERP", "ethusd", "ETH-USD", "Eth/USDC"} {
		if answer := s.send(decisionPath, strings.Replace(decisionOnCoin, `"ETH"`, `"`+spelling+`"`, 1)); answer.Body.String() != exact {
			t.Errorf("%s: status %d: %s\nETH: %s", spelling, answer.Code, answer.Body, exact)
		}
	}
}
