package accuracy

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/perp"
)

// replay is a folder of exchanges that a service answers from.
type replay struct {
	folder string
	lines  []map[string]any
}

func newReplay() (*replay, error) {
	folder, err := os.MkdirTemp("", "accuracy")
	return &replay{folder: folder}, err
}

func (r *replay) close() { _ = os.RemoveAll(r.folder) }

// add records an answer to a question, in which "*" stands for anything.
func (r *replay) add(method, url, body, response string) {
	r.lines = append(r.lines, map[string]any{"method": method, "url": url, "body": body, "status": 200, "response": response})
}

// service is the service that answers from the recording with a clock that stands.
func (r *replay) service(now time.Time) (endpoint.Service, error) {
	file, err := os.Create(filepath.Join(r.folder, "recorded.jsonl"))
	if err != nil {
		return endpoint.Service{}, err
	}
	defer file.Close()
	writer := json.NewEncoder(file)
	for _, line := range r.lines {
		if err := writer.Encode(line); err != nil {
			return endpoint.Service{}, err
		}
	}
	config, err := host.ReadConfig(func(name string) string {
		return map[string]string{
			"PROVIDERS": "replay:" + r.folder, "CLOCK": now.UTC().Format(time.RFC3339), "SINGLE_TIMEOUT": "20s", "BUNDLE_TIMEOUT": "25s",
		}[name]
	})
	if err != nil {
		return endpoint.Service{}, err
	}
	return host.NewService(config, host.Parts{Log: slog.New(slog.DiscardHandler), Metrics: noMetrics{}})
}

// madeUp is an address that stands for an account whose own is not recorded.
func madeUp(name string) string {
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf("0x%x", sum[:20])
}

const (
	perpVenue    = "https://api.hyperliquid.xyz/info"
	emptyState   = `{"marginSummary":{"accountValue":"0.0","totalNtlPos":"0.0","totalRawUsd":"0.0","totalMarginUsed":"0.0"},"crossMarginSummary":{"accountValue":"0.0","totalNtlPos":"0.0","totalRawUsd":"0.0","totalMarginUsed":"0.0"},"crossMaintenanceMarginUsed":"0.0","withdrawable":"0.0","assetPositions":[],"time":1780300000000}`
	oneMarket    = `[{"universe":[{"name":"BTC","szDecimals":5,"maxLeverage":40,"marginTableId":40}],"marginTables":[]},[{"funding":"0.0000125","openInterest":"1.0","prevDayPx":"100000.0","dayNtlVlm":"1.0","premium":"0.0","oraclePx":"100000.0","markPx":"100000.0","midPx":"100000.0","dayBaseVlm":"1.0"}]]`
	rowsPerFills = 2_000
	fillsGiven   = 10_000
)

// recordedAccount is a recorded account of perpetual contracts: its fills as the venue wrote them, or its state.
type recordedAccount struct {
	name, address, state string
	rows                 []string
	count                fillCount
}

// record adds all that is asked about the account.
func (r *replay) record(a *recordedAccount) {
	question := func(kind, more string) string {
		return `{"type":"` + kind + `","user":"` + a.address + `"` + more + `}`
	}
	pages := [][]string{nil}
	for i := 0; i < len(a.rows); i += rowsPerFills {
		pages = append(pages[:len(pages)-1], a.rows[i:min(i+rowsPerFills, len(a.rows))], nil)
	}
	for _, page := range pages {
		r.add("POST", perpVenue, question("userFillsByTime", `,"startTime":"*"`), "["+strings.Join(page, ",")+"]")
	}
	r.add("POST", perpVenue, question("clearinghouseState", ""), a.state)
	r.add("POST", perpVenue, question("clearinghouseState", `,"dex":"*"`), emptyState)
	r.add("POST", perpVenue, question("spotClearinghouseState", ""), `{"balances":[]}`)
	r.add("POST", perpVenue, question("userFunding", `,"startTime":"*"`), "[]")
	r.add("POST", perpVenue, question("userNonFundingLedgerUpdates", `,"startTime":"*"`), "[]")
	r.add("POST", perpVenue, `{"type":"metaAndAssetCtxs"}`, oneMarket)
	r.add("POST", perpVenue, `{"type":"metaAndAssetCtxs","dex":"*"}`, oneMarket)
}

// wireFill is what counting takes of a fill.
type wireFill struct {
	Coin   string  `json:"coin"`
	Side   string  `json:"side"`
	Time   int64   `json:"time"`
	Order  int64   `json:"oid"`
	TWAP   *int64  `json:"twapId"`
	Size   float64 `json:"sz,string"`
	Before float64 `json:"startPosition,string"`
	PnL    float64 `json:"closedPnl,string"`
	Fee    float64 `json:"fee,string"`
}

