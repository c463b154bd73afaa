package accuracy

import (
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
)

// recordedQuotes are the symbols that trades of the recorded day are quoted in.
var recordedQuotes = map[string]bool{
	"ETH": true, "WETH": true, "USDC": true, "USDT": true, "DAI": true, "stETH": true, "wstETH": true, "rETH": true,
}

// recordedRow is one row of the recording: bought of one token, sold of another.
type recordedRow struct {
	at                         time.Time
	bought, sold               string
	boughtQuantity, soldAmount float64
	usd                        float64
	aggregator                 bool
}

// expectedPosition is a position worked out by hand. Money is right to the cent, the rest to six digits.
type expectedPosition struct {
	token        string
	pnlUSD, roi  float64
	holding      time.Duration
	matchedShare float64
	rateable     bool
}

// handWorked are two traders of the recorded day, worked out with paper and calculator from their rows.
//
// The first bought and sold three times, always everything:
//
//	LFT  00:35:59  92,486.40 -> 00:43:50  90,054.9996   PnL -2,431.4004  / 92,486.40 = -0.0262893   held  7:51 =   471 s
//	LFT  01:04:16  92,475.00 -> 02:32:01  91,820.5976   PnL   -654.4024  / 92,475.00 = -0.0070765   held 87:45 = 5,265 s
//	QOM  11:26:31  93,725.70 -> 12:09:50  92,268.7583   PnL -1,456.9417  / 93,725.70 = -0.0155447   held 43:19 = 2,599 s
//
// No win of three.
//
// The second bought FXS three times (the purchase of 00:52:08 is recorded twice, by the aggregator and by the pool it
// routed through), sold more than that, bought and sold again, and then the same with SUSHI:
//
//	FXS  00:13:07  584.231996 for 20,103.4230
//	FXS  00:52:08  289.984264 for 10,094.3522
//	FXS  00:54:15  726.945395 for 25,304.9692             together 1,601.161656 for 55,502.7444
//	FXS  04:12:24  2,181.263562 sold for 74,597.5424: only 1,601.161656 / 2,181.263562 = 0.7340524 of it was bought that day;
//	     matched proceeds 0.7340524 * 74,597.5424 = 54,758.5017; PnL 54,758.5017 - 55,502.7444 = -744.2427, / 55,502.7444 = -0.0134091
//	     held (584.231996 * 14,357 s + 289.984264 * 12,016 s + 726.945395 * 11,889 s) / 1,601.161656
//	        = (8,387,818.8 + 3,484,450.9 + 8,642,653.8) / 1,601.161656 = 12,812.525 s; under 0.8 matched: not rateable
//	FXS  05:28:18  2,142.463004 for 74,900.5066 -> 07:25:26 for 79,202.3736
//	     PnL 4,301.8670, / 74,900.5066 = 0.0574344; held 1:57:08 = 7,028 s
//	SUSHI 23:15:42 49,979.2608 -> 23:19:43 49,472.7124; PnL -506.5485, / 49,979.2608 = -0.0101352; held 4:01 = 241 s
//
// One win of two rateable.
var handWorked = []struct {
	trader    string
	positions []expectedPosition
	wins      int
	rateable  int
}{
	{`\x000000bd31c24a2bd2835028c8f1e4d9d3f37108`, []expectedPosition{
		{token: "LFT", pnlUSD: -2431.4004, roi: -0.0262893, holding: 471 * time.Second, matchedShare: 1, rateable: true},
		{token: "LFT", pnlUSD: -654.4024, roi: -0.0070765, holding: 5265 * time.Second, matchedShare: 1, rateable: true},
		{token: "QOM", pnlUSD: -1456.9417, roi: -0.0155447, holding: 2599 * time.Second, matchedShare: 1, rateable: true},
	}, 0, 3},
	{`\xfff70e29029dab2393f165d0c0b830dc53d40e25`, []expectedPosition{
		{token: "FXS", pnlUSD: -744.2427, roi: -0.0134091, holding: 12812525 * time.Millisecond, matchedShare: 0.7340524},
		{token: "FXS", pnlUSD: 4301.8670, roi: 0.0574344, holding: 7028 * time.Second, matchedShare: 1, rateable: true},
		{token: "SUSHI", pnlUSD: -506.5485, roi: -0.0101352, holding: 241 * time.Second, matchedShare: 1, rateable: true},
	}, 1, 2},
}

