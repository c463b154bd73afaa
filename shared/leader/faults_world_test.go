package leader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// engine is a store.
type engine interface {
	Passes() store.Passes
	Leaders() store.Leaders
	Boards() store.Boards
	Launches() store.Launches
	TrackRecords() store.TrackRecords
	Events() store.Events
	Peers() store.Peers
}

// memoryIn is what the jobs keep in a store.
func memoryIn(kept engine) Memory {
	return Memory{Leaders: kept.Leaders(), Boards: kept.Boards(), Launches: kept.Launches(), TrackRecords: kept.TrackRecords(), Peers: kept.Peers()}
}

// fate is what befalls a step.
type fate int

const (
	done fate = iota
	// refused: the step was not done, and says so.
	refused
	// lost: the step was done, and its acknowledgement did not come back.
	lost
	// killed: the process dies before the step, killedAfter: after it and before the process could know.
	killed
	killedAfter
)

var (
	errDead    = errors.New("the process is dead")
	errRefused = errors.New("refused")
)

// stage is where the three jobs run while something befalls them: a store, queues, and processes that live for one delivery each. A
// process halts before each of its steps, which are whatever it does outside of its own memory: each read and write of the store, each
// message that it sends, each question to a provider, and its answer. What goes on, and what befalls it, is chosen here, one step at a
// time, when nothing moves any more: it needs to run in a bubble of synctest. The same choices have the same end.
type stage struct {
	market *fairground
	kept   engine
	// open gives a process the store that it uses; nil for kept.
	open   func(*process) engine
	now    time.Time
	random *rand.Rand
	// sideBySide is how many processes there are at a time at most.
	sideBySide int
	// batch is how many messages a process gets at most.
	batch int
	// befalls says what befalls the next step; nil for nothing. After is told of every step that was done, when nothing moves.
	befalls func(*step) fate
	after   func(*step)
	// delivered is told of every delivery, before the process begins; twice says whether a message that is sent arrives twice.
	delivered func()
	twice     func() bool

	letters   []letter // that wait, in no order
	processes []*process

	mu     sync.Mutex
	halted []*step
	number int

	// sent are all letters that there ever were.
	sent []letter

	// once counts what is to happen once; grades are those of each leader one after the other; broken are the promises that were found
	// broken.
	once   map[string]int
	grades map[string][]string
	// gradedAt is when each was graded last.
	gradedAt map[string]time.Time
	// forecasts are those that were looked at before, by wallet.
	forecasts map[string]string
	broken    []string
}

// letter is a message in the queue of a job, or an event of its schedule: that is delivered alone, and again until it is acknowledged.
type letter struct {
	job, body string
	event     bool
	received  int
}

// process is a delivery under way.
type process struct {
	*stage
	name string
	own  engine
	got  []letter
	dead atomic.Bool
}

// step is a process that is halted before a step.
type step struct {
	of   *process
	name string
	// changes is true when the step changes what other processes see.
	changes bool
	verdict chan fate
}

func newStage(facts *fairground, kept engine, seed uint64) *stage {
	return &stage{
		market: facts, kept: kept, now: opening, random: rand.New(rand.NewPCG(seed, 1)), sideBySide: 1, batch: 1,
		once: make(map[string]int), grades: make(map[string][]string), forecasts: make(map[string]string), gradedAt: make(map[string]time.Time),
	}
}

func (s *stage) breaks(format string, values ...any) {
	s.broken = append(s.broken, fmt.Sprintf(format, values...))
}

// happens notes what is to happen once.
func (s *stage) happens(format string, values ...any) {
	what := fmt.Sprintf(format, values...)
	if s.once[what]++; s.once[what] > 1 {
		s.breaks("twice: %s", what)
	}
}

// post puts a letter into its queue.
func (s *stage) post(l letter) {
	s.letters, s.sent = append(s.letters, l), append(s.sent, l)
}

// fire has an event of a job's schedule delivered.
func (s *stage) fire(job, id string, due time.Time) { s.post(eventLetter(job, id, due)) }

func eventLetter(name, id string, due time.Time) letter {
	body, err := job.WriteEvent(job.Event{ID: id, Due: due})
	if err != nil {
		panic(err)
	}
	return letter{job: name, body: string(body), event: true}
}

// spreads are the jobs on a memory and on sources.
func (s *stage) spreads(memory Memory, sources market.Sources) []job.Spread {
	chains := []*chain.Chain{s.market.on}
	return []job.Spread{DiscoverLeaders(memory, sources, chains), GradeLeaders(memory, sources, chains), ResolveTrackRecord(memory, sources)}
}

