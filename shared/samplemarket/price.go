package samplemarket

import (
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

const hourSeconds = 3600

// pricePath is a logarithmic price, one point an hour, extended as far as anybody asks. Its points come from one stream in order, so
// they do not depend on who asked first.
type pricePath struct {
	logs []float64
	next func(previous float64, hour int) float64
}

// at is the price at a number of seconds after the path's first point, interpolated between hours.
func (p *pricePath) at(seconds int32) float64 { return math.Exp(p.logAt(seconds)) }

func (p *pricePath) logAt(seconds int32) float64 {
	if seconds <= 0 {
		p.extend(0)
		return p.logs[0]
	}
	hour := int(seconds / hourSeconds)
	p.extend(hour + 1)
	share := float64(seconds%hourSeconds) / hourSeconds
	return p.logs[hour]*(1-share) + p.logs[hour+1]*share
}

func (p *pricePath) extend(hour int) {
	for len(p.logs) <= hour {
		n := len(p.logs)
		if n == 0 {
			p.logs = append(p.logs, p.next(0, 0))
			continue
		}
		p.logs = append(p.logs, p.next(p.logs[n-1], n))
	}
}

// nativePath is a native coin's USD price: a random walk with a weak pull to where it began, about 60 % a year.
func nativePath(seed uint64, name string, price float64) *pricePath {
	s := seeded.NewStream(seeded.MixAll(seed, seeded.HashText("native price"), seeded.HashText(name)))
	origin := math.Log(price)
	return &pricePath{next: func(previous float64, hour int) float64 {
		if hour == 0 {
			return origin
		}
		return previous + 0.0006*(origin-previous) + 0.0058*s.NormFloat64()
	}}
}

type tokenKind uint8

const (
	kindMajor tokenKind = iota
	kindGrower
	kindPhoenix // a grower that first loses more than half
	kindPump
	kindRug
	kindHoneypot
	kindTaxed
	kindStagnant
	kindFader
	kindThin   // a profit printer's own token
	kindSpam   // worthless, sent to everybody, never traded
	kindRunner // rises within days, amid much trade, and keeps most of it for weeks
)

var tokenKindNames = [...]string{"major", "grower", "grower", "pump-and-fade", "rug", "honeypot", "tax", "stagnant", "fader", "thin", "spam", "runner"}

// regime is what a token's price is going to do, in logarithms of its listing price.
type regime struct {
	kind      tokenKind
	jump      float64 // rise in the first hours after listing
	riseStart int     // hours
	riseEnd   int
	rise      float64
	fadeStart int
	fadeHours float64 // e-folding time of the fade
	fade      float64 // how far the fade goes, negative
	sigma     float64 // hourly noise
	pull      float64 // hourly reversion of the noise
	ruggedAt  int     // hours, 0 for never
	busy      float64 // background trades an hour in ordinary times
	quietFrom int     // hours; from then on trading dries up
	bundled   bool    // bots do most of the trading
	squeezes  bool    // every few weeks it goes quiet for days, then breaks out of its range
}

func newRegime(kind tokenKind, s seeded.Stream) regime {
	r := regime{kind: kind, jump: s.Between(0.7, 1.3), sigma: 0.022, pull: 0.01, busy: s.Between(0.12, 0.3), quietFrom: 1 << 30, fadeStart: 1 << 30, fadeHours: 1}
	switch kind {
	case kindMajor:
		r.jump, r.sigma, r.pull, r.busy = 0, 0.007, 0.002, s.Between(1.4, 2.2)
	case kindGrower:
		r.riseStart, r.rise = int(s.Between(12, 96)), s.Between(0.9, 2.1)
		r.riseEnd = r.riseStart + int(s.Between(15, 55)*24)
		r.busy = s.Between(0.3, 0.5)
	case kindPhoenix:
		r.jump, r.busy = 0, s.Between(0.7, 1.0)
		r.fadeStart, r.fadeHours, r.fade = int(s.Between(42, 50)*24), 120, s.Between(-2.1, -1.7)
		r.riseStart, r.rise = int(s.Between(75, 85)*24), s.Between(2.9, 3.6)
		r.riseEnd = r.riseStart + int(s.Between(70, 90)*24)
	case kindPump:
		r.riseStart, r.rise = int(s.Between(5, 48)), s.Between(1.7, 3)
		r.riseEnd = r.riseStart + int(s.Between(4, 14))
		r.fadeStart, r.fadeHours, r.fade = r.riseEnd+int(s.Between(2, 24)), s.Between(14, 45), -r.rise-s.Between(0.7, 1.1)
		r.quietFrom = r.fadeStart + int(s.Between(7, 25)*24)
	case kindRunner:
		r.jump, r.busy = s.Between(0.6, 0.9), s.Between(0.3, 0.5)
		r.riseStart, r.rise = int(s.Between(10, 24)), s.Between(1.4, 1.9)
		r.riseEnd = r.riseStart + int(s.Between(24, 60))
		r.fadeStart, r.fadeHours, r.fade = r.riseEnd+int(s.Between(9, 16)*24), s.Between(10, 25)*24, s.Between(-1.8, -0.9)
		r.quietFrom = r.fadeStart + int(s.Between(30, 60)*24)
	case kindRug:
		r.riseStart, r.rise = 2, s.Between(1.1, 2.3)
		r.ruggedAt = int(s.Spread(30, 420))
		r.riseEnd = r.ruggedAt
		r.busy = s.Between(0.8, 1.5)
	case kindHoneypot:
		r.riseStart, r.rise = 1, s.Between(1.2, 2.6)
		r.riseEnd = int(s.Between(48, 240))
		r.quietFrom = r.riseEnd + 24
		r.sigma, r.busy = 0.005, s.Between(0.5, 0.9)
	case kindTaxed:
		r.riseStart, r.rise = int(s.Between(24, 120)), s.Between(-0.6, 0.9)
		r.riseEnd = r.riseStart + int(s.Between(10, 40)*24)
	case kindStagnant:
		r.jump, r.sigma, r.pull, r.busy = s.Between(0.2, 0.5), 0.012, 0.02, s.Between(0.08, 0.16)
	case kindFader:
		r.fadeStart, r.fadeHours, r.fade = int(s.Between(8, 48)), s.Between(5, 15)*24, s.Between(-2.6, -1.3)
		r.quietFrom = r.fadeStart + int(s.Between(20, 60)*24)
	case kindThin:
		r.jump, r.sigma, r.busy = 0.1, 0.004, 0
	}
	return r
}

// trend is the noiseless target, in logarithms over the listing price, at an hour after listing.
func (r *regime) trend(hour int) float64 {
	level := r.jump * math.Min(1, float64(hour)/3)
	if hour > r.riseStart && r.riseEnd > r.riseStart {
		level += r.rise * math.Min(1, float64(hour-r.riseStart)/float64(r.riseEnd-r.riseStart))
	}
	if hour > r.fadeStart {
		level += r.fade * (1 - math.Exp(-float64(hour-r.fadeStart)/r.fadeHours))
	}
	return level
}

func (r *regime) path(s seeded.Stream) *pricePath {
	noise := 0.0
	return &pricePath{next: func(_ float64, hour int) float64 {
		if hour > 0 {
			noise += -r.pull*noise + r.sigma*r.swing(hour)*s.NormFloat64()
		}
		return r.trend(hour) + noise
	}}
}

// A squeezing token has squeezeCycle hours from one squeeze to the next; the quiet ends a cycle, the outbreak begins the next.
const (
	squeezeCycle    = 18 * 24
	squeezeQuiet    = 84
	squeezeOutbreak = 14
)

// swing is by how much a token's noise is greater than its usual one at an hour after listing.
func (r *regime) swing(hour int) float64 {
	switch phase := hour % squeezeCycle; {
	case !r.squeezes:
	case phase < squeezeOutbreak && hour >= squeezeCycle:
		return 3.5
	case phase >= squeezeCycle-squeezeQuiet:
		return 0.15
	}
	return 1
}

// quietSince is the hour after listing at which the quiet began that a squeezing token is in; -1 when it is in none.
func (r *regime) quietSince(hour int) int {
	into := hour%squeezeCycle - (squeezeCycle - squeezeQuiet)
	if !r.squeezes || into < 0 {
		return -1
	}
	return hour - into
}

// rate is how many background trades an hour the token sees at an hour after listing.
func (r *regime) rate(hour int) float64 {
	switch {
	case hour < 2 && r.kind != kindMajor && r.kind != kindPhoenix:
		return 14
	case r.kind == kindPump && hour >= r.riseStart && hour < r.riseEnd+2:
		return 24
	case r.kind == kindRunner && hour >= r.riseEnd-5 && hour < r.riseEnd+4:
		return 22
	case r.kind == kindPump && hour < r.fadeStart+48:
		return 1.2
	case hour < 36 && r.kind != kindMajor && r.kind != kindPhoenix && !r.bundled:
		return math.Max(r.busy, 4)
	case hour < 36 && r.kind != kindMajor && r.kind != kindPhoenix:
		return math.Max(r.busy, 1.2)
	case hour > r.quietFrom:
		return r.busy * math.Max(0.02, math.Exp(-float64(hour-r.quietFrom)/72))
	}
	return r.busy
}
