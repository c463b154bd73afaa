package approval_test

import (
	"context"
	"errors"
	"testing"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/approval"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/evmrpc"
)

func address(n int) (a chain.Address) { a[19] = byte(n); return a }

type index struct {
	listed []market.Approval
	err    error
}

func (i index) Approvals(context.Context, *chain.Chain, chain.Address) ([]market.Approval, error) {
	return i.listed, i.err
}

func (i index) Spenders(_ context.Context, _ *chain.Chain, accounts []chain.Address) (map[chain.Address]market.Spender, error) {
	found := make(map[chain.Address]market.Spender)
	for _, account := range accounts {
		if account == address(77) {
			found[account] = market.Spender{Address: account, Name: "Looked up", Verified: market.Yes}
		}
	}
	return found, i.err
}

// contracts answers by token: the amount, or unreadable where there is none.
type contracts struct {
	amounts   map[chain.Address]uint256.Int
	operators map[chain.Address]uint256.Int
	nested    []market.Approval
	err       error
}

func read(from map[chain.Address]uint256.Int, queries []evmrpc.AllowanceQuery) []evmrpc.Allowance {
	all := make([]evmrpc.Allowance, len(queries))
	for i, query := range queries {
		all[i].Amount, all[i].Known = from[query.Token]
	}
	return all
}

func (c contracts) Allowances(_ context.Context, _ *chain.Chain, _ chain.Address, queries []evmrpc.AllowanceQuery) ([]evmrpc.Allowance, error) {
	return read(c.amounts, queries), c.err
}

func (c contracts) Operators(_ context.Context, _ *chain.Chain, _ chain.Address, queries []evmrpc.AllowanceQuery) ([]evmrpc.Allowance, error) {
	return read(c.operators, queries), nil
}

func (c contracts) Permit2(context.Context, *chain.Chain, chain.Address) ([]market.Approval, error) {
	return c.nested, nil
}

func listed(token, spender int, kind market.ApprovalKind) market.Approval {
	return market.Approval{
		Token: market.Token{Address: address(token), Symbol: "TOK", Known: true}, Kind: kind, Unlimited: true,
		Spender: market.Spender{Address: address(spender), Name: "Known", Malicious: market.Yes},
	}
}

func power(n uint) uint256.Int { return *new(uint256.Int).Lsh(uint256.NewInt(1), n) }

func TestOnlyWhatTheChainConfirmsIsOpen(t *testing.T) {
	small := listed(4, 1, market.AllowanceApproval)
	small.Token.TotalSupply = *uint256.NewInt(1000)
	index := index{listed: []market.Approval{
		listed(6, 1, market.OperatorApproval), listed(5, 1, market.OperatorApproval), small, listed(3, 1, market.AllowanceApproval),
		listed(2, 1, market.AllowanceApproval), listed(1, 1, market.AllowanceApproval), listed(8, 1, market.AllowanceApproval), listed(9, 1, market.OperatorApproval),
	}}
	contracts := contracts{
		amounts: map[chain.Address]uint256.Int{
			address(1): *uint256.NewInt(500), address(2): {}, address(4): *uint256.NewInt(1000), address(8): power(255),
		},
		operators: map[chain.Address]uint256.Int{address(5): *uint256.NewInt(1), address(6): {}},
		nested: []market.Approval{{
			Token: market.Token{Address: address(1)}, Spender: market.Spender{Address: address(1)}, Kind: market.Permit2Approval, Amount: *uint256.NewInt(7),
		}},
	}
	got, err := approval.NewReader(index, contracts, contracts).Approvals(t.Context(), chain.All()[0], address(100))
	if err != nil {
		t.Fatal(err)
	}
	if got.Unread != 2 || len(got.Open) != 5 {
		t.Fatalf("%d unread, %d open", got.Unread, len(got.Open))
	}
	for i, want := range []struct {
		token     int
		kind      market.ApprovalKind
		amount    uint256.Int
		unlimited bool
	}{
		{1, market.AllowanceApproval, *uint256.NewInt(500), false}, {1, market.Permit2Approval, *uint256.NewInt(7), false},
		{4, market.AllowanceApproval, *uint256.NewInt(1000), true}, {5, market.OperatorApproval, *new(uint256.Int).SetAllOne(), true},
		{8, market.AllowanceApproval, power(255), true},
	} {
		open := got.Open[i]
		if open.Token.Address != address(want.token) || open.Kind != want.kind || open.Amount != want.amount || open.Unlimited != want.unlimited {
			t.Errorf("%d: %+v", i, open)
		}
		if open.Spender.Malicious != market.Yes || open.Token.Symbol != "TOK" {
			t.Errorf("%d: the index's description is lost: %+v", i, open)
		}
	}
}

func TestWithoutOperatorsTheyAreUnread(t *testing.T) {
	got, err := approval.NewReader(index{listed: []market.Approval{listed(1, 1, market.OperatorApproval)}}, contracts{}, nil).
		Approvals(t.Context(), chain.All()[0], address(100))
	if err != nil || got.Unread != 1 || len(got.Open) != 0 {
		t.Fatal(got, err)
	}
}

func TestAFailureOfEitherIsAFailure(t *testing.T) {
	for _, r := range []*approval.Reader{
		approval.NewReader(index{err: market.ErrUnavailable}, contracts{}, nil),
		approval.NewReader(index{listed: []market.Approval{listed(1, 1, market.AllowanceApproval)}}, contracts{err: market.ErrUnavailable}, nil),
	} {
		if got, err := r.Approvals(t.Context(), chain.All()[0], address(100)); !errors.Is(err, market.ErrUnavailable) {
			t.Error(got, err)
		}
	}
}

func TestSpendersFoundOnChainAloneAreLookedUp(t *testing.T) {
	nested := func(spender int) market.Approval {
		return market.Approval{Token: market.Token{Address: address(1)}, Spender: market.Spender{Address: address(spender)}, Kind: market.Permit2Approval, Amount: *uint256.NewInt(7)}
	}
	got, err := approval.NewReader(index{}, contracts{nested: []market.Approval{nested(77), nested(78)}}, nil).Approvals(t.Context(), chain.All()[0], address(100))
	if err != nil || len(got.Open) != 2 {
		t.Fatal(got, err)
	}
	if got.Open[0].Spender.Name != "Looked up" || got.Open[1].Spender.Verified != market.Unknown {
		t.Errorf("%+v", got.Open)
	}
}
