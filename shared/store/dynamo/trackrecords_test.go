package dynamo_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo/engine"
)

var (
	launched  = store.Launch{Chain: "base", Token: "0x1", At: epoch, Data: []byte("{}")}
	pumped    = store.Launch{Chain: "base", Token: "0x1", At: epoch, Data: []byte("{}"), ExaminedAt: epoch, Outcome: []byte("pumped")}
	forecast  = store.Forecast{Source: "gate", Chain: "base", Wallet: "0xw", GradedAt: epoch, MethodVersion: "1"}
	followUp  = store.FollowUp{ID: "a", Source: "gate", Chain: "base", Wallet: "0xw", Token: "0x1", EnteredAt: epoch, DueAt: epoch.Add(time.Hour), SeenAt: epoch}
	toNothing = store.Outcome{At: epoch, Word: "dead", Net: -1}
)

func register(t *testing.T, launches store.Launches, of ...store.Launch) error {
	return launches.Register(t.Context(), "base", epoch, of, epoch)
}

func resolve(t *testing.T, records store.TrackRecords) error {
	return records.Resolve(t.Context(), "gate", "base", "0xw", "a", toNothing)
}

// openRecord has a launch, a forecast and an open follow-up.
func openRecord(t *testing.T) (*dynamo.Store, *watchedClient, dynamo.Tables) {
	t.Helper()
	opened, client, names := openWatched(t)
	_, err := opened.TrackRecords().Forecast(t.Context(), forecast)
	if err := errors.Join(err, register(t, opened.Launches(), launched), opened.TrackRecords().FollowUp(t.Context(), followUp)); err != nil {
		t.Fatal(err)
	}
	client.reset()
	return opened, client, names
}

// TestLaunchesExpireAndTrackRecordsLast: launches go after they were promised to be kept; what was forecast and what became of it never.
func TestLaunchesExpireAndTrackRecordsLast(t *testing.T) {
	_, client, names := openRecord(t)
	scan, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(names.Records)})
	if err != nil {
		t.Fatal(err)
	}
	expiries := map[string]string{}
	for _, item := range scan.Items {
		key := item["pk"].(*types.AttributeValueMemberS).Value + "/" + item["sk"].(*types.AttributeValueMemberS).Value
		expiries[key] = ""
		if expiry, expires := item["expiresAt"].(*types.AttributeValueMemberN); expires {
			expiries[key] = expiry.Value
		}
	}
	// 14 March and 200 days is 30 September; a launch lasts from its time on, the note from the end of the day on.
	unix := func(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
	for key, want := range map[string]string{
		"LAUNCHES#base#2026-03-14/TOKEN#0x1":        unix(time.Date(2026, 9, 30, 15, 9, 27, 0, time.UTC)),
		"LAUNCHES#base#2026-03-14/KNOWNUNTIL":       unix(time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)),
		"FORECASTS#gate/base 0xw":                   "",
		"FOLLOWUPS#gate#base#0xw/a":                 "",
		"DUE#gate/2026-03-14T16:09:26.535897932Z#a": "",
	} {
		if got, found := expiries[key]; !found || got != want {
			t.Errorf("%s: there %v, expires at %q, want %q", key, found, got, want)
		}
	}
	if len(expiries) != 5 {
		t.Errorf("rows %v, want 5", expiries)
	}
}

// TestRecordsMeetOthers: what somebody else wrote between the look and the write is neither lost nor written over.
func TestRecordsMeetOthers(t *testing.T) {
	opened, client, names := openRecord(t)
	other := dynamo.Open(client.DynamoDBAPI, names)
	once := func(call string, do func() error) {
		client.before = func(made string) error {
			if made != call {
				return nil
			}
			client.before = nil
			return do()
		}
	}
	second, third := launched, launched
	second.Token, third.Token = "0x2", "0x3"
	theirs := second
	theirs.Data = []byte("theirs")
	once("TransactWriteItems", func() error { return register(t, other.Launches(), theirs) })
	if err := register(t, opened.Launches(), launched, second, third); err != nil {
		t.Error(err)
	}
	of, err := opened.Launches().OfDay(t.Context(), "base", epoch)
	if err != nil || len(of) != 3 || string(of[1].Data) != "theirs" || of[2].Token != "0x3" {
		t.Errorf("launches %+v, %v; want three, and the other's second", of, err)
	}

	once("TransactWriteItems", func() error { return resolve(t, other.TrackRecords()) })
	if err := resolve(t, opened.TrackRecords()); !errors.Is(err, store.ErrConflict) {
		t.Errorf("Resolve after somebody else: %v, want %v", err, store.ErrConflict)
	}
}

// TestLaunchesCutShort: a registration that ends half way promises nothing, and can be repeated.
func TestLaunchesCutShort(t *testing.T) {
	opened, client, _ := openWatched(t)
	var many []store.Launch
	for i := range 250 {
		launch := launched
		launch.Token = fmt.Sprintf("0x%03d", i)
		many = append(many, launch)
	}
	down, writes := errors.New("out of order"), 0
	client.before = func(call string) error {
		if call == "TransactWriteItems" {
			if writes++; writes == 3 {
				return down
			}
		}
		return nil
	}
	if err := register(t, opened.Launches(), many...); !errors.Is(err, down) {
		t.Errorf("Register: %v", err)
	}
	known, err := opened.Launches().KnownUntil(t.Context(), "base", epoch)
	if err != nil || !known.IsZero() {
		t.Errorf("known until %v, %v; want nothing to be noted", known, err)
	}
	if err := register(t, opened.Launches(), many...); err != nil {
		t.Error(err)
	}
	of, err := opened.Launches().OfDay(t.Context(), "base", epoch)
	if err != nil || len(of) != len(many) || writes != 4 {
		t.Errorf("%d launches after %d transactions, %v; want %d after 3 and one", len(of), writes, err, len(many))
	}
	client.reset()
	if err := register(t, opened.Launches(), many...); err != nil || slices.Contains(client.reset(), "TransactWriteItems") {
		t.Errorf("what is registered was written again, %v", err)
	}
}

