// Package discovery finds wallets that were early in launches that rose, more often than chance gives. It is statistics over launches
// that were judged elsewhere: it fetches nothing, and knows neither what a wallet earned nor whether anybody could have followed it.
//
// # Chance
//
// Each launch has a probability of having risen by chance: the share that rose among launches of its chain, week and third of initial
// liquidity (a stratum). Weeks and thirds tell most, so the expectation for a stratum is made of both, on the scale of log-odds; the
// stratum's own share is drawn to that expectation, and the shares of weeks and thirds to the chain's, each with a strength that
// follows from how much the shares clearly differ beyond chance (method of moments, 5 to 100 launches). Launches that rise may also draw
// more early buyers, so that any early buyer hits more often than a blind pick among launches would: where the wallets in the middle
// hit more often than their launches' chances give, all odds are raised by that ratio. A wallet must beat both.
//
// A launch's own outcome is part of its stratum's share. Leaving it out would lower the probability of exactly the launches that rose,
// and so make hits look rarer than they are; with it a small stratum explains its own hits, which errs toward chance. What is left is
// the difference between trials and draws without replacement, which has the smaller spread: the test stays on the careful side.
//
// # Test
//
// The window is cut in two halves. On the older one, a wallet with at least three launches gets the probability of as many hits or
// more, its launches rising independently with their probabilities (a Poisson-binomial tail), and the false-discovery rate at which
// it would be named among all wallets looked at (Benjamini & Hochberg 1995). Early buyers of one launch share its outcome, so the tests
// depend on each other, but only in one direction: what rises helps all its buyers. That is the dependence under which the procedure
// holds (positive regression dependence, Benjamini & Yekutieli 2001, theorem 1.2): given how many of its launches rose for one wallet,
// each of them is the likelier to have risen the more it were (Efron 1965), and no other wallet loses by it. Simulations with herds of
// wallets that buy the same launches, in infra/accuracy, find the realised rate below the level.
//
// What was found on the older half was chosen for being lucky, too. The newer half has no part in the choice; a finding is confirmed
// when its result there is unlikely by chance (p <= 0.2) and its hit rate, drawn to chance by how much is known, is above it.
package discovery
