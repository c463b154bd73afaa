package goplus

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

type service struct {
	answer  func(*url.URL) string
	mu      sync.Mutex
	asked   []*url.URL
	dropped int
	status  int // 200 when zero
}

func (s *service) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.asked = append(s.asked, r.URL)
	s.mu.Unlock()
	return &http.Response{StatusCode: cmp.Or(s.status, http.StatusOK), Header: http.Header{}, Body: io.NopCloser(strings.NewReader(s.answer(r.URL)))}, nil
}

func adapter(answer func(*url.URL) string) (*Adapter, *service) {
	s := &service{answer: answer}
	config := Defaults()
	config.PerMinute, config.Burst = 60_000, 1000
	return New(upstream.New(config, upstream.Shared{
		Transport: s, Clock: func() time.Time { return now }, Observe: func(c upstream.Call) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.dropped += c.Dropped
		},
	})), s
}

func bsc() *chain.Chain { c, _ := chain.Parse("bsc"); return c }

func address(n int) (a chain.Address) { a[0], a[19] = 0xcd, byte(n); return a }

func result(code int, body string) string {
	return fmt.Sprintf(`{"code":%d,"message":"OK","result":%s}`, code, body)
}

func TestTokenSecurity(t *testing.T) {
	creator := address(99)
	answers := map[chain.Address]string{
		address(1): result(1, `{"`+address(1).String()+`":{"is_honeypot":"1","cannot_sell_all":"0","buy_tax":"0.05","sell_tax":"1.5","creator_address":"`+creator.Checksum()+`","holder_count":"40","is_proxy":"0","owner_address":"","holders":[{"percent":"1769801.01"}]}}`),
		address(2): result(2, `{"`+strings.ToUpper(address(2).String()[2:])+`":{}, "`+address(2).Checksum()+`":{"buy_tax":"","sell_tax":"-1","holder_count":"0","creator_address":""}}`),
		address(3): result(1, `{}`),
		address(4): `{"code":2021,"message":"contract info not found","result":null}`,
		address(5): result(1, `{"`+address(6).String()+`":{"is_honeypot":"1"}}`),
		address(7): result(1, `{"`+address(7).String()+`":"gone"}`),
		address(8): `{"code":1,"message":"OK"}`,
	}
	a, s := adapter(func(u *url.URL) string {
		token, _ := chain.ParseAddress(u.Query().Get("contract_addresses"))
		return answers[token]
	})
	tokens := []chain.Address{chain.Native, address(1)}
	for token := range answers {
		tokens = append(tokens, token)
	}
	got, err := a.TokenSecurity(t.Context(), bsc(), tokens)
	if err != nil || len(got) != 2 || len(s.asked) != len(answers) || s.dropped != 2 || s.asked[0].Path != "/api/v1/token_security/56" {
		t.Fatal(got, err, len(s.asked), s.dropped)
	}
	if f := got[address(1)]; f.Honeypot != market.Yes || f.CannotSellAll != market.No || f.BuyTax != 0.05 || f.SellTax != 1 || !math.IsNaN(f.TransferTax) ||
		f.Creator != creator || f.Holders != 40 || f.Proxy != market.No || f.Renounced != market.Unknown {
		t.Errorf("%+v", f)
	}
	partial := got[address(2)]
	if partial.Honeypot != market.Unknown || partial.CannotSellAll != market.Unknown || !math.IsNaN(partial.BuyTax) || !math.IsNaN(partial.SellTax) || !partial.Creator.IsZero() {
		t.Errorf("%+v", partial)
	}
}

func TestOverloadAndRefusalsAreUnavailable(t *testing.T) {
	attempts := func(t *testing.T, status int, body string) (calls int) {
		synctest.Test(t, func(t *testing.T) {
			a, s := adapter(func(*url.URL) string { return body })
			s.status = status
			if _, err := a.TokenSecurity(t.Context(), bsc(), []chain.Address{address(1)}); !errors.Is(err, market.ErrUnavailable) {
				t.Errorf("%d %s: %v", status, body, err)
			}
			calls = len(s.asked)
		})
		return calls
	}
	// Overload is as good as a server's failure, and tried again as often. A refusal is not tried again.
	retried := attempts(t, http.StatusInternalServerError, "")
	if retried < 2 {
		t.Fatalf("a server's failure takes %d calls", retried)
	}
	for body, calls := range map[string]int{
		`{"code":4029,"message":"rate limit","result":null}`: retried, `{"code":5000,"message":"system error"}`: retried, `{"code":4012,"message":"signature"}`: 1,
		`{"code":2018,"message":"chain not supported"}`: 1, `{"message":"no code"}`: 1, `{"code":1,"result":[]}`: 1, `[]`: 1, `{"code":1,"result":"text"}`: 1,
	} {
		if got := attempts(t, http.StatusOK, body); got != calls {
			t.Errorf("%s: %d calls, want %d", body, got, calls)
		}
	}
}

