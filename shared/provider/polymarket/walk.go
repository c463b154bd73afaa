package polymarket

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// reach is how a history is read, and how far.
type reach struct {
	// page is how many rows are asked for at once, and pages how many such there are up to the deepest offset.
	page, pages int
	// rows bounds what is read in all, and windows how often it begins anew.
	rows, windows int
}

// wholeReach takes pages as long as both histories give them, up to the offset of 5,000 behind which activity refuses. The service was
// seen to refuse from 3,000 on, too.
var wholeReach = reach{page: 500, pages: 11, rows: 10_000, windows: 6}

// waves are how many pages are asked for side by side after the first: most histories are short, and those that are not are long.
var waves = []int{3, 7}

// wireRow is a row of both histories, of which that of trades alone has no type and no USD. All of its members are the text that
// arrived, so that rows can be compared.
type wireRow struct {
	Wallet      upstream.Text   `json:"proxyWallet"`
	Timestamp   upstream.Number `json:"timestamp"`
	Condition   upstream.Text   `json:"conditionId"`
	Type        upstream.Text   `json:"type"`
	Size        upstream.Number `json:"size"`
	USD         upstream.Number `json:"usdcSize"`
	Transaction upstream.Text   `json:"transactionHash"`
	Price       upstream.Number `json:"price"`
	Asset       upstream.Text   `json:"asset"`
	Side        upstream.Text   `json:"side"`
	Outcome     upstream.Number `json:"outcomeIndex"`
	Slug        upstream.Text   `json:"slug"`
	EventSlug   upstream.Text   `json:"eventSlug"`
}

// entry is a row of a history, and its time.
type entry struct {
	wireRow
	at time.Time
}

// stretch is what was read of a history, latest first.
type stretch struct {
	entries []entry
	// dropped counts rows without a shape, a time, or of somebody else.
	dropped int
	// truncated is true when there is older history; it goes back to since then.
	truncated bool
	since     time.Time
}

// history is one wallet's list of one kind. It is read newest first: pages by offset, and once the offsets are used up, pages again
// of what is not later than the oldest row read.
type history struct {
	client *upstream.Client
	path   string
	query  url.Values
	wallet chain.Address
	reach  reach
}

func (h *history) read(ctx context.Context) (stretch, error) {
	var all stretch
	var end time.Time
	for windows := 1; ; windows++ {
		pages := (h.reach.rows - len(all.entries) + h.reach.page - 1) / h.reach.page
		window, err := h.window(ctx, end, min(pages, h.reach.pages))
		if err != nil {
			return stretch{}, err
		}
		// Rows of one second may come in any order, but nothing except a promise keeps those of others in theirs.
		slices.SortStableFunc(window.entries, func(a, b entry) int { return b.at.Compare(a.at) })
		all.entries = join(all.entries, window.entries)
		all.dropped += window.dropped
		if !window.truncated || len(all.entries) == 0 {
			all.truncated = window.truncated
			return all, nil
		}
		oldest := all.entries[len(all.entries)-1].at
		// A window that reaches no further than where it began leads nowhere: more happened in one second than can be read.
		if len(all.entries) >= h.reach.rows || windows >= h.reach.windows || oldest.Equal(end) {
			all.truncated, all.since = true, oldest
			return all, nil
		}
		end = oldest
	}
}

// join appends older rows to later ones. Rows of the second in which the windows meet may be in both, and the earlier window may have
// only some of them. A row that is there twice in one window is two fills: of every row as many stay as the fuller window has.
func join(later, older []entry) []entry {
	if len(later) == 0 || len(older) == 0 {
		return append(later, older...)
	}
	meeting := later[len(later)-1].at
	cut := len(later)
	for cut > 0 && later[cut-1].at.Equal(meeting) {
		cut--
	}
	again := make(map[wireRow]int)
	for i := 0; i < len(older) && older[i].at.Equal(meeting); i++ {
		again[older[i].wireRow]++
	}
	kept := later[:cut]
	for _, row := range later[cut:] {
		if again[row.wireRow] > 0 {
			again[row.wireRow]--
			continue
		}
		kept = append(kept, row)
	}
	return append(kept, older...)
}

