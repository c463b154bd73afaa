package perpvenue

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// keys are the names in every object of an answer, by the path that leads there; numbers stand for any place of a list.
func keys(value any, path string, found map[string]bool) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			found[path+"."+key] = true
			keys(inner, path+"."+key, found)
		}
	case []any:
		for _, inner := range v {
			keys(inner, path, found)
		}
	}
}

// The names are those of recorded answers of the real venue.
func TestNames(t *testing.T) {
	v := played()
	trader, busy := of(v, "skilled-swing")[0], of(v, "liquidated")[0]
	spaces := strings.Fields
	for question, want := range map[string][]string{
		`{"type":"userFills","user":"` + trader + `"}`: spaces(`.coin .px .sz .side .time .startPosition .dir .closedPnl .hash .oid .crossed .fee .tid .feeToken .twapId`),
		`{"type":"userFillsByTime","user":"` + busy + `","startTime":0}`: spaces(`.coin .px .sz .side .time .startPosition .dir .closedPnl .hash .oid .crossed .fee
			.tid .feeToken .twapId .liquidation .liquidation.liquidatedUser .liquidation.markPx .liquidation.method`),
		`{"type":"userFunding","user":"` + trader + `","startTime":0}`: spaces(`.time .hash .delta .delta.type .delta.coin .delta.usdc .delta.szi .delta.fundingRate .delta.nSamples`),
		`{"type":"meta"}`: spaces(`.universe .universe.szDecimals .universe.name .universe.maxLeverage .universe.marginTableId .universe.onlyIsolated
			.universe.isDelisted .marginTables .marginTables.description .marginTables.marginTiers .marginTables.marginTiers.lowerBound
			.marginTables.marginTiers.maxLeverage .collateralToken`),
		`{"type":"perpDexs"}`: spaces(`.name .fullName .deployer .oracleUpdater .feeRecipient .assetToStreamingOiCap .subDeployers .deployerFeeScale
			.lastDeployerFeeScaleChangeTime .assetToFundingMultiplier`),
		`{"type":"fundingHistory","coin":"BTC","startTime":0}`:                                                 spaces(`.coin .fundingRate .premium .time`),
		`{"type":"candleSnapshot","req":{"coin":"BTC","interval":"1d","startTime":0,"endTime":9000000000000}}`: spaces(`.t .T .s .i .o .c .h .l .v .n`),
		`{"type":"l2Book","coin":"BTC"}`:                                                                       spaces(`.coin .time .levels .levels.px .levels.sz .levels.n`),
		`{"type":"userRole","user":"` + trader + `"}`:                                                          spaces(`.role`),
		`{"type":"portfolio","user":"` + trader + `"}`:                                                         spaces(`.accountValueHistory .pnlHistory .vlm`),
		`{"type":"spotClearinghouseState","user":"` + trader + `"}`:                                            spaces(`.balances .balances.coin .balances.token .balances.total .balances.hold .balances.entryNtl`),
		`{"type":"userNonFundingLedgerUpdates","user":"` + of(v, "deposit-only")[0] + `","startTime":0}`:       spaces(`.time .hash .delta .delta.type .delta.usdc`),
		`{"type":"userNonFundingLedgerUpdates","user":"` + busy + `","startTime":0}`: spaces(`.time .hash .delta .delta.type .delta.usdc .delta.liquidatedNtlPos .delta.accountValue
			.delta.leverageType .delta.nonce .delta.fee .delta.liquidatedPositions .delta.liquidatedPositions.coin .delta.liquidatedPositions.szi`),
		`{"type":"userNonFundingLedgerUpdates","user":"` + of(v, "multi-exchange")[0] + `","startTime":0}`: spaces(`.time .hash .delta .delta.type .delta.usdc .delta.user .delta.destination
			.delta.sourceDex .delta.destinationDex .delta.token .delta.amount .delta.usdcValue .delta.fee .delta.nativeTokenFee .delta.nonce .delta.feeToken`),
	} {
		found := map[string]bool{}
		keys(asked[any](t, v, "%s", question), "", found)
		for _, name := range want {
			if !found[name] {
				t.Errorf("%s: no %s", question, name)
			}
			delete(found, name)
		}
		delete(found, ".liquidation")
		for name := range found {
			if !strings.HasPrefix(name, ".liquidation.") {
				t.Errorf("%s: %s is not of the venue", question, name)
			}
		}
	}
}