// RealTrades runs a recorded day of decentralised-exchange trades, found under dir, through the position engine, and
// compares the outcome with hand-worked positions, with plain sums over all rows, and with itself under a shorter history.
func RealTrades(dir string) ([]Row, error) {
	recorded, err := readRecordedDay(filepath.Join(dir, "dex", "ethereum_dex_trades_2022-04-20.csv.gz"))
	if err != nil {
		return nil, fmt.Errorf("recorded trades: %w", err)
	}
	day := newRecordedDay(recorded)
	rows := []Row{day.handWorked()}
	return append(rows, day.conservation(), day.money(), day.bounds(), day.purity()), nil
}

func readRecordedDay(path string) (traders map[string][]recordedRow, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	rows := csv.NewReader(unpacked)
	header, err := rows.Read()
	if err != nil {
		return nil, err
	}
	column := map[string]int{}
	for at, name := range header {
		column[name] = at
	}
	for _, name := range []string{
		"block_time", "token_a_symbol", "token_b_symbol", "token_a_amount", "token_b_amount", "category", "usd_amount", "trader_a",
	} {
		if _, found := column[name]; !found {
			return nil, fmt.Errorf("no column %q", name)
		}
	}
	traders = map[string][]recordedRow{}
	for {
		fields, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return traders, nil
		}
		if err != nil {
			return nil, err
		}
		if fields[column["token_a_amount"]] == "" || fields[column["token_b_amount"]] == "" {
			continue // the recording did not know the token's decimals
		}
		row := recordedRow{
			bought: fields[column["token_a_symbol"]], sold: fields[column["token_b_symbol"]],
			aggregator: fields[column["category"]] == "Aggregator",
		}
		row.at, err = time.Parse(time.RFC3339, fields[column["block_time"]])
		for name, to := range map[string]*float64{
			"token_a_amount": &row.boughtQuantity, "token_b_amount": &row.soldAmount, "usd_amount": &row.usd,
		} {
			number, wrong := strconv.ParseFloat(fields[column[name]], 64)
			*to, err = number, errors.Join(err, wrong)
		}
		if err != nil {
			return nil, err
		}
		trader := fields[column["trader_a"]]
		traders[trader] = append(traders[trader], row)
	}
}

// recordedDay is everybody's ledger of one day and the book at its end.
type recordedDay struct {
	traders []string
	ledgers []*position.Ledger
	books   []*position.Book
	symbols map[string]chain.Address
	trades  int
	end     time.Time
}

func newRecordedDay(recorded map[string][]recordedRow) *recordedDay {
	day := &recordedDay{symbols: map[string]chain.Address{}}
	for trader, rows := range recorded {
		day.traders = append(day.traders, trader)
		day.end = maxTime(day.end, rows[len(rows)-1].at)
	}
	slices.Sort(day.traders)
	for _, trader := range day.traders {
		ledger := day.ledger(recorded[trader])
		day.trades += len(ledger.Trades)
		day.ledgers = append(day.ledgers, ledger)
		day.books = append(day.books, position.Build(ledger, nil, day.end))
	}
	return day
}

func maxTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// token gives each symbol an address of its own. Symbols are as good as addresses within one recording.
func (d *recordedDay) token(symbol string) chain.Address {
	address, found := d.symbols[symbol]
	if !found {
		number := len(d.symbols) + 1
		address = chain.Address{0xff, byte(number >> 8), byte(number)}
		d.symbols[symbol] = address
	}
	return address
}

// flow is what one block moved of one token.
type flow struct {
	bought, sold       float64
	boughtUSD, soldUSD float64
}

// ledger reads rows as trades. What a trader did within one block is netted; an aggregator's row stands for those of the
// pools it routed through. The recording has no transaction hashes, and a block's time is its own.
func (d *recordedDay) ledger(rows []recordedRow) *position.Ledger {
	ledger := &position.Ledger{}
	slices.SortStableFunc(rows, func(a, b recordedRow) int { return a.at.Compare(b.at) })
	for len(rows) > 0 {
		block := 1
		for block < len(rows) && rows[block].at.Equal(rows[0].at) {
			block++
		}
		d.block(ledger, rows[:block])
		rows = rows[block:]
	}
	return ledger
}

