package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// run lets agents expire as of now.
func (o *office) run(t *testing.T) job.Report {
	t.Helper()
	report, err := ExpireAgents(o.desk.Agents, o.desk.Follow).Run(t.Context(), o.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// Many agents, sweeps that overlap and come at odd times: each owner is warned twice and told of the end once.
func TestOwnersAreWarnedBeforeTheirAgentsExpire(t *testing.T) {
	o := newOffice(t)
	var ids []string
	for n := range 150 {
		id := o.made(t, me, wish(Perps, ""))
		ids = append(ids, id)
		status := Active
		if n%3 == 0 {
			status = Paused
		}
		o.bring(t, id, status, o.Clock.Now().Add(80*time.Hour+time.Duration(n)*time.Minute))
	}
	lapse := o.Clock.Now().Add(80 * time.Hour)
	counts := make(map[string]int)
	for range 30 {
		var sweeps sync.WaitGroup
		for range 4 {
			sweeps.Go(func() { o.run(t) })
		}
		sweeps.Wait()
		o.Clock.Advance(3 * time.Hour)
	}
	if o.Clock.Now().Before(lapse) {
		t.Fatal("the test is too short")
	}
	for day := o.Clock.Now().Add(-10 * 24 * time.Hour); !day.After(o.Clock.Now()); day = day.Add(24 * time.Hour) {
		var after time.Time
		afterID := ""
		for {
			said, err := o.engine.Events().Said(t.Context(), day, after, afterID, 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range said {
				counts[e.Type]++
				after, afterID = e.At, e.ID
			}
			if len(said) < 100 {
				break
			}
		}
	}
	if counts[EventSessionExpiring] != 2*len(ids) || counts[EventExpired] != len(ids) || len(counts) != 2 {
		t.Error(counts)
	}
	for _, id := range ids {
		record, err := o.engine.Agents().Agent(t.Context(), store.AgentKey{Partner: "acme", ID: id})
		if err != nil || record.Status != string(Expired) || record.Following || !record.DueAt.IsZero() {
			t.Fatalf("%+v %v", record, err)
		}
	}
}

// One agent that cannot be read holds up none of the others, and a store that fails is reported.
func TestExpiryGoesOnPastWhatFails(t *testing.T) {
	o := newOffice(t)
	broken := store.Agent{
		AgentKey: store.AgentKey{Partner: "acme", ID: "broken"}, Owner: "nobody", FollowedLeader: store.FollowedLeader{Group: store.Group{Kind: "perp", Place: "perpvenue"}, Leader: "x"},
		Status: "active", Following: true, DueAt: o.Clock.Now().Add(-time.Hour), Version: 1, CreatedAt: o.Clock.Now(), ChangedAt: o.Clock.Now(), Data: []byte("{}"),
	}
	if err := o.engine.Agents().Create(t.Context(), broken); err != nil {
		t.Fatal(err)
	}
	id := o.made(t, me, wish(Perps, ""))
	o.bring(t, id, Active, o.Clock.Now())
	if report := o.run(t); report[0].Err == nil || report[0].Items != 1 {
		t.Errorf("%+v", report)
	}
	if !slices.Equal(o.said(t), []string{EventExpired}) {
		t.Error(o.said(t))
	}
	down := &brokenAgents{Agents: o.desk.Agents, down: true}
	other := o.made(t, me, wish(Perps, ""))
	o.bring(t, other, Active, o.Clock.Now())
	report, err := ExpireAgents(down, o.desk.Follow).Run(t.Context(), o.Clock.Now())
	if err != nil || !errors.Is(report[0].Err, errLost) {
		t.Errorf("%+v %v", report, err)
	}
}

// Leaders that agents follow stay among those that are graded, and others do not.
func TestFollowedLeadersStayGraded(t *testing.T) {
	o := newOffice(t)
	id := o.made(t, me, wish(Perps, ""))
	o.bring(t, id, Active, o.Clock.Now().Add(1000*time.Hour))
	o.made(t, me, fmt.Sprintf(`{"venue":"perpvenue-perps","smartAccountAddress":%q,"leaderWalletAddress":%q,"riskConfig":{"maxUsd":"1","copyPercent":1}}`, address(2), address(77)))
	before := o.followed.Load()
	if report := o.run(t); report[1].Items != 1 || report[1].Err != nil || o.followed.Load() != before+1 {
		t.Errorf("%+v", report)
	}
	failing := func(context.Context, store.FollowedLeader, time.Time) error { return errLost }
	if report, _ := ExpireAgents(o.desk.Agents, failing).Run(t.Context(), o.Clock.Now()); !errors.Is(report[1].Err, errLost) {
		t.Errorf("%+v", report)
	}
}
