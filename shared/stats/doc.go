// Package stats holds the statistics behind every grade: intervals of proportions and means, Sharpe-ratio evidence,
// false-discovery control, tail probabilities, trends, forecast scores, the Kelly fraction, and technical indicators.
//
// It takes numbers and gives numbers. It knows no trader, token or clock, fetches nothing, and keeps no state: the same
// arguments always give the same result, random draws included, because their seed is an argument.
//
// Conventions that hold throughout:
//   - Returns are fractions: 0.1 is a gain of 10 %, -1 a total loss. Probabilities and shares lie in 0..1.
//   - An argument outside its documented range, or a NaN in the data, gives NaN rather than a plausible number. Where
//     nothing could be measured the docstring says what comes back.
//   - No function changes a slice that it is given.
//   - Products that feed a sum are converted explicitly (float64(x*y)), which forbids the compiler to fuse them, so that
//     sums have the same last bit on every architecture.
package stats
