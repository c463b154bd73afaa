package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
)

// The venues.
const (
	VenueSpot       = "dexvenue-spot"
	VenuePerps      = "perpvenue-perps"
	VenuePrediction = "predictvenue-markets"
)

// Venue is where agents can trade.
type Venue struct {
	Venue string `json:"venue"`
	Title string `json:"title"`
	About string `json:"about"`
	// Modes are paper and live, as far as they are offered.
	Modes []string `json:"modes"`
	// Chains are those that agents can be made on; none where the venue is on none.
	Chains []string `json:"chains"`
	// SmartAccount says what an agent's smartAccountAddress is at this venue.
	SmartAccount string `json:"smartAccountAddress"`
}

// ListVenues lists where agents can trade.
func (c *Client) ListVenues(ctx context.Context) ([]Venue, error) {
	var answer struct {
		Venues []Venue `json:"venues"`
	}
	err := c.call(ctx, request{method: http.MethodGet, path: "/copy/venues"}, &answer)
	return answer.Venues, err
}

// Leader is a wallet that can be copied, or one that cannot with the reasons why.
type Leader struct {
	Rank    int    `json:"rank"`
	Address string `json:"address"`
	// Venue is empty on the board of spot leaders.
	Venue string `json:"venue"`
	// Chain is nil at venues that are on no chain.
	Chain *string `json:"chain"`
	// Grade is A to F. Grade, Score and Confidence are nil when unrated, which is unknown, not bad.
	Grade   *string  `json:"grade"`
	Verdict string   `json:"verdict"`
	Score   *float64 `json:"score"`
	// Confidence is 0 to 1.
	Confidence   *float64   `json:"confidence"`
	SampleSize   int        `json:"sampleSize"`
	MirrorWorthy bool       `json:"mirrorWorthy"`
	GradedAt     string     `json:"gradedAt"`
	Reasons      []string   `json:"reasons"`
	Assessment   Assessment `json:"assessment"`
	// Disclosure must be shown next to simulated numbers; nil where there are none.
	Disclosure *string `json:"disclosure"`
	// Raw is the whole row as it came.
	Raw json.RawMessage `json:"-"`
}

// Assessment says whether a follower could have done what a leader did.
type Assessment struct {
	Mirrorable bool `json:"mirrorable"`
	// Evidence is closed-trades when that rests on trade history, venue-only when on the venue's own figures.
	Evidence string   `json:"evidence"`
	Reasons  []string `json:"reasons"`
}

// leader reads a row in either of its spellings.
func leader(l *Leader, raw json.RawMessage) {
	l.Raw = raw
	if l.Address == "" {
		var other struct {
			Wallet string `json:"wallet"`
		}
		if json.Unmarshal(raw, &other) == nil {
			l.Address = other.Wallet
		}
	}
}

func rowsOf(p *page) []json.RawMessage { return p.Rows }

// LeaderFilter leaves some of the leaders. The zero value leaves all.
type LeaderFilter struct {
	// Chain is a chain's slug, like base.
	Chain string
	// MirrorableOnly leaves those alone that passed the gate. ListLeaders lists no others in any case.
	MirrorableOnly bool
}

// ListLeaders lists the leaders of a venue that passed its gate, the best first.
func (c *Client) ListLeaders(ctx context.Context, venue string, filter LeaderFilter) iter.Seq2[Leader, error] {
	query := url.Values{"venue": {venue}}
	set(query, "chain", filter.Chain)
	return walk(ctx, c, request{path: "/copy/leaders", query: query}, rowsOf, leader)
}

// SpotLeaders lists the wallets that were early in tokens that rose: the mirrorable ones first, then the others with the reasons why not.
func (c *Client) SpotLeaders(ctx context.Context, filter LeaderFilter) iter.Seq2[Leader, error] {
	query := url.Values{}
	set(query, "chain", filter.Chain)
	if filter.MirrorableOnly {
		query.Set("mirrorableOnly", "1")
	}
	return walk(ctx, c, request{path: "/copy/spot-leaders", query: query}, rowsOf, leader)
}

// WalletOverview gives all that is known of a wallet's trading on a chain, as it came.
func (c *Client) WalletOverview(ctx context.Context, wallet, chain string) (json.RawMessage, error) {
	return c.Post(ctx, "/wallet-overview", map[string]string{"wallet": wallet, "chain": chain})
}

// Post asks any endpoint that takes its parameters in a body and needs no wallet, by its path under /v1, and gives the answer as it
// came.
func (c *Client) Post(ctx context.Context, path string, body any) (json.RawMessage, error) {
	var answer json.RawMessage
	err := c.call(ctx, request{method: http.MethodPost, path: path, body: body}, &answer)
	return answer, err
}

// Get asks any endpoint that takes its parameters in a query and needs no wallet, by its path under /v1, and gives the answer as it came.
func (c *Client) Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error) {
	var answer json.RawMessage
	err := c.call(ctx, request{method: http.MethodGet, path: path, query: query}, &answer)
	return answer, err
}
