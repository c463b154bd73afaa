package webhook

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// path is where a partner's webhook is.
const path = "/v1/webhooks"

var (
	urlParameter = endpoint.Text("url", "Where events are sent: https on port 443, to a public host by name.", 1, maximumURL).Required()
	eventsOf     = endpoint.TextList("events", "The types of events to be told of, at least one; all types when left out.", len(Types()), Types()...)
	rotateSecret = endpoint.Boolean("rotateSecret",
		"Make a new secret. The one before it signs beside it for 24 hours more, so that no event goes unverified meanwhile.")
)

// Answer is a webhook as its partner sees it.
type Answer struct {
	// URL is where events are sent.
	URL string `json:"url"`
	// Events are the types that it is told of.
	Events []string `json:"events"`
	// Status says whether they are sent. What is said while it is disabled is kept, and not sent. One of active or disabled.
	Status string `json:"status"`
	// DisabledReason says why: the receiver answered 410, or nothing reached it for five days. One of gone or failing; null while it is
	// active.
	DisabledReason *string `json:"disabledReason"`
	// CreatedAt is when the webhook was made.
	CreatedAt string `json:"createdAt"`
	// ChangedAt is when the webhook was last changed.
	ChangedAt string `json:"changedAt"`
	// FailingSinceAt is when the first of the failures was that no success came after; null for none.
	FailingSinceAt *string `json:"failingSinceAt"`
	// Secrets are the secrets that sign, the newest first. Their text is not shown again.
	Secrets []SecretAnswer `json:"secrets"`
	// Secret is the text of a secret that was made just now. It is never shown again.
	Secret string `json:"secret,omitzero"`
}

// SecretAnswer tells of a secret without its text.
type SecretAnswer struct {
	// CreatedAt is when the secret was made.
	CreatedAt string `json:"createdAt"`
	// ExpiresAt is when it stops signing; null for the newest.
	ExpiresAt *string `json:"expiresAt"`
}

// RemovedAnswer tells whether there was a webhook to remove.
type RemovedAnswer struct {
	// Removed is false where there was no webhook.
	Removed bool `json:"removed"`
}

// Endpoints lists the endpoints by which partners manage their webhook, in the order of the API document.
func Endpoints(s Service) []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.Operation(endpoint.Declaration{
			Name: "put-webhook", Method: http.MethodPut, Path: path, Units: 1,
			Parameters: []endpoint.Parameter{urlParameter, eventsOf, rotateSecret}, Check: s.checkPut,
			Summary: "Say where you are told of events. The secret that signs them is shown once, when it is made; a disabled webhook becomes active.",
		}, s.put),
		endpoint.Operation(endpoint.Declaration{
			Name: "webhook", Method: http.MethodGet, Path: path, Units: 1, Refuses: []string{"not_found"},
			Summary: "Where you are told of events, of which, and how that goes. Secrets are not shown.",
		}, s.get),
		endpoint.Operation(endpoint.Declaration{
			Name: "delete-webhook", Method: http.MethodDelete, Path: path, Units: 1,
			Summary: "Be told of nothing anymore. The secrets are forgotten with the URL.",
		}, s.remove),
		endpoint.Operation(endpoint.Declaration{
			Name: "test-webhook", Path: path + "/test", Units: 1, Idempotent: true, Refuses: []string{"not_found"},
			Summary: "Send a signed webhook.test event now, once, and learn what became of it.",
		}, s.test),
	}
}

// checkPut refuses what no webhook can be made of.
func (s Service) checkPut(_ context.Context, r *endpoint.Request) error {
	if _, err := checkURL(urlParameter.Of(r), s.Sender.loopback); err != nil {
		return endpoint.Invalid("url", sentence(err))
	}
	if eventsOf.Has(r) && len(eventsOf.Of(r)) == 0 {
		return endpoint.Invalid("events", "events must name at least one type, or be left out for all.")
	}
	return nil
}

