// Package tokenrisk is the one assessor of how likely a token is to trap or rob its holders, wherever a token is judged.
//
// It weighs hard evidence (test trades, a security provider's findings), what the code allows, and how the market is built. What
// could not be checked is unknown, never low. It knows no endpoint.
//
// The score is the greater of 100 times the probability of a scam and the floors of all that was found; the verdict is low below 20,
// medium below 50, high below 80 and critical from there. The probability starts at even odds for a token in its first day, falls with
// the age of its market as drains of liquidity became rarer with age in the reference data, and is moved by the likelihood ratio of
// package scorecard, in a token's favour only up to a limit, and by the code's resemblance to known traps. Floors are 90 and more for
// what ends in loss, 60 for what one account can do to everybody else, 30 for what may be done with a delay or in company, and 20 for
// what only forbids the word low.
//
// Nothing is low unless selling was seen to work, by a test trade or by the security provider, and privileges were looked for, in the
// code or by the provider. The verdict is unknown when there is neither a test trade nor code that could be read, or when fewer than two
// of the five layers could be checked, unless what was found already makes it critical.
package tokenrisk
