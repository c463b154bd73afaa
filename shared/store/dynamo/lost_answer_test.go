package dynamo_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo"
	"github.com/mirrorworthy/mirrorworthy/shared/store/dynamo/engine"
)

// lossyTransport loses the first answer to every transaction, after the engine has done it. With remembers it gives a repeated
// transaction the first answer again, as DynamoDB does by the token and the engine inside this process does not.
type lossyTransport struct {
	remembers bool
	mu        sync.Mutex
	answers   map[string][]byte // by token
	lost      int
}

func (l *lossyTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Header.Get("X-Amz-Target") != "DynamoDB_20120810.TransactWriteItems" {
		return http.DefaultTransport.RoundTrip(request)
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	var transaction struct{ ClientRequestToken string }
	if err := json.Unmarshal(body, &transaction); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	answer, repeated := l.answers[transaction.ClientRequestToken]
	if repeated && l.remembers {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(answer)), Request: request}, nil
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil || repeated || response.StatusCode != http.StatusOK {
		return response, err
	}
	answer, err = io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	l.answers[transaction.ClientRequestToken] = answer
	l.lost++
	return nil, errors.New("connection reset by peer")
}

// TestLostAnswerIsNotARefusal: a write that was done and whose answer was lost succeeds, and is done once.
func TestLostAnswerIsNotARefusal(t *testing.T) {
	server := httptest.NewServer(engine.New())
	t.Cleanup(server.Close)
	checkLostAnswers(t, newClient(server.URL), newClient(server.URL), true)
}

// checkLostAnswers writes through a client that loses answers, to tables that another client of the engine makes.
func checkLostAnswers(t *testing.T, client *dynamodb.Client, maker dynamodbiface.DynamoDBAPI, remembers bool) {
	transport := &lossyTransport{remembers: remembers, answers: map[string][]byte{}}
	lossy := dynamodb.New(client.Options(), func(o *dynamodb.Options) {
		o.HTTPClient = &http.Client{Transport: transport}
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = time.Millisecond })
	})
	opened := dynamo.Open(lossy, newTables(t, maker))
	keys := opened.Keys()
	for what, err := range map[string]error{
		"CreatePartner": keys.CreatePartner(t.Context(), acme),
		"AddKey":        keys.AddKey(t.Context(), liveKey("aaaa1111")),
		"second AddKey": keys.AddKey(t.Context(), liveKey("bbbb2222")),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := keys.RevokeKey(t.Context(), "aaaa1111", epoch); err != nil {
		t.Errorf("RevokeKey: %v", err)
	}
	// One place was freed, not two.
	if err := keys.AddKey(t.Context(), liveKey("cccc3333")); err != nil {
		t.Errorf("AddKey after a revocation: %v", err)
	}
	if err := keys.AddKey(t.Context(), liveKey("dddd4444")); !errors.Is(err, store.ErrTooManyKeys) {
		t.Errorf("a third key: %v, want %v", err, store.ErrTooManyKeys)
	}
	history := store.History{Partner: "acme", Chain: "base", Token: "0x1"}
	for version := uint64(1); version <= 2; version++ {
		if err := opened.Snapshots().Append(t.Context(), history, store.Snapshot{Version: version, At: epoch, Data: []byte("{}")}); err != nil {
			t.Errorf("Append: %v", err)
		}
	}
	for what, err := range writeCopying(t, opened) {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if transport.lost != 23 {
		t.Errorf("%d answers were lost, want that of every write that was done: 23", transport.lost)
	}
}
