package copytrade

import (
	"context"
	"math"
	"regexp"
	"strings"
	"sync"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

var (
	// coinName is what contracts are called, with what partners put behind it.
	coinName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9]+(:[A-Za-z0-9]+)?([-_/]?[A-Za-z0-9]+)?$`)
	})
	// quoted is a contract's name with the dollar it is quoted in, or with its kind.
	quoted = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(.+?)[-_/]?(?:USDC?-?PERP|USDT-?PERP|PERP|USDC|USDT|USD)$`)
	})
)

// leastContracts is how many others a contract's funding must be compared with.
const leastContracts = 20

type marketsKey struct{ exchange string }

// listing are the contracts of one exchange of the venue, and which of them a request is about.
type listing struct {
	markets []market.PerpMarket
	at      int
}

func (l *listing) contract() *market.PerpMarket { return &l.markets[l.at] }

// findContract reads the exchange that lists a contract. The venue tells upper from lower case, partners do not.
func findContract(ctx context.Context, s *market.Session, typed string) (*listing, error) {
	exchange, _, builders := strings.Cut(typed, ":")
	if !builders {
		exchange = ""
	}
	markets, err := readMarkets(ctx, s, exchange)
	if lower := strings.ToLower(exchange); err == nil && len(markets) == 0 && lower != exchange {
		markets, err = readMarkets(ctx, s, lower)
	}
	if err != nil {
		return nil, err
	}
	at, problem := matchCoin(typed, markets)
	if problem != nil {
		return nil, problem
	}
	if markets[at].Delisted {
		return nil, endpoint.Invalid("coin", "The venue does not trade "+markets[at].Coin+" any more.")
	}
	return &listing{markets, at}, nil
}

func readMarkets(ctx context.Context, s *market.Session, exchange string) ([]market.PerpMarket, error) {
	return market.Once(ctx, s, marketsKey{exchange}, func(ctx context.Context) ([]market.PerpMarket, error) {
		return s.Sources.PerpMarkets.PerpMarkets(ctx, exchange)
	})
}

// matchCoin finds the contract that a partner typed: by its very name, else by its name in whatever case, else without the dollar it
// is quoted in. A name that fits several contracts is refused, and so is one without the k of a contract on a thousand coins, since its
// prices are a thousand times others.
func matchCoin(typed string, markets []market.PerpMarket) (int, *endpoint.Problem) {
	spellings := []string{typed}
	if stem := quoted().FindStringSubmatch(typed); stem != nil {
		spellings = append(spellings, stem[1])
	}
	for _, spelling := range spellings {
		var like []int
		for i := range markets {
			if markets[i].Coin == spelling {
				return i, nil
			}
			if strings.EqualFold(markets[i].Coin, spelling) {
				like = append(like, i)
			}
		}
		if len(like) == 1 {
			return like[0], nil
		}
		if len(like) > 1 {
			return 0, endpoint.Invalid("coin", "Several contracts of the venue are called like this; spell the name exactly as the venue does.")
		}
	}
	const unknown = "The venue has no perpetual contract of this name."
	for _, spelling := range spellings {
		for i := range markets {
			if thousand := markets[i].Coin; thousand == "k"+strings.ToUpper(spelling) && coinName().MatchString(thousand) {
				return 0, endpoint.Invalid("coin", unknown+" It has "+thousand+", whose prices are those of a thousand coins.")
			}
		}
	}
	return 0, endpoint.Invalid("coin", unknown+" They are called like BTC, ETH or kPEPE, and like xyz:CL on a builder's exchange.")
}

// standing is the share of a venue's other contracts whose funding is smaller than a rate, either way, and how many they are. NaN
// below leastContracts.
func (l *listing) standing(hourly float64) (share float64, contracts int) {
	smaller := 0
	for i := range l.markets {
		if m := &l.markets[i]; i != l.at && !m.Delisted && !math.IsNaN(m.FundingHourly) {
			contracts++
			if math.Abs(m.FundingHourly) < math.Abs(hourly) {
				smaller++
			}
		}
	}
	if contracts < leastContracts {
		return math.NaN(), contracts
	}
	return float64(smaller) / float64(contracts), contracts
}
