package samplemarket

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

// The providers, by the names faults and calls go by.
const (
	Blockscout    = "blockscout"
	RPC           = "rpc"
	GeckoTerminal = "geckoterminal"
	DexScreener   = "dexscreener"
	DefiLlama     = "defillama"
	GoPlus        = "goplus"
	HoneypotIs    = "honeypotis"
	Hyperliquid   = "hyperliquid"
	// HyperliquidExchange is where that venue takes orders, which fails by itself: what is under Hyperliquid then is what it tells.
	HyperliquidExchange = "hyperliquid-exchange"
	// HyperliquidStats is another host of the same venue.
	HyperliquidStats = "hyperliquid-stats"
	// The three hosts of one prediction venue.
	PolymarketData  = "polymarket-data"
	PolymarketGamma = "polymarket-gamma"
	PolymarketCLOB  = "polymarket-clob"
)

// FaultKind is a way in which a provider fails.
type FaultKind int

// The ways to fail.
const (
	FaultNone        FaultKind = iota
	FaultHang                  // no answer until the caller gives up
	FaultServerError           // status 500
	FaultRateLimit             // status 429 with Retry-After
	FaultHTML                  // status 200 and a page of HTML
	FaultTruncated             // the right answer, cut in the middle
	FaultWrongTypes            // the right answer with texts for numbers, numbers for texts
	FaultHostile               // NaN, huge, negative and deeply nested values
	FaultEmpty                 // status 200 and no body
	FaultDrip                  // the right answer, a byte at a time
	FaultRandom                // each request one of the above
	FaultLost                  // what was asked is done, and no answer comes until the caller gives up
)

// Fault says how a provider fails and how often.
type Fault struct {
	Kind FaultKind
	// Share of the requests that fail, 0 to 1; 0 means all of them.
	Share float64
	// RetryAfter goes with FaultRateLimit, in whole seconds; 0 means one second.
	RetryAfter time.Duration
	// Interval is the pause between two bytes of FaultDrip; 0 means 50 ms.
	Interval time.Duration
}

// door stands before the market's answers: it counts, delays and spoils them.
type door struct {
	mu      *sync.Mutex
	faults  map[string]Fault
	calls   map[string]int
	latency time.Duration
	stream  seeded.Stream
	seed    uint64
}

func newDoor(seed uint64) door {
	return door{
		mu: &sync.Mutex{}, faults: map[string]Fault{}, calls: map[string]int{},
		stream: seeded.NewStream(seeded.MixAll(seed, seeded.HashText("faults"))), seed: seed,
	}
}

// Entrance is a way into a market with faults, a delay and counts of its own: one market can fail in several ways at a time,
// each for other callers.
type Entrance struct {
	market *Market
	door   door
}

// Entrance opens another way into the market. Nothing fails there yet.
func (m *Market) Entrance() *Entrance { return &Entrance{market: m, door: newDoor(m.config.Seed)} }

// Handler serves every provider, like the market's own.
func (e *Entrance) Handler() http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { e.market.serve(&e.door, rw, r) })
}

// SetFault makes a provider fail from now on. FaultNone ends it.
func (e *Entrance) SetFault(provider string, f Fault) { e.door.setFault(provider, f) }

// SetLatency delays every answer.
func (e *Entrance) SetLatency(d time.Duration) { e.door.setLatency(d) }

// Calls counts the requests since the last ResetCalls, by path and query; for JSON-RPC by path, method and parameters.
func (e *Entrance) Calls() map[string]int { return e.door.counted() }

// ResetCalls starts counting anew.
func (e *Entrance) ResetCalls() { e.door.reset() }

// SetFault is Entrance.SetFault for the market's own Handler.
func (m *Market) SetFault(provider string, f Fault) { m.door.setFault(provider, f) }

// Calls is Entrance.Calls for the market's own Handler.
func (m *Market) Calls() map[string]int { return m.door.counted() }

// ResetCalls is Entrance.ResetCalls for the market's own Handler.
func (m *Market) ResetCalls() { m.door.reset() }

func (d *door) setFault(provider string, f Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.faults[provider] = f
}

func (d *door) setLatency(latency time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.latency = latency
}

func (d *door) counted() map[string]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.calls)
}

func (d *door) reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.calls)
}