func (d *recordedDay) block(ledger *position.Ledger, rows []recordedRow) {
	routed := slices.ContainsFunc(rows, func(row recordedRow) bool { return row.aggregator })
	flows := map[string]*flow{}
	of := func(symbol string) *flow {
		if flows[symbol] == nil {
			flows[symbol] = &flow{}
		}
		return flows[symbol]
	}
	for _, row := range rows {
		if routed && !row.aggregator {
			continue
		}
		in, out := of(row.bought), of(row.sold)
		in.bought += row.boughtQuantity
		in.boughtUSD += row.usd
		out.sold += row.soldAmount
		out.soldUSD += row.usd
	}
	symbols := make([]string, 0, len(flows))
	for symbol := range flows {
		if !recordedQuotes[symbol] {
			symbols = append(symbols, symbol)
		}
	}
	slices.Sort(symbols)
	for _, symbol := range symbols {
		f := flows[symbol]
		net, netUSD := f.bought-f.sold, f.boughtUSD-f.soldUSD
		trade := position.Trade{
			Time: rows[0].at, Block: uint64(rows[0].at.Unix()), Order: uint64(len(ledger.Trades)), Token: d.token(symbol), Priced: true,
		}
		switch {
		case math.Abs(net) <= 1e-6*max(f.bought, f.sold):
			continue
		case net > 0 && netUSD >= 0:
			trade.Side, trade.Quantity, trade.ValueUSD = position.Buy, net, netUSD
		case net < 0 && netUSD <= 0:
			trade.Side, trade.Quantity, trade.ValueUSD = position.Sell, -net, -netUSD
		default:
			// More came in for less money than went out: two trades in one block.
			trade.SameBlock = true
			trade.Side, trade.Quantity, trade.ValueUSD = position.Buy, f.bought, f.boughtUSD
			ledger.Trades = append(ledger.Trades, trade)
			trade.Side, trade.Quantity, trade.ValueUSD = position.Sell, f.sold, f.soldUSD
		}
		ledger.Trades = append(ledger.Trades, trade)
	}
}

func (d *recordedDay) handWorked() Row {
	wrong, checked := 0, 0
	for _, trader := range handWorked {
		at, found := slices.BinarySearch(d.traders, trader.trader)
		if !found || len(d.books[at].Positions) != len(trader.positions) {
			wrong++
			continue
		}
		wins, rateable := 0, 0
		for i, want := range trader.positions {
			got := d.books[at].Positions[i]
			checked++
			if got.Token != d.token(want.token) || got.Status != position.Closed || got.Rateable != want.rateable ||
				math.Abs(got.PnLUSD-want.pnlUSD) > 0.01 || math.Abs(got.ROI-want.roi) > 1e-6 ||
				math.Abs(got.MatchedShare-want.matchedShare) > 1e-6 || (got.Holding-want.holding).Abs() > time.Second {
				wrong++
			}
		}
		for _, p := range d.books[at].Closed() {
			rateable++
			if p.ROI > 0 {
				wins++
			}
		}
		if wins != trader.wins || rateable != trader.rateable {
			wrong++
		}
	}
	return Row{
		Name: "positions on recorded trades", Goal: "every hand-worked position: PnL to the cent, ROI to 1e-6, holding to the second, wins",
		Measured: fmt.Sprintf("%d positions of %d traders checked, %d wrong", checked, len(handWorked), wrong),
		Pass:     wrong == 0 && checked == 6,
	}
}

// conservation holds what is left of every token against a plain count of what was bought and sold.
func (d *recordedDay) conservation() Row {
	wrong, tokens := 0, 0
	for i, ledger := range d.ledgers {
		left := map[chain.Address]float64{}
		bought := map[chain.Address]float64{}
		for _, trade := range ledger.Trades {
			if trade.Side == position.Buy {
				left[trade.Token] += trade.Quantity
				bought[trade.Token] += trade.Quantity
			} else {
				left[trade.Token] = max(0, left[trade.Token]-trade.Quantity)
			}
		}
		remaining := map[chain.Address]float64{}
		for _, p := range d.books[i].Positions {
			remaining[p.Token] = p.RemainingQuantity
		}
		for token, quantity := range remaining {
			tokens++
			if math.Abs(quantity-left[token]) > 1e-9*max(bought[token], 1e-9) {
				wrong++
			}
		}
	}
	return Row{
		Name: "quantities on recorded trades", Goal: "what is left of every token equals what came in less what went out",
		Measured: fmt.Sprintf("%d of %d holdings differ", wrong, tokens), Pass: wrong == 0 && tokens > 1000,
	}
}

