package accuracy

import (
	"math"
	"reflect"
	"testing"
)

// The full measurements take minutes. What is held here, on fewer wallets, is what a mistake would move by far more than chance.
const fewWallets = 150

func TestFairTradersSeldomPassForSkilled(t *testing.T) {
	t.Parallel()
	// Four standard errors above 5.7 %.
	bound := 0.057 + 4*math.Sqrt(0.05*0.95/fewWallets)
	for _, p := range fairPopulations() {
		for _, n := range []int{10, 100} {
			if _, verdict := p.skilled(fewWallets, n); verdict > bound {
				t.Errorf("%.3f of fair %s traders with %d trades are called skilled", verdict, p.name, n)
			}
		}
	}
}

func TestSkilledTradersAreFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		population
		n    int
		want float64
	}{
		{population{name: "swing", edge: 0.1, draw: swing}, 100, 0.944},
		{population{name: "meme", edge: 0.5, draw: meme}, 50, 0.787},
		{population{name: "degen", edge: 1, draw: degen}, 100, 0.959},
	} {
		evidence, verdict := c.skilled(fewWallets, c.n)
		tolerance := 4 * math.Sqrt(c.want*(1-c.want)/fewWallets)
		if math.Abs(evidence-c.want) > tolerance || verdict > evidence || verdict < c.want-tolerance-0.03 {
			t.Errorf("%s, %d trades: PSR* finds %.3f, the verdict %.3f, expected %.3f", c.name, c.n, evidence, verdict, c.want)
		}
	}
}

func TestGradesFallAsDesigned(t *testing.T) {
	t.Parallel()
	for _, cell := range gradeTable() {
		if cell.n == 20 || cell.n == 100 || (cell.n == 50 && cell.edge < 0.5) {
			continue
		}
		share := cell.graded(fewWallets, cell.n)["normal "+cell.label]
		if tolerance := 0.03 + 4*math.Sqrt((cell.share*(1-cell.share)+0.002)/fewWallets); math.Abs(share-cell.share) > tolerance {
			t.Errorf("%s, %+.1f, n=%d: %.3f get %s, expected %.3f", cell.name, cell.edge, cell.n, share, cell.label, cell.share)
		}
	}
}

func TestFairTradersAreSeldomMirrorWorthy(t *testing.T) {
	t.Parallel()
	bound := 0.10 + 4*math.Sqrt(0.1*0.9/fewWallets)
	for _, p := range fairPopulations() {
		for _, n := range []int{3, 50} {
			if share := p.graded(fewWallets, n)["mirror-worthy"]; share > bound || (n == 3 && share > 0) {
				t.Errorf("%.3f of fair %s traders with %d trades are mirror-worthy", share, p.name, n)
			}
		}
	}
}

func TestSimulationsRepeat(t *testing.T) {
	t.Parallel()
	p := population{name: "unequal", repeated: true}
	if a, b := p.graded(50, 20), p.graded(50, 20); !reflect.DeepEqual(a, b) {
		t.Errorf("%v and %v", a, b)
	}
}

func TestWashTradersAreFoundInASmallEconomy(t *testing.T) {
	t.Parallel()
	rows := washEconomy(7, 100)
	if len(rows) < 10 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		if !row.Pass {
			t.Errorf("%s: %s, goal %s", row.Name, row.Measured, row.Goal)
		}
	}
}
