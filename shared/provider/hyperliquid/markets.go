package hyperliquid

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// firstTable is the least number of a margin table; below it a contract's number is its highest leverage, whatever a position's value.
const firstTable = 50

// meta describes an exchange's contracts. Rows are decoded one by one, as what is traded of each stands at the same place of another list.
type meta struct {
	Universe []jsontext.Value `json:"universe"`
	Tables   []jsontext.Value `json:"marginTables"`
}

type contract struct {
	Name     upstream.Text   `json:"name"`
	Decimals upstream.Number `json:"szDecimals"`
	Leverage upstream.Number `json:"maxLeverage"`
	Table    upstream.Number `json:"marginTableId"`
	Delisted upstream.Flag   `json:"isDelisted"`
	// Isolated and Mode tell the same; older answers have one of them.
	Isolated upstream.Flag `json:"onlyIsolated"`
	Mode     upstream.Text `json:"marginMode"`
}

type tierTable struct {
	Tiers []struct {
		From     upstream.Number `json:"lowerBound"`
		Leverage upstream.Number `json:"maxLeverage"`
	} `json:"marginTiers"`
}

// trading is how a contract is traded now.
type trading struct {
	Funding      upstream.Number `json:"funding"`
	OpenInterest upstream.Number `json:"openInterest"`
	VolumeUSD    upstream.Number `json:"dayNtlVlm"`
	OraclePrice  upstream.Number `json:"oraclePx"`
	MarkPrice    upstream.Number `json:"markPx"`
}

// PerpMarkets reads all contracts of one exchange. One that the venue does not know has none.
func (a *Adapter) PerpMarkets(ctx context.Context, exchange string) ([]market.PerpMarket, error) {
	q := question{Type: "metaAndAssetCtxs", Dex: exchange}
	return info(ctx, a, q, upstream.Weight{Asking: questionWeight}, func(r *upstream.Response) ([]market.PerpMarket, error) {
		if exchange != "" && unknown(r) {
			return nil, nil
		}
		read, dropped, err := readMarkets(r)
		a.client.Drop(path, dropped)
		return read, err
	})
}

// unknown tells an answer that knows of nothing by that name.
func unknown(r *upstream.Response) bool {
	return r.Status == http.StatusUnprocessableEntity || r.Status == http.StatusNotFound || strings.TrimSpace(string(r.Body)) == "null"
}

func readMarkets(r *upstream.Response) (read []market.PerpMarket, dropped int, err error) {
	parts, err := upstream.JSON[[]jsontext.Value](r)
	if err != nil {
		return nil, 0, err
	}
	var described meta
	var traded []jsontext.Value
	if len(parts) != 2 || upstream.Unmarshal(parts[0], &described) != nil || upstream.Unmarshal(parts[1], &traded) != nil ||
		described.Universe == nil || len(described.Universe) != len(traded) {
		return nil, 0, fmt.Errorf("%w: no contracts with what is traded of each", upstream.ErrUnreadable)
	}
	tables := readTables(described.Tables)
	known := make(map[upstream.Text]bool, len(traded))
	for i := range described.Universe {
		var named contract
		if upstream.Unmarshal(described.Universe[i], &named) != nil || known[named.Name] {
			dropped++
			continue
		}
		var now trading
		if upstream.Unmarshal(traded[i], &now) != nil {
			now = trading{}
		}
		checked, ok := check(named, now, tables)
		if !ok {
			dropped++
			continue
		}
		known[named.Name] = true
		read = append(read, checked)
	}
	if len(described.Universe) > 0 && len(read) == 0 {
		return nil, dropped, noneLegible(dropped)
	}
	return read, dropped, nil
}

// check refuses a contract without a name or a leverage. What is traded of it may be unknown.
func check(c contract, now trading, tables map[int64][]market.MarginTier) (market.PerpMarket, bool) {
	most, levered := leverage(c.Leverage)
	if !named(c.Name) || !levered {
		return market.PerpMarket{}, false
	}
	read := market.PerpMarket{
		Coin: string(c.Name), Tiers: []market.MarginTier{{MaximumLeverage: most}},
		MarkPrice:     orUnknown(now.MarkPrice, upstream.Number.Price),
		OraclePrice:   orUnknown(now.OraclePrice, upstream.Number.Price),
		FundingHourly: orUnknown(now.Funding, rate), VolumeUSD24h: orUnknown(now.VolumeUSD, upstream.Number.USD),
		OpenInterestUSD: math.NaN(),
		OnlyIsolated:    market.Tristate(c.Isolated) == market.Yes || c.Mode == "strictIsolated" || c.Mode == "noCross",
		Delisted:        market.Tristate(c.Delisted) == market.Yes,
	}
	// A table that is not there leaves what the contract itself says, which is right for all but the largest positions.
	if table := number(c.Table); table > 0 && table < firstTable {
		read.Tiers[0].MaximumLeverage = float64(table)
	} else if tiers := tables[table]; tiers != nil {
		read.Tiers = tiers
	}
	price := read.MarkPrice
	if math.IsNaN(price) {
		price = read.OraclePrice
	}
	if open, ok := now.OpenInterest.USD(); ok && open*price <= upstream.MaximumUSD {
		read.OpenInterestUSD = open * price
	}
	return read, true
}

// readTables reads the margin tables, each a pair of its number and its tiers, and leaves out those that cannot be.
func readTables(rows []jsontext.Value) map[int64][]market.MarginTier {
	tables := make(map[int64][]market.MarginTier, len(rows))
	for _, row := range rows {
		var pair []jsontext.Value
		var id upstream.Number
		var table tierTable
		if upstream.Unmarshal(row, &pair) != nil || len(pair) != 2 || upstream.Unmarshal(pair[0], &id) != nil ||
			upstream.Unmarshal(pair[1], &table) != nil {
			continue
		}
		if tiers, ok := table.check(); ok && number(id) >= firstTable {
			tables[number(id)] = tiers
		}
	}
	return tables
}

// check wants tiers that begin at nothing, ascend, and allow ever less leverage.
func (t tierTable) check() ([]market.MarginTier, bool) {
	tiers := make([]market.MarginTier, 0, len(t.Tiers))
	for i, tier := range t.Tiers {
		from, bounded := tier.From.USD()
		most, levered := leverage(tier.Leverage)
		if !bounded || !levered || (i == 0) != (from == 0) ||
			i > 0 && (from <= tiers[i-1].FromUSD || most >= tiers[i-1].MaximumLeverage) {
			return nil, false
		}
		tiers = append(tiers, market.MarginTier{FromUSD: from, MaximumLeverage: most})
	}
	return tiers, len(tiers) > 0
}