// fillCount is what an account's fills come to, counted for comparison with as little as that takes: closing orders with their wins after
// fees, and positions from flat to flat.
type fillCount struct {
	first, last int64
	fills       int
	orders, won int
	positions   int
}

func countFills(rows []string) (fillCount, error) {
	var c fillCount
	net := make(map[string]float64)
	began := make(map[string]bool)
	size := make(map[string]float64)
	remnant := make(map[string]bool)
	for _, row := range rows {
		var f wireFill
		if err := json.Unmarshal([]byte(row), &f); err != nil {
			return c, err
		}
		if c.first == 0 {
			c.first = f.Time
		}
		c.last = f.Time
		c.fills++
		if spotCoin(f.Coin) {
			continue
		}
		after := f.Before + f.Size
		if f.Side == "A" {
			after = f.Before - f.Size
		}
		// What is left within a millionth counts as none, and is still there when the next fill comes.
		none, rest := 1e-6*max(math.Abs(f.Before), f.Size), after
		if math.Abs(after) <= none {
			after = 0
		}
		if math.Abs(f.Before) <= none {
			f.Before = 0
		}
		if left, known := size[f.Coin]; known && math.Abs(left-f.Before) > none {
			began[f.Coin] = false // fills are missing
		}
		size[f.Coin] = rest
		left := remnant[f.Coin]
		remnant[f.Coin] = after == 0 && rest != 0
		if left && after*f.Before < 0 {
			continue // what turns a remnant around opens a position
		}
		if f.Before == 0 {
			began[f.Coin] = true
			continue
		}
		if (f.Before > 0) != (f.Side == "A") {
			continue
		}
		order := f.Coin + "/" + strconv.FormatInt(f.Order, 10)
		if f.TWAP != nil && *f.TWAP != 0 {
			order = f.Coin + "/schedule/" + strconv.FormatInt(*f.TWAP, 10)
		}
		net[order] += f.PnL - f.Fee*min(1, math.Abs(f.Before)/f.Size)
		if after*f.Before <= 0 {
			if began[f.Coin] && !left {
				c.positions++
			}
			began[f.Coin] = began[f.Coin] || after != 0
		}
	}
	for _, profit := range net {
		if profit != 0 {
			c.orders++
		}
		if profit > 0 {
			c.won++
		}
	}
	return c, nil
}

// coverage is the word for what was counted, seen so long after the first fill, with so many open positions on record.
func (c *fillCount) coverage(age time.Duration, open int) string {
	switch {
	case c.fills == 0 && open == 0:
		return "no-venue-history"
	case c.fills > 0 && age < 7*24*time.Hour:
		return "account-too-new"
	case c.orders == 0:
		return "open-positions-only"
	case c.orders < 5 || c.positions < 3:
		return "below-min-closed-trades"
	}
	return "ok"
}

// RecordedPerps lets the service answer about every recorded account from a replay, soon after its last fill and a month later, and compares
// with what was counted in the rows.
func RecordedPerps(dir string) ([]Row, error) {
	accounts, err := recordedAccounts(dir)
	if err != nil {
		return nil, err
	}
	var answered, coverage, orders, rates, positions, quiet cases
	for i := range accounts {
		a := &accounts[i]
		last := a.count.last
		if last == 0 {
			last = time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
		}
		for _, later := range []time.Duration{time.Hour, 30 * 24 * time.Hour} {
			now := time.UnixMilli(last).Add(later).UTC().Truncate(time.Second)
			var c perpAnswer
			err := a.ask(now, &c)
			apart := func(format string, values ...any) func() string {
				return func() string { return a.name + ": " + fmt.Sprintf(format, values...) }
			}
			if answered.count(err == nil, apart("%v", err)); err != nil {
				continue
			}
			word := a.count.coverage(now.Sub(time.UnixMilli(a.count.first)), len(c.Positions))
			coverage.count(c.Coverage.Reason == word, apart("%s for %s", c.Coverage.Reason, word))
			orders.count(c.ClosedTrades == a.count.orders, apart("%d for %d", c.ClosedTrades, a.count.orders))
			positions.count(c.ClosedPositions == a.count.positions, apart("%d for %d", c.ClosedPositions, a.count.positions))
			rate := float64(a.count.won) / float64(a.count.orders)
			rates.count((c.WinRate == nil) == (word != "ok") && (c.WinRate == nil || math.Abs(*c.WinRate-rate) <= 0.0005+1e-9), apart("%s for %.4f, %s", told(c.WinRate), rate, word))
			amount, leaks := leaked(c.text, nil)
			quiet.count(!leaks, apart("%s", amount))
		}
	}
	const name = "recorded perps: "
	return []Row{
		answered.from(1, name+fmt.Sprintf("answers about %d accounts, each at two instants", len(accounts))),
		coverage.from(1, name+"coverage"), orders.from(1, name+"closing orders"), positions.from(1, name+"closed positions"),
		rates.from(1, name+"win rates"), quiet.from(1, name+"answers that tell no amount"),
	}, nil
}

