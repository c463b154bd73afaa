package token

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
)

// Change is one thing that is different from the last scan.
type Change struct {
	// Metric is what changed, like riskVerdict or liquidity.
	Metric string `json:"metric"`
	// Direction is where it went. One of up, down or changed.
	Direction string `json:"direction"`
	// Severity is how much it matters. One of info, medium, high or critical.
	Severity string `json:"severity"`
	// Detail says in a sentence what it was and what it is.
	Detail string `json:"detail"`
}

// TokenChangesAnswer is what changed since the partner's last scan of the token.
type TokenChangesAnswer struct {
	// Baseline is true for the first scan, which has nothing to compare with. It is false too for an address that is no token, of which
	// nothing is recorded.
	Baseline bool `json:"baseline"`
	// Changes are the most severe first; empty for a baseline, and where nothing changed.
	Changes []Change `json:"changes"`
	// PreviousAt is the time of the scan that this one is compared with; null for a baseline.
	PreviousAt *string `json:"previousAt"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

func (p page) tokenChanges() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "token-changes", Units: 1, Graded: true,
		Summary:    "Says what changed about a token since your last scan of it.",
		Parameters: parameters, Needs: readingNeeds,
	}, p.changes, asItIs)
}

// changes scans the token and records the scan, once a request however many answers ask for it. Every metric is measured before
// anything is written, so that a provider that fails leaves the history as it was.
func (p page) changes(ctx context.Context, r *endpoint.Request) (TokenChangesAnswer, error) {
	return once(ctx, r, 0, func(ctx context.Context) (TokenChangesAnswer, error) {
		measured, err := p.scan(ctx, r)
		if isNotAToken(err) {
			return TokenChangesAnswer{Changes: []Change{}, Reasons: []reason.Reason{because("NOT_A_TOKEN", 1, "%s", err)}}, nil
		}
		if err != nil {
			return TokenChangesAnswer{}, err
		}
		s := subjectOf(r)
		history := store.History{Partner: r.Partner, Chain: string(s.Chain.Slug), Token: s.Token.String()}
		return record(ctx, p.memory.Snapshots, history, measured, r.ReceivedAt)
	})
}

// scan measures every metric now.
func (p page) scan(ctx context.Context, r *endpoint.Request) (scanned, error) {
	s := subjectOf(r)
	all, err := p.read(ctx, r)
	if err != nil {
		return scanned{}, err
	}
	var (
		pools   []market.Pool
		holders *market.TokenHolders
		chart   *tokenfacts.Chart
		signal  TokenSignalAnswer
	)
	group, ctx := parallel.WithContext(ctx)
	group.Go(func() (err error) { pools, err = tokenfacts.Pools(ctx, r.Session, s); return err })
	group.Go(func() (err error) { holders, err = tokenfacts.Holders(ctx, r.Session, s); return err })
	group.Go(func() (err error) { chart, err = tokenfacts.ChartOf(ctx, r.Session, s); return err })
	group.Go(func() (err error) { signal, err = p.signal(ctx, r); return err })
	if err := group.Wait(); err != nil {
		return scanned{}, err
	}
	measured := metricsOf(all, pools, holders, signal.Signal)
	measured.dailyDeviation = dailyDeviation(chart, s.AsOf)
	return measured, nil
}

// dailyDeviation is the standard deviation of a day's return by the hourly returns of the last two weeks; zero when too few hours
// traded.
func dailyDeviation(chart *tokenfacts.Chart, asOf time.Time) float64 {
	bars, traded := everyHour(chart.Hours, asOf)
	if traded < minimumHours {
		return 0
	}
	return stats.Describe(hourlyReturns(bars)).SD * math.Sqrt(24)
}

// appendAttempts bounds how often a scan is compared anew because another one was recorded meanwhile: each attempt lets one of those
// that come at once through.
const appendAttempts = 64

// record compares a scan with the latest of the history and adds it. Where another scan was added meanwhile it is compared with that
// one instead: of scans that come at once exactly one is the baseline, and each is compared with the one before it.
func record(ctx context.Context, snapshots store.Snapshots, history store.History, now scanned, at time.Time) (TokenChangesAnswer, error) {
	for range appendAttempts {
		latest, err := snapshots.Latest(ctx, history)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return TokenChangesAnswer{}, err
		}
		before, err := decodeLevels(latest.Data)
		if err != nil {
			return TokenChangesAnswer{}, err
		}
		levels, changes := before.compare(now, at)
		data, err := levels.encode()
		if err != nil {
			return TokenChangesAnswer{}, err
		}
		err = snapshots.Append(ctx, history, store.Snapshot{Version: latest.Version + 1, At: at, Data: data})
		if errors.Is(err, store.ErrConflict) {
			continue
		}
		if err != nil {
			return TokenChangesAnswer{}, err
		}
		return assessChanges(latest, before, now, changes, at), nil
	}
	return TokenChangesAnswer{}, fmt.Errorf("history %v: other scans were recorded first, %d times in a row", history, appendAttempts)
}

// assessChanges puts the answer together: the changes that matter most first.
func assessChanges(previous store.Snapshot, before levels, now scanned, changes []Change, at time.Time) TokenChangesAnswer {
	slices.SortFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(severityRank(b.Severity), severityRank(a.Severity)), strings.Compare(a.Metric, b.Metric))
	})
	answer := TokenChangesAnswer{Baseline: previous.Version == 0, Changes: changes}
	measured, compared := 0, 0
	var missing []string
	for i := range metrics {
		m := &metrics[i]
		if !now.has(m.name) {
			missing = append(missing, m.label)
			continue
		}
		measured++
		if _, known := before[m.name]; known {
			compared++
		}
	}
	if answer.Baseline {
		answer.Reasons = append(answer.Reasons, because("BASELINE", 2, "This is your first scan of the token: %s were recorded, and the next scan is compared with them.", display.Count(measured, "metric")))
	} else {
		text := previous.At.UTC().Truncate(time.Second).Format(time.RFC3339)
		answer.PreviousAt = &text
		code, found := "UNCHANGED", "none"
		if len(changes) > 0 {
			code, found = "CHANGED", strconv.Itoa(len(changes))
		}
		answer.Reasons = append(answer.Reasons, because(code, 2, "Since your last scan, %s ago, %s of %s moved beyond what is usual.",
			display.DurationText(max(0, at.Sub(previous.At))), found, display.Count(compared, "metric")))
	}
	if len(missing) > 0 {
		answer.Reasons = append(answer.Reasons, because("UNMEASURED", 1, "Not measured this time, and compared again once they are: %s.", enumeration(missing)))
	}
	return answer
}
