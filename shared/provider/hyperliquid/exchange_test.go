package hyperliquid

import (
	"errors"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

func TestAnOrderIsPlacedFilledAndFoundAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.approve()
		agents, err := d.x.ApprovedAgents(t.Context(), d.owner.Address())
		if err != nil || len(agents) != 1 || agents[0].Address != d.key.Address() || agents[0].Name != "mirror" ||
			!agents[0].ValidUntil.After(deskStart) {
			t.Fatalf("%+v, %v", agents, err)
		}
		for _, coin := range []string{"BTC", "kPEPE", "SOL", "xyz:GOLD"} {
			if err := d.x.UpdateLeverage(t.Context(), d.key, coin, 3, true); err != nil {
				t.Fatal(err)
			}
			opening := d.buying(coin, 300)
			opened := d.order(opening)
			if opened.Status != Filled || !(opened.FilledSize > 0) || opened.FilledSize > opening.Size || opened.OrderID == 0 ||
				opened.AveragePrice > opening.Limit || opened.AveragePrice < opening.Limit/1.03 {
				t.Fatalf("%s: %+v of %+v", coin, opened, opening)
			}
			p := d.held(coin)
			if !near(p.Size, opened.FilledSize) || p.Leverage != 3 || math.Abs(p.EntryPrice/opened.AveragePrice-1) > 1e-4 {
				t.Errorf("%s: %+v after %+v", coin, p, opened)
			}
			found, err := d.x.OrderStatus(t.Context(), d.owner.Address(), opening.ClientID)
			if err != nil || found.Status != Filled || found.OrderID != opened.OrderID || !near(found.FilledSize, opened.FilledSize) ||
				!near(found.AveragePrice, opened.AveragePrice) || math.Abs(found.FeeUSD-0.00045*found.FilledSize*found.AveragePrice) > 4e-6 {
				t.Errorf("%s: found %+v, %v, placed %+v", coin, found, err, opened)
			}
			closing := OrderRequest{Coin: coin, Limit: opening.Limit / 1.04, Size: p.Size, ReduceOnly: true, ClientID: ClientID{2, 15: orders}}
			if closed := d.order(closing); closed.Status != Filled || !near(closed.FilledSize, p.Size) || d.held(coin).Size != 0 {
				t.Errorf("%s: %+v, left %+v", coin, closed, d.held(coin))
			}
		}
		if unknown, err := d.x.OrderStatus(t.Context(), d.owner.Address(), ClientID{9}); err != nil || unknown.Status != NotFound {
			t.Errorf("%+v, %v", unknown, err)
		}
		fills, err := d.x.adapter.PerpFills(t.Context(), d.owner.Address())
		if err != nil || len(fills.Fills) < 8 {
			t.Errorf("%+v, %v", fills, err)
		}
	})
}

func TestManyOrdersAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.approve()
		requests := make([]OrderRequest, 24)
		for i := range requests {
			requests[i] = d.buying([]string{"BTC", "SOL", "xyz:GOLD"}[i%3], 60)
		}
		var group sync.WaitGroup
		for _, request := range requests {
			group.Go(func() {
				if result, err := d.x.Order(t.Context(), d.key, request); err != nil || result.Status != Filled {
					t.Errorf("%+v, %v", result, err)
				}
			})
		}
		group.Wait()
		if value := d.held("SOL").ValueUSD; math.Abs(value-8*60) > 10 {
			t.Errorf("%g USD are held", value)
		}
	})
}

