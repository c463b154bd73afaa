package bytecode

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"math"
	"sync"
)

// trapsJSON is written by infra/bytecode/fit_traps.py.
//
//go:embed traps.json
var trapsJSON []byte

// trapModel is an ensemble of regression trees over the shares that instructions have in a code.
type trapModel struct {
	// Instructions are the bytes of the instructions that count; they are rare in no usual code, so that the random bytes of a
	// compiler's trailer hardly matter.
	Instructions []int `json:"instructions"`
	// Start, Slope and Intercept turn a sum over trees into log odds; the last two make them right on average.
	Start     float64 `json:"start"`
	Slope     float64 `json:"slope"`
	Intercept float64 `json:"intercept"`
	// Least and Greatest are the sizes in instructions of the smallest and the largest trap of the training data.
	Least    int `json:"least"`
	Greatest int `json:"greatest"`
	// Zeros is how often the byte of PUSH0 occurs at most in codes that were made before there was such an instruction.
	Zeros int `json:"push0"`
	// Lowest and Highest bound the usual share of each instruction; of Strange many it may be another.
	Lowest  []float64  `json:"lowest"`
	Highest []float64  `json:"highest"`
	Strange int        `json:"strange"`
	Trees   []trapTree `json:"trees"`
}

// trapTree goes left from a node where the share of its instruction is at most the threshold. A leaf has left -1.
type trapTree struct {
	Instruction []int     `json:"instruction"`
	Threshold   []float64 `json:"threshold"`
	Left        []int     `json:"left"`
	Right       []int     `json:"right"`
	Value       []float64 `json:"value"`
}

var readTrapModel = sync.OnceValue(func() *trapModel {
	var m trapModel
	if err := json.Unmarshal(trapsJSON, &m); err != nil {
		panic("bytecode: embedded opcode model: " + err.Error())
	}
	return &m
})

// InstructionCounts holds how often each byte occurs as an instruction. What compilers leave behind the code, data and a trailer, is
// read as instructions too: so was the data that the opcode model was fitted to.
type InstructionCounts [256]int

// CountInstructions reads code from its first byte to its last.
func CountInstructions(code []byte) *InstructionCounts {
	var counts InstructionCounts
	for i := 0; i < len(code); i += 1 + pushed(opcode(code[i])) {
		counts[code[i]]++
	}
	return &counts
}

func (c *InstructionCounts) total() int {
	total := 0
	for _, n := range c {
		total += n
	}
	return total
}

// TrapProbability is the share of traps among codes with such instructions in the training data, three traps to one other token; 0 to
// 1. known is false where the training data has nothing like it: code that is smaller than every trap or larger, with the
// instruction PUSH0 of 2023, or with a mix of instructions that hardly any code had. The probability then means nothing.
//
// It recognizes the families of traps that were seen, so a low one is no reassurance: of families that were not seen, it calls
// many harmless.
func (c *InstructionCounts) TrapProbability() (probability float64, known bool) {
	m := readTrapModel()
	total := c.total()
	if total == 0 {
		return math.NaN(), false
	}
	return 1 / (1 + math.Exp(-m.logOdds(c, total))), m.knows(c, total)
}

func (m *trapModel) logOdds(c *InstructionCounts, total int) float64 {
	sum := m.Start
	for i := range m.Trees {
		t, node := &m.Trees[i], 0
		for t.Left[node] >= 0 {
			if float64(c[m.Instructions[t.Instruction[node]]])/float64(total) <= t.Threshold[node] {
				node = t.Left[node]
			} else {
				node = t.Right[node]
			}
		}
		sum += t.Value[node]
	}
	return m.Slope*sum + m.Intercept
}

func (m *trapModel) knows(c *InstructionCounts, total int) bool {
	if total < m.Least || total > m.Greatest || c[opPUSH0] > m.Zeros {
		return false
	}
	strange := 0
	for i, op := range m.Instructions {
		if share := float64(c[op]) / float64(total); share < m.Lowest[i] || share > m.Highest[i] {
			strange++
		}
	}
	return strange <= m.Strange
}

// panicSelector is that of Panic(uint256), which Solidity reverts with since its version 0.8 checks arithmetic by itself.
var panicSelector = []byte{0x4e, 0x48, 0x7b, 0x71}

// trapProbability is NaN where the model knows nothing like code. Of Solidity 0.8 and later the training data has hardly any
// code that is no trap: the model takes the compiler for a sign of a trap, and must not speak.
func trapProbability(code []byte) float64 {
	if bytes.Contains(code, panicSelector) {
		return math.NaN()
	}
	probability, known := CountInstructions(code).TrapProbability()
	if !known {
		return math.NaN()
	}
	return probability
}
