package endpoint_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// blamed is an error that names its provider.
type blamed struct{ provider string }

func (b blamed) Error() string    { return b.provider + " is down" }
func (b blamed) Provider() string { return b.provider }
func (b blamed) Unwrap() error    { return market.ErrUnavailable }

// behaviours of a component.
const (
	answers = iota
	isDown
	panics
	refuses
	cannotEncode
	behaviours
)

var codes = map[int]string{isDown: "provider_unavailable", panics: "internal", refuses: "not_a_token", cannotEncode: "internal"}

// nasty are texts that encoders treat differently.
var nasty = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"<b>&amp;</b>", "\u2028\u2029", "\U0001f469\u200d\U0001f680", `"\/`, "\x00\x1f\x7f", "\u00e9e\u0301", "</script>", ""}))

// anyAnswer is a random answer: nested, with every kind of value.
func anyAnswer(depth int) *rapid.Generator[any] {
	leaves := []*rapid.Generator[any]{
		rapid.Map(nasty, func(s string) any { return strings.ToValidUTF8(s, "") }), rapid.Map(rapid.Float64Range(-1e21, 1e21), func(x float64) any { return x }),
		rapid.Map(rapid.Int(), func(n int) any { return n }), rapid.Map(rapid.Bool(), func(b bool) any { return b }), rapid.Just[any](nil),
	}
	if depth > 0 {
		leaves = append(leaves,
			rapid.Map(rapid.SliceOfN(anyAnswer(depth-1), 0, 3), func(s []any) any { return s }),
			rapid.Map(rapid.MapOfN(rapid.StringMatching(`[a-z<&é]{1,4}`), anyAnswer(depth-1), 0, 3), func(m map[string]any) any { return m }))
	}
	return rapid.OneOf(leaves...)
}

// A bundle's slots are the bytes of their singles, whichever others fail, and the envelope tells which did.
func TestSlotsAreTheirSingles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 6).Draw(t, "components")
		components, behaviour, units := make([]endpoint.Endpoint, count), make([]int, count), 0
		for i := range components {
			behaviour[i] = rapid.IntRange(0, behaviours-1).Draw(t, "behaviour")
			answer := anyAnswer(2).Draw(t, "answer")
			own := endpoint.Integer(fmt.Sprintf("own%d", i), "Its own.", 0, 1000, i)
			cost := rapid.IntRange(0, 3).Draw(t, "units")
			units += cost
			components[i] = endpoint.Operation(endpoint.Declaration{
				Name: fmt.Sprintf("part-%c-single", 'a'+i), Units: cost, Parameters: []endpoint.Parameter{endpoint.Token, endpoint.Chain, own},
			}, func(_ context.Context, r *endpoint.Request) (any, error) {
				switch behaviour[i] {
				case isDown:
					return nil, fmt.Errorf("fetching: %w", blamed{"explorer"})
				case panics:
					panic(errSecret)
				case refuses:
					return nil, endpoint.NotAToken("No token lives there.")
				case cannotEncode:
					return "\xff", nil
				}
				return []any{own.Of(r), endpoint.Token.Of(r), answer}, nil
			})
		}
		f := endpointtest.New(t)
		bundle := endpoint.Bundle(endpoint.Declaration{Name: "token-overview"}, endpoint.Token, components...)
		handler := endpointtest.Undocumented{Handler: endpoint.NewHandler(f.Service, append([]endpoint.Endpoint{bundle}, components...)...)}

		common := `{"token":"` + wallet + `","chain":"optimism"`
		all := common
		for i := range components {
			if value := rapid.IntRange(-1, 3).Draw(t, "parameter"); value >= 0 {
				all += fmt.Sprintf(`,"own%d":%d`, i, value)
			}
		}
		answer := post("/v1/token-overview", f.Key, all+"}").Do(t, handler)
		if answer.Status != 200 || answer.Header.Get("X-Usage-Units") != fmt.Sprint(units) || bundle.Units != units {
			t.Fatalf("%d, %s units, want 200 and %d: %s", answer.Status, answer.Header.Get("X-Usage-Units"), units, answer.Body)
		}
		var envelope struct {
			Token, Chain, Bundle string
			Partial              *bool
			Failed               []string
		}
		var slots map[string]json.RawMessage
		if err := errors.Join(json.Unmarshal([]byte(answer.Body), &envelope), json.Unmarshal([]byte(answer.Body), &slots)); err != nil {
			t.Fatalf("%v: %s", err, answer.Body)
		}
		var failed []string
		for i := range components {
			name := components[i].Slot()
			if want := fmt.Sprintf("part%cSingle", 'A'+i); name != want {
				t.Fatalf("slot %s, want %s", name, want)
			}
			if behaviour[i] != answers {
				failed = append(failed, name)
				var problem map[string]string
				if err := json.Unmarshal(slots[name], &problem); err != nil || len(problem) != 2 || problem["error"] != codes[behaviour[i]] || problem["message"] == "" {
					t.Fatalf("%s: %s, want %s", name, slots[name], codes[behaviour[i]])
				}
				if strings.Contains(answer.Body, errSecret.Error()) {
					t.Fatalf("details leak: %s", answer.Body)
				}
				continue
			}
			body := common
			if at := strings.Index(all, fmt.Sprintf(`,"own%d":`, i)); at >= 0 {
				body += all[at : at+len(`,"own0":0`)]
			}
			single := post(components[i].Path, f.Key, body+"}").Do(t, handler)
			if single.Status != 200 || !strings.Contains(answer.Body, `,"`+name+`":`+single.Body) {
				t.Fatalf("%s: the single is\n%s\nand the bundle\n%s", name, single.Body, answer.Body)
			}
		}
		if envelope.Token != wallet || envelope.Chain != "optimism" || envelope.Bundle != "token-overview" {
			t.Fatalf("envelope %+v", envelope)
		}
		if !slices.Equal(envelope.Failed, failed) || (envelope.Partial != nil) != (len(failed) > 0) || (envelope.Partial != nil && !*envelope.Partial) {
			t.Fatalf("failed %q: %s", failed, answer.Body)
		}
		if got := f.Metrics.Total(endpoint.MetricSlotFailed); got != len(failed) {
			t.Fatalf("%d failed slots counted, want %d", got, len(failed))
		}
		for i := range components {
			name := "slot_failed{bundle,token-overview,slot," + components[i].Slot() + ",code,provider_unavailable,provider,explorer}"
			if behaviour[i] == isDown && f.Metrics.Total(name) != 1 {
				t.Fatalf("the provider is not blamed for slot %s", components[i].Slot())
			}
		}
		if strings.Count(f.Log.String(), `"slot failed"`) != len(failed) {
			t.Fatalf("the log does not tell of %q:\n%s", failed, f.Log)
		}
	})
}

