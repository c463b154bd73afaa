package accuracy

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/perp"
	"github.com/mirrorworthy/mirrorworthy/shared/perprecord"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/perpvenue"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// VenueSeed makes the market on whose venues and portfolios answers are measured: nothing was tuned on it, and whoever tunes something by
// its rows takes another one afterwards.
const VenueSeed = 918_273

// venueMarket is a sample market of a seed, as long as the others, and the service on it.
func venueMarket(seed uint64) (*samplemarket.Market, endpoint.Service, error) {
	sample := marketAt(seed, sampleNow())
	service, err := serviceOn(sample, sampleNow())
	return sample, service, err
}

// marketAt is the sample market of a seed at an instant of its history.
func marketAt(seed uint64, at time.Time) *samplemarket.Market {
	clock := func() time.Time { return at }
	return samplemarket.New(samplemarket.Config{Seed: seed, Start: sampleNow().Add(-sampleHistory), Clock: clock})
}

// askEach asks one page, without a key, once for every body, and hands each answer on with its place.
func askEach(service endpoint.Service, page endpoint.Endpoint, bodies []string, take func(i int, answer []byte) error) error {
	page.Open = true
	handler := endpoint.NewHandler(service, page)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, body := range bodies {
		group.Go(func() error {
			recorder := httptest.NewRecorder()
			handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/v1/"+page.Name, strings.NewReader(body)))
			answer := recorder.Body.Bytes()
			if recorder.Code != http.StatusOK {
				return fmt.Errorf("%s of %s: status %d: %.600s", page.Name, body, recorder.Code, answer)
			}
			return take(i, answer)
		})
	}
	return group.Wait()
}

// cases are a share of what is as it should be, and what the first that is not looks like.
type cases struct {
	share
	first string
}

func (c *cases) count(right bool, otherwise func() string) {
	c.share.count(right)
	if !right && c.first == "" {
		c.first = otherwise()
	}
}

func (c *cases) String() string {
	text := c.share.String()
	if c.first != "" {
		text += "; first: " + c.first
	}
	return text
}

// from is a row that is met when the part of right cases reaches the goal. Nothing counted does not.
func (c *cases) from(goal float64, name string) Row {
	text := fmt.Sprintf("at least %.2f", goal)
	if goal == 1 {
		text = "all"
	}
	return Row{Name: name, Goal: text, Measured: c.String(), Pass: c.whole > 0 && c.value() >= goal}
}

// perpAnswer is what was answered about an account.
type perpAnswer struct {
	Positions       []struct{} `json:"positions"`
	Bias            string     `json:"bias"`
	WinRate         *float64   `json:"winRate"`
	WinRateInterval *struct {
		Low  float64 `json:"low"`
		High float64 `json:"high"`
	} `json:"winRateInterval"`
	ClosedTrades    int      `json:"closedTrades"`
	ClosedPositions int      `json:"closedPositions"`
	FundingPaidPct  *float64 `json:"fundingPaidPct"`
	Liquidations    int      `json:"liquidations"`
	Truncated       bool     `json:"truncated"`
	Coverage        struct {
		Reason string `json:"reason"`
	} `json:"coverage"`
	text []byte
}

// perpCase is an account's answer and what was planted.
type perpCase struct {
	truth perpvenue.AccountTruth
	// monthPaidUSD is the funding of the last perprecord.FundingDays, marginUSD what carries the account's positions now, and amounts
	// what no answer may tell, all in USD.
	monthPaidUSD, marginUSD float64
	amounts                 []float64
	// turned are the orders that turned a position around.
	turned map[int64]bool
	perpAnswer
}

