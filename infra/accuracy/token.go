package accuracy

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
	"github.com/mirrorworthy/mirrorworthy/shared/token"
)

// TokenSeed makes the market on which the answers about tokens are measured: nothing was tuned on it.
const TokenSeed = 31_337

// The instants at which tokens are looked at: a day apart, tokenDays of them. What needs a history of observations is asked on the
// last observedDays of them. Trends are compared on trendInstants days, a week apart so that no two share an observation.
const (
	tokenDays     = 40
	observedDays  = 16
	trendDays     = 7
	trendInstants = 2
)

// Which tokens are asked about: youngToken is the age up to which every one is asked on every day, trackedToken that up to which
// its holders are followed.
const (
	youngToken   = 36 * time.Hour
	trackedToken = 75 * 24 * time.Hour
	chartedAge   = 40 * 24 * time.Hour // from here on a chart is long enough for an inflection
)

// buyersPerGroup is how many tokens of each chain and group are asked for smart money: a record is read for every buyer.
const buyersPerGroup = 5

// tokenAnswers is what was answered about a token at an instant, and what was planted. What was not asked is nil.
type tokenAnswers struct {
	truth samplemarket.TokenTruth
	at    time.Time
	last  bool // the last instant
	trend bool // one at which trends are compared

	Risk *struct {
		Verdict string   `json:"verdict"`
		Flags   []string `json:"flags"`
	}
	Holders *struct {
		Trend  string `json:"trend"`
		Origin string `json:"origin"`
	}
	PriceAction *struct {
		Available bool    `json:"available"`
		Trend     *string `json:"trend"`
		Structure *string `json:"structure"`
		Breakout  *string `json:"breakout"`
	}
	Intel *struct {
		Entry struct {
			Quality  string `json:"quality"`
			Extended *bool  `json:"extended"`
		} `json:"entry"`
	}
	Signal *struct {
		Signal string `json:"signal"`
	}
	Inflection *struct {
		State string `json:"state"`
	}
	SmartMoney *struct {
		Buying         *bool `json:"smartMoneyBuying"`
		Proven         int   `json:"mirrorWorthyBuyers"`
		BuyersAnalyzed int   `json:"buyersAnalyzed"`
	}
}

func (a *tokenAnswers) age() time.Duration { return a.at.Sub(a.truth.Listed) }

// SampleTokens asks about the tokens of a sample market, day by day as it goes on, and compares the answers with what was planted.
func SampleTokens(seed uint64) ([]Row, error) {
	all, err := askAboutTokens(seed)
	if err != nil {
		return nil, err
	}
	growers, err := growersElsewhere(seed)
	if err != nil {
		return nil, err
	}
	rows := append(trapRows(all), alarmRows(slices.Concat(all, growers))...)
	rows = append(rows, originRows(all)...)
	rows = append(rows, marketRows(all)...)
	rows = append(rows, squeezeRows(all)...)
	return append(rows, buyerRows(all)...), nil
}

// growerMarkets is in how many markets tokens that grow are looked at: those of one tell a rate of one in twenty to two percentage points
// only.
const growerMarkets = 4

// growersElsewhere asks how risky the tokens that grow are in further markets, once.
func growersElsewhere(seed uint64) ([]tokenAnswers, error) {
	var all []tokenAnswers
	now := sampleNow()
	for other := range uint64(growerMarkets - 1) {
		sample := marketAt(seed+1+other, now)
		service, err := serviceOn(sample, now)
		if err != nil {
			return nil, err
		}
		var questions []*question
		for _, truth := range sample.Truth().Tokens {
			if truth.Kind == "grower" && !truth.Listed.IsZero() {
				q := &question{tokenAnswers: tokenAnswers{truth: truth, at: now, last: true}, wanted: make(map[string]any)}
				q.wanted["token-risk"] = &q.Risk
				questions = append(questions, q)
			}
		}
		asked, err := inMemory(func(memory token.Memory) ([]tokenAnswers, error) {
			return askOn(tokenHandler(service, memory), questions)
		})
		if err != nil {
			return nil, err
		}
		all = append(all, asked...)
	}
	return all, nil
}

