package bytecode

import "github.com/holiman/uint256"

// program is code cut into instructions.
type program struct {
	bytes []byte
	// at holds the places that may be jumped to.
	at []bool
	// fails caches whether the block at a place surely reverts: 0 not known yet, 1 yes, 2 no.
	fails []int8
}

func newProgram(code []byte) *program {
	p := &program{bytes: code, at: make([]bool, len(code)), fails: make([]int8, len(code))}
	for i := 0; i < len(code); i += 1 + pushed(opcode(code[i])) {
		p.at[i] = opcode(code[i]) == opJUMPDEST
	}
	return p
}

func (p *program) target(place int) bool { return place >= 0 && place < len(p.at) && p.at[place] }

// push returns the data that follows the instruction at place; code that ends early reads as zeros.
func (p *program) push(place int) uint256.Int {
	var v uint256.Int
	n := pushed(opcode(p.bytes[place]))
	var buffer [32]byte
	if place+1 < len(p.bytes) {
		copy(buffer[:n], p.bytes[place+1:])
	}
	v.SetBytes(buffer[:n])
	return v
}

// longestFailure is how many blocks the way to a revert may have.
const longestFailure = 4

// failing tells whether the straight code at place ends in a revert, so that nothing on it can matter.
func (p *program) failing(place, blocks int) bool {
	if place < 0 || place >= len(p.bytes) {
		return false
	}
	if p.fails[place] != 0 {
		return p.fails[place] == 1
	}
	fails := p.endsInFailure(place, blocks)
	p.fails[place] = 2
	if fails {
		p.fails[place] = 1
	}
	return fails
}

func (p *program) endsInFailure(place, blocks int) bool {
	last := -1
	for i := place; i < len(p.bytes); i += 1 + pushed(opcode(p.bytes[i])) {
		op := opcode(p.bytes[i])
		switch op {
		case opREVERT, opINVALID:
			return true
		case opJUMPI, opSTOP, opRETURN, opSELFDESTRUCT:
			return false
		case opJUMP:
			if last < 0 || pushed(opcode(p.bytes[last])) == 0 || blocks <= 0 {
				return false
			}
			v := p.push(last)
			return v.IsUint64() && v.Uint64() < uint64(len(p.bytes)) && p.target(int(v.Uint64())) && p.failing(int(v.Uint64()), blocks-1)
		}
		if _, ok := arityOf(op); !ok {
			return true
		}
		last = i
	}
	return false
}