func TestAddressSecurity(t *testing.T) {
	answers := map[chain.Address]string{
		address(1): result(1, `{"phishing_activities":"1","stealing_attack":1,"cybercrime":"0","data_source":"SlowMist","gas_abuse":"0"}`),
		address(2): result(1, `{"phishing_activities":"0","mixer":"0","gas_abuse":"1","contract_address":"1","number_of_malicious_contracts_created":"0"}`),
		address(3): result(1, `{"data_source":""}`),
		address(4): result(1, `{"cybercrime":"0","number_of_malicious_contracts_created":"3"}`),
		address(5): result(1, `{}`),
	}
	a, s := adapter(func(u *url.URL) string {
		account, _ := chain.ParseAddress(u.Path[strings.LastIndex(u.Path, "/")+1:])
		return answers[account]
	})
	var accounts []chain.Address
	for account := range answers {
		accounts = append(accounts, account)
	}
	got, err := a.AddressSecurity(t.Context(), bsc(), accounts)
	if err != nil || len(got) != 4 || s.asked[0].Query().Get("chain_id") != "56" || !strings.HasPrefix(s.asked[0].Path, "/api/v1/address_security/0x") {
		t.Fatal(got, err)
	}
	for account, want := range map[chain.Address]market.AddressSecurity{
		address(1): {Address: address(1), Malicious: market.Yes, Reasons: []string{"phishing activities", "stealing attack"}},
		address(2): {Address: address(2), Malicious: market.No},
		address(3): {Address: address(3)},
		address(4): {Address: address(4), Malicious: market.Yes, Reasons: []string{"malicious contracts created"}},
	} {
		if finding := got[account]; finding.Malicious != want.Malicious || !slices.Equal(finding.Reasons, want.Reasons) || finding.Address != want.Address {
			t.Errorf("got %+v, want %+v", finding, want)
		}
	}
}

func approved(token int, members string, list ...string) string {
	return fmt.Sprintf(`{"token_address":"%s","chain_id":"56","token_name":"Token","token_symbol":"TOK","decimals":6,"balance":"7.5","is_open_source":1,
		"malicious_address":0,"malicious_behavior":[]%s,"approved_list":[%s]}`, address(token).Checksum(), members, strings.Join(list, ","))
}

func grant(spender int, amount, info string) string {
	return fmt.Sprintf(`{"approved_contract":"%s","approved_amount":"%s","approved_time":1700000000,"initial_approval_time":1690000000,"hash":"0x1","address_info":%s}`,
		address(spender).Checksum(), amount, info)
}

func TestApprovals(t *testing.T) {
	answers := map[string]string{
		"token_approval_security": result(1, `[`+approved(2, ``,
			grant(11, "Unlimited", `{"contract_name":"Router","tag":null,"creator_address":"0x","deployed_time":1600000000,"is_contract":1,"is_open_source":1,"trust_list":1,"doubt_list":0,"malicious_behavior":[]}`),
			grant(10, "12.3456789", `{"contract_name":null,"tag":"Vault","deployed_time":null,"is_contract":0,"is_open_source":0,"trust_list":0,"doubt_list":0,"malicious_behavior":["phishing_activities"]}`),
			`{"approved_contract":"nobody","approved_amount":"1"}`, `7`)+`,`+approved(1, `,"malicious_address":1`, grant(12, "", `null`))+`,{"token_address":"bad"},null]`),
		"nft721_approval_security": result(1, `[{"nft_address":"`+address(3).String()+`","nft_name":"Apes","nft_symbol":"APE","approved_list":[
			{"approved_contract":"`+address(13).String()+`","approved_for_all":1,"approved_token_id":null,"approved_time":1700000001,"address_info":{"doubt_list":1}},
			{"approved_contract":"`+address(14).String()+`","approved_for_all":0,"approved_token_id":"77"}]}]`),
		"nft1155_approval_security": result(1, `[{"nft_address":"`+address(4).String()+`","approved_list":[{"approved_contract":"`+address(13).String()+`"}]}]`),
	}
	a, s := adapter(func(u *url.URL) string { return answers[strings.Split(u.Path, "/")[3]] })
	got, err := a.Approvals(t.Context(), bsc(), address(9))
	if err != nil || len(got) != 5 || s.dropped != 4 {
		t.Fatal(len(got), err, s.dropped)
	}
	for _, u := range s.asked {
		if !strings.HasSuffix(u.Path, "/56") || u.Query().Get("addresses") != address(9).String() {
			t.Error(u)
		}
	}
	spam, vault, router, apes, multi := got[0], got[1], got[2], got[3], got[4]
	if spam.Token.Address != address(1) || !spam.Token.Spam || spam.Spender.Malicious != market.Unknown || !spam.Amount.IsZero() || spam.Unlimited {
		t.Errorf("%+v", spam)
	}
	if vault.Spender.Name != "Vault" || vault.Spender.Contract != market.No || vault.Spender.Malicious != market.Yes || vault.Amount.Uint64() != 12345678 ||
		vault.Spender.Trusted != market.Unknown || vault.Spender.Verified != market.No || !vault.Spender.DeployedAt.IsZero() {
		t.Errorf("%+v", vault)
	}
	if router.Spender.Name != "Router" || !router.Unlimited || router.Amount.BitLen() != 256 || router.Spender.Trusted != market.Yes || router.Spender.Malicious != market.No ||
		!router.Spender.DeployedAt.Equal(time.Unix(1600000000, 0)) || !router.GrantedAt.Equal(time.Unix(1700000000, 0)) ||
		router.Token.Decimals != 6 || !router.Token.Known || router.Token.Symbol != "TOK" || router.Token.Spam || router.Kind != market.AllowanceApproval {
		t.Errorf("%+v", router)
	}
	if apes.Kind != market.OperatorApproval || apes.Spender.Address != address(13) || apes.Spender.Malicious != market.Yes || apes.Token.Symbol != "APE" || !apes.Unlimited {
		t.Errorf("%+v", apes)
	}
	if multi.Kind != market.OperatorApproval || multi.Token.Address != address(4) || !multi.GrantedAt.IsZero() {
		t.Errorf("%+v", multi)
	}
}