// inMemory does something on a store of its own, which is gone afterwards.
func inMemory(do func(token.Memory) ([]tokenAnswers, error)) ([]tokenAnswers, error) {
	folder, err := os.MkdirTemp("", "accuracy")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	kept, err := embedded.Open(filepath.Join(folder, "store.db"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = kept.Close() }()
	return do(token.Memory{Snapshots: kept.Snapshots(), Observations: kept.Observations(), Peers: kept.Peers()})
}

func askAboutTokens(seed uint64) ([]tokenAnswers, error) {
	return inMemory(func(memory token.Memory) ([]tokenAnswers, error) { return askDayByDay(seed, memory) })
}

func askDayByDay(seed uint64, memory token.Memory) ([]tokenAnswers, error) {
	now := sampleNow().AddDate(0, 0, 1-tokenDays)
	sample := samplemarket.New(samplemarket.Config{Seed: seed, Start: sampleNow().Add(-sampleHistory), Clock: func() time.Time { return now }})
	var all []tokenAnswers
	for day := range tokenDays {
		now = sampleNow().AddDate(0, 0, day+1-tokenDays)
		service, err := serviceOn(sample, now)
		if err != nil {
			return nil, err
		}
		asked, err := askOn(tokenHandler(service, memory), tokenQuestions(sample.Truth().Tokens, now, tokenDays-1-day))
		if err != nil {
			return nil, err
		}
		all = append(all, asked...)
		for later := pumpStep; later < 24*time.Hour && day < tokenDays-1; later += pumpStep {
			now = sampleNow().AddDate(0, 0, day+1-tokenDays).Add(later)
			if service, err = serviceOn(sample, now); err != nil {
				return nil, err
			}
			if asked, err = askOn(tokenHandler(service, memory), pumpQuestions(sample.Truth().Tokens, now)); err != nil {
				return nil, err
			}
			all = append(all, asked...)
		}
	}
	return all, nil
}

// pumpStep is how often it is looked whether a pump has doubled within a day: few have a chart by then.
const pumpStep = 4 * time.Hour

// pumpQuestions ask of the tokens that have doubled by a pump within a day whether the price shows it.
func pumpQuestions(truths []samplemarket.TokenTruth, now time.Time) []*question {
	var questions []*question
	for _, truth := range truths {
		if truth.Pumped && truth.Rise24h > 1 {
			q := &question{tokenAnswers: tokenAnswers{truth: truth, at: now}, wanted: make(map[string]any)}
			q.wanted["token-price-action"], q.wanted["token-intel"] = &q.PriceAction, &q.Intel
			questions = append(questions, q)
		}
	}
	return questions
}

// tokenHandler answers every endpoint about tokens without a key.
func tokenHandler(service endpoint.Service, memory token.Memory) http.Handler {
	var open []endpoint.Endpoint
	for _, e := range token.Endpoints(memory) {
		e.Open = true
		open = append(open, e)
	}
	return endpoint.NewHandler(service, open...)
}

// question is a token and which answers are wanted.
type question struct {
	tokenAnswers
	wanted map[string]any
}

// tokenQuestions says what is asked about which tokens, so many days before the last.
func tokenQuestions(truths []samplemarket.TokenTruth, now time.Time, daysLeft int) []*question {
	var questions []*question
	asked := make(map[string]int)
	for _, truth := range truths {
		if truth.Listed.IsZero() || truth.Kind == "thin" {
			continue
		}
		q := &question{tokenAnswers: tokenAnswers{truth: truth, at: now, last: daysLeft == 0, trend: daysLeft%trendDays == 0 && daysLeft < trendInstants*trendDays}, wanted: make(map[string]any)}
		young := q.age() < youngToken
		established := sampleNow().Sub(truth.Listed) > sampleHistory+observedDays*24*time.Hour // on every one of the observed days
		if q.last || young {
			q.wanted["token-risk"] = &q.Risk
		}
		if young || daysLeft < observedDays && (q.age() < trackedToken || established) && truth.RuggedAt.IsZero() {
			q.wanted["token-holders-insight"] = &q.Holders
		}
		if truth.Pumped || q.last {
			q.wanted["token-price-action"] = &q.PriceAction
		}
		if truth.Pumped {
			q.wanted["token-intel"] = &q.Intel
		}
		if truth.Trap != "" && (young || q.last) {
			q.wanted["token-signal"] = &q.Signal
		}
		if q.age() > chartedAge && truth.RuggedAt.IsZero() && (truth.Squeezed && daysLeft < observedDays || !truth.Squeezes && q.last) {
			q.wanted["token-inflection"] = &q.Inflection
		}
		if group := buyersOf(&truth); q.last && group != "" && asked[truth.Chain+group] < buyersPerGroup {
			asked[truth.Chain+group]++
			q.wanted["smart-money-flow"] = &q.SmartMoney
		}
		if len(q.wanted) > 0 {
			questions = append(questions, q)
		}
	}
	return questions
}

// askOn asks everything and returns what was answered, in the order of the questions.
func askOn(handler http.Handler, questions []*question) ([]tokenAnswers, error) {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, q := range questions {
		group.Go(func() error {
			for name, into := range q.wanted {
				if err := askToken(handler, name, &q.truth, into); err != nil {
					return fmt.Errorf("%s at %s: %w", q.truth.Kind, q.at.Format(time.DateOnly), err)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	all := make([]tokenAnswers, len(questions))
	for i, q := range questions {
		all[i] = q.tokenAnswers
	}
	return all, nil
}

func askToken(handler http.Handler, name string, truth *samplemarket.TokenTruth, into any) error {
	body := []byte(`{"token":"` + truth.Address + `","chain":"` + truth.Chain + `"}`)
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/v1/"+name, bytes.NewReader(body)))
	if recorder.Code != http.StatusOK {
		return fmt.Errorf("%s of %s on %s: status %d: %.600s", name, truth.Address, truth.Chain, recorder.Code, recorder.Body.Bytes())
	}
	if err := json.Unmarshal(recorder.Body.Bytes(), into); err != nil {
		return fmt.Errorf("%s of %s on %s: %w", name, truth.Address, truth.Chain, err)
	}
	return nil
}
