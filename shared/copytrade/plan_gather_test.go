package copytrade

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

func TestMoneyThatIsNotKnown(t *testing.T) {
	b := worthy()
	b.holdings[me] = nil
	if answer, body := b.plan(t, nil, ""); !answer.Copy || *answer.Plan.AllocationUSD != 0 || answer.RiskConfig != nil || !strings.Contains(body, "no dollar coins and no ETH on base") {
		t.Error(body)
	}
	b.hold(me, usdc, "USDC", 100)
	if answer, body := b.plan(t, nil, ""); !answer.Copy || !(*answer.Plan.AllocationUSD > 0) || !strings.Contains(body, "fees would take much of each copy") {
		t.Error(body)
	}
}

// What a plan rests on must be there: without it there is no plan. Tokens whose risk cannot be told cost no more than a warning.
func TestProvidersOfPlansThatFail(t *testing.T) {
	for _, what := range []string{"activity " + lead.String(), "holdings " + me.String(), "holdings " + lead.String(), "pools", "candles", "token-security"} {
		b := worthy()
		b.fail(what, fmt.Errorf("%w: down", market.ErrUnavailable))
		if a := b.request(t, "copy-plan", nil, ""); a.Status != http.StatusServiceUnavailable || a.Problem(t).Error != "provider_unavailable" {
			t.Errorf("%s: %d %s", what, a.Status, a.Body)
		}
	}
	b := worthy()
	b.fail("contract "+coinAt(1).String(), fmt.Errorf("%w: down", market.ErrUnavailable))
	answer, body := b.plan(t, nil, "")
	if !answer.Copy || answer.Coverage.TokensUnassessed != 1 || !strings.Contains(body, "The risk of 1 token of the leader's could not be told: T1.") {
		t.Error(body)
	}
}

func TestTokensThatAreNotReachedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := worthy()
		answer, body := answerOf[CopyPlanAnswer](t, (&slow{bazaar: b, token: coinAt(1)}).request(t))
		if !answer.Copy || !strings.Contains(body, "could not be told: T1 (for want of time: 1).") {
			t.Error(body)
		}
	})
}

// slow is a bazaar whose node never answers about a token.
type slow struct {
	*bazaar
	token chain.Address
}

func (s *slow) request(t *testing.T) endpointtest.Answer {
	t.Helper()
	e := CopyPlan(nil)
	e.Open = true
	sources := s.sources()
	sources.Contracts = s
	handler := endpoint.NewHandler(endpoint.Service{Sources: sources, Clock: func() time.Time { return now }, SingleTimeout: 30 * time.Second}, e)
	body := fmt.Sprintf(`{"wallet":"%s","leadWallet":"%s","chain":"base"}`, me, lead)
	return endpointtest.Call{Method: http.MethodPost, Path: "/v1/copy-plan", Body: body}.Do(t, handler)
}

func (s *slow) Contract(ctx context.Context, on *chain.Chain, token chain.Address) (*market.Contract, error) {
	if token == s.token {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.bazaar.Contract(ctx, on, token)
}
