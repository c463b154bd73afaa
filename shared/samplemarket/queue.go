package samplemarket

type eventKind uint8

const (
	eventGenesis eventKind = iota
	eventCreateMajor
	eventCreatePhoenix
	eventLaunch
	eventListing // the pool of a created token opens
	eventSnipe
	eventBackground
	eventRug
	eventQuotePool
	eventJoin
	eventAct
	eventExit
	eventHealth
	eventSpam
	eventFundBots
	eventBot
	eventMigrate
	eventCensus
	eventEarlyBuy
)

// event is something that happens at a second of the history. Two at the same second happen in the order they were planned.
type event struct {
	at    int32
	seq   uint32
	actor int32
	token int32
	arg   int64
	kind  eventKind
}

func (e *event) before(o *event) bool { return e.at < o.at || (e.at == o.at && e.seq < o.seq) }

// eventQueue is a binary heap, earliest first.
type eventQueue struct {
	events []event
	seq    uint32
}

func (q *eventQueue) push(e event) {
	e.seq = q.seq
	q.seq++
	q.events = append(q.events, e)
	for i := len(q.events) - 1; i > 0; {
		parent := (i - 1) / 2
		if !q.events[i].before(&q.events[parent]) {
			break
		}
		q.events[i], q.events[parent] = q.events[parent], q.events[i]
		i = parent
	}
}

func (q *eventQueue) pop() event {
	top := q.events[0]
	last := len(q.events) - 1
	q.events[0] = q.events[last]
	q.events = q.events[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && q.events[child+1].before(&q.events[child]) {
			child++
		}
		if !q.events[child].before(&q.events[i]) {
			break
		}
		q.events[i], q.events[child] = q.events[child], q.events[i]
		i = child
	}
	return top
}
