package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// instant is a time as the recordings' documents write it, in Unix seconds.
func instant(t testing.TB, at string) int64 {
	t.Helper()
	parsed, err := time.Parse("2006-01-02 15:04", at)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Unix()
}

// info adds an answer of the perpetuals venue to a question; members are those besides type.
func (r *recording) info(kind, members, response string) {
	if members != "" {
		members = "," + members
	}
	r.add("POST", "https://api.hyperliquid.xyz/info", `{"type":"`+kind+`"`+members+`}`, response)
}

// perpAccount records six positions, the last still open, and what the account holds.
func (r *recording) perpAccount() {
	user := `"user":"` + strings.ToLower(handWallet) + `"`
	rows := 0
	fill := func(at, coin, side, size, price, before, closed, fee string, order int) string {
		rows++
		return fmt.Sprintf(`{"coin":%q,"px":%q,"sz":%q,"side":%q,"time":%d,"startPosition":%q,"dir":"x","closedPnl":%q,"hash":"0x%064x","oid":%d,"crossed":true,"fee":%q,"tid":%d,"feeToken":"USDC","twapId":null}`,
			coin, price, size, side, instant(r.t, at)*1000, before, closed, rows, order, fee, 900+rows)
	}
	r.info("userFillsByTime", user+`,"startTime":"*"`, `[`+strings.Join([]string{
		fill("2026-10-01 10:00", "ETH", "B", "1.0", "2000.0", "0.0", "0.0", "1.0", 1),
		fill("2026-10-02 10:00", "ETH", "A", "1.0", "2100.0", "1.0", "100.0", "1.0", 2),
		fill("2026-10-02 11:00", "@107", "B", "3.0", "20.0", "0.0", "0.0", "0.1", 3),
		fill("2026-10-03 10:00", "BTC", "A", "0.1", "60000.0", "0.0", "0.0", "3.0", 4),
		fill("2026-10-04 10:00", "BTC", "B", "0.1", "61000.0", "-0.1", "-100.0", "3.0", 5),
		fill("2026-10-05 10:00", "ETH", "B", "1.0", "2000.0", "0.0", "0.0", "1.0", 6),
		fill("2026-10-06 10:00", "ETH", "A", "1.0", "2000.5", "1.0", "0.5", "1.0", 7),
		fill("2026-10-07 10:00", "ETH", "A", "2.0", "2100.0", "0.0", "0.0", "2.0", 8),
		fill("2026-10-08 10:00", "ETH", "B", "2.0", "2000.0", "-2.0", "200.0", "2.0", 9),
		fill("2026-10-09 10:00", "BTC", "B", "0.1", "60000.0", "0.0", "0.0", "3.0", 10),
		fill("2026-10-10 10:00", "BTC", "A", "0.05", "62000.0", "0.1", "100.0", "1.5", 11),
		fill("2026-10-10 10:00", "BTC", "A", "0.05", "62000.0", "0.05", "100.0", "1.5", 11),
		fill("2026-10-20 10:00", "BTC", "B", "0.1", "60000.0", "0.0", "0.0", "3.0", 12),
	}, ",")+`]`)
	const margin = `{"accountValue":"3000.0","totalNtlPos":"6200.0","totalRawUsd":"-3200.0","totalMarginUsed":"620.0"}`
	r.info("clearinghouseState", user, `{"marginSummary":`+margin+`,"crossMarginSummary":`+margin+`,"crossMaintenanceMarginUsed":"77.5","withdrawable":"2380.0",`+
		`"assetPositions":[{"type":"oneWay","position":{"coin":"BTC","szi":"0.1","leverage":{"type":"cross","value":10},"entryPx":"60000.0","positionValue":"6200.0","unrealizedPnl":"200.0",`+
		`"returnOnEquity":"0.3333333333","liquidationPx":"32405.063291","marginUsed":"620.0","maxLeverage":40,"cumFunding":{"allTime":"20.0","sinceOpen":"24.0","sinceChange":"0.0"}}}],"time":1793534400000}`)
	r.info("spotClearinghouseState", user, `{"balances":[{"coin":"USDC","token":0,"total":"8000.0","hold":"0.0","entryNtl":"0.0"},{"coin":"HYPE","token":150,"total":"3.0","hold":"0.0","entryNtl":"60.0"}]}`)
	payment := func(at, coin, usd, size, rate string) string {
		return fmt.Sprintf(`{"time":%d,"hash":"0x%064x","delta":{"type":"funding","coin":%q,"usdc":%q,"szi":%q,"fundingRate":%q,"nSamples":null}}`, instant(r.t, at)*1000, 0, coin, usd, size, rate)
	}
	r.info("userFunding", user+`,"startTime":"*"`, `[`+payment("2026-10-07 20:00", "ETH", "4.0", "-2.0", "0.001")+`,`+payment("2026-10-25 20:00", "BTC", "-24.0", "0.1", "0.004")+`]`)
	r.info("userNonFundingLedgerUpdates", user+`,"startTime":"*"`,
		fmt.Sprintf(`[{"time":%d,"hash":"0x%064x","delta":{"type":"deposit","usdc":"3000.0"}}]`, instant(r.t, "2026-09-15 10:00")*1000, 77))
}

