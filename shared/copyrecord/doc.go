// Package copyrecord gathers what a copier of a wallet would have met: the wallet's entries, the hourly prices of the tokens it
// entered, and what is known about selling them. Whoever says how a delayed copier would have fared simulates over this record, so
// that all answers about a wallet agree.
//
// It fetches facts and hands them to the simulation. What the result means is said by those who ask.
package copyrecord
