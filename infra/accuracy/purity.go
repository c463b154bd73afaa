package accuracy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

const (
	purityCases       = 1_000
	determinismRuns   = 100
	determinismSample = 30
)

// Purity asks about random wallets at random instants of the past twice: with everything that is known today, and with a history
// that ends at that instant. Nothing that was not known then may change the answer.
func Purity() (Row, error) {
	row := Row{Name: "18 as-of purity", Goal: fmt.Sprintf("%d of %d answers unchanged by later facts", purityCases, purityCases)}
	sample, service, err := sampleService(sampleNow())
	if err != nil {
		return row, err
	}
	truth := sample.Truth().Wallets
	random := rand.New(rand.NewPCG(1, 18))
	unchanged := make([]bool, purityCases)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range purityCases {
		chosen := truth[random.IntN(len(truth))]
		asOf := sampleNow().Add(-time.Duration(random.Int64N(int64(150 * 24 * time.Hour)))).Truncate(time.Minute)
		group.Go(func() error {
			whole, err := overview(overviewHandler(service, service.Sources, asOf), chosen.Address, chosen.Chain)
			if err != nil {
				return err
			}
			cut, err := overview(overviewHandler(service, endingAt(service.Sources, asOf), asOf), chosen.Address, chosen.Chain)
			if err != nil {
				return err
			}
			unchanged[i] = bytes.Equal(whole, cut)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return row, err
	}
	same := 0
	for _, ok := range unchanged {
		if ok {
			same++
		}
	}
	row.Measured, row.Pass = fmt.Sprintf("%d of %d", same, purityCases), same == purityCases
	return row, nil
}

// Determinism asks the same a hundred times, each time of a new service with new maps and new caches, and compares the bytes.
func Determinism() (Row, error) {
	row := Row{Name: "17 determinism", Goal: fmt.Sprintf("%d wallets, %d runs, the same bytes", determinismSample, determinismRuns)}
	sample, first, err := sampleService(sampleNow())
	if err != nil {
		return row, err
	}
	truth := sample.Truth().Wallets
	differing, digest := 0, sha256.New()
	for i := range determinismSample {
		chosen := truth[i*len(truth)/determinismSample]
		var answers [determinismRuns][]byte
		var group errgroup.Group
		group.SetLimit(runtime.GOMAXPROCS(0))
		for run := range answers {
			group.Go(func() (err error) {
				answers[run], err = overview(overviewHandler(first, first.Sources, sampleNow()), chosen.Address, chosen.Chain)
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return row, err
		}
		digest.Write(answers[0])
		for run := range answers {
			if !bytes.Equal(answers[run], answers[0]) {
				differing++
			}
		}
	}
	// The digest is for comparing machines: on another processor the same code must print the same one.
	row.Measured, row.Pass = fmt.Sprintf("%d answers differ, digest of all %.16x", differing, digest.Sum(nil)), differing == 0
	return row, nil
}

// endingAt cuts what has a time off at an instant. Facts about the present are left as they are: both askers get the same.
func endingAt(sources market.Sources, at time.Time) market.Sources {
	cut := ending{sources, at}
	sources.Activity, sources.Prices, sources.Candles = cut, cut, cut
	return sources
}

type ending struct {
	sources market.Sources
	at      time.Time
}

func (e ending) Activity(ctx context.Context, on *chain.Chain, wallet chain.Address) (*market.Activity, error) {
	activity, err := e.sources.Activity.Activity(ctx, on, wallet)
	if err != nil {
		return nil, err
	}
	return activity.Until(e.at), nil
}

func (e ending) Prices(ctx context.Context, on *chain.Chain, requests []market.PriceRequest) ([]market.PriceSeries, error) {
	series, err := e.sources.Prices.Prices(ctx, on, requests)
	if err != nil {
		return nil, err
	}
	cut := make([]market.PriceSeries, len(series))
	for i := range series {
		cut[i].Asset = series[i].Asset
		for _, point := range series[i].Points {
			if !point.Time.After(e.at) {
				cut[i].Points = append(cut[i].Points, point)
			}
		}
	}
	return cut, nil
}

func (e ending) Candles(ctx context.Context, on *chain.Chain, request market.CandleRequest) (*market.Candles, error) {
	candles, err := e.sources.Candles.Candles(ctx, on, request)
	if err != nil {
		return nil, err
	}
	cut := *candles
	for len(cut.Hours) > 0 && cut.Hours[len(cut.Hours)-1].Time.Add(time.Hour).After(e.at) {
		cut.Hours = cut.Hours[:len(cut.Hours)-1]
	}
	return &cut, nil
}
