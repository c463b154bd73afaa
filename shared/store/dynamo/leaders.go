package dynamo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Leaders returns the leaders of the tables.
func (s *Store) Leaders() store.Leaders { return leaders{s} }

type leaders struct{ *Store }

// leaderRow is what a leader's row holds, but for its findings: each is an attribute of its own (findingName), so that sources do
// not wait for each other.
type leaderRow struct {
	Address string `dynamo:"sk"`
	FoundAt string `dynamo:"foundAt"`
	Sources int    `dynamo:"sources"`
	// GradedAt is empty before the first grading.
	GradedAt string `dynamo:"gradedAt"`
	Pass     string `dynamo:"gradedIn"`
	Grade    string `dynamo:"grade"`
	Verdict  string `dynamo:"verdict"`
	Data     []byte `dynamo:"graded"`
}

type findingRow struct {
	At   string `dynamo:"at"`
	Data []byte `dynamo:"data,allowempty"`
}

// firstAddress is the least text that can be an address.
const firstAddress = "!"

func leadersPartition(group store.Group) string { return "LEADERS#" + group.Kind + "#" + group.Place }

func leaderKey(group store.Group, address string) rowKey {
	return rowKey{leadersPartition(group), address}
}

// findingPrefix begins the names of the attributes that are findings.
const findingPrefix = "finding#"

func findingName(source string) string { return findingPrefix + source }

// Find is one write where the source has found the leader before: a replacement on the condition that what is kept is not newer. A
// refused write brings back the row that refused it; only a source that is new to the leader needs another write, which counts it.
func (l leaders) Find(ctx context.Context, group store.Group, address string, finding store.Finding) error {
	if err := errors.Join(ctx.Err(), store.CheckLeader(group, address), finding.Validate()); err != nil {
		return err
	}
	at, name := sortableTime(finding.At), findingName(finding.Source)
	write := func() *dynamo.Update {
		return update(l.records, leaderKey(group, address)).SetExpr("$ = ?", name, findingRow{At: at, Data: finding.Data}).
			IncludeItemInCondCheckFail(true)
	}
	next := write().If("$.$ <= ?", name, "at", at)
	for {
		err := retryConflicts(ctx, func() error { return next.Run(ctx) })
		if err == nil {
			return nil
		}
		var item dynamo.Item
		if _, err := refused(err, &item); err != nil {
			return fmt.Errorf("find leader %s of %v: %w", address, group, err)
		}
		var row leaderRow
		if err := dynamo.UnmarshalItem(item, &row); err != nil {
			return fmt.Errorf("find leader %s of %v: %w", address, group, err)
		}
		kept, known := item[name]
		switch {
		case known:
			before, err := readFinding(finding.Source, kept)
			if err != nil {
				return fmt.Errorf("find leader %s of %v: %w", address, group, err)
			}
			if before.At.After(finding.At) {
				return nil
			}
			next = write().If("$.$ <= ?", name, "at", at)
		case row.Sources >= store.MaximumSources:
			return fmt.Errorf("%w: leader %s has %d sources already", store.ErrInvalid, address, store.MaximumSources)
		default:
			next = write().SetIfNotExists("foundAt", at).Add("sources", 1).
				If("attribute_not_exists($) AND (attribute_not_exists($) OR $ < ?)", name, "sources", "sources", store.MaximumSources)
		}
	}
}

func (l leaders) Leader(ctx context.Context, group store.Group, address string) (store.Leader, error) {
	if err := errors.Join(ctx.Err(), store.CheckLeader(group, address)); err != nil {
		return store.Leader{}, err
	}
	var item dynamo.Item
	err := get(l.records, leaderKey(group, address)).One(ctx, &item)
	switch {
	case errors.Is(err, dynamo.ErrNotFound):
		return store.Leader{}, fmt.Errorf("leader %s of %v: %w", address, group, store.ErrNotFound)
	case err != nil:
		return store.Leader{}, fmt.Errorf("read leader %s of %v: %w", address, group, err)
	}
	return readLeader(group, item)
}

func (l leaders) List(ctx context.Context, group store.Group, from, to string, limit int) ([]store.Leader, error) {
	if err := errors.Join(ctx.Err(), store.CheckLeaders(group, from, to, limit)); err != nil {
		return nil, err
	}
	listed := []store.Leader{}
	from = cmp.Or(from, firstAddress)
	query := l.records.Get(partitionKey, leadersPartition(group)).Limit(limit).Consistent(true)
	switch {
	case to == "":
		query = query.Range(sortKey, dynamo.GreaterOrEqual, from)
	case from < to:
		query = query.Range(sortKey, dynamo.Between, from, to)
	default:
		return listed, nil
	}
	var items []dynamo.Item
	if err := query.All(ctx, &items); err != nil {
		return nil, fmt.Errorf("list leaders of %v: %w", group, err)
	}
	for _, item := range items {
		leader, err := readLeader(group, item)
		if err != nil {
			return nil, err
		}
		if leader.Address != to { // the condition has both ends
			listed = append(listed, leader)
		}
	}
	return listed, nil
}

