package wallet

import (
	"context"

	"github.com/mirrorworthy/mirrorworthy/shared/copyrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

func gatherRecord(ctx context.Context, r *endpoint.Request) (*tradingrecord.Record, error) {
	return tradingrecord.Of(ctx, r.Session, endpoint.Chain.Of(r), endpoint.Wallet.Of(r), r.AsOf)
}

func gatherCopies(ctx context.Context, r *endpoint.Request) (*copyrecord.Record, error) {
	return copyrecord.Of(ctx, r.Session, endpoint.Chain.Of(r), endpoint.Wallet.Of(r), r.AsOf)
}
