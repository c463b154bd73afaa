// Package approval joins an index of a wallet's approvals with the chain: the index tells which approvals there may be, the
// token contracts tell which there are and how large.
//
// It implements market.ApprovalPort and judges nothing.
package approval

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/evmrpc"
)

// Lister tells which approvals an index holds. They may be spent or revoked by now.
type Lister interface {
	Approvals(ctx context.Context, on *chain.Chain, wallet chain.Address) ([]market.Approval, error)
	// Spenders describes contracts; one that is not known is missing.
	Spenders(ctx context.Context, on *chain.Chain, accounts []chain.Address) (map[chain.Address]market.Spender, error)
}

// Allowances reads permissions from the contracts that keep them. Answers are in the order of the queries; one that could
// not be read is not Known.
type Allowances interface {
	// Allowances are ERC-20 allowances in raw units.
	Allowances(ctx context.Context, on *chain.Chain, owner chain.Address, queries []evmrpc.AllowanceQuery) ([]evmrpc.Allowance, error)
	// Permit2 lists the allowances inside the Permit2 contract that can be used now.
	Permit2(ctx context.Context, on *chain.Chain, owner chain.Address) ([]market.Approval, error)
}

// Operators reads whether spenders are operators of NFT collections: an amount above zero is a yes.
type Operators interface {
	Operators(ctx context.Context, on *chain.Chain, owner chain.Address, queries []evmrpc.AllowanceQuery) ([]evmrpc.Allowance, error)
}

// Reader implements market.ApprovalPort.
type Reader struct {
	lister     Lister
	allowances Allowances
	operators  Operators
}

var _ market.ApprovalPort = (*Reader)(nil)

// NewReader joins the two. Operators may be nil: approvals of NFT collections are then counted as unread.
func NewReader(lister Lister, allowances Allowances, operators Operators) *Reader {
	return &Reader{lister: lister, allowances: allowances, operators: operators}
}

// Approvals lists the permissions that are open on chain, ordered by token, spender and kind. One that reads as zero is over
// and left out; one that cannot be read is counted in Unread. An unlimited amount is one of 2^255 and more, or of at least
// the token's supply where that is known.
func (r *Reader) Approvals(ctx context.Context, on *chain.Chain, wallet chain.Address) (*market.Approvals, error) {
	var listed, nested []market.Approval
	calls, callContext := parallel.WithContext(ctx)
	calls.Go(func() (err error) {
		listed, err = r.lister.Approvals(callContext, on, wallet)
		return err
	})
	calls.Go(func() (err error) {
		nested, err = r.allowances.Permit2(callContext, on, wallet)
		return err
	})
	if err := calls.Wait(); err != nil {
		return nil, err
	}
	var allowances, operators []market.Approval
	unread := 0
	described := make(map[chain.Address]market.Spender)
	tokens := make(map[chain.Address]market.Token)
	for _, approval := range listed {
		described[approval.Spender.Address] = approval.Spender
		tokens[approval.Token.Address] = approval.Token
		switch approval.Kind {
		case market.AllowanceApproval:
			allowances = append(allowances, approval)
		case market.OperatorApproval:
			operators = append(operators, approval)
		default:
			unread++
		}
	}
	calls, callContext = parallel.WithContext(ctx)
	var readAllowances, readOperators []evmrpc.Allowance
	if len(allowances) > 0 {
		calls.Go(func() (err error) {
			readAllowances, err = r.allowances.Allowances(callContext, on, wallet, queries(allowances))
			return err
		})
	}
	if len(operators) > 0 && r.operators != nil {
		calls.Go(func() (err error) {
			readOperators, err = r.operators.Operators(callContext, on, wallet, queries(operators))
			return err
		})
	}
	if err := calls.Wait(); err != nil {
		return nil, err
	}
	if err := r.describe(ctx, on, nested, described); err != nil {
		return nil, err
	}
	answer := &market.Approvals{Unread: unread}
	confirm(answer, allowances, readAllowances)
	confirm(answer, operators, readOperators)
	for _, approval := range nested {
		answer.Open = append(answer.Open, completed(approval, described, tokens))
	}
	slices.SortFunc(answer.Open, func(a, b market.Approval) int {
		return cmp.Or(a.Token.Address.Compare(b.Token.Address),
			a.Spender.Address.Compare(b.Spender.Address), cmp.Compare(a.Kind, b.Kind))
	})
	return answer, nil
}

// describe adds what is known of the spenders that were found on chain alone.
func (r *Reader) describe(ctx context.Context, on *chain.Chain, nested []market.Approval, described map[chain.Address]market.Spender) error {
	var unknown []chain.Address
	for i := range nested {
		if _, found := described[nested[i].Spender.Address]; !found {
			unknown = append(unknown, nested[i].Spender.Address)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.SortFunc(unknown, chain.Address.Compare)
	found, err := r.lister.Spenders(ctx, on, slices.Compact(unknown))
	if err != nil {
		return err
	}
	maps.Copy(described, found)
	return nil
}

// confirm adds the listed approvals that are open by what was read of them, and counts those of which nothing was read.
func confirm(answer *market.Approvals, listed []market.Approval, read []evmrpc.Allowance) {
	for i, approval := range listed {
		if i >= len(read) || !read[i].Known {
			answer.Unread++
			continue
		}
		if read[i].Amount.IsZero() {
			continue
		}
		if approval.Kind == market.OperatorApproval {
			approval.Amount.SetAllOne()
			approval.Unlimited = true
		} else {
			approval.Amount = read[i].Amount
			approval.Unlimited = unlimited(&approval)
		}
		answer.Open = append(answer.Open, approval)
	}
}

func unlimited(approval *market.Approval) bool {
	supply := &approval.Token.TotalSupply
	return approval.Amount.BitLen() == 256 || (!supply.IsZero() && !approval.Amount.Lt(supply))
}

// completed fills in what the index knows of the token and the spender of an approval that was found on chain.
func completed(approval market.Approval, spenders map[chain.Address]market.Spender, tokens map[chain.Address]market.Token) market.Approval {
	if spender, found := spenders[approval.Spender.Address]; found {
		approval.Spender = spender
	}
	if token, found := tokens[approval.Token.Address]; found && !approval.Token.Known {
		approval.Token = token
	}
	return approval
}

func queries(approvals []market.Approval) []evmrpc.AllowanceQuery {
	all := make([]evmrpc.AllowanceQuery, len(approvals))
	for i := range approvals {
		all[i] = evmrpc.AllowanceQuery{Token: approvals[i].Token.Address, Spender: approvals[i].Spender.Address}
	}
	return all
}