func (l leaders) Grade(ctx context.Context, group store.Group, address string, since time.Time, grading store.Grading, events ...store.Event) error {
	if err := errors.Join(ctx.Err(), store.CheckGrade(group, address, since, grading, events)); err != nil {
		return err
	}
	at := sortableTime(grading.At)
	err := l.say(ctx, events, func(tx *dynamo.WriteTx) {
		write := update(l.records, leaderKey(group, address)).
			Set("gradedAt", at).Set("gradedIn", grading.Pass).SetNullable("grade", grading.Grade).Set("verdict", grading.Verdict).
			Set("graded", grading.Data)
		if since.IsZero() {
			write = write.If("attribute_exists(pk) AND attribute_not_exists(gradedAt)")
		} else {
			write = write.If("gradedAt = ? AND gradedAt < ?", sortableTime(since), at)
		}
		tx.Update(write)
	})
	if failedCondition(err) >= 0 {
		if _, err := l.Leader(ctx, group, address); err != nil {
			return err
		}
		return fmt.Errorf("grading of leader %s as of %v after %v: %w", address, grading.At, since, store.ErrConflict)
	}
	if err != nil {
		return fmt.Errorf("grade leader %s of %v: %w", address, group, err)
	}
	return nil
}

// Remove deletes a leader on the condition that its findings are still those that were looked at.
func (l leaders) Remove(ctx context.Context, group store.Group, address string, notFoundSince time.Time) error {
	if err := store.CheckTime("notFoundSince", notFoundSince); err != nil {
		return err
	}
	for {
		leader, err := l.Leader(ctx, group, address)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if slices.ContainsFunc(leader.Findings, func(f store.Finding) bool { return f.At.After(notFoundSince) }) {
			return nil
		}
		err = retryConflicts(ctx, func() error {
			key := leaderKey(group, address)
			remove := l.records.Delete(partitionKey, key.partition).Range(sortKey, key.sort).If("$ = ?", "sources", len(leader.Findings))
			for _, finding := range leader.Findings {
				remove = remove.If("$.$ <= ?", findingName(finding.Source), "at", sortableTime(notFoundSince))
			}
			return remove.Run(ctx)
		})
		if err == nil {
			return nil
		}
		if !dynamo.IsCondCheckFailed(err) {
			return fmt.Errorf("remove leader %s of %v: %w", address, group, err)
		}
	}
}

func readLeader(group store.Group, item dynamo.Item) (store.Leader, error) {
	var row leaderRow
	if err := dynamo.UnmarshalItem(item, &row); err != nil {
		return store.Leader{}, fmt.Errorf("read leader of %v: %w", group, err)
	}
	leader := store.Leader{
		Group: group, Address: row.Address, Findings: make([]store.Finding, 0, row.Sources),
		Grading: store.Grading{Pass: row.Pass, Grade: row.Grade, Verdict: row.Verdict, Data: row.Data},
	}
	var err, gradedErr error
	leader.FoundAt, err = time.Parse(sortedTime, row.FoundAt)
	if row.GradedAt != "" {
		leader.Grading.At, gradedErr = time.Parse(sortedTime, row.GradedAt)
	}
	failures := []error{err, gradedErr}
	for name, value := range item {
		if source, is := strings.CutPrefix(name, findingPrefix); is {
			finding, err := readFinding(source, value)
			failures = append(failures, err)
			leader.Findings = append(leader.Findings, finding)
		}
	}
	if err := errors.Join(failures...); err != nil {
		return store.Leader{}, fmt.Errorf("read leader %s of %v: %w", row.Address, group, err)
	}
	slices.SortFunc(leader.Findings, func(a, b store.Finding) int { return strings.Compare(a.Source, b.Source) })
	return leader, nil
}

func readFinding(source string, value types.AttributeValue) (store.Finding, error) {
	var row findingRow
	if err := dynamo.Unmarshal(value, &row); err != nil {
		return store.Finding{}, fmt.Errorf("finding of %s: %w", source, err)
	}
	at, err := time.Parse(sortedTime, row.At)
	return store.Finding{Source: source, At: at, Data: row.Data}, err
}
