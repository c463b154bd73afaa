package hyperliquid

import (
	"fmt"
	"sync"
	"time"
)

// The venue accepts nonces that are times in Unix milliseconds from two days before its present to one day after.
const (
	nonceAge   = 48 * time.Hour
	nonceAhead = 24 * time.Hour
)

// nonces gives each nonce once, growing ones, close to the time. One sequence for all keys is one for each of them.
type nonces struct {
	now func() time.Time

	mu   sync.Mutex
	last int64
}

// next fails where the clock was set back so far that the venue would refuse every nonce which is not used yet.
func (n *nonces) next() (uint64, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.now().UnixMilli()
	next := max(now, n.last+1)
	if now <= 0 || next-now >= nonceAhead.Milliseconds() {
		return 0, fmt.Errorf("the clock says %d ms, the last nonce was %d", now, n.last)
	}
	n.last = next
	return uint64(next), nil
}
