package accuracy

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/prediction"
)

const (
	predictionData    = "https://data-api.polymarket.com"
	predictionMarkets = "https://gamma-api.polymarket.com"
	predictionBooks   = "https://clob.polymarket.com"
	rowsPerActivity   = 500
	pagesOfActivity   = 11
	marketsAtOnce     = 80
	// mostRecordedWallets bounds how many recorded wallets are asked about.
	mostRecordedWallets = 100
)

// recordedTime is how recorded fills write times, in UTC.
const recordedTime = "2006-01-02 15:04:05"

// recordedTrade is one fill of a recorded wallet, amounts in millionths.
type recordedTrade struct {
	At    string  `json:"timestamp"`
	Asset string  `json:"asset_id"`
	Side  string  `json:"side"`
	Size  float64 `json:"size"`
	Price float64 `json:"price"`
	Cost  float64 `json:"cost"`
}

type recordedWallet struct {
	Wallet string          `json:"canonical_wallet"`
	Trades []recordedTrade `json:"trades"`
}

// condition is the made-up market of a recorded outcome: which others it had is not recorded. Nor is what came true, so that pays decides.
func condition(asset string) string { return fmt.Sprintf("0x%x", sha256.Sum256([]byte(asset))) }

// pays is what a share of a recorded outcome is made to pay in the end.
func pays(asset string) float64 {
	sum := sha256.Sum256([]byte("outcome of " + asset))
	return float64(sum[0] & 1)
}

// other is the made-up outcome against a recorded one.
func other(asset string) string { return "1" + asset[1:len(asset)-3] + "777" }

// predictionCount is what a wallet's fills come to with those outcomes, market by market.
type predictionCount struct{ events, won int }

const (
	// A market whose purchases cost less than a dollar says nothing, and where more was sold than bought some came in unseen.
	leastCostUSD   = 1.0
	soldBeyond     = 0.01
	soldBeyondPart = 0.01
)

func (w *recordedWallet) count() predictionCount {
	type leg struct{ bought, sold, paidUSD, gotUSD float64 }
	legs := make(map[string]*leg)
	for _, t := range w.Trades {
		l := legs[t.Asset]
		if l == nil {
			l = new(leg)
			legs[t.Asset] = l
		}
		if t.Side == "BUY" {
			l.bought, l.paidUSD = l.bought+t.Size/1e6, l.paidUSD+t.Cost/1e6
		} else {
			l.sold, l.gotUSD = l.sold+t.Size/1e6, l.gotUSD+t.Cost/1e6
		}
	}
	var c predictionCount
	for asset, l := range legs {
		left := l.bought - l.sold
		if left < -max(soldBeyond, soldBeyondPart*l.sold) || l.paidUSD < leastCostUSD {
			continue
		}
		c.events++
		if l.gotUSD+left*pays(asset) > l.paidUSD {
			c.won++
		}
	}
	return c
}

// record adds all that is asked about the wallet, whose markets were all decided at an instant.
func (w *recordedWallet) record(r *replay, decided time.Time) error {
	trades := slices.Clone(w.Trades)
	slices.SortStableFunc(trades, func(a, b recordedTrade) int { return strings.Compare(b.At, a.At) })
	rows := make([]string, len(trades))
	var markets []string
	known := make(map[string]bool)
	for i, t := range trades {
		at, err := time.Parse(recordedTime, t.At)
		if err != nil {
			return err
		}
		rows[i] = fmt.Sprintf(`{"proxyWallet":%q,"timestamp":%d,"conditionId":%q,"type":"TRADE","size":%v,"usdcSize":%v,"transactionHash":"0x%064x","price":%v,"asset":%q,"side":%q,"outcomeIndex":0,"slug":"m","eventSlug":%q}`,
			w.Wallet, at.Unix(), condition(t.Asset), t.Size/1e6, t.Cost/1e6, i+1, t.Price, t.Asset, t.Side, "e-"+condition(t.Asset)[2:18])
		if !known[t.Asset] {
			known[t.Asset] = true
			markets = append(markets, fmt.Sprintf(`{"conditionId":%q,"endDate":%q,"closedTime":%q,"closed":true,"outcomePrices":"[\"%v\", \"%v\"]","clobTokenIds":"[\"%s\", \"%s\"]","umaResolutionStatus":"resolved","negRisk":false,"orderPriceMinTickSize":0.01,"spread":0.01,"liquidityNum":9000,"events":[{"slug":%q}]}`,
				condition(t.Asset), decided.Format(time.RFC3339), decided.Format("2006-01-02 15:04:05+00"), pays(t.Asset), 1-pays(t.Asset), t.Asset, other(t.Asset), "e-"+condition(t.Asset)[2:18]))
		}
	}
	for page := range pagesOfActivity {
		from := min(len(rows), page*rowsPerActivity)
		text := "[" + strings.Join(rows[from:min(len(rows), from+rowsPerActivity)], ",") + "]"
		list := fmt.Sprintf("user=%s&limit=%d&offset=%d&start=1", w.Wallet, rowsPerActivity, page*rowsPerActivity)
		r.add("GET", predictionData+"/activity?"+list+"&sortBy=TIMESTAMP&sortDirection=DESC", "", text)
		r.add("GET", predictionData+"/trades?"+list+"&takerOnly=true", "", text)
	}
	r.add("GET", predictionData+"/positions?user="+w.Wallet+"&limit=500&offset=*&sizeThreshold=0&sortBy=INITIAL&sortDirection=DESC", "", "[]")
	r.add("GET", predictionData+"/closed-positions?user="+w.Wallet+"&limit=50&offset=*&sortBy=TIMESTAMP&sortDirection=DESC", "", "[]")
	anything := ""
	for range marketsAtOnce {
		anything += "&condition_ids=*"
		r.add("GET", predictionMarkets+"/markets?closed=true&limit=*&include_tag=true"+anything, "", "["+strings.Join(markets, ",")+"]")
		r.add("GET", predictionMarkets+"/markets?closed=false&limit=*&include_tag=true"+anything, "", "[]")
	}
	r.add("GET", predictionBooks+"/prices-history?market=*&startTs=*&endTs=*&fidelity=*", "", `{"history":[]}`)
	r.add("GET", predictionBooks+"/prices-history?market=*&interval=max&fidelity=*", "", `{"history":[]}`)
	return nil
}

