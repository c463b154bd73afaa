package leader

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/discovery"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const (
	// mostTokens and mostLinks bound what a finding lists, which must fit into a store.Finding.
	mostTokens = 200
	mostLinks  = 16
)

// earlyFinding is what a finding by EarlyBuyer says. It is the Data of the finding, in JSON.
type earlyFinding struct {
	discovery.Finding
	// StoodOutAt is the latest search that named the wallet. A finding that is newer tells what is left of it.
	StoodOutAt time.Time `json:"stoodOutAt"`
	// CheckedAt is when its money was looked into; Funders are whom it had it from before it first bought early.
	CheckedAt time.Time       `json:"checkedAt"`
	Funders   []chain.Address `json:"funders"`
}

// data writes the finding for the store. Of long lists it keeps the beginning: the latest tokens.
func (f earlyFinding) data() ([]byte, error) {
	f.Tokens = f.Tokens[:min(len(f.Tokens), mostTokens)]
	f.Siblings = f.Siblings[:min(len(f.Siblings), mostLinks)]
	f.Funders = f.Funders[:min(len(f.Funders), mostLinks)]
	return json.Marshal(f, json.Deterministic(true))
}

// earlyFindingOf reads how a leader was found among the first buyers of launches. The second result is false for one that was not.
func earlyFindingOf(leader *store.Leader) (earlyFinding, bool, error) {
	found, ok := findingBy(leader, EarlyBuyer)
	if !ok {
		return earlyFinding{}, false, nil
	}
	var f earlyFinding
	if err := json.Unmarshal(found.Data, &f); err != nil {
		return earlyFinding{}, false, fmt.Errorf("how %s was found among the first buyers of launches: %w", leader.Address, err)
	}
	if f.Wallet.String() != leader.Address || f.Older.Launches < 1 || !(f.AdjustedP >= 0 && f.AdjustedP <= 1) {
		return earlyFinding{}, false, fmt.Errorf("how %s was found among the first buyers of launches: it is of %s, with %d launches, p %v",
			leader.Address, f.Wallet, f.Older.Launches, f.AdjustedP)
	}
	return f, true, nil
}
