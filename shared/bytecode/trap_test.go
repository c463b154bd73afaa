package bytecode

import (
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// trapCase is a code, or counts, and what infra/bytecode/fit_traps.py computes for it.
type trapCase struct {
	Code    string  `json:"code"`
	Counts  []int   `json:"counts"`
	LogOdds float64 `json:"logOdds"`
	Known   bool    `json:"known"`
}

func trapCases(t testing.TB) []trapCase {
	t.Helper()
	f, err := os.Open("testdata/traps.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var cases []trapCase
	if err := json.NewDecoder(z).Decode(&cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

func (c *trapCase) counts(t testing.TB) *InstructionCounts {
	t.Helper()
	if c.Code == "" {
		var counts InstructionCounts
		copy(counts[:], c.Counts)
		return &counts
	}
	code, err := hex.DecodeString(c.Code)
	if err != nil {
		t.Fatal(err)
	}
	return CountInstructions(code)
}

func TestTheTrapModelsOwnNumbersComeOut(t *testing.T) {
	codes, known, likely := 0, 0, 0
	cases := trapCases(t)
	for i := range cases {
		counts := cases[i].counts(t)
		probability, inside := counts.TrapProbability()
		if want := 1 / (1 + math.Exp(-cases[i].LogOdds)); !(math.Abs(probability-want) <= 1e-9) || inside != cases[i].Known {
			t.Errorf("case %d: %v, %t, want %v, %t", i, probability, inside, want, cases[i].Known)
		}
		if got := readTrapModel().logOdds(counts, counts.total()); !(math.Abs(got-cases[i].LogOdds) <= 1e-9) {
			t.Errorf("case %d: log odds %v, want %v", i, got, cases[i].LogOdds)
		}
		if cases[i].Code != "" {
			codes++
		}
		if inside {
			known++
		}
		if probability > 0.5 {
			likely++
		}
	}
	if codes < 10 || len(cases)-codes < 50 || known < 10 || known > len(cases)-10 || likely < 10 || likely > len(cases)-10 {
		t.Errorf("%d cases, of which %d codes, %d known, %d likely traps, do not try every side", len(cases), codes, known, likely)
	}
}

func TestInstructionsAreCountedByHand(t *testing.T) {
	// PUSH1 60; PUSH2 5b 5b; JUMPDEST; an unknown byte; PUSH3 cut short.
	got := CountInstructions([]byte{0x60, 0x60, 0x61, 0x5b, 0x5b, 0x5b, 0x0c, 0x62, 0x01})
	var want InstructionCounts
	want[0x60], want[0x61], want[0x5b], want[0x0c], want[0x62] = 1, 1, 1, 1, 1
	if *got != want {
		t.Errorf("got %v", *got)
	}
}

func TestTheTrapModelIsWhole(t *testing.T) {
	m := readTrapModel()
	n := len(m.Instructions)
	if n == 0 || len(m.Lowest) != n || len(m.Highest) != n || len(m.Trees) == 0 || m.Least <= 0 || m.Greatest <= m.Least || !(m.Slope > 0) {
		t.Fatalf("%d instructions, %d trees, sizes %d to %d, slope %v", n, len(m.Trees), m.Least, m.Greatest, m.Slope)
	}
	for i := range m.Trees {
		tree := &m.Trees[i]
		for node := range tree.Left {
			left, right := tree.Left[node], tree.Right[node]
			leaf := left < 0
			// Children come after their parents, so every walk ends.
			if !leaf && (left <= node || right <= node || left >= len(tree.Left) || right >= len(tree.Left) || tree.Instruction[node] >= n) {
				t.Errorf("tree %d, node %d: %d, %d", i, node, left, right)
			}
		}
	}
}

// usual returns counts from the middle of the usual ranges, of about so many instructions in all.
func usual(size int) *InstructionCounts {
	var c InstructionCounts
	m := readTrapModel()
	sum := 0.0
	for i := range m.Instructions {
		sum += (m.Lowest[i] + m.Highest[i]) / 2
	}
	for i, op := range m.Instructions {
		c[op] = int(float64(size) * (m.Lowest[i] + m.Highest[i]) / 2 / max(sum, 1))
	}
	c[0xfe] += max(size-c.total(), 0)
	return &c
}

func TestTheTrapModelSaysNothingBeyondItsData(t *testing.T) {
	m := readTrapModel()
	middle := (m.Least + m.Greatest) / 2
	knows := func(c *InstructionCounts) bool {
		_, known := c.TrapProbability()
		return known
	}
	if !knows(usual(middle)) {
		t.Error("usual code is unknown")
	}
	if knows(usual(m.Least - 1)) {
		t.Error("code smaller than every trap is known")
	}
	if knows(usual(m.Greatest + 100)) {
		t.Error("code larger than every trap is known")
	}
	modern := usual(middle)
	modern[opPUSH0] = m.Zeros
	if !knows(modern) {
		t.Error("stray bytes of PUSH0 make code unknown")
	}
	if modern[opPUSH0]++; knows(modern) {
		t.Error("code with PUSH0 is known")
	}
	odd, left := usual(middle), m.Strange+1
	for i, op := range m.Instructions {
		if m.Lowest[i] > 0 && left > 0 {
			odd[0xfe], odd[op] = odd[0xfe]+odd[op], 0
			left--
		}
	}
	if knows(odd) || left > 0 {
		t.Errorf("an unusual mix of instructions is known, %d left", left)
	}
	if p, known := new(InstructionCounts).TrapProbability(); known || !math.IsNaN(p) {
		t.Errorf("no code: %v, %t", p, known)
	}
}

// codeOf writes out counts as code; the data of pushes is zeros.
func codeOf(c *InstructionCounts) []byte {
	var code []byte
	for op, n := range c {
		for range n {
			code = append(code, byte(op))
			code = append(code, make([]byte, pushed(opcode(op)))...)
		}
	}
	return code
}

func TestTheReportCarriesTheTrapProbability(t *testing.T) {
	c := usual(4000)
	code := codeOf(c)
	want, known := c.TrapProbability()
	if got := Analyze(code).TrapProbability; !known || got != want {
		t.Errorf("%v, want %v, %t", got, want, known)
	}
	checked := slices.Concat(code, []byte{0x63}, panicSelector)
	if got := Analyze(checked).TrapProbability; !math.IsNaN(got) {
		t.Errorf("with checked arithmetic: %v", got)
	}
	for _, code := range [][]byte{nil, {0x00}, make([]byte, 3000)} {
		if got := Analyze(code).TrapProbability; !math.IsNaN(got) {
			t.Errorf("%d bytes: %v", len(code), got)
		}
	}
}

func TestTrapProbabilitiesOfAnyCode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		code := rapid.SliceOfN(rapid.Byte(), 0, 4000).Draw(t, "code")
		p, known := CountInstructions(code).TrapProbability()
		if len(code) == 0 {
			return
		}
		if !(p > 0 && p < 1) {
			t.Fatalf("probability %v, %t", p, known)
		}
		order := rapid.Permutation([]int{0, 1, 2, 3}).Draw(t, "order")
		counts := CountInstructions(code)
		var shuffled []byte
		quarters := [4]InstructionCounts{}
		for op, n := range counts {
			quarters[op%4][op] = n
		}
		for _, k := range order {
			shuffled = append(shuffled, codeOf(&quarters[k])...)
		}
		if again, _ := CountInstructions(shuffled).TrapProbability(); again != p {
			t.Fatalf("the order of instructions matters: %v, then %v", p, again)
		}
	})
}

func BenchmarkTrapProbability(b *testing.B) {
	code := codeOf(usual(8000))
	b.SetBytes(int64(len(code)))
	for b.Loop() {
		CountInstructions(code).TrapProbability()
	}
}
