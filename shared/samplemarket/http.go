package samplemarket

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Handler serves every provider under its own prefix: /blockscout/{chain}, /rpc/{chain}, /geckoterminal, /dexscreener, /defillama,
// /goplus, /honeypotis, /hyperliquid, /hyperliquid-stats, /polymarket-data, /polymarket-gamma and /polymarket-clob, each followed by the
// provider's own path. At /hyperliquid/exchange requests change something: orders are carried out there.
func (m *Market) Handler() http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { m.serve(&m.door, rw, r) })
}

// request is one call of a provider, with the market standing still.
type request struct {
	path  []string // after the prefix, unescaped
	query url.Values
	body  []byte
	now   int64 // Unix time
}

// part is a path segment, empty beyond the end.
func (r *request) part(i int) string {
	if i < len(r.path) {
		return r.path[i]
	}
	return ""
}

// whole reads a whole-number query parameter.
func (r *request) whole(key string, fallback, low, high int) int {
	n, err := strconv.Atoi(r.query.Get(key))
	if err != nil {
		return fallback
	}
	return min(max(n, low), high)
}

const maxRequestBody = 1 << 20

func (m *Market) serve(d *door, rw http.ResponseWriter, r *http.Request) {
	provider, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	call := r.URL.RequestURI()
	var body []byte
	if r.Method == http.MethodPost {
		var err error
		if body, err = io.ReadAll(http.MaxBytesReader(rw, r.Body, maxRequestBody)); err != nil {
			http.Error(rw, "Request Entity Too Large", http.StatusRequestEntityTooLarge)
			return
		}
		call += " " + callName(body)
	}
	kind, fault, latency := d.enter(faultName(provider, rest), call)
	if latency > 0 {
		timer := time.NewTimer(latency)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return
		}
	}
	status, answer := http.StatusNotFound, any(map[string]string{"message": "Not found"})
	if kind.reaches() {
		m.openVenue(provider)
		m.view(func() {
			req := &request{path: strings.Split(strings.TrimSuffix(rest, "/"), "/"), query: r.URL.Query(), body: body, now: m.unix}
			status, answer = m.answer(provider, r.Method, req, status, answer)
		})
	}
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answer); err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	if kind != FaultNone {
		d.spoil(rw, r, kind, fault, status, encoded.Bytes())
		return
	}
	rw.WriteHeader(status)
	_, _ = rw.Write(encoded.Bytes())
}

func (m *Market) answer(provider, verb string, req *request, status int, answer any) (int, any) {
	if provider == RPC {
		if verb != http.MethodPost {
			return http.StatusMethodNotAllowed, map[string]string{"message": "Method not allowed"}
		}
		return m.serveRPC(req)
	}
	if status, answer, served := m.serveVenue(provider, verb, req); served {
		return status, answer
	}
	if verb != http.MethodGet && verb != http.MethodHead {
		return http.StatusMethodNotAllowed, map[string]string{"message": "Method not allowed"}
	}
	switch provider {
	case Blockscout:
		return m.serveBlockscout(req)
	case GeckoTerminal:
		return m.serveGeckoTerminal(req)
	case DexScreener:
		return m.serveDexScreener(req)
	case DefiLlama:
		return m.serveDefiLlama(req)
	case GoPlus:
		return m.serveGoPlus(req)
	case HoneypotIs:
		return m.serveHoneypotIs(req)
	}
	return status, answer
}

// callName names a call by its body, for counting: a JSON-RPC call by its method and parameters, without its id.
func callName(body []byte) string {
	var call rpcCall
	if json.Unmarshal(body, &call) != nil || call.Method == "" {
		return string(body[:min(len(body), 200)])
	}
	return call.Method + " " + string(call.Params)
}
