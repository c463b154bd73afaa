package chainstate

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/holiman/uint256"
)

// Contracts in a few instructions.
var (
	// reads answers with the storage word that the call data names.
	reads = []byte{0x5f, 0x35, 0x54, 0x5f, 0x52, 0x60, 0x20, 0x5f, 0xf3}
	// counts adds one to slot 0 and answers with it.
	counts = []byte{0x60, 0x01, 0x5f, 0x54, 0x01, 0x80, 0x5f, 0x55, 0x5f, 0x52, 0x60, 0x20, 0x5f, 0xf3}
	// clock answers with the block's number and time.
	clock = []byte{0x43, 0x5f, 0x52, 0x42, 0x60, 0x20, 0x52, 0x60, 0x40, 0x5f, 0xf3}
	// fails reverts.
	fails = []byte{0x5f, 0x5f, 0xfd}
	// wealth answers with its own balance.
	wealth = []byte{0x47, 0x5f, 0x52, 0x60, 0x20, 0x5f, 0xf3}
)

const (
	here     = "0x00000000000000000000000000000000000000aa"
	there    = "0x00000000000000000000000000000000000000bb"
	slotZero = "0x0000000000000000000000000000000000000000000000000000000000000000"
	seven    = "0x0000000000000000000000000000000000000000000000000000000000000007"
)

func with(code []byte) Source {
	return func(address [20]byte) *Account {
		if address != [20]byte{19: 0xaa} {
			return nil
		}
		return &Account{Code: code, Balance: uint256.NewInt(5), Storage: map[[32]byte][32]byte{{31: 1}: {31: 9}}}
	}
}

func parameters(texts ...string) []json.RawMessage {
	list := make([]json.RawMessage, len(texts))
	for i, text := range texts {
		list[i] = json.RawMessage(text)
	}
	return list
}

func number(n uint64) string {
	word := uint256.NewInt(n).Bytes32()
	const digits = "0123456789abcdef"
	text := ""
	for _, b := range word {
		text += string(digits[b>>4]) + string(digits[b&15])
	}
	return text
}

func TestCall(t *testing.T) {
	to := `{"to":"` + here + `"`
	for name, c := range map[string]struct {
		code  []byte
		call  []json.RawMessage
		want  string
		fault int
	}{
		"storage of the source":     {reads, parameters(to + `,"data":"0x` + number(1) + `"}`), number(9), 0},
		"input for data":            {reads, parameters(to + `,"input":"0x` + number(1) + `"}`), number(9), 0},
		"an overridden word":        {reads, parameters(to+`}`, `"latest"`, `{"`+here+`":{"stateDiff":{"`+slotZero+`":"`+seven+`"}}}`), number(7), 0},
		"the rest of its storage":   {reads, parameters(to+`,"data":"0x`+number(1)+`"}`, `"latest"`, `{"`+here+`":{"stateDiff":{"`+slotZero+`":"`+seven+`"}}}`), number(9), 0},
		"a whole other storage":     {reads, parameters(to+`,"data":"0x`+number(1)+`"}`, `"latest"`, `{"`+here+`":{"state":{"`+slotZero+`":"`+seven+`"}}}`), number(0), 0},
		"overridden code":           {fails, parameters(to+`}`, `"latest"`, `{"`+here+`":{"code":"0x475f5260205ff3"}}`), number(5), 0},
		"an overridden balance":     {wealth, parameters(to+`}`, `"latest"`, `{"`+here+`":{"balance":"0x2a"}}`), number(42), 0},
		"value on top of a balance": {wealth, parameters(to+`,"from":"`+there+`","value":"0x2"}`, `"latest"`, `{"`+there+`":{"balance":"0x3"}}`), number(7), 0},
		"value that nobody has":     {wealth, parameters(to + `,"from":"` + there + `","value":"0x2"}`), "", -32000},
		"the block":                 {clock, parameters(to + `}`), number(100) + number(1000), 0},
		"another block":             {clock, parameters(to+`}`, `"latest"`, `{}`, `{"number":"0x7","time":"0x8"}`), number(7) + number(8), 0},
		"a revert":                  {fails, parameters(to + `}`), "", 3},
		"an account without code":   {reads, parameters(`{"to":"` + there + `"}`), "", 0},
		"no parameters":             {reads, nil, "", -32602},
		"a call of another shape":   {reads, parameters(`7`), "", -32602},
		"data that is no hex":       {reads, parameters(to + `,"data":"zz"}`), "", -32602},
		"overrides of another kind": {reads, parameters(to+`}`, `"latest"`, `[1]`), "", -32602},
	} {
		got, fault := Call(with(c.code), Block{100, 1000}, c.call)
		switch {
		case c.fault != 0:
			if fault == nil || fault.Code != c.fault {
				t.Errorf("%s: %q %+v, want fault %d", name, got, fault, c.fault)
			}
		case fault != nil || got != "0x"+c.want:
			t.Errorf("%s: %q %+v, want %s", name, got, fault, c.want)
		}
	}
}

func TestCallsAreForgotten(t *testing.T) {
	source := with(counts)
	for range 2 {
		if got, _ := Call(source, Block{}, parameters(`{"to":"`+here+`"}`)); got != "0x"+number(1) {
			t.Fatal(got)
		}
	}
}

func TestSimulateKeepsStateFromBlockToBlock(t *testing.T) {
	call := `"calls":[{"to":"` + here + `"}]`
	got, fault := Simulate(with(counts), Block{100, 1000}, 12, parameters(`{"blockStateCalls":[{`+call+`},{"blockOverrides":{"number":"0x67"},`+call+`},{"blockOverrides":{"time":"0x1000"},`+call+`}]}`))
	if fault != nil {
		t.Fatal(fault)
	}
	var seen []string
	for _, block := range got {
		seen = append(seen, block.Number+"@"+block.Timestamp)
		for _, c := range block.Calls {
			seen = append(seen, c.Status+strings.TrimLeft(c.ReturnData[2:], "0"))
		}
	}
	if want := "0x65@0x3f4 0x11 0x66@0x400 0x67@0x40c 0x12 0x68@0x1000 0x13"; strings.Join(seen, " ") != want {
		t.Errorf("%v, want %s", seen, want)
	}
	failed, fault := Simulate(with(fails), Block{100, 1000}, 12, parameters(`{"blockStateCalls":[{`+call+`}]}`))
	if fault != nil || failed[0].Calls[0].Status != "0x0" || failed[0].Calls[0].Error.Code != 3 {
		t.Errorf("%+v %+v", failed, fault)
	}
	for _, wrong := range []string{`{}`, `7`, `{"blockStateCalls":[{"blockOverrides":{"number":"0x64"}}]}`, `{"blockStateCalls":[{"blockOverrides":{"number":"0xffff"}}]}`, `{"blockStateCalls":[{"blockOverrides":{"time":"0x3e8"}}]}`} {
		if _, fault := Simulate(with(fails), Block{100, 1000}, 12, parameters(wrong)); fault == nil {
			t.Errorf("%s is run", wrong)
		}
	}
}
