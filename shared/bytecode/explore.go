package bytecode

// branch is one side of a fork, in one setting. Paths that come to the same branch in the same setting are followed once.
type branch struct {
	// from are the branches that lead here.
	from []*branch
	// reached is set while judging: a path through here ends as wanted.
	reached bool
}

// fork is a place where the path depended on a value; the branch of a side that surely reverts is nil.
type fork struct {
	condition *expression
	yes, no   *branch
}

// path is a way through a function that does not revert.
type path struct {
	conditions *condition
	stores     *store
	result     *expression
	last       *branch
}

// function is what can happen behind one selector.
type function struct {
	selector [4]byte
	entry    *state
	forks    []fork
	paths    []path
	// followed is false when a limit ended the walk, or a jump's target stayed unknown.
	followed bool
}

const (
	// variants is how many different stacks are followed at one branch with the same effects so far.
	variants = 3
	// wideSteps is after how many steps of a function only one is.
	wideSteps = 15_000
	// functionSteps and contractSteps end a walk. Transfers of reflection tokens take 100,000 to 500,000.
	functionSteps = 500_000
	contractSteps = 1_500_000
)

// What a path needed so far, so that paths that need nothing are not followed as if they were the same.
const (
	needsPrivilege uint8 = 1 << iota
	needsCaller
	needsFirst
	needsSecond
)

// favoured tells which party must be one that storage or the code names on a side of a fork; 0 for none.
func favoured(cond *expression, holds bool) uint8 {
	f := normal(cond, holds)
	if !f.holds || !f.value.is(opEQ) {
		return 0
	}
	who := f.value.a
	switch {
	case party(who) && fixed(f.value.b):
	case party(f.value.b) && fixed(who):
		who = f.value.b
	default:
		return 0
	}
	if !who.is(opCALLDATALOAD) {
		return needsCaller
	}
	if at, ok := who.a.small(); ok && at == 4 {
		return needsFirst
	}
	return needsSecond
}

type setting struct {
	key      uint64
	branches map[uint64]*branch
	first    *branch
}

// explore follows every way through fn, and hands what the dispatcher leads to to found.
func (m *machine) explore(fn *function, found func(selector uint32, entry *state)) {
	fn.followed = true
	began := m.budget
	settings := make(map[uint64]*setting)
	work := []*state{fn.entry}
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		if began-m.budget > functionSteps {
			fn.followed = false
			return
		}
		switch m.run(s) {
		case endDone, endDestroyed:
			fn.paths = append(fn.paths, path{conditions: s.conditions, stores: s.stores, result: m.result, last: s.last})
		case endLost:
			fn.followed = false
		case endFork:
			wide := began-m.budget < wideSteps
			work = m.split(fn, s, settings, work, wide, found)
		case endNone, endReverted:
		}
	}
}

// split continues s on both sides of the fork that it stands at.
func (m *machine) split(fn *function, s *state, settings map[uint64]*setting, work []*state, wide bool, found func(uint32, *state)) []*state {
	cond, jump, through := m.condition, m.jump, m.through
	if selector, ok, equal := m.selector(cond); ok && s.dispatch {
		into, on := jump, through
		if !equal {
			into, on = on, into
		}
		if equal && !m.code.target(into) || !equal && !m.code.target(on) {
			return work
		}
		entry := s.fork()
		entry.place, entry.dispatch, entry.conditions, entry.last = into, false, nil, nil
		found(selector, entry)
		s.place = on
		return append(work, s)
	}
	f := fork{condition: cond}
	sides := [2]struct {
		place int
		holds bool
	}{{through, false}, {jump, true}}
	if n := normal(cond, true); !n.value.boolean() && !n.holds {
		// The last is followed first. That a number is not zero is the usual case, whose results stand for both.
		sides[0], sides[1] = sides[1], sides[0]
	}
	context := mix(m.context(s), uint64(through))
	stack := uint64(7)
	for _, e := range s.stack {
		stack = mix(stack, uint64(e.id))
	}
	for _, side := range sides {
		if side.holds && !m.code.target(side.place) || m.code.failing(side.place, longestFailure) {
			continue
		}
		needs := s.needs
		if m.looksPrivileged(cond, side.holds) {
			needs |= needsPrivilege
		}
		needs |= favoured(cond, side.holds)
		key := mix(context, s.effects+uint64(needs))
		if side.holds {
			key++
		}
		in := settings[key]
		if in == nil {
			in = &setting{key: key, branches: make(map[uint64]*branch, 1)}
			settings[key] = in
		}
		b := in.branches[stack]
		fresh := b == nil && (len(in.branches) == 0 || wide && len(in.branches) < variants)
		switch {
		case fresh:
			b = &branch{}
			in.branches[stack] = b
			if in.first == nil {
				in.first = b
			}
			next := s.fork()
			next.place, next.last, next.needs = side.place, b, needs
			next.conditions = &condition{value: cond, holds: side.holds, prev: s.conditions}
			work = append(work, next)
		case b == nil:
			b = in.first
		}
		if s.last != nil {
			b.from = append(b.from, s.last)
		}
		if side.holds {
			f.yes = b
		} else {
			f.no = b
		}
	}
	fn.forks = append(fn.forks, f)
	return work
}

// selector recognises the comparison of the call's first four bytes with a number; equal tells on which side they match.
func (m *machine) selector(cond *expression) (value uint32, ok, equal bool) {
	f := normal(cond, true)
	e := f.value
	if !e.is(opEQ) {
		if isSelector(e) {
			return 0, true, !f.holds
		}
		return 0, false, false
	}
	a, b := e.a, e.b
	if a.constant() {
		a, b = b, a
	}
	if !isSelector(a) || !b.constant() || b.val.BitLen() > 32 {
		return 0, false, false
	}
	return uint32(b.val.Uint64()), true, f.holds
}

func isSelector(e *expression) bool {
	return e.is(opSHR) && e.a.constant() && shift(e.a) == 224 && e.b.is(opCALLDATALOAD) && e.b.a.zero()
}

// mark sets reached on every branch from which a path that want accepts can be come to.
func (fn *function) mark(want func(*path) bool) (any bool) {
	var work []*branch
	seen := make(map[*branch]bool)
	add := func(b *branch) {
		if b != nil && !seen[b] {
			seen[b] = true
			work = append(work, b)
		}
	}
	for i := range fn.forks {
		for _, b := range []*branch{fn.forks[i].yes, fn.forks[i].no} {
			if b != nil {
				b.reached = false
			}
		}
	}
	for i := range fn.paths {
		if want(&fn.paths[i]) {
			any = true
			add(fn.paths[i].last)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		b.reached = true
		for _, f := range b.from {
			add(f)
		}
	}
	return any
}
