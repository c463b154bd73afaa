package bytecode_test

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/bytecode"
)

// sample is one compiled contract and what must be found in it.
type sample struct {
	file, name, compiler string
	expect               []string
	code                 []byte
}

func samples(t testing.TB) []sample {
	t.Helper()
	f, err := os.Open("testdata/codes.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []sample
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), ",")
		code, err := hex.DecodeString(fields[4])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, sample{fields[0], fields[1], fields[2], strings.Fields(fields[3]), code})
	}
	return out
}

func TestClasses(t *testing.T) {
	for _, s := range samples(t) {
		if s.file == "fresh" {
			continue
		}
		r := bytecode.Analyze(s.code)
		var found []string
		for name, is := range map[string]bool{
			"mints": r.Mints, "limits": r.LimitsSelling, "leaks": r.Leaks, "fees": r.SetsFees,
			"bounded": r.MintBounded || r.FeesBounded, "destroys": r.SelfDestructs,
		} {
			if is {
				found = append(found, name)
			}
		}
		slices.Sort(found)
		slices.Sort(s.expect)
		if !slices.Equal(found, s.expect) || !r.Understood {
			t.Errorf("%s, %s: found %v, want %v; understood %t", s.name, s.compiler, found, s.expect, r.Understood)
		}
	}
}

func BenchmarkAnalyze(b *testing.B) {
	var largest []byte
	for _, s := range samples(b) {
		if len(s.code) > len(largest) {
			largest = s.code
		}
	}
	b.SetBytes(int64(len(largest)))
	for b.Loop() {
		bytecode.Analyze(largest)
	}
}

func FuzzAnalyze(f *testing.F) {
	for i, s := range samples(f) {
		if i%40 == 0 {
			f.Add(s.code)
		}
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		if len(code) > 24_576 {
			return
		}
		bytecode.Analyze(code)
	})
}