func TestRefusalsHaveReasons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		if result := d.order(d.buying("BTC", 100)); result.Status != Rejected || result.Reason != ReasonAgent {
			t.Errorf("before it was approved: %+v", result)
		}
		d.approve()
		first := d.buying("BTC", 100)
		if result := d.order(first); result.Status != Filled {
			t.Fatalf("%+v", result)
		}
		for reason, change := range map[Reason]func(*OrderRequest){
			ReasonMinimum:    func(o *OrderRequest) { o.Size /= 11 },
			ReasonSize:       func(o *OrderRequest) { o.Size = 1e-9 },
			ReasonMargin:     func(o *OrderRequest) { o.Size *= 3_000 },
			ReasonNoMatch:    func(o *OrderRequest) { o.Limit *= 0.9 },
			ReasonReduceOnly: func(o *OrderRequest) { o.ReduceOnly = true },
			ReasonPrice:      func(o *OrderRequest) { o.Limit *= 3 },
			ReasonDuplicate:  func(o *OrderRequest) { o.ClientID = first.ClientID },
		} {
			request := d.buying("BTC", 100)
			change(&request)
			result := d.order(request)
			if result.Status != Rejected || result.Reason != reason || result.Text == "" || result.FilledSize != 0 || !math.IsNaN(result.AveragePrice) {
				t.Errorf("%s: %+v", reason, result)
			}
			if reason == ReasonSize || reason == ReasonDuplicate {
				continue
			}
			found, err := d.x.OrderStatus(t.Context(), d.owner.Address(), request.ClientID)
			if err != nil || found.Status != Rejected || found.Reason != reason {
				t.Errorf("%s: found %+v, %v", reason, found, err)
			}
		}
		var refused *Refusal
		if err := d.x.Cancel(t.Context(), d.key, "BTC", first.ClientID); !errors.As(err, &refused) || refused.Reason != ReasonMissing {
			t.Error(err)
		}
		d.market.SetFault(samplemarket.HyperliquidExchange, samplemarket.Fault{Kind: samplemarket.FaultRateLimit})
		if result := d.order(d.buying("BTC", 100)); result.Status != Rejected || result.Reason != ReasonRate {
			t.Errorf("%+v", result)
		}
		d.market.SetFault(samplemarket.HyperliquidExchange, samplemarket.Fault{})
		time.Sleep(91 * 24 * time.Hour)
		if result := d.order(d.buying("BTC", 100)); result.Reason != ReasonAgent {
			t.Errorf("after its time: %+v", result)
		}
	})
}

func TestWhatAnAccountDidNotSignIsNotForwarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		now := d.x.adapter.client.Now()
		for name, change := range map[string]func(*Approval){
			"another account": func(a *Approval) { a.Account = chain.Address{1} }, "another agent": func(a *Approval) { a.Agent = chain.Address{1} },
			"another name": func(a *Approval) { a.Name = "other" }, "another time": func(a *Approval) { a.Nonce++ },
			"another chain": func(a *Approval) { a.SignatureChainID = 1 }, "short": func(a *Approval) { a.Signature = a.Signature[:64] },
			"for another network": func(a *Approval) { a.Signature = signed(t, d.owner, a.digest(Testnet)) },
			"the twin of s":       func(a *Approval) { a.Signature = twin(a.Signature) },
			"of another kind": func(a *Approval) {
				a.Signature[64] += 4
			},
			"too old": func(a *Approval) {
				a.Nonce = uint64(now.Add(-49 * time.Hour).UnixMilli())
				a.Signature = signed(t, d.owner, a.digest(Mainnet))
			},
			"itself": func(a *Approval) {
				a.Agent = a.Account
				a.Signature = signed(t, d.owner, a.digest(Mainnet))
			},
		} {
			approval := d.approval("mirror")
			change(&approval)
			if err := d.x.ApproveAgent(t.Context(), approval); !errors.Is(err, ErrInvalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if len(d.sent) != 0 {
			t.Errorf("%q were sent", d.sent)
		}
		low := d.approval("mirror")
		low.Signature[64] -= 27
		if err := d.x.ApproveAgent(t.Context(), low); err != nil {
			t.Error("v of 0 or 1:", err)
		}
		var refused *Refusal
		if err := d.x.ApproveAgent(t.Context(), low); !errors.As(err, &refused) || refused.Reason != ReasonNonce {
			t.Error("twice:", err)
		}
	})
}

// twin is the other signature of the same message by the same key.
func twin(signature []byte) []byte {
	var s secp256k1.ModNScalar
	s.SetByteSlice(signature[32:64])
	negative := s.Negate().Bytes()
	return slices.Concat(signature[:32], negative[:], []byte{signature[64] ^ 7}) // 27 ^ 7 is 28
}