// enter counts a request and decides its fate.
func (d *door) enter(provider, call string) (FaultKind, Fault, time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls[call]++
	f := d.faults[provider]
	if f.Kind == FaultNone {
		return FaultNone, f, d.latency
	}
	// What fails, and how, follows from the call and from how often it was made, not from the order in which callers come.
	luck := seeded.NewStream(seeded.MixAll(d.seed, seeded.HashText(call), uint64(d.calls[call])))
	kind := f.Kind
	if f.Share > 0 && !luck.Chance(f.Share) {
		kind = FaultNone
	}
	if kind == FaultRandom {
		kind = FaultHang + FaultKind(luck.IntN(int(FaultRandom-FaultHang)))
	}
	return kind, f, d.latency
}

// exchangePart is the path of orders.
const exchangePart = "exchange"

// faultName is the name that the faults of a call go by.
func faultName(provider, rest string) string {
	if provider == Hyperliquid && strings.TrimSuffix(rest, "/") == exchangePart {
		return HyperliquidExchange
	}
	return provider
}

// reaches tells whether a failing request gets as far as the provider, where it may change something.
func (k FaultKind) reaches() bool {
	switch k {
	case FaultHang, FaultServerError, FaultRateLimit, FaultHTML, FaultHostile, FaultEmpty:
		return false
	}
	return true
}

// None of them is a lie that is well formed: such a one nobody can tell from the truth.
var hostileBodies = []string{
	`{"data":NaN,"coins":{"x":{"price":NaN}},"pairs":[{"priceUsd":NaN}],"result":NaN}`,
	`{"data":{"attributes":{"price_usd":"1e308","ohlcv_list":[[1e308,-1,1e309,-5,0,-1e308]]}},"coins":{"a":{"price":1e308,"timestamp":-1}},"pairs":[{"priceUsd":"-1e308","liquidity":{"usd":-1e308}}],"items":[{"total":{"value":"-99999999999999999999999999999999999999999999999999999999999999999999999999999999"}}],"code":1,"result":"0x` + strings.Repeat("f", 77) + `"}`,
	`{"data":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`,
	`{"items":[{"hash":"` + strings.Repeat("A", 1<<20) + `"}],"next_page_params":{"loop":"1"}}`,
	`[null,null,{"":{"":[]}},-0,1e-400]`,
}

// spoil answers with a fault instead of, or made from, the right body.
func (d *door) spoil(rw http.ResponseWriter, r *http.Request, kind FaultKind, f Fault, status int, body []byte) {
	header := rw.Header()
	switch kind {
	case FaultHang, FaultLost:
		<-r.Context().Done()
	case FaultServerError:
		http.Error(rw, "Internal Server Error", http.StatusInternalServerError)
	case FaultRateLimit:
		seconds := max(1, int(f.RetryAfter/time.Second))
		header.Set("Retry-After", strconv.Itoa(seconds))
		http.Error(rw, "Too Many Requests", http.StatusTooManyRequests)
	case FaultHTML:
		header.Set("Content-Type", "text/html; charset=utf-8")
		_, _ = rw.Write([]byte("<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>Checking your browser</body></html>"))
	case FaultTruncated:
		rw.WriteHeader(status)
		_, _ = rw.Write(body[:len(body)*2/3])
	case FaultWrongTypes:
		rw.WriteHeader(status)
		_, _ = rw.Write(wrongTypes(body))
	case FaultHostile:
		d.mu.Lock()
		choice := d.stream.IntN(len(hostileBodies))
		d.mu.Unlock()
		_, _ = rw.Write([]byte(hostileBodies[choice]))
	case FaultEmpty:
		rw.WriteHeader(http.StatusOK)
	case FaultDrip:
		drip(rw, r, f, status, body)
	}
}

func drip(rw http.ResponseWriter, r *http.Request, f Fault, status int, body []byte) {
	interval := f.Interval
	if interval <= 0 {
		interval = 50 * time.Millisecond
	}
	rw.WriteHeader(status)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	flusher, _ := rw.(http.Flusher)
	for i := range body {
		if _, err := rw.Write(body[i : i+1]); err != nil {
			return
		}
		if flusher != nil {
			flusher.Flush()
		}
		select {
		case <-r.Context().Done():
			return
		case <-ticker.C:
		}
	}
}

// wrongTypes turns texts into numbers and objects, and numbers into texts.
func wrongTypes(body []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return []byte("42")
	}
	spoiled, _ := json.Marshal(mistype(value))
	return spoiled
}

func mistype(value any) any {
	switch v := value.(type) {
	case string:
		return len(v)
	case json.Number:
		return map[string]any{"value": v.String()}
	case bool:
		return "maybe"
	case nil:
		return []any{}
	case []any:
		for i := range v {
			v[i] = mistype(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = mistype(v[key])
		}
	}
	return value
}
