package leader

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// drawn makes a candidate of a person of the tests.
func drawn(p person) *candidate {
	c := &candidate{group: p.group, address: p.address, graded: p.graded, chance: -1}
	for _, f := range p.found {
		c.found = append(c.found, FoundBy{Source: f.Source})
	}
	c.score, c.confidence = rankedBy(p.graded.Score.Score, p.graded.Score.Confidence)
	return c
}

// selected corrects people among each other.
func selected(people ...person) (*selection, []*candidate) {
	s := new(selection)
	var candidates []*candidate
	for _, p := range people {
		c := drawn(p)
		s.examine(c)
		candidates = append(candidates, c)
	}
	s.correct(candidates)
	return s, candidates
}

// By hand: of five chances 0.001, 0.02, 0.07, 0.3 and 0.5 the adjusted ones are 5 times, 5/2, 5/3, 5/4 and 5/5 of them.
func TestAChanceIsAdjustedForAllThatWereLookedAt(t *testing.T) {
	_, all := selected(rated(1, 60, 0.6, 0.02), rated(2, 80, 0.9, 0.001), rated(3, 59, 0.6, 0.07), rated(4, 40, 0.6, 0.3), unrated(5), rated(6, 45, 0.6, 0.5))
	for i, want := range []struct {
		adjusted float64
		worthy   bool
	}{{0.05, true}, {0.005, true}, {0.07 * 5 / 3, false}, {0.375, false}, {math.NaN(), false}, {0.5, false}} {
		c := all[i]
		if (c.adjustedP == nil) != math.IsNaN(want.adjusted) || c.worthy != want.worthy {
			t.Errorf("%d: adjusted %v, worthy %v", i, c.adjustedP, c.worthy)
		}
		if c.adjustedP != nil && math.Abs(*c.adjustedP-want.adjusted) > 1e-12 {
			t.Errorf("%d: adjusted %v, want %v", i, *c.adjustedP, want.adjusted)
		}
	}
}

// Whoever is looked at counts, whether or not a board shows it.
func TestTheMoreAreLookedAtTheLessASingleOneProves(t *testing.T) {
	people := []person{rated(1, 70, 0.9, 0.01)}
	for n := range 9 {
		people = append(people, rated(n+2, 40, 0.5, 0.5))
	}
	if _, all := selected(people...); !all[0].worthy || math.Abs(*all[0].adjustedP-0.1) > 1e-12 {
		t.Errorf("one of ten: %v", *all[0].adjustedP)
	}
	if _, all := selected(append(people, rated(12, 40, 0.5, 0.9))...); all[0].worthy {
		t.Errorf("one of eleven: %v", *all[0].adjustedP)
	}
	// One too thin to be rated could not have been named.
	if _, all := selected(append(people, unrated(12))...); !all[0].worthy {
		t.Errorf("one of ten and an unrated one: %v", *all[0].adjustedP)
	}
	// No adjusted chance makes up for a page that says otherwise.
	if _, all := selected(rated(1, 57, 0.9, 0.0001)); all[0].worthy {
		t.Error("worthy against its page")
	}
}

// Of wallets that have no edge, boards call none mirror-worthy in nine of ten draws, although one in twenty has a chance below 0.05.
func TestLuckIsHardlyEverNamed(t *testing.T) {
	const draws, looked = 400, 300
	r := rand.New(rand.NewPCG(1, 2))
	named := 0
	for range draws {
		chances := make([]person, looked)
		for i := range chances {
			chances[i] = rated(i, 70, 0.9, r.Float64())
		}
		_, all := selected(chances...)
		if slices.ContainsFunc(all, func(c *candidate) bool { return c.worthy }) {
			named++
		}
	}
	// The bound is 0.10; three standard errors are 0.045.
	if share := float64(named) / draws; share > falseDiscoveries+0.045 {
		t.Errorf("a false discovery in %.3f of draws", share)
	}
}

