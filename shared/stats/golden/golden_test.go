package golden_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/stats/golden"
)

func TestOwnStatisticsWithin1e9(t *testing.T) {
	sections, err := golden.Statistics(golden.OwnStatistics())
	if err != nil {
		t.Fatal(err)
	}
	const known = 28
	if len(sections) != known {
		t.Errorf("%d sections, want %d", len(sections), known)
	}
	requireWithin(t, sections, 1e-9)
}

func TestOwnIndicatorsWithin1e8(t *testing.T) {
	sections, err := golden.Indicators(bytes.NewReader(golden.OwnIndicators()))
	if err != nil {
		t.Fatal(err)
	}
	const columns = 16
	if len(sections) != columns {
		t.Errorf("%d columns, want %d", len(sections), columns)
	}
	requireWithin(t, sections, 1e-8)
}

func requireWithin(t *testing.T, sections []golden.Section, tolerance float64) {
	t.Helper()
	for _, s := range sections {
		if s.Compared == 0 {
			t.Errorf("%s: nothing was compared", s.Name)
		}
		if !(s.Worst <= tolerance) {
			t.Errorf("%s: off by %g, may be %g", s.Name, s.Worst, tolerance)
		}
	}
}

func TestWrongAnswersAreSeen(t *testing.T) {
	for name, c := range map[string]struct {
		file  string
		worst float64
	}{
		"a number":         {`{"hhi":[{"w":[1,1],"hhi":0.25,"nEff":2}]}`, 0.25},
		"defined or not":   {`{"profitFactor":[{"pnl":[1],"pf":3}]}`, 3},
		"too few answers":  {`{"bh":{"p":[0.5,0.5],"q":[0.5]}}`, 1},
		"nothing at all":   {`{"normal":[{"p":2,"z":0}]}`, math.Inf(1)},
		"one of many good": {`{"kellyShrink":[{"mean":1,"se":1,"factor":0.5},{"mean":1,"se":1,"factor":0.75}]}`, 0.25},
	} {
		sections, err := golden.Statistics([]byte(c.file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if sections[0].Worst != c.worst {
			t.Errorf("%s: worst %g, want %g", name, sections[0].Worst, c.worst)
		}
	}
	sections, err := golden.Indicators(strings.NewReader("o,h,l,c,v,tr,obv\n1,2,1,2,5,NA,5\n2,3,2,3,5,1,9\n"))
	if err != nil || sections[0].Worst != 0 || sections[1].Worst != 1 {
		t.Errorf("indicators: %v, %v", sections, err)
	}
}

func TestFilesOfAnotherFormAreRefused(t *testing.T) {
	for _, file := range []string{``, `[]`, `{}`, `{"unheard":1}`, `{"hhi":{"w":1}}`, `{"bh":[1]}`} {
		if sections, err := golden.Statistics([]byte(file)); err == nil {
			t.Errorf("%q gave %v", file, sections)
		}
	}
	for _, file := range []string{"", "o,h,l,c,v,tr\n", "o,h,l,c,v\n1,1,1,1,1\n", "a,b,c,d,e,f\n1,1,1,1,1,1\n", "o,h,l,c,v,tr\n1,1,1,1,1,x\n", "o,h,l,c,v,unheard\n1,1,1,1,1,1\n", "o,h,l,c,v,tr\n1,1\n"} {
		if sections, err := golden.Indicators(strings.NewReader(file)); err == nil {
			t.Errorf("%q gave %v", file, sections)
		}
	}
}

func FuzzIndicators(f *testing.F) {
	f.Add("o,h,l,c,v,tr\n1,2,1,2,5,NA\n2,3,2,3,5,1\n")
	f.Add("o,h,l,c,v,obv,rsi14\n0,0,0,0,0,0,NA\n")
	f.Add("o,h,l,c,v,tr\n1e308,-1,NaN,Inf,NA,NA\n")
	f.Add("o,h,l,c,v,\"tr\n")
	f.Fuzz(func(t *testing.T, file string) {
		sections, err := golden.Indicators(strings.NewReader(file))
		if (err == nil) == (len(sections) == 0) {
			t.Errorf("%d sections with error %v", len(sections), err)
		}
		for _, s := range sections {
			if s.Compared == 0 || !(s.Worst >= 0) {
				t.Errorf("%+v", s)
			}
		}
	})
}
