package main

import (
	"bytes"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/job"
)

// lockedBuffer takes what many goroutines write.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(line)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// capture notes the secrets that go in by headers, and those of webhooks that go out.
type capture struct {
	http.ResponseWriter
	body bytes.Buffer
}

func (c *capture) Write(part []byte) (int, error) {
	_, _ = c.body.Write(part)
	return c.ResponseWriter.Write(part)
}

// In the whole way of a copy, with all that is refused and fails on it, the log and the metrics hold no key, no signature, no webhook's
// secret and nothing of the secret of agents, at any level.
func TestNothingSecretIsLogged(t *testing.T) {
	var mu sync.Mutex
	var secrets []string
	var log lockedBuffer
	c := newCopyingOn(t, slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), inFile(t), func(handler http.Handler, _ map[string]job.Function) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen := &capture{ResponseWriter: w}
			handler.ServeHTTP(seen, r)
			mu.Lock()
			defer mu.Unlock()
			for _, header := range []string{"X-Wallet-Signature", "X-Wallet-Message"} {
				if value := r.Header.Get(header); value != "" {
					secrets = append(secrets, value)
				}
			}
			if _, after, found := strings.Cut(seen.body.String(), `"secret":"`); found {
				secret, _, _ := strings.Cut(after, `"`)
				secrets = append(secrets, secret, strings.TrimPrefix(secret, "whsec_"))
			}
		})
	})
	wholeWayOfACopy(t, c)
	for _, authorization := range []string{"Bearer mw_live_canary", "Bearer " + c.keys[copyingPartner] + "canary"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url+"/v1/copy/agents?canary=canary", strings.NewReader(`{"canary":"canary"}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", authorization)
		request.Header.Set("X-Wallet-Signature", "0xcanary")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
	}
	for _, key := range c.keys {
		secrets = append(secrets, key, strings.TrimPrefix(key, "mw_test_")[9:])
	}
	secrets = append(secrets, strings.Repeat("5a", 32), strings.Repeat("17", 32), "canary")
	slices.Sort(secrets)
	if secrets = slices.Compact(secrets); len(secrets) < 8 || slices.Contains(secrets, "") {
		t.Fatalf("only %d secrets were seen", len(secrets))
	}
	said := log.String()
	if !strings.Contains(said, "execution") || !strings.Contains(said, "webhook_lag_seconds") || len(said) < 10_000 {
		t.Errorf("the log says little: %d bytes", len(said))
	}
	for _, secret := range secrets {
		if at := strings.Index(said, secret); at >= 0 {
			t.Errorf("the log holds %q: %s", secret, said[max(0, at-300):min(len(said), at+300)])
		}
	}
}
