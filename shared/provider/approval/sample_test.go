package approval_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/approval"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/evmrpc"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/goplus"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

// Index and chain together, over real connections, against the sample market, in which the index remembers approvals that
// were spent since.
func TestApprovalsOfTheSampleMarket(t *testing.T) {
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	clock := func() time.Time { return start.Add(20 * 24 * time.Hour) }
	sample := samplemarket.New(samplemarket.Config{Seed: 11, Start: start, Clock: clock})
	server := httptest.NewServer(sample.Handler())
	defer server.Close()
	client := func(path string) *upstream.Client {
		return upstream.New(upstream.Config{Name: path, Base: server.URL + path, PerMinute: 6_000_000, Burst: 100_000}, upstream.Shared{Clock: clock})
	}
	nodes := make(map[chain.Slug]*upstream.Client)
	for _, on := range chain.All() {
		nodes[on.Slug] = client("/rpc/" + string(on.Slug))
	}
	node, index := evmrpc.New(nodes), goplus.New(client("/goplus"))
	reader := approval.NewReader(index, node, node)
	kinds, stale, wallets := make(map[market.ApprovalKind]int), 0, make(map[string]int)
	for _, wallet := range sample.Truth().Wallets {
		if wallets[wallet.Approvals]++; wallets[wallet.Approvals] > 3 {
			continue // three wallets of each planted state
		}
		on, _ := chain.Parse(wallet.Chain)
		address, err := chain.ParseWireAddress(wallet.Address)
		if err != nil {
			t.Fatal(err)
		}
		listed, err := index.Approvals(t.Context(), on, address)
		if err != nil {
			t.Fatal(err)
		}
		got, err := reader.Approvals(t.Context(), on, address)
		if err != nil {
			t.Fatal(wallet, err)
		}
		if got.Unread != 0 {
			t.Errorf("%s: %d unread", wallet.Approvals, got.Unread)
		}
		confirmed := 0
		for _, open := range got.Open {
			kinds[open.Kind]++
			if open.Amount.IsZero() {
				t.Errorf("%s: %+v", wallet.Approvals, open)
			}
			if open.Kind != market.Permit2Approval {
				confirmed++
			}
		}
		stale += len(listed) - confirmed
	}
	if kinds[market.AllowanceApproval] == 0 || kinds[market.OperatorApproval] == 0 || kinds[market.Permit2Approval] == 0 || stale <= 0 {
		t.Errorf("open %v, %d of the index are spent; states %v", kinds, stale, wallets)
	}
}
