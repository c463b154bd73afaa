package conformance

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// trackRecordCalls draws what calls on the track records of a source say. Leaders, IDs and due times are few, so that they meet.
type trackRecordCalls struct{ source string }

func (c trackRecordCalls) forecast(t *rapid.T) store.Forecast {
	forecast := newForecast(c.source, c.chain(t), c.wallet(t))
	forecast.GradedAt, forecast.Mirrorable = c.moment(t, "graded"), rapid.Bool().Draw(t, "mirrorable")
	forecast.Probability, forecast.BaseRate = c.share(t, "probability"), c.share(t, "base rate")
	forecast.Data = rapid.SliceOfN(rapid.Byte(), 0, 4).Draw(t, "data")
	return forecast
}

// followUp is of an entry with an ID of its leader's.
func (c trackRecordCalls) followUp(t *rapid.T) store.FollowUp {
	chain, wallet := c.chain(t), c.wallet(t)
	followUp := newFollowUp(c.source, chain, wallet, c.id(t, chain, wallet))
	followUp.DueAt = epoch.Add(horizon + rapid.SampledFrom([]time.Duration{-1, 0, 1, time.Second}).Draw(t, "due"))
	followUp.SeenAt, followUp.EntryPriceUSD = c.moment(t, "seen"), math.NaN()
	if rapid.Bool().Draw(t, "priced") {
		followUp.EntryPriceUSD = rapid.Float64Range(0, math.MaxFloat64).Draw(t, "price")
	}
	followUp.Data = rapid.SliceOfN(rapid.Byte(), 0, 4).Draw(t, "data")
	return followUp
}

func (c trackRecordCalls) outcome(t *rapid.T) store.Outcome {
	outcome := store.Outcome{At: c.moment(t, "resolved"), Word: rapid.SampledFrom([]string{"resolved", "dead", "no-price"}).Draw(t, "word"), Net: math.NaN()}
	if rapid.Bool().Draw(t, "returned") {
		outcome.Net = rapid.Float64Range(-1, math.MaxFloat64).Draw(t, "net")
	}
	return outcome
}

func (c trackRecordCalls) chain(t *rapid.T) string {
	return rapid.SampledFrom([]string{"b", "b!"}).Draw(t, "chain")
}

func (c trackRecordCalls) wallet(t *rapid.T) string {
	return rapid.SampledFrom([]string{"w", "w2"}).Draw(t, "wallet")
}

func (c trackRecordCalls) id(t *rapid.T, chain, wallet string) string {
	return rapid.SampledFrom([]string{"a", "a!", "c"}).Draw(t, "id") + chain + wallet
}

func (c trackRecordCalls) moment(t *rapid.T, what string) time.Time {
	return epoch.Add(time.Duration(rapid.Int64Range(0, int64(horizon)).Draw(t, what)))
}

func (c trackRecordCalls) share(t *rapid.T, what string) float64 {
	if rapid.Bool().Draw(t, what+" is unknown") {
		return math.NaN()
	}
	return rapid.Float64Range(0, 1).Draw(t, what)
}

// leader names a leader of a source; followUpOf one of its follow-ups.
type (
	leader     struct{ chain, wallet string }
	followUpOf struct {
		leader
		id string
	}
)

func compareDue(a, b store.FollowUp) int {
	return cmp.Or(a.DueAt.Compare(b.DueAt), cmp.Compare(a.ID, b.ID))
}

