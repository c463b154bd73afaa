package position

import (
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// shape is what a transaction was for the wallet.
type shape uint8

const (
	// nothing moved, or it came back.
	nothing shape = iota
	// treasury swapped one quote asset for another.
	treasury
	// trade exchanged tokens for quote assets or for other tokens.
	trade
	// transfers gave without receiving or the other way round.
	transfers
	// selfTransfers lent, staked, bridged, provided liquidity, wrapped, or took back.
	selfTransfers
	// claim received from a distributor, perhaps for a fee.
	claim
	// forged pretends to move tokens that the wallet never touched.
	forged
)

// flow counts a transaction's legs by direction.
type flow struct {
	tokensIn, tokensOut, quotesIn, quotesOut int32
}

func (f flow) in() int32  { return f.tokensIn + f.quotesIn }
func (f flow) out() int32 { return f.tokensOut + f.quotesOut }

// needsTokenPrices tells whether the quote legs alone cannot value the trades.
func (f flow) needsTokenPrices() bool {
	return f.tokensIn > 0 && f.tokensOut > 0 || f.tokensIn > 1 || f.tokensOut > 1
}

// classify reads r.legs, which net has filled from the same transaction.
func (r *reader) classify(tx *market.Transaction) (shape, flow) {
	var f flow
	suspicious := false
	for i := range r.legs {
		l := &r.legs[i]
		switch {
		case l.quote && l.quantity > 0:
			f.quotesIn++
		case l.quote:
			f.quotesOut++
		case l.quantity > 0:
			f.tokensIn++
		default:
			f.tokensOut++
		}
		suspicious = suspicious || r.assets[l.asset].suspicious
	}
	switch {
	case f.in() == 0 && f.out() == 0:
		return nothing, f
	case f.in() == 0 || f.out() == 0:
		return transfers, f
	case f.tokensIn+f.tokensOut == 0:
		return treasury, f
	case suspicious && !same(&tx.Sender, &r.wallet) && f.quotesIn+f.quotesOut == 0:
		return forged, f
	case f.tokensOut == 0 && r.isClaim():
		return claim, f
	case r.keepsOwnership(f):
		return selfTransfers, f
	}
	return trade, f
}

// isClaim tells whether every token came from a distributor.
func (r *reader) isClaim() bool {
	if r.target != market.DistributorAccount && !r.anyFrom(market.DistributorAccount) {
		return false
	}
	for i := range r.legs {
		l := &r.legs[i]
		if l.quantity > 0 && !l.quote && r.originOf(l) != Airdrop {
			return false
		}
	}
	return true
}

func (r *reader) anyFrom(kind market.AccountKind) bool {
	for i := range r.legs {
		if l := &r.legs[i]; l.quantity > 0 && l.kind == kind {
			return true
		}
	}
	return false
}

// keepsOwnership tells transactions that change the form of what the wallet owns from those that trade it: lending,
// staking and bridging with known protocols, liquidity given for a minted receipt or taken back against it, and wrapping.
func (r *reader) keepsOwnership(f flow) bool {
	protocol := holdsForOwner(r.target)
	exchanged := r.target == market.DexAccount
	for i := range r.legs {
		kind := r.legs[i].kind
		protocol = protocol || holdsForOwner(kind)
		exchanged = exchanged || kind == market.DexAccount
	}
	if protocol && !exchanged {
		return true
	}
	for i := range r.legs {
		l := &r.legs[i]
		if l.quote {
			continue
		}
		address := r.assets[l.asset].address
		if l.quantity > 0 && l.minted && (f.out() > 1 || r.othersAre(market.DexAccount, l) || r.wraps(address, l)) {
			return true
		}
		returned := l.burned || l.counterparty == address
		if l.quantity < 0 && returned && (f.in() > 1 || r.othersAre(market.DexAccount, l) || r.wraps(address, l)) {
			return true
		}
	}
	return false
}

// othersAre tells whether all legs that go the other way are with accounts of one kind.
func (r *reader) othersAre(kind market.AccountKind, than *leg) bool {
	for i := range r.legs {
		if l := &r.legs[i]; l.quantity > 0 != (than.quantity > 0) && l.kind != kind {
			return false
		}
	}
	return true
}

// wraps tells whether a token outside the quote set was given to, or came from, the contract of the receipt itself.
func (r *reader) wraps(receipt chain.Address, than *leg) bool {
	for i := range r.legs {
		l := &r.legs[i]
		if l.quantity > 0 != (than.quantity > 0) && !l.quote && l.counterparty == receipt {
			return true
		}
	}
	return false
}

func holdsForOwner(kind market.AccountKind) bool {
	return kind == market.ProtocolAccount || kind == market.BridgeAccount
}

// originOf tells how a leg that was not traded came or went.
func (r *reader) originOf(l *leg) Origin {
	kind, target := l.kind, r.target
	in := l.quantity > 0
	switch {
	case in && (kind == market.DistributorAccount || target == market.DistributorAccount && kind == market.UnknownAccount):
		return Airdrop
	case kind == market.ExchangeAccount:
		return ExchangeTransfer
	case holdsForOwner(kind), kind == market.DexAccount:
		return TransferKnown
	case in && l.minted, !in && l.burned:
		if holdsForOwner(target) {
			return TransferKnown
		}
		if in {
			return Airdrop
		}
	case in && !l.quote && r.claimed(l):
		return Airdrop
	}
	return TransferUnknown
}

// claimed tells whether the wallet itself called the contract that sent it a token, and gave nothing for it: a claim, whatever the
// contract is called. What the contract was given earlier comes back instead, and what it was paid for was bought.
func (r *reader) claimed(l *leg) bool {
	return len(r.legs) == 1 && !l.counterparty.IsZero() && l.counterparty == r.called &&
		!r.given[custody{l.counterparty, r.assets[l.asset].address}] && !r.given[custody{l.counterparty, chain.Native}]
}
