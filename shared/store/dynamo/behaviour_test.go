package dynamo_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo"
)

// watchedClient notes every call on rows, and may fail it before it is made.
type watchedClient struct {
	dynamodbiface.DynamoDBAPI
	mu     sync.Mutex
	calls  []string
	before func(call string) error
}

func (c *watchedClient) note(call string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, call)
	if c.before != nil {
		return c.before(call)
	}
	return nil
}

// reset forgets the calls and returns what they were.
func (c *watchedClient) reset() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	calls := c.calls
	c.calls = nil
	return calls
}

func (c *watchedClient) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if err := c.note("GetItem"); err != nil {
		return nil, err
	}
	return c.DynamoDBAPI.GetItem(ctx, in, o...)
}

func (c *watchedClient) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	if err := c.note("UpdateItem"); err != nil {
		return nil, err
	}
	return c.DynamoDBAPI.UpdateItem(ctx, in, o...)
}

func (c *watchedClient) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if err := c.note("Query"); err != nil {
		return nil, err
	}
	if in.ConsistentRead == nil || !*in.ConsistentRead {
		return nil, errors.New("a query that may miss what was just written")
	}
	return c.DynamoDBAPI.Query(ctx, in, o...)
}

func (c *watchedClient) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	if err := c.note("BatchGetItem"); err != nil {
		return nil, err
	}
	return c.DynamoDBAPI.BatchGetItem(ctx, in, o...)
}

func (c *watchedClient) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	if err := c.note("TransactWriteItems"); err != nil {
		return nil, err
	}
	return c.DynamoDBAPI.TransactWriteItems(ctx, in, o...)
}

func openWatched(t *testing.T) (*dynamo.Store, *watchedClient, dynamo.Tables) {
	t.Helper()
	client := &watchedClient{DynamoDBAPI: newFake(t)}
	names := newTables(t, client)
	return dynamo.Open(client, names), client, names
}

var (
	epoch = time.Date(2026, 3, 14, 15, 9, 26, 535_897_932, time.UTC)
	limit = store.Limit{PerMinute: 6000, Burst: 1200}
	acme  = store.Partner{ID: "acme", Name: "Acme", Limit: limit, CreatedAt: epoch}
)

func liveKey(id string) store.Key {
	return store.Key{ID: id, PartnerID: "acme", Mode: store.ModeLive, Hash: []byte{1, 2, 3}, CreatedAt: epoch}
}

// TestMeteringIsOneWrite: what every request costs is one call each, for as long as the partner is busy.
func TestMeteringIsOneWrite(t *testing.T) {
	opened, client, _ := openWatched(t)
	meter := opened.Meter()
	steps := []struct {
		what string
		do   func() error
		want []string
	}{
		{"the first Take", func() error { _, err := meter.Take(t.Context(), "acme", limit, 3, epoch); return err }, []string{"UpdateItem", "UpdateItem"}},
		{"Take", func() error { _, err := meter.Take(t.Context(), "acme", limit, 1200-3, epoch); return err }, []string{"UpdateItem"}},
		{"a refusal", func() error { _, err := meter.Take(t.Context(), "acme", limit, 3, epoch); return err }, []string{"UpdateItem"}},
		{"Return", func() error { return meter.Return(t.Context(), "acme", limit, 3, epoch) }, []string{"UpdateItem"}},
		{"Take behind the latest clock", func() error { _, err := meter.Take(t.Context(), "acme", limit, 1, epoch.Add(-1e6)); return err }, []string{"UpdateItem", "UpdateItem"}},
		{"Take of 0", func() error { _, err := meter.Take(t.Context(), "acme", limit, 0, epoch); return err }, []string{"GetItem"}},
		{"the first Count", func() error { return meter.Count(t.Context(), "acme", "token-intel", 3, epoch) }, []string{"UpdateItem", "UpdateItem"}},
		{"Count", func() error { return meter.Count(t.Context(), "acme", "token-intel", 3, epoch) }, []string{"UpdateItem"}},
		{"Usage", func() error { _, err := meter.Usage(t.Context(), "acme", epoch); return err }, []string{"Query"}},
	}
	for _, step := range steps {
		client.reset()
		if err := step.do(); err != nil {
			t.Errorf("%s: %v", step.what, err)
		}
		if got := client.reset(); !slices.Equal(got, step.want) {
			t.Errorf("%s: calls %q, want %q", step.what, got, step.want)
		}
	}
}