// perpContracts records two contracts, and a month of days on each of which the price rose from 60,000 to 63,000 and fell back.
func (r *recording) perpContracts() {
	context := func(mark, funding string) string {
		return `{"funding":"` + funding + `","openInterest":"9000000.0","prevDayPx":"` + mark + `","dayNtlVlm":"2000000000.0","premium":"0.0","oraclePx":"` + mark + `","markPx":"` + mark + `","midPx":"` + mark + `","impactPxs":null}`
	}
	r.info("metaAndAssetCtxs", "", `[{"universe":[{"name":"BTC","szDecimals":5,"maxLeverage":40,"marginTableId":56},{"name":"ETH","szDecimals":4,"maxLeverage":25,"marginTableId":25}],`+
		`"marginTables":[[56,{"description":"tiered 40x","marginTiers":[{"lowerBound":"0.0","maxLeverage":40},{"lowerBound":"150000000.0","maxLeverage":20}]}]]},[`+
		context("62000.0", "0.0000125")+`,`+context("2000.0", "0.0000125")+`]]`)
	var days []string
	for at := instant(r.t, "2026-10-02 00:00"); at < instant(r.t, "2026-11-01 00:00"); at += 86_400 {
		days = append(days, fmt.Sprintf(`{"t":%d,"T":%d,"s":"BTC","i":"1d","o":"61000.0","c":"61000.0","h":"63000.0","l":"60000.0","v":"1000.0","n":5000}`, at*1000, at*1000+86_399_999))
	}
	r.info("candleSnapshot", `"req":{"coin":"BTC","interval":"1d","startTime":"*","endTime":"*"}`, `[`+strings.Join(days, ",")+`]`)
}

// bets are the markets of the prediction recording: what the first outcome's token is, and which outcome won.
var bets = []struct {
	condition, event string
	tokens           [2]string
	winner           int
	closed           string
}{
	{strings.Repeat("a", 64), "alpha-event", [2]string{"1001", "1002"}, 0, "2026-10-12 05:00:00+00"},
	{strings.Repeat("b", 64), "beta-event", [2]string{"2001", "2002"}, 0, "2026-10-15 05:00:00+00"},
	{strings.Repeat("c", 64), "gamma-event", [2]string{"3001", "3002"}, 1, "2026-10-20 05:00:00+00"},
	{strings.Repeat("d", 64), "delta-event", [2]string{"4001", "4002"}, 0, "2026-10-30 05:00:00+00"},
}