// deliver begins a process for some letters of one job that wait.
func (s *stage) deliver() {
	if s.delivered != nil {
		s.delivered()
	}
	first := s.random.IntN(len(s.letters))
	p := &process{stage: s, own: s.kept, got: []letter{s.letters[first]}}
	s.letters = slices.Delete(s.letters, first, first+1)
	for i := 0; i < len(s.letters) && !p.got[0].event; i++ {
		if l := s.letters[i]; len(p.got) < s.batch && !l.event && l.job == p.got[0].job {
			p.got = append(p.got, l)
			s.letters = slices.Delete(s.letters, i, i+1)
			i--
		}
	}
	s.number++
	p.name = fmt.Sprintf("%s %d", p.got[0].job, s.number)
	s.processes = append(s.processes, p)
	if s.open != nil {
		p.own = s.open(p)
	}
	spreads := s.spreads(p.memory(), p.sources())
	spread := spreads[slices.IndexFunc(spreads, func(one job.Spread) bool { return one.Name == p.got[0].job })]
	function := job.SpreadHandler(spread, processPasses{p, p.own.Passes()}, p, p.clock, slog.New(slog.DiscardHandler))
	payload := p.payload()
	go func() {
		answer, err := function(context.Background(), payload)
		if err := p.step(true, "answer", func() error {
			s.settle(p, answer, err)
			return nil
		}); errors.Is(err, errRefused) {
			s.settle(p, nil, err)
		}
	}()
}

// clock stands still between deliveries.
func (p *process) clock() time.Time { return p.now }

// payload is what the function is given: an event, or messages.
func (p *process) payload() []byte {
	if p.got[0].event {
		return []byte(p.got[0].body)
	}
	var records []map[string]any
	for i, l := range p.got {
		records = append(records, map[string]any{
			"messageId": strconv.Itoa(i), "eventSource": "aws:sqs", "body": l.body,
			"attributes": map[string]string{"ApproximateReceiveCount": strconv.Itoa(l.received + 1)},
		})
	}
	payload, err := json.Marshal(map[string]any{"Records": records})
	if err != nil {
		panic(err)
	}
	return payload
}

// settle takes the answer of a process: what failed comes back, and all that it had when there is no answer.
func (s *stage) settle(p *process, answer []byte, err error) {
	failed := p.got
	if err == nil {
		failed = nil
		var named struct {
			BatchItemFailures []struct{ ItemIdentifier string }
		}
		if len(answer) > 0 {
			if err := json.Unmarshal(answer, &named); err != nil {
				s.breaks("%s answers %s", p.name, answer)
			}
		}
		for _, failure := range named.BatchItemFailures {
			i, err := strconv.Atoi(failure.ItemIdentifier)
			if err != nil {
				s.breaks("%s names a message %q", p.name, failure.ItemIdentifier)
				continue
			}
			failed = append(failed, p.got[i])
		}
	}
	for _, l := range failed {
		l.received++
		s.letters = append(s.letters, l)
	}
	s.processes = slices.DeleteFunc(s.processes, func(other *process) bool { return other == p })
}

// step halts a process, then does a step with what befalls it.
func (p *process) step(changes bool, name string, do func() error) error {
	if p.dead.Load() {
		return errDead
	}
	one := &step{of: p, name: name, changes: changes, verdict: make(chan fate)}
	p.mu.Lock()
	p.halted = append(p.halted, one)
	p.mu.Unlock()
	befalls := <-one.verdict
	switch {
	case befalls == refused:
		return fmt.Errorf("%s: %w", name, errRefused)
	case befalls == killed || p.dead.Load() && befalls != killedAfter:
		return errDead
	}
	err := do()
	switch befalls {
	case lost:
		return fmt.Errorf("%s: no answer", name)
	case killedAfter:
		return errDead
	}
	return err
}

// asked is a step that has a result.
func asked[T any](p *process, changes bool, name string, do func() (T, error)) (T, error) {
	var got T
	err := p.step(changes, name, func() (err error) {
		got, err = do()
		return err
	})
	if err != nil {
		var nothing T
		return nothing, err
	}
	return got, nil
}

// play goes on until no letter waits and no process is under way, or for so many steps and deliveries.
func (s *stage) play() {
	const most = 100_000
	s.playFor(most)
	if len(s.letters)+len(s.halted) > 0 {
		panic("it never comes to an end")
	}
}

func (s *stage) playFor(steps int) {
	for range steps {
		synctest.Wait()
		switch {
		case len(s.letters) == 0 && len(s.halted) == 0:
			return
		case len(s.letters) > 0 && (len(s.halted) == 0 || len(s.processes) < s.sideBySide && s.random.IntN(4) == 0):
			s.deliver()
		default:
			s.advance()
		}
	}
	synctest.Wait()
}

