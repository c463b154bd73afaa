// Package goplus reads what GoPlus Security says of tokens, accounts and approvals (https://docs.gopluslabs.io).
//
// It asks GET /api/v1/token_security and /api/v1/address_security, one address a call as the service wants it without a key,
// and GET /api/v2/token_approval_security, nft721_approval_security and nft1155_approval_security. It stays under the 30
// calls a minute that the service lets one address make. What the service does not say is unknown, never a no.
//
// It judges nothing: an approval here is what the service's index holds, which may be spent or revoked by now.
package goplus

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

const parallelCalls = 4

// Adapter implements market.TokenSecurityPort and market.AddressSecurityPort, and lists approvals.
type Adapter struct{ client *upstream.Client }

var (
	_ market.TokenSecurityPort   = (*Adapter)(nil)
	_ market.AddressSecurityPort = (*Adapter)(nil)
)

// Defaults is the public service within its limits.
func Defaults() upstream.Config {
	return upstream.Config{
		Name: "goplus", Base: "https://api.gopluslabs.io", PerMinute: 28, Burst: 10, Concurrency: parallelCalls,
		Timeout: 6 * time.Second, Examine: overload,
	}
}

// New reads through a client whose base is the service's root. Its limits are those of Defaults, which also tell overload from answers.
func New(client *upstream.Client) *Adapter { return &Adapter{client: client} }

// The service's codes, which come with HTTP status 200.
const (
	codeComplete   = 1
	codePartial    = 2
	codeBadAddress = 2004
	codeBadChain   = 2018
	codeNoContract = 2020
	codeNoInfo     = 2021
	codeTooMuch    = 4029
	codeSystem     = 5000
)

type envelope[T any] struct {
	Code   upstream.Number `json:"code"`
	Result T               `json:"result"`
}

// overload is an error for an answer in which the service reports its rate limit or a failure of its own.
func overload(response *upstream.Response) error {
	envelope, err := upstream.JSON[struct {
		Code upstream.Number `json:"code"`
	}](response)
	if err != nil {
		return nil // left to the decoder
	}
	switch code, _ := envelope.Code.Int(); code {
	case codeTooMuch:
		return errors.New("rate limit (code 4029)")
	case codeSystem:
		return errors.New("system error (code 5000)")
	}
	return nil
}

// get asks and takes the result out of its envelope. The second result is false when the service knows nothing of the
// thing asked for.
func get[T any](ctx context.Context, c *upstream.Client, path string, query url.Values) (T, bool, error) {
	var zero T
	answer, err := upstream.Get(ctx, c, path, query, func(response *upstream.Response) (envelope[jsontext.Value], error) {
		if err := overload(response); err != nil {
			return envelope[jsontext.Value]{}, err
		}
		answer, err := upstream.JSON[envelope[jsontext.Value]](response)
		if err != nil {
			return answer, err
		}
		switch code, _ := answer.Code.Int(); code {
		case codeComplete, codePartial, codeBadAddress, codeNoContract, codeNoInfo:
			return answer, nil
		case codeBadChain:
			return answer, errors.New("chain not covered (code 2018)")
		default:
			return answer, fmt.Errorf("%w: code %d", upstream.ErrUnreadable, code)
		}
	})
	if err != nil {
		return zero, false, err
	}
	switch code, _ := answer.Code.Int(); code {
	case codeBadAddress, codeNoContract, codeNoInfo:
		return zero, false, nil
	}
	if len(answer.Result) == 0 || answer.Result.Kind() == 'n' {
		return zero, false, nil
	}
	if err := upstream.Unmarshal(answer.Result, &zero); err != nil {
		return zero, false, &upstream.Error{Provider: c.Name(), Path: path, Err: fmt.Errorf("%w: %w", upstream.ErrUnreadable, err)}
	}
	return zero, true, nil
}

// perAddress asks for each address once, a few at a time.
func perAddress[T any](ctx context.Context, addresses []chain.Address, ask func(context.Context, chain.Address) (T, bool, error)) (map[chain.Address]T, error) {
	var (
		mu    sync.Mutex
		found = make(map[chain.Address]T, len(addresses))
		asked = slices.Clone(addresses)
	)
	calls, ctx := parallel.WithContext(ctx)
	slices.SortFunc(asked, chain.Address.Compare)
	calls.SetLimit(parallelCalls)
	for _, address := range slices.Compact(asked) {
		calls.Go(func() error {
			value, known, err := ask(ctx, address)
			if err == nil && known {
				mu.Lock()
				found[address] = value
				mu.Unlock()
			}
			return err
		})
	}
	if err := calls.Wait(); err != nil {
		return nil, err
	}
	return found, nil
}

// accusations are the lists that name an account for taking what is not its own, or for helping to. The service's other
// flags (gas abuse, odd interfaces, being a contract) say nothing of the kind.
var accusations = []string{
	"blackmail_activities", "blacklist_doubt", "cybercrime", "darkweb_transactions", "fake_kyc", "fake_token", "financial_crime",
	"honeypot_related_address", "malicious_mining_activities", "mixer", "money_laundering", "phishing_activities", "sanctioned",
	"stealing_attack",
}

const maliciousContracts = "number_of_malicious_contracts_created"

// AddressSecurity reads what lists say of accounts.
func (a *Adapter) AddressSecurity(ctx context.Context, on *chain.Chain, accounts []chain.Address) (map[chain.Address]market.AddressSecurity, error) {
	return perAddress(ctx, accounts, func(ctx context.Context, account chain.Address) (market.AddressSecurity, bool, error) {
		flags, known, err := get[map[string]jsontext.Value](ctx, a.client, "/api/v1/address_security/"+account.String(),
			url.Values{"chain_id": {strconv.FormatInt(on.ID, 10)}})
		if err != nil || !known || len(flags) == 0 {
			return market.AddressSecurity{}, false, err
		}
		return readAccount(flags, account), true, nil
	})
}

func readAccount(flags map[string]jsontext.Value, account chain.Address) market.AddressSecurity {
	finding := market.AddressSecurity{Address: account}
	for _, name := range accusations {
		var flag upstream.Flag
		if body, found := flags[name]; !found || upstream.Unmarshal(body, &flag) != nil {
			continue
		}
		switch market.Tristate(flag) {
		case market.Yes:
			finding.Reasons = append(finding.Reasons, words(name))
		case market.No:
			finding.Malicious = market.No
		}
	}
	var count upstream.Number
	if body, found := flags[maliciousContracts]; found && upstream.Unmarshal(body, &count) == nil {
		if created, ok := count.Count(); ok && created > 0 {
			finding.Reasons = append(finding.Reasons, "malicious contracts created")
		} else if ok {
			finding.Malicious = market.No
		}
	}
	if len(finding.Reasons) > 0 {
		finding.Malicious = market.Yes
	}
	return finding
}

func words(name string) string { return strings.ReplaceAll(name, "_", " ") }