// predictions records four bets, one of them sold before its end by a resting order, with prices after each.
func (r *recording) predictions() {
	const data, gamma, clob = "https://data-api.polymarket.com", "https://gamma-api.polymarket.com", "https://clob.polymarket.com"
	wallet, rows := strings.ToLower(handWallet), 0
	row := func(at, kind, side string, bet, outcome int, shares, price, usd float64) string {
		rows++
		return fmt.Sprintf(`{"proxyWallet":%q,"timestamp":%d,"conditionId":"0x%s","type":%q,"size":%g,"usdcSize":%g,"transactionHash":"0x%064x","price":%g,"asset":%q,"side":%q,"outcomeIndex":%d,"slug":%q,"eventSlug":%q}`,
			wallet, instant(r.t, at), bets[bet].condition, kind, shares, usd, rows, price, bets[bet].tokens[outcome], side, outcome, bets[bet].event, bets[bet].event)
	}
	trades := []string{
		row("2026-10-05 10:00", "TRADE", "BUY", 0, 0, 100, 0.40, 40),
		row("2026-10-08 10:00", "TRADE", "BUY", 1, 1, 50, 0.60, 30),
		row("2026-10-10 10:00", "TRADE", "BUY", 2, 0, 200, 0.25, 50),
		row("2026-10-28 10:00", "TRADE", "BUY", 3, 0, 80, 0.50, 40),
	}
	rested := row("2026-10-12 10:00", "TRADE", "SELL", 2, 0, 200, 0.50, 100)
	redeemed := row("2026-10-13 10:00", "REDEEM", "", 0, 0, 100, 0, 100)
	page := "?user=" + wallet + "&limit=*&offset=0"
	r.add("GET", data+"/activity"+page+"&start=*&sortBy=TIMESTAMP&sortDirection=DESC", "", "["+strings.Join([]string{trades[3], redeemed, rested, trades[2], trades[1], trades[0]}, ",")+"]")
	r.add("GET", data+"/trades"+page+"&start=*&takerOnly=true", "", "["+strings.Join([]string{trades[3], trades[2], trades[1], trades[0]}, ",")+"]")
	r.add("GET", data+"/positions"+page+"&sizeThreshold=0&sortBy=*&sortDirection=DESC", "", "[]")
	r.add("GET", data+"/closed-positions"+page+"&sortBy=*&sortDirection=DESC", "", "[]")
	var markets []string
	for _, bet := range bets {
		prices := [2]string{"0", "0"}
		prices[bet.winner] = "1"
		markets = append(markets, fmt.Sprintf(`{"id":"7","conditionId":"0x%s","slug":%q,"endDate":"2026-10-31T00:00:00Z","closed":true,"closedTime":%q,"outcomes":"[\"Yes\", \"No\"]","outcomePrices":"[\"%s\", \"%s\"]","clobTokenIds":"[\"%s\", \"%s\"]","umaResolutionStatus":"resolved","orderPriceMinTickSize":0.01,"feesEnabled":false,"events":[{"slug":%q}]}`,
			bet.condition, bet.event, bet.closed, prices[0], prices[1], bet.tokens[0], bet.tokens[1], bet.event))
	}
	conditions := strings.Repeat("&condition_ids=*", len(bets))
	r.add("GET", gamma+"/markets?closed=true&limit=*&include_tag=true"+conditions, "", "["+strings.Join(markets, ",")+"]")
	r.add("GET", gamma+"/markets?closed=false&limit=*&include_tag=true"+conditions, "", "[]")
	for _, p := range []struct {
		token, at string
		price     float64
	}{{"1001", "2026-10-05 10:02", 0.41}, {"2002", "2026-10-08 10:01", 0.60}, {"3001", "2026-10-10 10:30", 0.26}, {"4001", "2026-10-28 10:05", 0.52}} {
		r.add("GET", clob+"/prices-history?market="+p.token+"&startTs=*&endTs=*&fidelity=*", "", fmt.Sprintf(`{"history":[{"t":%d,"p":%g}]}`, instant(r.t, p.at), p.price))
	}
}

