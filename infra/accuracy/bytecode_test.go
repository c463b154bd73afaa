package accuracy

import (
	"fmt"
	"strconv"
	"testing"
)

func TestOpcodesAreNamed(t *testing.T) {
	for name, want := range map[string]byte{
		"PUSH1": 0x60, "PUSH32": 0x7f, "DUP16": 0x8f, "SWAP1": 0x90, "LOG0": 0xa0, "LOG4": 0xa4, "SHA3": 0x20, "UNKNOWN_0x5f": 0x5f, "INVALID_0x63": 0x63,
	} {
		if got, found := opcodeNamed(name); got != want || !found {
			t.Errorf("%s: %#x, %t", name, got, found)
		}
	}
	for _, name := range []string{"UNOFFICIAL_PUSH", "PUSH33", "DUP0", "LOG5", "UNKNOWN_0x100", ""} {
		if got, found := opcodeNamed(name); found {
			t.Errorf("%q: %#x", name, got)
		}
	}
}

func TestLabelledCodesAreHeldOutOnce(t *testing.T) {
	rows := [][]string{{"token_address", "PUSH1", "UNOFFICIAL_DUP", "label"}}
	held := 0
	for i := range 20 {
		address, n := fmt.Sprintf("0x%d", i), strconv.Itoa(i+1)
		rows = append(rows, []string{address, n, "3", "1"}, []string{"0xtwin", n, "3", "1"})
		if heldOut(address) {
			held++
		}
	}
	codes, err := labelledCodes(rows)
	if err != nil || len(codes) != held || held == 0 {
		t.Fatalf("%d codes, want %d: %v", len(codes), held, err)
	}
	for i := range codes {
		if c := &codes[i]; !c.trap || c.counts[0x60] == 0 || c.counts[otherOpcode] != 3 {
			t.Errorf("%+v", codes[i])
		}
	}
	for _, row := range rows[1:] {
		row[1] = "many " + row[1]
	}
	if _, err := labelledCodes(rows); err == nil {
		t.Error("a count that is no number is taken")
	}
}

func TestClassCounts(t *testing.T) {
	var c classCounts
	for _, x := range [][2]bool{{true, true}, {true, true}, {true, true}, {true, false}, {false, true}, {false, true}, {false, false}} {
		c.count(x[0], x[1])
	}
	// Three hits, one false alarm, two missed: precision 3/4, recall 3/5, F1 6/9.
	if c.precision() != 0.75 || c.recall() != 0.6 || c.f1() != 6.0/9 {
		t.Errorf("%v", &c)
	}
}