// restart fires what is unfinished of each job, or else an event of its schedule, as the start of a machine does whose queues were in its
// memory.
func (s *stage) restart(t testing.TB) {
	t.Helper()
	s.letters = nil
	for _, spread := range s.spreads(memoryIn(s.kept), market.Sources{}) {
		event, unfinished, err := job.Unfinished(t.Context(), spread, s.kept.Passes(), s.now)
		if err != nil {
			t.Fatal(err)
		}
		if !unfinished {
			event = job.Event{ID: "restart/" + spread.Name, Due: s.now}
		}
		s.fire(spread.Name, event.ID, event.Due)
	}
}

// forget ends all processes and loses all letters.
func (s *stage) forget() {
	for len(s.processes) > 0 {
		s.processes[0].dead.Store(true)
		s.bury(s.processes[0])
	}
	s.letters = nil
}

// advance lets one of the halted steps happen.
func (s *stage) advance() {
	slices.SortStableFunc(s.halted, func(a, b *step) int { return strings.Compare(a.of.name+"/"+a.name, b.of.name+"/"+b.name) })
	at := s.random.IntN(len(s.halted))
	one := s.halted[at]
	s.halted = slices.Delete(s.halted, at, at+1)
	befalls := done
	if s.befalls != nil {
		befalls = s.befalls(one)
	}
	dies := befalls == killed || befalls == killedAfter
	if dies {
		one.of.dead.Store(true)
	}
	one.verdict <- befalls
	synctest.Wait()
	if strings.HasPrefix(one.name, "grade ") || one.name == transaction {
		s.watch()
	}
	if dies {
		s.bury(one.of)
	}
	if s.after != nil && !dies {
		s.after(one)
	}
}

// transaction is the step in which a store that takes several writes a grading.
const transaction = "request TransactWriteItems"

// watch notes gradings that are new: none is the second of a leader in a pass.
func (s *stage) watch() {
	for _, group := range s.market.groups() {
		leaders, err := s.kept.Leaders().List(context.Background(), group, "", "", store.MaximumLeaders)
		if err != nil {
			s.breaks("%v", err)
		}
		for _, l := range leaders {
			if l.Grading.At.IsZero() || l.Grading.At.Equal(s.gradedAt[l.Address]) {
				continue
			}
			s.gradedAt[l.Address] = l.Grading.At
			s.happens("%s is graded in pass %s", l.Address, l.Grading.Pass)
			s.grades[l.Address] = append(s.grades[l.Address], l.Grading.Grade+" "+l.Grading.Verdict)
		}
	}
}

// bury brings a dead process to its end: nothing that it goes on to do has an effect, and its letters come back.
func (s *stage) bury(p *process) {
	if slices.Contains(s.processes, p) { // it had not answered
		s.settle(p, nil, errDead)
	}
	for {
		at := slices.IndexFunc(s.halted, func(one *step) bool { return one.of == p })
		if at < 0 {
			return
		}
		one := s.halted[at]
		s.halted = slices.Delete(s.halted, at, at+1)
		one.verdict <- killed
		synctest.Wait()
	}
}

// death is what is left beside the store when everybody dies: the letters, those that were under way too, and what was noted so far.
type death struct {
	letters []letter
	once    map[string]int
	grades  map[string][]string
	graded  map[string]time.Time
	now     time.Time
}

// dies has everybody die on a stage of its own; nobody here notices.
func (s *stage) dies() death {
	d := death{letters: slices.Clone(s.letters), once: maps.Clone(s.once), grades: maps.Clone(s.grades), graded: maps.Clone(s.gradedAt), now: s.now}
	for _, p := range s.processes {
		d.letters = append(d.letters, p.got...)
	}
	return d
}

// stage is one on which life goes on after a death.
func (d death) stage(facts *fairground, kept engine, seed uint64) *stage {
	s := newStage(facts, kept, seed)
	s.letters, s.once, s.grades, s.gradedAt, s.now = slices.Clone(d.letters), maps.Clone(d.once), maps.Clone(d.grades), maps.Clone(d.graded), d.now
	return s
}

// Send is the queues.
func (p *process) Send(_ context.Context, name string, messages ...job.Message) error {
	for _, message := range messages {
		l := letter{job: name, body: string(message.Body)}
		if err := p.step(true, "send "+name+" "+l.body, func() error {
			p.post(l)
			if p.twice != nil && p.twice() {
				p.post(l)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// whole fails a test for what was found broken.
func (s *stage) whole(t testing.TB) {
	t.Helper()
	for _, broken := range s.broken {
		t.Error(broken)
	}
}