func TestRanking(t *testing.T) {
	_, all := selected(
		rated(1, 49.9, 0.9, 0.9), unrated(2), rated(3, 50, 0.1, 0.9), rated(4, 90, 0.6, 0.9), rated(5, 60, 0.6, 0.001), rated(6, 61, 0.6, 0.002),
		rated(7, 61, 0.5, 0.002), rated(9, 61, 0.5, 0.002), rated(8, 61, 0.5, 0.002), rated(8, 61, 0.5, 0.002).at("arbitrum"), rated(10, 20, 1, 0.9))
	slices.SortFunc(all, order)
	var got []string
	for _, c := range all {
		got = append(got, strings.TrimLeft(c.address[2:], "0")+"@"+c.group.Place)
	}
	want := []string{"6@base", "7@base", "8@arbitrum", "8@base", "9@base", "5@base", "4@base", "3@base", "2@base", "1@base", "a@base"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// people draws leaders whose scores often tie.
func people(t *rapid.T, most int) []person {
	n := rapid.IntRange(0, most).Draw(t, "people")
	all := make([]person, n)
	for i := range all {
		if rapid.IntRange(0, 4).Draw(t, "rated") == 0 {
			all[i] = unrated(i)
		} else {
			all[i] = rated(i, float64(rapid.IntRange(48, 60).Draw(t, "score")), float64(rapid.IntRange(1, 3).Draw(t, "confidence"))/4,
				rapid.SampledFrom([]float64{0, 0.001, 0.01, 0.05, 0.2, 0.9, 1}).Draw(t, "chance"))
		}
		if rapid.IntRange(0, 3).Draw(t, "early") == 0 {
			all[i] = all[i].early(rapid.Bool().Draw(t, "mirrorable"))
		}
	}
	return all
}

func TestRankingDoesNotDependOnTheOrderOfReading(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := people(t, 30)
		_, ranked := selected(all...)
		_, other := selected(rapid.Permutation(all).Draw(t, "read")...)
		for _, by := range []func(a, b *candidate) int{order, mirrorableFirst} {
			slices.SortFunc(ranked, by)
			slices.SortFunc(other, by)
			for i := range ranked {
				if ranked[i].address != other[i].address || ranked[i].worthy != other[i].worthy {
					t.Fatalf("place %d: %s or %s", i, ranked[i].address, other[i].address)
				}
				if i > 0 && by(ranked[i-1], ranked[i]) >= 0 {
					t.Fatalf("places %d and %d are not told apart", i-1, i)
				}
			}
		}
		slices.SortFunc(ranked, order)
		if !slices.IsSortedFunc(ranked, func(a, b *candidate) int { return worthyFirst(a.worthy, b.worthy) }) {
			t.Fatal("a wallet that does not stay mirror-worthy stands before one that does")
		}
	})
}

// What a shortlist drops would have been on no board.
func TestAShortlistKeepsWhatBoardsNeed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.IntRange(1, 12).Draw(t, "length")
		kept, s := shortlist{length: length}, new(selection)
		var all []*candidate
		for _, p := range people(t, 60) {
			c := drawn(p)
			s.examine(c)
			kept.add(c, c.earlyBuyer())
			all = append(all, c)
		}
		short := kept.all()
		s.correct(all)
		slices.SortFunc(all, order)
		slices.SortFunc(short, order)
		for i := range min(length, len(all)) {
			if all[i] != short[i] {
				t.Fatalf("place %d is %s, of the shortlist %s", i, all[i].address, short[i].address)
			}
		}
		for _, c := range all {
			if c.earlyBuyer() && !slices.Contains(short, c) {
				t.Fatalf("%s is dropped", c.address)
			}
		}
		// The same among those alone that are called mirror-worthy.
		others := func(c *candidate) bool { return !c.calledWorthy() }
		all, short = slices.DeleteFunc(all, others), slices.DeleteFunc(short, others)
		for i := range min(length, len(all)) {
			if all[i] != short[i] {
				t.Fatalf("place %d of the mirror-worthy is %s, of the shortlist %s", i, all[i].address, short[i].address)
			}
		}
	})
}

