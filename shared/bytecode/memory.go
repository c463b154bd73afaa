package bytecode

import "github.com/holiman/uint256"

// write is one write to memory: length bytes at base+start, where base is nil for addresses known as numbers. A negative length
// means all that follows.
type write struct {
	base   *expression
	start  int
	length int
	// value is the word written, or what bytes were copied from: the instruction, and the source's first byte.
	value  *expression
	copied opcode
	source int
}

// memory is the log of writes, the latest last. Regions with different symbolic bases are taken to be apart: compilers reserve
// them from one growing pointer.
type memory []write

// place splits an address into base and distance.
func place(address *expression) (*expression, int, bool) {
	base, distance := address.offset()
	if distance.IsUint64() && distance.Uint64() < 1<<24 {
		return base, int(distance.Uint64()), true
	}
	var negative uint256.Int
	negative.Neg(&distance)
	if base != nil && negative.IsUint64() && negative.Uint64() < 1<<24 {
		return base, -int(negative.Uint64()), true
	}
	return address, 0, base != nil
}

func (w *write) covers(base *expression, start, length int) bool {
	return w.base == base && w.start < start+length && (w.length < 0 || start < w.start+w.length)
}

// word returns the 32 bytes at address.
func (m *machine) word(log memory, address *expression) *expression {
	base, start, ok := place(address)
	if !ok {
		return m.pool.node(kind(opMLOAD), address, nil, uint256.Int{})
	}
	for i := len(log) - 1; i >= 0; i-- {
		w := &log[i]
		if !w.covers(base, start, 32) {
			continue
		}
		if w.copied == 0 && w.start == start && w.length == 32 {
			return w.value
		}
		if w.copied != 0 && w.start <= start && (w.length < 0 || w.start+w.length >= start+32) {
			return m.copiedWord(w, start)
		}
		return m.join(m.pieces(log, base, start, 32))
	}
	if base == nil {
		return m.pool.number(0)
	}
	return m.pool.node(kind(opMLOAD), address, nil, uint256.Int{})
}

// copiedWord returns the 32 bytes at start of a copied region.
func (m *machine) copiedWord(w *write, start int) *expression {
	from := w.source + start - w.start
	switch w.copied {
	case opCALLDATACOPY:
		return m.pool.node(kind(opCALLDATALOAD), m.argument(w.value, from), nil, uint256.Int{})
	case opCODECOPY:
		var buffer [32]byte
		if from >= 0 && from < len(m.code.bytes) {
			copy(buffer[:], m.code.bytes[from:])
		}
		var v uint256.Int
		return m.pool.constant(v.SetBytes(buffer[:]))
	}
	var at uint256.Int
	return m.pool.node(kindReturned, w.value, nil, *at.SetUint64(uint64(max(0, from))))
}

func (m *machine) argument(base *expression, distance int) *expression {
	if base == nil {
		return m.pool.number(uint64(max(0, distance)))
	}
	return m.pool.binary(opADD, base, m.pool.number(uint64(max(0, distance))))
}

// piece is count bytes of value, from its byte first on.
type piece struct {
	value        *expression
	first, count int
}

// pieces returns what the bytes from start on are made of, in order.
func (m *machine) pieces(log memory, base *expression, start, length int) []piece {
	var out []piece
	for at := start; at < start+length; {
		end := start + length
		var found *write
		for i := len(log) - 1; i >= 0; i-- {
			w := &log[i]
			if w.covers(base, at, 1) {
				found = w
				if w.length >= 0 {
					end = min(end, w.start+w.length)
				}
				break
			}
			if w.base == base && w.start > at {
				end = min(end, w.start)
			}
		}
		switch {
		case found == nil:
			// Memory that nothing was written to is zero where the address is known.
			value := m.pool.number(0)
			if base != nil {
				value = m.pool.node(kind(opMLOAD), m.argument(base, max(0, at)), nil, uint256.Int{})
			}
			for ; at < end; at += 32 {
				out = append(out, piece{value, 0, min(32, end-at)})
			}
			at = end
		case found.copied != 0:
			for ; at < end; at += 32 {
				out = append(out, piece{m.copiedWord(found, at), 0, min(32, end-at)})
			}
			at = end
		default:
			out = append(out, piece{found.value, at - found.start, end - at})
			at = end
		}
	}
	return out
}

// part returns a piece as a number, the piece in its lowest bytes.
func (m *machine) part(p piece) *expression {
	e := m.pool.binary(opSHR, m.pool.number(uint64(8*(32-p.first-p.count))), p.value)
	if p.first > 0 {
		mask := allOnes(uint(8 * p.count))
		e = m.pool.binary(opAND, e, m.pool.constant(&mask))
	}
	return e
}

// join returns a word made of pieces.
func (m *machine) join(pieces []piece) *expression {
	word, left := m.pool.number(0), 32
	for _, p := range pieces {
		left -= p.count
		word = m.pool.binary(opOR, word, m.pool.binary(opSHL, m.pool.number(uint64(8*left)), m.part(p)))
	}
	return word
}

// input returns the bytes of a region as a chain of words or parts, for hashes and calls; nil when they are not known.
func (m *machine) input(log memory, address, length *expression) *expression {
	base, start, ok := place(address)
	n, known := length.small()
	if !ok || !known || n > 32*longestInput {
		return nil
	}
	var chain *expression
	pieces := m.pieces(log, base, start, n)
	for i := len(pieces) - 1; i >= 0; i-- {
		p := pieces[i]
		e := p.value
		if p.count != 32 {
			e = m.part(p)
			var count uint256.Int
			e = m.pool.node(kindBytes, e, nil, *count.SetUint64(uint64(p.count)))
		}
		if chain == nil {
			chain = e
		} else {
			chain = m.pool.node(kindConcat, e, chain, uint256.Int{})
		}
	}
	return chain
}

// longestInput is how many words of a hash's or a call's input are followed.
const longestInput = 12