func TestNoApprovals(t *testing.T) {
	a, _ := adapter(func(*url.URL) string { return result(1, `[]`) })
	if got, err := a.Approvals(t.Context(), bsc(), address(1)); err != nil || len(got) != 0 {
		t.Fatal(got, err)
	}
	// Two lists of three are not all approvals.
	a, _ = adapter(func(u *url.URL) string {
		if strings.Contains(u.Path, "1155") {
			return `{"code":4012}`
		}
		return result(1, `[]`)
	})
	if _, err := a.Approvals(t.Context(), bsc(), address(1)); !errors.Is(err, market.ErrUnavailable) {
		t.Fatal(err)
	}
}

func FuzzTokenSecurity(f *testing.F) {
	f.Add([]byte(result(1, `{"`+address(1).String()+`":{"is_honeypot":"1","buy_tax":"1e999","sell_tax":-0,"holder_count":"99999999999"}}`)))
	f.Add([]byte(result(2, `{"`+address(1).String()+`":null}`)))
	f.Add([]byte(result(1, `{"`+address(1).String()+`":`+launch+`}`)))
	f.Add([]byte(result(1, `{"`+address(1).String()+`":`+broken+`}`)))
	f.Fuzz(func(t *testing.T, body []byte) {
		a, _ := adapter(func(*url.URL) string { return string(body) })
		if jammed(body) {
			return
		}
		got, err := a.TokenSecurity(t.Context(), bsc(), []chain.Address{address(1)})
		if err != nil {
			return
		}
		for _, finding := range got {
			for _, part := range []float64{finding.BuyTax, finding.SellTax, finding.TransferTax, finding.CreatorShare, finding.OwnerShare} {
				if !(math.IsNaN(part) || part >= 0 && part <= 1) || math.Signbit(part) && !math.IsNaN(part) {
					t.Error(part)
				}
			}
			for _, holders := range [][]market.Holder{finding.Top, finding.LiquidityProviders} {
				for i, held := range holders {
					if !(held.Share >= 0 && held.Share <= 1) || i > 0 && held.Share > holders[i-1].Share || !held.Locked && !held.LockedUntil.IsZero() {
						t.Errorf("%+v", held)
					}
				}
			}
			if finding.Renounced == market.Yes && !finding.Owner.IsZero() {
				t.Errorf("%+v", finding)
			}
			if finding.Holders < 0 {
				t.Error(finding.Holders)
			}
		}
	})
}

// jammed tells whether an answer would be asked for again, which takes time and tells nothing.
func jammed(body []byte) bool {
	response := &upstream.Response{Status: 200, Body: body}
	_, err := upstream.JSON[any](response)
	return err != nil || overload(response) != nil
}

func FuzzApprovals(f *testing.F) {
	f.Add([]byte(`[` + approved(1, ``, grant(2, "1e999999999", `{}`), grant(3, "Unlimited", `[]`)) + `]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var tokens upstream.Rows[approvedToken]
		if upstream.Unmarshal(body, &tokens) != nil {
			return
		}
		for _, kind := range []market.ApprovalKind{market.AllowanceApproval, market.OperatorApproval} {
			approvals, _ := readApprovals(tokens, kind, now)
			for _, approval := range approvals {
				if approval.GrantedAt.After(now.Add(5*time.Minute)) || approval.Token.Decimals < 0 || approval.Token.Decimals > upstream.MaximumDecimals {
					t.Errorf("%+v", approval)
				}
			}
		}
	})
}

func FuzzAddressSecurity(f *testing.F) {
	f.Add([]byte(result(1, `{"phishing_activities":"1","number_of_malicious_contracts_created":"-3"}`)))
	f.Fuzz(func(t *testing.T, body []byte) {
		if jammed(body) {
			return
		}
		a, _ := adapter(func(*url.URL) string { return string(body) })
		got, err := a.AddressSecurity(t.Context(), bsc(), []chain.Address{address(1)})
		if err == nil {
			for _, finding := range got {
				if (len(finding.Reasons) > 0) != (finding.Malicious == market.Yes) {
					t.Errorf("%+v", finding)
				}
			}
		}
	})
}
