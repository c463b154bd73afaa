package bytecode

import "github.com/holiman/uint256"

// kind says what an expression is. Results of instructions have the instruction's own number.
type kind uint16

const (
	kindConst kind = 0x100 + iota
	// kindUnknown is a value that the walk does not follow; a says which.
	kindUnknown
	// kindReturned is data that an external call gave back: a is the call.
	kindReturned
	// kindCall is whether an external call succeeded: a the target, b its input, val a number for the call.
	kindCall
	// kindBytes is a part of a: val holds the first byte and how many.
	kindBytes
	// kindConcat is a followed by b, in memory order.
	kindConcat
)

// expression is a value as a tree of what it was computed from. Equal trees are one pointer within a pool.
type expression struct {
	kind kind
	id   uint32
	// flags tell what the tree holds, so that most searches need no walk.
	flags uint16
	depth uint16
	a, b  *expression
	val   uint256.Int
	// mask has a 1 for each bit that may be set.
	mask uint256.Int
}

// deepest is how deep a tree may grow.
const deepest = 120

const (
	hasCaller uint16 = 1 << iota
	hasCalldata
	hasStorage
	hasReturned
	hasTime
	hasOrigin
)

func (e *expression) has(flag uint16) bool { return e.flags&flag != 0 }
func (e *expression) constant() bool       { return e.kind == kindConst }
func (e *expression) is(op opcode) bool    { return e.kind == kind(op) }
func (e *expression) zero() bool           { return e.constant() && e.val.IsZero() }

// small returns the constant's value when it fits the range of code and memory.
func (e *expression) small() (int, bool) {
	if e == nil || !e.constant() || !e.val.IsUint64() || e.val.Uint64() > 1<<24 {
		return 0, false
	}
	return int(e.val.Uint64()), true
}

type expressionKey struct {
	kind kind
	a, b *expression
	val  uint256.Int
}

// pool makes expressions, simplified where that needs no assumption beyond addresses being 160 bits.
type pool struct {
	constants map[uint256.Int]*expression
	nodes     map[expressionKey]*expression
	next      uint32
}

func newPool() *pool {
	return &pool{constants: make(map[uint256.Int]*expression, 512), nodes: make(map[expressionKey]*expression, 2048)}
}

// allOnes returns a word whose lowest n bits are set.
func allOnes(n uint) uint256.Int {
	var one uint256.Int
	one.SetOne()
	one.Lsh(&one, n)
	one.SubUint64(&one, 1)
	return one
}

var (
	word160 = allOnes(160)
	word256 = *new(uint256.Int).Not(new(uint256.Int))
)

func (p *pool) constant(v *uint256.Int) *expression {
	if e := p.constants[*v]; e != nil {
		return e
	}
	p.next++
	e := &expression{kind: kindConst, id: p.next, val: *v, mask: *v}
	p.constants[*v] = e
	return e
}

func (p *pool) number(v uint64) *expression {
	var word uint256.Int
	word.SetUint64(v)
	return p.constant(&word)
}

// node returns the one expression of this shape, without simplifying it.
func (p *pool) node(k kind, a, b *expression, val uint256.Int) *expression {
	key := expressionKey{k, a, b, val}
	if e := p.nodes[key]; e != nil {
		return e
	}
	p.next++
	e := &expression{kind: k, id: p.next, a: a, b: b, val: val}
	if a != nil {
		e.flags |= a.flags
		e.depth = a.depth + 1
	}
	if b != nil {
		e.flags |= b.flags
		e.depth = max(e.depth, b.depth+1)
	}
	if e.depth > deepest {
		// Told apart by its number, but no longer by what it is made of.
		e.kind, e.a, e.b, e.depth = kindUnknown, nil, nil, 0
		e.val.SetUint64(uint64(e.id))
	}
	e.mask = e.possible()
	switch k {
	case kind(opCALLER):
		e.flags |= hasCaller
	case kind(opORIGIN):
		e.flags |= hasOrigin
	case kind(opCALLDATALOAD):
		e.flags |= hasCalldata
	case kind(opSLOAD):
		e.flags |= hasStorage
	case kindReturned, kindCall:
		e.flags |= hasReturned
	case kind(opTIMESTAMP), kind(opNUMBER):
		e.flags |= hasTime
	}
	p.nodes[key] = e
	return e
}

