package leader

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/trackrecord"
)

// spotLeaderGate is the source of the forecasts that the gate for spot leaders makes.
const spotLeaderGate = "spot-leader-gate"

// trackRecordBoard names the track record of a source as a board.
func trackRecordBoard(source string) string { return "track-record/" + source }

// recordedAtOnce is how many forecasts or follow-ups are read at a time.
const recordedAtOnce = 1000

var source = endpoint.Choice("source", "Whose forecasts the record is of.", spotLeaderGate)

// TrackRecord is a page of a track record: what became of all entries that leaders made after they were first graded.
type TrackRecord[R any] struct {
	// Source is whose forecasts the record is of. One of spot-leader-gate.
	Source string `json:"source"`
	trackrecord.Summary
	// Rows are the leaders, the one graded last first.
	Rows []R `json:"rows"`
	// NextCursor continues behind the last row, in the same edition of the record; null at the end.
	NextCursor *string `json:"nextCursor"`
	// PublishedAt is the instant that the record describes; null before the first.
	PublishedAt *string `json:"publishedAt"`
	// Total counts the rows of all pages.
	Total int `json:"total"`
	// Note says why the record is empty; null when it is not.
	Note *string `json:"note"`
}

func (s shelf) trackRecord() endpoint.Endpoint {
	return boardEndpoint(endpoint.Declaration{
		Name: "track-record", Path: "/v1/traders/track-record",
		Summary:    "Shows what became of every entry that leaders made after they were first graded, gated-out leaders for comparison.",
		Parameters: []endpoint.Parameter{source},
	}, s.memory.Boards, func(*endpoint.Request) view {
		return view{board: trackRecordBoard(spotLeaderGate)}
	}, allRows, TrackRecord[trackrecord.Entry]{}, recordAnswer)
}

func recordAnswer(r *endpoint.Request, read *page) (TrackRecord[jsontext.Value], error) {
	answer := TrackRecord[jsontext.Value]{Source: spotLeaderGate, Rows: []jsontext.Value{}}
	if read == nil {
		nothing := trackrecord.Judge(nil, nil, r.AsOf)
		answer.Summary = nothing.Summary()
	} else {
		if err := json.Unmarshal(read.edition.Data, &answer.Summary); err != nil {
			return answer, fmt.Errorf("the edition of board %s: %w", read.edition.Board, err)
		}
		answer.Rows, answer.NextCursor, answer.Total, answer.PublishedAt = read.rows, read.next, read.total, timeText(read.edition.At)
	}
	if answer.Total == 0 {
		note := "No leader has been graded by the gate yet; the record begins with the first."
		answer.Note = &note
	}
	return answer, nil
}

// publishTrackRecord makes the track record of all forecasts and follow-ups as of an instant. Where an edition as new is there, it
// stays.
func publishTrackRecord(ctx context.Context, memory Memory, at time.Time) (job.Report, error) {
	part := job.Part{Name: trackRecordBoard(spotLeaderGate)}
	forecasts, followUps, err := readTrackRecord(ctx, memory.TrackRecords, spotLeaderGate)
	if err != nil {
		return nil, fmt.Errorf("reading the track record: %w", err)
	}
	record := trackrecord.Judge(forecasts, followUps, at)
	leaders := record.Leaders[:min(len(record.Leaders), store.MaximumBoardRows)]
	rows := make([][]byte, len(leaders))
	for i := range leaders {
		if rows[i], err = json.Marshal(leaders[i].Entry(), json.Deterministic(true)); err != nil {
			return nil, err
		}
	}
	data, err := json.Marshal(record.Summary(), json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	part.Err = memory.Boards.Publish(ctx, store.Edition{Board: part.Name, At: at, Rows: len(rows), Data: data}, rows)
	if part.Skipped = errors.Is(part.Err, store.ErrConflict); part.Skipped {
		part.Err = nil
	} else {
		part.Items = len(rows)
	}
	return job.Report{part}, nil
}

// readTrackRecord reads all forecasts of a source and what followed each.
func readTrackRecord(ctx context.Context, records store.TrackRecords, source string) ([]trackrecord.Forecast, []trackrecord.FollowUp, error) {
	var forecasts []trackrecord.Forecast
	var followUps []trackrecord.FollowUp
	afterChain, afterWallet := "", ""
	for {
		page, err := records.Forecasts(ctx, source, afterChain, afterWallet, recordedAtOnce)
		if err != nil {
			return nil, nil, err
		}
		for _, f := range page {
			forecast, err := readForecast(f)
			if err != nil {
				return nil, nil, err
			}
			forecasts = append(forecasts, forecast)
			if followUps, err = appendFollowUps(ctx, records, followUps, f); err != nil {
				return nil, nil, err
			}
		}
		if len(page) < recordedAtOnce {
			return forecasts, followUps, nil
		}
		afterChain, afterWallet = page[len(page)-1].Chain, page[len(page)-1].Wallet
	}
}

// appendFollowUps reads what followed a forecast.
func appendFollowUps(ctx context.Context, records store.TrackRecords, all []trackrecord.FollowUp, of store.Forecast) ([]trackrecord.FollowUp, error) {
	after := ""
	for {
		page, err := records.FollowUps(ctx, of.Source, of.Chain, of.Wallet, after, recordedAtOnce)
		if err != nil {
			return nil, err
		}
		for _, f := range page {
			all = append(all, trackrecord.FollowUp{
				ID: f.ID, Chain: f.Chain, Wallet: f.Wallet, Token: f.Token, EnteredAt: f.EnteredAt, DueAt: f.DueAt, SeenAt: f.SeenAt,
				ResolvedAt: f.ResolvedAt, Net: f.Net,
			})
		}
		if len(page) < recordedAtOnce {
			return all, nil
		}
		after = page[len(page)-1].ID
	}
}

// forecastData is what a forecast says besides what the store knows of it. It is the Data of a store.Forecast, in JSON.
type forecastData struct {
	// MedianGapHours is the usual time between the leader's entries when it was graded; 0 when unknown.
	MedianGapHours float64 `json:"medianGapHours"`
}

func readForecast(f store.Forecast) (trackrecord.Forecast, error) {
	var data forecastData
	if len(f.Data) > 0 {
		if err := json.Unmarshal(f.Data, &data); err != nil {
			return trackrecord.Forecast{}, fmt.Errorf("the forecast of %s on %s: %w", f.Wallet, f.Chain, err)
		}
	}
	return trackrecord.Forecast{
		Chain: f.Chain, Wallet: f.Wallet, GradedAt: f.GradedAt, Mirrorable: f.Mirrorable, Probability: f.Probability, BaseRate: f.BaseRate,
		MedianGap: time.Duration(data.MedianGapHours * float64(time.Hour)),
	}, nil
}
