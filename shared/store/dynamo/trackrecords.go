package dynamo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// TrackRecords returns the forecasts of the tables and what became of them.
func (s *Store) TrackRecords() store.TrackRecords { return trackRecords{s} }

type trackRecords struct{ *Store }

// exactFloat is kept as a text: DynamoDB's numbers know no NaN, and not all of what a float64 can be.
type exactFloat float64

func (f exactFloat) MarshalText() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(f), 'g', -1, 64), nil
}

func (f *exactFloat) UnmarshalText(text []byte) error {
	value, err := strconv.ParseFloat(string(text), 64)
	*f = exactFloat(value)
	return err
}

type forecastRow struct {
	Partition     string     `dynamo:"pk"`
	Sort          string     `dynamo:"sk"`
	Source        string     `dynamo:"source"`
	Chain         string     `dynamo:"chain"`
	Wallet        string     `dynamo:"wallet"`
	GradedAt      time.Time  `dynamo:"gradedAt"`
	Mirrorable    bool       `dynamo:"mirrorable"`
	Probability   exactFloat `dynamo:"probability"`
	BaseRate      exactFloat `dynamo:"baseRate"`
	MethodVersion string     `dynamo:"methodVersion"`
	Data          []byte     `dynamo:"data"`
}

// followUpRow stands twice while it is open: under its leader, and where it is found when it is due. Nothing of it changes but
// that the outcome is added to the first and the second is deleted, in one step.
type followUpRow struct {
	Partition     string     `dynamo:"pk"`
	Sort          string     `dynamo:"sk"`
	ID            string     `dynamo:"id"`
	Source        string     `dynamo:"source"`
	Chain         string     `dynamo:"chain"`
	Wallet        string     `dynamo:"wallet"`
	Token         string     `dynamo:"token"`
	EnteredAt     time.Time  `dynamo:"enteredAt"`
	DueAt         time.Time  `dynamo:"dueAt"`
	SeenAt        time.Time  `dynamo:"seenAt"`
	EntryPriceUSD exactFloat `dynamo:"entryPriceUsd"`
	Data          []byte     `dynamo:"data"`
	ResolvedAt    time.Time  `dynamo:"resolvedAt,omitempty"`
	Outcome       string     `dynamo:"outcome,omitempty"`
	Net           exactFloat `dynamo:"net"`
}

// forecastKey has a space between chain and wallet, which sorts before whatever else they hold, so that the forecasts of a chain
// come before those of any other whose name begins with it.
func forecastKey(source, chain, wallet string) rowKey {
	return rowKey{"FORECASTS#" + source, chain + " " + wallet}
}

func followUpKey(source, chain, wallet, id string) rowKey {
	return rowKey{"FOLLOWUPS#" + source + "#" + chain + "#" + wallet, id}
}

func duePartition(source string) string { return "DUE#" + source }

func dueSort(at time.Time, id string) string { return at.UTC().Format(sortedTime) + "#" + id }

func (t trackRecords) Forecast(ctx context.Context, forecast store.Forecast) (store.Forecast, error) {
	if err := errors.Join(ctx.Err(), forecast.Validate()); err != nil {
		return store.Forecast{}, err
	}
	key := forecastKey(forecast.Source, forecast.Chain, forecast.Wallet)
	kept, found, err := t.forecast(ctx, key) // as nearly always
	if found || err != nil {
		return kept, err
	}
	err = retryConflicts(ctx, func() error {
		return t.records.Put(forecastRow{
			Partition: key.partition, Sort: key.sort, Source: forecast.Source, Chain: forecast.Chain, Wallet: forecast.Wallet,
			GradedAt: forecast.GradedAt.UTC(), Mirrorable: forecast.Mirrorable, Probability: exactFloat(forecast.Probability),
			BaseRate: exactFloat(forecast.BaseRate), MethodVersion: forecast.MethodVersion, Data: forecast.Data,
		}).If(notThere).Run(ctx)
	})
	if err != nil && !dynamo.IsCondCheckFailed(err) {
		return store.Forecast{}, fmt.Errorf("write forecast of %s on %s: %w", forecast.Wallet, forecast.Chain, err)
	}
	kept, found, err = t.forecast(ctx, key)
	if err == nil && !found {
		return store.Forecast{}, fmt.Errorf("forecast of %s on %s is gone", forecast.Wallet, forecast.Chain)
	}
	return kept, err
}