// holdings records a wallet with a coin, a dollar coin, and a token of whose contract nothing can be read.
func (r *recording) holdings() {
	base := "https://eth.blockscout.com/api/v2/addresses/" + handWallet
	r.add("GET", base, "", fmt.Sprintf(`{"hash":%q,"is_contract":false,"coin_balance":"1000000000000000000","exchange_rate":"2500"}`, handWallet))
	r.add("GET", base+"/token-balances", "", fmt.Sprintf(`[{"token":{"address_hash":%q,"symbol":"USDC","decimals":"6","type":"ERC-20","exchange_rate":"1.0"},"value":"1000000000"},`+
		`{"token":{"address_hash":%q,"symbol":"ALPHA","decimals":"18","type":"ERC-20","exchange_rate":null,"holders_count":"5000","total_supply":"1000000000000000000000000000000"},"value":"1000000000000000000000"}]`, handUSDC, handAlpha))
	point := fmt.Sprintf(`{"timestamp":%d,"price":%%g,"confidence":0.99}`, instant(r.t, "2026-11-01 11:58"))
	r.add("GET", "https://coins.llama.fi/batchHistorical?coins=*&searchWidth=*", "", fmt.Sprintf(`{"coins":{"ethereum:0x0000000000000000000000000000000000000000":{"prices":[`+point+`]},"ethereum:%s":{"prices":[`+point+`]}}}`, 2500.0, handUSDC, 1.0))
	r.add("GET", "https://api.dexscreener.com/tokens/v1/ethereum/*", "", fmt.Sprintf(`[{"chainId":"ethereum","dexId":"uniswap","pairAddress":%q,"baseToken":{"address":%q,"symbol":"ALPHA"},"quoteToken":{"address":%q,"symbol":"WETH"},"priceUsd":"2.5","txns":{"h24":{"buys":90,"sells":80}},"volume":{"h24":90000},"liquidity":{"usd":900000},"pairCreatedAt":1785542400000}]`,
		handPoolA, handAlpha, handWETH))
}

