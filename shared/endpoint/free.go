package endpoint

import (
	"net"
	"net/http"
	"net/netip"
	"time"

	"golang.org/x/time/rate"
)

// freeRequests bounds, in memory, the requests that cost no units: by key where one is known, else by source address.
type freeRequests struct {
	byKey, byAddress *limiters[string]
}

func newFreeRequests(byKey, byAddress RequestLimit) *freeRequests {
	limited := func(limit RequestLimit) *limiters[string] {
		return newLimiters(func(string) *rate.Limiter { return rate.NewLimiter(rate.Limit(limit.PerSecond), limit.Burst) })
	}
	return &freeRequests{byKey: limited(byKey), byAddress: limited(byAddress)}
}

func (f *freeRequests) limiter(c *call, r *http.Request) *rate.Limiter {
	if c.identity != nil {
		return f.byKey.of(c.identity.KeyID)
	}
	return f.byAddress.of(sourceOf(r.RemoteAddr))
}

// exhausted tells how long the caller has to wait for its next free request; 0 when it may have one now.
func (f *freeRequests) exhausted(c *call, r *http.Request) time.Duration {
	limiter := f.limiter(c, r)
	if missing := 1 - limiter.TokensAt(c.receivedAt); missing > 0 {
		return time.Duration(missing / float64(limiter.Limit()) * float64(time.Second))
	}
	return 0
}

// count notes that a request was free.
func (f *freeRequests) count(c *call, r *http.Request) {
	f.limiter(c, r).AllowN(c.receivedAt, 1)
}

// sourceOf is whom a remote address stands for: the address without its port, and for IPv6 the network that one subscriber
// usually has, a /64.
func sourceOf(remote string) string {
	host := remote
	if split, _, err := net.SplitHostPort(remote); err == nil {
		host = split
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	address = address.Unmap()
	if address.Is6() {
		network, err := address.Prefix(64)
		if err == nil {
			return network.String()
		}
	}
	return address.String()
}
