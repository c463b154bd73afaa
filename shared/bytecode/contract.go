package bytecode

import (
	"encoding/binary"
	"sort"

	"github.com/holiman/uint256"
)

// Selectors of the functions that every token has.
const (
	selectorTransfer     uint32 = 0xa9059cbb
	selectorTransferFrom uint32 = 0x23b872dd
	selectorBalanceOf    uint32 = 0x70a08231
	selectorTotalSupply  uint32 = 0x18160ddd
	selectorAllowance    uint32 = 0xdd62ed3e
)

// contract is a walked contract, and what its variables mean.
type contract struct {
	machine   *machine
	fallback  *function
	functions []*function
	balances  map[variable]bool
	// counters tell how an account's balance is kept, where there is more than one way.
	counters   map[variable]bool
	supply     map[variable]bool
	allowances map[variable]bool
	// fees are the numbers that transfers are charged by.
	fees map[variable]bool
	// open are variables that anybody can set.
	open map[variable]bool
	// granted are mappings that somebody privileged fills for others.
	granted map[variable]bool
	writes  []storageWrite
	calls   map[*function][]outcome
}

// walk follows the dispatcher and every function.
func walk(code []byte) *contract {
	m := &machine{pool: newPool(), code: newProgram(code), budget: contractSteps}
	c := &contract{
		machine: m, balances: make(map[variable]bool), counters: make(map[variable]bool), supply: make(map[variable]bool),
		allowances: make(map[variable]bool), fees: make(map[variable]bool), open: make(map[variable]bool), granted: make(map[variable]bool), calls: make(map[*function][]outcome),
	}
	c.fallback = &function{entry: &state{dispatch: true}}
	known := make(map[uint32]bool)
	m.explore(c.fallback, func(selector uint32, entry *state) {
		if !known[selector] {
			known[selector] = true
			fn := &function{entry: entry}
			binary.BigEndian.PutUint32(fn.selector[:], selector)
			c.functions = append(c.functions, fn)
		}
	})
	sort.Slice(c.functions, func(i, j int) bool {
		return binary.BigEndian.Uint32(c.functions[i].selector[:]) < binary.BigEndian.Uint32(c.functions[j].selector[:])
	})
	return c
}

// follow walks every function and learns what the variables mean.
func (c *contract) follow() {
	for _, fn := range c.functions {
		c.machine.explore(fn, func(uint32, *state) {})
	}
	c.learn()
	c.gather()
}

func (c *contract) function(selector uint32) *function {
	for _, fn := range c.functions {
		if binary.BigEndian.Uint32(fn.selector[:]) == selector {
			return fn
		}
	}
	return nil
}

// learn names variables by what the standard's reading functions return.
func (c *contract) learn() {
	first := c.machine.argument(nil, 4)
	argument := c.machine.pool.node(kind(opCALLDATALOAD), first, nil, uint256.Int{})
	c.returned(selectorBalanceOf, func(r read) {
		if len(r.keys) > 0 && r.keys[0] == argument {
			c.balances[r.variable] = true
		}
	})
	c.returned(selectorTotalSupply, func(r read) {
		if r.depth == 0 {
			c.supply[r.variable] = true
		}
	})
	c.returned(selectorAllowance, func(r read) {
		if r.depth == 2 {
			c.allowances[r.variable] = true
		}
	})
	if fn := c.function(selectorBalanceOf); fn != nil {
		for i := range fn.paths {
			for _, f := range c.machine.facts(fn.paths[i].conditions) {
				for _, r := range reads(f.value) {
					if len(r.keys) > 0 && r.keys[0] == argument && !c.balances[r.variable] {
						c.counters[r.variable] = true
					}
				}
			}
		}
	}
}

func (c *contract) returned(selector uint32, each func(read)) {
	fn := c.function(selector)
	if fn == nil {
		return
	}
	for i := range fn.paths {
		for e := fn.paths[i].result; e != nil; {
			word := e
			if e.kind == kindConcat {
				word, e = e.a, e.b
			} else {
				e = nil
			}
			for _, r := range reads(word) {
				each(r)
			}
		}
	}
}

// usual tells what is a matter of holders, not of rights.
func (c *contract) usual(v variable) bool { return c.balances[v] || c.allowances[v] || c.open[v] }

// privileged tells whether a path needs a caller, a signer or a party whom storage, the code or another contract names.
func (c *contract) privileged(facts []fact) bool {
	for _, f := range facts {
		if c.machine.named(f) || c.machine.listed(f, c.usual) || c.machine.vouched(f) {
			return true
		}
	}
	return false
}
