package endpoint_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
)

func codesIn(all []endpoint.Refusal) string {
	var words []string
	for _, r := range all {
		words = append(words, r.Code)
	}
	return strings.Join(words, " ")
}

func TestRefusalsFollowFromTheDeclaration(t *testing.T) {
	answer := func(context.Context, *endpoint.Request) ([]byte, error) { return []byte("{}"), nil }
	for _, c := range []struct {
		declared endpoint.Declaration
		want     string
	}{
		{
			endpoint.Declaration{Name: "open", Method: http.MethodGet, Open: true},
			"invalid_json unknown_param invalid_param method_not_allowed body_too_large rate_limited internal",
		},
		{
			endpoint.Declaration{Name: "single", Parameters: []endpoint.Parameter{endpoint.Wallet, endpoint.Chain}, Refuses: []string{"not_a_token"}},
			"invalid_json unknown_param missing_param invalid_param invalid_address invalid_chain unauthorized forbidden not_a_token method_not_allowed " +
				"body_too_large unsupported_media_type rate_limited internal provider_unavailable",
		},
		{
			endpoint.Declaration{Name: "nested", Path: "/v1/x/{id}", Idempotent: true, Parameters: []endpoint.Parameter{
				endpoint.PathValue("id", ""), endpoint.Object("o", "", endpoint.AddressList("wallets", "", false, 2)),
			}},
			"invalid_json unknown_param invalid_param invalid_address too_many_wallets unauthorized forbidden not_found method_not_allowed " +
				"idempotency_conflict body_too_large unsupported_media_type rate_limited internal provider_unavailable",
		},
	} {
		e := endpoint.Document(c.declared, answer)
		if got := codesIn(e.Refusals()); got != c.want {
			t.Errorf("%s: %s, want %s", c.declared.Name, got, c.want)
		}
	}
}

func TestKindsOfRefusalsAreInOrderAndTold(t *testing.T) {
	all := endpoint.Refusals()
	seen := make(map[string]bool)
	for i, r := range all {
		if r.Status < 400 || r.When == "" || seen[r.Code] || i > 0 && all[i-1].Status > r.Status {
			t.Errorf("%+v", r)
		}
		seen[r.Code] = true
	}
	all[0].Code = "changed"
	if endpoint.Refusals()[0].Code == "changed" {
		t.Error("the list is shared")
	}
}

func TestAnAnswerThatMayBeKeptHasATag(t *testing.T) {
	body := `{"a":1}`
	handler := endpointtest.Undocumented{Handler: endpoint.NewHandler(endpoint.Service{Clock: func() time.Time { return time.Unix(1_700_000_000, 0) }},
		endpoint.Document(endpoint.Declaration{Name: "kept", Method: http.MethodGet, Open: true, KeptFor: 90 * time.Second},
			func(context.Context, *endpoint.Request) ([]byte, error) { return []byte(body), nil }))}
	ask := func(method string, known ...string) endpointtest.Answer {
		t.Helper()
		return endpointtest.Call{Method: method, Path: "/v1/kept", Header: http.Header{"If-None-Match": known}}.Do(t, handler)
	}
	first := ask(http.MethodGet)
	tag := first.Header.Get("ETag")
	if first.Status != http.StatusOK || first.Body != body || len(tag) != 34 || first.Header.Get("Cache-Control") != "public, max-age=90" {
		t.Errorf("%+v", first)
	}
	for _, known := range [][]string{{tag}, {"W/" + tag}, {`"other", ` + tag}, {`"other"`, tag}, {"*"}} {
		if again := ask(http.MethodGet, known...); again.Status != http.StatusNotModified || again.Body != "" || again.Header.Get("ETag") != tag || again.Header.Get("Content-Type") != "" {
			t.Errorf("%s: %+v", known, again)
		}
	}
	for _, known := range []string{`"other"`, strings.Trim(tag, `"`), ""} {
		if again := ask(http.MethodGet, known); again.Status != http.StatusOK || again.Body != body {
			t.Errorf("%s: %+v", known, again)
		}
	}
	body = `{"a":2}`
	if changed := ask(http.MethodGet, tag); changed.Status != http.StatusOK || changed.Header.Get("ETag") == tag {
		t.Errorf("%+v", changed)
	}
	if refused := (endpointtest.Call{Method: http.MethodGet, Path: "/v1/kept?a=1"}).Do(t, handler); refused.Header.Get("ETag") != "" || refused.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%+v", refused)
	}
	if !slices.Equal(ask(http.MethodHead).Header.Values("ETag"), []string{`"` + strings.Trim(ask(http.MethodGet).Header.Get("ETag"), `"`) + `"`}) {
		t.Error("HEAD has another tag")
	}
}