// checkTrackRecordModel compares random calls with maps.
func checkTrackRecordModel(t *testing.T, s Stores) {
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		calls := trackRecordCalls{unique("model")}
		forecasts, followUps := map[leader]store.Forecast{}, map[followUpOf]store.FollowUp{}
		for range rapid.IntRange(1, 6).Draw(t, "calls") {
			switch rapid.SampledFrom([]string{"forecast", "follow up", "follow up", "resolve"}).Draw(t, "call") {
			case "forecast":
				forecast := calls.forecast(t)
				of := leader{forecast.Chain, forecast.Wallet}
				if _, found := forecasts[of]; !found {
					forecasts[of] = forecast
				}
				kept := must[store.Forecast](t)(s.TrackRecords.Forecast(ctx, forecast))
				sameForecasts(t, []store.Forecast{kept}, []store.Forecast{forecasts[of]})
			case "follow up":
				followUp := calls.followUp(t)
				of := leader{followUp.Chain, followUp.Wallet}
				err := s.TrackRecords.FollowUp(ctx, followUp)
				if _, found := forecasts[of]; !found {
					wantError(t, "FollowUp", err, store.ErrNotFound)
					break
				}
				mustDo(t, err)
				if _, found := followUps[followUpOf{of, followUp.ID}]; !found {
					followUps[followUpOf{of, followUp.ID}] = followUp
				}
			case "resolve":
				of, outcome := leader{calls.chain(t), calls.wallet(t)}, calls.outcome(t)
				id := calls.id(t, of.chain, of.wallet)
				followUp, found := followUps[followUpOf{of, id}]
				switch err := s.TrackRecords.Resolve(ctx, calls.source, of.chain, of.wallet, id, outcome); {
				case !found:
					wantError(t, "Resolve", err, store.ErrNotFound)
				case followUp.Outcome != "":
					wantError(t, "Resolve", err, store.ErrConflict)
				default:
					mustDo(t, err)
					followUps[followUpOf{of, id}] = resolved(followUp, outcome)
				}
			}
		}

		ordered := slices.SortedFunc(maps.Values(forecasts), func(a, b store.Forecast) int {
			return cmp.Or(cmp.Compare(a.Chain, b.Chain), cmp.Compare(a.Wallet, b.Wallet))
		})
		wantForecasts(t, s, calls.source, ordered...)
		for _, forecast := range ordered {
			of := slices.SortedFunc(maps.Values(followUps), func(a, b store.FollowUp) int { return cmp.Compare(a.ID, b.ID) })
			of = slices.DeleteFunc(of, func(f store.FollowUp) bool { return f.Chain != forecast.Chain || f.Wallet != forecast.Wallet })
			wantFollowUps(t, s, calls.source, forecast.Chain, forecast.Wallet, of...)
		}
		at := epoch.Add(horizon + rapid.SampledFrom([]time.Duration{-1, 0, 1, time.Hour}).Draw(t, "at"))
		due := slices.SortedFunc(maps.Values(followUps), compareDue)
		due = slices.DeleteFunc(due, func(f store.FollowUp) bool { return f.Outcome != "" || f.DueAt.After(at) })
		wantDue(t, s, calls.source, at, due...)
		limit := rapid.IntRange(1, 3).Draw(t, "limit")
		after, afterID := time.Time{}, ""
		for listed := 0; listed < len(due); {
			page := must[[]store.FollowUp](t)(s.TrackRecords.Due(ctx, calls.source, at, after, afterID, limit))
			sameFollowUps(t, page, due[listed:min(listed+limit, len(due))])
			listed += len(page)
			after, afterID = page[len(page)-1].DueAt, page[len(page)-1].ID
		}
	})
}

// checkAppendOnly: whatever is called, nothing that could once be read of a forecast, of an entry or of an outcome changes or goes
// away. It knows nothing of what the calls are meant to do.
func checkAppendOnly(t *testing.T, s Stores) {
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		calls := trackRecordCalls{unique("promise")}
		forecasts, followUps := map[leader]store.Forecast{}, map[followUpOf]store.FollowUp{}
		for range rapid.IntRange(1, 4).Draw(t, "calls") {
			switch rapid.SampledFrom([]string{"forecast", "follow up", "resolve"}).Draw(t, "call") {
			case "forecast":
				forecast := calls.forecast(t)
				if rapid.Bool().Draw(t, "bad") {
					forecast.Probability = 2
				}
				_, _ = s.TrackRecords.Forecast(ctx, forecast) // what it answers is another check's
			case "follow up":
				followUp := calls.followUp(t)
				if rapid.Bool().Draw(t, "bad") {
					followUp.Outcome, followUp.ResolvedAt, followUp.Net = "resolved", epoch, 1
				}
				_ = s.TrackRecords.FollowUp(ctx, followUp)
			case "resolve":
				of := leader{calls.chain(t), calls.wallet(t)}
				_ = s.TrackRecords.Resolve(ctx, calls.source, of.chain, of.wallet, calls.id(t, of.chain, of.wallet), calls.outcome(t))
			}

			now := must[[]store.Forecast](t)(s.TrackRecords.Forecasts(ctx, calls.source, "", "", store.MaximumTracked))
			for _, forecast := range now {
				of := leader{forecast.Chain, forecast.Wallet}
				if before, found := forecasts[of]; found {
					sameForecasts(t, []store.Forecast{forecast}, []store.Forecast{before})
				}
				forecasts[of] = forecast
			}
			if len(now) != len(forecasts) {
				t.Fatalf("%d forecasts are left of %d", len(now), len(forecasts))
			}
			entries := 0
			for of := range forecasts {
				listed := must[[]store.FollowUp](t)(s.TrackRecords.FollowUps(ctx, calls.source, of.chain, of.wallet, "", store.MaximumTracked))
				for _, followUp := range listed {
					before, found := followUps[followUpOf{of, followUp.ID}]
					if found && before.Outcome == "" { // still open, or its outcome is new
						before = resolved(before, store.Outcome{At: followUp.ResolvedAt, Word: followUp.Outcome, Net: followUp.Net})
					}
					if found {
						sameFollowUps(t, []store.FollowUp{followUp}, []store.FollowUp{before})
					}
					followUps[followUpOf{of, followUp.ID}] = followUp
					entries++
				}
			}
			if entries != len(followUps) {
				t.Fatalf("%d follow-ups are left of %d", entries, len(followUps))
			}
		}
	})
}
