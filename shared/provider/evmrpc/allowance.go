package evmrpc

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// Permit2 is the contract, at one address on every chain, that holds nested allowances (github.com/Uniswap/permit2).
var Permit2 = chain.Address{
	0x00, 0x00, 0x00, 0x00, 0x00, 0x22, 0xd4, 0x73, 0x03, 0x0f,
	0x11, 0x6d, 0xde, 0xe9, 0xf6, 0xb4, 0x3a, 0xc7, 0x8b, 0xa3,
}

// permit2LogCalls bounds the search for a wallet's Permit2 events.
const permit2LogCalls = 24

// AllowanceQuery names one ERC-20 allowance of an owner.
type AllowanceQuery struct {
	Token, Spender chain.Address
}

// Allowance is what the token contract says now. Known is false when it could not be read.
type Allowance struct {
	Amount uint256.Int
	Known  bool
}

// Allowances re-reads allowances, in the order of the queries. One that cannot be read is not Known; it is an error only
// when none could be read because the node did not answer.
func (a *Adapter) Allowances(ctx context.Context, on *chain.Chain, owner chain.Address, queries []AllowanceQuery) ([]Allowance, error) {
	return a.permissions(ctx, on, allowanceSelector, owner, queries)
}

// Operators reads whether spenders are operators of ERC-721 or ERC-1155 collections, which the queries name as tokens: an
// amount above zero is a yes. It answers like Allowances.
func (a *Adapter) Operators(ctx context.Context, on *chain.Chain, owner chain.Address, queries []AllowanceQuery) ([]Allowance, error) {
	return a.permissions(ctx, on, isApprovedForAllSelector, owner, queries)
}

func (a *Adapter) permissions(ctx context.Context, on *chain.Chain, function selector, owner chain.Address, queries []AllowanceQuery) ([]Allowance, error) {
	client, err := a.client(on)
	if err != nil {
		return nil, err
	}
	allowances := make([]Allowance, len(queries))
	failures := make([]error, len(queries))
	group := parallel.NewGroup()
	group.SetLimit(parallelCalls)
	for i, query := range queries {
		group.Go(func() error {
			allowances[i].Amount, allowances[i].Known, failures[i] =
				readAmount(ctx, client, query.Token, callData(function, owner, query.Spender))
			return nil
		})
	}
	_ = group.Wait() // the functions return no error
	for _, failure := range failures {
		if failure == nil {
			return allowances, nil
		}
	}
	if len(failures) > 0 {
		return nil, failures[0]
	}
	return allowances, nil
}

// Permit2 lists the owner's nested allowances that can be used now: granted within the range of blocks that a bounded
// search covers, not expired, not spent, and backed by an allowance of the token to the Permit2 contract, which also caps
// the amount.
func (a *Adapter) Permit2(ctx context.Context, on *chain.Chain, owner chain.Address) ([]market.Approval, error) {
	client, err := a.client(on)
	if err != nil {
		return nil, err
	}
	head, err := a.head(ctx, client)
	if err != nil {
		return nil, err
	}
	scan := &logScan{
		adapter: a, client: client, on: on, to: head,
		filters: []logFilter{{[]chain.Address{Permit2}, topics{{permit2ApprovalTopic, permit2PermitTopic}, {addressWord(owner)}}}},
	}
	scan.callsLeft.Store(permit2LogCalls)
	logs, _, err := scan.run(ctx)
	if err != nil {
		return nil, err
	}
	grants := latestGrants(logs)
	approvals := make([]*market.Approval, len(grants))
	group, groupContext := parallel.WithContext(ctx)
	group.SetLimit(parallelCalls)
	for i, grant := range grants {
		group.Go(func() (err error) {
			approvals[i], err = a.nested(groupContext, client, on, owner, grant)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	open := make([]market.Approval, 0, len(approvals))
	for _, approval := range approvals {
		if approval != nil {
			open = append(open, *approval)
		}
	}
	return open, nil
}

type grant struct {
	token, spender chain.Address
	block          uint64
	time           time.Time
}

// latestGrants lists what Permit2 events grant, the latest of each token and spender, oldest first.
func latestGrants(logs []Log) []grant {
	logs = slices.DeleteFunc(slices.Clone(logs), func(log Log) bool { return log.Removed || len(log.Topics) != 4 })
	slices.SortFunc(logs, func(x, y Log) int {
		return cmp.Or(cmp.Compare(y.Block, x.Block), cmp.Compare(y.Index, x.Index))
	})
	seen := make(map[AllowanceQuery]bool, len(logs))
	var grants []grant
	for i := range logs {
		token, ok1 := logs[i].Topics[2].address()
		spender, ok2 := logs[i].Topics[3].address()
		if key := (AllowanceQuery{token, spender}); ok1 && ok2 && !seen[key] {
			seen[key] = true
			grants = append(grants, grant{token, spender, logs[i].Block, logs[i].Time})
		}
	}
	slices.Reverse(grants)
	return grants
}

// nested reads one nested allowance; nil when it cannot be used.
func (a *Adapter) nested(ctx context.Context, client *upstream.Client, on *chain.Chain, owner chain.Address, g grant) (*market.Approval, error) {
	answer, err := read(ctx, client, Permit2, callData(permit2AllowanceSelector, owner, g.token, g.spender))
	if err != nil {
		return nil, err
	}
	amount, expires, ok := parseNested(answer)
	if !ok || amount.IsZero() || (!expires.IsZero() && client.Now().After(expires)) {
		return nil, nil
	}
	backing, ok, err := readAmount(ctx, client, g.token, callData(allowanceSelector, owner, Permit2))
	if err != nil || !ok || backing.IsZero() {
		return nil, err
	}
	token, err := a.token(ctx, client, on, g.token)
	if err != nil {
		return nil, err
	}
	if token.TotalSupply, _, err = readAmount(ctx, client, g.token, callData(totalSupplySelector)); err != nil {
		return nil, err
	}
	if g.time.IsZero() {
		if g.time, err = a.blockTime(ctx, client, on, g.block); err != nil {
			return nil, err
		}
	}
	approval := &market.Approval{
		Token: token, Spender: market.Spender{Address: g.spender}, Kind: market.Permit2Approval,
		Amount: amount, GrantedAt: g.time, ExpiresAt: expires,
	}
	if backing.Lt(&amount) {
		approval.Amount = backing
	}
	// The largest amount of Permit2 has 160 bits, and like the largest of ERC-20 tokens it is never used up.
	approval.Unlimited = approval.Amount.BitLen() >= 160 || !token.TotalSupply.IsZero() && !approval.Amount.Lt(&token.TotalSupply)
	return approval, nil
}

// neverExpires is the largest time of Permit2, 48 bits wide.
const neverExpires = 1<<48 - 1

// parseNested reads (uint160 amount, uint48 expiration, uint48 nonce). The time is zero when the allowance never expires;
// ok is false for data of another shape.
func parseNested(data []byte) (amount uint256.Int, expires time.Time, ok bool) {
	if len(data) != 3*32 {
		return uint256.Int{}, time.Time{}, false
	}
	amount.SetBytes32(data[:32])
	expiration := new(uint256.Int).SetBytes32(data[32:64])
	if amount.BitLen() > 160 || !expiration.IsUint64() || expiration.Uint64() > neverExpires {
		return uint256.Int{}, time.Time{}, false
	}
	if expiration.Uint64() > latestTime {
		return amount, time.Time{}, true
	}
	return amount, time.Unix(int64(expiration.Uint64()), 0).UTC(), true
}