// possible returns the bits that may be set.
func (e *expression) possible() uint256.Int {
	var m uint256.Int
	switch e.kind {
	case kind(opCALLER), kind(opADDRESS), kind(opORIGIN):
		return word160
	case kind(opEQ), kind(opLT), kind(opGT), kind(opSLT), kind(opSGT), kind(opISZERO), kindCall:
		m.SetOne()
	case kind(opAND):
		m.And(&e.a.mask, &e.b.mask)
	case kind(opOR), kind(opXOR):
		m.Or(&e.a.mask, &e.b.mask)
	case kind(opSHL):
		m.Lsh(&e.b.mask, shift(e.a))
	case kind(opSHR):
		m.Rsh(&e.b.mask, shift(e.a))
	default:
		return word256
	}
	if (e.kind == kind(opSHL) || e.kind == kind(opSHR)) && !e.a.constant() {
		return word256
	}
	return m
}

// shift returns a constant shift distance, 256 at most.
func shift(e *expression) uint {
	if e.val.IsUint64() && e.val.Uint64() < 256 {
		return uint(e.val.Uint64())
	}
	return 256
}

func (p *pool) leaf(op opcode) *expression { return p.node(kind(op), nil, nil, uint256.Int{}) }

// unary returns the result of a one-operand instruction.
func (p *pool) unary(op opcode, a *expression) *expression {
	var r uint256.Int
	switch op {
	case opISZERO:
		if a.constant() {
			return p.truth(a.val.IsZero())
		}
		if a.is(opCALLER) || a.is(opORIGIN) || a.is(opADDRESS) {
			return p.number(0)
		}
		if a.is(opISZERO) && a.a.boolean() {
			return a.a
		}
	case opNOT:
		if a.constant() {
			return p.constant(r.Not(&a.val))
		}
		if a.is(opNOT) {
			return a.a
		}
	}
	return p.node(kind(op), a, nil, uint256.Int{})
}

func (e *expression) boolean() bool { return e.mask.IsUint64() && e.mask.Uint64() <= 1 }

func (p *pool) truth(b bool) *expression {
	if b {
		return p.number(1)
	}
	return p.number(0)
}

// binary returns the result of a two-operand instruction; a is the top of the stack.
func (p *pool) binary(op opcode, a, b *expression) *expression {
	if a.constant() && b.constant() {
		if e := p.fold(op, &a.val, &b.val); e != nil {
			return e
		}
	}
	switch op {
	case opADD, opMUL, opEQ, opAND, opOR, opXOR:
		if a.constant() || !b.constant() && a.id > b.id {
			a, b = b, a
		}
	}
	if e := p.simplify(op, a, b); e != nil {
		return e
	}
	return p.node(kind(op), a, b, uint256.Int{})
}

func (p *pool) fold(op opcode, a, b *uint256.Int) *expression {
	var r uint256.Int
	switch op {
	case opADD:
		r.Add(a, b)
	case opMUL:
		r.Mul(a, b)
	case opSUB:
		r.Sub(a, b)
	case opDIV:
		r.Div(a, b)
	case opMOD:
		r.Mod(a, b)
	case opEXP:
		r.Exp(a, b)
	case opLT:
		return p.truth(a.Lt(b))
	case opGT:
		return p.truth(a.Gt(b))
	case opSLT:
		return p.truth(a.Slt(b))
	case opSGT:
		return p.truth(a.Sgt(b))
	case opEQ:
		return p.truth(a.Eq(b))
	case opAND:
		r.And(a, b)
	case opOR:
		r.Or(a, b)
	case opXOR:
		r.Xor(a, b)
	case opSHL:
		r.Lsh(b, shiftOf(a))
	case opSHR:
		r.Rsh(b, shiftOf(a))
	case opBYTE:
		r = *b
		r.Byte(a)
	case opSIGNEXTEND:
		r.ExtendSign(b, a)
	default:
		return nil
	}
	return p.constant(&r)
}

func shiftOf(v *uint256.Int) uint {
	if v.IsUint64() && v.Uint64() < 256 {
		return uint(v.Uint64())
	}
	return 256
}
