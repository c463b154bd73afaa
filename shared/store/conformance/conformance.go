// Package conformance is the one test suite that every engine of package store passes: it defines how the ports behave.
//
// It knows the ports only, no engine. What one engine promises beyond them (surviving a crash, refusing a second process) is
// tested with that engine.
package conformance

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Stores are the ports of one engine.
type Stores struct {
	Keys         store.Keys
	Meter        store.Meter
	Snapshots    store.Snapshots
	Observations store.Observations
	Peers        store.Peers
	Passes       store.Passes
	Leaders      store.Leaders
	Events       store.Events
	Boards       store.Boards
	Launches     store.Launches
	TrackRecords store.TrackRecords
	Agents       store.Agents
	Executions   store.Executions
	Readings     store.Readings
	Idempotency  store.Idempotency
	Nonces       store.Nonces
	Webhooks     store.Webhooks
	Outbox       store.Outbox
}

// Run checks an engine. open returns the ports of a store that holds nothing, and closes it with t.Cleanup; it is called once
// for each group of checks.
func Run(t *testing.T, open func(t *testing.T) Stores) {
	groups := []struct {
		name  string
		check func(t *testing.T, s Stores)
	}{
		{"partners", checkPartners},
		{"keys", checkKeys},
		{"keys are refused in order", checkKeyRefusals},
		{"keys of partners with similar ids", checkSimilarPartners},
		{"invalid partners and keys", checkInvalidKeys},
		{"memory of keys is not shared", checkKeyMemory},
		{"keys added at once", checkConcurrentKeys},
		{"keys revoked at once", checkConcurrentRevocation},
		{"keys against a model", checkKeyModel},
		{"token bucket", checkBucket},
		{"token bucket, largest and smallest limits", checkExtremeLimits},
		{"token bucket against a model", checkBucketModel},
		{"token bucket, units taken at once", checkConcurrentTakes},
		{"token bucket, clocks that differ", checkSkewedTakes},
		{"usage", checkUsage},
		{"usage of partners with similar ids", checkSimilarUsage},
		{"usage against a model", checkUsageModel},
		{"usage counted at once", checkConcurrentCounts},
		{"invalid metering", checkInvalidMetering},
		{"snapshots", checkSnapshots},
		{"snapshots of histories with similar names", checkSimilarHistories},
		{"snapshots that are old", checkSnapshotLife},
		{"snapshots added at once", checkSnapshotRaces},
		{"snapshots against a model", checkSnapshotModel},
		{"invalid snapshots", checkInvalidSnapshots},
		{"memory of snapshots is not shared", checkSnapshotMemory},
		{"observations", checkObservations},
		{"observations that are old", checkObservationLife},
		{"observations at once", checkConcurrentObservations},
		{"observations against a model", checkObservationModel},
		{"invalid observations", checkInvalidObservations},
		{"peers", checkPeers},
		{"peers at once", checkConcurrentPeers},
		{"invalid peers", checkInvalidPeers},
		{"ended context", checkEndedContext},
		{"passes", checkPasses},
		{"passes of jobs with similar names", checkSimilarJobs},
		{"passes begun and parts completed at once", checkConcurrentPasses},
		{"passes against a model", checkPassModel},
		{"invalid passes", checkInvalidPasses},
		{"leaders", checkLeaders},
		{"leaders of groups with similar names", checkSimilarGroups},
		{"leaders found, graded and removed at once", checkConcurrentLeaders},
		{"leaders against a model", checkLeaderModel},
		{"invalid leaders", checkInvalidLeaders},
		{"memory of leaders is not shared", checkLeaderMemory},
		{"events", checkEvents},
		{"boards", checkBoards},
		{"boards with similar names", checkSimilarBoards},
		{"boards whose editions are gone", checkEditionLife},
		{"boards published at once", checkConcurrentBoards},
		{"boards against a model", checkBoardModel},
		{"invalid boards", checkInvalidBoards},
		{"ended context of leaders and boards", checkEndedLeaders},
		{"launches", checkLaunches},
		{"launches of days and chains with similar names", checkSimilarLaunches},
		{"launches registered and examined at once", checkConcurrentLaunches},
		{"launches against a model", checkLaunchModel},
		{"invalid launches", checkInvalidLaunches},
		{"memory of launches is not shared", checkLaunchMemory},
		{"launches, ended context", checkEndedLaunches},
		{"forecasts", checkForecasts},
		{"follow-ups", checkFollowUps},
		{"follow-ups that are due", checkDue},
		{"track records with similar names", checkSimilarTrackRecords},
		{"track records written at once", checkConcurrentTrackRecords},
		{"track records against a model", checkTrackRecordModel},
		{"track records are append-only", checkAppendOnly},
		{"invalid track records", checkInvalidTrackRecords},
		{"memory of track records is not shared", checkTrackRecordMemory},
		{"track records, ended context", checkEndedTrackRecords},
		{"agents", checkAgents},
		{"agents with similar names", checkSimilarAgents},
		{"agents against a model", checkAgentModel},
		{"agents are linearizable", checkLinearizableAgents},
		{"invalid agents", checkInvalidAgents},
		{"executions", checkExecutions},
		{"executions with similar names", checkSimilarExecutions},
		{"executions at once", checkConcurrentExecutions},
		{"executions and books against a model", checkExecutionModel},
		{"invalid executions", checkInvalidExecutions},
		{"readings", checkReadings},
		{"webhooks", checkWebhooks},
		{"repeated requests", checkIdempotency},
		{"repeated requests at once", checkConcurrentIdempotency},
		{"invalid repeated requests", checkInvalidIdempotency},
		{"nonces", checkNonces},
		{"outbox", checkOutbox},
		{"parked deliveries", checkParking},
		{"deliveries at once", checkConcurrentOutbox},
		{"deliveries against a model", checkOutboxModel},
		{"invalid deliveries", checkInvalidOutbox},
		{"agents and what they do, ended context", checkEndedCopying},
	}
	for _, group := range groups {
		t.Run(group.name, func(t *testing.T) {
			t.Parallel()
			group.check(t, open(t))
		})
	}
}

