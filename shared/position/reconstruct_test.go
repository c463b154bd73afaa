package position_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
)

var (
	ethereum, _ = chain.Parse("eth")
	weth        = ethereum.WrappedNative.Address
	usdc        = ethereum.Stables[0].Address
	usdt        = ethereum.Stables[1].Address
	stETH       = ethereum.Staked[0].Address

	wallet      = chain.Address{0x11}
	stranger    = chain.Address{0x22}
	router      = chain.Address{0xd0}
	pool        = chain.Address{0xd1}
	lender      = chain.Address{0xe0}
	bridge      = chain.Address{0xe1}
	exchange    = chain.Address{0xe2}
	distributor = chain.Address{0xe3}
	unknown     = chain.Address{0xe4}

	tokenC   = chain.Address{0xc}
	lpToken  = chain.Address{0x1b}
	raw      = chain.Address{0x2b} // nobody knows its decimals
	scam     = chain.Address{0x3b} // listed as spam
	lure     = chain.Address{0x4b} // named after a web address
	nobodys  = chain.Address{0x5b} // no pool anywhere
	receipts = chain.Address{0x6b} // a lender's receipt
)

func knownTokens() map[chain.Address]market.Token {
	tokens := map[chain.Address]market.Token{}
	for address, symbol := range map[chain.Address]string{
		tokenA: "AAA", tokenB: "BBB", tokenC: "CCC", lpToken: "UNI-V2", nobodys: "NOB", scam: "SCAM", lure: "Visit claim-aaa.xyz", receipts: "aAAA",
	} {
		tokens[address] = market.Token{Address: address, Symbol: symbol, Decimals: 18, Known: true, Spam: address == scam}
	}
	tokens[raw] = market.Token{Address: raw, Symbol: "RAW"}
	return tokens
}

func knownAccounts() map[chain.Address]market.Account {
	accounts := map[chain.Address]market.Account{}
	for address, kind := range map[chain.Address]market.AccountKind{
		router: market.DexAccount, pool: market.DexAccount, lender: market.ProtocolAccount, bridge: market.BridgeAccount,
		exchange: market.ExchangeAccount, distributor: market.DistributorAccount,
	} {
		accounts[address] = market.Account{Address: address, Kind: kind}
	}
	return accounts
}

// table prices every asset the same at all times, and remembers what it was asked.
type table struct {
	usd       map[chain.Address]float64
	liquidity map[chain.Address]float64
	asked     map[string]bool
}

func (p *table) At(asset chain.Address, at time.Time) (float64, bool) {
	if p.asked != nil {
		p.asked[fmt.Sprint(asset, at.Unix())] = true
	}
	usd, found := p.usd[asset]
	return usd, found
}

func (p *table) Liquidity(token chain.Address) float64 {
	if liquidity, found := p.liquidity[token]; found {
		return liquidity
	}
	return math.NaN()
}

func standardPrices() *table {
	return &table{
		usd: map[chain.Address]float64{
			chain.Native: 2000, usdc: 1, usdt: 0.99, stETH: 1990, tokenA: 2, tokenB: 5, tokenC: 10, nobodys: 7, raw: 3,
		},
		liquidity: map[chain.Address]float64{tokenA: 50_000, tokenB: 20_000, tokenC: 500, scam: 1e6, raw: 1e6},
		asked:     map[string]bool{},
	}
}

// units is a quantity of 18 decimals.
func units(quantity float64) market.Amount {
	amount := uint256.NewInt(uint64(math.Round(quantity * 1e9)))
	return *amount.Mul(amount, uint256.NewInt(1e9))
}

func amountOf(token chain.Address, quantity float64) market.Amount {
	if token == usdc || token == usdt {
		return *uint256.NewInt(uint64(math.Round(quantity * 1e6)))
	}
	return units(quantity)
}

func got(token, from chain.Address, quantity float64) market.Movement {
	return market.Movement{Token: token, Counterparty: from, Amount: amountOf(token, quantity), In: true, Minted: from.IsZero()}
}