// money holds the positions' cost and proceeds against plain sums over the trades of traders without dust.
func (d *recordedDay) money() Row {
	var cost, proceeds, bought, sold float64
	wrong, counted := 0, 0
	for i, book := range d.books {
		if book.DustSkipped > 0 {
			continue
		}
		counted++
		var bookCost, bookProceeds, tradeBought, tradeSold float64
		for _, p := range book.Positions {
			bookCost += p.CostUSD
			bookProceeds += p.ProceedsUSD
		}
		for _, trade := range d.ledgers[i].Trades {
			if trade.Side == position.Buy {
				tradeBought += trade.ValueUSD
			} else {
				tradeSold += trade.ValueUSD
			}
		}
		if math.Abs(bookProceeds-tradeSold) > 1e-9*max(1, tradeSold) || bookCost < tradeBought*(1-1e-9) {
			wrong++
		}
		cost, proceeds, bought, sold = cost+bookCost, proceeds+bookProceeds, bought+tradeBought, sold+tradeSold
	}
	return Row{
		Name: "money on recorded trades", Goal: "proceeds of all positions equal all sales, trader by trader; cost is at least all purchases",
		Measured: fmt.Sprintf("%d of %d traders differ; purchases %.0f, cost with what was carried over %.0f; sales %.0f, proceeds %.0f",
			wrong, counted, bought, cost, sold, proceeds),
		Pass: wrong == 0 && counted > 1000,
	}
}

// bounds checks what is true of any result: nothing loses more than it cost, nothing was held for longer than the day.
func (d *recordedDay) bounds() Row {
	positions, closed, wins, wrong := 0, 0, 0, 0
	for _, book := range d.books {
		positions += len(book.Positions)
		for _, p := range book.Positions {
			if p.ROI < -1 || p.Holding < 0 || p.Holding > 24*time.Hour || !(p.MatchedShare >= 0 && p.MatchedShare <= 1) ||
				p.Rateable && math.IsNaN(p.ROI) || p.MatchedCostUSD > p.CostUSD*(1+1e-9) {
				wrong++
			}
		}
		for _, p := range book.Closed() {
			closed++
			if p.ROI > 0 {
				wins++
			}
		}
	}
	return Row{
		Name: "bounds on recorded trades", Goal: "no position outside of what is possible",
		Measured: fmt.Sprintf("%d wrong of %d positions; %d closed and rateable, %d of them won; %d trades of %d traders",
			wrong, positions, closed, wins, d.trades, len(d.traders)),
		Pass: wrong == 0 && closed > 100,
	}
}

// purity builds every trader's book at noon twice: from the whole day, and from the morning alone.
func (d *recordedDay) purity() Row {
	noon := d.end.Truncate(24 * time.Hour).Add(12 * time.Hour)
	wrong := 0
	for _, ledger := range d.ledgers {
		morning := &position.Ledger{Trades: ledger.Trades[:countUntil(ledger.Trades, noon)]}
		whole, half := position.Build(ledger, nil, noon), position.Build(morning, nil, noon)
		if fmt.Sprint(whole.Positions) != fmt.Sprint(half.Positions) {
			wrong++
		}
	}
	return Row{
		Name: "as-of purity on recorded trades", Goal: "at noon nothing of the afternoon is known",
		Measured: fmt.Sprintf("%d of %d traders differ", wrong, len(d.ledgers)), Pass: wrong == 0,
	}
}

func countUntil(trades []position.Trade, last time.Time) int {
	at, _ := slices.BinarySearchFunc(trades, last, func(trade position.Trade, last time.Time) int {
		return cmp.Or(trade.Time.Compare(last), -1)
	})
	return at
}
