package bytecode

import "github.com/holiman/uint256"

// variable is a place in storage that source code would have one name for: a slot, a mapping or an array.
type variable struct {
	slot uint256.Int
	// depth is how many keys lead to a value.
	depth int
	// offset is the member within a struct.
	offset uint256.Int
}

// location is a place in storage: a variable and the keys into it, the outermost first.
type location struct {
	variable
	keys []*expression
}

// locate reads a storage key. A mapping's entry is the hash of key and slot (Solidity) or of slot and key (Vyper).
func locate(e *expression) (location, bool) {
	base, distance := e.offset()
	if base == nil {
		return location{variable: variable{slot: distance}}, true
	}
	if base.is(opKECCAK256) {
		return locateHash(base, distance)
	}
	if distance.BitLen() > 200 {
		// An array's elements begin at a hash that the compiler computed.
		return location{variable{slot: distance, depth: 1}, []*expression{base}}, true
	}
	if base.is(opADD) {
		for _, side := range [][2]*expression{{base.a, base.b}, {base.b, base.a}} {
			if side[0].is(opKECCAK256) {
				l, ok := locateHash(side[0], distance)
				l.depth++
				l.keys = append(l.keys, side[1])
				return l, ok
			}
		}
	}
	return location{}, false
}

func locateHash(hash *expression, distance uint256.Int) (location, bool) {
	in := hash.a
	if in == nil {
		return location{}, false
	}
	if in.kind != kindConcat {
		if !in.constant() {
			return location{}, false
		}
		return location{variable: variable{slot: in.val, depth: 1, offset: distance}}, true
	}
	first, second := plain(in.a), plain(in.b)
	if second.kind == kindConcat {
		return location{}, false
	}
	key, slot := first, second
	if !slot.constant() {
		if inner, _ := slot.offset(); inner == nil || !inner.is(opKECCAK256) {
			key, slot = second, first
		}
	}
	if slot.constant() {
		return location{variable{slot: slot.val, depth: 1, offset: distance}, []*expression{key}}, true
	}
	l, ok := locate(slot)
	if !ok || l.depth == 0 || l.depth > 4 {
		return location{}, false
	}
	if !l.offset.IsZero() {
		l.slot.Add(&l.slot, &l.offset)
	}
	l.offset = distance
	l.depth++
	l.keys = append(l.keys, key)
	return l, true
}

func plain(e *expression) *expression {
	if e.kind == kindBytes {
		return e.a
	}
	return e
}

// read is bits of storage that a value depends on.
type read struct {
	location
	key  *expression
	mask uint256.Int
}

// mostReads is how many nodes of an expression are looked at for reads.
const mostReads = 600

// reads returns the storage that e depends on, without what only picks the place.
func reads(e *expression) []read {
	var out []read
	left := mostReads
	seen := make(map[*expression]bool)
	var visit func(e *expression, mask uint256.Int)
	visit = func(e *expression, mask uint256.Int) {
		if e == nil || !e.has(hasStorage) || left <= 0 || seen[e] && mask == word256 {
			return
		}
		left--
		if mask == word256 {
			seen[e] = true
		}
		switch {
		case e.is(opSLOAD):
			if l, ok := locate(e.a); ok {
				out = append(out, read{l, e.a, mask})
			}
		case e.is(opAND) && e.b.constant():
			mask.And(&mask, &e.b.val)
			visit(e.a, mask)
		case e.is(opSHR) && e.a.constant():
			mask.Lsh(&mask, shift(e.a))
			visit(e.b, mask)
		case e.is(opSHL) && e.a.constant():
			mask.Rsh(&mask, shift(e.a))
			visit(e.b, mask)
		case e.is(opOR):
			visit(e.a, mask)
			visit(e.b, mask)
		case e.kind == kindCall || e.kind == kindReturned || e.is(opEXTCODESIZE):
			// What another contract answers, and what code it has, is its own.
		default:
			visit(e.a, word256)
			visit(e.b, word256)
		}
	}
	visit(e, word256)
	return out
}

// unchanged returns the bits of value that are surely those that storage held at key.
func unchanged(value, key *expression) uint256.Int {
	var out uint256.Int
	switch {
	case value.is(opSLOAD) && value.a == key:
		return word256
	case value.is(opAND) && value.b.constant():
		out = unchanged(value.a, key)
		out.And(&out, &value.b.val)
	case value.is(opOR):
		left, right := unchanged(value.a, key), unchanged(value.b, key)
		var free uint256.Int
		// What is put beside bits that were cut out fits into the gap.
		if !value.a.is(opAND) {
			left.And(&left, free.Not(&value.b.mask))
		}
		if !value.b.is(opAND) {
			right.And(&right, free.Not(&value.a.mask))
		}
		out.Or(&left, &right)
	}
	return out
}

// contains tells whether what is part of e.
func contains(e, what *expression) bool {
	left := mostReads
	var visit func(e *expression) bool
	visit = func(e *expression) bool {
		if e == what {
			return true
		}
		if e == nil || e.id < what.id || left <= 0 {
			return false
		}
		left--
		return visit(e.a) || visit(e.b)
	}
	return e != nil && visit(e)
}

// replace returns e with what replaced, simplified.
func (p *pool) replace(e, what, with *expression) *expression {
	done := make(map[*expression]*expression)
	left := mostReads
	var visit func(e *expression) *expression
	visit = func(e *expression) *expression {
		if e == nil || e.id < what.id || left <= 0 {
			return e
		}
		if e == what {
			return with
		}
		if r := done[e]; r != nil {
			return r
		}
		left--
		a, b := visit(e.a), visit(e.b)
		r := e
		switch {
		case a == e.a && b == e.b:
		case e.is(opISZERO) || e.is(opNOT):
			r = p.unary(opcode(e.kind), a)
		case e.kind < 0x100 && opcode(e.kind) <= opSAR && a != nil && b != nil:
			r = p.binary(opcode(e.kind), a, b)
		default:
			r = p.node(e.kind, a, b, e.val)
		}
		done[e] = r
		return r
	}
	return visit(e)
}
