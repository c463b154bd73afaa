package bytecode

import "github.com/holiman/uint256"

// judgeSupply finds who can mint, and who can take from others.
func (c *contract) judgeSupply(r *Report) {
	bounded := true
	for _, fn := range c.functions {
		calls := c.calls[fn]
		for i := range calls {
			o := &calls[i]
			if !o.privileged && !(isTransfer(fn) && c.favours(o, party)) {
				continue
			}
			if o.raises() && !o.lowers() && !(isTransfer(fn) && fromNobody(o)) {
				r.Mints = true
				bounded = bounded && c.capped(o)
			}
			if o.privileged && c.takes(o) {
				r.Leaks = true
			}
		}
	}
	r.MintBounded = r.Mints && bounded
}

// fromNobody tells whether a path needs a given account to be the zero address: nobody can move what that holds.
func fromNobody(o *outcome) bool {
	for _, f := range o.facts {
		if !f.holds && f.value.is(opCALLDATALOAD) {
			if at, ok := f.value.a.small(); ok && at == 4 {
				return true
			}
		}
	}
	return false
}

func isTransfer(fn *function) bool {
	n := fn.number()
	return n == selectorTransfer || n == selectorTransferFrom
}

// favours tells whether a transfer's path is for a party that storage or the code names, who saying which parties count.
func (c *contract) favours(o *outcome, who func(*expression) bool) bool {
	for _, f := range o.facts {
		if f.holds && f.value.is(opEQ) && (who(f.value.a) && fixed(f.value.b) || who(f.value.b) && fixed(f.value.a)) {
			return true
		}
	}
	return false
}

// party tells whether e is the caller or an account given in the call.
func party(e *expression) bool { return e.is(opCALLER) || e.is(opORIGIN) || e.is(opCALLDATALOAD) }

// fixed tells whether e is an account that storage or the code names.
func fixed(e *expression) bool {
	return e.constant() && e.val.BitLen() > 64 || e.has(hasStorage) && !e.has(hasCaller|hasCalldata)
}

// takes tells whether a path lowers the balance of somebody who did not allow it, or allows it in their name.
func (c *contract) takes(o *outcome) bool {
	for i := range o.changes {
		ch := &o.changes[i]
		if !ch.down || len(ch.keys) == 0 || !o.others(ch.keys[0]) || c.allowed(o, ch.keys[0]) {
			continue
		}
		if ch.to0 && len(c.balances) > 1 && c.switches(o, ch.keys[0]) {
			continue
		}
		return true
	}
	for _, s := range o.stores {
		l, ok := locate(s.key)
		if ok && c.allowances[l.variable] && len(l.keys) == 2 && o.others(l.keys[0]) && !s.value.zero() {
			if old := c.machine.pool.node(kind(opSLOAD), s.key, nil, uint256.Int{}); !contains(s.value, old) {
				return true
			}
		}
	}
	return false
}

// switches tells whether a path changes how an account's balance is kept.
func (c *contract) switches(o *outcome, who *expression) bool {
	for _, s := range o.stores {
		if l, ok := locate(s.key); ok && c.counters[l.variable] && len(l.keys) > 0 && l.keys[0] == who {
			return true
		}
	}
	return false
}

// capped tells whether a path checks the supply against a limit other than the number range.
func (c *contract) capped(o *outcome) bool {
	for _, f := range o.facts {
		if !comparison(f.value) {
			continue
		}
		if c.limits(f.value.a, f.value.b) || c.limits(f.value.b, f.value.a) {
			return true
		}
	}
	return false
}

// limits tells whether sum depends on the supply, and limit is a number of its own.
func (c *contract) limits(sum, limit *expression) bool {
	if !c.ofSupply(sum) {
		return false
	}
	if limit.constant() {
		return limit.val.BitLen() < 250
	}
	if !c.ofSupply(limit) && limit.has(hasStorage) && !limit.has(hasCalldata) {
		return true
	}
	// What is asked for against what is left, or against a share of the supply.
	return limit.has(hasCalldata) && !c.ofSupply(limit) && !sum.has(hasCalldata) && (sum.is(opSUB) || sum.is(opDIV) || sum.is(opADD))
}

func (c *contract) ofSupply(e *expression) bool {
	for _, r := range reads(e) {
		if c.supply[r.variable] {
			return true
		}
	}
	return false
}

// judgeFees finds the numbers that transfers charge by and who sets them.
func (c *contract) judgeFees(r *Report) {
	var charged []read
	seen := make(map[*expression]bool)
	for _, fn := range c.functions {
		if !isTransfer(fn) {
			continue
		}
		calls := c.calls[fn]
		for i := range calls {
			for j := range calls[i].changes {
				e := calls[i].changes[j].value
				if seen[e] {
					continue
				}
				seen[e] = true
				for _, rd := range reads(e) {
					if rd.depth == 0 && !c.supply[rd.variable] {
						charged = append(charged, rd)
						c.fees[rd.variable] = true
					}
				}
			}
		}
	}
	bounded := true
	for i := range c.writes {
		w := &c.writes[i]
		if !w.privileged || w.depth > 0 || !overlaps(charged, w) {
			continue
		}
		switch {
		case w.value.has(hasCalldata):
			r.SetsFees = true
			bounded = bounded && c.bound(w.facts, true)
		case w.value.constant() && !w.value.zero():
			r.SetsFees = true
		}
	}
	r.FeesBounded = r.SetsFees && bounded
}

func overlaps(rs []read, w *storageWrite) bool {
	for i := range rs {
		if rs[i].variable == w.variable && meets(&rs[i], w) {
			return true
		}
	}
	return false
}

func meets(r *read, w *storageWrite) bool {
	m := r.mask
	m.And(&m, &w.mask)
	return !m.IsZero()
}

// longestBound is how many bits a limit on a number may have before it is only a check of the number's range.
const longestBound = 120

// bound tells whether facts keep a number given in the call below (or, when upper is false, above) something fixed.
func (c *contract) bound(facts []fact, upper bool) bool {
	for _, f := range facts {
		if !f.value.is(opLT) && !f.value.is(opGT) {
			continue
		}
		less, more := f.value.a, f.value.b
		if f.value.is(opGT) != !f.holds {
			less, more = more, less
		}
		given, limit := less, more
		if !upper {
			given, limit = more, less
		}
		if given.has(hasCalldata) && !limit.has(hasCalldata) && !limit.zero() && (!limit.constant() || !upper && !limit.zero() || limit.val.BitLen() <= 40) {
			if limit.constant() && limit.val.BitLen() > longestBound {
				continue
			}
			return true
		}
	}
	return false
}