// SamplePerps asks about every account of a sample market's venue of perpetual contracts and compares the answers with what was planted
// and what became of it.
func SamplePerps(seed uint64) ([]Row, error) {
	sample, service, err := venueMarket(seed)
	if err != nil {
		return nil, err
	}
	earlier := make(map[string]float64)
	for _, t := range marketAt(seed, sampleNow().AddDate(0, 0, -perprecord.FundingDays).Add(-time.Second)).PerpTruth() {
		earlier[t.Address] = t.FundingPaid
	}
	var all []perpCase
	var bodies []string
	for _, t := range sample.PerpTruth() {
		all = append(all, perpCase{truth: t, monthPaidUSD: t.FundingPaid - earlier[t.Address]})
		bodies = append(bodies, `{"wallet":"`+t.Address+`"}`)
	}
	err = askEach(service, perp.PerpWallet(), bodies, func(i int, answer []byte) error {
		c := &all[i]
		c.text = answer
		if err := json.Unmarshal(answer, &c.perpAnswer); err != nil {
			return err
		}
		return c.readAmounts(service)
	})
	if err != nil {
		return nil, err
	}
	return perpRows(all), nil
}

// readAmounts asks the venue how an account stands, with which its answer is compared.
func (c *perpCase) readAmounts(service endpoint.Service) error {
	address, err := chain.ParseAddress(c.truth.Address)
	if err != nil {
		return err
	}
	exchanges := []string{}
	fills, err := service.Sources.PerpFills.PerpFills(context.Background(), address)
	if err != nil {
		return err
	}
	c.turned = make(map[int64]bool)
	for i := range fills.Fills {
		f := &fills.Fills[i]
		if name, _, builder := strings.Cut(f.Coin, ":"); builder && !slices.Contains(exchanges, name) {
			exchanges = append(exchanges, name)
		}
		if f.Buy && f.Before < 0 && f.Size > -f.Before || !f.Buy && f.Before > 0 && f.Size > f.Before {
			c.turned[f.Order] = true
		}
	}
	standing, err := service.Sources.PerpAccounts.PerpAccount(context.Background(), address, exchanges)
	if err != nil {
		return err
	}
	for _, house := range standing.Clearinghouses {
		c.marginUSD += house.ValueUSD
		c.amounts = append(c.amounts, house.ValueUSD)
		for _, p := range house.Positions {
			c.amounts = append(c.amounts, p.ValueUSD, p.UnrealizedUSD, p.MarginUsedUSD)
		}
	}
	c.amounts = append(c.amounts, c.marginUSD, standing.SpotDollars, c.truth.NetPnL, c.truth.FundingPaid, c.monthPaidUSD)
	return nil
}

// The goals of the answers about accounts of perpetual contracts. Everything else is exact.
const (
	// fundingKnown is the part of the accounts with margin and funding whose funding is told.
	fundingKnown = 0.75
	// truncatedApart is how far the win rate of the fills that can be read may be from that of all.
	truncatedApart = 0.10
)

