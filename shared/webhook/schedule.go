package webhook

import "time"

// steps are how long after the attempt before it each attempt is made: ten within 75.6 hours.
func steps() []time.Duration {
	return []time.Duration{
		0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
}

// leaseFor is how long a delivery is left to whoever tries it, in case it is not heard of again.
const leaseFor = 2 * sendTimeout

// jitterShare is by how much of itself a step can be shorter or longer.
const jitterShare = 0.1

// nextAttempt is how long to wait for the attempt after so many, with a random number in [0, 1): the step, a tenth shorter to a tenth longer.
// While an attempt may still be under way, nobody else makes one. There is no attempt after the last; what is waited for then is only
// the end of it.
func nextAttempt(made int, random float64) time.Duration {
	all := steps()
	if made >= len(all) {
		return leaseFor
	}
	return max(time.Duration(float64(all[made])*(1-jitterShare+2*jitterShare*random)), leaseFor)
}
