package position

import "math"

// none ends a list of lots.
const none = int32(-1)

// lot is a quantity that came in at one time for one price.
type lot struct {
	quantity float64
	// unitCost is USD per token, gas included: NaN when unknown, zero when it was a gift.
	unitCost float64
	// acquired is in Unix nanoseconds.
	acquired int64
	next     int32
}

// lotList is a first-in first-out list of lots inside a lotStore.
type lotList struct {
	head, tail int32
	quantity   float64
}

var emptyLots = lotList{head: none, tail: none}

// lotStore holds the lots of all tokens, so that a trade costs no allocation of its own.
type lotStore struct {
	lots []lot
	free int32
}

func newLotStore(capacity int) lotStore {
	return lotStore{lots: make([]lot, 0, capacity), free: none}
}

func (s *lotStore) push(list *lotList, quantity, unitCost float64, acquired int64) {
	at := s.free
	if at == none {
		at = int32(len(s.lots))
		s.lots = append(s.lots, lot{})
	} else {
		s.free = s.lots[at].next
	}
	s.lots[at] = lot{quantity: quantity, unitCost: unitCost, acquired: acquired, next: none}
	if list.tail == none {
		list.head = at
	} else {
		s.lots[list.tail].next = at
	}
	list.tail = at
	list.quantity += quantity
}

// taken sums up lots that were taken from a list, by what is known of their cost.
type taken struct {
	// known has a cost above zero, free had cost nothing, unknown is the rest.
	known, free, unknown float64
	// cost is that of the known part in USD.
	cost float64
	// age is the sum over the known part of quantity times nanoseconds held.
	age float64
}

func (t *taken) add(l *lot, quantity float64, now int64) {
	switch {
	case l.unitCost > 0:
		t.known += quantity
		t.cost += float64(quantity * l.unitCost)
		t.age += float64(quantity * max(0, float64(now-l.acquired)))
	case l.unitCost == 0:
		t.free += quantity
	default:
		t.unknown += quantity
	}
}

// take removes up to quantity from the list, oldest first, and appends what it removed to another list when there is one.
func (s *lotStore) take(from *lotList, quantity float64, now int64, to *lotList) taken {
	var sum taken
	// Sums of rounded quantities miss each other by a few units in the last place; less than that is the whole list.
	if quantity >= from.quantity*(1-1e-12) {
		quantity = math.Inf(1)
	}
	for quantity > 0 && from.head != none {
		at := from.head
		l := &s.lots[at]
		if l.quantity > quantity {
			sum.add(l, quantity, now)
			l.quantity -= quantity
			from.quantity -= quantity
			if to != nil {
				s.push(to, quantity, l.unitCost, l.acquired)
			}
			return sum
		}
		sum.add(l, l.quantity, now)
		quantity -= l.quantity
		whole := *l
		from.quantity -= whole.quantity
		from.head = whole.next
		l.next = s.free
		s.free = at
		if to != nil {
			s.push(to, whole.quantity, whole.unitCost, whole.acquired)
		}
	}
	if from.head == none {
		*from = emptyLots
	}
	return sum
}

// sum tells what a list holds without taking it.
func (s *lotStore) sum(list lotList, now int64) taken {
	var all taken
	for at := list.head; at != none; at = s.lots[at].next {
		all.add(&s.lots[at], s.lots[at].quantity, now)
	}
	return all
}
