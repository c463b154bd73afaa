// Package copysimulation answers what a follower would have made who copied a trader's entries with a delay.
//
// The delayed copier buys at the close of the hour in which the trader first bought, sells at the close of the hour seven days
// later, and loses four percent to the round trip. Entries whose pool is gone at the horizon are total losses, never left out:
// leaving them out is survivorship bias. The result of a random copier in the same tokens, within three days of the same
// entries, stands beside it: without that base rate a win rate means nothing.
//
// Everything is a pure function of entries and candles. Nothing is fetched here and no trader is graded.
package copysimulation
