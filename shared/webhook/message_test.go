package webhook

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

func TestABodyIsTypeTimeAndData(t *testing.T) {
	at := time.Date(2026, 11, 20, 13, 0, 0, 999, time.FixedZone("", 3600))
	event := store.Event{ID: "evt_1", Type: "agent.paused", At: at, Data: []byte(`{"b":"<&>\u2028é","a":[1.50,null]}`)}
	const want = "{\"type\":\"agent.paused\",\"timestamp\":\"2026-11-20T12:00:00Z\",\"data\":{\"b\":\"<&>\u2028é\",\"a\":[1.50,null]}}"
	if got, err := encode(event); err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	event.Data = []byte(`"` + strings.Repeat("x", store.MaximumEvent-2) + `"`)
	if got, err := encode(event); err != nil || len(got) >= 20_000 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	for _, data := range []string{`"` + strings.Repeat("x", 20_000) + `"`, "", "{", "\x00", "{} {}", `{"a":1,"a":2}`, "\xff"} {
		event.Data = []byte(data)
		if got, err := encode(event); err == nil {
			t.Errorf("%q is sent as %s", data, got)
		}
	}
}

// The signature is that of the library, and known from elsewhere: HMAC-SHA-256 of id, time and body, with dots between.
func TestAMessageIsSignedByEachSecret(t *testing.T) {
	// openssl: printf 'msg_1.1700000000.{"a":1}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:00..1f -binary | base64
	first, second := make([]byte, 32), []byte(strings.Repeat("s", 24))
	for i := range first {
		first[i] = byte(i)
	}
	payload := []byte(`{"a":1}`)
	header, err := sign("msg_1", time.Unix(1700000000, 999), payload, [][]byte{first, second})
	if err != nil {
		t.Fatal(err)
	}
	signatures := strings.Split(header.Get("webhook-signature"), " ")
	if header.Get("webhook-id") != "msg_1" || header.Get("webhook-timestamp") != "1700000000" || len(signatures) != 2 || signatures[0] != "v1,"+"AMaOha7DUT/0J0JMycRuYOBSvbx3WtwLd2khXXbaVj4=" {
		t.Errorf("%v", header)
	}
	for _, secret := range [][]byte{first, second} {
		verifier, err := standardwebhooks.NewWebhook("whsec_" + base64.StdEncoding.EncodeToString(secret))
		if err != nil {
			t.Fatal(err)
		}
		if err := verifier.VerifyIgnoringTimestamp(payload, header); err != nil {
			t.Error(err)
		}
		if err := verifier.VerifyIgnoringTimestamp([]byte(`{"a":2}`), header); err == nil {
			t.Error("another body has the same signature")
		}
	}
}

func TestMessageIDsHoldNoDots(t *testing.T) {
	for event, want := range map[string]string{
		"evt_0aB-9": "evt_0aB-9",
		// The first half of SHA-256("a.b").
		"a.b": "evt_" + "2e7336dc8eba87ef472df568c35482ab",
	} {
		if got := messageID(event); got != want {
			t.Errorf("%s: %s, want %s", event, got, want)
		}
	}
}
