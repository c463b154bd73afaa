// Package leadergate decides whether a wallet that was found among the first buyers of rising tokens is worth mirroring: whether a
// delayed copier of its entries would have gained, by more than chance, and could do it again.
//
// It judges records and fetches nothing. How wallets are found is decided elsewhere, what became of those it let through by the track
// record.
package leadergate
