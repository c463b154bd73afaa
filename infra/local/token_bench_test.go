package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

// benchmarkToken is a token whose page asks for everything: it has a chart, and buyers with records.
func (l *laboratory) benchmarkToken(b *testing.B) samplemarket.Sample {
	b.Helper()
	for _, token := range l.oneOfEachKind() {
		if token.Kind == "grower" {
			return token
		}
	}
	b.Fatal("the market has no growing token")
	return samplemarket.Sample{}
}

// BenchmarkTokenOverviewCold is a whole token page for which every fact has to be fetched from the sample market on loopback, twelve
// buyers' records among them.
func BenchmarkTokenOverviewCold(b *testing.B) {
	l := newLaboratory(b)
	token := l.benchmarkToken(b)
	calls := 0
	for b.Loop() {
		b.StopTimer()
		s := l.service(b, plenty, plenty)
		b.StartTimer()
		if answer := s.askToken(tokenOverviewPath, token, ""); answer.Code != http.StatusOK || strings.Contains(answer.Body.String(), `"partial"`) {
			b.Fatalf("status %d: %.300s", answer.Code, answer.Body)
		}
		calls += len(s.Calls())
	}
	b.ReportMetric(float64(calls)/float64(b.N), "provider-calls")
}

// BenchmarkTokenOverviewWarm is the same page when its facts are at hand: assessment, one snapshot written and flushed, encoding.
func BenchmarkTokenOverviewWarm(b *testing.B) {
	l := newLaboratory(b)
	s := l.service(b, plenty, plenty)
	token := l.benchmarkToken(b)
	if answer := s.askToken(tokenOverviewPath, token, ""); answer.Code != http.StatusOK {
		b.Fatal(answer.Body)
	}
	b.ReportAllocs()
	for b.Loop() {
		s.askToken(tokenOverviewPath, token, "")
	}
}
