package client_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
)

const (
	testKey     = "mw_test_key"
	testWallet  = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
	leaderOne   = "0x00000000219ab540356cbb839cbe05303d7705fa"
	transaction = "0x1111111111111111111111111111111111111111111111111111111111111111"
)

// double behaves like the service, as far as a client can tell: it knows keys and wallets, keeps what POSTs with a key answered, pages
// its lists, and walks agents through an activation of two rounds.
type double struct {
	*httptest.Server
	mu     sync.Mutex
	agents []map[string]any // in the order of creation
	rounds map[string]int
	kept   map[string][]byte // answers by idempotency key
	hook   map[string]any
	asked  []string // method and path
	// trouble, when set, answers in place of the service.
	trouble func(w http.ResponseWriter, r *http.Request) bool
	// pending is how often a transaction is in no block yet.
	pending int
}

func newDouble() *double {
	d := &double{rounds: make(map[string]int), kept: make(map[string][]byte)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/copy/venues", d.venues)
	mux.HandleFunc("GET /v1/copy/leaders", d.leaders)
	mux.HandleFunc("GET /v1/copy/spot-leaders", d.spotLeaders)
	mux.HandleFunc("POST /v1/copy-plan", reply(`{"copy":true,"plan":{"capitalPct":5,"allocationUsd":250,"perPositionCapPct":1,"exclusions":["Leave out PEPE."]},"warnings":["Thin record."],"riskConfig":{"maxUsd":"250","copyPercent":100,"perPositionCapPct":20,"excludeTokens":[]},"reasons":["a","b"],"new":1}`))
	mux.HandleFunc("POST /v1/perp-copy-decision", reply(`{"copy":false,"maxLeverage":3,"sizeFactor":0,"liqDistancePct":33.1,"fundingCostDaily":null,"allocationUsd":null,"flags":["funding-high"],"reasons":[]}`))
	mux.HandleFunc("POST /v1/copy-overlap", reply(`{"redundant":null,"verdict":"unknown","overlapPct":null,"mostSimilar":null,"sharedTokens":[],"reasons":["a"]}`))
	mux.HandleFunc("POST /v1/wallet-overview", reply(`{"bundle":"wallet-overview"}`))
	mux.HandleFunc("GET /v1/usage", reply(`{"today":5}`))
	mux.HandleFunc("POST /v1/copy/agents", d.once(d.create))
	mux.HandleFunc("GET /v1/copy/agents", d.list)
	mux.HandleFunc("GET /v1/copy/agents/{id}", d.show)
	mux.HandleFunc("GET /v1/copy/agents/{id}/activation", d.activation)
	mux.HandleFunc("POST /v1/copy/agents/{id}/activate", d.once(d.activate))
	mux.HandleFunc("POST /v1/copy/agents/{id}/{verb}", d.once(d.move))
	mux.HandleFunc("GET /v1/copy/agents/{id}/executions", d.executions)
	mux.HandleFunc("PUT /v1/webhooks", d.putHook)
	mux.HandleFunc("GET /v1/webhooks", d.getHook)
	mux.HandleFunc("DELETE /v1/webhooks", d.deleteHook)
	mux.HandleFunc("POST /v1/webhooks/test", reply(`{"delivered":false,"status":500,"durationMs":12,"reason":"It answered with status 500."}`))
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.asked = append(d.asked, r.Method+" "+r.URL.EscapedPath())
		w.Header().Set("X-Request-Id", "req-"+strconv.Itoa(len(d.asked)))
		switch {
		case d.trouble != nil && d.trouble(w, r):
		case r.Header.Get("Authorization") != "Bearer "+testKey:
			refuse(w, 401, "unauthorized")
		case r.Method == http.MethodPost && len(r.Header.Values("Idempotency-Key")) != 1:
			refuse(w, 400, "no_key")
		case strings.Contains(r.URL.Path, "/copy/agents") && !signedIn(r):
			refuse(w, 401, "wallet_signature_invalid")
		default:
			mux.ServeHTTP(w, r)
		}
	}))
	return d
}

func (d *double) base() string { return d.URL + "/v1" }

// signedIn tells whether the headers carry a message of the wallet for this host.
func signedIn(r *http.Request) bool {
	message, err := base64.RawURLEncoding.DecodeString(r.Header.Get("X-Wallet-Message"))
	address := r.Header.Get("X-Wallet-Address")
	return err == nil && strings.HasPrefix(string(message), r.Host+" wants you to sign in with your Ethereum account:\n"+address+"\n") &&
		r.Header.Get("X-Wallet-Signature") == signatureOf(string(message))
}

// signatureOf stands for a signature.
func signatureOf(text string) string { return fmt.Sprintf("0x%x", len(text)) }

func reply(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) }
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"error":%q,"message":"Do something else.","requestId":"req","param":"p","accepted":["a"],"supported":["base"]}`, code)
}

func write(w http.ResponseWriter, value any) {
	if err := json.NewEncoder(w).Encode(value); err != nil {
		panic(err)
	}
}

// once answers a repeated POST as the first.
func (d *double) once(handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		if answer, found := d.kept[key]; found {
			_, _ = w.Write(answer)
			return
		}
		recorder := httptest.NewRecorder()
		handle(recorder, r)
		if recorder.Code < 300 {
			d.kept[key] = recorder.Body.Bytes()
		}
		for name, values := range recorder.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(recorder.Code)
		_, _ = w.Write(recorder.Body.Bytes())
	}
}

// paged writes a page of rows under a name.
func paged(w http.ResponseWriter, r *http.Request, name string, rows []any) {
	const size = 2
	from, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Query().Get("cursor"), "after-"))
	to := min(from+size, len(rows))
	answer := map[string]any{name: rows[from:to], "nextCursor": nil}
	if to < len(rows) {
		answer["nextCursor"] = fmt.Sprintf("after-%d", to)
	}
	write(w, answer)
}

func (d *double) venues(w http.ResponseWriter, _ *http.Request) {
	write(w, map[string]any{"venues": []any{map[string]any{"venue": "dexvenue-spot", "title": "Decentralised exchanges", "modes": []string{"paper"}, "chains": []string{"base"}, "smartAccountAddress": "The smart account."}}})
}

func leaderRow(rank int, address, field string) map[string]any {
	return map[string]any{
		"rank": rank, field: address, "venue": "dexvenue-spot", "chain": "base", "grade": "A", "verdict": "mirror-worthy", "score": 91.5, "confidence": nil, "sampleSize": 40,
		"mirrorWorthy": true, "gradedAt": "2026-11-20T12:00:00Z", "reasons": []string{"Wins often."},
		"assessment": map[string]any{"mirrorable": true, "evidence": "closed-trades", "reasons": []string{"A copier would have gained."}}, "disclosure": "Simulated.", "extra": 1,
	}
}

func (d *double) leaders(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("venue") != "dexvenue-spot" {
		refuse(w, 400, "invalid_param")
		return
	}
	var rows []any
	for i := range 5 {
		rows = append(rows, leaderRow(i+1, leaderOne[:41]+strconv.Itoa(i), "address"))
	}
	paged(w, r, "rows", rows)
}

func (d *double) spotLeaders(w http.ResponseWriter, r *http.Request) {
	rows := []any{leaderRow(1, leaderOne, "wallet")}
	if r.URL.Query().Get("mirrorableOnly") != "1" {
		row := leaderRow(2, testWallet, "wallet")
		row["grade"], row["assessment"] = nil, map[string]any{"mirrorable": false, "evidence": "closed-trades", "reasons": []string{"Too thin."}}
		rows = append(rows, row)
	}
	paged(w, r, "rows", rows)
}