// page is one answer: how many rows it had, and those that can be read.
type page struct {
	count   int
	entries []entry
	// beyond is true when the offset is deeper than the service goes.
	beyond bool
}

// window reads pages by offset, of what is not later than end where that is set. It is truncated when the list goes on behind the last.
func (h *history) window(ctx context.Context, end time.Time, pages int) (stretch, error) {
	first, err := h.page(ctx, end, 0)
	if err != nil {
		return stretch{}, err
	}
	var read stretch
	previous := first
	read.add(first, end)
	if first.count < h.reach.page {
		return read, nil
	}
	if end.IsZero() {
		// What happens from now on would shift the offsets. A second is added in case that the service leaves the end itself out.
		end = slices.MaxFunc(first.entries, func(a, b entry) int { return a.at.Compare(b.at) }).at.Add(time.Second)
	}
	for next, wave := 1, 0; next < pages; wave++ {
		answers := make([]page, min(waves[min(wave, len(waves)-1)], pages-next))
		calls, callsContext := parallel.WithContext(ctx)
		for i := range answers {
			calls.Go(func() (err error) {
				answers[i], err = h.page(callsContext, end, (next+i)*h.reach.page)
				return err
			})
		}
		if err := calls.Wait(); err != nil {
			return stretch{}, err
		}
		for _, answer := range answers {
			// The service used to repeat its deepest page for offsets beyond it.
			if answer.beyond || repeats(answer, previous) {
				read.truncated = true
				return read, nil
			}
			read.add(answer, end)
			if answer.count < h.reach.page {
				return read, nil
			}
			previous = answer
		}
		next += len(answers)
	}
	read.truncated = true
	return read, nil
}

func (s *stretch) add(p page, end time.Time) {
	s.dropped += p.count - len(p.entries)
	for _, row := range p.entries {
		if end.IsZero() || !row.at.After(end) {
			s.entries = append(s.entries, row)
		}
	}
}

func repeats(a, b page) bool {
	return a.count > 0 && a.count == b.count && slices.EqualFunc(a.entries, b.entries, func(a, b entry) bool { return a.wireRow == b.wireRow })
}

func (h *history) page(ctx context.Context, end time.Time, offset int) (page, error) {
	query := url.Values{
		"user": {h.wallet.String()}, "limit": {strconv.Itoa(h.reach.page)}, "offset": {strconv.Itoa(offset)},
		// Without a start the service goes back three years only.
		"start": {"1"},
	}
	for name, values := range h.query {
		query[name] = values
	}
	if !end.IsZero() {
		query.Set("end", strconv.FormatInt(end.Unix(), 10))
	}
	now := h.client.Now()
	return upstream.Get(ctx, h.client, h.path, query, func(response *upstream.Response) (page, error) {
		if response.Status == http.StatusBadRequest && offset > 0 {
			return page{beyond: true}, nil
		}
		rows, err := upstream.JSON[upstream.Rows[wireRow]](response)
		if err != nil {
			return page{}, err
		}
		read := page{count: len(rows.Good) + rows.Dropped, entries: make([]entry, 0, len(rows.Good))}
		for _, row := range rows.Good {
			at, ok := row.Timestamp.Seconds(now)
			if ok && isOf(row.Wallet, h.wallet) {
				read.entries = append(read.entries, entry{row, at})
			}
		}
		return read, refuseIllegible(read.count, len(read.entries))
	})
}

// refuseIllegible refuses a list of which no row can be understood: it says nothing, which is not the same as no rows.
func refuseIllegible(rows, legible int) error {
	if rows > 0 && legible == 0 {
		return fmt.Errorf("%w: none of %d rows can be read as one of this wallet", upstream.ErrUnreadable, rows)
	}
	return nil
}

// isOf tells whether a row is of a wallet: a row that names nobody is.
func isOf(named upstream.Text, wallet chain.Address) bool {
	return named == "" || strings.EqualFold(string(named), wallet.String())
}
