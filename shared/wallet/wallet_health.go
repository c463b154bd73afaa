package wallet

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/parallel"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

// WalletHealthAnswer says how exposed a wallet is to being drained through permissions it gave away.
type WalletHealthAnswer struct {
	// Health says how exposed the wallet is. One of healthy, fair, at-risk or exposed.
	Health string `json:"health"`
	// HealthScore is 0 to 100, the higher the healthier; null when unknown.
	HealthScore *float64 `json:"healthScore"`
	// RecommendedActions are sentences for the wallet's owner, the most urgent first, at most five.
	RecommendedActions []string `json:"recommendedActions"`
	// ExposedSharePct is the part of the portfolio that risky spenders could take, weighed by how risky they are.
	ExposedSharePct *float64 `json:"exposedSharePct"`
	// OpenApprovals counts the approvals that stand.
	OpenApprovals int `json:"openApprovals"`
	// UnlimitedApprovals counts those of them without a limit.
	UnlimitedApprovals int `json:"unlimitedApprovals"`
	// RiskyApprovals counts those of them whose spender is risky.
	RiskyApprovals int `json:"riskyApprovals"`
	// Delegated is true when the account has handed its execution to a contract (EIP-7702).
	Delegated bool `json:"delegated"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// WalletHealth declares wallet-health.
func WalletHealth() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "wallet-health", Units: 2, Graded: true,
		Summary:    "Says how exposed a wallet is through its approvals and delegations, and what to revoke.",
		Parameters: []endpoint.Parameter{endpoint.Wallet, endpoint.Chain},
		Needs:      []market.Port{market.ApprovalFacts, market.HoldingFacts, market.CodeFacts, market.PoolFacts, market.AddressSecurityFacts},
	}, gatherExposure, assessWalletHealth)
}

// exposure is what a wallet holds and whom it lets take from it.
type exposure struct {
	chain     *chain.Chain
	approvals *market.Approvals
	holdings  []market.Holding
	code      market.Code
	// security holds what is known of spenders and of the delegate.
	security map[chain.Address]market.AddressSecurity
	// pools price the holdings that the explorer has no price for.
	pools map[chain.Address][]market.Pool
}

// maximumPricedHoldings bounds how many unpriced holdings are looked up.
const maximumPricedHoldings = 60

func gatherExposure(ctx context.Context, r *endpoint.Request) (exposure, error) {
	on, wallet, sources := endpoint.Chain.Of(r), endpoint.Wallet.Of(r), r.Session.Sources
	e := exposure{chain: on}
	group, groupCtx := parallel.WithContext(ctx)
	group.Go(func() (err error) {
		e.approvals, err = sources.Approvals.Approvals(groupCtx, on, wallet)
		return err
	})
	group.Go(func() (err error) {
		e.holdings, err = gatherHoldings(groupCtx, r)
		return err
	})
	group.Go(func() (err error) {
		e.code, err = sources.Code.Code(groupCtx, on, wallet)
		return err
	})
	if err := group.Wait(); err != nil {
		return e, err
	}
	group, groupCtx = parallel.WithContext(ctx)
	accounts, tokens := e.trusted(), e.unpriced()
	if len(accounts) > 0 {
		group.Go(func() (err error) {
			e.security, err = sources.AddressSecurity.AddressSecurity(groupCtx, on, accounts)
			return err
		})
	}
	if len(tokens) > 0 {
		group.Go(func() (err error) {
			e.pools, err = sources.Pools.Pools(groupCtx, on, tokens)
			return err
		})
	}
	return e, group.Wait()
}

// trusted lists the accounts that may act for the wallet, each once, in order.
func (e exposure) trusted() []chain.Address {
	var accounts []chain.Address
	for i := range e.approvals.Open {
		accounts = append(accounts, e.approvals.Open[i].Spender.Address)
	}
	if !e.code.Delegate.IsZero() {
		accounts = append(accounts, e.code.Delegate)
	}
	return sorted(accounts)
}

func (e exposure) unpriced() []chain.Address {
	var tokens []chain.Address
	for i := range e.holdings {
		h := &e.holdings[i]
		if h.Token.Known && !h.Token.Spam && !(h.PriceUSD > 0) && !h.Amount.IsZero() && len(tokens) < maximumPricedHoldings {
			tokens = append(tokens, h.Token.Address)
		}
	}
	return sorted(tokens)
}

// sorted orders addresses and drops repetitions.
func sorted(addresses []chain.Address) []chain.Address {
	slices.SortFunc(addresses, func(a, b chain.Address) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(addresses)
}

// value is what a holding is worth in USD; zero without a price.
func (e exposure) value(h *market.Holding) float64 {
	if !h.Token.Known || h.Token.Spam {
		return 0
	}
	price := h.PriceUSD
	if !(price > 0) {
		pool, found := tradingrecord.DeepestPool(e.pools[h.Token.Address])
		if !found || !(pool.PriceUSD > 0) {
			return 0
		}
		price = pool.PriceUSD
	}
	return market.Units(&h.Amount, h.Token.Decimals) * price
}

// How risky it is, from 0 to 1, to let a spender take tokens.
const (
	riskBlacklisted     = 1.0
	riskAccount         = 0.9 // an externally owned account: spenders should be contracts
	riskYoungUnverified = 0.7
	riskUpgradeable     = 0.5 // one account can replace its code
	riskUnverified      = 0.4
	riskUndescribed     = 0.2 // nothing is known of it
	riskVerified        = 0.1 // verified source, not a known protocol
	riskProtocol        = 0.05
	riskyFrom           = 0.4

	youngDays    = 90
	staleDays    = 180
	staleFactor  = 1.2
	riskyPenalty = 5
	riskyCounted = 6
	listPenalty  = 40
	codePenalty  = 40
)

// risk grades a spender and says in a few words why.
func (e exposure) risk(a *market.Approval, asOf time.Time) (r float64, blacklisted bool, why string) {
	s := &a.Spender
	listed := s.Malicious == market.Yes || e.security[s.Address].Malicious == market.Yes
	young := !s.DeployedAt.IsZero() && asOf.Sub(s.DeployedAt) < youngDays*24*time.Hour
	switch {
	case listed:
		return riskBlacklisted, true, "on a public scam list"
	case s.Contract == market.No:
		r, why = riskAccount, "a personal account, not a contract"
	case s.Verified == market.No && young:
		r, why = riskYoungUnverified, "unverified and new"
	case s.UpgradeableByAccount == market.Yes:
		r, why = riskUpgradeable, "one account can replace its code"
	case s.Verified == market.No:
		r, why = riskUnverified, "unverified"
	case s.Trusted == market.Yes:
		r, why = riskProtocol, "a known protocol"
	case s.Verified == market.Yes:
		r, why = riskVerified, "verified"
	default:
		r, why = riskUndescribed, "not described by any source"
	}
	if stale(a, asOf) {
		r = min(1, r*staleFactor)
		why += ", granted " + display.DurationText(asOf.Sub(a.GrantedAt)) + " ago"
	}
	return r, false, why
}

// stale tells whether an approval was given long ago.
func stale(a *market.Approval, asOf time.Time) bool {
	return !a.GrantedAt.IsZero() && asOf.Sub(a.GrantedAt) > staleDays*24*time.Hour
}

// judged is an approval with its risk.
type judged struct {
	*market.Approval
	risk        float64
	blacklisted bool
	why         string
	stale       bool
	exposedUSD  float64
}

func (e exposure) judge(asOf time.Time) []judged {
	balances := make(map[chain.Address]*market.Holding, len(e.holdings))
	for i := range e.holdings {
		balances[e.holdings[i].Token.Address] = &e.holdings[i]
	}
	all := make([]judged, 0, len(e.approvals.Open))
	for i := range e.approvals.Open {
		a := &e.approvals.Open[i]
		if a.Token.Spam || (!a.ExpiresAt.IsZero() && a.ExpiresAt.Before(asOf)) || (a.Kind != market.OperatorApproval && a.Amount.IsZero()) {
			continue
		}
		j := judged{Approval: a, stale: stale(a, asOf)}
		j.risk, j.blacklisted, j.why = e.risk(a, asOf)
		if held, found := balances[a.Token.Address]; found && a.Kind != market.OperatorApproval {
			whole := e.value(held)
			part := 1.0
			if a.Amount.Lt(&held.Amount) {
				part = a.Amount.Float64() / held.Amount.Float64()
			}
			j.exposedUSD = whole * part
		}
		all = append(all, j)
	}
	slices.SortStableFunc(all, func(a, b judged) int {
		switch {
		case a.risk*a.exposedUSD != b.risk*b.exposedUSD:
			return compareDescending(a.risk*a.exposedUSD, b.risk*b.exposedUSD)
		case a.risk != b.risk:
			return compareDescending(a.risk, b.risk)
		}
		if c := bytes.Compare(a.Token.Address[:], b.Token.Address[:]); c != 0 {
			return c
		}
		return bytes.Compare(a.Spender.Address[:], b.Spender.Address[:])
	})
	return all
}

func compareDescending(a, b float64) int {
	if a > b {
		return -1
	}
	return 1
}

// maximumActions is how many recommendations are given at most.
const maximumActions = 5

func assessWalletHealth(e exposure, asOf time.Time) WalletHealthAnswer {
	approvals := e.judge(asOf)
	portfolio := 0.0
	for i := range e.holdings {
		portfolio += e.value(&e.holdings[i])
	}
	atRisk := make(map[chain.Address]float64)
	answer := WalletHealthAnswer{RecommendedActions: []string{}, OpenApprovals: len(approvals), Delegated: !e.code.Delegate.IsZero()}
	drained, riskyUnlimited, blacklisted := 0.0, 0, 0
	for i := range approvals {
		a := &approvals[i]
		if loss := a.risk * a.exposedUSD; loss > atRisk[a.Token.Address] {
			drained += loss - atRisk[a.Token.Address]
			atRisk[a.Token.Address] = loss
		}
		unlimited := a.Unlimited || a.Kind == market.OperatorApproval
		if unlimited {
			answer.UnlimitedApprovals++
		}
		if a.risk >= riskyFrom {
			answer.RiskyApprovals++
			if unlimited {
				riskyUnlimited++
			}
			if len(answer.RecommendedActions) < maximumActions {
				answer.RecommendedActions = append(answer.RecommendedActions, e.revoke(a))
			}
		}
		if a.blacklisted {
			blacklisted++
		}
	}
	share := 0.0
	if portfolio > 0 {
		share = min(1, drained/portfolio)
	}
	unknownCode := answer.Delegated && !knownDelegate(e.code.Delegate)
	score := 100*(1-share)*(1-share) - riskyPenalty*float64(min(riskyCounted, riskyUnlimited))
	if blacklisted > 0 {
		score -= listPenalty
	}
	if unknownCode {
		score -= codePenalty
		answer.RecommendedActions = append([]string{fmt.Sprintf("Remove this account's delegation to the code at %s unless you set it up yourself.", e.code.Delegate.Short())},
			answer.RecommendedActions[:min(len(answer.RecommendedActions), maximumActions-1)]...)
	}
	score = max(0, min(100, score))
	answer.Health = healthBand(score)
	answer.HealthScore = display.Score(score)
	answer.ExposedSharePct = display.Percent(share)
	answer.Reasons = reason.Top(e.healthReasons(answer, approvals, share, blacklisted, unknownCode))
	return answer
}

func healthBand(score float64) string {
	switch {
	case score >= 80:
		return "healthy"
	case score >= 60:
		return "fair"
	case score >= 35:
		return "at-risk"
	}
	return "exposed"
}

// knownDelegate tells whether an EIP-7702 delegation points at an account implementation that a wallet's maker publishes.
func knownDelegate(code chain.Address) bool {
	switch code.String() {
	case "0x63c0c19a282a1b52b07dd5a65b58948a07dae32b", // MetaMask
		"0x7702cb554e6bfb442cb743a7df23154544a7176c", // Coinbase
		"0x000000009b1d0af20d8c6d0a44e162d11f9b8f00", // Uniswap
		"0x80296ff8d1ed46f8e3c7992664d13b833504c2bb": // OKX
		return true
	}
	return false
}

// revoke is the recommendation to take one approval back.
func (e exposure) revoke(a *judged) string {
	extent := "approval"
	if a.Unlimited {
		extent = "unlimited approval"
	}
	if a.Kind == market.OperatorApproval {
		extent = "approval of the whole collection"
	}
	return fmt.Sprintf("Revoke the %s of %s to %s (%s).", extent,
		display.Symbol(e.chain, a.Token.Address, a.Token.Symbol), spenderText(&a.Spender), a.why)
}

// spenderText names a spender. The name is what its deployer chose, perhaps to pass for another's: the address stands beside it.
func spenderText(s *market.Spender) string {
	name, short := display.Name(s.Address, s.Name), s.Address.Short()
	if name == short {
		return short
	}
	return name + " at " + short
}

func (e exposure) healthReasons(answer WalletHealthAnswer, approvals []judged, share float64, blacklisted int, unknownCode bool) []reason.Reason {
	var reasons []reason.Reason
	if blacklisted > 0 {
		var worst *judged
		for i := range approvals {
			if approvals[i].blacklisted {
				worst = &approvals[i]
				break
			}
		}
		reasons = append(reasons, because("BLACKLISTED", 1, "%s is on a public scam list and may still take tokens.", spenderText(&worst.Spender)))
	}
	if unknownCode {
		reasons = append(reasons, because("DELEGATED", 0.95, "The account runs code at %s, which is not a wallet maker's known implementation.", e.code.Delegate.Short()))
	}
	if answer.RiskyApprovals > 0 {
		reasons = append(reasons, because("APPROVAL_RISK", 0.9, "%s %s; weighed by risk, %s of the portfolio could be taken.",
			display.Count(answer.RiskyApprovals, "open approval"), toRisky(answer.RiskyApprovals), display.PercentText(share)))
	}
	if stale := staleApprovals(approvals); stale > 0 {
		reasons = append(reasons, because("STALE_APPROVAL", 0.5, "Granted more than %d days ago: %s.", staleDays, display.Count(stale, "approval")))
	}
	switch {
	case len(approvals) == 0:
		reasons = append(reasons, because("NONE", 0.8, "No open approvals found."))
	case answer.RiskyApprovals == 0:
		reasons = append(reasons, because("CLEAN", 0.8, "No sign of a risky spender among %s.", display.Count(len(approvals), "open approval")))
	}
	if answer.UnlimitedApprovals > 0 && answer.RiskyApprovals == 0 {
		reasons = append(reasons, because("UNLIMITED", 0.4, "%s unlimited, which is common and by itself no danger.", countOf(answer.UnlimitedApprovals)))
	}
	if e.approvals.Unread > 0 {
		reasons = append(reasons, because("UNREAD", 0.3, "Could not be checked on chain and are not counted: %s.", display.Count(e.approvals.Unread, "listed approval")))
	}
	if len(reasons) < 2 {
		reasons = append(reasons, because("NO_DELEGATION", 0.2, "No sign of delegated account code."))
	}
	return reasons
}

func countOf(n int) string {
	if n == 1 {
		return "One approval is"
	}
	return fmt.Sprintf("%d approvals are", n)
}

func toRisky(approvals int) string {
	if approvals == 1 {
		return "goes to a risky spender"
	}
	return "go to risky spenders"
}

func staleApprovals(approvals []judged) int {
	n := 0
	for i := range approvals {
		if approvals[i].stale {
			n++
		}
	}
	return n
}