func TestBundlesAcceptWhatTheirComponentsDo(t *testing.T) {
	bundle := endpoint.Bundle(endpoint.Declaration{Name: "both"}, endpoint.Wallet, score(), trades())
	var names []string
	for _, p := range bundle.Parameters {
		names = append(names, p.Specification().Name)
	}
	if want := []string{"wallet", "chain", "tradesLimit", "sample"}; !slices.Equal(names, want) {
		t.Errorf("accepts %q, want %q", names, want)
	}
	if bundle.Units != 4 || !bundle.Graded || !slices.Equal(bundle.Needs, []market.Port{market.CodeFacts}) || bundle.Path != "/v1/both" {
		t.Errorf("%+v", bundle.Declaration)
	}
}

func TestShortBundlesKeepTimeForTheirEnvelope(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := endpointtest.New(t)
		f.Service.BundleTimeout = 100 * time.Millisecond
		hangs := failing("hangs", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		takes := failing("takes", func(context.Context) error { time.Sleep(80 * time.Millisecond); return errSecret })
		handler := endpointtest.Undocumented{Handler: endpoint.NewHandler(f.Service, endpoint.Bundle(endpoint.Declaration{Name: "overview"}, endpoint.Wallet, hangs, takes))}
		answer := post("/v1/overview", f.Key, good).Do(t, handler)
		if answer.Status != 200 || !strings.Contains(answer.Body, `"takes":{"error":"internal"`) || !strings.Contains(answer.Body, `"hangs":{"error":"provider_unavailable"`) {
			t.Errorf("%d %s", answer.Status, answer.Body)
		}
	})
}

func TestHangingComponentsDoNotHoldUpTheirBundle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		quick := score()
		bundle := endpoint.Bundle(endpoint.Declaration{Name: "overview"}, endpoint.Wallet,
			failing("hangs-politely", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }), quick,
			failing("hangs-rudely", func(context.Context) error { <-release; return nil }))
		handler, f, _ := start(t, bundle, quick)
		began := time.Now()
		answer := post("/v1/overview", f.Key, good).Do(t, handler)
		if took := time.Since(began); took > 8*time.Second || took < 7*time.Second {
			t.Errorf("took %v", took)
		}
		single := post("/v1/trader-score", f.Key, good).Do(t, handler)
		if answer.Status != 200 || !strings.Contains(answer.Body, `"traderScore":`+single.Body) ||
			!strings.HasSuffix(answer.Body, `,"partial":true,"failed":["hangsPolitely","hangsRudely"]}`) {
			t.Errorf("%d %s", answer.Status, answer.Body)
		}
		if got := answer.Header.Get("X-Usage-Units"); got != "8" {
			t.Errorf("a partial bundle counts %s, want all 8", got)
		}
		close(release)
	})
}
