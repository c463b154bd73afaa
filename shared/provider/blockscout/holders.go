package blockscout

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

const (
	holderPages    = 2
	maximumHolders = 100
)

var _ market.HolderPort = (*Adapter)(nil)

type wireHolder struct {
	Address *wireAddress    `json:"address"`
	Value   upstream.Number `json:"value"`
}

func (w *wireHolder) legible() bool {
	_, ok := w.Address.address()
	return w.Address != nil && ok
}

func (*wireHolder) block() (uint64, bool) { return 0, false }

// Holders reads how many accounts hold a token and the hundred largest of them, from /tokens/{hash} and /tokens/{hash}/holders, in
// two calls side by side and a third. Nobody is known to hold the native coin, a token the explorer has not seen, one that is not
// fungible, or any token of a chain without an explorer. What was burned counts as locked. Where the supply is unknown so is every
// share, and no holder is listed.
func (a *Adapter) Holders(ctx context.Context, on *chain.Chain, token chain.Address) (*market.TokenHolders, error) {
	client := a.clients[on.Slug]
	if client == nil || token == chain.Native {
		return &market.TokenHolders{}, nil
	}
	path := "/tokens/" + token.String()
	var described wireToken
	var rows []wireHolder
	calls, callsContext := parallel.WithContext(ctx)
	calls.Go(func() (err error) {
		described, err = upstream.Get(callsContext, client, path, nil, readDescription)
		return err
	})
	calls.Go(func() (err error) {
		rows, err = largest(callsContext, client, path+"/holders")
		return err
	})
	if err := calls.Wait(); err != nil {
		return nil, err
	}
	known, ok := described.token()
	if !ok || described.Type != "" && described.Type != fungible {
		return &market.TokenHolders{}, nil
	}
	top, dropped := readHolders(rows, known.TotalSupply)
	client.Drop(path, dropped)
	return &market.TokenHolders{Known: true, Count: known.Holders, Top: top}, nil
}

// readDescription refuses an answer that names no contract. The 404 of a token never seen is the zero value.
func readDescription(response *upstream.Response) (wireToken, error) {
	token, err := orEmpty[wireToken](response)
	if _, ok := token.token(); err == nil && !ok && response.Status != http.StatusNotFound {
		err = fmt.Errorf("%w: no token", upstream.ErrUnreadable)
	}
	return token, err
}

// largest reads the first pages of a list that is sorted by balance.
func largest(ctx context.Context, client *upstream.Client, path string) ([]wireHolder, error) {
	var rows []wireHolder
	var asked url.Values
	for page := 1; ; page++ {
		answer, err := upstream.Get(ctx, client, path, asked, readPage[wireHolder])
		if err != nil {
			return nil, err
		}
		rows = append(rows, answer.Items.Good...)
		client.Drop(path, answer.Items.Dropped)
		if len(answer.Next) == 0 || page == holderPages || len(rows) >= maximumHolders {
			return rows, nil
		}
		asked = nextQuery(nil, answer.Next)
	}
}

// readHolders puts the largest first. A row without an account or a balance, or of an account that was named before, is counted and
// left out. What is more than the whole supply is the whole supply.
func readHolders(rows []wireHolder, supply market.Amount) ([]market.Holder, int) {
	if supply.IsZero() {
		return nil, 0
	}
	total := supply.Float64()
	holders := make([]market.Holder, 0, len(rows))
	seen := make(map[chain.Address]bool, len(rows))
	dropped := 0
	for i := range rows {
		row := &rows[i]
		address, ok := row.Address.address()
		amount, valid := row.Value.Amount()
		if row.Address == nil || !ok || !valid || seen[address] {
			dropped++
			continue
		}
		seen[address] = true
		if amount.IsZero() {
			continue
		}
		account, described := row.Address.describe()
		if !described {
			account = market.Account{Address: address}
		}
		holders = append(holders, market.Holder{
			Account: account, Share: math.Min(amount.Float64()/total, 1), Locked: address.IsZero() || address == chain.Burn,
		})
	}
	slices.SortStableFunc(holders, func(a, b market.Holder) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), a.Account.Address.Compare(b.Account.Address))
	})
	return holders[:min(len(holders), maximumHolders)], dropped
}