func (t trackRecords) forecast(ctx context.Context, key rowKey) (forecast store.Forecast, found bool, err error) {
	var row forecastRow
	err = get(t.records, key).One(ctx, &row)
	switch {
	case errors.Is(err, dynamo.ErrNotFound):
		return store.Forecast{}, false, nil
	case err != nil:
		return store.Forecast{}, false, fmt.Errorf("read forecast %s of %s: %w", key.sort, key.partition, err)
	}
	return row.forecast(), true, nil
}

func (t trackRecords) Forecasts(ctx context.Context, source, afterChain, afterWallet string, limit int) ([]store.Forecast, error) {
	if err := errors.Join(ctx.Err(), store.CheckAfterForecast(source, afterChain, afterWallet), store.CheckTracked(limit)); err != nil {
		return nil, err
	}
	after := forecastKey(source, afterChain, afterWallet) // without a leader it is before all
	var rows []forecastRow
	err := t.records.Get(partitionKey, after.partition).Range(sortKey, dynamo.Greater, after.sort).
		Limit(limit).Consistent(true).All(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("list forecasts of %s: %w", source, err)
	}
	forecasts := make([]store.Forecast, 0, len(rows))
	for _, row := range rows {
		forecasts = append(forecasts, row.forecast())
	}
	return forecasts, nil
}

func (t trackRecords) FollowUp(ctx context.Context, followUp store.FollowUp) error {
	if err := errors.Join(ctx.Err(), followUp.Validate()); err != nil {
		return err
	}
	forecast := forecastKey(followUp.Source, followUp.Chain, followUp.Wallet)
	key := followUpKey(followUp.Source, followUp.Chain, followUp.Wallet, followUp.ID)
	row := followUpRow{
		Partition: key.partition, Sort: key.sort, ID: followUp.ID, Source: followUp.Source, Chain: followUp.Chain, Wallet: followUp.Wallet,
		Token: followUp.Token, EnteredAt: followUp.EnteredAt.UTC(), DueAt: followUp.DueAt.UTC(), SeenAt: followUp.SeenAt.UTC(),
		EntryPriceUSD: exactFloat(followUp.EntryPriceUSD), Data: followUp.Data, Net: exactFloat(math.NaN()),
	}
	due := row
	due.Partition, due.Sort = duePartition(followUp.Source), dueSort(followUp.DueAt, followUp.ID)
	err := retryConflicts(ctx, func() error {
		return t.db.WriteTx(). // in the order of what refuses it: no forecast, there already, another leader's
					Check(t.records.Check(partitionKey, forecast.partition).Range(sortKey, forecast.sort).IfExists()).
					Put(t.records.Put(row).If(notThere)).
					Put(t.records.Put(due).If(notThere)).
					Run(ctx)
	})
	if err == nil {
		return nil
	}
	switch failedCondition(err) {
	case 0:
		return fmt.Errorf("forecast of %s on %s: %w", followUp.Wallet, followUp.Chain, store.ErrNotFound)
	case 1:
		return nil
	case 2:
		return fmt.Errorf("follow-up %s of another leader: %w", followUp.ID, store.ErrConflict)
	}
	return fmt.Errorf("open follow-up %s: %w", followUp.ID, err)
}

func (t trackRecords) FollowUps(ctx context.Context, source, chain, wallet, after string, limit int) ([]store.FollowUp, error) {
	err := errors.Join(ctx.Err(), store.CheckTrackedLeader(source, chain, wallet), store.CheckTracked(limit))
	if after != "" {
		err = errors.Join(err, store.CheckID("follow-up", after))
	}
	if err != nil {
		return nil, err
	}
	query := t.records.Get(partitionKey, followUpKey(source, chain, wallet, after).partition)
	if after != "" {
		query.Range(sortKey, dynamo.Greater, after)
	}
	return listFollowUps(ctx, query.Limit(limit), source)
}

