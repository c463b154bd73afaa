package bytecode

// Report is what the code of a contract says. Every false below means "not found", which is proof of absence only as far as
// Understood goes.
type Report struct {
	// Understood is true when the dispatcher was found and every function followed within the limits.
	Understood bool
	// Selectors are the functions that the dispatcher knows, ascending.
	Selectors [][4]byte
	// MinimalProxy is true for EIP-1167 clones; Target is where their calls go.
	MinimalProxy bool
	Target       [20]byte
	// Delegates is true when the fallback hands calls to an address from storage: the code that matters is elsewhere.
	Delegates bool

	// Mints: a privileged function other than the constructor can raise a balance out of nothing; MintBounded when it checks the
	// supply against a limit.
	Mints, MintBounded bool
	// LimitsSelling: a transfer depends on a switch, a list or a limit that a privileged account can turn against a holder. The
	// three kinds of it follow.
	LimitsSelling                               bool
	PausesTrading, ListsAccounts, LimitsAmounts bool
	// Leaks: a privileged function can take from the balance of others without their allowance.
	Leaks bool
	// SetsFees: a privileged function changes a number that transfers are charged by; FeesBounded when it checks it against a limit.
	SetsFees, FeesBounded bool
	// SelfDestructs: a reachable SELFDESTRUCT.
	SelfDestructs bool

	// TrapProbability is the share of trap contracts among those with such opcodes in the training data, 0 to 1, where three in four
	// are traps; NaN when the code is unlike the training data: too small, of Solidity 0.8 or later, or of an unusual mix of
	// instructions. A low one is no reassurance: traps of families that were not seen look harmless.
	TrapProbability float64
}
