package dynamo_test

import (
	"context"
	"errors"
	"iter"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo"
)

var (
	followed = store.FollowedLeader{Group: store.Group{Kind: "spot", Place: "base"}, Leader: "0xleader"}
	copier   = store.Agent{
		AgentKey: store.AgentKey{Partner: "acme", ID: "1"}, Owner: "0xowner", FollowedLeader: followed, Status: "active", Following: true,
		DueAt: epoch.Add(time.Hour), Version: 1, CreatedAt: epoch, ChangedAt: epoch, Data: []byte("{}"),
	}
	request = store.KeyedRequest{
		Partner: "acme", Key: "key", Fingerprint: []byte("print"), Token: "token", BegunAt: epoch, LeaseUntil: epoch.Add(time.Minute),
	}
	webhook = store.Webhook{Partner: "acme", Version: 1, ChangedAt: epoch, Data: []byte("{}")}
	reading = store.Reading{Of: followed, Version: 1, At: epoch, Data: []byte("{}")}
)

func copying(version int64) (store.Book, []store.Execution) {
	return store.Book{Agent: copier.AgentKey, Version: version, ExposureMicroUSD: version, LimitMicroUSD: 10, Data: []byte("{}")},
		[]store.Execution{{Agent: copier.AgentKey, ID: "a", At: epoch, Status: "planned", Version: version, Data: []byte("{}")}}
}

func told(id string) store.Event {
	return store.Event{ID: id, Type: "agent.paused", Partner: "acme", At: epoch, Data: []byte("{}")}
}

func toldDelivery(id string) store.Delivery {
	return store.Delivery{ID: id, Partner: "acme", Event: told(id), DueAt: epoch, FirstDueAt: epoch}
}

// writeCopying makes every write that is a transaction, one after the other.
func writeCopying(t *testing.T, opened *dynamo.Store) iter.Seq2[string, error] {
	ctx := t.Context()
	return func(yield func(string, error) bool) {
		paused := copier
		paused.Status, paused.Following, paused.DueAt, paused.Version = "paused", false, epoch.Add(2*time.Hour), 2
		first, executions := copying(1)
		second, changed := copying(2)
		again := reading
		again.Version = 2
		parked := toldDelivery("entered")
		later := toldDelivery("changed")
		later.Attempts, later.DueAt = 1, epoch.Add(time.Hour)
		steps := []struct {
			what string
			do   func() error
		}{
			{"Create", func() error { return opened.Agents().Create(ctx, copier, told("created")) }},
			{"Change", func() error { return opened.Agents().Change(ctx, paused, told("changed")) }},
			{"Enter", func() error { return opened.Executions().Enter(ctx, first, executions, told("entered")) }},
			{"second Enter", func() error { return opened.Executions().Enter(ctx, second, changed) }},
			{"Keep", func() error { return opened.Readings().Keep(ctx, reading) }},
			{"second Keep", func() error { return opened.Readings().Keep(ctx, again) }},
			{"Put", func() error { return opened.Webhooks().Put(ctx, webhook) }},
			{"Begin", func() error { return begun(opened.Idempotency().Begin(ctx, request)) }},
			{"Begin when the lease has ended", func() error {
				second := request
				second.BegunAt, second.LeaseUntil = request.LeaseUntil, request.LeaseUntil.Add(time.Minute)
				return begun(opened.Idempotency().Begin(ctx, second))
			}},
			{"Postpone", func() error { return opened.Outbox().Postpone(ctx, toldDelivery("changed"), 1, later.DueAt) }},
			{"Done", func() error { return opened.Outbox().Done(ctx, later) }},
			{"Park", func() error { return opened.Outbox().Park(ctx, parked) }},
			// Said again while it is parked: the first attempt is refused, and only the second has an answer to lose.
			{"Enter of what is parked", func() error {
				third, changed := copying(3)
				return opened.Executions().Enter(ctx, third, changed, told("entered"))
			}},
			{"Replay", func() error { return opened.Outbox().Replay(ctx, "acme", "entered", epoch) }},
			{"Add", func() error { return opened.Outbox().Add(ctx, toldDelivery("added")) }},
			{"Add again", func() error { return opened.Outbox().Add(ctx, toldDelivery("added")) }},
			{"Grade", func() error {
				err := opened.Leaders().Find(ctx, group, "0xlost", finding("a", epoch))
				return errors.Join(err, opened.Leaders().Grade(ctx, group, "0xlost", time.Time{}, grading, changedGrade()))
			}},
		}
		for _, step := range steps {
			if !yield(step.what, step.do()) {
				return
			}
		}
	}
}

