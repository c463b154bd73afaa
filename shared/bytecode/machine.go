package bytecode

import "github.com/holiman/uint256"

// condition is a branch that a path took, and those before it.
type condition struct {
	value *expression
	holds bool
	prev  *condition
}

// store is a write to storage, and those before it.
type store struct {
	key, value *expression
	site       uint64
	prev       *store
}

// state is one path so far.
type state struct {
	place      int
	stack      []*expression
	memory     memory
	stores     *store
	conditions *condition
	returned   *expression
	calls      int
	steps      int
	// effects identifies which storage writes were done, needs what kind of caller.
	effects  uint64
	needs    uint8
	last     *branch
	dispatch bool
}

func (s *state) fork() *state {
	c := *s
	c.stack = append(make([]*expression, 0, len(s.stack)+16), s.stack...)
	c.memory = s.memory[:len(s.memory):len(s.memory)]
	return &c
}

// end is how a path ended.
type end int

const (
	endNone end = iota
	endFork
	endReverted
	endDone
	endDestroyed
	endLost
)

// machine walks code. It never runs it: values are expressions.
type machine struct {
	pool *pool
	code *program
	// result is what the path that ended last returned.
	result *expression
	// condition and targets describe the fork at which a path ended.
	condition     *expression
	jump, through int
	delegated     []*expression
	destroys      bool
	budget        int
}

const (
	longestPath   = 6_000
	largestMemory = 1_500
)

// run follows s to its end or to the next fork.
func (m *machine) run(s *state) end {
	for {
		if m.budget--; m.budget < 0 || s.steps > longestPath || len(s.memory) > largestMemory {
			return endLost
		}
		s.steps++
		if s.place >= len(m.code.bytes) {
			return endDone
		}
		op := opcode(m.code.bytes[s.place])
		needs, ok := arityOf(op)
		if !ok || len(s.stack) < int(needs.pops) || len(s.stack)+int(needs.pushes) > 1024+int(needs.pops) {
			return endReverted
		}
		if e := m.step(s, op, needs); e != endNone {
			return e
		}
	}
}

func (s *state) pop() *expression {
	e := s.stack[len(s.stack)-1]
	s.stack = s.stack[:len(s.stack)-1]
	return e
}

func (s *state) push(e *expression) { s.stack = append(s.stack, e) }

// step carries out one instruction.
func (m *machine) step(s *state, op opcode, needs arity) end {
	at := s.place
	s.place += 1 + pushed(op)
	n := len(s.stack)
	switch {
	case op >= opPUSH0 && op <= opPUSH32:
		v := m.code.push(at)
		s.push(m.pool.constant(&v))
		return endNone
	case op >= opDUP1 && op <= opDUP16:
		s.push(s.stack[n-1-int(op-opDUP1)])
		return endNone
	case op >= opSWAP1 && op <= opSWAP16:
		other := n - 2 - int(op-opSWAP1)
		s.stack[n-1], s.stack[other] = s.stack[other], s.stack[n-1]
		return endNone
	}
	switch op {
	case opJUMPDEST:
	case opPOP:
		s.pop()
	case opPC:
		s.push(m.pool.number(uint64(at)))
	case opCODESIZE:
		s.push(m.pool.number(uint64(len(m.code.bytes))))
	case opISZERO, opNOT:
		s.push(m.pool.unary(op, s.pop()))
	case opADDRESS, opORIGIN, opCALLER, opCALLVALUE, opCALLDATASIZE, opTIMESTAMP, opNUMBER:
		s.push(m.pool.leaf(op))
	case opCALLDATALOAD:
		s.push(m.pool.node(kind(op), s.pop(), nil, uint256.Int{}))
	case opMLOAD:
		s.push(m.word(s.memory, s.pop()))
	case opMSTORE, opMSTORE8:
		m.write(s, op, s.pop(), s.pop())
	case opCALLDATACOPY, opCODECOPY, opRETURNDATACOPY:
		m.copy(s, op, s.pop(), s.pop(), s.pop())
	case opMCOPY:
		m.move(s, s.pop(), s.pop(), s.pop())
	case opKECCAK256:
		m.hash(s, s.pop(), s.pop())
	case opSLOAD:
		s.push(m.load(s, s.pop()))
	case opSSTORE:
		m.save(s, at, s.pop(), s.pop())
	case opCALL, opCALLCODE, opDELEGATECALL, opSTATICCALL:
		m.call(s, op)
	case opJUMP:
		to, ok := s.pop().small()
		if !ok {
			return endLost
		}
		if !m.code.target(to) {
			return endReverted
		}
		s.place = to
	case opJUMPI:
		return m.branch(s)
	case opSTOP:
		m.result = nil
		return endDone
	case opRETURN:
		m.result = m.input(s.memory, s.stack[n-1], s.stack[n-2])
		return endDone
	case opREVERT, opINVALID:
		return endReverted
	case opSELFDESTRUCT:
		m.result, m.destroys = nil, true
		return endDestroyed
	default:
		m.other(s, op, needs)
	}
	return endNone
}

