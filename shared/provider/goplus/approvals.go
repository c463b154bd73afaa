package goplus

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// approvedToken is one token, or collection of NFTs, over which the wallet gave permissions.
type approvedToken struct {
	TokenAddress upstream.Text             `json:"token_address"`
	TokenName    upstream.Text             `json:"token_name"`
	TokenSymbol  upstream.Text             `json:"token_symbol"`
	NFTAddress   upstream.Text             `json:"nft_address"`
	NFTName      upstream.Text             `json:"nft_name"`
	NFTSymbol    upstream.Text             `json:"nft_symbol"`
	Decimals     upstream.Number           `json:"decimals"`
	Malicious    upstream.Flag             `json:"malicious_address"`
	Approved     upstream.Rows[permission] `json:"approved_list"`
}

type permission struct {
	Spender upstream.Text `json:"approved_contract"`
	// Amount is in token units, or the word Unlimited.
	Amount upstream.Number `json:"approved_amount"`
	Time   upstream.Number `json:"approved_time"`
	// ForAll is No for the permission over a single NFT, and unknown where the kind of token knows no other.
	ForAll upstream.Flag `json:"approved_for_all"`
	Info   contract      `json:"address_info"`
}

// contract is what the service says of a spender.
type contract struct {
	Name       upstream.Text                `json:"contract_name"`
	Tag        upstream.Text                `json:"tag"`
	DeployedAt upstream.Number              `json:"deployed_time"`
	Contract   upstream.Flag                `json:"is_contract"`
	OpenSource upstream.Flag                `json:"is_open_source"`
	Trusted    upstream.Flag                `json:"trust_list"`
	Doubted    upstream.Flag                `json:"doubt_list"`
	Malicious  upstream.Rows[upstream.Text] `json:"malicious_behavior"`
}

// Approvals lists what the service's index holds of a wallet's permissions: allowances of tokens, and of NFT collections
// those over the whole collection. They are ordered by token, spender and kind, and not yet compared with the chain.
func (a *Adapter) Approvals(ctx context.Context, on *chain.Chain, wallet chain.Address) ([]market.Approval, error) {
	lists := [...]struct {
		name string
		kind market.ApprovalKind
	}{
		{"token_approval_security", market.AllowanceApproval},
		{"nft721_approval_security", market.OperatorApproval},
		{"nft1155_approval_security", market.OperatorApproval},
	}
	var answers [len(lists)][]market.Approval
	calls, ctx := parallel.WithContext(ctx)
	for i, list := range lists {
		calls.Go(func() error {
			path := "/api/v2/" + list.name + "/" + strconv.FormatInt(on.ID, 10)
			tokens, _, err := get[upstream.Rows[approvedToken]](ctx, a.client, path, url.Values{"addresses": {wallet.String()}})
			if err != nil {
				return err
			}
			approvals, dropped := readApprovals(tokens, list.kind, a.client.Now())
			a.client.Drop(path, dropped)
			answers[i] = approvals
			return nil
		})
	}
	if err := calls.Wait(); err != nil {
		return nil, err
	}
	all := slices.Concat(answers[:]...)
	slices.SortStableFunc(all, func(a, b market.Approval) int {
		return cmp.Or(a.Token.Address.Compare(b.Token.Address),
			a.Spender.Address.Compare(b.Spender.Address), cmp.Compare(a.Kind, b.Kind))
	})
	return slices.CompactFunc(all, func(a, b market.Approval) bool {
		return a.Token.Address == b.Token.Address && a.Spender.Address == b.Spender.Address && a.Kind == b.Kind
	}), nil
}

func readApprovals(tokens upstream.Rows[approvedToken], kind market.ApprovalKind, now time.Time) ([]market.Approval, int) {
	var approvals []market.Approval
	dropped := tokens.Dropped
	for i := range tokens.Good {
		row := &tokens.Good[i]
		token, ok := row.token()
		if !ok {
			dropped++
			continue
		}
		dropped += row.Approved.Dropped
		for j := range row.Approved.Good {
			permission := &row.Approved.Good[j]
			spender, err := chain.ParseWireAddress(string(permission.Spender))
			if err != nil {
				dropped++
				continue
			}
			if kind == market.OperatorApproval && market.Tristate(permission.ForAll) == market.No {
				continue
			}
			granted, _ := permission.Time.Seconds(now)
			approval := market.Approval{Token: token, Spender: permission.Info.spender(spender, now), Kind: kind, GrantedAt: granted}
			if kind == market.OperatorApproval || permission.Amount == "Unlimited" {
				approval.Unlimited = true
				approval.Amount.SetAllOne()
			} else if amount, ok := permission.Amount.Units(token.Decimals); ok && token.Known {
				approval.Amount = amount
			}
			approvals = append(approvals, approval)
		}
	}
	return approvals, dropped
}

func (t *approvedToken) token() (market.Token, bool) {
	address, err := chain.ParseWireAddress(string(cmp.Or(t.TokenAddress, t.NFTAddress)))
	if err != nil {
		return market.Token{}, false
	}
	decimals, known := t.Decimals.Decimals()
	return market.Token{
		Address: address, Symbol: string(cmp.Or(t.TokenSymbol, t.NFTSymbol)), Name: string(cmp.Or(t.TokenName, t.NFTName)),
		Decimals: decimals, Known: known, Spam: market.Tristate(t.Malicious) == market.Yes,
	}, true
}

func (c *contract) spender(address chain.Address, now time.Time) market.Spender {
	deployed, _ := c.DeployedAt.Seconds(now)
	malicious := market.Tristate(c.Doubted)
	if len(c.Malicious.Good) > 0 {
		malicious = market.Yes
	}
	trusted := market.Tristate(c.Trusted)
	if trusted == market.No {
		// Not being on the short list of trusted contracts is no finding.
		trusted = market.Unknown
	}
	return market.Spender{
		Address: address, Name: string(cmp.Or(c.Name, c.Tag)), Contract: market.Tristate(c.Contract),
		Verified: market.Tristate(c.OpenSource), Trusted: trusted, Malicious: malicious, DeployedAt: deployed,
	}
}

// Spenders describes contracts that hold permissions. One that the service does not know is missing.
func (a *Adapter) Spenders(ctx context.Context, on *chain.Chain, accounts []chain.Address) (map[chain.Address]market.Spender, error) {
	return perAddress(ctx, accounts, func(ctx context.Context, account chain.Address) (market.Spender, bool, error) {
		found, known, err := get[contract](ctx, a.client, "/api/v1/approval_security/"+strconv.FormatInt(on.ID, 10),
			url.Values{"contract_addresses": {account.String()}})
		if err != nil || !known {
			return market.Spender{}, false, err
		}
		return found.spender(account, a.client.Now()), true, nil
	})
}