func (a *recordedAccount) ask(now time.Time, into *perpAnswer) error {
	r, err := newReplay()
	if err != nil {
		return err
	}
	defer r.close()
	r.record(a)
	service, err := r.service(now)
	if err != nil {
		return err
	}
	return askEach(service, perp.PerpWallet(), []string{`{"wallet":"` + a.address + `"}`}, func(_ int, answer []byte) error {
		into.text = answer
		return json.Unmarshal(answer, into)
	})
}

// recordedAccounts are those of recorded fills, and those whose state alone is recorded.
func recordedAccounts(dir string) ([]recordedAccount, error) {
	var accounts []recordedAccount
	add := func(file, name string, rows []string) error {
		count, err := countFills(rows)
		accounts = append(accounts, recordedAccount{name: filepath.Base(file) + " " + name, address: madeUp(file + name), state: emptyState, rows: rows, count: count})
		return err
	}
	answers, err1 := filepath.Glob(filepath.Join(dir, "hyperliquid", "leader_fills_*.json"))
	tables, err2 := filepath.Glob(filepath.Join(dir, "hyperliquid", "fills_*.csv"))
	exchanges, err3 := filepath.Glob(filepath.Join(dir, "exchanges", "hyperliquid_info*.jsonl.gz"))
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	for _, path := range answers {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var recorded struct {
			Queries []struct {
				Slot  string            `json:"slot"`
				Fills []json.RawMessage `json:"fills"`
			} `json:"queries"`
		}
		if err := json.Unmarshal(text, &recorded); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, q := range recorded.Queries {
			rows := make([]string, len(q.Fills))
			for i := range q.Fills {
				rows[i] = string(q.Fills[i])
			}
			if err := add(path, q.Slot, rows); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	for _, path := range tables {
		found, err := readFile(path, perpTable)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, account := range found {
			fills := account.fills[max(0, len(account.fills)-fillsGiven+1):] // what the venue would give
			if err := add(path, account.name, wireRows(fills)); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	for _, path := range exchanges {
		states, err := readFile(path, recordedStates)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		accounts = append(accounts, states...)
	}
	if len(accounts) == 0 {
		return nil, fmt.Errorf("no recorded account of perpetual contracts in %s", dir)
	}
	return accounts, nil
}

// wireRows writes fills as the venue does. Tables have times to the minute, within which the order of rows is kept.
func wireRows(fills []market.PerpFill) []string {
	rows := make([]string, len(fills))
	number := func(x float64) string { return strconv.Quote(strconv.FormatFloat(x, 'f', -1, 64)) }
	last := int64(0)
	for i := range fills {
		f := &fills[i]
		side := "A"
		if f.Buy {
			side = "B"
		}
		last = max(last+1, f.Time.UnixMilli())
		rows[i] = fmt.Sprintf(`{"coin":%q,"px":%s,"sz":%s,"side":%q,"time":%d,"startPosition":%s,"dir":"","closedPnl":%s,"hash":"0x%064x","oid":%d,"crossed":true,"fee":%s,"tid":%d,"feeToken":"USDC","twapId":null}`,
			f.Coin, number(f.Price), number(f.Size), side, last, number(f.Before), number(f.ClosedPnLUSD), i+1, f.Order, number(f.FeeUSD), i+1)
	}
	return rows
}

// recordedStates reads the accounts on the venue's main exchange out of recorded exchanges.
func recordedStates(from io.Reader) ([]recordedAccount, error) {
	unzipped, err := gzip.NewReader(from)
	if err != nil {
		return nil, err
	}
	var accounts []recordedAccount
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var line struct {
			Body     string `json:"body"`
			Response string `json:"response"`
		}
		var asked struct {
			Type string `json:"type"`
			User string `json:"user"`
			Dex  string `json:"dex"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, err
		}
		if json.Unmarshal([]byte(line.Body), &asked) == nil && asked.Type == "clearinghouseState" && asked.Dex == "" {
			accounts = append(accounts, recordedAccount{name: asked.User, address: strings.ToLower(asked.User), state: line.Response})
		}
	}
	return accounts, lines.Err()
}
