package bytecode

import "math"

// Analyze reads the deployed code of a contract.
func Analyze(code []byte) Report { return Report{TrapProbability: math.NaN()} }