func gave(token, to chain.Address, quantity float64) market.Movement {
	return market.Movement{Token: token, Counterparty: to, Amount: amountOf(token, quantity), Burned: to.IsZero()}
}

// called is a transaction that the wallet sent to target, with 0.001 native coins (2 USD) of gas.
func called(target chain.Address, movements ...market.Movement) market.Transaction {
	for i := range movements {
		movements[i].LogIndex = i
	}
	return market.Transaction{
		Hash: market.Hash{1}, Block: 100, Index: 3, Time: start.Add(42 * time.Second), Sender: wallet, Target: target,
		GasFee: units(0.001), Movements: movements,
	}
}

// byOthers is a transaction that somebody else sent and paid.
func byOthers(movements ...market.Movement) market.Transaction {
	tx := called(chain.Address{0x99}, movements...)
	tx.Sender, tx.GasFee = stranger, market.Amount{}
	return tx
}

func activityOf(transactions ...market.Transaction) *market.Activity {
	return &market.Activity{Transactions: transactions, Tokens: knownTokens(), Accounts: knownAccounts()}
}

// lines writes a ledger down for comparison.
func lines(ledger *position.Ledger) string {
	var text strings.Builder
	name := func(address chain.Address) string {
		if token, found := ledger.Tokens[address]; found && token.Symbol != "" {
			return token.Symbol
		}
		return address.Short()
	}
	for _, t := range ledger.Trades {
		word := map[position.Side]string{position.Buy: "buy", position.Sell: "sell"}[t.Side]
		fmt.Fprintf(&text, "%s %.6g %s", word, t.Quantity, name(t.Token))
		if t.Priced {
			fmt.Fprintf(&text, " $%.6g", t.ValueUSD)
		} else {
			text.WriteString(" unpriced")
		}
		fmt.Fprintf(&text, " gas %.4g", t.GasUSD)
		if t.Swap {
			text.WriteString(" swap")
		}
		if t.SameBlock {
			text.WriteString(" same-block")
		}
		text.WriteString("\n")
	}
	for _, t := range ledger.Transfers {
		word := map[bool]string{true: "in", false: "out"}[t.In]
		origin := map[position.Origin]string{
			position.Airdrop: "airdrop", position.TransferKnown: "known", position.TransferUnknown: "unknown", position.ExchangeTransfer: "exchange",
		}[t.Origin]
		fmt.Fprintf(&text, "%s %.6g %s %s", word, t.Quantity, name(t.Token), origin)
		if t.ValueUSD != 0 {
			fmt.Fprintf(&text, " $%.6g", t.ValueUSD)
		}
		text.WriteString("\n")
	}
	if ledger.Treasury > 0 {
		fmt.Fprintf(&text, "treasury %d\n", ledger.Treasury)
	}
	if ledger.SpamDropped > 0 {
		fmt.Fprintf(&text, "spam %d\n", ledger.SpamDropped)
	}
	if ledger.FailedTransactions > 0 {
		fmt.Fprintf(&text, "failed %d wasted $%.4g\n", ledger.FailedTransactions, ledger.WastedGasUSD)
	}
	return text.String()
}

