package bytecode

import "github.com/holiman/uint256"

// judgeLimits finds what stops a transfer and can be turned against a holder.
func (c *contract) judgeLimits(r *Report) (transfers bool) {
	transfers = true
	for _, fn := range c.functions {
		if !isTransfer(fn) {
			continue
		}
		calls := c.calls[fn]
		all, bySender, byBoth := make(map[*path]bool), make(map[*path]bool), make(map[*path]bool)
		for i := range calls {
			o := &calls[i]
			if !o.raises() {
				continue
			}
			all[o.path] = true
			bySender[o.path] = !c.favours(o, sender(fn))
			byBoth[o.path] = !c.favours(o, party)
		}
		if !c.judgeForks(fn, all, r) {
			transfers = false
			continue
		}
		// What only named accounts can pass is closed to all others.
		if !c.judgeForks(fn, bySender, r) {
			r.ListsAccounts = true
		}
		c.judgeForks(fn, byBoth, r)
	}
	r.LimitsSelling = r.PausesTrading || r.ListsAccounts || r.LimitsAmounts
	return transfers
}

// judgeForks judges what the wanted paths need, and tells whether there are any.
func (c *contract) judgeForks(fn *function, wanted map[*path]bool, r *Report) bool {
	if !fn.mark(func(p *path) bool { return wanted[p] }) {
		return false
	}
	seen := make(map[fact]bool)
	for i := range fn.forks {
		f := &fn.forks[i]
		yes, no := f.yes != nil && f.yes.reached, f.no != nil && f.no.reached
		if yes == no {
			continue
		}
		for _, need := range c.machine.addFacts(nil, f.condition, yes) {
			if !seen[need] {
				seen[need] = true
				c.judgeNeed(fn, need, r)
			}
		}
	}
	return true
}

// sender returns a test for the account whose tokens a transfer moves.
func sender(fn *function) func(*expression) bool {
	return func(e *expression) bool {
		if fn.number() == selectorTransfer {
			return e.is(opCALLER) || e.is(opORIGIN)
		}
		if e.is(opCALLDATALOAD) {
			at, ok := e.a.small()
			return ok && at == 4
		}
		return e.is(opCALLER) || e.is(opORIGIN)
	}
}

// judgeNeed judges one thing that a transfer needs.
func (c *contract) judgeNeed(fn *function, need fact, r *Report) {
	e := need.value
	if e.is(opEQ) && (party(e.a) && fixed(e.b) || party(e.b) && fixed(e.a)) {
		return
	}
	if asksAbout(e) {
		r.PausesTrading = true
		return
	}
	if c.ofReceiver(fn, e) || isAddress(e) || isCount(e) {
		return
	}
	for _, rd := range reads(e) {
		if c.balances[rd.variable] || c.allowances[rd.variable] || c.supply[rd.variable] || c.fees[rd.variable] {
			continue
		}
		switch {
		case rd.depth > 0:
			if ofParty(rd.keys) && c.adverse(&rd, need) {
				r.ListsAccounts = true
			}
		case !c.adverse(&rd, need):
		case comparison(e) && !e.has(hasTime):
			r.LimitsAmounts = true
		default:
			r.PausesTrading = true
		}
	}
}

// isAddress tells whether e is an account in storage: that it must be set stops nobody but by mistake.
func isAddress(e *expression) bool {
	return e.is(opAND) && e.b.constant() && e.b.val.Eq(&word160) && e.a.has(hasStorage) && !e.a.is(opCALLDATALOAD)
}

// isCount tells whether e compares a small number with storage, as loops over stored lists do.
func isCount(e *expression) bool {
	small := func(e *expression) bool { return e.constant() && e.val.BitLen() <= 6 }
	return comparison(e) && (small(e.a) && e.b.is(opSLOAD) || small(e.b) && e.a.is(opSLOAD))
}

func ofParty(keys []*expression) bool {
	for _, k := range keys {
		if party(k) {
			return true
		}
	}
	return false
}

// asksAbout tells whether a value is another contract's answer to a question that names a party of the transfer.
func asksAbout(e *expression) bool {
	left := mostReads
	var visit func(e *expression) bool
	visit = func(e *expression) bool {
		if e == nil || !e.has(hasReturned) || left <= 0 {
			return false
		}
		left--
		if e.kind == kindCall {
			return e.b != nil && e.b.has(hasCaller|hasCalldata) && namesParty(e.b)
		}
		return visit(e.a) || visit(e.b)
	}
	return visit(e)
}

func namesParty(in *expression) bool {
	for ; in != nil; in = in.b {
		word := in
		if in.kind == kindConcat {
			word = in.a
		}
		if party(plain(word)) {
			return true
		}
		if in.kind != kindConcat {
			return false
		}
	}
	return false
}

// ofReceiver tells whether a comparison is about what the receiver would hold, which limits buying, or about what the contract itself
// holds, which says when it sells the taxes it collected.
func (c *contract) ofReceiver(fn *function, e *expression) bool {
	if !comparison(e) {
		return false
	}
	at := 4
	if fn.number() == selectorTransferFrom {
		at = 36
	}
	receiver := c.machine.pool.node(kind(opCALLDATALOAD), c.machine.argument(nil, at), nil, uint256.Int{})
	for _, rd := range reads(e) {
		if c.balances[rd.variable] && len(rd.keys) > 0 && (rd.keys[0] == receiver || rd.keys[0].is(opADDRESS)) {
			return true
		}
	}
	return false
}

// adverse tells whether somebody privileged can write what r reads so that need fails.
func (c *contract) adverse(r *read, need fact) bool {
	for i := range c.writes {
		w := &c.writes[i]
		if w.variable != r.variable || !meets(r, w) {
			continue
		}
		if !w.privileged {
			if r.depth > 0 && need.value.has(hasTime) && c.delays(w) {
				return true
			}
			continue
		}
		load := c.machine.pool.node(kind(opSLOAD), w.key, nil, uint256.Int{})
		switch {
		case w.value.has(hasCalldata):
			if r.depth > 0 || !comparison(need.value) || need.value.has(hasTime) || !c.bound(w.facts, false) {
				return true
			}
		case contains(w.value, load) && r.depth == 0 && comparison(need.value):
			return true
		default:
			read := c.machine.pool.node(kind(opSLOAD), r.key, nil, uint256.Int{})
			value := c.machine.pool.replace(w.value, load, read)
			then := c.machine.pool.replace(need.value, read, value)
			if then.constant() && then.val.IsZero() == need.holds {
				return true
			}
			if !then.constant() && toggles(w.value) {
				return true
			}
		}
	}
	return false
}

// delays tells whether a write of a time counts on from now by a number that somebody privileged sets without a limit.
func (c *contract) delays(w *storageWrite) bool {
	if !w.value.has(hasTime) {
		return false
	}
	for _, r := range reads(w.value) {
		if r.depth > 0 {
			continue
		}
		for i := range c.writes {
			set := &c.writes[i]
			if set.privileged && set.variable == r.variable && meets(&r, set) && set.value.has(hasCalldata) && !c.bound(set.facts, true) {
				return true
			}
		}
	}
	return false
}

// toggles tells whether a value is the opposite of one in storage.
func toggles(e *expression) bool {
	left := mostReads
	var visit func(e *expression) bool
	visit = func(e *expression) bool {
		if e == nil || !e.has(hasStorage) || left <= 0 {
			return false
		}
		left--
		return e.is(opISZERO) || visit(e.a) || visit(e.b)
	}
	return visit(e)
}
