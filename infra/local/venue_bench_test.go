package main

import (
	"net/http"
	"strings"
	"testing"
)

// coldAnswer answers one question by a new service each time: every fact is fetched from the sample market on loopback.
func coldAnswer(b *testing.B, l *laboratory, path, body string) {
	b.Helper()
	calls := 0
	for b.Loop() {
		b.StopTimer()
		s := l.service(b, plenty, plenty)
		b.StartTimer()
		if answer := s.send(path, body); answer.Code != http.StatusOK || strings.Contains(answer.Body.String(), `"partial"`) {
			b.Fatalf("status %d: %.300s", answer.Code, answer.Body)
		}
		b.StopTimer()
		for _, times := range s.Calls() {
			calls += times
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(calls)/float64(b.N), "provider-calls")
}

// warmAnswer answers one question again and again when its facts are at hand.
func warmAnswer(b *testing.B, l *laboratory, path, body string) {
	b.Helper()
	s := l.service(b, plenty, plenty)
	if answer := s.send(path, body); answer.Code != http.StatusOK {
		b.Fatal(answer.Body)
	}
	b.ReportAllocs()
	for b.Loop() {
		s.send(path, body)
	}
}

// busyAccount is an account with as many fills as the perpetuals venue gives, 10,000.
func (l *laboratory) busyAccount(b *testing.B) string {
	b.Helper()
	return onlyWallet(sampleOf(b, l.market.Samples().Perps, "market-making-busy").Address)
}

// busyBettor is a prediction wallet with more history than the venue lets one read.
func (l *laboratory) busyBettor(b *testing.B) string {
	b.Helper()
	return onlyWallet(sampleOf(b, l.market.Samples().Predictions, "prolific").Address)
}

// holderOf is a wallet whose portfolio takes every provider.
func (l *laboratory) holderOf(b *testing.B) string {
	b.Helper()
	sample := l.holder(b, "eth")
	return `{"wallet":"` + sample.Address + `","chain":"` + sample.Chain + `"}`
}

func BenchmarkPerpWalletCold(b *testing.B) {
	l := newLaboratory(b)
	coldAnswer(b, l, perpPath, l.busyAccount(b))
}

func BenchmarkPerpWalletWarm(b *testing.B) {
	l := newLaboratory(b)
	warmAnswer(b, l, perpPath, l.busyAccount(b))
}

func BenchmarkPredictionWalletCold(b *testing.B) {
	l := newLaboratory(b)
	coldAnswer(b, l, predictionPath, l.busyBettor(b))
}

func BenchmarkPredictionWalletWarm(b *testing.B) {
	l := newLaboratory(b)
	warmAnswer(b, l, predictionPath, l.busyBettor(b))
}

func BenchmarkPortfolioOverviewCold(b *testing.B) {
	l := newLaboratory(b)
	coldAnswer(b, l, portfolioPath, l.holderOf(b))
}

func BenchmarkPortfolioOverviewWarm(b *testing.B) {
	l := newLaboratory(b)
	warmAnswer(b, l, portfolioPath, l.holderOf(b))
}

func BenchmarkPerpCopyDecisionCold(b *testing.B) {
	coldAnswer(b, newLaboratory(b), decisionPath, decisionOnCoin)
}

func BenchmarkPerpCopyDecisionWarm(b *testing.B) {
	warmAnswer(b, newLaboratory(b), decisionPath, decisionOnCoin)
}
