// Package copytrade decides: whether a leader's trade is worth copying, and how much of it.
//
// Each endpoint has a file: its answer, what it gathers, and its declaration. The decision on a perpetuals trade is read from
// perp_copy_decision.go; perp_terms.go gathers its terms, perp_coin.go finds the contract a partner means, perp_volatility.go measures
// how much it moves, perp_rule.go is the pure rule, perp_flags.go and perp_reasons.go say why.
//
// The plan of a copy is read from copy_plan.go: plan_gather.go gathers its facts, plan_rule.go is the pure rule of its size,
// plan_exclusions.go says what to leave out, plan_reasons.go and plan_warnings.go say why. The overlap of leaders is read from
// copy_overlap.go: overlap_side.go is what is compared of each, overlap_measure.go and overlap_link.go compare, overlap_assess.go judges.
// What a wallet copies already is told by whoever keeps it, through Running.
//
// The package does nothing itself: it opens no position, keeps no state and signs nothing. The arithmetic of margin lives in margin,
// the grading of leaders in trader, the gate's measures in leadergate.
package copytrade
