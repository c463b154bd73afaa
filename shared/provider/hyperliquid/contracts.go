package hyperliquid

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// Contracts of the main exchange are numbered by their places, those of a builder's exchange from 110,000 on, 10,000 for each exchange.
const (
	firstBuilderAsset = 100_000
	builderAssets     = 10_000
)

// How long a list of contracts stands, and for how long a coin that is not on it is taken not to be there.
const (
	contractsFresh   = 10 * time.Minute
	contractsMissing = 30 * time.Second
)

// Contract is what orders need to know of a coin.
type Contract struct {
	Coin string
	// Asset is the venue's number of the contract.
	Asset int
	// SizeDecimals is how many decimals a size can have.
	SizeDecimals int
	// MaximumLeverage is that of the smallest positions.
	MaximumLeverage int
	// OnlyIsolated is true where positions cannot share margin. Delisted contracts are not traded any more.
	OnlyIsolated, Delisted bool
}

// contracts remembers the contracts of each exchange for a while.
type contracts struct {
	mu    sync.Mutex
	lists map[string]contractList
}

type contractList struct {
	readAt time.Time
	byCoin map[string]Contract
}

// Contract reads what orders need to know of a coin, which is remembered for minutes. ErrNoContract: there is none of that name.
func (x *Exchange) Contract(ctx context.Context, coin string) (Contract, error) {
	exchange, _, builder := strings.Cut(coin, ":")
	if !builder {
		exchange = ""
	}
	now := x.adapter.client.Now()
	x.contracts.mu.Lock()
	list, read := x.contracts.lists[exchange]
	x.contracts.mu.Unlock()
	found, known := list.byCoin[coin]
	if age := now.Sub(list.readAt); read && age >= 0 && (known && age < contractsFresh || !known && age < contractsMissing) {
		return found, missing(coin, known)
	}
	byCoin, err := x.adapter.readContracts(ctx, exchange)
	if err != nil {
		return Contract{}, err
	}
	x.contracts.mu.Lock()
	x.contracts.lists[exchange] = contractList{now, byCoin}
	x.contracts.mu.Unlock()
	found, known = byCoin[coin]
	return found, missing(coin, known)
}

func missing(coin string, known bool) error {
	if known {
		return nil
	}
	return fmt.Errorf("%w: %.*q", ErrNoContract, longestName, coin)
}

// readContracts reads all contracts of an exchange by coin; of one that the venue does not know there are none.
func (a *Adapter) readContracts(ctx context.Context, exchange string) (map[string]Contract, error) {
	first := 0
	if exchange != "" {
		place, err := info(ctx, a, question{Type: "perpDexs"}, upstream.Weight{Asking: questionWeight},
			func(r *upstream.Response) (int, error) { return placeOf(r, exchange) })
		if err != nil || place < 1 {
			return nil, err
		}
		first = firstBuilderAsset + place*builderAssets
	}
	return info(ctx, a, question{Type: "meta", Dex: exchange}, upstream.Weight{Asking: questionWeight},
		func(r *upstream.Response) (map[string]Contract, error) { return readUniverse(r, first) })
}

// placeOf is the place of a builder's exchange among all, of which the main one is the first and has no name; 0 where there is none.
func placeOf(r *upstream.Response, exchange string) (int, error) {
	rows, err := upstream.JSON[[]jsontext.Value](r)
	if err != nil {
		return 0, err
	}
	if len(rows) == 0 {
		return 0, fmt.Errorf("%w: no exchanges", upstream.ErrUnreadable)
	}
	for i, row := range rows {
		var named struct {
			Name upstream.Text `json:"name"`
		}
		if i > 0 && upstream.Unmarshal(row, &named) == nil && string(named.Name) == exchange {
			return i, nil
		}
	}
	return 0, nil
}

// readUniverse numbers the contracts of an exchange from first on. A row that cannot be read keeps its number; a coin that is there twice
// is nobody's.
func readUniverse(r *upstream.Response, first int) (map[string]Contract, error) {
	found, err := upstream.JSON[meta](r)
	if err != nil {
		return nil, err
	}
	if len(found.Universe) == 0 || len(found.Universe) > builderAssets {
		return nil, fmt.Errorf("%w: %d contracts", upstream.ErrUnreadable, len(found.Universe))
	}
	byCoin, twice := make(map[string]Contract, len(found.Universe)), make(map[string]bool)
	for i, value := range found.Universe {
		var row contract
		if upstream.Unmarshal(value, &row) != nil || !named(row.Name) {
			continue
		}
		coin := string(row.Name)
		_, seen := byCoin[coin]
		twice[coin] = seen || twice[coin]
		decimals, sized := row.Decimals.Int()
		most, levered := leverage(row.Leverage)
		if !sized || decimals < 0 || decimals > priceDecimals || !levered {
			continue
		}
		byCoin[coin] = Contract{
			Coin: coin, Asset: first + i, SizeDecimals: int(decimals), MaximumLeverage: int(most),
			OnlyIsolated: market.Tristate(row.Isolated) == market.Yes || row.Mode == "strictIsolated" || row.Mode == "noCross",
			Delisted:     market.Tristate(row.Delisted) == market.Yes,
		}
	}
	for coin, repeated := range twice {
		if repeated {
			delete(byCoin, coin)
		}
	}
	if len(byCoin) == 0 {
		return nil, noneLegible(len(found.Universe))
	}
	return byCoin, nil
}
