// Package trackrecord measures what became of forecasts: of the leaders that were called worth mirroring, how many of their later
// entries gained for a copier, whether that beats chance, whether the forecast probabilities were right, and how the leaders that
// were gated out, the control group, fared meanwhile.
//
// Entries on one token share its fate. Intervals count them for what they are worth by the spread between tokens, and the test of
// evidence counts a token's overlapping entries once.
//
// Everything is a pure function of forecasts and outcomes. Nothing is fetched, stored or decided here, and no leader is graded.
package trackrecord