// other carries out what only makes a value of its operands.
func (m *machine) other(s *state, op opcode, needs arity) {
	if needs.pops == 2 && needs.pushes == 1 && op <= opSAR {
		s.push(m.pool.binary(op, s.pop(), s.pop()))
		return
	}
	var a, b *expression
	for i := range needs.pops {
		e := s.pop()
		switch i {
		case 0:
			a = e
		case 1:
			b = e
		}
	}
	if needs.pushes == 1 {
		s.push(m.pool.node(kind(op), a, b, uint256.Int{}))
	}
}

func (m *machine) branch(s *state) end {
	target, cond := s.pop(), s.pop()
	to, ok := target.small()
	if !ok {
		return endLost
	}
	// No caller is the zero address.
	if sure := isParty(cond); sure || cond.constant() {
		if sure || !cond.val.IsZero() {
			if !m.code.target(to) {
				return endReverted
			}
			s.place = to
		}
		return endNone
	}
	m.condition, m.jump, m.through = cond, to, s.place
	return endFork
}

func (m *machine) write(s *state, op opcode, address, value *expression) {
	base, start, ok := place(address)
	if !ok {
		return
	}
	length := 32
	if op == opMSTORE8 {
		length = 1
		value = m.pool.binary(opSHL, m.pool.number(248), value)
	}
	s.memory = append(s.memory, write{base: base, start: start, length: length, value: value})
}

// known returns a length, negative when it is not known.
func known(length *expression) int {
	if n, ok := length.small(); ok {
		return n
	}
	return -1
}

func (m *machine) copy(s *state, op opcode, to, from, length *expression) {
	base, start, ok := place(to)
	if !ok || length.zero() {
		return
	}
	w := write{base: base, start: start, length: known(length), copied: op}
	source, distance, ok := place(from)
	if !ok {
		return
	}
	w.value, w.source = source, distance
	switch {
	case op == opRETURNDATACOPY:
		w.value = s.returned
	case op == opCODECOPY && source != nil:
		w.copied, w.value = opRETURNDATACOPY, nil
	}
	s.memory = append(s.memory, w)
}

func (m *machine) move(s *state, to, from, length *expression) {
	n := known(length)
	base, start, ok := place(to)
	if !ok || n == 0 {
		return
	}
	if n > 0 && n <= 32*longestInput {
		for at := 0; at < n; at += 32 {
			word := m.word(s.memory, m.pool.binary(opADD, from, m.pool.number(uint64(at))))
			s.memory = append(s.memory, write{base: base, start: start + at, length: min(32, n-at), value: word})
		}
		return
	}
	s.memory = append(s.memory, write{base: base, start: start, length: n, copied: opRETURNDATACOPY, value: from})
}

func (m *machine) hash(s *state, address, length *expression) {
	in := m.input(s.memory, address, length)
	if in == nil {
		s.push(m.pool.node(kindUnknown, address, length, uint256.Int{}))
		return
	}
	s.push(m.pool.node(kind(opKECCAK256), in, nil, uint256.Int{}))
}

func (m *machine) load(s *state, key *expression) *expression {
	for w := s.stores; w != nil; w = w.prev {
		if w.key == key {
			return w.value
		}
	}
	return m.pool.node(kind(opSLOAD), key, nil, uint256.Int{})
}

func (m *machine) save(s *state, at int, key, value *expression) {
	site := mix(uint64(at), m.context(s))
	repeated := false
	for w := s.stores; w != nil && !repeated; w = w.prev {
		repeated = w.site == site
	}
	if !repeated {
		s.effects ^= mix(site, 0x5851f42d4c957f2d)
	}
	s.stores = &store{key: key, value: value, site: site, prev: s.stores}
}

// call carries out a call to another contract: whatever it does, its outcome and its data are new values.
func (m *machine) call(s *state, op opcode) {
	s.pop()
	target := s.pop()
	if op == opCALL || op == opCALLCODE {
		s.pop()
	}
	in := m.input(s.memory, s.stack[len(s.stack)-1], s.stack[len(s.stack)-2])
	s.pop()
	s.pop()
	out, length := s.pop(), s.pop()
	if op == opDELEGATECALL || op == opCALLCODE {
		m.delegated = append(m.delegated, target)
	}
	s.calls++
	var number uint256.Int
	number.SetUint64(uint64(s.calls) | uint64(op)<<32)
	e := m.pool.node(kindCall, target, in, number)
	s.returned = e
	if base, start, ok := place(out); ok && !length.zero() {
		s.memory = append(s.memory, write{base: base, start: start, length: known(length), value: e, copied: opRETURNDATACOPY})
	}
	s.push(e)
}

// context identifies the internal calls that a path is in, by the return addresses on its stack.
func (m *machine) context(s *state) uint64 {
	h := uint64(1469598103934665603)
	for _, e := range s.stack {
		if to, ok := e.small(); ok && m.code.target(to) {
			h = mix(h, uint64(to))
		}
	}
	return h
}

// mix combines two numbers into one that is most likely unique to them (the finaliser of SplitMix64).
func mix(a, b uint64) uint64 {
	z := a*0x9e3779b97f4a7c15 + b + 0x632be59bd9b4e019
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
