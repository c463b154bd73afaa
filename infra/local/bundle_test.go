package main

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

var everyProvider = []string{
	samplemarket.Blockscout, samplemarket.RPC, samplemarket.GeckoTerminal, samplemarket.DexScreener, samplemarket.DefiLlama, samplemarket.GoPlus,
}

func (s *service) setEveryFault(f samplemarket.Fault) {
	for _, provider := range everyProvider {
		s.SetFault(provider, f)
	}
}

// With nothing to go by, singles are refused and cost nothing, and the page says of each slot that it failed.
func TestEveryProviderFails(t *testing.T) {
	t.Parallel()
	l := newLaboratory(t)
	s := l.service(t, plenty, plenty)
	s.setEveryFault(samplemarket.Fault{Kind: samplemarket.FaultServerError})
	for _, sample := range l.firstOfEachChain() {
		for _, e := range pageSlots() {
			answer := s.ask(e.Path, sample)
			header := answer.Header()
			if answer.Code != http.StatusServiceUnavailable || header.Get("Retry-After") == "" || header.Get("X-Usage-Units") != "0" ||
				!strings.Contains(answer.Body.String(), `"error":"provider_unavailable"`) {
				t.Errorf("%s on %s: status %d, headers %v: %s", e.Name, sample.Chain, answer.Code, header, answer.Body)
			}
		}
		page := s.overview(sample)
		var slots []string
		for _, e := range pageSlots() {
			slots = append(slots, e.Slot())
			if !unavailable(page.slots[e.Slot()]) {
				t.Errorf("%s on %s: %s", e.Slot(), sample.Chain, page.slots[e.Slot()])
			}
		}
		if page.status != http.StatusOK || !slices.Equal(page.failed, slots) || !strings.Contains(page.whole, `"partial":true`) {
			t.Errorf("the page on %s: status %d, failed %v", sample.Chain, page.status, page.failed)
		}
	}
}

func (l *laboratory) firstOfEachChain() []samplemarket.Sample {
	var first []samplemarket.Sample
	for _, sample := range l.samples {
		if !slices.ContainsFunc(first, func(known samplemarket.Sample) bool { return known.Chain == sample.Chain }) {
			first = append(first, sample)
		}
	}
	return first
}

// A cold page asks no provider for the same thing twice, and whatever is asked within the freshness of its facts, the page again
// or any of its answers, asks nothing.
func TestNothingIsAskedTwice(t *testing.T) {
	t.Parallel()
	l := newLaboratory(t)
	for i, sample := range l.samples {
		if i%15 > 0 { // a few, from several chains, bsc among them
			continue
		}
		s := l.service(t, plenty, plenty)
		var all sync.WaitGroup
		for range 2 { // at the same time
			all.Go(func() {
				if page := s.overview(sample); page.status != http.StatusOK || len(page.failed) > 0 {
					t.Errorf("%s: status %d, failed %v", sample.About, page.status, page.failed)
				}
			})
		}
		all.Wait()
		calls := s.Calls()
		for call, times := range calls {
			if times != 1 {
				t.Errorf("%s %s: %d times %s", sample.Chain, sample.Address, times, call)
			}
		}
		if len(calls) < 8 {
			t.Errorf("%s: only %d calls", sample.About, len(calls))
		}
		s.ResetCalls()
		s.overview(sample)
		for _, e := range pageSlots() {
			s.ask(e.Path, sample)
		}
		if again := s.Calls(); len(again) > 0 {
			t.Errorf("%s: asked again: %v", sample.About, again)
		}
	}
}

const (
	// flakyWallets are asked about by some hundred provider calls together.
	flakyWallets = 20
	// patient is time enough for every retry.
	patient = 28 * time.Second
)

// With three of ten calls failing at every provider, answers are as good as ever for nearly all who ask, and providers are not
// asked much more for it.
func TestThreeOfTenCallsFail(t *testing.T) {
	l := newLaboratory(t)
	reference, s := l.service(t, patient, patient), l.service(t, patient, patient)
	s.setEveryFault(samplemarket.Fault{Kind: samplemarket.FaultServerError, Share: 0.3})
	good, asked := 0, 0
	var mu sync.Mutex
	var all sync.WaitGroup
	room := make(chan struct{}, 8)
	for _, wallet := range l.market.Truth().Wallets {
		if asked == flakyWallets {
			break
		}
		if wallet.Closed < 8 || wallet.Closed > 20 {
			continue
		}
		asked++
		sample := samplemarket.Sample{Address: wallet.Address, Chain: wallet.Chain}
		all.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			want, got := reference.ask("/v1/trader-score", sample), s.ask("/v1/trader-score", sample)
			mu.Lock()
			defer mu.Unlock()
			if got.Code == http.StatusOK && got.Body.String() == want.Body.String() {
				good++
			}
		})
	}
	all.Wait()
	needed, attempts := 0, 0
	for range reference.Calls() {
		needed++
	}
	for _, times := range s.Calls() {
		attempts += times
	}
	t.Logf("%d of %d good, %d attempts for %d calls", good, asked, attempts, needed)
	if asked < flakyWallets || float64(good) < 0.99*float64(asked) {
		t.Errorf("%d of %d answers are good", good, asked)
	}
	// Three of ten failing need 1/0.7 = 1.43 attempts a call on average.
	if float64(attempts) > 1.6*float64(needed) {
		t.Errorf("%d attempts for %d calls", attempts, needed)
	}
}
