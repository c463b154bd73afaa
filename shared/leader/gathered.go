package leader

import (
	"context"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/token"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

// leadersAtOnce is how many leaders are read at a time.
const leadersAtOnce = 1000

// kind is the leaders that are graded by one method, as far as boards need them.
type kind struct {
	selection
	places []place
	// active counts those whom ActiveBuyer saw within a day of the reading.
	active token.ProvenBuyers
}

// place is the leaders of a chain or of a venue.
type place struct {
	// candidates are those that are graded and can be on a board. found counts all leaders, waiting those without a grade.
	candidates     []*candidate
	found, waiting int
	// early counts those of them that were found by EarlyBuyer.
	early struct{ found, waiting int }
	// ungraded are where leaders without a grade stand on their venue's boards.
	ungraded []venueStanding
	// unreadable counts gradings and places on venues' boards that cannot be read. They count as none: the next pass makes them anew.
	unreadable int
}

// gather reads all leaders of a kind, page by page, keeps of each place those that can be among the first so many of a board, and
// corrects for how many there are of the kind. It reads them at an instant.
func gather(ctx context.Context, leaders store.Leaders, at time.Time, name string, length int, places ...string) (*kind, error) {
	k := &kind{places: make([]place, len(places)), active: token.ProvenBuyers{At: at}}
	for i, at := range places {
		kept := shortlist{length: length}
		from := ""
		for {
			page, err := leaders.List(ctx, store.Group{Kind: name, Place: at}, from, "", leadersAtOnce)
			if err != nil {
				return nil, err
			}
			more := len(page) == leadersAtOnce
			if from != "" && len(page) > 0 && page[0].Address == from {
				page = page[1:] // the last of the page before
			}
			for j := range page {
				k.take(&k.places[i], &kept, &page[j])
			}
			if !more {
				break
			}
			from = page[len(page)-1].Address
		}
		k.places[i].candidates = kept.all()
	}
	for i := range k.places {
		k.correct(k.places[i].candidates)
	}
	return k, nil
}

// take counts a leader, and keeps it where a board can need it.
func (k *kind) take(p *place, kept *shortlist, leader *store.Leader) {
	if len(leader.Findings) == 1 && leader.Findings[0].Source == Followed {
		return
	}
	_, early := findingBy(leader, EarlyBuyer)
	p.found++
	if early {
		p.early.found++
	}
	standing, err := venueStandingOf(leader)
	if err != nil {
		p.unreadable++
	}
	if !leader.Grading.At.IsZero() {
		c, err := candidateOf(leader)
		if err == nil {
			c.venue = standing
			k.examine(c)
			k.countActive(c, leader)
			kept.add(c, early || leader.Group.Kind != Spot)
			return
		}
		p.unreadable++
	}
	p.waiting++
	if early {
		p.early.waiting++
	}
	if len(standing.places) > 0 {
		p.ungraded = append(p.ungraded, standing)
	}
}

// countActive counts a rated leader among the buyers at large, with whom smart-money-flow compares the buyers of a token. Those are the
// latest, each once, of at most a day, and ActiveBuyer finds its leaders in the same way, without a look at results. Hence:
//
//   - Only those count whom it saw within a day. Of all whom it ever saw, one who buys once a month would count as much as one who buys
//     every hour, although he is as rarely among the latest.
//   - Whatever else found a leader does not matter. Who was found only as an early buyer or on a venue's leaderboard was chosen by
//     results and does not count. Who was found so as well was drawn like the rest, and without him the share would be too low.
//   - The verdict is that of the leader's page, as in smart-money-flow, not what boards leave of it for the number of wallets looked at.
//
// What remains: they bought the most traded tokens of all, and accounts of one hand count each, where smart-money-flow counts them once.
func (k *kind) countActive(c *candidate, leader *store.Leader) {
	found, active := findingBy(leader, ActiveBuyer)
	if !active || k.active.At.Sub(found.At) > activeWithin || c.graded.Score.Verdict == trader.Unrated {
		return
	}
	k.active.Rated++
	if c.calledWorthy() {
		k.active.Proven++
	}
}