func conflict(codes ...string) error {
	cancelled := &types.TransactionCanceledException{}
	for _, code := range codes {
		cancelled.CancellationReasons = append(cancelled.CancellationReasons, types.CancellationReason{Code: aws.String(code)})
	}
	return cancelled
}

// TestConflictsAreRetried: another transaction on the same rows is neither a failure nor a refusal.
func TestConflictsAreRetried(t *testing.T) {
	opened, client, _ := openWatched(t)
	var conflicts []error
	client.before = func(call string) error {
		if (call != "TransactWriteItems" && call != "UpdateItem") || len(conflicts) == 0 {
			return nil
		}
		next := conflicts[0]
		conflicts = conflicts[1:]
		return next
	}
	writes := []struct {
		what string
		do   func() error
	}{
		{"CreatePartner", func() error { return opened.Keys().CreatePartner(t.Context(), acme) }},
		{"SetLimit", func() error { return opened.Keys().SetLimit(t.Context(), "acme", limit) }},
		{"AddKey", func() error { return opened.Keys().AddKey(t.Context(), liveKey("aaaa1111")) }},
		{"RevokeKey", func() error { return opened.Keys().RevokeKey(t.Context(), "aaaa1111", epoch) }},
	}
	for _, write := range writes {
		conflicts = []error{
			conflict("TransactionConflict"),
			conflict("None", "TransactionConflict", "ConditionalCheckFailed", "None"), // which of them would fail is not known
			&types.TransactionConflictException{},
			&types.TransactionInProgressException{},
		}
		if err := write.do(); err != nil || len(conflicts) > 0 {
			t.Errorf("%s: %v, %d conflicts were not met", write.what, err, len(conflicts))
		}
	}
	if key, err := opened.Keys().Key(t.Context(), "aaaa1111"); err != nil || key.Live() {
		t.Errorf("key %+v, %v; want it revoked", key, err)
	}

	// A caller who gives up is not kept, whatever goes on.
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	client.before = func(string) error {
		if calls++; calls == 3 {
			cancel()
		}
		return conflict("TransactionConflict")
	}
	if err := opened.Keys().AddKey(ctx, liveKey("bbbb2222")); err == nil || calls != 3 {
		t.Errorf("after the caller gave up: %v after %d calls, want an error after 3", err, calls)
	}
}

// TestFailuresAreNotAnswers: when DynamoDB fails, every method says so, and never that something is missing, taken or granted.
func TestFailuresAreNotAnswers(t *testing.T) {
	opened, client, _ := openWatched(t)
	if err := errors.Join(opened.Keys().CreatePartner(t.Context(), acme), opened.Keys().AddKey(t.Context(), liveKey("aaaa1111"))); err != nil {
		t.Fatal(err)
	}
	down := errors.New("DynamoDB is down")
	client.before = func(string) error { return down }
	keys, meter := opened.Keys(), opened.Meter()
	for name, call := range map[string]func() error{
		"CreatePartner": func() error {
			return keys.CreatePartner(t.Context(), store.Partner{ID: "b", Limit: limit, CreatedAt: epoch})
		},
		"Partner":   func() error { _, err := keys.Partner(t.Context(), "acme"); return err },
		"Partners":  func() error { _, err := keys.Partners(t.Context()); return err },
		"SetLimit":  func() error { return keys.SetLimit(t.Context(), "acme", limit) },
		"AddKey":    func() error { return keys.AddKey(t.Context(), liveKey("bbbb2222")) },
		"Key":       func() error { _, err := keys.Key(t.Context(), "aaaa1111"); return err },
		"KeysOf":    func() error { _, err := keys.KeysOf(t.Context(), "acme"); return err },
		"RevokeKey": func() error { return keys.RevokeKey(t.Context(), "aaaa1111", epoch) },
		"Take": func() error {
			grant, err := meter.Take(t.Context(), "acme", limit, 1, epoch)
			if grant.Granted {
				t.Error("Take granted without DynamoDB")
			}
			return err
		},
		"Take of 0": func() error { _, err := meter.Take(t.Context(), "acme", limit, 0, epoch); return err },
		"Return":    func() error { return meter.Return(t.Context(), "acme", limit, 1, epoch) },
		"Count":     func() error { return meter.Count(t.Context(), "acme", "token-intel", 1, epoch) },
		"Usage":     func() error { _, err := meter.Usage(t.Context(), "acme", epoch); return err },
	} {
		err := call()
		if !errors.Is(err, down) {
			t.Errorf("%s: error %v, want what DynamoDB said", name, err)
		}
		for _, answer := range []error{store.ErrNotFound, store.ErrConflict, store.ErrTooManyKeys, store.ErrInvalid} {
			if errors.Is(err, answer) {
				t.Errorf("%s: a failure is reported as %v", name, answer)
			}
		}
	}
	// Half way through a list, too.
	for _, failing := range []string{"Query", "BatchGetItem"} {
		client.before = func(call string) error {
			if call == failing {
				return down
			}
			return nil
		}
		if of, err := keys.KeysOf(t.Context(), "acme"); !errors.Is(err, down) || of != nil {
			t.Errorf("KeysOf with %s down: %+v, %v", failing, of, err)
		}
	}
}