var rules = []struct {
	name         string
	transactions []market.Transaction
	want         string
}{
	{"a buy for the native coin",
		[]market.Transaction{called(router, gave(chain.Native, router, 1), got(tokenA, pool, 900))},
		"buy 900 AAA $2000 gas 2\n"},
	{"a sell for a stablecoin",
		[]market.Transaction{called(router, gave(tokenA, pool, 900), got(usdt, pool, 1000))},
		"sell 900 AAA $990 gas 2\n"},
	{"native and wrapped native are one asset, and the refund is netted",
		[]market.Transaction{called(router, gave(chain.Native, router, 1.5), gave(weth, pool, 0.5), got(weth, pool, 0.2), got(chain.Native, router, 0.8), got(tokenA, pool, 900))},
		"buy 900 AAA $2000 gas 2\n"},
	{"a refund of the sold token is netted",
		[]market.Transaction{called(router, gave(tokenA, pool, 1000), got(tokenA, router, 100), got(usdc, pool, 1700))},
		"sell 900 AAA $1700 gas 2\n"},
	{"a refund of a wei does not change what was sold",
		[]market.Transaction{called(router, gave(tokenA, pool, 1000), got(tokenB, pool, 1), gave(tokenB, pool, 1.0000000005), got(usdc, pool, 1700))},
		"sell 1000 AAA $1700 gas 2\n"},
	{"wrapping is nothing",
		[]market.Transaction{called(weth, gave(chain.Native, weth, 3), got(weth, chain.Native, 3))},
		""},
	{"one quote asset for another is treasury",
		[]market.Transaction{called(router, gave(chain.Native, router, 1), got(usdc, pool, 2000)), called(stETH, gave(chain.Native, stETH, 1), got(stETH, chain.Native, 1))},
		"treasury 2\n"},
	{"a transfer tax shows as what really left and arrived",
		[]market.Transaction{called(router, gave(tokenA, pool, 950), gave(tokenA, tokenA, 50), got(chain.Native, router, 1))},
		"sell 1000 AAA $2000 gas 2\n"},
	{"two quote assets paid together are added up",
		[]market.Transaction{called(router, gave(chain.Native, router, 0.5), gave(usdc, pool, 500), got(tokenA, pool, 750))},
		"buy 750 AAA $1500 gas 2\n"},
	{"a quote asset given back lowers the price",
		[]market.Transaction{called(router, gave(chain.Native, router, 1), got(usdc, router, 300), got(tokenA, pool, 850))},
		"buy 850 AAA $1700 gas 2\n"},
	{"quote and token both came, only a fee went: nothing was bought",
		[]market.Transaction{called(unknown, gave(chain.Native, unknown, 0.01), got(usdc, unknown, 300), got(tokenA, unknown, 850))},
		"out 0.01 ETH unknown $20\nin 850 AAA unknown\nin 300 USDC unknown $300\n"},
	{"token for token takes the deeper token's price on both sides",
		[]market.Transaction{called(router, gave(tokenA, pool, 1000), got(tokenB, pool, 390))},
		"sell 1000 AAA $2000 gas 1 swap\nbuy 390 BBB $2000 gas 1 swap\n"},
	{"the deeper token may be the one that came in",
		[]market.Transaction{called(router, gave(tokenC, pool, 100), got(tokenB, pool, 190))},
		"sell 100 CCC $950 gas 1 swap\nbuy 190 BBB $950 gas 1 swap\n"},
	{"token for token with some quote asset on top",
		[]market.Transaction{called(router, gave(tokenA, pool, 1000), gave(usdc, pool, 100), got(tokenB, pool, 410))},
		"sell 1000 AAA $2000 gas 0.9756 swap\nbuy 410 BBB $2100 gas 1.024 swap\n"},
	{"token for token without a deep pool is unpriced",
		[]market.Transaction{called(router, gave(tokenC, pool, 100), got(nobodys, pool, 140))},
		"sell 100 CCC unpriced gas 1 swap\nbuy 140 NOB unpriced gas 1 swap\n"},
	{"several tokens share the quote by their own prices",
		[]market.Transaction{called(router, gave(usdc, router, 3000), got(tokenA, pool, 500), got(tokenB, pool, 400))},
		"buy 500 AAA $1000 gas 0.6667\nbuy 400 BBB $2000 gas 1.333\n"},
	{"several tokens, one without a price: nobody knows who got what",
		[]market.Transaction{called(router, gave(usdc, router, 3000), got(tokenA, pool, 500), got(scam, pool, 400))},
		"buy 500 AAA unpriced gas 1\nbuy 400 SCAM unpriced gas 1\n"},
	{"one token without any price of its own is worth its quote leg",
		[]market.Transaction{called(router, gave(usdc, router, 3000), got(scam, pool, 400))},
		"buy 400 SCAM $3000 gas 2\n"},
	{"unknown decimals leave raw quantities, and the quote leg's value",
		[]market.Transaction{called(router, gave(usdc, router, 3000), market.Movement{Token: raw, Counterparty: pool, Amount: *uint256.NewInt(777), In: true})},
		"buy 777 RAW $3000 gas 2\n"},
	{"liquidity given keeps its owner",
		[]market.Transaction{called(router, gave(tokenA, lpToken, 1000), gave(chain.Native, router, 1), got(lpToken, chain.Native, 30))},
		"out 1 ETH known $2000\nout 1000 AAA known\nin 30 UNI-V2 known\n"},
	{"liquidity taken back",
		[]market.Transaction{called(router, gave(lpToken, lpToken, 30), got(tokenA, lpToken, 900), got(weth, lpToken, 1.1))},
		"in 1.1 ETH known $2200\nin 900 AAA known\nout 30 UNI-V2 known\n"},
	{"liquidity of two tokens",
		[]market.Transaction{called(unknown, gave(tokenA, lpToken, 1000), gave(tokenB, lpToken, 400), got(lpToken, chain.Native, 30))},
		"out 1000 AAA known\nout 400 BBB known\nin 30 UNI-V2 known\n"},
	{"concentrated liquidity has no token in return",
		[]market.Transaction{called(pool, gave(tokenA, pool, 1000), gave(weth, pool, 1))},
		"out 1 ETH known $2000\nout 1000 AAA known\n"},
	{"liquidity taken back from a pool nobody labelled",
		[]market.Transaction{called(unknown, gave(lpToken, lpToken, 30), got(tokenA, unknown, 900), got(weth, unknown, 1.1))},
		"in 1.1 ETH known $2200\nin 900 AAA known\nout 30 UNI-V2 known\n"},
	{"liquidity of one asset, and back",
		[]market.Transaction{called(pool, gave(usdc, pool, 100), got(lpToken, chain.Native, 90)), called(pool, gave(lpToken, chain.Native, 90), got(usdc, pool, 101))},
		"in 90 UNI-V2 known\nout 100 USDC known $100\nout 90 UNI-V2 known\nin 101 USDC known $101\n"},
	{"a token minted to whoever pays its contract is bought",
		[]market.Transaction{called(tokenB, gave(chain.Native, tokenB, 1), got(tokenB, chain.Native, 90))},
		"buy 90 BBB $2000 gas 2\n"},
	{"an exchange that routes through a lender is still an exchange",
		[]market.Transaction{called(router, gave(usdc, lender, 100), got(tokenA, pool, 50))},
		"buy 50 AAA $100 gas 2\n"},
	{"the price of a token of unknown decimals is of no use",
		[]market.Transaction{called(router, gave(tokenA, pool, 1000), market.Movement{Token: raw, Counterparty: pool, Amount: *uint256.NewInt(777), In: true})},
		"sell 1000 AAA $2000 gas 1 swap\nbuy 777 RAW $2000 gas 1 swap\n"},
	{"wrapping a token at its own contract",
		[]market.Transaction{called(receipts, gave(tokenA, receipts, 100), got(receipts, chain.Native, 90)), called(receipts, gave(receipts, chain.Native, 90), got(tokenA, receipts, 101))},
		"out 100 AAA known\nin 90 aAAA known\nin 101 AAA known\nout 90 aAAA known\n"},
	{"lending",
		[]market.Transaction{called(lender, gave(tokenA, lender, 100), got(receipts, chain.Native, 100))},
		"out 100 AAA known\nin 100 aAAA known\n"},
	{"lending a stablecoin is not buying the receipt",
		[]market.Transaction{called(lender, gave(usdc, receipts, 100), got(receipts, chain.Native, 100))},
		"in 100 aAAA known\nout 100 USDC known $100\n"},
	{"staking, and the stake returned",
		[]market.Transaction{called(lender, gave(tokenA, lender, 100)), called(lender, got(tokenA, lender, 104))},
		"out 100 AAA known\nin 104 AAA known\n"},
	{"bridging out by burning and in by minting",
		[]market.Transaction{called(bridge, gave(tokenA, chain.Native, 100)), called(bridge, got(tokenA, chain.Native, 50))},
		"out 100 AAA known\nin 50 AAA known\n"},
	{"a collectible bought is an outgoing transfer",
		[]market.Transaction{called(unknown, gave(chain.Native, unknown, 1))},
		"out 1 ETH unknown $2000\n"},
	{"to and from an exchange",
		[]market.Transaction{called(tokenA, gave(tokenA, exchange, 100)), byOthers(got(usdc, exchange, 500))},
		"out 100 AAA exchange\nin 500 USDC exchange $500\n"},
	{"a claim from a distributor is an airdrop even when it costs a fee",
		[]market.Transaction{called(distributor, gave(chain.Native, distributor, 0.001), got(tokenA, unknown, 400))},
		"out 0.001 ETH unknown $2\nin 400 AAA airdrop\n"},
	{"minted for nothing is an airdrop",
		[]market.Transaction{called(tokenA, got(tokenA, chain.Native, 400))},
		"in 400 AAA airdrop\n"},
	{"sent by somebody",
		[]market.Transaction{byOthers(got(tokenA, stranger, 400)), called(tokenA, gave(tokenA, stranger, 100))},
		"in 400 AAA unknown\nout 100 AAA unknown\n"},
	{"burned is not sold",
		[]market.Transaction{called(tokenA, gave(tokenA, chain.Native, 100))},
		"out 100 AAA unknown\n"},
	{"transfers to itself are ignored",
		[]market.Transaction{called(tokenA, got(tokenA, wallet, 100)), called(tokenA, gave(chain.Native, wallet, 1))},
		""},
	{"unsolicited spam is dropped and counted",
		[]market.Transaction{byOthers(got(scam, stranger, 1e6)), byOthers(got(lure, chain.Native, 1e6)), byOthers(got(nobodys, stranger, 5))},
		"spam 3\n"},
	{"what pretends to have left the wallet is spam too",
		[]market.Transaction{byOthers(gave(lure, stranger, 1e6)), byOthers(gave(scam, stranger, 5), got(lure, stranger, 8))},
		"spam 3\n"},
	{"a token the wallet traded is not spam",
		[]market.Transaction{byOthers(got(scam, stranger, 1e6)), called(router, gave(scam, pool, 1e6), got(usdc, pool, 70))},
		"sell 1e+06 SCAM $70 gas 2\nin 1e+06 SCAM unknown\n"},
	{"a token the wallet asked a contract for, and gave nothing for, was claimed",
		[]market.Transaction{called(unknown, got(nobodys, unknown, 5))},
		"in 5 NOB airdrop\n"},
	{"what comes back from whom it was given to is no claim",
		[]market.Transaction{called(unknown, gave(nobodys, unknown, 5)), called(unknown, got(nobodys, unknown, 5))},
		"out 5 NOB unknown\nin 5 NOB unknown\n"},
	{"somebody else executes an order: a trade without gas",
		[]market.Transaction{byOthers(gave(usdc, unknown, 100), got(tokenA, unknown, 49))},
		"buy 49 AAA $100 gas 0\n"},
	{"a failed transaction only wastes gas",
		[]market.Transaction{failed(called(router, gave(chain.Native, router, 1), got(tokenA, pool, 900)))},
		"failed 1 wasted $2\n"},
	{"bought and sold in one block",
		[]market.Transaction{
			called(router, gave(usdc, router, 100), got(tokenA, pool, 50)),
			called(router, gave(usdc, router, 100), got(tokenB, pool, 20)),
			called(router, got(usdc, router, 101), gave(tokenA, pool, 50)),
			called(router, gave(usdc, router, 100), got(tokenA, pool, 50)),
		},
		"buy 50 AAA $100 gas 2 same-block\nbuy 20 BBB $100 gas 2\nsell 50 AAA $101 gas 2 same-block\nbuy 50 AAA $100 gas 2 same-block\n"},
	{"an approval is nothing", []market.Transaction{called(tokenA)}, ""},
	{"zero amounts are nothing", []market.Transaction{byOthers(gave(usdc, stranger, 0), got(tokenA, stranger, 0))}, ""},
}

