package leader

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

// throng is a bazaar with any number of wallets. Each has the history of one of the stalls as its own, made when it is asked for and
// nobody's afterwards, as what comes from a provider.
type throng struct{ *bazaar }

func (c throng) Activity(_ context.Context, _ *chain.Chain, wallet chain.Address) (*market.Activity, error) {
	like := c.stalls[(int(wallet[0])<<8|int(wallet[1]))%len(c.stalls)]
	own := *like.activity
	own.Transactions = slices.Clone(own.Transactions)
	for i := range own.Transactions {
		if tx := &own.Transactions[i]; tx.Sender == like.wallet {
			tx.Sender = wallet
		}
	}
	return &own, nil
}

func (c throng) Prices(_ context.Context, on *chain.Chain, requests []market.PriceRequest) ([]market.PriceSeries, error) {
	series := make([]market.PriceSeries, len(requests))
	for i, r := range requests {
		series[i] = market.PriceSeries{Asset: r.Asset, Points: make([]market.PricePoint, len(r.Times))}
		for j, at := range r.Times {
			usd := 1.0
			if r.Asset == chain.Native {
				usd = 2500 + 500*math.Sin(float64(at.Unix())/1e6)
			}
			series[i].Points[j] = market.PricePoint{Time: at, USD: usd}
		}
	}
	return series, nil
}

func (c throng) Pools(_ context.Context, _ *chain.Chain, tokens []chain.Address) (map[chain.Address][]market.Pool, error) {
	found := make(map[chain.Address][]market.Pool, len(tokens))
	for _, token := range tokens {
		if pools := c.pools[token]; len(pools) > 0 {
			found[token] = pools
		}
	}
	return found, nil
}

func (c throng) TokenSecurity(context.Context, *chain.Chain, []chain.Address) (map[chain.Address]market.TokenSecurity, error) {
	return nil, nil
}

// line is a queue in memory.
type line struct{ waiting [][]byte }

func (l *line) Send(_ context.Context, name string, messages ...job.Message) error {
	for _, m := range messages {
		if name == gradeJob {
			l.waiting = append(l.waiting, m.Body)
		}
	}
	return nil
}

// A whole pass of the job over a store on disk: the plan, a long queue of parts delivered one by one, and the boards at the end. live-KB is
// how much more of the heap was in use while the queue was being worked off than at its beginning, at most. There is no pass of 100,000:
// it would flush the disk some ten thousand times, which takes minutes and tells no more.
func BenchmarkGradePass(b *testing.B) {
	z := newBazaar(100)
	market := throng{z}
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("leaders=%d", n), func(b *testing.B) {
			kept, err := embedded.Open(filepath.Join(b.TempDir(), "store.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer kept.Close()
			memory := Memory{Leaders: kept.Leaders(), Boards: kept.Boards(), Launches: kept.Launches(), TrackRecords: kept.TrackRecords(), Peers: kept.Peers()}
			market.discover(b, memory.Leaders, n)
			at := now
			queue := new(line)
			handle := job.SpreadHandler(GradeLeaders(memory, market.sources(), []*chain.Chain{z.on}), kept.Passes(), queue,
				func() time.Time { return at }, slog.New(slog.DiscardHandler))
			most := 0.0
			b.ReportAllocs()
			for b.Loop() {
				at = at.Add(time.Hour)
				event, err := job.WriteEvent(job.Event{ID: strconv.FormatInt(at.Unix(), 10), Due: at})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := handle(b.Context(), event); err != nil {
					b.Fatal(err)
				}
				most = max(most, queue.work(b, handle))
				if pass, err := kept.Passes().Latest(b.Context(), gradeJob); err != nil || pass.FinishedAt.IsZero() || pass.Items != n || pass.Failed != 0 {
					b.Fatalf("%d of %d graded, %d failed, finished %v, %v", pass.Items, n, pass.Failed, pass.FinishedAt, err)
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "leaders/s")
			b.ReportMetric(most/1024, "live-KB")
		})
	}
}

func (c throng) sources() market.Sources {
	return market.Sources{Activity: c, Prices: c, Pools: c, TokenSecurity: c}
}

// discover adds so many leaders.
func (c throng) discover(b *testing.B, leaders store.Leaders, n int) {
	group := parallel.NewGroup()
	group.SetLimit(256) // the file is flushed once for all that write at a time
	for i := range n {
		// Addresses are spread over all there can be, as parts of a pass are.
		address := fmt.Sprintf("0x%016x%024x", uint64(i)*0x9e3779b97f4a7c15, i)
		group.Go(func() error {
			return leaders.Find(b.Context(), store.Group{Kind: Spot, Place: string(c.on.Slug)}, address, store.Finding{Source: ActiveBuyer, At: now, Data: []byte("{}")})
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
}

// work delivers what waits, message by message, and tells how much the live heap grew at most, in bytes.
func (l *line) work(b *testing.B, handle job.Function) float64 {
	type record map[string]any
	all := len(l.waiting)
	var begin, most float64
	for done := range all {
		if done%max(all/looks, 1) == 0 {
			b.StopTimer()
			live := float64(liveHeap())
			if done == 0 {
				begin = live
			}
			most = max(most, live-begin)
			b.StartTimer()
		}
		payload, err := json.Marshal(map[string]any{"Records": []record{{"messageId": strconv.Itoa(done), "eventSource": "aws:sqs", "body": string(l.waiting[done])}}})
		if err != nil {
			b.Fatal(err)
		}
		answer, err := handle(b.Context(), payload)
		if err != nil || string(answer) != `{"batchItemFailures":[]}` {
			b.Fatal(string(answer), err)
		}
	}
	l.waiting = l.waiting[:0]
	return most
}
