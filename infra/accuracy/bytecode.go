package accuracy

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mirrorworthy/mirrorworthy/shared/bytecode"
)

// compiledCodes holds codes of our own contracts, from the top of the repository: set, contract, compiler, classes, code.
const compiledCodes = "shared/bytecode/testdata/codes.csv.gz"

// The goals of what is read from code: F1 of each class, and of the model of opcodes.
const (
	mintsF1  = 0.923
	limitsF1 = 0.915
	leaksF1  = 0.824
	opcodeF1 = 0.988
	// untunedSet is the compiled contracts that no rule was made for.
	untunedSet = "fresh"
	// opcodePrior is the part of traps in the training data: a probability is a suspicion from there on.
	opcodePrior = 0.75
	// harmlessAlarms is the part of harmless fixtures that the opcodes alone may suspect: they never decide, and weigh upward only.
	harmlessAlarms = 0.10
)

// classCounts are the outcomes of a yes-or-no answer.
type classCounts struct{ hits, falseAlarms, missed int }

func (c *classCounts) count(said, is bool) {
	switch {
	case said && is:
		c.hits++
	case said:
		c.falseAlarms++
	case is:
		c.missed++
	}
}

func (c *classCounts) precision() float64 { return share{c.hits, c.hits + c.falseAlarms}.value() }
func (c *classCounts) recall() float64    { return share{c.hits, c.hits + c.missed}.value() }

// f1 is the harmonic mean of precision and recall.
func (c *classCounts) f1() float64 {
	return share{2 * c.hits, 2*c.hits + c.falseAlarms + c.missed}.value()
}

func (c *classCounts) String() string {
	return fmt.Sprintf("F1 %.3f, precision %.3f, recall %.3f of %d", c.f1(), c.precision(), c.recall(), c.hits+c.missed)
}

func readGzipCSV(path string) ([][]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return gzipCSV(file)
}

func gzipCSV(packed io.Reader) ([][]string, error) {
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	return csv.NewReader(unpacked).ReadAll()
}

// BytecodeClasses measures what is found in the codes of our own contracts. The set tokens was built against, heldout was looked at
// once and then built against too, and set fresh alone was not built against.
func BytecodeClasses() ([]Row, error) {
	lines, err := readGzipCSV(compiledCodes)
	if err != nil {
		return nil, err
	}
	classes := []struct {
		name string
		goal float64
		said func(*bytecode.Report) bool
	}{
		{"mints", mintsF1, func(r *bytecode.Report) bool { return r.Mints }},
		{"limits", limitsF1, func(r *bytecode.Report) bool { return r.LimitsSelling }},
		{"leaks", leaksF1, func(r *bytecode.Report) bool { return r.Leaks }},
	}
	var sets []string
	counts := map[string]*[3]classCounts{}
	alarms := map[string]*share{}
	for i, line := range lines {
		if len(line) != 5 {
			return nil, fmt.Errorf("%s: line %d has %d fields", compiledCodes, i+1, len(line))
		}
		code, err := hex.DecodeString(line[4])
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", compiledCodes, i+1, err)
		}
		set := line[0]
		if counts[set] == nil {
			sets = append(sets, set)
			counts[set], alarms[set] = new([3]classCounts), new(share)
		}
		report, truth := bytecode.Analyze(code), strings.Fields(line[3])
		for k, class := range classes {
			counts[set][k].count(class.said(&report), slices.Contains(truth, class.name))
		}
		if len(truth) == 0 {
			alarms[set].count(report.TrapProbability > opcodePrior)
		}
	}
	var rows []Row
	for _, set := range sets {
		for k, class := range classes {
			c := &counts[set][k]
			row := Row{
				Name: fmt.Sprintf("code %s, set %s", class.name, set), Goal: fmt.Sprintf("F1 >= %.3f", class.goal),
				Measured: c.String(), Pass: c.f1() >= class.goal,
			}
			if set != untunedSet {
				row.Goal, row.Pass = fmt.Sprintf("information; tuned on, mark %.3f", class.goal), true
			}
			rows = append(rows, row)
		}
		a := alarms[set]
		rows = append(rows, Row{
			Name: "opcodes of harmless code are called a trap's, set " + set, Goal: fmt.Sprintf("at most %.2f", harmlessAlarms), Measured: a.String(),
			Pass: a.whole > 0 && a.value() <= harmlessAlarms,
		})
	}
	return rows, nil
}

// opcodeNamed returns the byte that a column of the labelled codes counts; the truncated pushes at the end of a code have columns of
// their own.
func opcodeNamed(name string) (byte, bool) {
	for _, family := range []struct {
		prefix      string
		first       byte
		least, most int
	}{{"PUSH", 0x60, 1, 32}, {"DUP", 0x80, 1, 16}, {"SWAP", 0x90, 1, 16}, {"LOG", 0xa0, 0, 4}} {
		if digits, found := strings.CutPrefix(name, family.prefix); found {
			if n, err := strconv.Atoi(digits); err == nil && n >= family.least && n <= family.most {
				return family.first + byte(n-family.least), true
			}
		}
	}
	for _, prefix := range []string{"UNKNOWN_0x", "INVALID_0x"} {
		if digits, found := strings.CutPrefix(name, prefix); found {
			n, err := strconv.ParseUint(digits, 16, 8)
			return byte(n), err == nil
		}
	}
	b, found := opcodeBytes[name]
	return b, found
}

