package token

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// count keeps counts that were made so long before the scene's instant.
func (s *scene) count(t *testing.T, ago time.Duration, provenBuyers, rated int) {
	t.Helper()
	if kept, err := KeepProvenBuyers(t.Context(), s, ProvenBuyers{At: flowNow.Add(-ago), Rated: rated, Proven: provenBuyers}); err != nil || !kept {
		t.Fatal(kept, err)
	}
}

// wantTypical checks what two proven buyers of twelve are compared with, and whether that makes them smart money.
func (s *scene) wantTypical(t *testing.T, name, typical string, buying bool) {
	t.Helper()
	got := s.smartMoney(t)
	if want := "2 of 12 recent buyers have proven records; " + typical + " would be typical."; got.Reasons[0] != want {
		t.Errorf("%s: %q, want %q", name, got.Reasons[0], want)
	}
	if got.SmartMoneyBuying == nil || *got.SmartMoneyBuying != buying {
		t.Errorf("%s: %+v", name, got)
	}
}

func TestShareByHand(t *testing.T) {
	for _, test := range []struct {
		proven, rated int
		mean          float64
	}{{0, 0, 0.03}, {0, 100, 0.015}, {10, 100, 0.065}, {100, 900, 0.103}, {0, 99_900, 0.00003}} {
		counted := ProvenBuyers{Rated: test.rated, Proven: test.proven}
		if got := counted.share().Mean(); math.Abs(got-test.mean) > 1e-12 {
			t.Errorf("%d of %d: %v, want %v", test.proven, test.rated, got, test.mean)
		}
	}
	low, high := provenPrior.Quantile(0.025), provenPrior.Quantile(0.975)
	if math.Abs(low-0.006) > 0.0005 || math.Abs(high-0.071) > 0.0005 {
		t.Errorf("the prior leaves %v to %v plausible", low, high)
	}
}

// Twelve times (3+900)/(100+9000) is 1.19, of which two are no more than chance brings; twelve times (3+20)/(100+1900) is 0.14.
func TestTheKeptShareIsWhatBuyersAreComparedWith(t *testing.T) {
	s := proven(2, 10)
	s.wantTypical(t, "nothing is kept", "0.4", true)
	s.count(t, time.Hour, 900, 9000)
	s.wantTypical(t, "many are proven", "1.2", false)
	s.count(t, 30*time.Minute, 20, 1900)
	s.wantTypical(t, "few are proven", "0.1", true)
}

func TestCountsAreOfUseForAWeek(t *testing.T) {
	for name, test := range map[string]struct {
		ago     time.Duration
		typical string
		buying  bool
	}{
		"a week old":              {7 * 24 * time.Hour, "1.2", false},
		"older":                   {7*24*time.Hour + time.Minute, "0.4", true},
		"settled":                 {20 * time.Minute, "1.2", false},
		"made a moment ago":       {20*time.Minute - 1, "0.4", true},
		"of later than the asked": {-time.Minute, "0.4", true},
	} {
		s := proven(2, 10)
		s.count(t, test.ago, 900, 9000)
		s.wantTypical(t, name, test.typical, test.buying)
	}
}

// However often counts are made, an instant is answered by those that were in force then.
func TestCountsTakeOverOnceSettled(t *testing.T) {
	s := proven(2, 10)
	s.count(t, 80*time.Minute, 900, 9000)
	s.count(t, 10*time.Minute, 20, 1900)
	s.wantTypical(t, "before the new ones settle", "1.2", false)
	s.count(t, 5*time.Minute, 21, 1900)
	s.wantTypical(t, "when they are made twice", "1.2", false)
	if kept, err := KeepProvenBuyers(t.Context(), s, ProvenBuyers{At: flowNow.Add(-5 * time.Minute)}); kept || err != nil {
		t.Error("counts of the same instant were kept", err)
	}
	s.wantTypical(t, "after counts that were as new", "1.2", false)
}

func TestWhatCannotBeReadIsTheConvention(t *testing.T) {
	at := flowNow.Add(-time.Hour)
	for _, data := range []string{
		``, `x`, `{"v":2,"counts":[{"at":"2026-06-01T11:00:00Z","rated":9000,"proven":900}]}`, `{"v":1}`, `{"v":1,"counts":[{"rated":9000,"proven":900}]}`,
		`{"v":1,"counts":[{"at":"2026-06-01T11:00:00Z","rated":9000,"proven":9001}]}`, `{"v":1,"counts":[{"at":"2026-06-01T11:00:00Z","rated":9000,"proven":-1}]}`,
	} {
		s := proven(2, 10)
		s.peers[provenBuyersKey] = store.PeerSet{At: at, Data: []byte(data)}
		s.wantTypical(t, data, "0.4", true)
		s.count(t, 30*time.Minute, 900, 9000) // written over
		s.wantTypical(t, data, "1.2", false)
	}
	s := proven(2, 10)
	s.count(t, time.Hour, 900, 9000)
	s.unread = true
	s.wantTypical(t, "the store is down", "0.4", true)
	if _, err := KeepProvenBuyers(t.Context(), s, ProvenBuyers{At: flowNow}); err == nil {
		t.Error("counts were kept although the earlier ones could not be read")
	}
	s.unread = false
	if _, err := KeepProvenBuyers(t.Context(), s, ProvenBuyers{At: flowNow, Rated: 1, Proven: 2}); !errors.Is(err, store.ErrInvalid) {
		t.Error(err)
	}
}

// A page asks for the counts once, however many of its answers rest on them, and its slot is the single's answer.
func TestAPageReadsTheCountsOnce(t *testing.T) {
	s := proven(2, 10)
	s.count(t, time.Hour, 900, 9000)
	memory := openMemory(t)
	memory.Observations, memory.Peers = s, s
	endpoints := Endpoints(memory)
	for i := range endpoints {
		endpoints[i].Open = true
	}
	handler := endpoint.NewHandler(endpoint.Service{Sources: s.sources(), Clock: func() time.Time { return flowNow }}, endpoints...)
	ask := func(name string) string {
		answer := endpointtest.Call{
			Method: http.MethodPost, Path: "/v1/" + name, Body: `{"token":"` + flowToken.String() + `","chain":"eth","sample":11}`,
		}.Do(t, handler)
		if answer.Status != http.StatusOK {
			t.Fatal(answer.Body)
		}
		return strings.TrimSpace(answer.Body)
	}
	clear(s.peersAsked)
	var slots struct{ SmartMoneyFlow, TokenSignal json.RawMessage }
	if err := json.Unmarshal([]byte(ask("token-overview")), &slots); err != nil {
		t.Fatal(err)
	}
	if asked := s.peersAsked[provenBuyersKey]; asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	if single := ask("smart-money-flow"); string(slots.SmartMoneyFlow) != single || !strings.Contains(single, "2 of 11 recent buyers have proven records; 1.1 would") {
		t.Errorf("%s\nin the page %s", single, slots.SmartMoneyFlow)
	}
	if !strings.Contains(string(slots.TokenSignal), `"signal":`) {
		t.Errorf("%s", slots.TokenSignal)
	}
}
