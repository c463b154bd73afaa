package bytecode

import (
	"encoding/binary"

	"github.com/holiman/uint256"
)

// storageWrite is one write that a function can come to do.
type storageWrite struct {
	location
	key, value *expression
	mask       uint256.Int
	facts      []fact
	privileged bool
}

// outcome is what a path does to balances.
type outcome struct {
	path       *path
	facts      []fact
	privileged bool
	changes    []change
	stores     []*store
}

// change is what happens to one balance.
type change struct {
	location
	value *expression
	// up and down tell the direction; both when any amount can be set.
	up, down bool
	// to0 is true when the balance is set to nothing.
	to0 bool
}

// gather lists every function's writes and outcomes. Mappings that anybody can fill are no lists of rights, so that what is
// privileged is judged again once they are known.
func (c *contract) gather() {
	for range 2 {
		c.writes = c.writes[:0]
		for _, fn := range c.functions {
			c.calls[fn] = c.calls[fn][:0]
			for i := range fn.paths {
				c.gatherPath(fn, &fn.paths[i])
			}
		}
		for _, w := range c.writes {
			switch {
			case w.depth == 0:
			case w.privileged && !ofCaller(w.keys) && w.value.has(hasCalldata):
				c.granted[w.variable] = true
			case !w.privileged && ofCaller(w.keys) && !w.value.zero() && !c.spends(w.key, w.value):
				c.open[w.variable] = true
			}
		}
	}
}

func (c *contract) gatherPath(fn *function, p *path) {
	facts := c.machine.facts(p.conditions)
	o := outcome{path: p, facts: facts, privileged: c.privileged(facts) || c.quota(p)}
	seen := make(map[*expression]bool)
	for s := p.stores; s != nil; s = s.prev {
		if seen[s.key] {
			continue
		}
		seen[s.key] = true
		mask := unchanged(s.value, s.key)
		mask.Not(&mask)
		if mask.IsZero() {
			continue
		}
		o.stores = append(o.stores, s)
		l, ok := locate(s.key)
		if !ok {
			continue
		}
		c.writes = append(c.writes, storageWrite{l, s.key, s.value, mask, facts, o.privileged})
		if c.balances[l.variable] {
			if ch := c.changeOf(l, s); ch.up || ch.down {
				o.changes = append(o.changes, ch)
			}
		}
	}
	c.calls[fn] = append(c.calls[fn], o)
}

// spends tells whether a store only takes away from what is held under its key.
func (c *contract) spends(key, value *expression) bool {
	plus, minus, ok := steps(value, c.machine.pool.node(kind(opSLOAD), key, nil, uint256.Int{}))
	return ok && minus && !plus
}

// quota tells whether a path uses up what only somebody privileged grants the caller.
func (c *contract) quota(p *path) bool {
	for s := p.stores; s != nil; s = s.prev {
		if l, ok := locate(s.key); ok && c.granted[l.variable] && !c.usual(l.variable) && ofCaller(l.keys) && c.spends(s.key, s.value) {
			return true
		}
	}
	return false
}

// steps tells whether value is old with amounts added or taken away. An amount that is itself a difference, as what is left of a
// transfer after its fee, counts as one.
func steps(value, old *expression) (plus, minus, ok bool) {
	for range deepest {
		switch {
		case value == old:
			return plus, minus, true
		case value.is(opAND) && value.b.constant():
			value = value.a
		case value.is(opADD) && value.b.constant():
			if value.b.val.BitLen() == 256 {
				minus = true
			} else {
				plus = true
			}
			value = value.a
		case value.is(opADD) && contains(value.a, old):
			plus = true
			value = value.a
		case value.is(opADD):
			plus = true
			value = value.b
		case value.is(opSUB):
			minus = true
			value = value.a
		default:
			return false, false, false
		}
	}
	return false, false, false
}

// changeOf tells what a store does to a balance.
func (c *contract) changeOf(l location, s *store) change {
	out := change{location: l, value: s.value}
	if s.value.constant() {
		out.down, out.up = !large(s.value), s.value.val.BitLen() > 16
		out.to0 = s.value.zero()
		return out
	}
	old := c.machine.pool.node(kind(opSLOAD), s.key, nil, uint256.Int{})
	value := s.value
	if value.is(opOR) {
		// The balance shares its slot with something that stays.
		switch {
		case keeps(value.a, s.key):
			value = value.b
		case keeps(value.b, s.key):
			value = value.a
		}
	}
	plus, minus, held := steps(value, old)
	switch {
	case held:
		out.up, out.down = plus, minus && !plus
	case c.converted(value, l):
	case contains(value, old):
		out.up = true
	case c.moved(value):
		out.up = true
	default:
		out.up, out.down = true, true
	}
	return out
}

// large tells whether a constant is more than accounts usually hold, so that setting a balance to it takes from nobody.
func large(e *expression) bool { return e.val.BitLen() > 80 }

func keeps(e, key *expression) bool {
	m := unchanged(e, key)
	return !m.IsZero()
}

// converted tells whether a value comes from the same account's balance in another unit.
func (c *contract) converted(value *expression, l location) bool {
	for _, r := range reads(value) {
		if c.balances[r.variable] && r.variable != l.variable && len(r.keys) > 0 && len(l.keys) > 0 && r.keys[0] == l.keys[0] {
			return true
		}
	}
	return false
}

func (c *contract) moved(value *expression) bool {
	for _, r := range reads(value) {
		if c.balances[r.variable] {
			return true
		}
	}
	return false
}

func (o *outcome) raises() bool {
	for i := range o.changes {
		if o.changes[i].up {
			return true
		}
	}
	return false
}

// lowers tells whether a balance goes down for certain.
func (o *outcome) lowers() bool {
	for i := range o.changes {
		if o.changes[i].down && !o.changes[i].up {
			return true
		}
	}
	return false
}

// allowed tells whether the path minds what owner allowed the caller to take.
func (c *contract) allowed(o *outcome, owner *expression) bool {
	touches := func(l location) bool {
		return c.allowances[l.variable] && len(l.keys) == 2 && (l.keys[0] == owner || ofCaller(l.keys[1:]))
	}
	for _, f := range o.facts {
		if !f.value.has(hasStorage) {
			continue
		}
		for _, r := range reads(f.value) {
			if touches(r.location) {
				return true
			}
		}
	}
	for _, s := range o.stores {
		if l, ok := locate(s.key); ok && touches(l) {
			return true
		}
	}
	return false
}

// others tells whether an account is somebody else's than the caller's, chosen when the function is called.
func (o *outcome) others(who *expression) bool {
	// An element of a list that was copied to memory reads as memory, or as zero when the copying was cut short.
	if !who.has(hasCalldata) && !(who.is(opSLOAD) && indexed(who)) && !who.is(opMLOAD) && !who.zero() {
		return false
	}
	if who.has(hasCaller) && !who.is(opSLOAD) {
		return false
	}
	for _, f := range o.facts {
		if f.holds && f.value.is(opEQ) && (f.value.a == who && isParty(f.value.b) || f.value.b == who && isParty(f.value.a)) {
			return false
		}
	}
	return true
}

// indexed tells whether a value is read from an array or a mapping.
func indexed(e *expression) bool {
	l, ok := locate(e.a)
	return ok && l.depth > 0
}

func isParty(e *expression) bool { return e.is(opCALLER) || e.is(opADDRESS) || e.is(opORIGIN) }

func (fn *function) number() uint32 { return binary.BigEndian.Uint32(fn.selector[:]) }
