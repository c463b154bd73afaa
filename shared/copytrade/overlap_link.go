package copytrade

import (
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

const (
	// linkUSD is what must have been sent from one wallet to another for a link: less is sent to strangers to be noticed.
	linkUSD = 50
	// sameTime is how far apart two wallets may have had their first money from one source.
	sameTime = 72 * time.Hour
)

// link is how two wallets belong together.
type link uint8

const (
	notLinked link = iota
	// paid: money went from one to the other.
	paid
	// funded: both had their first money from one personal account within days.
	funded
)

// linkOf tells whether two wallets seem to have one operator.
func linkOf(a, b *tradingrecord.Record) link {
	if sentTo(a, b.Wallet) || sentTo(b, a.Wallet) {
		return paid
	}
	funderA, atA, foundA := firstFunder(a)
	funderB, atB, foundB := firstFunder(b)
	if apart := atA.Sub(atB).Abs(); foundA && foundB && funderA == funderB && apart <= sameTime {
		return funded
	}
	return notLinked
}

// sentTo tells whether a wallet sent another money. What it received is not looked at: anybody can send anybody something.
func sentTo(from *tradingrecord.Record, to chain.Address) bool {
	for i := range from.Book.Ledger.Transfers {
		if t := &from.Book.Ledger.Transfers[i]; !t.In && t.Counterparty == to && t.ValueUSD >= linkUSD {
			return true
		}
	}
	return false
}

// firstFunder is the personal account that a wallet's first money came from. Money that many get from one account, an exchange's or a
// bridge's, links nobody; and of a history that was cut short the first is not known.
func firstFunder(record *tradingrecord.Record) (funder chain.Address, at time.Time, found bool) {
	if record.Book.Ledger.Truncated {
		return chain.Address{}, time.Time{}, false
	}
	for i := range record.Book.Ledger.Transfers {
		t := &record.Book.Ledger.Transfers[i]
		if !t.In || !(t.ValueUSD > 0) {
			continue
		}
		account, described := record.Activity.Accounts[t.Counterparty]
		personal := described && t.Origin == position.TransferUnknown && !account.Contract && account.Kind == market.UnknownAccount && account.Label == ""
		return t.Counterparty, t.Time, personal
	}
	return chain.Address{}, time.Time{}, false
}