// RecordedPredictions lets the service answer about recorded prediction wallets from a replay, with outcomes made up, and compares with what
// was counted in their fills.
func RecordedPredictions(dir string) ([]Row, error) {
	wallets, left, err := recordedWallets(dir)
	if err != nil {
		return nil, err
	}
	var answered, events, rates, truncated, quiet cases
	for i := range wallets {
		w := &wallets[i]
		apart := func(format string, values ...any) func() string {
			return func() string { return w.Wallet + ": " + fmt.Sprintf(format, values...) }
		}
		var a predictionAnswer
		err := w.ask(&a)
		if answered.count(err == nil, apart("%v", err)); err != nil {
			continue
		}
		c := w.count()
		rate := float64(c.won) / float64(c.events)
		events.count(a.SampleSize == c.events, apart("%d for %d", a.SampleSize, c.events))
		rates.count((a.WinRate == nil) == (c.events == 0) && (a.WinRate == nil || math.Abs(*a.WinRate-rate) <= 0.0005+1e-9), apart("%s for %.4f", told(a.WinRate), rate))
		truncated.count(!a.Truncated && a.Active, apart("truncated %v, active %v", a.Truncated, a.Active))
		amount, leaks := leaked(a.text, nil)
		quiet.count(!leaks, apart("%s", amount))
	}
	const name = "recorded predictions: "
	return []Row{
		answered.from(1, name+fmt.Sprintf("answers about %d wallets, %d more left out", len(wallets), left)),
		events.from(1, name+"events"), rates.from(1, name+"win rates"), truncated.from(1, name+"active, and whole"),
		quiet.from(1, name+"answers that tell no amount"),
	}, nil
}

func (w *recordedWallet) ask(into *predictionAnswer) error {
	latest := slices.MaxFunc(w.Trades, func(a, b recordedTrade) int { return strings.Compare(a.At, b.At) })
	last, err := time.Parse(recordedTime, latest.At)
	if err != nil {
		return err
	}
	r, err := newReplay()
	if err != nil {
		return err
	}
	defer r.close()
	if err := w.record(r, last.Add(24*time.Hour)); err != nil {
		return err
	}
	service, err := r.service(last.Add(48 * time.Hour))
	if err != nil {
		return err
	}
	return askEach(service, prediction.PredictionWallet(), []string{`{"wallet":"` + w.Wallet + `"}`}, func(_ int, answer []byte) error {
		into.text = answer
		return json.Unmarshal(answer, into)
	})
}

// recordedWallets reads the wallets whose history the venue gives whole; left counts those that were left out.
func recordedWallets(dir string) (wallets []recordedWallet, left int, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "polymarket", "clob_fills_*.json"))
	if err != nil {
		return nil, 0, err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, 0, err
		}
		var found []recordedWallet
		if err := json.Unmarshal(text, &found); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		for _, w := range found {
			if len(w.Trades) == 0 || len(w.Trades) >= rowsPerActivity*(pagesOfActivity-1) || len(wallets) == mostRecordedWallets {
				left++
				continue
			}
			w.Wallet = strings.ToLower(w.Wallet)
			wallets = append(wallets, w)
		}
	}
	if len(wallets) == 0 {
		return nil, 0, errors.New("no polymarket/clob_fills_*.json in the data folder")
	}
	return wallets, left, nil
}