func failed(tx market.Transaction) market.Transaction {
	tx.Failed = true
	return tx
}

func TestReconstructRules(t *testing.T) {
	for _, rule := range rules {
		t.Run(rule.name, func(t *testing.T) {
			activity := activityOf(rule.transactions...)
			prices := standardPrices()
			ledger := position.Read(ethereum, wallet, activity).Ledger(prices)
			if text := lines(ledger); text != rule.want {
				t.Errorf("got\n%swant\n%s", text, rule.want)
			}
			wanted := map[string]bool{}
			for _, request := range position.Read(ethereum, wallet, activity).Wanted() {
				for _, at := range request.Times {
					wanted[fmt.Sprint(request.Asset, at.Unix())] = true
				}
			}
			for asked := range prices.asked {
				if !wanted[asked] {
					t.Errorf("asked for a price that was not wanted: %s", asked)
				}
			}
		})
	}
}

func TestTradeDetails(t *testing.T) {
	first := called(router, gave(usdc, router, 100), got(tokenA, pool, 50))
	second := called(router, gave(tokenA, pool, 20), got(tokenB, pool, 8))
	second.Index, second.Block, second.Hash = -1, 101, market.Hash{2}
	third := called(chain.Address{}, gave(usdc, unknown, 100), got(tokenA, pool, 50))
	third.Index, third.Block = -1, 101
	ledger := position.Read(ethereum, wallet, activityOf(first, second, third)).Ledger(standardPrices())
	if len(ledger.Trades) != 4 || ledger.Transactions != 3 {
		t.Fatalf("%d trades of %d transactions", len(ledger.Trades), ledger.Transactions)
	}
	buy, sold, bought, last := ledger.Trades[0], ledger.Trades[1], ledger.Trades[2], ledger.Trades[3]
	if buy.Quote != usdc || buy.Venue != router || buy.Counterparty != pool || buy.Tx != first.Hash || buy.Block != 100 || !buy.Time.Equal(first.Time) {
		t.Errorf("%+v", buy)
	}
	if buy.SameBlock || !sold.SameBlock || bought.SameBlock || !last.SameBlock {
		t.Error("the first purchase was a block earlier")
	}
	if sold.Quote != tokenB || bought.Quote != tokenA || sold.Counterparty != pool {
		t.Errorf("%+v %+v", sold, bought)
	}
	if !(sold.Order < bought.Order && bought.Order < last.Order) {
		t.Errorf("orders %d %d %d", sold.Order, bought.Order, last.Order)
	}
	if last.Venue != pool {
		t.Errorf("a trade without a target names the counterparty, not %v", last.Venue)
	}
	if _, described := ledger.Tokens[tokenA]; !described || len(ledger.Tokens) != 2 {
		t.Errorf("tokens %v", ledger.Tokens)
	}
}

