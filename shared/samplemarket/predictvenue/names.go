package predictvenue

import (
	"fmt"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

// category is a topic with its fee and the sort of events it has.
type category struct {
	label, feeType    string
	weight            float64
	feeRate           float64
	shortest, longest float64 // life of an event in days
	ladder, exclusive float64 // shares of events
	voidable          bool    // its binary events may be called off
}

var categories = []category{
	{label: "Sports", feeType: "sports_fees", weight: 0.3, feeRate: 0.03, shortest: 2, longest: 14, ladder: 0.15, exclusive: 0.15, voidable: true},
	{label: "Crypto", feeType: "crypto_fees", weight: 0.17, feeRate: 0.07, shortest: 3, longest: 30, ladder: 0.55, exclusive: 0.1},
	{label: "Politics", feeType: "politics_fees", weight: 0.17, feeRate: 0.04, shortest: 6, longest: 45, exclusive: 0.45},
	{label: "Economics", feeType: "economics_fees", weight: 0.12, feeRate: 0.05, shortest: 5, longest: 40, ladder: 0.25, exclusive: 0.4},
	{label: "Weather", feeType: "weather_fees", weight: 0.08, feeRate: 0.05, shortest: 2, longest: 8, ladder: 0.3, exclusive: 0.6},
	{label: "Culture", feeType: "culture_fees", weight: 0.09, feeRate: 0.05, shortest: 4, longest: 30, exclusive: 0.4, voidable: true},
	{label: "Geopolitics", weight: 0.07, shortest: 8, longest: 45},
}

func pickCategory(s seeded.Stream) *category {
	left := s.Float64()
	for i := range categories {
		if left -= categories[i].weight; left < 0 {
			return &categories[i]
		}
	}
	return &categories[0]
}

var (
	places = []string{"Norwick", "Valmont", "Estergard", "Kareby", "Tolvane", "Ostrava Bay", "Pellmoor", "Quint Harbor", "Rosefield",
		"Sandvik", "Umberley", "Wexcombe"}
	beasts     = []string{"Herons", "Badgers", "Comets", "Pilots", "Lynxes", "Mariners", "Foxes", "Anvils", "Ravens", "Storks"}
	first      = []string{"Ada", "Bruno", "Clara", "Dario", "Elin", "Farid", "Greta", "Hugo", "Ines", "Jonas"}
	family     = []string{"Renner", "Okafor", "Lindqvist", "Marchetti", "Novak", "Sorel", "Tanaka", "Ulrich", "Vance", "Whitlock"}
	currencies = []string{"Meridian", "Halcyon", "Tessera", "Corvid", "Basalt"}
	films      = []string{"The Glass Orchard", "Nine Lanterns", "Salt Road", "Paper Moons", "A Quiet Engine", "Low Tide", "Kingfisher"}
	decisions  = []string{"a cut of 50 points or more", "a cut of 25 points", "no change", "a rise of 25 points",
		"a rise of 50 points", "a rise of 75 points or more"}
)

// name gives the event and its markets their words. Every slug is unique: it ends in the event's number.
func (e *event) name(s seeded.Stream, ends time.Time) {
	pick := func(list []string) string { return list[s.IntN(len(list))] }
	day := ends.Format("January 2")
	at := s.IntN(len(places))
	place, neighbour := places[at], places[(at+1+s.IntN(len(places)-1))%len(places)]
	yesNo := [2]string{"Yes", "No"}
	switch e.form {
	case ladder:
		subject, base, unit := "the "+pick(currencies)+" price be above $", 40+s.IntN(900), 5
		switch e.category.label {
		case "Sports":
			subject, base, unit = "the "+place+" "+pick(beasts)+" score more than ", 80+s.IntN(60), 4
		case "Weather":
			subject, base, unit = "the highest temperature in "+place+" exceed °C ", 8+s.IntN(20), 1
		case "Economics":
			subject, base, unit = place+"'s purchasing index be above ", 44+s.IntN(10), 1
		}
		e.title = fmt.Sprintf("How high? Will %s… on %s", strings.TrimRight(subject, "$ "), day)
		for i, m := range e.markets {
			m.question, m.outcomes = fmt.Sprintf("Will %s%d on %s?", subject, base+i*unit, day), yesNo
		}
	case exclusive:
		options, subject := films, "be the film of the year in "+place
		switch e.category.label {
		case "Economics":
			options, subject = decisions, "be what the bank of "+place+" decides"
		case "Sports":
			options, subject = beasts, "win the "+place+" cup"
		case "Weather":
			options, subject = nil, "be the highest temperature in "+place
		case "Crypto":
			options, subject = currencies, "gain most of all"
		case "Politics":
			options, subject = nil, "win the seat of "+place
		}
		e.title = fmt.Sprintf("Which one is going to %s by %s?", subject, day)
		offset := s.IntN(7)
		for i, m := range e.markets {
			option := first[(i+offset)%len(first)] + " " + family[(3*i+offset)%len(family)]
			switch {
			case e.category.label == "Weather":
				option = fmt.Sprintf("%d°C", 10+offset+i)
			case e.category.label == "Economics":
				option = options[i]
			case options != nil:
				option = options[(i+offset)%len(options)]
				if i >= len(options) {
					option = "Any other"
				}
			}
			m.question, m.outcomes = fmt.Sprintf("Will %s %s by %s?", option, subject, day), yesNo
		}
	default:
		m := e.markets[0]
		m.outcomes = yesNo
		switch e.category.label {
		case "Sports":
			m.outcomes = [2]string{place + " " + pick(beasts), neighbour + " " + pick(beasts)}
			e.title = m.outcomes[0] + " vs. " + m.outcomes[1]
		case "Crypto":
			e.title, m.outcomes = pick(currencies)+" Up or Down by "+day, [2]string{"Up", "Down"}
		case "Economics":
			e.title = "Will unemployment in " + place + " fall by " + day + "?"
		case "Culture":
			e.title = "Will \"" + pick(films) + "\" open before " + day + "?"
		case "Weather":
			e.title = "Will it snow in " + place + " before " + day + "?"
		case "Geopolitics":
			e.title = "Will " + place + " and " + neighbour + " sign a treaty by " + day + "?"
		default:
			e.title = "Will " + pick(first) + " " + pick(family) + " resign by " + day + "?"
		}
		m.question = e.title
	}
	e.slug = fmt.Sprintf("%s-%s-%d", slugOf(e.category.label), ends.Format("2006-01-02"), e.index)
	for i, m := range e.markets {
		m.slug = e.slug
		if len(e.markets) > 1 {
			m.slug = fmt.Sprintf("%s-%d", e.slug, i+1)
		}
	}
}

func slugOf(text string) string { return strings.ReplaceAll(strings.ToLower(text), " ", "-") }