func perpRows(all []perpCase) []Row {
	var coverage, truncated, orders, episodes, intervals, liquidated, liquidations, bias cases
	var funding, known, cut, quiet cases
	wins, turned := new(cases), new(cases)
	for i := range all {
		c := &all[i]
		t := &c.truth
		apart := func(format string, values ...any) func() string {
			return func() string { return t.Kind + " " + t.Address + ": " + fmt.Sprintf(format, values...) }
		}
		coverage.count(c.Coverage.Reason == t.Coverage, apart("%s for %s", c.Coverage.Reason, t.Coverage))
		truncated.count(c.Truncated == t.Truncated, apart("%v", c.Truncated))
		bias.count(c.Bias == t.Bias, apart("%s for %s", c.Bias, t.Bias))
		amount, leaks := leaked(c.text, c.amounts)
		quiet.count(!leaks, apart("%s", amount))
		liquidated.count((c.Liquidations > 0) == (t.Liquidations > 0) || t.Truncated, apart("%d for %d", c.Liquidations, t.Liquidations))
		if t.Liquidations > 0 && !t.Truncated {
			// What is liquidated within an hour is one liquidation for the answer and may be several orders of the truth.
			liquidations.count(c.Liquidations > 0 && c.Liquidations <= t.Liquidations, apart("%d for %d orders", c.Liquidations, t.Liquidations))
		}
		if c.marginUSD > 0 && math.Abs(c.monthPaidUSD) > 0 {
			known.count(c.FundingPaidPct != nil, apart("%.2f %% of margin", 100*c.monthPaidUSD/c.marginUSD))
			if want := 100 * c.monthPaidUSD / c.marginUSD; c.FundingPaidPct != nil {
				funding.count(math.Abs(*c.FundingPaidPct-want) <= 0.006+1e-3*math.Abs(want), apart("%.2f for %.4f", *c.FundingPaidPct, want))
			}
		}
		if t.Truncated {
			if t.Coverage == "ok" {
				cut.count(c.WinRate != nil && math.Abs(*c.WinRate-t.WinRate) <= truncatedApart, apart("%s for %.3f", told(c.WinRate), t.WinRate))
			}
			continue
		}
		orders.count(c.ClosedTrades == t.ClosingOrders, apart("%d for %d", c.ClosedTrades, t.ClosingOrders))
		episodes.count(c.ClosedPositions == t.Episodes, apart("%d for %d", c.ClosedPositions, t.Episodes))
		if t.Coverage != "ok" {
			wins.count(c.WinRate == nil, apart("%s for null", told(c.WinRate)))
			continue
		}
		// An order that turns a position around pays for its new one too, which the truth counts with the old one and the answer does not.
		leeway := 0.0005 + 1e-9 + float64(len(c.turned))/float64(t.ClosingOrders)
		right := wins
		if len(c.turned) > 0 {
			right = turned
		}
		right.count(c.WinRate != nil && math.Abs(*c.WinRate-t.WinRate) <= leeway,
			apart("%s for %.4f (%d of %d, %d turned around)", told(c.WinRate), t.WinRate, t.ClosingOrderWins, t.ClosingOrders, len(c.turned)))
		intervals.count(c.intervalRight(), apart("%+v of %d positions", c.WinRateInterval, t.Episodes))
	}
	const name = "sample perps: "
	return []Row{
		coverage.from(1, name+"coverage"),
		orders.from(1, name+"closing orders"),
		wins.from(1, name+"win rate, null where it cannot be measured"),
		episodes.from(1, name+"closed positions"),
		turned.from(1, name+"win rate with orders that turn a position around, give or take these"),
		intervals.from(1, name+"interval of the win rate, by closed positions"),
		liquidated.from(1, name+"liquidated or not"),
		liquidations.from(1, name+"liquidations, those within an hour being one"),
		bias.from(1, name+"bias"),
		known.from(fundingKnown, name+"funding told where some was paid"),
		funding.from(1, name+"funding's sign and size"),
		truncated.from(1, name+"history cut short or not"),
		cut.from(1, name+fmt.Sprintf("win rate of a history cut short within %.2f", truncatedApart)),
		quiet.from(1, name+"answers that tell no amount"),
	}
}

// intervalRight tells whether the interval around the win rate is as wide as so many closed positions make it: orders of one position
// are one result.
func (c *perpCase) intervalRight() bool {
	const confidence95, rounded = 1.959963984540054, 0.001
	if c.WinRate == nil || c.WinRateInterval == nil {
		return false
	}
	low, high := stats.WilsonRate(*c.WinRate, float64(min(c.truth.ClosingOrders, c.truth.Episodes)), confidence95)
	return math.Abs(low-c.WinRateInterval.Low) <= rounded && math.Abs(high-c.WinRateInterval.High) <= rounded
}

func told(x *float64) string {
	if x == nil {
		return "null"
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

var numbers = regexp.MustCompile(`-?\d+(?:\.\d+)?`)

// tellable is an amount so small that a count or a percentage may be the same.
const tellable = 1_000

// leaked finds a sign of money, or one of these amounts, in an answer.
func leaked(answer []byte, amounts []float64) (string, bool) {
	for _, sign := range []string{"$", "USD ", " USD", " dollars", "usd\":"} {
		if bytes.Contains(answer, []byte(sign)) {
			return fmt.Sprintf("%q", sign), true
		}
	}
	for _, text := range numbers.FindAllString(string(answer), -1) {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			continue
		}
		for _, amount := range amounts {
			if math.Abs(amount) >= tellable && math.Abs(math.Abs(amount)-math.Abs(x)) <= 0.5 {
				return text, true
			}
		}
	}
	return "", false
}
