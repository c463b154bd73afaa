package catalogue_test

import (
	"maps"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/catalogue"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

type counts map[string]int

func (c counts) Count(name string, value int, dimensions ...string) {
	for _, d := range dimensions {
		name += " " + d
	}
	c[name] += value
}

// Every job that is spread counts its passes.
func TestPassesAreCounted(t *testing.T) {
	metrics, want := make(counts), make(counts)
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, s := range catalogue.Spreads(host.Kept{}, market.Sources{}, copying.Copying{Metrics: metrics}, nil) {
		s.Finished(store.Pass{At: at}, at)
		want["passes_finished job "+s.Name], want["pass_seconds job "+s.Name] = 1, 0
	}
	if len(want) == 0 || !maps.Equal(metrics, want) {
		t.Errorf("%v, want %v", metrics, want)
	}
}
