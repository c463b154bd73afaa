package leader

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/copyrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/copysimulation"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/leadergate"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

const (
	// followedFor is how long after a leader's newest grading its entries are followed.
	followedFor = 90 * 24 * time.Hour
	// priceDelay is how long the price of an entry is waited for where its hour shows no trade yet: as long as an older price would do.
	priceDelay = 6 * time.Hour
	// unreachedFor is how long a pool that cannot be read is asked again; then it counts as one without a price, so that nothing is
	// left out for ever.
	unreachedFor = 24 * time.Hour
	// otherPools is how many of a token's other pools are asked for a price that its deepest pool does not have.
	otherPools = 3
)

// followUpData is what a follow-up says besides what the store knows of it. It is the Data of a store.FollowUp, in JSON.
type followUpData struct {
	// Pool is where the entry's price is from; empty without one.
	Pool string `json:"pool,omitzero"`
}

// follow writes down what is expected of a leader, the first time only, and opens a follow-up for each entry that it made later. It can
// be done again, whatever part of it was done before.
func (g *grader) follow(ctx context.Context, session *market.Session, leader *store.Leader, record *copyrecord.Record, gate leadergate.Gate, asOf time.Time) error {
	data, err := json.Marshal(forecastData{MedianGapHours: gate.MedianGap.Hours()})
	if err != nil {
		return err
	}
	forecast, err := g.memory.TrackRecords.Forecast(ctx, store.Forecast{
		Source: spotLeaderGate, Chain: leader.Group.Place, Wallet: leader.Address, GradedAt: asOf, Mirrorable: gate.Mirrorable,
		Probability: gate.Forecast.Probability, BaseRate: gate.Forecast.BaseRate, MethodVersion: endpoint.MethodVersion, Data: data,
	})
	if err != nil {
		return err
	}
	entries := followed(record, forecast, leader.Grading.At)
	if len(entries) == 0 {
		return nil
	}
	known, err := g.knownFollowUps(ctx, forecast)
	if err != nil {
		return err
	}
	for _, e := range entries {
		f := followUpOf(forecast, e, asOf)
		if known[f.ID] {
			continue
		}
		price, pool, settled := entryPrice(ctx, session.Sources.Candles, record, e, asOf)
		if !settled {
			continue // the next pass asks again
		}
		f.EntryPriceUSD = price
		if f.Data, err = json.Marshal(followUpData{Pool: pool}); err != nil {
			return err
		}
		if err := g.memory.TrackRecords.FollowUp(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// followed are the entries after the hour of the forecast that came within the time after the newest grading in which a leader is
// followed.
func followed(record *copyrecord.Record, forecast store.Forecast, newest time.Time) []copysimulation.Entry {
	if newest.Before(forecast.GradedAt) {
		newest = forecast.GradedAt
	}
	first, last := hourAfter(forecast.GradedAt), newest.Add(followedFor)
	all, _ := record.Entries()
	var entries []copysimulation.Entry
	for _, e := range all {
		if !e.At.Before(first) && !e.At.After(last) {
			entries = append(entries, e)
		}
	}
	return entries
}

// hourAfter is when the hour of an instant is over.
func hourAfter(at time.Time) time.Time { return at.UTC().Truncate(time.Hour).Add(time.Hour) }

func followUpOf(forecast store.Forecast, e copysimulation.Entry, seenAt time.Time) store.FollowUp {
	at := e.At.UTC()
	return store.FollowUp{
		ID:     nameOf(forecast.Source, forecast.Chain, forecast.Wallet, e.Token.String(), strconv.FormatInt(at.UnixNano(), 10)),
		Source: forecast.Source, Chain: forecast.Chain, Wallet: forecast.Wallet, Token: e.Token.String(),
		EnteredAt: at, DueAt: at.Add(copysimulation.Horizon), SeenAt: seenAt, Net: math.NaN(),
	}
}

// knownFollowUps are the IDs of those that were opened before.
func (g *grader) knownFollowUps(ctx context.Context, of store.Forecast) (map[string]bool, error) {
	known := make(map[string]bool)
	after := ""
	for {
		page, err := g.memory.TrackRecords.FollowUps(ctx, of.Source, of.Chain, of.Wallet, after, recordedAtOnce)
		if err != nil {
			return nil, err
		}
		for i := range page {
			known[page[i].ID] = true
		}
		if len(page) < recordedAtOnce {
			return known, nil
		}
		after = page[len(page)-1].ID
	}
}

// entryPrice is what a copier of an entry pays, and in which pool. It is settled once the hour of the entry is over and shows a trade, or
// long enough after it that none is to be expected. Where the deepest pool of now has no price, as that of a token that moved on to another
// pool, others that were there are asked. NaN means that there is none.
func entryPrice(ctx context.Context, candles market.CandlePort, record *copyrecord.Record, e copysimulation.Entry, asOf time.Time) (price float64, pool string, settled bool) {
	pools := record.Pools[e.Token]
	deepest, found := tradingrecord.DeepestPool(pools)
	price, traded := record.Series[e.Token].EntryPrice(e.At)
	if traded {
		return price, deepest.ID, true
	}
	if asOf.Before(hourAfter(e.At).Add(priceDelay)) {
		return math.NaN(), "", false
	}
	if !math.IsNaN(price) || !found {
		return price, deepest.ID, true
	}
	asked := 0
	for _, other := range pools {
		if other.ID == deepest.ID || other.CreatedAt.After(e.At) || asked == otherPools {
			continue
		}
		asked++
		hour := e.At.UTC().Truncate(time.Hour)
		read, err := candles.Candles(ctx, record.Chain, market.CandleRequest{Pool: other.ID, Token: e.Token, From: hour.Add(-priceDelay), To: hour.Add(time.Hour)})
		if err != nil {
			if asOf.Before(hourAfter(e.At).Add(unreachedFor)) {
				return math.NaN(), "", false
			}
			continue
		}
		if price, _ := copysimulation.NewSeries(read.Hours, asOf).EntryPrice(e.At); !math.IsNaN(price) {
			return price, other.ID, true
		}
	}
	return math.NaN(), "", true
}
