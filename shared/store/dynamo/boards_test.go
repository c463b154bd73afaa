package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo"
)

var errInterrupted = errors.New("interrupted")

// interruptedClient makes a number of calls on rows and no more. With done, the call at which it stops is made, and its answer lost.
type interruptedClient struct {
	dynamodbiface.DynamoDBAPI
	left atomic.Int64
	done bool
}

func interrupted[In, Out any](c *interruptedClient, ctx context.Context, in In, o []func(*dynamodb.Options), call func(context.Context, In, ...func(*dynamodb.Options)) (*Out, error)) (*Out, error) {
	left := c.left.Add(-1)
	if left < 0 && (left < -1 || !c.done) {
		return nil, errInterrupted
	}
	out, err := call(ctx, in, o...)
	if left < 0 {
		return nil, errInterrupted
	}
	return out, err
}

func (c *interruptedClient) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return interrupted(c, ctx, in, o, c.DynamoDBAPI.GetItem)
}

func (c *interruptedClient) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	return interrupted(c, ctx, in, o, c.DynamoDBAPI.PutItem)
}

func (c *interruptedClient) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	return interrupted(c, ctx, in, o, c.DynamoDBAPI.UpdateItem)
}

func (c *interruptedClient) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	return interrupted(c, ctx, in, o, c.DynamoDBAPI.DeleteItem)
}

func (c *interruptedClient) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if !aws.ToBool(in.ConsistentRead) {
		return nil, errors.New("a query that may miss what was just written")
	}
	return interrupted(c, ctx, in, o, c.DynamoDBAPI.Query)
}

func (c *interruptedClient) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	return interrupted(c, ctx, in, o, c.DynamoDBAPI.BatchWriteItem)
}

func (c *interruptedClient) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	return interrupted(c, ctx, in, o, c.DynamoDBAPI.TransactWriteItems)
}

// edition returns an edition with rows that say whose they are.
func edition(at time.Time, by string, rows int) (store.Edition, [][]byte) {
	made := make([][]byte, rows)
	for i := range made {
		made[i] = fmt.Appendf(nil, "%s-%d", by, i)
	}
	return store.Edition{Board: "spot", At: at, Rows: rows, Data: []byte(by)}, made
}

// checkCurrent looks for one edition whole as the current one.
func checkCurrent(t *testing.T, boards store.Boards, by string, rows int) {
	t.Helper()
	current, err := boards.Current(t.Context(), "spot")
	if err != nil || string(current.Data) != by || current.Rows != rows {
		t.Fatalf("current edition of %d rows by %s, %v; want %d by %s", current.Rows, current.Data, err, rows, by)
	}
	got, err := boards.Rows(t.Context(), "spot", current.At, 0, store.MaximumListed)
	_, want := edition(current.At, by, rows)
	if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("rows %q, %v; want %q", got, err, want)
	}
}

// boardRows counts what is in the table of a board's drafts.
func boardRows(t *testing.T, client dynamodbiface.DynamoDBAPI, table string) int {
	t.Helper()
	scan, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(table)})
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, item := range scan.Items {
		if strings.HasPrefix(item["pk"].(*types.AttributeValueMemberS).Value, "BOARD#spot#") {
			count++
		}
	}
	return count
}

// TestInterruptedEditions stops a publication after each of its calls. The board stays as it was, unless it was the answer to the
// last that was lost; the publication can be repeated, with other rows; and once enough time has passed nothing of it is left.
func TestInterruptedEditions(t *testing.T) {
	const rows, later = 60, 26
	client := newFake(t)
	names := newTables(t, client)
	whole := dynamo.Open(client, names).Boards()
	publish := func(boards store.Boards, at time.Time, by string, rows int) error {
		edition, made := edition(at, by, rows)
		return boards.Publish(t.Context(), edition, made)
	}
	at, by := epoch, "first"
	if err := errors.Join(publish(whole, at, "zeroth", 1), publish(whole, at.Add(1), by, 2)); err != nil {
		t.Fatal(err)
	}
	size := 2
	for _, done := range []bool{false, true} {
		for calls := int64(0); ; calls++ {
			stopped := &interruptedClient{DynamoDBAPI: client, done: done}
			stopped.left.Store(calls)
			at = at.Add(time.Minute)
			err := publish(dynamo.Open(stopped, names).Boards(), at, "interrupted", rows)
			switch current, currentErr := whole.Current(t.Context(), "spot"); {
			case currentErr != nil:
				t.Fatal(currentErr)
			case err == nil || string(current.Data) == "interrupted":
				by, size = "interrupted", rows
			}
			checkCurrent(t, whole, by, size)
			if err == nil {
				if calls < 8 {
					t.Fatalf("published with %d calls", calls)
				}
				break
			}
			if !errors.Is(err, errInterrupted) {
				t.Errorf("after %d calls: %v", calls, err)
			}
			if by == "interrupted" {
				continue
			}
			if by, size = fmt.Sprint("repeated-", calls), later; publish(whole, at, by, size) != nil {
				t.Fatalf("after %d calls it could not be repeated", calls)
			}
			checkCurrent(t, whole, by, size)
		}
	}
	// What was before these three is deleted with the last of them: the first took its place, and the second was too young.
	for range 3 {
		at = at.Add(store.EditionLife)
		if err := publish(whole, at, "last", 3); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := boardRows(t, client, names.Records), 3*(3+1); got != want {
		t.Errorf("%d rows are left, want %d", got, want)
	}
	checkCurrent(t, whole, "last", 3)
}