// TestRecordConflictsAreRetried: another transaction on the same rows is neither a failure nor a refusal.
func TestRecordConflictsAreRetried(t *testing.T) {
	opened, client, _ := openWatched(t)
	if _, err := opened.TrackRecords().Forecast(t.Context(), forecast); err != nil {
		t.Fatal(err)
	}
	for _, write := range []struct {
		what string
		do   func() error
	}{
		{"Register", func() error { return register(t, opened.Launches(), launched) }},
		{"Examine", func() error { return opened.Launches().Examine(t.Context(), pumped) }},
		{"FollowUp", func() error { return opened.TrackRecords().FollowUp(t.Context(), followUp) }},
		{"Resolve", func() error { return resolve(t, opened.TrackRecords()) }},
	} {
		conflicts := []error{conflict("TransactionConflict"), conflict("ConditionalCheckFailed", "TransactionConflict"), &types.TransactionInProgressException{}}
		client.before = func(call string) error {
			if call != "TransactWriteItems" || len(conflicts) == 0 {
				return nil
			}
			next := conflicts[0]
			conflicts = conflicts[1:]
			return next
		}
		if err := write.do(); err != nil || len(conflicts) > 0 {
			t.Errorf("%s: %v, %d conflicts were not met", write.what, err, len(conflicts))
		}
	}
}

// TestRecordFailuresAreNoAnswers: what DynamoDB could not do is never reported as an answer.
func TestRecordFailuresAreNoAnswers(t *testing.T) {
	opened, client, _ := openRecord(t)
	down := errors.New("out of order")
	client.before = func(string) error { return down }
	launches, records := opened.Launches(), opened.TrackRecords()
	for name, call := range map[string]func() error{
		"Register":   func() error { return register(t, launches, launched) },
		"KnownUntil": func() error { _, err := launches.KnownUntil(t.Context(), "base", epoch); return err },
		"OfDay":      func() error { _, err := launches.OfDay(t.Context(), "base", epoch); return err },
		"Examine":    func() error { return launches.Examine(t.Context(), pumped) },
		"Forecast":   func() error { _, err := records.Forecast(t.Context(), forecast); return err },
		"Forecasts":  func() error { _, err := records.Forecasts(t.Context(), "gate", "", "", 1); return err },
		"FollowUp":   func() error { return records.FollowUp(t.Context(), followUp) },
		"FollowUps":  func() error { _, err := records.FollowUps(t.Context(), "gate", "base", "0xw", "", 1); return err },
		"Due":        func() error { _, err := records.Due(t.Context(), "gate", epoch, time.Time{}, "", 1); return err },
		"Resolve":    func() error { return resolve(t, records) },
	} {
		err := call()
		if !errors.Is(err, down) {
			t.Errorf("%s: error %v, want what DynamoDB said", name, err)
		}
		for _, answer := range []error{store.ErrNotFound, store.ErrConflict, store.ErrInvalid} {
			if errors.Is(err, answer) {
				t.Errorf("%s: a failure is reported as %v", name, answer)
			}
		}
	}
}

// TestNothingIsDueBeforeWhatWasListed: DynamoDB refuses a range that ends before it begins, so none is asked for.
func TestNothingIsDueBeforeWhatWasListed(t *testing.T) {
	opened, client, _ := openRecord(t)
	due, err := opened.TrackRecords().Due(t.Context(), "gate", followUp.DueAt, followUp.DueAt.Add(1), "a", 1)
	if err != nil || due == nil || len(due) != 0 || len(client.reset()) != 0 {
		t.Errorf("due %+v, %v; want none, and no call", due, err)
	}
}

// TestLostAnswersOfRecords: a write that was done and whose answer was lost succeeds, and is done once.
func TestLostAnswersOfRecords(t *testing.T) {
	server := httptest.NewServer(engine.New())
	t.Cleanup(server.Close)
	transport := &lossyTransport{remembers: true, answers: map[string][]byte{}}
	lossy := dynamodb.New(newClient(server.URL).Options(), func(o *dynamodb.Options) {
		o.HTTPClient = &http.Client{Transport: transport}
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = time.Millisecond })
	})
	opened := dynamo.Open(lossy, newTables(t, newClient(server.URL)))
	_, err := opened.TrackRecords().Forecast(t.Context(), forecast)
	for i, err := range []error{
		err, register(t, opened.Launches(), launched), opened.Launches().Examine(t.Context(), pumped),
		opened.TrackRecords().FollowUp(t.Context(), followUp), resolve(t, opened.TrackRecords()),
	} {
		if err != nil {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if transport.lost != 4 {
		t.Errorf("%d answers were lost, want 4", transport.lost)
	}
	of, err := opened.TrackRecords().FollowUps(t.Context(), "gate", "base", "0xw", "", 10)
	if err != nil || len(of) != 1 || of[0].Outcome != "dead" {
		t.Errorf("follow-ups %+v, %v", of, err)
	}
}