// goroutines is how many callers the concurrent checks let loose at once.
const goroutines = 64

// year lies ahead of every clock that runs these checks: an engine that deletes what has expired goes by its own clock.
const year = 2126

// epoch is a time with nanoseconds, so that none gets lost unnoticed.
var epoch = time.Date(year, 3, 14, 15, 9, 26, 535_897_932, time.UTC)

// serial numbers what must be new in a store that several checks share.
var serial atomic.Int64

func unique(prefix string) string { return fmt.Sprintf("%s-%d", prefix, serial.Add(1)) }

// tester is what *testing.T and *rapid.T have in common.
type tester interface {
	Helper()
	Context() context.Context
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

func isConflict(err error) bool { return errors.Is(err, store.ErrConflict) }

func isNotFound(err error) bool { return errors.Is(err, store.ErrNotFound) }

func mustDo(t tester, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

func must[T any](t tester) func(value T, err error) T {
	return func(value T, err error) T {
		t.Helper()
		mustDo(t, err)
		return value
	}
}

func wantError(t tester, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v", what, err, want)
	}
}

// atOnce runs n calls that start together, and waits for all of them.
func atOnce(n int, call func(i int)) {
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			call(i)
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
}

// checkEndedContext: a call whose context had ended says so and changes nothing.
func checkEndedContext(t *testing.T, s Stores) {
	ctx := t.Context()
	partner := newPartner(unique("ended"))
	key := newKey(unique("key"), partner.ID, store.ModeLive)
	mustDo(t, s.Keys.CreatePartner(ctx, partner))
	mustDo(t, s.Keys.AddKey(ctx, key))
	must[store.Grant](t)(s.Meter.Take(ctx, partner.ID, partner.Limit, 4, epoch))
	mustDo(t, s.Meter.Count(ctx, partner.ID, "token-intel", 3, epoch))

	history := newHistory()
	mustDo(t, s.Snapshots.Append(ctx, history, newSnapshot(1, epoch)))
	token, set := unique("0x"), store.PeerSet{At: epoch, Data: []byte("{}")}
	mustDo(t, s.Observations.Observe(ctx, "base", token, newObservation(epoch)))
	mustDo(t, s.Peers.PutPeers(ctx, "ended", set))

	ended, cancel := context.WithCancel(ctx)
	cancel()
	other := unique("ended")
	calls := map[string]func() error{
		"CreatePartner": func() error { return s.Keys.CreatePartner(ended, newPartner(other)) },
		"Partner":       func() error { _, err := s.Keys.Partner(ended, partner.ID); return err },
		"Partners":      func() error { _, err := s.Keys.Partners(ended); return err },
		"SetLimit":      func() error { return s.Keys.SetLimit(ended, partner.ID, store.Limit{PerMinute: 1, Burst: 1}) },
		"AddKey":        func() error { return s.Keys.AddKey(ended, newKey(other, partner.ID, store.ModeLive)) },
		"Key":           func() error { _, err := s.Keys.Key(ended, key.ID); return err },
		"KeysOf":        func() error { _, err := s.Keys.KeysOf(ended, partner.ID); return err },
		"RevokeKey":     func() error { return s.Keys.RevokeKey(ended, key.ID, epoch) },
		"Take":          func() error { _, err := s.Meter.Take(ended, partner.ID, partner.Limit, 1, epoch); return err },
		"Take of 0":     func() error { _, err := s.Meter.Take(ended, partner.ID, partner.Limit, 0, epoch); return err },
		"Return":        func() error { return s.Meter.Return(ended, partner.ID, partner.Limit, 1, epoch) },
		"Return of 0":   func() error { return s.Meter.Return(ended, partner.ID, partner.Limit, 0, epoch) },
		"Count":         func() error { return s.Meter.Count(ended, partner.ID, "token-intel", 1, epoch) },
		"Count of 0":    func() error { return s.Meter.Count(ended, partner.ID, "token-intel", 0, epoch) },
		"Usage":         func() error { _, err := s.Meter.Usage(ended, partner.ID, epoch); return err },
		"Append":        func() error { return s.Snapshots.Append(ended, history, newSnapshot(2, epoch)) },
		"Latest":        func() error { _, err := s.Snapshots.Latest(ended, history); return err },
		"List":          func() error { _, err := s.Snapshots.List(ended, history, 1); return err },
		"Observe": func() error {
			return s.Observations.Observe(ended, "base", token, newObservation(epoch.Add(time.Hour)))
		},
		"Observed": func() error { _, err := s.Observations.Observed(ended, "base", token, epoch); return err },
		"PutPeers": func() error { return s.Peers.PutPeers(ended, "ended", store.PeerSet{At: epoch.Add(1), Data: set.Data}) },
		"PeersOf":  func() error { _, err := s.Peers.PeersOf(ended, "ended"); return err },
	}
	for name, call := range calls {
		wantError(t, name, call(), context.Canceled)
	}

	_, err := s.Keys.Partner(ctx, other)
	wantError(t, "partner created after the end", err, store.ErrNotFound)
	samePartner(t, must[store.Partner](t)(s.Keys.Partner(ctx, partner.ID)), partner)
	sameKeys(t, must[[]store.Key](t)(s.Keys.KeysOf(ctx, partner.ID)), []store.Key{key})
	if grant := must[store.Grant](t)(s.Meter.Take(ctx, partner.ID, partner.Limit, 0, epoch)); grant.Left != partner.Limit.Burst-4 {
		t.Errorf("%d units left, want %d", grant.Left, partner.Limit.Burst-4)
	}
	if usage := must[store.Usage](t)(s.Meter.Usage(ctx, partner.ID, epoch)); usage.Today != 3 {
		t.Errorf("%d units used today, want 3", usage.Today)
	}
	wantLatest(t, s, history, newSnapshot(1, epoch))
	wantObserved(t, s, "base", token, epoch, newObservation(epoch))
	wantPeers(t, s, "ended", set)
}
