package copytrade

import (
	"context"
	"fmt"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
)

// Running tells which leaders a wallet copies already. Nobody's wallet copies anybody where it is nil.
type Running interface {
	// RunningCopies lists a partner's copies for a wallet on a chain, each leader once and the newest first. A wallet that copies nobody
	// has none.
	RunningCopies(ctx context.Context, partner string, wallet chain.Address, on *chain.Chain) ([]RunningCopy, error)
}

// RunningCopy is a leader that a wallet copies.
type RunningCopy struct {
	Leader chain.Address
	// MaximumUSD is the most of the wallet's money that the copies of the leader may have at stake together; 0 where none is, as on paper.
	MaximumUSD float64
}

// runningOf lists the copies of the wallet that a request is about.
func runningOf(ctx context.Context, running Running, r *endpoint.Request) ([]RunningCopy, error) {
	if running == nil {
		return nil, nil
	}
	copies, err := running.RunningCopies(ctx, r.Partner, endpoint.Wallet.Of(r), endpoint.Chain.Of(r))
	if err != nil {
		return nil, fmt.Errorf("running copies: %w", err)
	}
	return copies, nil
}

// leadWallet is the leader a request is about.
var leadWallet = endpoint.Address("leadWallet", "The leader's address: 0x and 40 hexadecimal digits.")

// checkLeader refuses a wallet that would copy itself.
func checkLeader(_ context.Context, r *endpoint.Request) error {
	if leadWallet.Of(r) == endpoint.Wallet.Of(r) {
		return endpoint.Invalid("leadWallet", "leadWallet must be another wallet than wallet: nobody copies themselves.")
	}
	return nil
}
