package trader

import (
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// Exchange is a quantity of a token that changed hands between two accounts for value.
type Exchange struct {
	Token         chain.Address
	Seller, Buyer chain.Address
	// Quantity is in token units.
	Quantity float64
	Time     time.Time
}
