package leader

import (
	"reflect"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/discovery"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// foundEarly is a finding with lists of some lengths.
func foundEarly(tokens, links int) earlyFinding {
	f := earlyFinding{
		Finding: discovery.Finding{
			Wallet: chain.Address{1}, Older: discovery.Evidence{Launches: 20, Rose: 6, Expected: 2.4, P: 0.0004},
			Newer: discovery.Evidence{Launches: 9, Rose: 4, Expected: 1.1, P: 0.016}, AdjustedP: 0.02, Tested: 412, HitRate: 0.3, BaseRate: 0.12, Confirmed: true,
		},
		StoodOutAt: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), CheckedAt: time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC),
	}
	for i := range tokens {
		f.Tokens = append(f.Tokens, chain.Address{2, byte(i >> 8), byte(i)})
	}
	for i := range links {
		f.Siblings = append(f.Siblings, chain.Address{3, byte(i)})
		f.Funders = append(f.Funders, chain.Address{4, byte(i)})
	}
	return f
}

func leaderWith(f earlyFinding, data []byte) *store.Leader {
	return &store.Leader{Address: f.Wallet.String(), Findings: []store.Finding{{Source: EarlyBuyer, Data: data}}}
}

func TestAFindingComesBackAsItWas(t *testing.T) {
	f := foundEarly(3, 2)
	data, err := f.data()
	if err != nil {
		t.Fatal(err)
	}
	back, found, err := earlyFindingOf(leaderWith(f, data))
	if err != nil || !found || !reflect.DeepEqual(back, f) {
		t.Errorf("%+v %v %v", back, found, err)
	}
	if _, found, err := earlyFindingOf(&store.Leader{Findings: []store.Finding{{Source: ActiveBuyer}}}); found || err != nil {
		t.Errorf("%v %v", found, err)
	}
}

func TestTheLongestFindingFits(t *testing.T) {
	f := foundEarly(5_000, 200)
	data, err := f.data()
	if err != nil || len(data) > store.MaximumFinding {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	back, _, err := earlyFindingOf(leaderWith(f, data))
	if err != nil || !reflect.DeepEqual(back.Tokens, f.Tokens[:mostTokens]) {
		t.Errorf("%d tokens, %v", len(back.Tokens), err)
	}
}

func FuzzEarlyFinding(f *testing.F) {
	good := foundEarly(3, 2)
	data, err := good.data()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"wallet":"0x0100000000000000000000000000000000000000","older":{"launches":0}}`))
	f.Add([]byte(`{"wallet":7}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		read, found, err := earlyFindingOf(leaderWith(good, data))
		if err == nil && (!found || read.Wallet != good.Wallet || read.Older.Launches < 1 || !(read.AdjustedP >= 0 && read.AdjustedP <= 1)) {
			t.Errorf("%s was read as %+v", data, read)
		}
	})
}
