package evmrpc

import (
	"bytes"
	"context"
	"errors"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

var (
	ownerSelector             = selector{0x8d, 0xa5, 0xcb, 0x5b}
	getOwnerSelector          = selector{0x89, 0x3d, 0x20, 0xe8}
	supportsInterfaceSelector = selector{0x01, 0xff, 0xc9, 0xa7}
	token0Selector            = selector{0x0d, 0xfe, 0x16, 0x81}
	token1Selector            = selector{0xd2, 0x12, 0x20, 0xa7}
	getReservesSelector       = selector{0x09, 0x02, 0xf1, 0xac}

	erc721Interface  = selector{0x80, 0xac, 0x58, 0xcd}
	erc1155Interface = selector{0xd9, 0xb6, 0x7a, 0x26}
)

// anybody is an account that nobody has the key of: its balance is asked for to see whether balanceOf answers.
var anybody = chain.Burn

// Contract reads an account's code and how it answers as a token. An externally owned account costs one call. A contract costs
// four, and up to fifteen more for what its code can answer at all: one or two for the owner, two for collections, three for pool
// shares, five storage slots where the code can delegate, the code of the owner; a proxy some five to twelve more, for its
// implementation, its admin and the log of its upgrades. They go out side by side in at most four rounds.
//
// What a contract refuses to answer is No; a node that does not answer is an error.
func (a *Adapter) Contract(ctx context.Context, on *chain.Chain, account chain.Address) (*market.Contract, error) {
	client, err := a.client(on)
	if err != nil {
		return nil, err
	}
	code, err := readCode(ctx, client, account, "latest")
	if err != nil {
		return nil, err
	}
	contract := &market.Contract{Code: code}
	if len(code) == 0 {
		return contract, nil
	}
	r := contractReader{adapter: a, client: client, on: on, account: account, code: code}
	if err := r.read(ctx, contract); err != nil {
		return nil, err
	}
	return contract, nil
}

// readCode reads the code at an account as of a block, none for an externally owned account that delegates.
func readCode(ctx context.Context, client *upstream.Client, account chain.Address, block string) ([]byte, error) {
	code, err := ask(ctx, client, call{"eth_getCode", []any{account, block}}, parseData)
	if err != nil || parseCode(code).Delegate != (chain.Address{}) {
		return nil, err
	}
	return code, nil
}

// contractReader asks one contract.
type contractReader struct {
	adapter *Adapter
	client  *upstream.Client
	on      *chain.Chain
	account chain.Address
	code    []byte
}

// answers tells whether the code can answer a function: it names the selector, or hands its calls to another.
func (r *contractReader) answers(function selector) bool {
	return mentions(r.code, function) || r.delegates()
}

func mentions(code []byte, function selector) bool { return bytes.Contains(code, function[:]) }

// delegates tells whether DELEGATECALL can be among the instructions. It errs on the side of yes: the byte may be data.
func (r *contractReader) delegates() bool { return bytes.IndexByte(r.code, 0xf4) >= 0 }

func (r *contractReader) read(ctx context.Context, contract *market.Contract) error {
	var owner, otherOwner *chain.Address
	group, groupContext := parallel.WithContext(ctx)
	group.SetLimit(parallelCalls)
	amount := func(into *market.Amount, answered *market.Tristate, data string) {
		group.Go(func() (err error) {
			*into, *answered, err = r.number(groupContext, data)
			return err
		})
	}
	var decimals, balance market.Amount
	amount(&contract.TotalSupply, &contract.AnswersSupply, callData(totalSupplySelector))
	amount(&decimals, &contract.AnswersDecimals, callData(decimalsSelector))
	amount(&balance, &contract.AnswersBalance, callData(balanceOfSelector, anybody))
	address := func(into **chain.Address, function selector) {
		if r.answers(function) {
			group.Go(func() (err error) {
				*into, err = r.address(groupContext, function)
				return err
			})
		}
	}
	address(&owner, ownerSelector)
	address(&otherOwner, getOwnerSelector)
	group.Go(func() (err error) {
		contract.NonFungible, err = r.nonFungible(groupContext)
		return err
	})
	group.Go(func() (err error) {
		contract.PoolShare, err = r.poolShare(groupContext)
		return err
	})
	group.Go(func() (err error) {
		contract.Proxy, err = r.proxy(groupContext)
		return err
	})
	if err := group.Wait(); err != nil {
		return err
	}
	if contract.AnswersDecimals == market.Yes {
		if !decimals.IsUint64() || decimals.Uint64() > upstream.MaximumDecimals {
			contract.AnswersDecimals = market.No
		} else {
			contract.Decimals = int(decimals.Uint64())
		}
	}
	if owner == nil {
		owner = otherOwner
	}
	return r.describeControl(ctx, contract, owner)
}

// number asks for one number. The answer is No for a revert and for data of another length.
func (r *contractReader) number(ctx context.Context, data string) (market.Amount, market.Tristate, error) {
	answer, err := read(ctx, r.client, r.account, data)
	switch {
	case err != nil:
		return market.Amount{}, market.Unknown, err
	case len(answer) != 32:
		return market.Amount{}, market.No, nil
	}
	return *new(uint256.Int).SetBytes32(answer), market.Yes, nil
}

// address asks for one address; nil when there is no such function.
func (r *contractReader) address(ctx context.Context, function selector) (*chain.Address, error) {
	return readAddress(ctx, r.client, r.account, function)
}

func readAddress(ctx context.Context, client *upstream.Client, contract chain.Address, function selector) (*chain.Address, error) {
	answer, err := read(ctx, client, contract, callData(function))
	if err != nil || len(answer) != 32 {
		return nil, err
	}
	if address, ok := Word(answer).address(); ok {
		return &address, nil
	}
	return nil, nil
}

// nonFungible asks by ERC-165, with its own probe first for contracts that say yes to everything: the interface 0xffffffff is one
// that nobody may support.
func (r *contractReader) nonFungible(ctx context.Context) (market.Tristate, error) {
	if !r.answers(supportsInterfaceSelector) {
		return market.No, nil
	}
	for _, wanted := range []selector{erc721Interface, erc1155Interface} {
		yes, err := r.supports(ctx, wanted)
		if err != nil {
			return market.Unknown, err
		}
		if !yes {
			continue
		}
		everything, err := r.supports(ctx, selector{0xff, 0xff, 0xff, 0xff})
		if err != nil {
			return market.Unknown, err
		}
		if !everything {
			return market.Yes, nil
		}
		return market.No, nil
	}
	return market.No, nil
}

func (r *contractReader) supports(ctx context.Context, wanted selector) (bool, error) {
	var argument Word
	copy(argument[:], wanted[:])
	answer, err := read(ctx, r.client, r.account, callData(supportsInterfaceSelector)+argument.String()[2:])
	return err == nil && len(answer) == 32 && Word(answer) == Word{31: 1}, err
}

// poolShare asks a pair for its two tokens and its reserves; the first refusal settles it.
func (r *contractReader) poolShare(ctx context.Context) (market.Tristate, error) {
	if !r.answers(getReservesSelector) {
		return market.No, nil
	}
	reserves, err := read(ctx, r.client, r.account, callData(getReservesSelector))
	if err != nil {
		return market.Unknown, err
	}
	if len(reserves) < 64 {
		return market.No, nil
	}
	for _, side := range []selector{token0Selector, token1Selector} {
		token, err := r.address(ctx, side)
		if err != nil {
			return market.Unknown, err
		}
		if token == nil || *token == (chain.Address{}) {
			return market.No, nil
		}
	}
	return market.Yes, nil
}

// describeControl fills in who controls the token and the proxy in front of it.
func (r *contractReader) describeControl(ctx context.Context, contract *market.Contract, owner *chain.Address) error {
	group, groupContext := parallel.WithContext(ctx)
	group.SetLimit(parallelCalls)
	switch {
	case owner == nil:
	case *owner == chain.Native || *owner == chain.Burn:
		contract.Owner, contract.Owned = *owner, market.No
	default:
		contract.Owner, contract.Owned = *owner, market.Yes
		group.Go(func() (err error) {
			contract.OwnerContract, err = r.hasCode(groupContext, *owner)
			return err
		})
	}
	if contract.Proxy != nil {
		group.Go(func() error { return r.describeProxy(groupContext, contract.Proxy, contract) })
	}
	return group.Wait()
}

func (r *contractReader) hasCode(ctx context.Context, account chain.Address) (market.Tristate, error) {
	code, err := readCode(ctx, r.client, account, "latest")
	switch {
	case err != nil:
		return market.Unknown, err
	case len(code) == 0:
		return market.No, nil
	}
	return market.Yes, nil
}

// gone tells whether whoever asked has given up, so that an answer may not be left out as unknown.
func gone(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
