package bytecode

import "github.com/holiman/uint256"

// fact is a value that is known to be true (not zero) or false on a path.
type fact struct {
	value *expression
	holds bool
}

// normal strips negations; differences of two values become their equality.
func normal(e *expression, holds bool) fact {
	for {
		switch {
		case e.is(opISZERO):
			e, holds = e.a, !holds
		default:
			return fact{e, holds}
		}
	}
}

// facts lists what a path's conditions say, with conjunctions taken apart.
func (m *machine) facts(c *condition) []fact {
	var out []fact
	for ; c != nil; c = c.prev {
		out = m.addFacts(out, c.value, c.holds)
	}
	return out
}

func (m *machine) addFacts(out []fact, e *expression, holds bool) []fact {
	f := normal(e, holds)
	if f.value.boolean() && (f.holds && f.value.is(opAND) || !f.holds && f.value.is(opOR)) {
		return m.addFacts(m.addFacts(out, f.value.a, f.holds), f.value.b, f.holds)
	}
	if f.value.is(opSUB) || f.value.is(opXOR) {
		f = fact{m.pool.binary(opEQ, f.value.a, f.value.b), !f.holds}
	}
	if f.value.is(opADD) && f.value.b.constant() {
		var opposite uint256.Int
		opposite.Neg(&f.value.b.val)
		f = fact{m.pool.binary(opEQ, f.value.a, m.pool.constant(&opposite)), !f.holds}
	}
	return append(out, f)
}

// looksPrivileged tells whether a condition holds only for callers that storage or the code names. It may be more than that:
// balances of the caller are not known yet.
func (m *machine) looksPrivileged(e *expression, holds bool) bool {
	if !e.has(hasCaller|hasOrigin) && !e.has(hasReturned) {
		return false
	}
	for _, f := range m.addFacts(nil, e, holds) {
		if m.named(f) || m.listed(f, nil) || m.vouched(f) {
			return true
		}
	}
	return false
}

// permit2 may move any holder's tokens in some libraries' tokens, by the holder's signature: no privilege.
const permit2 = "0x22d473030f116ddee9f6b43ac78ba3"

// named tells whether the caller must be one account that storage, the code or another contract names.
func (m *machine) named(f fact) bool {
	if f.holds && f.value.is(opOR) && f.value.boolean() {
		return m.either(f.value)
	}
	if !f.holds || !f.value.is(opEQ) {
		return false
	}
	for _, side := range [][2]*expression{{f.value.a, f.value.b}, {f.value.b, f.value.a}} {
		who, against := side[0], side[1]
		if against.has(hasCaller|hasOrigin|hasCalldata) && !(against.is(opSLOAD) || against.has(hasStorage) && !against.has(hasCalldata)) {
			continue
		}
		if against.zero() || against.is(opADDRESS) || against.has(hasCalldata) {
			continue
		}
		if against.constant() && against.val.Hex() == permit2 {
			continue
		}
		if !against.constant() && !against.has(hasStorage|hasReturned) {
			continue
		}
		if who.has(hasCaller|hasOrigin) && !who.has(hasStorage|hasCalldata|hasReturned) {
			return true
		}
		if recovered(who) && !against.has(hasCaller) {
			return true
		}
	}
	return false
}

// either tells whether both sides of an alternative need a privilege.
func (m *machine) either(e *expression) bool {
	needs := func(e *expression) bool {
		for _, f := range m.addFacts(nil, e, true) {
			if m.named(f) || m.listed(f, nil) {
				return true
			}
		}
		return false
	}
	return needs(e.a) && needs(e.b)
}

// recovered tells whether e is the signer that ecrecover, the precompiled contract 1, gave.
func recovered(e *expression) bool {
	if e.kind != kindReturned || e.a == nil || e.a.kind != kindCall {
		return false
	}
	n, ok := e.a.a.small()
	return ok && n == 1
}

// listed tells whether the caller's entry in a mapping must be set; usual names mappings that are no lists of rights.
func (m *machine) listed(f fact, usual func(variable) bool) bool {
	if !f.value.has(hasCaller|hasOrigin) || !f.value.has(hasStorage) || comparison(f.value) {
		return false
	}
	for _, r := range reads(f.value) {
		if r.depth == 0 || usual != nil && usual(r.variable) || !ofCaller(r.keys) {
			continue
		}
		if usual == nil && r.depth > 1 && r.keys[0].is(opCALLDATALOAD) {
			// Most likely an allowance.
			continue
		}
		load := m.pool.node(kind(opSLOAD), r.key, nil, uint256.Int{})
		empty := m.pool.replace(f.value, load, m.pool.number(0))
		if empty.constant() && empty.val.IsZero() == f.holds {
			return true
		}
	}
	return false
}

func ofCaller(keys []*expression) bool {
	for _, k := range keys {
		if k.is(opCALLER) || k.is(opORIGIN) {
			return true
		}
	}
	return false
}

func comparison(e *expression) bool {
	return e.is(opLT) || e.is(opGT) || e.is(opSLT) || e.is(opSGT)
}

// vouched tells whether another contract, asked about the caller, must agree.
func (m *machine) vouched(f fact) bool {
	e := f.value
	for e.is(opAND) && e.b.constant() {
		e = e.a
	}
	if !f.holds || e.kind != kindReturned || e.a == nil || e.a.kind != kindCall || e.a.b == nil || !e.a.b.has(hasCaller) {
		return false
	}
	return e.a.val.Uint64()>>32 == uint64(opSTATICCALL) && !asks(e.a, 0x70a08231, 0xdd62ed3e)
}

// asks tells whether a call's input begins with one of the selectors.
func asks(call *expression, selectors ...uint32) bool {
	head := call.b
	for head != nil && head.kind == kindConcat {
		head = head.a
	}
	if head == nil || !plain(head).constant() {
		return false
	}
	word := plain(head).val
	top := new(uint256.Int).Rsh(&word, 224)
	for _, s := range selectors {
		if top.Uint64() == uint64(s) || word.IsUint64() && word.Uint64() == uint64(s) {
			return true
		}
	}
	return false
}
