package client_test

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/mirrorworthy/mirrorworthy/shared/client"
)

const hookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// signed makes the headers of a webhook by the library that others use.
func signed(t *testing.T, id string, at time.Time, body string, secrets ...string) http.Header {
	t.Helper()
	var signatures []string
	for _, secret := range secrets {
		by, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		signature, err := by.Sign(id, at, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		signatures = append(signatures, signature)
	}
	return http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {strconv.FormatInt(at.Unix(), 10)}, "Webhook-Signature": {strings.Join(signatures, " ")}}
}

func TestWebhooksAreVerified(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	other := "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("o", 32)))
	const body = `{"type":"agent.paused","timestamp":"2026-11-20T11:00:00Z","data":{"agentId":"ag_1"}}`
	good := func() http.Header { return signed(t, "evt_1", now, body, hookSecret) }
	event, err := client.VerifyWebhook([]string{hookSecret}, good(), []byte(body), now)
	if err != nil || event.ID != "evt_1" || event.Type != "agent.paused" || !event.At.Equal(now.Add(-time.Hour)) || string(event.Data) != `{"agentId":"ag_1"}` {
		t.Errorf("%+v %v", event, err)
	}
	with := func(name, value string) http.Header {
		header := good()
		header.Set(name, value)
		return header
	}
	was := good().Get("webhook-signature")
	v0 := strings.Replace(was, "v1,", "v0,", 1)
	for what, c := range map[string]struct {
		header  http.Header
		body    string
		secrets []string
		want    error
	}{
		"without the prefix":      {good(), body, []string{strings.TrimPrefix(hookSecret, "whsec_")}, nil},
		"rotated, the new":        {signed(t, "evt_1", now, body, other, hookSecret), body, []string{other}, nil},
		"rotated, the old":        {signed(t, "evt_1", now, body, other, hookSecret), body, []string{hookSecret}, nil},
		"either secret":           {good(), body, []string{other, hookSecret}, nil},
		"among others":            {with("webhook-signature", "v1a,abc v1,bad= "+was+" v2,x"), body, []string{hookSecret}, nil},
		"five minutes ago":        {signed(t, "e", now.Add(-5*time.Minute), body, hookSecret), body, []string{hookSecret}, nil},
		"in five minutes":         {signed(t, "e", now.Add(5*time.Minute), body, hookSecret), body, []string{hookSecret}, nil},
		"longer ago":              {signed(t, "e", now.Add(-301*time.Second), body, hookSecret), body, []string{hookSecret}, client.ErrWebhookTime},
		"later":                   {signed(t, "e", now.Add(301*time.Second), body, hookSecret), body, []string{hookSecret}, client.ErrWebhookTime},
		"another body":            {good(), body + " ", []string{hookSecret}, client.ErrWebhookSignature},
		"another id":              {with("webhook-id", "evt_2"), body, []string{hookSecret}, client.ErrWebhookSignature},
		"another time":            {with("webhook-timestamp", strconv.FormatInt(now.Unix()+1, 10)), body, []string{hookSecret}, client.ErrWebhookSignature},
		"another secret":          {good(), body, []string{other}, client.ErrWebhookSignature},
		"no secret":               {good(), body, nil, client.ErrWebhookSignature},
		"another version":         {with("webhook-signature", v0), body, []string{hookSecret}, client.ErrWebhookSignature},
		"no version":              {with("webhook-signature", strings.TrimPrefix(was, "v1,")), body, []string{hookSecret}, client.ErrWebhookSignature},
		"half a signature":        {with("webhook-signature", was[:20]), body, []string{hookSecret}, client.ErrWebhookSignature},
		"no signature":            {with("webhook-signature", ""), body, []string{hookSecret}, client.ErrWebhookHeaders},
		"no id":                   {with("webhook-id", ""), body, []string{hookSecret}, client.ErrWebhookHeaders},
		"an id with a dot":        {with("webhook-id", "evt.1"), body, []string{hookSecret}, client.ErrWebhookHeaders},
		"no time":                 {with("webhook-timestamp", ""), body, []string{hookSecret}, client.ErrWebhookHeaders},
		"a time that is no time":  {with("webhook-timestamp", "now"), body, []string{hookSecret}, client.ErrWebhookHeaders},
		"not a secret":            {good(), body, []string{"whsec_???"}, client.ErrWebhookSecret},
		"a secret that is no use": {good(), body, []string{"whsec_AAAA"}, client.ErrWebhookSecret},
		"not an event":            {signed(t, "e", now, "[]", hookSecret), "[]", []string{hookSecret}, client.ErrAnswer},
	} {
		event, err := client.VerifyWebhook(c.secrets, c.header, []byte(c.body), now)
		if !errors.Is(err, c.want) || (c.want == nil) != (event.Type == "agent.paused") {
			t.Errorf("%s: %+v %v, want %v", what, event, err, c.want)
		}
	}
	// The vector of the specification.
	header := http.Header{"Webhook-Id": {"msg_p5jXN8AQM9LWM0D4loKWxJek"}, "Webhook-Timestamp": {"1614265330"}, "Webhook-Signature": {"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}}
	if _, err := client.VerifyWebhook([]string{hookSecret}, header, []byte(`{"test": 2432232314}`), time.Unix(1614265330, 0)); !errors.Is(err, client.ErrAnswer) {
		t.Errorf("the signature is right, and the body is no event: %v", err)
	}
}
