package accuracy

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/perprecord"
)

// perpAccount is one account's recorded fills, oldest first, without spot pairs.
type perpAccount struct {
	name  string
	fills []market.PerpFill
}

// PerpAccounting replays every recorded fill under dir/hyperliquid and holds our realised profits against the venue's, and the
// counts of fills, orders and positions against those of accounts that were counted by another program.
func PerpAccounting(dir string) ([]Row, error) {
	var accounts []perpAccount
	for pattern, read := range map[string]func(io.Reader) ([]perpAccount, error){"fills_*.csv": perpTable, "leader_fills_*.json": perpAnswers} {
		paths, err := filepath.Glob(filepath.Join(dir, "hyperliquid", pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			found, err := readFile(path, read)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			accounts = append(accounts, found...)
		}
	}
	slices.SortStableFunc(accounts, func(a, b perpAccount) int { return strings.Compare(a.name, b.name) })
	var audit perprecord.Audit
	var counted []Row
	for _, account := range accounts {
		book := perprecord.Reconstruct(account.fills, nil)
		audit.Checked += book.Audit.Checked
		audit.Close += book.Audit.Close
		audit.Near += book.Audit.Near
		audit.Worst = max(audit.Worst, book.Audit.Worst)
		for _, want := range countedAccounts {
			if strings.HasPrefix(account.name, want.name) {
				counted = append(counted, want.rows(account, book)...)
			}
		}
	}
	if audit.Checked == 0 {
		return nil, errors.New("no recorded fill closes a position whose beginning is recorded")
	}
	share := float64(audit.Close) / float64(audit.Checked)
	rows := []Row{
		{"perps: venue's profit, most", "at least 99.7% of closing fills within 1e-5 of their value",
			fmt.Sprintf("%.2f%% of %d", 100*share, audit.Checked), share >= 0.997},
		{"perps: venue's profit, all", "100% within 1e-4", fmt.Sprintf("%d of %d, worst %.1e", audit.Near, audit.Checked, audit.Worst), audit.Near == audit.Checked},
	}
	return append(rows, counted...), nil
}

func readFile[T any](path string, read func(io.Reader) (T, error)) (T, error) {
	file, err := os.Open(path)
	if err != nil {
		var none T
		return none, err
	}
	defer file.Close()
	return read(file)
}

// countedAccount is what another program counted in an account's fills. Shares are to four decimals, the factor to three.
type countedAccount struct {
	name              string
	fills, closings   int
	closingShare      float64
	orders            int
	orderShare        float64 // before fees
	episodes          int
	episodeShare      float64 // after fees
	factor            float64 // NaN without a loss
	profitUSD, feeUSD float64
}

// countedAccounts are from September 2024 to May 2025. Their positions run from flat to flat: a fill that turns one around does not
// end it, and those that span a gap in the recording or did not begin within a millionth of flat are left out.
var countedAccounts = []countedAccount{
	{"0x083384f8", 1_400, 498, 0.5663, 15, 0.6, 8, 0.75, 0.684, -39_019.55, 3_334.15},
	{"0x513b8629", 11_257, 5_018, 0.8858, 79, 0.8481, 42, 0.8095, 5.781, 645_923.48, 76_090.77},
	{"0x72c6a462", 1_413, 563, 0.7762, 51, 0.8039, 30, 0.6667, 10.249, 402_437.92, 289.70},
	{"0xae5eacaf", 460, 172, 1, 9, 1, 7, 1, math.NaN(), 55_625.30, 513.55},
}

func (c countedAccount) rows(account perpAccount, book *perprecord.Book) []Row {
	want := c
	results := flatToFlat(book.Episodes)
	got := countedAccount{name: c.name, fills: len(account.fills), orders: len(book.Orders), episodes: len(results)}
	won, ordersWon, episodesWon := 0, 0, 0
	for _, f := range account.fills {
		got.profitUSD += f.ClosedPnLUSD
		got.feeUSD += f.FeeUSD
		if f.ClosedPnLUSD != 0 {
			got.closings++
		}
		if f.ClosedPnLUSD > 0 {
			won++
		}
	}
	for _, o := range book.Orders {
		if o.PnLUSD > 0 {
			ordersWon++
		}
	}
	gains, losses := 0., 0.
	for _, net := range results {
		if net > 0 {
			episodesWon++
			gains += net
		} else {
			losses -= net
		}
	}
	got.closingShare = float64(won) / float64(got.closings)
	got.orderShare = float64(ordersWon) / float64(got.orders)
	got.episodeShare = float64(episodesWon) / float64(got.episodes)
	got.factor = math.NaN()
	if losses > 0 {
		got.factor = gains / losses
	}
	same := func(a, b, unit float64) bool { return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= unit }
	return []Row{
		{"perps: fills of " + want.name, want.fillText(), got.fillText(), got.fills == want.fills && got.closings == want.closings &&
			same(got.closingShare, want.closingShare, 5e-5) && same(got.profitUSD, want.profitUSD, 0.01) && same(got.feeUSD, want.feeUSD, 0.01)},
		{"perps: orders of " + want.name, want.orderText(), got.orderText(), got.orders == want.orders && same(got.orderShare, want.orderShare, 5e-5)},
		{"perps: positions of " + want.name, want.episodeText(), got.episodeText(), got.episodes == want.episodes &&
			same(got.episodeShare, want.episodeShare, 5e-5) && same(got.factor, want.factor, 5e-4)},
	}
}

// flatToFlat is what positions earned after fees from flat to flat: episodes that a fill turned into one another are one, and it is
// known only where all of them are.
func flatToFlat(episodes []perprecord.Episode) []float64 {
	type turned struct {
		at       time.Time
		netUSD   float64
		complete bool
	}
	open := make(map[string]turned)
	results := make([]float64, 0, len(episodes))
	for _, e := range episodes {
		net, complete := e.NetUSD(), !e.FromRemnant
		if e.FromFlip {
			before, found := open[e.Coin]
			complete = found && before.complete && before.at.Equal(e.OpenedAt)
			net += before.netUSD
		}
		if e.IntoFlip {
			open[e.Coin] = turned{e.ClosedAt, net, complete}
			continue
		}
		delete(open, e.Coin)
		if complete {
			results = append(results, net)
		}
	}
	return results
}

func (c countedAccount) fillText() string {
	return fmt.Sprintf("%d, %d with a profit or loss, %.4f won, %.2f and %.2f in fees", c.fills, c.closings, c.closingShare, c.profitUSD, c.feeUSD)
}

func (c countedAccount) orderText() string {
	return fmt.Sprintf("%d, %.4f won", c.orders, c.orderShare)
}

func (c countedAccount) episodeText() string {
	return fmt.Sprintf("%d, %.4f won, factor %.3f", c.episodes, c.episodeShare, c.factor)
}

// indianTime is how the tables of fills write times: to the minute, so that the order of rows breaks ties.
const indianTime = "02-01-2006 15:04"

// perpTable reads a table of fills with a line of headings.
func perpTable(from io.Reader) ([]perpAccount, error) {
	rows := csv.NewReader(from)
	heading, err := rows.Read()
	if err != nil {
		return nil, err
	}
	column := make(map[string]int, len(heading))
	for i, name := range heading {
		column[strings.TrimPrefix(name, "\ufeff")] = i
	}
	at := make(map[string]int)
	var accounts []perpAccount
	for line := 2; ; line++ {
		row, err := rows.Read()
		if err == io.EOF {
			return accounts, nil
		}
		if err != nil {
			return nil, err
		}
		var bad error
		text := func(name string) string {
			i, found := column[name]
			if !found {
				bad = errors.Join(bad, fmt.Errorf("no column %s", name))
				return ""
			}
			return row[i]
		}
		number := func(name string) float64 {
			x, err := strconv.ParseFloat(text(name), 64)
			bad = errors.Join(bad, err)
			return x
		}
		coin := text("Coin")
		if spotCoin(coin) {
			continue
		}
		f := market.PerpFill{
			Coin: coin, Buy: text("Side") == "BUY", Price: number("Execution Price"), Size: number("Size Tokens"), Before: number("Start Position"),
			ClosedPnLUSD: number("Closed PnL"), FeeUSD: number("Fee"),
		}
		var err1, err2 error
		f.Time, err1 = time.ParseInLocation(indianTime, text("Timestamp IST"), time.FixedZone("IST", 19_800))
		f.Order, err2 = strconv.ParseInt(text("Order ID"), 10, 64)
		if err := errors.Join(bad, err1, err2); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		name := text("Account")
		i, found := at[name]
		if !found {
			i = len(accounts)
			at[name] = i
			accounts = append(accounts, perpAccount{name: name})
		}
		accounts[i].fills = append(accounts[i].fills, f)
	}
}

// perpAnswers reads recorded answers of the venue, one account each.
func perpAnswers(from io.Reader) ([]perpAccount, error) {
	var recorded struct {
		Queries []struct {
			Slot  string `json:"slot"`
			Fills []struct {
				Coin          string  `json:"coin"`
				Side          string  `json:"side"`
				Time          int64   `json:"time"`
				Order         int64   `json:"oid"`
				TWAP          *int64  `json:"twapId"`
				Price         float64 `json:"px,string"`
				Size          float64 `json:"sz,string"`
				StartPosition float64 `json:"startPosition,string"`
				ClosedPnL     float64 `json:"closedPnl,string"`
				Fee           float64 `json:"fee,string"`
			} `json:"fills"`
		} `json:"queries"`
	}
	if err := json.NewDecoder(from).Decode(&recorded); err != nil {
		return nil, err
	}
	var accounts []perpAccount
	for _, q := range recorded.Queries {
		account := perpAccount{name: q.Slot}
		for _, r := range q.Fills {
			if spotCoin(r.Coin) {
				continue
			}
			f := market.PerpFill{
				Coin: r.Coin, Time: time.UnixMilli(r.Time), Buy: r.Side == "B", Price: r.Price, Size: r.Size, Before: r.StartPosition,
				ClosedPnLUSD: r.ClosedPnL, FeeUSD: r.Fee, Order: r.Order,
			}
			if r.TWAP != nil {
				f.TWAP = *r.TWAP
			}
			account.fills = append(account.fills, f)
		}
		accounts = append(accounts, account)
	}
	return accounts, nil
}

func spotCoin(coin string) bool { return strings.HasPrefix(coin, "@") || strings.Contains(coin, "/") }
