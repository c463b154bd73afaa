package dynamo_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo/engine"
)

var (
	group   = store.Group{Kind: "spot", Place: "base"}
	grading = store.Grading{At: epoch, Pass: "pass-1", Grade: "B", Verdict: "mirrorable", Data: []byte("{}")}
	changed = store.Event{ID: "changed-1", Type: "leader.grade_changed", At: epoch, Data: []byte("{}")}
)

func finding(source string, at time.Time) store.Finding { return store.Finding{Source: source, At: at} }

// repeatingClient writes everything twice, as a client does when the first answer was lost.
type repeatingClient struct{ dynamodbiface.DynamoDBAPI }

func (c repeatingClient) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	_, _ = c.DynamoDBAPI.PutItem(ctx, in, o...)
	return c.DynamoDBAPI.PutItem(ctx, in, o...)
}

func (c repeatingClient) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	_, _ = c.DynamoDBAPI.UpdateItem(ctx, in, o...)
	return c.DynamoDBAPI.UpdateItem(ctx, in, o...)
}

func (c repeatingClient) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	_, _ = c.DynamoDBAPI.DeleteItem(ctx, in, o...)
	return c.DynamoDBAPI.DeleteItem(ctx, in, o...)
}

func (c repeatingClient) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	_, _ = c.DynamoDBAPI.BatchWriteItem(ctx, in, o...)
	return c.DynamoDBAPI.BatchWriteItem(ctx, in, o...)
}

// TestRepeatedWritesCountOnce: a write that was done and whose answer was lost succeeds, and is done once.
func TestRepeatedWritesCountOnce(t *testing.T) {
	server := httptest.NewServer(engine.New())
	t.Cleanup(server.Close)
	client := newClient(server.URL)
	names := newTables(t, client)
	transport := &lossyTransport{remembers: true, answers: map[string][]byte{}}
	lossy := dynamodb.New(client.Options(), func(o *dynamodb.Options) {
		o.HTTPClient = &http.Client{Transport: transport}
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = time.Millisecond })
	})
	opened := dynamo.Open(repeatingClient{lossy}, names)
	ctx := t.Context()

	pass := store.Pass{Job: "grade-leaders", ID: "pass-1", At: epoch, Parts: 2}
	if _, begun, err := opened.Passes().Begin(ctx, pass, 0); err != nil || !begun {
		t.Errorf("Begin: %v, %v", begun, err)
	}
	if got, err := opened.Passes().CompletePart(ctx, pass.Job, pass.ID, 1, 3, 2); err != nil || got.Items != 3 || got.Failed != 2 {
		t.Errorf("CompletePart: %+v, %v", got, err)
	}
	leaders := opened.Leaders()
	for what, err := range map[string]error{
		"Finish": opened.Passes().Finish(ctx, pass.Job, pass.ID, epoch),
		"Find":   errors.Join(leaders.Find(ctx, group, "0x1", finding("a", epoch)), leaders.Find(ctx, group, "0x1", finding("a", epoch.Add(1)))),
		"Grade":  leaders.Grade(ctx, group, "0x1", time.Time{}, grading, changed),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if leader, err := leaders.Leader(ctx, group, "0x1"); err != nil || len(leader.Findings) != 1 || !leader.Grading.At.Equal(epoch) {
		t.Errorf("leader %+v, %v", leader, err)
	}
	for _, source := range []string{"b", "c", "d", "e", "f", "g", "h"} {
		if err := leaders.Find(ctx, group, "0x1", finding(source, epoch)); err != nil {
			t.Errorf("source %s: %v; it was counted twice", source, err)
		}
	}
	if err := leaders.Remove(ctx, group, "0x1", epoch.Add(1)); err != nil {
		t.Errorf("Remove: %v", err)
	}
	if _, err := leaders.Leader(ctx, group, "0x1"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a removed leader: %v", err)
	}
	for i, at := range []time.Time{epoch, epoch.Add(time.Hour), epoch.Add(9 * time.Hour), epoch.Add(18 * time.Hour)} {
		edition, rows := edition(at, "repeated", 30+i)
		if err := opened.Boards().Publish(ctx, edition, rows); err != nil {
			t.Errorf("Publish: %v", err)
		}
		checkCurrent(t, opened.Boards(), "repeated", 30+i)
	}
	if transport.lost != 10 {
		t.Errorf("%d answers were lost, want those of Begin, of Grade, and of two for each edition", transport.lost)
	}
}

