package dynamo

import (
	"context"
	"errors"

	"github.com/guregu/dynamo/v2"
)

// reference is a row of a list: what it is ordered by, and the key of the row that it refers to.
type reference struct {
	Partition string `dynamo:"pk"`
	Sort      string `dynamo:"sk"`
	// Status is only in lists of executions.
	Status string `dynamo:"status,omitempty"`
	// ToPartition and ToSort are the key of the row that it refers to.
	ToPartition string `dynamo:"toPk"`
	ToSort      string `dynamo:"toSk"`
}

func referTo(key rowKey, from rowKey) reference {
	return reference{Partition: from.partition, Sort: from.sort, ToPartition: key.partition, ToSort: key.sort}
}

func (r reference) to() rowKey { return rowKey{r.ToPartition, r.ToSort} }

// list is a part of a partition in an order: the references between two sort keys, both inclusive.
type list struct {
	partition, first, last string
	descending             bool
	// status restricts it to references of one; empty for all.
	status string
	// after is the sort key of the reference after which it begins; empty for the first.
	after string
}

// listRows lists at most limit of the rows that a list refers to and that keep accepts. A row can have changed since it was listed, or be
// gone: keep tells whether it still belongs there. leftOver are the references before the last row that do not count.
func listRows[Row any](
	ctx context.Context, s *Store, from list, limit int, keyOf func(Row) rowKey, keep func(reference, Row) bool,
) (listed []Row, leftOver []reference, err error) {
	for len(listed) < limit {
		references, more, err := s.references(ctx, from, limit-len(listed))
		if err != nil {
			return nil, nil, err
		}
		rows, err := rowsOf(ctx, s, references, keyOf)
		if err != nil {
			return nil, nil, err
		}
		for _, reference := range references {
			if row, found := rows[reference.to()]; found && keep(reference, row) {
				listed = append(listed, row)
			} else {
				leftOver = append(leftOver, reference)
			}
		}
		if !more {
			return listed, leftOver, nil
		}
		from.after = references[len(references)-1].Sort
	}
	return listed, leftOver, nil
}

// references reads at most limit references. more says that others may follow.
func (s *Store) references(ctx context.Context, from list, limit int) (references []reference, more bool, err error) {
	first, last, asked := from.first, from.last, limit
	if from.after != "" {
		asked++ // the range has the one after which we list
		if from.descending {
			last = min(last, from.after)
		} else {
			first = max(first, from.after)
		}
	}
	if first > last { // which DynamoDB does not take for a range
		return nil, false, nil
	}
	query := s.records.Get(partitionKey, from.partition).Range(sortKey, dynamo.Between, first, last).
		Order(dynamo.Order(!from.descending)).Consistent(true)
	if from.status == "" {
		query = query.Limit(asked)
	} else {
		query = query.Filter("$ = ?", "status", from.status)
	}
	rows := query.Iter()
	for {
		var next reference
		if !rows.Next(ctx, &next) {
			return references, false, rows.Err()
		}
		if next.Sort == from.after {
			continue
		}
		if references = append(references, next); len(references) == limit {
			return references, true, nil
		}
	}
}

// rowsOf reads the rows that references refer to, as they stand now, by their keys.
func rowsOf[Row any](ctx context.Context, s *Store, references []reference, keyOf func(Row) rowKey) (map[rowKey]Row, error) {
	if len(references) == 0 {
		return nil, nil
	}
	wanted := make([]dynamo.Keyed, 0, len(references))
	seen := make(map[rowKey]bool, len(references))
	for _, reference := range references {
		if to := reference.to(); !seen[to] { // DynamoDB refuses to be asked twice for one row
			seen[to] = true
			wanted = append(wanted, to)
		}
	}
	var rows []Row
	err := s.records.Batch(partitionKey, sortKey).Get(wanted...).Consistent(true).All(ctx, &rows)
	if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return nil, err
	}
	byKey := make(map[rowKey]Row, len(rows))
	for _, row := range rows {
		byKey[keyOf(row)] = row
	}
	return byKey, nil
}
