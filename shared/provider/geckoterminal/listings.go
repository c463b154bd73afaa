package geckoterminal

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

const (
	// listingPages are read of each list, poolsPerPage pools each.
	listingPages = 2
	poolsPerPage = 20
)

var _ market.ListingPort = (*Adapter)(nil)

// Listed lists the tokens of the pools with the most volume and of the newest pools: up to forty of each, in up to four calls. A
// token with several pools comes with the deepest of them. Liquidity is what the pool's own contract claims.
func (a *Adapter) Listed(ctx context.Context, on *chain.Chain) ([]market.ListedToken, error) {
	name, err := network(on)
	if err != nil {
		return nil, err
	}
	lists := [...]struct {
		path string
		sort string
	}{
		{"/networks/" + name + "/pools", "h24_volume_usd_desc"},
		{"/networks/" + name + "/new_pools", ""},
	}
	var answers [len(lists)][]market.Pool
	calls, ctx := parallel.WithContext(ctx)
	for i, list := range lists {
		calls.Go(func() (err error) {
			query := make(url.Values)
			if list.sort != "" {
				query.Set("sort", list.sort)
			}
			answers[i], err = a.listing(ctx, list.path, query)
			return err
		})
	}
	if err := calls.Wait(); err != nil {
		return nil, err
	}
	pools := slices.Concat(answers[:]...)
	upstream.SortPools(pools)
	slices.SortStableFunc(pools, func(a, b market.Pool) int { return a.Token.Compare(b.Token) })
	pools = slices.CompactFunc(pools, func(a, b market.Pool) bool { return a.Token == b.Token })
	listed := make([]market.ListedToken, len(pools))
	for i := range pools {
		listed[i] = market.ListedToken{Token: pools[i].Token, Pool: pools[i]}
	}
	return listed, nil
}

// listing reads a list page by page until it ends.
func (a *Adapter) listing(ctx context.Context, path string, query url.Values) ([]market.Pool, error) {
	var pools []market.Pool
	for page := 1; page <= listingPages; page++ {
		query.Set("page", strconv.Itoa(page))
		rows, err := upstream.Get(ctx, a.client, path, query, readListing)
		if err != nil {
			return nil, err
		}
		dropped := rows.Dropped
		for i := range rows.Good {
			row := &rows.Good[i]
			base, validBase := row.Relationships.Base.address()
			pool, ok := row.pool(a.client.Now())
			if !ok || !validBase || base.IsZero() {
				dropped++
				continue
			}
			pool.Token = base
			pools = append(pools, pool)
		}
		a.client.Drop(path, dropped)
		if count := len(rows.Good) + rows.Dropped; count < poolsPerPage {
			break
		}
	}
	return pools, nil
}

// readListing refuses an answer without a list, or of whose pools none names its token: it says nothing, which is not the same as
// no pools.
func readListing(response *upstream.Response) (upstream.Rows[poolRow], error) {
	if response.Status == http.StatusNotFound {
		return upstream.Rows[poolRow]{}, fmt.Errorf("%w: no such network", upstream.ErrUnreadable)
	}
	answer, err := upstream.JSON[struct {
		Data *upstream.Rows[poolRow] `json:"data"`
	}](response)
	if err != nil {
		return upstream.Rows[poolRow]{}, err
	}
	if answer.Data == nil {
		return upstream.Rows[poolRow]{}, fmt.Errorf("%w: no list of pools", upstream.ErrUnreadable)
	}
	rows := *answer.Data
	legible := func(row poolRow) bool { _, ok := row.Relationships.Base.address(); return ok }
	if count := len(rows.Good) + rows.Dropped; count > 0 && !slices.ContainsFunc(rows.Good, legible) {
		return rows, fmt.Errorf("%w: none of %d pools names its token", upstream.ErrUnreadable, count)
	}
	return rows, nil
}