// opcodeBytes are the instructions without numbers that the labelled codes are judged by.
var opcodeBytes = map[string]byte{
	"STOP": 0x00, "ADD": 0x01, "MUL": 0x02, "SUB": 0x03, "DIV": 0x04, "EXP": 0x0a, "LT": 0x10, "GT": 0x11, "SLT": 0x12, "EQ": 0x14,
	"ISZERO": 0x15, "AND": 0x16, "OR": 0x17, "NOT": 0x19, "SHL": 0x1b, "SHR": 0x1c, "SHA3": 0x20, "CALLER": 0x33, "CALLVALUE": 0x34,
	"CALLDATALOAD": 0x35, "CALLDATASIZE": 0x36, "CALLDATACOPY": 0x37, "CODECOPY": 0x39, "POP": 0x50, "MLOAD": 0x51, "MSTORE": 0x52,
	"SLOAD": 0x54, "SSTORE": 0x55, "JUMP": 0x56, "JUMPI": 0x57, "JUMPDEST": 0x5b, "RETURN": 0xf3, "REVERT": 0xfd,
}

// otherOpcode takes the counts of all columns that have no byte of their own, so that the number of instructions is right.
const otherOpcode = 0x0c

// labelledCode is the instructions of a code and whether it is a trap's.
type labelledCode struct {
	counts bytecode.InstructionCounts
	trap   bool
}

// labelledCodes keeps the first of rows that are the same but for their address, and of those the ones held out.
func labelledCodes(rows [][]string) ([]labelledCode, error) {
	if len(rows) < 2 {
		return nil, fmt.Errorf("labelled codes: %d rows", len(rows))
	}
	address, label := slices.Index(rows[0], "token_address"), slices.Index(rows[0], "label")
	if address < 0 || label < 0 {
		return nil, fmt.Errorf("labelled codes: no column token_address or label")
	}
	seen := map[string]bool{}
	var codes []labelledCode
	for _, row := range rows[1:] {
		key := strings.Join(slices.Delete(slices.Clone(row), address, address+1), ",")
		if seen[key] {
			continue
		}
		seen[key] = true
		if !heldOut(row[address]) {
			continue
		}
		code := labelledCode{trap: row[label] == "1"}
		for i, name := range rows[0] {
			if i == address || i == label {
				continue
			}
			n, err := strconv.Atoi(row[i])
			if err != nil {
				return nil, fmt.Errorf("labelled code %s: %w", row[address], err)
			}
			op, found := opcodeNamed(name)
			if !found {
				op = otherOpcode
			}
			code.counts[op] += n
		}
		codes = append(codes, code)
	}
	return codes, nil
}

// Opcodes measures the model of opcodes on labelled codes that it was not fitted to, no two of them the same.
func Opcodes(data string) ([]Row, error) {
	lines, err := readGzipCSV(filepath.Join(data, "rug", "trapdoor_opcodes.csv.gz"))
	if err != nil {
		return nil, err
	}
	codes, err := labelledCodes(lines)
	if err != nil {
		return nil, err
	}
	var all, told opcodeForecasts
	for i := range codes {
		p, known := codes[i].counts.TrapProbability()
		all.add(p, codes[i].trap)
		if known {
			told.add(p, codes[i].trap)
		}
	}
	quality := rateForecasts(told.p, told.traps)
	return []Row{
		all.row("opcode model, every code held out"),
		told.row(fmt.Sprintf("opcode model, the %.3f of codes held out that it answers for", share{len(told.p), len(all.p)}.value())),
		{
			Name: "probability of a trap by opcodes", Goal: "ECE <= 0.05, BSS > 0", Measured: quality.String(),
			Pass: quality.calibrationError <= 0.05 && quality.skill > 0,
		},
	}, nil
}

// opcodeForecasts are probabilities of a trap and what was true.
type opcodeForecasts struct {
	p     []float64
	traps []bool
}

func (f *opcodeForecasts) add(p float64, trap bool) {
	f.p, f.traps = append(f.p, p), append(f.traps, trap)
}

// row has the F1 with a 95 % interval from codes drawn again.
func (f *opcodeForecasts) row(name string) Row {
	var counts classCounts
	for i, p := range f.p {
		counts.count(p >= 0.5, f.traps[i])
	}
	random := rand.New(rand.NewPCG(1, uint64(len(f.p))))
	drawn := make([]float64, 1000)
	for k := range drawn {
		var again classCounts
		for range f.p {
			i := random.IntN(len(f.p))
			again.count(f.p[i] >= 0.5, f.traps[i])
		}
		drawn[k] = again.f1()
	}
	slices.Sort(drawn)
	return Row{
		Name: name, Goal: fmt.Sprintf("F1 %.3f, within the interval", opcodeF1),
		Measured: fmt.Sprintf("n=%d %s; F1 in [%.3f, %.3f]", len(f.p), &counts, drawn[25], drawn[975]), Pass: drawn[975] >= opcodeF1,
	}
}