// TestFailuresOfLeadersAreNotAnswers: when DynamoDB fails, every method says so, and never that something is missing or taken.
func TestFailuresOfLeadersAreNotAnswers(t *testing.T) {
	client := newFake(t)
	stopped := &interruptedClient{DynamoDBAPI: client}
	opened := dynamo.Open(stopped, newTables(t, client))
	passes, leaders, boards := opened.Passes(), opened.Leaders(), opened.Boards()
	edition, rows := edition(epoch, "nobody", 1)
	for name, call := range map[string]func() error{
		"Begin": func() error {
			_, begun, err := passes.Begin(t.Context(), store.Pass{Job: "job", ID: "pass", At: epoch}, 0)
			if begun {
				t.Error("a pass began without DynamoDB")
			}
			return err
		},
		"Latest":       func() error { _, err := passes.Latest(t.Context(), "job"); return err },
		"CompletePart": func() error { _, err := passes.CompletePart(t.Context(), "job", "pass", 0, 0, 0); return err },
		"Finish":       func() error { return passes.Finish(t.Context(), "job", "pass", epoch) },
		"Find":         func() error { return leaders.Find(t.Context(), group, "0x1", finding("a", epoch)) },
		"Leader":       func() error { _, err := leaders.Leader(t.Context(), group, "0x1"); return err },
		"List":         func() error { _, err := leaders.List(t.Context(), group, "", "", 1); return err },
		"Grade":        func() error { return leaders.Grade(t.Context(), group, "0x1", time.Time{}, grading, changed) },
		"Remove":       func() error { return leaders.Remove(t.Context(), group, "0x1", epoch) },
		"Said":         func() error { _, err := opened.Events().Said(t.Context(), epoch, time.Time{}, "", 1); return err },
		"Publish":      func() error { return boards.Publish(t.Context(), edition, rows) },
		"Current":      func() error { _, err := boards.Current(t.Context(), "spot"); return err },
		"Edition":      func() error { _, err := boards.Edition(t.Context(), "spot", epoch); return err },
		"Rows":         func() error { _, err := boards.Rows(t.Context(), "spot", epoch, 0, 1); return err },
	} {
		err := call()
		if !errors.Is(err, errInterrupted) || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrInvalid) {
			t.Errorf("%s: error %v, want what DynamoDB said", name, err)
		}
	}
}

// TestEventsExpire: what was said is deleted no sooner than was promised, and nothing else that the boards are made of.
func TestEventsExpire(t *testing.T) {
	client := newFake(t)
	names := newTables(t, client)
	opened := dynamo.Open(client, names)
	edition, rows := edition(epoch, "nobody", 1)
	_, _, err := opened.Passes().Begin(t.Context(), store.Pass{Job: "job", ID: "pass", At: epoch}, 0)
	if err := errors.Join(
		err, opened.Leaders().Find(t.Context(), group, "0x1", finding("a", epoch)),
		opened.Leaders().Grade(t.Context(), group, "0x1", time.Time{}, grading, changed), opened.Boards().Publish(t.Context(), edition, rows),
	); err != nil {
		t.Fatal(err)
	}
	scan, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(names.Records)})
	if err != nil {
		t.Fatal(err)
	}
	want := strconv.FormatInt(epoch.Add(store.EventLife).Unix()+1, 10)
	events := 0
	for _, item := range scan.Items {
		partition := item["pk"].(*types.AttributeValueMemberS).Value
		expiry, expires := item["expiresAt"].(*types.AttributeValueMemberN)
		switch isEvent := strings.HasPrefix(partition, "EVENTS#"); {
		case isEvent != expires:
			t.Errorf("%s expires: %v", partition, expires)
		case isEvent:
			events++
			if expiry.Value != want {
				t.Errorf("an event expires at %s, want %s", expiry.Value, want)
			}
		}
	}
	if events != 1 || len(scan.Items) != 8 { // the event is in the outbox, too: until it is delivered, however long that takes
		t.Errorf("%d events in %d rows, want 1 in 8", events, len(scan.Items))
	}
}

// TestConflictsWithGradingAreRetried: a transaction under way on a leader is neither a failure nor a refusal.
func TestConflictsWithGradingAreRetried(t *testing.T) {
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
	for _, write := range []struct {
		what string
		do   func() error
	}{
		{"Begin", func() error {
			_, _, err := opened.Passes().Begin(t.Context(), store.Pass{Job: "job", ID: "pass", At: epoch, Parts: 1}, 0)
			return err
		}},
		{"CompletePart", func() error { _, err := opened.Passes().CompletePart(t.Context(), "job", "pass", 0, 0, 0); return err }},
		{"Finish", func() error { return opened.Passes().Finish(t.Context(), "job", "pass", epoch) }},
		{"Find", func() error { return opened.Leaders().Find(t.Context(), group, "0x1", finding("a", epoch)) }},
		{"Grade", func() error { return opened.Leaders().Grade(t.Context(), group, "0x1", time.Time{}, grading, changed) }},
	} {
		conflicts = []error{conflict("TransactionConflict", "None"), &types.TransactionConflictException{}}
		if err := write.do(); err != nil || len(conflicts) > 0 {
			t.Errorf("%s: %v, %d conflicts were not met", write.what, err, len(conflicts))
		}
	}
}