// Of many alike a shortlist keeps little more than a board has room for, of the mirror-worthy too.
func TestAShortlistIsShort(t *testing.T) {
	kept, s := shortlist{length: 50}, new(selection)
	for i := range 5_000 {
		p := rated(i, float64(30+i%60), 0.8, float64(i%89)/100)
		c := drawn(p)
		s.examine(c)
		kept.add(c, false)
	}
	if n := len(kept.all()); n < 100 || n > 600 {
		t.Errorf("%d are kept", n)
	}
}

func TestReasonsSayWhatTheCorrectionDoes(t *testing.T) {
	s, all := selected(rated(1, 70, 0.9, 0.0021), rated(2, 60, 0.9, 0.09), rated(3, 40, 0.9, 0.5), unrated(4))
	for i, want := range [][]string{
		{"Won 15 of 24 closed positions.", "Gained 2.1 times what it lost.",
			"Of 3 wallets looked at, some look this good by luck; allowing for that, the adjusted probability of luck is 0.006, where a board accepts up to 0.1."},
		{"Of 3 wallets looked at, some look this good by luck; allowing for that, the adjusted probability of luck is 0.135, above the 0.1 that a board accepts: mirror-worthy by its own record alone, not as one of so many.",
			"Won 15 of 24 closed positions.", "Gained 2.1 times what it lost."},
		{"Won 15 of 24 closed positions.", "Gained 2.1 times what it lost."},
		{"Only 1 closed position; 3 are needed."},
	} {
		if got := texts(s.reasons(all[i])); !slices.Equal(got, want) {
			t.Errorf("%d: %q, want %q", i, got, want)
		}
	}
}

func texts(reasons []reason.Reason) []string {
	all := make([]string, len(reasons))
	for i, r := range reasons {
		all[i] = r.Text
	}
	return all
}

// A wallet with as many reasons as there can be keeps the weightiest, and what its page says is not changed.
func TestReasonsStayFew(t *testing.T) {
	for _, chance := range []float64{0.0001, 0.9} {
		p := rated(1, 70, 0.9, chance)
		p.graded.Score.Reasons = []reason.Reason{{Text: "1."}, {Text: "2."}, {Text: "3."}, {Text: "4."}, {Text: "5."}}
		before := texts(p.graded.Score.Reasons)
		s, all := selected(p)
		got := texts(s.reasons(all[0]))
		if len(got) != reason.Maximum || slices.Contains(got, "5.") || !slices.Contains(got, "4.") {
			t.Errorf("%q", got)
		}
		if !slices.Equal(texts(p.graded.Score.Reasons), before) {
			t.Errorf("the page's reasons are %q", texts(p.graded.Score.Reasons))
		}
	}
}

func TestProbabilityText(t *testing.T) {
	for p, want := range map[float64]string{0: "below 0.001", 0.0009: "below 0.001", 0.001: "0.001", 0.0214: "0.021", 0.1: "0.1", 0.135: "0.135", 1: "1"} {
		if got := probabilityText(p); got != want {
			t.Errorf("%v: %q, want %q", p, got, want)
		}
	}
}

func TestGradingsThatCannotBeRead(t *testing.T) {
	good := `{"asOf":"2026-11-20T12:30:00Z","score":{"verdict":"watch"},"chance":0.5}`
	read := func(data string) error {
		_, err := readGraded(&store.Leader{Grading: store.Grading{Data: []byte(data)}})
		return err
	}
	if err := read(good); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		"", "null", "[]", "{}", "{", strings.Replace(good, "watch", "splendid", 1), strings.Replace(good, "0.5", "1.5", 1), strings.Replace(good, "0.5", "-0.5", 1),
		strings.Replace(good, "2026-11-20T12:30:00Z", "noon", 1), `{"score":{"verdict":"watch"}}`,
	} {
		if read(bad) == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// Nobody is so good that luck is out of the question.
func TestLuckIsNeverShownAsNothing(t *testing.T) {
	for p, want := range map[float64]float64{0: 0.001, 1e-9: 0.001, 0.0014: 0.001, 0.0016: 0.002, 0.25: 0.25, 1: 1} {
		if got := luck(p); got == nil || *got != want {
			t.Errorf("%v is shown as %v, want %v", p, got, want)
		}
	}
	if got := luck(math.NaN()); got != nil {
		t.Errorf("what is no number is shown as %v", *got)
	}
}
