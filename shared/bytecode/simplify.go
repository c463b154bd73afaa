package bytecode

import "github.com/holiman/uint256"

// simplify returns a simpler equal expression, or nil. Constant operands of commutative instructions are b.
func (p *pool) simplify(op opcode, a, b *expression) *expression {
	switch op {
	case opADD:
		return p.simplifyAdd(a, b)
	case opSUB:
		return p.simplifySub(a, b)
	case opMUL:
		if b.zero() {
			return b
		}
		if n, ok := powerOfTwo(b); ok {
			return p.binary(opSHL, p.number(uint64(n)), a)
		}
	case opDIV:
		if n, ok := powerOfTwo(b); ok {
			return p.binary(opSHR, p.number(uint64(n)), a)
		}
		if a.zero() {
			return a
		}
	case opEXP:
		if n, ok := powerOfTwo(a); ok && n == 0 {
			return a
		}
	case opAND:
		return p.simplifyAnd(a, b)
	case opOR, opXOR:
		if b.zero() {
			return a
		}
		if a == b && op == opOR {
			return a
		}
		if a == b {
			return p.number(0)
		}
	case opSHL, opSHR:
		return p.simplifyShift(op, a, b)
	case opEQ:
		if a == b {
			return p.number(1)
		}
		if b.zero() {
			return p.unary(opISZERO, a)
		}
		if b.constant() && a.boolean() && b.val.IsUint64() && b.val.Uint64() == 1 {
			return a
		}
	case opLT, opGT, opSLT, opSGT:
		if a == b {
			return p.number(0)
		}
		if op == opGT && b.zero() || op == opLT && a.zero() {
			other := a
			if op == opLT {
				other = b
			}
			return p.unary(opISZERO, p.unary(opISZERO, other))
		}
		if op == opGT && a.zero() || op == opLT && b.zero() {
			return p.number(0)
		}
		if op == opLT && b.constant() && b.val.IsUint64() && b.val.Uint64() == 1 {
			return p.unary(opISZERO, a)
		}
	}
	return nil
}

// powerOfTwo returns n when e is the constant 2^n.
func powerOfTwo(e *expression) (int, bool) {
	if !e.constant() || e.val.IsZero() {
		return 0, false
	}
	n := e.val.BitLen() - 1
	var one uint256.Int
	one.SetOne()
	one.Lsh(&one, uint(n))
	return n, one.Eq(&e.val)
}

// offset splits e into a base and a constant distance; the base of a constant is nil.
func (e *expression) offset() (*expression, uint256.Int) {
	if e.constant() {
		return nil, e.val
	}
	if e.is(opADD) && e.b.constant() {
		return e.a, e.b.val
	}
	return e, uint256.Int{}
}

func (p *pool) simplifyAdd(a, b *expression) *expression {
	if b.zero() {
		return a
	}
	if b.constant() && a.is(opADD) && a.b.constant() {
		var sum uint256.Int
		return p.binary(opADD, a.a, p.constant(sum.Add(&a.b.val, &b.val)))
	}
	if !b.constant() {
		// x + (y - x) is y.
		if b.is(opSUB) && b.b == a {
			return b.a
		}
		if a.is(opSUB) && a.b == b {
			return a.a
		}
		if a.is(opADD) && a.b.constant() {
			return p.binary(opADD, p.binary(opADD, a.a, b), a.b)
		}
		if b.is(opADD) && b.b.constant() {
			return p.binary(opADD, p.binary(opADD, a, b.a), b.b)
		}
	}
	return nil
}

func (p *pool) simplifySub(a, b *expression) *expression {
	baseA, distanceA := a.offset()
	baseB, distanceB := b.offset()
	var difference uint256.Int
	difference.Sub(&distanceA, &distanceB)
	switch {
	case baseA == baseB:
		return p.constant(&difference)
	case baseB == nil:
		return p.binary(opADD, baseA, p.constant(&difference))
	case baseA != nil && baseA.is(opADD) && baseA.a == baseB:
		return p.binary(opADD, baseA.b, p.constant(&difference))
	case baseA != nil && baseA.is(opADD) && baseA.b == baseB:
		return p.binary(opADD, baseA.a, p.constant(&difference))
	}
	return nil
}

func (p *pool) simplifyAnd(a, b *expression) *expression {
	if a == b {
		return a
	}
	if !b.constant() {
		return nil
	}
	var lost, kept uint256.Int
	lost.And(&a.mask, lost.Not(&b.val))
	kept.And(&a.mask, &b.val)
	switch {
	case lost.IsZero():
		return a
	case kept.IsZero():
		return p.number(0)
	case b.val.Eq(&word160) && (a.is(opCALLDATALOAD) || a.kind == kindReturned || a.kind == kindBytes):
		// An argument that is masked to an address is that address.
		return a
	case a.is(opAND) && a.b.constant():
		return p.binary(opAND, a.a, p.constant(&kept))
	case a.is(opOR):
		left, right := p.binary(opAND, a.a, b), p.binary(opAND, a.b, b)
		if left.zero() {
			return right
		}
		if right.zero() {
			return left
		}
	}
	return nil
}

func (p *pool) simplifyShift(op opcode, a, b *expression) *expression {
	if !a.constant() {
		if b.zero() {
			return b
		}
		return nil
	}
	n := shift(a)
	switch {
	case n == 0:
		return b
	case n == 256 || b.zero():
		return p.number(0)
	case b.is(op) && b.a.constant():
		return p.binary(op, p.number(uint64(n+shift(b.a))), b.b)
	case op == opSHR && b.is(opSHL) && b.a.constant() && shift(b.a) == n:
		mask := allOnes(256 - n)
		return p.binary(opAND, b.b, p.constant(&mask))
	case op == opSHL && b.is(opSHR) && b.a.constant() && shift(b.a) == n:
		mask := allOnes(n)
		mask.Not(&mask)
		return p.binary(opAND, b.b, p.constant(&mask))
	case op == opSHR && b.is(opOR):
		return p.binary(opOR, p.binary(op, a, b.a), p.binary(op, a, b.b))
	case op == opSHR && b.is(opAND) && b.b.constant():
		var mask uint256.Int
		mask.Rsh(&b.b.val, n)
		return p.binary(opAND, p.binary(op, a, b.a), p.constant(&mask))
	}
	return nil
}
