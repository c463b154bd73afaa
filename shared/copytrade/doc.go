// Package copytrade decides: whether a leader's trade is worth copying, and how much of it.
//
// Each endpoint has a file: its answer, what it gathers, and its declaration. The decision on a perpetuals trade is read from
// perp_copy_decision.go; perp_terms.go gathers its terms, perp_coin.go finds the contract a partner means, perp_volatility.go measures
// how much it moves, perp_rule.go is the pure rule, perp_flags.go and perp_reasons.go say why.
//
// The package does nothing itself: it opens no position, keeps no state and signs nothing. The arithmetic of margin lives in margin,
// grades of leaders in the packages of their pages.
package copytrade
