package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

// Of the writers one grades, too: a leader that has its name, and publishes a board of that name. Each row of an edition says which
// one it is of.
const (
	crashGrader = "3"
	crashRows   = 40
)

var crashGroup = store.Group{Kind: "spot", Place: "base"}

// gradeAndPublish takes the grader's next step: it grades the leader, says so, and publishes an edition.
func gradeAndPublish(opened *embedded.Store, by int) error {
	ctx, writer := context.Background(), fmt.Sprint(by)
	if writer != crashGrader {
		return nil
	}
	if err := opened.Leaders().Find(ctx, crashGroup, writer, store.Finding{Source: "crash", At: epoch}); err != nil {
		return err
	}
	leader, err := opened.Leaders().Leader(ctx, crashGroup, writer)
	if err != nil {
		return err
	}
	step := 1
	if !leader.Grading.At.IsZero() {
		step += int(leader.Grading.At.Sub(epoch))
	}
	at, said := epoch.Add(time.Duration(step)), fmt.Append(nil, step)
	rows := make([][]byte, crashRows)
	for i := range rows {
		rows[i] = said
	}
	return errors.Join(
		opened.Leaders().Grade(ctx, crashGroup, writer, leader.Grading.At, store.Grading{At: at, Pass: "crash", Verdict: "graded", Data: said},
			store.Event{ID: fmt.Sprint("step-", step), Type: "graded", At: at, Data: said}),
		opened.Boards().Publish(ctx, store.Edition{Board: writer, At: at, Rows: crashRows, Data: said}, rows),
	)
}

// checkGraded looks for all of the grader's steps: each grading has its event, and the board's current edition is whole.
func checkGraded(t *testing.T, opened *embedded.Store, acknowledged, unsaid int) {
	t.Helper()
	leader, err := opened.Leaders().Leader(t.Context(), crashGroup, crashGrader)
	if err != nil {
		t.Fatal(err)
	}
	steps := int(leader.Grading.At.Sub(epoch))
	if string(leader.Grading.Data) != fmt.Sprint(steps) || steps < acknowledged || steps > acknowledged+unsaid {
		t.Errorf("the leader is graded as of step %d with %q; %d were acknowledged", steps, leader.Grading.Data, acknowledged)
	}
	said := 0
	for last := (store.Event{}); ; {
		events, err := opened.Events().Said(t.Context(), epoch, last.At, last.ID, store.MaximumListed)
		if err != nil {
			t.Fatal(err)
		}
		if len(events) == 0 {
			break
		}
		said, last = said+len(events), events[len(events)-1]
	}
	if said != steps {
		t.Errorf("%d gradings and %d events", steps, said)
	}

	edition, err := opened.Boards().Current(t.Context(), crashGrader)
	if err != nil {
		t.Fatal(err)
	}
	published := int(edition.At.Sub(epoch))
	if published < acknowledged || published > steps || string(edition.Data) != fmt.Sprint(published) {
		t.Errorf("the board is of step %d with %q; %d were acknowledged, %d graded", published, edition.Data, acknowledged, steps)
	}
	rows, err := opened.Boards().Rows(t.Context(), crashGrader, edition.At, 0, store.MaximumListed)
	if err != nil || len(rows) != crashRows || edition.Rows != crashRows {
		t.Errorf("the board has %d rows of %d, %v", len(rows), edition.Rows, err)
	}
	for i, row := range rows {
		if string(row) != fmt.Sprint(published) {
			t.Errorf("row %d of the board is of step %s, not %d", i, row, published)
		}
	}
}