func changedGrade() store.Event {
	event := changed
	event.ID += "-lost"
	return event
}

func begun(_ store.KeyedRequest, mine bool, err error) error {
	if err == nil && !mine {
		err = errors.New("not mine")
	}
	return err
}

// tokenClient notes the tokens of transactions, and has answers for the first.
type tokenClient struct {
	dynamodbiface.DynamoDBAPI
	answers []error
	tokens  []string
}

func (c *tokenClient) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	c.tokens = append(c.tokens, aws.ToString(in.ClientRequestToken))
	if len(c.answers) == 0 {
		return c.DynamoDBAPI.TransactWriteItems(ctx, in, o...)
	}
	answer := c.answers[0]
	c.answers = c.answers[1:]
	return nil, answer
}

// TestTransactionsUnderWayAreRepeated: whoever is told that its own transaction is still under way asks for the same one again, by its
// token; and whoever meets another's begins a new one.
func TestTransactionsUnderWayAreRepeated(t *testing.T) {
	_, client, names := openWatched(t)
	tokens := &tokenClient{DynamoDBAPI: client}
	opened := dynamo.Open(tokens, names)
	tokens.answers = []error{&types.TransactionInProgressException{}, &types.TransactionInProgressException{}, conflict("TransactionConflict")}
	if err := opened.Readings().Keep(t.Context(), reading); err != nil {
		t.Fatal(err)
	}
	if got := tokens.tokens; len(got) != 4 || got[0] == "" || got[0] != got[1] || got[1] != got[2] || got[2] == got[3] {
		t.Errorf("tokens %q, want one three times, and then another", got)
	}
}

// TestEnterIsOneCall: what a copy waits for is one transaction, and nothing is read for it.
func TestEnterIsOneCall(t *testing.T) {
	opened, client, _ := openWatched(t)
	for version := range int64(3) {
		client.reset()
		book, executions := copying(version + 1)
		if err := opened.Executions().Enter(t.Context(), book, executions, told("entered")); err != nil {
			t.Fatal(err)
		}
		if calls := client.reset(); len(calls) != 1 || calls[0] != "TransactWriteItems" {
			t.Errorf("calls %v", calls)
		}
	}
}

// TestLargestEntryFits: DynamoDB takes at most 100 rows and 4 MB in one transaction.
func TestLargestEntryFits(t *testing.T) {
	if rows := 1 + 2*store.MaximumEntered + 3*store.MaximumEvents; rows > 100 {
		t.Errorf("%d rows", rows)
	}
	const row = 2 << 10 // keys and what else is in a row
	bytes := store.MaximumBook + row + store.MaximumEntered*(store.MaximumExecution+2*row) + store.MaximumEvents*(2*store.MaximumEvent+3*row)
	if bytes > 4<<20 {
		t.Errorf("%d bytes", bytes)
	}
}

// TestRequestsAndNoncesExpire: they are deleted later than anybody may see them, and nothing else of copying is.
func TestRequestsAndNoncesExpire(t *testing.T) {
	client := newFake(t)
	names := newTables(t, client)
	opened := dynamo.Open(client, names)
	for what, err := range writeCopying(t, opened) {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	until := epoch.Add(time.Hour)
	if err := opened.Nonces().Claim(t.Context(), "scope", "nonce", "holder", until, epoch); err != nil {
		t.Fatal(err)
	}
	scan, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(names.Records)})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{
		"REQUEST": request.LeaseUntil.Add(store.IdempotencyLife + 24*time.Hour).Unix(), "NONCE": until.Add(store.NonceMargin).Unix(),
		"EVENTS": epoch.Add(store.EventLife).Unix(),
	}
	seen := map[string]int{}
	for _, item := range scan.Items {
		kind, _, _ := strings.Cut(item["pk"].(*types.AttributeValueMemberS).Value, "#")
		seen[kind]++
		expiry, expires := item["expiresAt"].(*types.AttributeValueMemberN)
		if at, should := want[kind]; should != expires {
			t.Errorf("%s expires: %v", kind, expires)
		} else if expires && expiry.Value != strconv.FormatInt(at+1, 10) {
			t.Errorf("%s expires at %s, want %d", kind, expiry.Value, at+1)
		}
	}
	for kind := range want {
		if seen[kind] == 0 {
			t.Errorf("no row of kind %s", kind)
		}
	}
}