func TestMissingPrices(t *testing.T) {
	activity := activityOf(
		called(router, gave(stETH, router, 1), got(tokenA, pool, 50)),
		called(router, gave(usdc, router, 100), got(tokenA, pool, 50)),
		called(router, gave(weth, router, 1), got(tokenA, pool, 50)),
	)
	ledger := position.Read(ethereum, wallet, activity).Ledger(&table{usd: map[chain.Address]float64{weth: 3000}})
	// stETH has no price; a stablecoin falls back to its peg; the native coin to its wrapped form, for gas too.
	if want := "buy 50 AAA unpriced gas 3\nbuy 50 AAA $100 gas 3\nbuy 50 AAA $3000 gas 3\n"; lines(ledger) != want {
		t.Errorf("got\n%swant\n%s", lines(ledger), want)
	}
	ledger = position.Read(ethereum, wallet, activity).Ledger(&table{usd: map[chain.Address]float64{chain.Native: math.Inf(1), usdc: -1}})
	if want := "buy 50 AAA unpriced gas 0\nbuy 50 AAA $100 gas 0\nbuy 50 AAA unpriced gas 0\n"; lines(ledger) != want {
		t.Errorf("got\n%swant\n%s", lines(ledger), want)
	}
}

func TestTruncatedHistoryLeavesUnmatchedSells(t *testing.T) {
	activity := activityOf(called(router, gave(tokenA, pool, 900), got(usdc, pool, 1000)))
	activity.Truncated, activity.Since = true, start
	ledger := position.Read(ethereum, wallet, activity).Ledger(standardPrices())
	if !ledger.Truncated || !ledger.Since.Equal(start) {
		t.Errorf("%v %v", ledger.Truncated, ledger.Since)
	}
	book := position.Build(ledger, nil, start.Add(day))
	p := only(t, book)
	if book.UnmatchedSells != 1 || book.MatchedShare != 0 || p.Rateable || !math.IsNaN(p.ROI) || p.MatchedShare != 0 {
		t.Errorf("%+v", book)
	}
}

