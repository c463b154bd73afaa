// Package perp is the perpetuals page: what an account holds on the venue, how far it is from liquidation, and what its closed
// trades say.
//
// The account's record is gathered and accounted for by perprecord and the arithmetic of margin is margin's; the page turns both
// into bands, shares and sentences. It fetches nothing itself and grades nobody.
package perp