func (t trackRecords) Due(ctx context.Context, source string, at, after time.Time, afterID string, limit int) ([]store.FollowUp, error) {
	if err := errors.Join(ctx.Err(), store.CheckDue(source, at, after, afterID), store.CheckTracked(limit)); err != nil {
		return nil, err
	}
	// '$' follows '#', and '!' is the first that an ID can go on with.
	first, last := "0", at.UTC().Format(sortedTime)+"$"
	if !after.IsZero() {
		first = dueSort(after, afterID) + "!"
	}
	if first > last { // which DynamoDB does not take for a range
		return []store.FollowUp{}, nil
	}
	query := t.records.Get(partitionKey, duePartition(source)).Range(sortKey, dynamo.Between, first, last)
	return listFollowUps(ctx, query.Limit(limit), source)
}

func listFollowUps(ctx context.Context, query *dynamo.Query, source string) ([]store.FollowUp, error) {
	var rows []followUpRow
	if err := query.Consistent(true).All(ctx, &rows); err != nil {
		return nil, fmt.Errorf("list follow-ups of %s: %w", source, err)
	}
	followUps := make([]store.FollowUp, 0, len(rows))
	for _, row := range rows {
		followUps = append(followUps, row.followUp())
	}
	return followUps, nil
}

func (t trackRecords) Resolve(ctx context.Context, source, chain, wallet, id string, outcome store.Outcome) error {
	err := errors.Join(ctx.Err(), store.CheckTrackedLeader(source, chain, wallet), store.CheckID("follow-up", id), outcome.Validate())
	if err != nil {
		return err
	}
	key := followUpKey(source, chain, wallet, id)
	var open followUpRow
	switch err := get(t.records, key).One(ctx, &open); {
	case errors.Is(err, dynamo.ErrNotFound):
		return fmt.Errorf("follow-up %s: %w", id, store.ErrNotFound)
	case err != nil:
		return fmt.Errorf("read follow-up %s: %w", id, err)
	case !open.ResolvedAt.IsZero():
		return fmt.Errorf("outcome of follow-up %s: %w", id, store.ErrConflict)
	}
	err = retryConflicts(ctx, func() error {
		return t.db.WriteTx().
			Update(update(t.records, key).
				Set("resolvedAt", outcome.At.UTC()).Set("outcome", outcome.Word).Set("net", exactFloat(outcome.Net)).
				If("attribute_exists(pk) AND attribute_not_exists(resolvedAt)")).
			Delete(t.records.Delete(partitionKey, duePartition(source)).Range(sortKey, dueSort(open.DueAt, id))).
			Run(ctx)
	})
	switch {
	case failedCondition(err) >= 0: // somebody else was first
		return fmt.Errorf("outcome of follow-up %s: %w", id, store.ErrConflict)
	case err != nil:
		return fmt.Errorf("resolve follow-up %s: %w", id, err)
	}
	return nil
}

func (r forecastRow) forecast() store.Forecast {
	return store.Forecast{
		Source: r.Source, Chain: r.Chain, Wallet: r.Wallet, GradedAt: r.GradedAt, Mirrorable: r.Mirrorable,
		Probability: float64(r.Probability), BaseRate: float64(r.BaseRate), MethodVersion: r.MethodVersion, Data: r.Data,
	}
}

func (r followUpRow) followUp() store.FollowUp {
	return store.FollowUp{
		ID: r.ID, Source: r.Source, Chain: r.Chain, Wallet: r.Wallet, Token: r.Token,
		EnteredAt: r.EnteredAt, DueAt: r.DueAt, SeenAt: r.SeenAt, EntryPriceUSD: float64(r.EntryPriceUSD), Data: r.Data,
		ResolvedAt: r.ResolvedAt, Outcome: r.Outcome, Net: float64(r.Net),
	}
}
