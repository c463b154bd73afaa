package accuracy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mirrorworthy/mirrorworthy/shared/leadergate"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/trackrecord"
)

// What is simulated of a track record: the price of every token is a random walk, leaders enter at random days, half the time on a day
// on which another entered the same token, and an entry gains when the walk is above a threshold a week later. The threshold gives the
// planted chance. So entries on one token share its fate as far as their weeks overlap.
const (
	trackLeaders = 20
	trackDays    = 90
	// The least that the simulated record has of entries a token is one, the mean is entriesAToken.
	entriesAToken = 3
	// tokensKnown is how many tokens of each leader a base rate is estimated from.
	tokensKnown   = 10
	mostByChance  = 0.05
	strongScore   = 20.0
	horizonInDays = 7
)

// trackWorld draws records of entries.
type trackWorld struct {
	tokens int
	// chance is the planted chance of the mirrorable leaders, control that of the others, who are half of all when it is above 0.
	chance, control float64
	// estimated base rates are those that the gate would forecast from what random entries made in a leader's tokens; otherwise they are
	// the planted chance.
	estimated bool
}

// draw makes a record's forecasts and its follow-ups, all resolved when they are due.
func (w trackWorld) draw(random *rand.Rand) ([]trackrecord.Forecast, []trackrecord.FollowUp) {
	start := newYear()
	forecasts := make([]trackrecord.Forecast, trackLeaders)
	for i := range forecasts {
		base := w.chance
		if w.estimated {
			shares := make([]float64, tokensKnown)
			for j := range shares {
				shares[j] = randomShare(random, w.chance)
			}
			base = leadergate.BaseRate(shares)
		}
		forecasts[i] = trackrecord.Forecast{
			Chain: "base", Wallet: fmt.Sprint("leader ", i), GradedAt: start, Mirrorable: w.control == 0 || i%2 == 0, Probability: w.chance, BaseRate: base,
		}
	}
	var followUps []trackrecord.FollowUp
	var walk [trackDays + horizonInDays + 1]float64
	for token := range w.tokens {
		for day := 1; day < len(walk); day++ {
			walk[day] = walk[day-1] + random.NormFloat64()
		}
		day := random.IntN(trackDays)
		for n := 1 + random.IntN(2*entriesAToken-1); n > 0; n-- {
			by := &forecasts[random.IntN(trackLeaders)]
			chance := w.chance
			if !by.Mirrorable {
				chance = w.control
			}
			net := -0.5
			if walk[day+horizonInDays]-walk[day] > math.Sqrt(horizonInDays)*stats.NormalQuantile(1-chance) {
				net = 0.5
			}
			at := start.AddDate(0, 0, day+1).Add(time.Duration(random.IntN(60)) * time.Minute)
			due := at.AddDate(0, 0, horizonInDays)
			followUps = append(followUps, trackrecord.FollowUp{
				ID: fmt.Sprint(len(followUps)), Chain: "base", Wallet: by.Wallet, Token: fmt.Sprint("token ", token),
				EnteredAt: at, DueAt: due, SeenAt: at.Add(time.Hour), ResolvedAt: due.Add(2 * time.Hour), Net: net,
			})
			if random.Float64() < 0.5 {
				day = random.IntN(trackDays)
			}
		}
	}
	return forecasts, followUps
}

// randomShare is what random entries within some days of one entry win in one token: shares near nothing and near all are likelier than
// those between, since such entries share a week.
func randomShare(random *rand.Rand, mean float64) float64 {
	const across = 20
	wins, fate := 0, random.NormFloat64()
	threshold := stats.NormalQuantile(1 - mean)
	for range across {
		if math.Sqrt(0.7)*fate+math.Sqrt(0.3)*random.NormFloat64() > threshold {
			wins++
		}
	}
	return float64(wins) / across
}

// afterAll is an instant at which every simulated entry is resolved.
func afterAll() time.Time { return newYear().AddDate(0, 0, trackDays+2*horizonInDays) }

