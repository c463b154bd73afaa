package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/client"
)

func TestWithoutAWalletNothingIsAskedAboutAgents(t *testing.T) {
	d, c := start(t, func(o *client.Options) { o.AuthHeaders = nil })
	if _, err := c.GetAgent(t.Context(), "ag_1"); !errors.Is(err, client.ErrNoWallet) || len(d.asked) != 0 {
		t.Errorf("%v %v", err, d.asked)
	}
	// A wallet that does not answer is not asked again, whatever its error looks like.
	locked, prompts := &url.Error{Op: "sign", URL: "wallet", Err: io.ErrUnexpectedEOF}, 0
	d, c = start(t, func(o *client.Options) {
		o.AuthHeaders = func(context.Context) (http.Header, error) { prompts++; return nil, locked }
	})
	if _, err := c.GetAgent(t.Context(), "ag_1"); !errors.Is(err, locked) || len(d.asked) != 0 || prompts != 1 {
		t.Errorf("%v %v after %d", err, d.asked, prompts)
	}
}

func TestManagingAWebhook(t *testing.T) {
	_, c := start(t, nil)
	if _, err := c.GetWebhook(t.Context()); code(t, err) != "not_found" {
		t.Error(err)
	}
	made, err := c.PutWebhook(t.Context(), client.PutWebhookRequest{URL: "https://hooks.example.com/"})
	if err != nil || made.Secret == "" || made.URL != "https://hooks.example.com/" || len(made.Secrets) != 1 {
		t.Errorf("%+v %v", made, err)
	}
	if got, err := c.GetWebhook(t.Context()); err != nil || got.Secret != "" || got.Status != "active" {
		t.Errorf("%+v %v", got, err)
	}
	if got, err := c.TestWebhook(t.Context()); err != nil || got.Delivered || *got.Status != 500 || got.DurationMs != 12 {
		t.Errorf("%+v %v", got, err)
	}
	if err := c.DeleteWebhook(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestARefusalTellsAllThatTheServiceSaid(t *testing.T) {
	d, c := start(t, func(o *client.Options) { o.APIKey = "wrong"; o.Retries = -1 })
	_, err := c.ListVenues(t.Context())
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Status != 401 || refused.Code != "unauthorized" || refused.Message != "Do something else." || refused.RequestID != "req" || refused.Parameter != "p" ||
		refused.Accepted[0] != "a" || refused.Supported[0] != "base" || refused.Error() != "mirrorworthy: 401 unauthorized: Do something else. (request req)" {
		t.Errorf("%+v", refused)
	}
	d.trouble = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(502)
		reply("<html>bad gateway</html>")(w, nil)
		return true
	}
	if _, err = c.ListVenues(t.Context()); !errors.As(err, &refused) || refused.Status != 502 || refused.Code != "" || refused.RequestID != "req-2" || strings.Contains(refused.Error(), "html") {
		t.Errorf("%+v", refused)
	}
	d.trouble = func(w http.ResponseWriter, _ *http.Request) bool { reply("<html>")(w, nil); return true }
	if raw, err := c.WalletOverview(t.Context(), testWallet, "base"); !errors.Is(err, client.ErrAnswer) || raw != nil {
		t.Errorf("%s %v", raw, err)
	}
	// Where a page is its own next, the walk ends.
	d.trouble = func(w http.ResponseWriter, _ *http.Request) bool {
		reply(`{"agents":[],"nextCursor":"same"}`)(w, nil)
		return true
	}
	for _, err := range c.ListAgents(t.Context()) {
		if !errors.Is(err, client.ErrAnswer) {
			t.Error(err)
		}
	}
}
