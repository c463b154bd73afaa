package client

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// PutWebhookRequest says where a partner is told of events.
type PutWebhookRequest struct {
	URL string `json:"url"`
	// Events are types of events; none for all.
	Events []string `json:"events,omitempty"`
	// RotateSecret makes a new secret. The one before it signs beside it for 24 hours.
	RotateSecret bool `json:"rotateSecret,omitempty"`
}

// Webhook is where a partner is told of events.
type Webhook struct {
	URL    string   `json:"url"`
	Events []string `json:"events"`
	// Status is active or disabled, and DisabledReason why.
	Status         string  `json:"status"`
	DisabledReason *string `json:"disabledReason"`
	CreatedAt      string  `json:"createdAt"`
	ChangedAt      string  `json:"changedAt"`
	FailingSinceAt *string `json:"failingSinceAt"`
	Secrets        []struct {
		CreatedAt string  `json:"createdAt"`
		ExpiresAt *string `json:"expiresAt"`
	} `json:"secrets"`
	// Secret is what signs, once: when it was made just now. Keep it where VerifyWebhook finds it, and nobody else.
	Secret string `json:"secret"`
}

// WebhookTest is what became of a test.
type WebhookTest struct {
	Delivered bool `json:"delivered"`
	// Status is what the receiver answered with; nil for no answer.
	Status     *int   `json:"status"`
	DurationMs int64  `json:"durationMs"`
	Reason     string `json:"reason"`
}

const webhooksPath = "/webhooks"

// PutWebhook says where events are sent. A disabled webhook becomes active.
func (c *Client) PutWebhook(ctx context.Context, asked PutWebhookRequest) (Webhook, error) {
	var answer Webhook
	err := c.call(ctx, request{method: http.MethodPut, path: webhooksPath, body: asked}, &answer)
	return answer, err
}

// GetWebhook shows where events are sent. A partner without a webhook gets an *Error of the code not_found.
func (c *Client) GetWebhook(ctx context.Context) (Webhook, error) {
	var answer Webhook
	err := c.call(ctx, request{method: http.MethodGet, path: webhooksPath}, &answer)
	return answer, err
}

// DeleteWebhook has no events sent anymore. None is no error.
func (c *Client) DeleteWebhook(ctx context.Context) error {
	return c.call(ctx, request{method: http.MethodDelete, path: webhooksPath}, nil)
}

// TestWebhook has a test event sent now.
func (c *Client) TestWebhook(ctx context.Context) (WebhookTest, error) {
	var answer WebhookTest
	err := c.call(ctx, request{method: http.MethodPost, path: webhooksPath + "/test"}, &answer)
	return answer, err
}

// Event is what a webhook tells.
type Event struct {
	// ID is the same whenever the same event is sent: what was dealt with before is known by it.
	ID string
	// Type is what happened, like agent.session_expiring.
	Type string
	// At is when it happened, which can be long before it is sent. Events come in any order.
	At   time.Time
	Data json.RawMessage
}

// Why a webhook is not believed.
var (
	// ErrWebhookHeaders: the headers of Standard Webhooks are missing or unreadable.
	ErrWebhookHeaders = errors.New("client: not signed as a webhook")
	// ErrWebhookTime: it was sent more than five minutes ago, or later than now. It may be old and sent again by somebody else.
	ErrWebhookTime = errors.New("client: a webhook of another time")
	// ErrWebhookSignature: none of its signatures is by one of the secrets.
	ErrWebhookSignature = errors.New("client: a webhook that somebody else signed, or that was changed")
	// ErrWebhookSecret: a secret is not one that the service made.
	ErrWebhookSecret = errors.New("client: not a secret of a webhook")
)

// webhookTolerance is how far a webhook's time may be from now.
const webhookTolerance = 5 * time.Minute

// VerifyWebhook reads a webhook whose signature is by one of the secrets, by Standard Webhooks (version 1): the body as it came, byte for
// byte. While a secret is rotated both the new and the old are given. Whatever is not an event of the service is an error, and is to be
// answered with a status of 400 or above.
func VerifyWebhook(secrets []string, header http.Header, body []byte, now time.Time) (Event, error) {
	id, at, signatures := header.Get("webhook-id"), header.Get("webhook-timestamp"), header.Get("webhook-signature")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || id == "" || signatures == "" || strings.Contains(id, ".") {
		return Event{}, ErrWebhookHeaders
	}
	signed := false
	for _, text := range secrets {
		secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, "whsec_"))
		if err != nil || len(secret) < 16 {
			return Event{}, ErrWebhookSecret
		}
		signed = isSignedBy(secret, id+"."+at+".", body, signatures) || signed
	}
	switch sent := time.Unix(seconds, 0); {
	case !signed:
		return Event{}, ErrWebhookSignature
	case sent.Before(now.Add(-webhookTolerance)) || sent.After(now.Add(webhookTolerance)):
		return Event{}, ErrWebhookTime
	}
	var told struct {
		Type      string          `json:"type"`
		Timestamp time.Time       `json:"timestamp"`
		Data      json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(body, &told); err != nil || told.Type == "" {
		return Event{}, fmt.Errorf("%w: the body of a webhook", ErrAnswer)
	}
	return Event{ID: id, Type: told.Type, At: told.Timestamp, Data: told.Data}, nil
}

// isSignedBy tells whether one of the signatures is by a secret. Those of other versions are left out.
func isSignedBy(secret []byte, before string, body []byte, signatures string) bool {
	mac := hmac.New(sha256.New, secret)
	_, _ = mac.Write([]byte(before))
	_, _ = mac.Write(body)
	want := mac.Sum(nil)
	found := false
	for _, signature := range strings.Fields(signatures) {
		version, text, _ := strings.Cut(signature, ",")
		given, err := base64.StdEncoding.DecodeString(text)
		if version == "v1" && err == nil && hmac.Equal(given, want) {
			found = true
		}
	}
	return found
}