// TestRevocationOfSomebodyElse: a key that was revoked between the look at it and the write stays as it is.
func TestRevocationOfSomebodyElse(t *testing.T) {
	opened, client, names := openWatched(t)
	if err := errors.Join(opened.Keys().CreatePartner(t.Context(), acme), opened.Keys().AddKey(t.Context(), liveKey("aaaa1111"))); err != nil {
		t.Fatal(err)
	}
	other := dynamo.Open(client.DynamoDBAPI, names)
	client.before = func(call string) error {
		if call == "TransactWriteItems" {
			return other.Keys().RevokeKey(t.Context(), "aaaa1111", epoch)
		}
		return nil
	}
	if err := opened.Keys().RevokeKey(t.Context(), "aaaa1111", epoch.Add(time.Hour)); err != nil {
		t.Error(err)
	}
	if key, err := opened.Keys().Key(t.Context(), "aaaa1111"); err != nil || !key.RevokedAt.Equal(epoch) {
		t.Errorf("revoked at %v, %v; want the first time", key.RevokedAt, err)
	}
}

// TestOnlyUsageExpires: usage is deleted after it was promised to be kept, records and buckets never.
func TestOnlyUsageExpires(t *testing.T) {
	opened, client, names := openWatched(t)
	_, err := opened.Meter().Take(t.Context(), "acme", limit, 1, epoch)
	if err := errors.Join(
		err, opened.Keys().CreatePartner(t.Context(), acme), opened.Keys().AddKey(t.Context(), liveKey("aaaa1111")),
		opened.Meter().Count(t.Context(), "acme", "token-intel", 1, epoch),
	); err != nil {
		t.Fatal(err)
	}
	// The last day on which the usage of 14 March is promised is 21 March; DynamoDB may delete it from the end of the 22nd.
	want := time.Date(2026, 3, 14+store.KeepUsageDays+1, 0, 0, 0, 0, time.UTC).Unix()
	expiring, lasting := 0, 0
	for _, table := range []string{names.Records, names.Meters} {
		scan, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(table)})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range scan.Items {
			partition := item["pk"].(*types.AttributeValueMemberS).Value
			expiry, expires := item["expiresAt"].(*types.AttributeValueMemberN)
			switch {
			case strings.HasPrefix(partition, "USAGE#"):
				expiring++
				if !expires || expiry.Value != strconv.FormatInt(want, 10) {
					t.Errorf("usage expires at %+v, want %d", expiry, want)
				}
			case expires:
				t.Errorf("%s expires", partition)
			default:
				lasting++
			}
		}
	}
	if expiring != 1 || lasting != 5 {
		t.Errorf("%d rows expire and %d last, want 1 and 5", expiring, lasting)
	}
}

// TestDamagedBucketIsAnError: a row that no sequence of calls can have made never counts as a full bucket.
func TestDamagedBucketIsAnError(t *testing.T) {
	opened, client, names := openWatched(t)
	_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(names.Meters), Item: map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: "BUCKET#acme"}, "sk": &types.AttributeValueMemberS{Value: "BUCKET"},
		"fullAt": &types.AttributeValueMemberN{Value: "5"}, "asOf": &types.AttributeValueMemberN{Value: "7"}, "unitInterval": &types.AttributeValueMemberN{Value: "1"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, units := range []int{0, 1} {
		if grant, err := opened.Meter().Take(t.Context(), "acme", limit, units, epoch); err == nil {
			t.Errorf("Take of %d: %+v", units, grant)
		}
	}
	if err := opened.Meter().Return(t.Context(), "acme", limit, 1, epoch); err == nil {
		t.Error("Return to a damaged bucket")
	}
}
