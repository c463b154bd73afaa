package portfolio

import (
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

// graded is a position with its risk.
type graded struct {
	*position
	// weight is the part of the picked value, risk 0 to 100. verdict is empty for what needs no assessment.
	weight, risk float64
	verdict, why string
	late         bool
}

func (g *graded) risky() bool { return g.verdict == tokenrisk.High || g.verdict == tokenrisk.Critical }

func (g *graded) unassessed() bool { return g.verdict == tokenrisk.Unknown }

// portfolio is the measures of the picked positions.
type portfolio struct {
	*facts
	positions []graded
	// weighted and headline are risks, 0 to 100: all positions by their weight, and with the riskiest sizeable one counted extra.
	weighted, headline float64
	// risky, unassessed and cash are parts of the picked value.
	risky, unassessed, cash float64
	// largest is the greatest position's part of what is not cash, index the Herfindahl index of that; both zero without any.
	largest, index float64
	top            *graded
	worst          *graded
	late           int
}

func measure(f *facts) *portfolio {
	p := &portfolio{facts: f, positions: make([]graded, len(f.picked))}
	var invested []float64
	tail := 0.0
	for i := range f.picked {
		g := grade(&f.picked[i], &f.risks[i])
		g.weight = g.usd / f.pickedUSD
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
		if g.class == cash {
			p.cash += g.weight
			continue
		}
		if invested = append(invested, g.usd); p.top == nil {
			p.top = &p.positions[i]
		}
	}
	// Of many small positions none is sizeable, and small ones may all be riskier than the sizeable ones: the tail never eases.
	p.headline = float64((1-tailWeight)*p.weighted) + float64(tailWeight*max(tail, p.weighted))
	p.index = stats.Herfindahl(invested)
	if p.top != nil {
		p.largest = p.top.usd / sum(invested)
	}
	return p
}

func sum(values []float64) float64 {
	total := 0.0
	for _, x := range values {
		total += x
	}
	return total
}

func grade(of *position, r *tokenRisk) graded {
	g := graded{position: of, late: r.late}
	switch a := r.assessment; {
	case of.class == cash:
		g.risk = riskCash
	case of.class == unpegged:
		g.risk = riskUnknown
	case of.class == major:
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

// together lists the chain's own coin and its receipts among the positions, and their part of what is not cash.
func (p *portfolio) together() (symbols []string, share float64) {
	for i := range p.positions {
		if g := &p.positions[i]; g.class == major {
			symbols = append(symbols, g.symbol)
			share += g.weight
		}
	}
	return symbols, share / (1 - p.cash)
}