// share is the part of records, drawn side by side, of which something holds.
func (w trackWorld) share(records int, holds func([]trackrecord.Forecast, []trackrecord.FollowUp) bool) (float64, error) {
	held := make([]bool, records)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range held {
		group.Go(func() error {
			held[i] = holds(w.draw(rand.New(rand.NewPCG(stats.Seed(fmt.Append(nil, w)), uint64(i)))))
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	count := 0
	for _, h := range held {
		if h {
			count++
		}
	}
	return float64(count) / float64(records), nil
}

// TrackRecord measures how often the intervals of a track record hold planted truths, and how often leaders without any edge look
// strong while their record is watched every day.
func TrackRecord(records int) ([]Row, error) {
	hits := Row{Name: "coverage of a track record's hit rate, nominal 95 %", Goal: "93 % to 97 % from 20 tokens on, 92 % to 99 % below, mean over chances 0.15 to 0.85", Pass: true}
	value := Row{Name: "coverage of the gate's value, nominal 95 %", Goal: hits.Goal, Pass: true}
	for _, tokens := range []int{10, 20, 50, 150} {
		chances := []float64{0.15, 0.25, 0.4, 0.6, 0.85}
		heldHits, heldValue := 0.0, 0.0
		for _, chance := range chances {
			held, err := trackWorld{tokens: tokens, chance: chance}.hitRateHeld(records)
			if err != nil {
				return nil, err
			}
			heldHits += held / float64(len(chances))
			held, err = trackWorld{tokens: tokens, chance: chance, control: chance - 0.1}.gateValueHeld(records / 4)
			if err != nil {
				return nil, err
			}
			heldValue += held / float64(len(chances))
		}
		addBand(&hits, "%d tokens", tokens, heldHits, 0)
		addBand(&value, "%d tokens", tokens, heldValue, 0)
	}
	rows := []Row{hits, value}
	for _, c := range []struct {
		name      string
		estimated bool
	}{{"base rates known", false}, {"base rates as the gate estimates them", true}} {
		row := Row{Name: "strong evidence without an edge, watched all along: " + c.name, Goal: "at most 5 % of records, over chances 0.15 to 0.6", Pass: true}
		for _, chance := range []float64{0.15, 0.25, 0.4, 0.6} {
			strong, err := trackWorld{tokens: 50, chance: chance, estimated: c.estimated}.share(records, everStrong)
			if err != nil {
				return nil, err
			}
			addCoverage(&row, fmt.Sprintf("chance %.2f", chance), strong, 0, mostByChance)
		}
		rows = append(rows, row)
	}
	power := Row{Name: "strong evidence of leaders that win half as often again", Goal: "measured", Pass: true}
	for _, tokens := range []int{50, 150} {
		strong, err := trackWorld{tokens: tokens, chance: 0.375}.share(records/4, everStrongAgainstTwoThirds)
		if err != nil {
			return nil, err
		}
		addCoverage(&power, fmt.Sprintf("%d tokens", tokens), strong, 0, 1)
	}
	return append(rows, power), nil
}

// everStrongAgainstTwoThirds does so where random entries win two thirds as often.
func everStrongAgainstTwoThirds(forecasts []trackrecord.Forecast, followUps []trackrecord.FollowUp) bool {
	for i := range forecasts {
		forecasts[i].BaseRate *= 2.0 / 3
	}
	return everStrong(forecasts, followUps)
}

// hitRateHeld is how often the interval of the hit rate holds the planted chance.
func (w trackWorld) hitRateHeld(records int) (float64, error) {
	return w.share(records, func(forecasts []trackrecord.Forecast, followUps []trackrecord.FollowUp) bool {
		m := trackrecord.Judge(forecasts, followUps, afterAll()).Mirrorable
		return m.HitLow <= w.chance && w.chance <= m.HitHigh
	})
}

// gateValueHeld is how often the interval of the gate's value holds the planted difference, or nothing is said of it.
func (w trackWorld) gateValueHeld(records int) (float64, error) {
	return w.share(records, func(forecasts []trackrecord.Forecast, followUps []trackrecord.FollowUp) bool {
		d := trackrecord.Judge(forecasts, followUps, afterAll()).GateValue
		return math.IsNaN(d.Mean) || d.Low <= w.chance-w.control && w.chance-w.control <= d.High
	})
}

// everStrong looks at a record on every other day.
func everStrong(forecasts []trackrecord.Forecast, followUps []trackrecord.FollowUp) bool {
	for day := horizonInDays; day <= trackDays+2*horizonInDays; day += 2 {
		if trackrecord.Judge(forecasts, followUps, newYear().AddDate(0, 0, day)).Mirrorable.E >= strongScore {
			return true
		}
	}
	return false
}