func TestWanted(t *testing.T) {
	later := called(router, gave(tokenA, pool, 20), got(tokenB, pool, 8))
	later.Time = start.Add(90 * time.Second)
	again := called(router, gave(usdc, router, 100), got(tokenC, pool, 50))
	requests := position.Read(ethereum, wallet, activityOf(called(router, gave(usdc, router, 100), got(tokenA, pool, 50)), again, later, called(tokenA))).Wanted()
	var text []string
	for _, request := range requests {
		for _, at := range request.Times {
			text = append(text, fmt.Sprint(request.Asset.Short(), " ", at.Sub(start)))
		}
	}
	want := []string{"0x0000..0000 0s", "0x0000..0000 1m0s", "0x0a00..0000 1m0s", "0x0b00..0000 1m0s", "0xa0b8..eb48 0s"}
	if !slices.Equal(text, want) {
		t.Errorf("got %v, want %v", text, want)
	}
	if requests := position.Read(ethereum, wallet, &market.Activity{}).Wanted(); len(requests) != 0 {
		t.Errorf("wanted of nothing: %v", requests)
	}
}

// Tokens that merely arrived are nobody's doing, and of many the latest are listed.
func TestHandled(t *testing.T) {
	in := func(token chain.Address) market.Movement { return market.Movement{Token: token, In: true} }
	out := func(token chain.Address) market.Movement { return market.Movement{Token: token} }
	activity := &market.Activity{Transactions: []market.Transaction{
		{Sender: wallet, Movements: []market.Movement{in(tokenA), in(tokenC), out(chain.Native), out(weth), out(usdc)}},
		{Sender: stranger, Movements: []market.Movement{in(scam)}},
		{Sender: stranger, Movements: []market.Movement{in(nobodys), out(tokenB)}},
		{Sender: wallet, Failed: true, Movements: []market.Movement{in(raw), in(tokenA)}},
	}}
	history := position.Read(ethereum, wallet, activity)
	for most, want := range map[int][]chain.Address{
		0: {}, 1: {raw}, 2: {tokenA, raw}, 3: {tokenA, raw, nobodys}, 5: {tokenA, tokenB, tokenC, raw, nobodys}, 9: {tokenA, tokenB, tokenC, raw, nobodys},
	} {
		if got := history.Handled(most); !slices.Equal(got, want) {
			t.Errorf("at most %d: %v, want %v", most, got, want)
		}
	}
}

// A history is read once for any number of ledgers: what one of them asked for or marked is not in the next.
func TestLedgersOfOneHistoryAreAlike(t *testing.T) {
	buy, sell := called(router, gave(usdc, router, 100), got(tokenA, pool, 50)), called(router, gave(tokenA, pool, 50), got(usdc, router, 120))
	spam := called(router, got(nobodys, stranger, 3))
	spam.Sender = stranger
	history := position.Read(ethereum, wallet, activityOf(buy, sell, spam))
	none := history.Ledger(&table{})
	for range 2 {
		got, want := history.Ledger(standardPrices()), position.Read(ethereum, wallet, activityOf(buy, sell, spam)).Ledger(standardPrices())
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
		if !got.Trades[0].SameBlock || got.SpamDropped != 1 || len(got.Tokens) != 1 {
			t.Errorf("%+v", got)
		}
	}
	if none.Trades[0].GasUSD != 0 || none.Trades[0].ValueUSD != 100 {
		t.Errorf("without prices: %+v", none.Trades[0])
	}
}
