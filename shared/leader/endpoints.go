package leader

import "github.com/mirrorworthy/mirrorworthy/shared/endpoint"

// shelf is what the endpoints read.
type shelf struct{ memory Memory }

// Endpoints lists the endpoints of the boards, in the order of the API document.
func Endpoints(memory Memory) []endpoint.Endpoint {
	s := shelf{memory}
	return []endpoint.Endpoint{
		s.traderBoard(), traderLeaderboard(), s.strategies(), s.topTraders(), s.spotLeaders(), s.trackRecord(), s.copyLeaders(),
	}
}
