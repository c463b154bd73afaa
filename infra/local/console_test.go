package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// The console is at the address that the greeting names, whatever the providers are, and hides nothing of the service.
func TestTheConsoleIsBeforeTheService(t *testing.T) {
	for name, s := range map[string]*server{"sample": sampled(), "replay": start(t, environment(t, "PROVIDERS", recorded(t)))} {
		for _, path := range []string{"/", "/index.html"} {
			status, header, body := s.call(t, http.MethodGet, path, "", "")
			if status != http.StatusOK || header.Get("Content-Type") != "text/html; charset=utf-8" || header.Get("Cache-Control") != "no-cache" ||
				!strings.HasPrefix(header.Get("Content-Security-Policy"), "default-src 'none'; script-src 'self';") || !strings.Contains(body, "<title>") {
				t.Errorf("%s: GET %s: %d %v %.200q", name, path, status, header, body)
			}
			if status, header, body := s.call(t, http.MethodHead, path, "", ""); status != http.StatusOK || body != "" || header.Get("ETag") == "" {
				t.Errorf("%s: HEAD %s: %d %v %q", name, path, status, header, body)
			}
		}
		// What is no file of it is the service's, with the service's own refusal.
		for _, c := range []struct{ method, path string }{
			{http.MethodGet, "/assets/gone-a1b2.js"}, {http.MethodGet, "/assets/"}, {http.MethodGet, "/assets"}, {http.MethodGet, "/nowhere"}, {http.MethodGet, "//"},
			{http.MethodPost, "/"}, {http.MethodDelete, "/"}, {http.MethodGet, "/assets/../index.html"},
		} {
			status, header, body := s.call(t, c.method, c.path, "", "")
			if status != http.StatusNotFound || header.Get("Content-Type") != "application/json" || !strings.HasPrefix(body, `{"error":"not_found"`) {
				t.Errorf("%s: %s %s: %d %v %.200q", name, c.method, c.path, status, header, body)
			}
		}
		if status, _, body := s.call(t, http.MethodGet, "/v1/usage", s.key, ""); status != http.StatusOK {
			t.Errorf("%s: GET /v1/usage: %d %s", name, status, body)
		}
	}
}

// The page talks to the sample market's nodes on its own origin, and is answered as by the nodes themselves.
func TestNodesOfTheSampleMarket(t *testing.T) {
	s := sampled()
	_, _, listed := s.call(t, http.MethodGet, "/sample", "", "")
	var market struct {
		Nodes    map[string]string `json:"nodes"`
		ChainIDs map[string]int64  `json:"chainIds"`
	}
	if err := json.Unmarshal([]byte(listed), &market); err != nil || len(market.Nodes) != len(chain.All()) || len(market.ChainIDs) != len(market.Nodes) {
		t.Fatal(err, market)
	}
	for _, slug := range []string{"eth", "base"} {
		status, header, body := s.post(t, "/sample/nodes/"+slug, "", `{"jsonrpc":"2.0","id":7,"method":"eth_chainId","params":[]}`)
		if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"result":"0x%x"}`, market.ChainIDs[slug]); status != http.StatusOK || strings.TrimSpace(body) != want ||
			!strings.HasPrefix(header.Get("Content-Type"), "application/json") || header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v %s, want %s", slug, status, header, body, want)
		}
	}
	// What the node refuses is its own refusal, and a whole call of 64 KiB gets to it.
	padded := func(size int) string {
		const call = `{"jsonrpc":"2.0","id":7,"method":"eth_nothing","params":[]}`
		return call + strings.Repeat(" ", size-len(call))
	}
	if status, _, body := s.post(t, "/sample/nodes/eth", "", padded(64<<10)); status != http.StatusOK || !strings.Contains(body, `"id":7,"error":{"code":-32601`) {
		t.Errorf("%d %s", status, body)
	}
	if status, _, body := s.post(t, "/sample/nodes/eth", "", padded(64<<10+1)); status != http.StatusRequestEntityTooLarge || !strings.Contains(body, `"body_too_large"`) {
		t.Errorf("%d %s", status, body)
	}
	for _, path := range []string{"nowhere", "", "Eth", "eth/", "%65th", "../nodes/eth"} {
		status, _, body := s.post(t, "/sample/nodes/"+path, "", padded(100))
		if status != http.StatusNotFound || !strings.Contains(body, `"not_found"`) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	// A node is called by POST alone; everything else is a path that the service does not have.
	if status, _, body := s.call(t, http.MethodGet, "/sample/nodes/eth", s.key, ""); status != http.StatusNotFound || !strings.Contains(body, `"not_found"`) {
		t.Errorf("%d %s", status, body)
	}
	replayed := start(t, environment(t, "PROVIDERS", recorded(t)))
	if status, _, body := replayed.post(t, "/sample/nodes/eth", replayed.key, padded(100)); status != http.StatusNotFound || !strings.Contains(body, "Only PROVIDERS=sample") {
		t.Errorf("%d %s", status, body)
	}
}