// sentence makes a sentence of what checkURL says.
func sentence(err error) string { return err.Error() + "." }

func (s Service) put(ctx context.Context, r *endpoint.Request) (Answer, error) {
	address, err := checkURL(urlParameter.Of(r), s.Sender.loopback)
	if err != nil {
		return Answer{}, endpoint.Invalid("url", sentence(err))
	}
	at, shown := s.Clock().UTC(), ""
	made, err := s.change(ctx, r.Partner, at, func(w *registration) (bool, error) {
		shown = ""
		if w.Removed {
			w.kept = kept{CreatedAt: at}
		}
		if w.URL != address || w.Disabled != "" {
			w.FailingSince = time.Time{}
		}
		w.URL, w.Events, w.Disabled, w.ChangedAt = address, chosen(eventsOf.Of(r)), "", at
		if len(w.Secrets) > 0 && !rotateSecret.Of(r) {
			return true, nil
		}
		signing := w.signing(at)
		if len(signing) >= maximumSecrets {
			wait := signing[len(signing)-1].ExpiresAt.Sub(at)
			return false, &endpoint.Problem{Status: http.StatusTooManyRequests, Code: "rate_limited", RetryAfter: wait,
				Message: fmt.Sprintf("%d secrets sign at this moment. Wait until the oldest expires, or delete the webhook to forget all of them at once.", len(signing))}
		}
		var err error
		shown, err = s.addSecret(w, at)
		return err == nil, err
	})
	if err != nil {
		return Answer{}, unavailable(err)
	}
	answer := made.answer(at)
	answer.Secret = shown
	return answer, nil
}

func (s Service) get(ctx context.Context, r *endpoint.Request) (Answer, error) {
	w, err := s.existing(ctx, r.Partner)
	if err != nil {
		return Answer{}, err
	}
	return w.answer(s.Clock()), nil
}

func (s Service) remove(ctx context.Context, r *endpoint.Request) (RemovedAnswer, error) {
	removed := false
	_, err := s.change(ctx, r.Partner, s.Clock().UTC(), func(w *registration) (bool, error) {
		removed = !w.Removed
		w.kept = kept{Removed: true}
		return removed, nil
	})
	return RemovedAnswer{Removed: removed}, unavailable(err)
}

// existing gives a partner's registration, or a 404.
func (s Service) existing(ctx context.Context, partner string) (*registration, error) {
	w, err := s.read(ctx, partner)
	if err != nil {
		return nil, unavailable(err)
	}
	if w.Removed {
		return nil, endpoint.NotFound("There is no webhook. Make one by PUT " + path + ".")
	}
	return w, nil
}

// unavailable is an error of the store as a partner may see it: it can try again.
func unavailable(err error) error {
	var problem *endpoint.Problem
	if err == nil || errors.As(err, &problem) || errors.Is(err, store.ErrInvalid) {
		return err
	}
	return fmt.Errorf("%w: %w", market.ErrUnavailable, err)
}

func (r *registration) answer(at time.Time) Answer {
	answer := Answer{
		URL: r.URL, Events: r.Events, Status: "active", CreatedAt: *timeText(r.CreatedAt), ChangedAt: *timeText(r.ChangedAt),
		FailingSinceAt: timeText(r.FailingSince), Secrets: []SecretAnswer{},
	}
	if len(answer.Events) == 0 {
		answer.Events = Types()
	}
	if r.Disabled != "" {
		answer.Status, answer.DisabledReason = "disabled", &r.Disabled
	}
	for _, secret := range r.signing(at) {
		answer.Secrets = append(answer.Secrets, SecretAnswer{CreatedAt: *timeText(secret.CreatedAt), ExpiresAt: timeText(secret.ExpiresAt)})
	}
	return answer
}

// timeText writes a time in UTC with seconds; nil for none.
func timeText(at time.Time) *string {
	if at.IsZero() {
		return nil
	}
	text := at.UTC().Format(time.RFC3339)
	return &text
}