// Four answers to recordings that only the providers' documents are needed to write. They were worked out by hand:
//
//   - Account: three of five closing orders made money after their fee (99, 198 and 197, against -103 and -0.5), and three of five
//     positions, for which Wilson's interval is 0.231 to 0.882. Positions gained 98, 196 with 4 of funding, and 194, and lost 106 and
//     1.5: 4.58. Funding is 20 of 3000, leverage 6200/3000. (3000 - 77.5)/0.1/0.9875 = 29595 is 47.73 % of 62000.
//   - Decision: ln(63/60)/1.5145 is 3.22 % a day, 4.19 % with fat tails. At 11x the price has 7.94 % to go, which it does with 4.8 %;
//     at 12x 7.17 % with 7.6 %; at the leader's 10x 8.86 % with 2.7 %. 0.2/0.322 = 0.62 of the size, which is 0.60.
//   - Bets: 100*0.4 and 80*0.5 won, 50*0.6 lost, 200*0.25 sold at 0.5. Shares were worth 0.6, -0.6, -0.25 and 0.5 more than they cost, and
//     0.58, -0.61, -0.27 and 0.47 a minute and a cent later. 100 of 260 dollars were resting, 130 of 160 were paid at 0.5 and less, and
//     160²/(40² + 30² + 50² + 40²) = 3.9 events.
//   - Portfolio: 2500 of the coin, 1000 of dollars, and 2500/(1 + 2500/450000) = 2486 of the token, whose risk is unknown:
//     (2500*10 + 1000*5 + 2486*50)/5986 = 25.8. The unassessed part is 41.53 %.
func TestVenuesAnswerToAHandWrittenRecording(t *testing.T) {
	t.Parallel()
	r := &recording{t: t}
	r.perpAccount()
	r.perpContracts()
	r.predictions()
	r.holdings()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "hand.jsonl"), []byte(r.lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, environment(t, "PROVIDERS", "replay:"+folder, "CLOCK", "2026-11-01T12:00:00Z"))
	for _, c := range []struct {
		path, body string
		parts      []string
	}{
		{perpPath, onlyWallet(handWallet), []string{
			`{"coin":"BTC","side":"long","leverage":10,"leverageType":"cross","sizeBand":"medium","pnlDirection":"up","returnOnEquityPct":33.33,"weightPct":100,"liquidationDistancePct":47.73}`,
			`"accountBand":"10k-100k","bias":"long-only","effectiveLeverage":2.07,"winRate":0.6,"winRateInterval":{"low":0.231,"high":0.882},"closedTrades":5,"closedPositions":5,"profitFactor":4.58,"fundingPaidPct":0.67`,
			`"liquidations":0,"lastLiquidationDaysAgo":null,"nearestLiquidation":{"coin":"BTC","distancePct":47.73},"stressMovePct":-47.73,"truncated":false`,
			`"coverage":{"reason":"ok","note":"Based on 5 trades that closed 5 positions over 19 days."}`,
		}},
		{decisionPath, `{"side":"long","leverage":10,"fundingRateHourly":0.00001,"coin":"btc-perp","entryPrice":61000,"leaderGrade":"B","allocationUsd":1000}`, []string{
			`"copy":true,"maxLeverage":11,"sizeFactor":0.6,"liqDistancePct":8.86,"fundingCostDaily":0.02,"touchProbability":0.027,"allocationUsd":600,"flags":["isolated-recommended"]`,
			`"maxLeverage":{"value":40,"source":"venue"},"maintenanceMarginRate":{"value":0.0125,"source":"venue"},"dailyVolPct":{"value":3.22,"source":"venue"},"holdHours":{"value":24,"source":"default"}`,
		}},
		{predictionPath, onlyWallet(handWallet), []string{
			`"active":true,"windowDays":90,"mirrorable":false,"grade":null,"verdict":"unrated","score":null`, `"sampleSize":4`,
			`"execution":"mixed","entries":"value","consistency":"unproven","diversification":"concentrated","cadence":"regular","activity":"active","winRate":0.75`,
			`"edgeCents":{"mean":6.25,`, `"copiedEdgeCents":{"mean":4.25,`, `"truncated":false`, `4 decided events can be rated; at least 6 more are needed`,
		}},
		{"/v1/portfolio-risk", `{"wallet":"` + handWallet + `","chain":"eth"}`, []string{
			`"grade":"healthy","weightedRisk":25.8,"concentration":"concentrated","riskyPositions":[],"positions":[{"symbol":"ETH","weightPct":41.76,"kind":"own-coin","risk":null,"riskScore":10},{"symbol":"ALPHA","weightPct":41.53,"kind":"token","risk":"unknown","riskScore":null},{"symbol":"USDC","weightPct":16.71,"kind":"stablecoin","risk":null,"riskScore":5}],"worstOffender":"ALPHA"`,
			`"effectivePositions":2,"cashSharePct":16.71,"coverage":{"holdings":3,"assessed":2,"unassessed":1,"dust":0,"beyondDepth":0,"spam":0,"unpriced":0,"assessedSharePct":58.47}`,
			`1 token with 42% of the value could not be assessed`,
		}},
	} {
		status, _, body := s.post(t, c.path, s.key, c.body)
		for _, part := range c.parts {
			if status != http.StatusOK || !strings.Contains(body, part) {
				t.Errorf("%s: status %d, lacks %s: %s", c.path, status, part, body)
			}
		}
		if c.path == predictionPath {
			// 180 shares won. Luck wins as many with the third bet's 200, and without it with the first and the fourth together:
			// 0.25 + 0.75 * 0.4 * 0.5 = 0.4.
			var answer struct {
				Chance float64 `json:"chanceProbability"`
			}
			if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.Chance < 0.35 || answer.Chance > 0.45 {
				t.Errorf("chance %v, %v", answer.Chance, err)
			}
		}
	}
}