func TestContexts(t *testing.T) {
	v := played()
	for _, exchange := range exchangeNames {
		pair := asked[[]json.RawMessage](t, v, `{"type":"metaAndAssetCtxs","dex":"%s"}`, exchange)
		var meta metaWire
		var contexts []contextWire
		if json.Unmarshal(pair[0], &meta) != nil || json.Unmarshal(pair[1], &contexts) != nil || len(meta.Universe) != len(contexts) {
			t.Fatalf("%q: %s", exchange, pair)
		}
		mids := asked[map[string]string](t, v, `{"type":"allMids","dex":"%s"}`, exchange)
		for i, asset := range meta.Universe {
			c := contexts[i]
			if asset.Delisted {
				if c.Premium != nil || c.Middle != nil || c.Impact != nil || c.OpenInterest != "0.0" || mids[asset.Name] != "" {
					t.Errorf("%s is delisted: %+v", asset.Name, c)
				}
				continue
			}
			near(t, asset.Name+" mark and oracle", number(t, c.Mark), number(t, c.Oracle), 0.006)
			near(t, asset.Name+" mark and middle", number(t, *c.Middle), number(t, c.Mark), 0.001)
			if mids[asset.Name] != *c.Middle || !(number(t, c.Impact[0]) < number(t, c.Impact[1])) {
				t.Errorf("%s: %+v, middle %s", asset.Name, c, mids[asset.Name])
			}
		}
	}
}

func TestNeverUsed(t *testing.T) {
	v := played()
	const nobody = "0xDeaDbeef00000000000000000000000000000001"
	zero := `{"accountValue":"0.0","totalNtlPos":"0.0","totalRawUsd":"0.0","totalMarginUsed":"0.0"}`
	for question, want := range map[string]string{
		"userFills": "[]", `userFillsByTime","startTime":0,"x":"`: "[]", `userFunding","startTime":0,"x":"`: "[]",
		`userNonFundingLedgerUpdates","startTime":0,"x":"`: "[]", "spotClearinghouseState": `{"balances":[]}`, "userRole": `{"role":"missing"}`,
		"clearinghouseState": `{"marginSummary":` + zero + `,"crossMarginSummary":` + zero +
			`,"crossMaintenanceMarginUsed":"0.0","withdrawable":"0.0","assetPositions":[],"time":` + jsonOf(v.now) + `}`,
	} {
		if got := string(ask(t, v, `{"user":"%s","type":"%s"}`, nobody, question)); got != want {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
	for _, pair := range asked[[][]json.RawMessage](t, v, `{"type":"portfolio","user":"%s"}`, nobody) {
		if string(pair[1]) != `{"accountValueHistory":[],"pnlHistory":[],"vlm":"0.0"}` {
			t.Errorf("portfolio %s: %s", pair[0], pair[1])
		}
	}
}

func jsonOf(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

var refused = []string{``, `{`, `[]`, `{"type":"nonsense"}`, `{"type":"userFills"}`, `{"type":"userFills","user":"0x12"}`, `{"type":"userNonsense","user":"0x0000000000000000000000000000000000000001"}`,
	`{"type":"userFillsByTime","user":"0x0000000000000000000000000000000000000001"}`, `{"type":"userFillsByTime","user":"0x0000000000000000000000000000000000000001","startTime":"x"}`,
	`{"type":"meta","dex":"nowhere"}`, `{"type":"clearinghouseState","user":"0x0000000000000000000000000000000000000001","dex":"nowhere"}`,
	`{"type":"l2Book","coin":"NONE"}`, `{"type":"candleSnapshot"}`, `{"type":"candleSnapshot","req":{"coin":"BTC","interval":"7m"}}`, `{"type":"fundingHistory","coin":"BTC"}`}

func TestRefused(t *testing.T) {
	for _, question := range refused {
		if status, answer := played().Info([]byte(question)); status != http.StatusUnprocessableEntity || answer != refusal {
			t.Errorf("%s: %d %v", question, status, answer)
		}
	}
}

func FuzzInfo(f *testing.F) {
	for _, question := range append(slices.Clone(refused), `{"type":"allMids"}`, `{"type":"fundingHistory","coin":"BTC","startTime":9223372036854775807}`,
		`{"type":"fundingHistory","coin":"BTC","startTime":-9223372036854775808,"endTime":-9223372036854775808}`,
		`{"type":"candleSnapshot","req":{"coin":"RNDR","interval":"1h","startTime":-9223372036854775808,"endTime":9223372036854775807}}`,
		`{"type":"candleSnapshot","req":{"coin":"@107","interval":"3d","startTime":9223372036854775807,"endTime":9223372036854775807}}`,
		`{"type":"userFillsByTime","user":"0x0000000000000000000000000000000000000001","startTime":9223372036854775807,"aggregateByTime":true}`) {
		f.Add([]byte(question))
	}
	v := New(Config{Seed: 3, Start: testStart})
	v.Advance(testStart.AddDate(0, 0, 3))
	f.Fuzz(func(t *testing.T, body []byte) {
		status, answer := v.Info(body)
		if _, err := json.Marshal(answer); err != nil || status != http.StatusOK && status != http.StatusUnprocessableEntity {
			t.Fatalf("%d %v", status, err)
		}
	})
}
