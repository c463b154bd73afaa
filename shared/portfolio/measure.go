package portfolio

import (
	"github.com/mirrorworthy/mirrorworthy/shared/holdings"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

// graded is a position with its risk.
type graded struct {
	*holdings.Position
	// weight is the part of the picked value, risk 0 to 100. verdict is empty for what needs no assessment.
	weight, risk float64
	verdict, why string
	late         bool
}

func (g *graded) risky() bool { return g.verdict == tokenrisk.High || g.verdict == tokenrisk.Critical }

func (g *graded) unassessed() bool { return g.verdict == tokenrisk.Unknown }

// portfolio is the measures of a wallet's positions: of risk those of the picked ones, of how its value is spread those of all but
// dust, so that a small depth makes nothing look concentrated.
type portfolio struct {
	*facts
	positions []graded
	// weighted and headline are risks, 0 to 100: all positions by their weight, and with the riskiest sizeable one counted extra.
	weighted, headline float64
	// risky and unassessed are parts of the picked value.
	risky, unassessed float64
	worst             *graded
	late              int
	// cash is the part of the counted value that is in dollar coins; investedUSD is the rest.
	cash, investedUSD float64
	// top is the greatest position that is not cash and largest its part of the rest, index the Herfindahl index of that; nil and zero
	// without any.
	top            *holdings.Position
	largest, index float64
}

func measure(f *facts) *portfolio {
	p := &portfolio{facts: f, positions: make([]graded, len(f.picked))}
	tail := 0.0
	for i := range f.picked {
		g := grade(&f.picked[i], &f.risks[i])
		g.weight = g.USD / f.pickedUSD
		p.positions[i] = g
		contribution := float64(g.weight * g.risk)
		p.weighted += contribution
		if reaches(g.weight, sizeable) {
			tail = max(tail, g.risk)
		}
		if p.worst == nil || contribution > p.worst.weight*p.worst.risk {
			p.worst = &p.positions[i]
		}
		if g.risky() {
			p.risky += g.weight
		}
		if g.unassessed() {
			p.unassessed += g.weight
		}
		if g.late {
			p.late++
		}
	}
	// Of many small positions none is sizeable, and small ones may all be riskier than the sizeable ones: the tail never eases.
	p.headline = float64((1-tailWeight)*p.weighted) + float64(tailWeight*max(tail, p.weighted))
	p.spread()
	return p
}

// spread measures how the counted value is spread.
func (p *portfolio) spread() {
	var invested []float64
	for i := range p.counted {
		of := &p.counted[i]
		if of.Class == holdings.Cash {
			p.cash += of.USD / p.countedUSD
			continue
		}
		if invested = append(invested, of.USD); p.top == nil {
			p.top = of
		}
		p.investedUSD += of.USD
	}
	if p.top != nil {
		p.index, p.largest = stats.Herfindahl(invested), p.top.USD/p.investedUSD
	}
}

func grade(of *holdings.Position, r *tokenRisk) graded {
	g := graded{Position: of, late: r.late}
	switch a := r.assessment; {
	case of.Class == holdings.Cash:
		g.risk = riskCash
	case of.Class == holdings.Unpegged:
		g.risk = riskUnknown
	case of.Class == holdings.Major:
		g.risk = riskMajor
	case a == nil || a.Verdict == tokenrisk.Unknown || !(a.Score >= 0 && a.Score <= 100):
		g.risk, g.verdict = riskUnknown, tokenrisk.Unknown
	default:
		g.risk, g.verdict, g.why = a.Score, a.Verdict, firstText(a.Flags, a.Reasons)
	}
	return g
}

func firstText(lists ...[]reason.Reason) string {
	for _, list := range lists {
		if len(list) > 0 {
			return list[0].Text
		}
	}
	return ""
}

// together lists the chain's own coin and its receipts among the counted positions, and their part of what is not cash.
func (p *portfolio) together() (symbols []string, share float64) {
	for i := range p.counted {
		if of := &p.counted[i]; of.Class == holdings.Major {
			symbols = append(symbols, of.Symbol)
			share += of.USD / p.investedUSD
		}
	}
	return symbols, share
}
