package webhook

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// maximumBody is the largest body sent, in bytes: Standard Webhooks recommends less than 20 kB.
const maximumBody = 20_000

// body is what a receiver gets.
type body struct {
	Type string `json:"type"`
	// Timestamp is when the event happened, which is not when it is sent.
	Timestamp string         `json:"timestamp"`
	Data      jsontext.Value `json:"data"`
}

// encode is the body for an event: the same bytes whenever it is sent.
func encode(event store.Event) ([]byte, error) {
	encoded, err := json.Marshal(body{Type: event.Type, Timestamp: event.At.UTC().Format(time.RFC3339), Data: event.Data}, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("event %s is not JSON: %w", event.ID, err)
	}
	if len(encoded) >= maximumBody {
		return nil, fmt.Errorf("event %s makes a body of %d bytes, want less than %d", event.ID, len(encoded), maximumBody)
	}
	return encoded, nil
}

// messageID is the webhook-id of an event: its own ID, or a digest of it where the ID holds anything but letters, digits, '_' and '-'.
// A dot in it would leave open where the signed text's parts end.
func messageID(event string) string {
	if strings.IndexFunc(event, func(c rune) bool {
		return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '_' && c != '-'
	}) < 0 {
		return event
	}
	sum := sha256.Sum256([]byte(event))
	return "evt_" + hex.EncodeToString(sum[:16])
}

// sign makes the headers of one attempt, with a signature by each secret.
func sign(id string, at time.Time, payload []byte, secrets [][]byte) (http.Header, error) {
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		signer, err := standardwebhooks.NewWebhookRaw(secret)
		if err != nil {
			return nil, fmt.Errorf("sign %s: %w", id, err)
		}
		if signatures[i], err = signer.Sign(id, at, payload); err != nil {
			return nil, fmt.Errorf("sign %s: %w", id, err)
		}
	}
	header := http.Header{}
	header.Set(standardwebhooks.HeaderWebhookID, id)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	header.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	return header, nil
}
