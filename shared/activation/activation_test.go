package activation_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/activation"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/walletsignature"
)

var venueSteps = map[string][][]string{
	"dexvenue-spot":        {{"deploy-smart-account"}, {"approve-spending", "grant-session"}},
	"perpvenue-perps":      {{"approve-trading-agent"}, {"accept-leverage-cap"}},
	"predictvenue-markets": {{"create-credentials"}, {"approve-spending"}},
}

func TestTheStepsOfEveryVenueLeadToItsEnd(t *testing.T) {
	for venue, rounds := range venueSteps {
		for _, live := range []bool{true, false} {
			l, s := newLedger(), subject(t, venue, "owner")
			s.Live = live
			p := activation.Begin(s, challenge, now.Add(300*time.Millisecond))
			if !p.IssuedAt.Equal(now) || !p.ExpiresAt.Equal(now.Add(30*time.Minute)) || !p.CredentialsExpireAt.Equal(now.Add(30*24*time.Hour)) || p.Challenge != challenge {
				t.Errorf("%s: %+v", venue, p)
			}
			for i, want := range rounds {
				steps := opened(t, l, s, p)
				var results []activation.Result
				var names []string
				for _, step := range steps {
					names = append(names, step.Step)
					checkWords(t, s, step)
					results = append(results, l.do(t, s, "owner", step))
				}
				if !slices.Equal(names, want) || activation.Complete(s, p) {
					t.Fatalf("%s: round %d is %v, want %v", venue, i, names, want)
				}
				next, err := l.checker().Accept(t.Context(), s, p, results, now.Add(2*time.Minute))
				if err != nil {
					t.Fatal(venue, err)
				}
				if len(next.Done) != len(p.Done)+len(results) {
					t.Errorf("%s: %+v", venue, next)
				}
				// What is kept is read again between two rounds.
				kept, err := json.Marshal(next)
				if err != nil {
					t.Fatal(err)
				}
				p = activation.Progress{}
				if err := json.Unmarshal(kept, &p); err != nil {
					t.Fatal(err)
				}
			}
			if steps := opened(t, l, s, p); len(steps) != 0 || steps == nil || !activation.Complete(s, p) {
				t.Errorf("%s does not end: %v", venue, steps)
			}
			for _, done := range p.Done {
				if (done.Signature == "") == (done.Transaction == "") || !done.At.Equal(now.Add(2*time.Minute)) {
					t.Errorf("%s: %+v", venue, done)
				}
			}
		}
	}
}

func checkWords(t *testing.T, s activation.Subject, step activation.Step) {
	t.Helper()
	for name, text := range map[string]string{"title": step.Title, "what": step.What, "why": step.Why, "safety": step.Safety, "walletShows": step.WalletShows} {
		if len(text) < 10 || strings.ContainsAny(text, "%!") || strings.Contains(text, "  ") {
			t.Errorf("%s of %s: %q", name, step.Step, text)
		}
	}
	if strings.Contains(step.Why, "paper") == s.Live {
		t.Errorf("%s of a live=%v agent: %q", step.Step, s.Live, step.Why)
	}
	given := 0
	for kind, there := range map[string]bool{"sign_message": step.Message != "", "sign_typed_data": len(step.TypedData) > 0, "send_transaction": step.Transaction != nil} {
		if there {
			given++
			if kind != step.Kind || (step.Cost == "gas") != (kind == "send_transaction") || (step.Cost == "none") != (kind != "send_transaction") {
				t.Errorf("%s is %s for %s, with %s", step.Step, step.Kind, step.Cost, kind)
			}
		}
	}
	if given != 1 || step.ExpiresAt != "2026-05-01T12:30:00Z" {
		t.Errorf("%+v", step)
	}
	if tx := step.Transaction; tx != nil && (tx.ChainID != s.Chain.ID || tx.From != s.Owner || tx.Value != "0x0") {
		t.Errorf("%+v", tx)
	}
	encoded, err := json.Marshal(step)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{`"step":"`, `"kind":"`, `"title":"`, `"what":"`, `"why":"`, `"safety":"`, `"cost":"`, `"walletShows":"`, `"expiresAt":"`} {
		if !strings.Contains(string(encoded), key) {
			t.Errorf("%s is not in %s", key, encoded)
		}
	}
}

// word is a number of 32 bytes in hexadecimal digits.
func word(digits string) string { return strings.Repeat("0", 64-len(digits)) + digits }

func TestAnApprovalIsOfExactlyTheCap(t *testing.T) {
	for _, c := range []struct {
		venue, slug, token, spender, amount string
		micro                               int64
	}{
		{"dexvenue-spot", "base", "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", "e800000000000000000000000000000000000000", "eee53a0", 250_500_000},
		{"dexvenue-spot", "eth", "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", "e800000000000000000000000000000000000000", "1", 1},
		// The dollar of this chain has 18 decimals: 250.5 are 250,500,000,000,000,000,000 of its smallest units.
		{"dexvenue-spot", "bsc", "0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d", "e800000000000000000000000000000000000000", "d9462c6cb4b5a0000", 250_500_000},
		{"predictvenue-markets", "polygon", "0x2791bca1f2de4661ed88a30c99a7a9449aa84174", "4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e", "eee53a0", 250_500_000},
	} {
		l, s := newLedger(), subject(t, c.venue, "owner")
		s.Chain, _ = chain.Parse(c.slug)
		s.MaxMicroUSD = c.micro
		_, step := reach(t, l, s, "owner", "approve-spending")
		if tx := step.Transaction; tx.To.String() != c.token || tx.Data != "0x095ea7b3"+word(c.spender)+word(c.amount) || tx.ChainID != s.Chain.ID {
			t.Errorf("%s on %s: %+v", c.venue, c.slug, tx)
		}
		if c.micro == 250_500_000 && (!strings.Contains(step.Safety, "250.5 USDC") || !strings.Contains(step.WalletShows, "250.5 USDC") || !strings.Contains(step.Title, "250.5 USDC")) {
			t.Errorf("%+v", step)
		}
	}
}

func TestTheFactoryIsAskedForTheWalletsOwnAccount(t *testing.T) {
	l, s := newLedger(), subject(t, "dexvenue-spot", "owner")
	_, step := reach(t, l, s, "owner", "deploy-smart-account")
	if tx := step.Transaction; tx.To != factory || tx.Data != "0x5fbfb9cf"+word(s.Owner.String()[2:])+word("0") || !strings.Contains(step.Safety, s.Owner.Checksum()) {
		t.Errorf("%+v", step)
	}
}

func TestASessionNamesItsCapAndItsEnd(t *testing.T) {
	l, s := newLedger(), subject(t, "dexvenue-spot", "owner")
	_, step := reach(t, l, s, "owner", "grant-session")
	want := `{"types":{"EIP712Domain":[{"name":"name","type":"string"},{"name":"version","type":"string"},{"name":"chainId","type":"uint256"}],` +
		`"Session":[{"name":"account","type":"address"},{"name":"executor","type":"address"},{"name":"leader","type":"address"},{"name":"token","type":"address"},` +
		`{"name":"maxAmount","type":"uint256"},{"name":"expiresAt","type":"uint256"},{"name":"agent","type":"string"},{"name":"challenge","type":"string"}]},` +
		`"primaryType":"Session","domain":{"name":"Mirrorworthy","version":"1","chainId":8453},"message":{"account":"` + s.SmartAccount.Checksum() + `",` +
		`"executor":"0xE800000000000000000000000000000000000000","leader":"` + s.Leader.Checksum() + `","token":"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",` +
		`"maxAmount":"250500000","expiresAt":"1780228800","agent":"ag_1","challenge":"` + challenge + `"}}`
	if string(step.TypedData) != strings.Replace(want, "0xE800000000000000000000000000000000000000", s.Executor.Checksum(), 1) {
		t.Errorf("%s\nwant %s", step.TypedData, want)
	}
	if !strings.Contains(step.Safety, "250.5 USDC") || !strings.Contains(step.Safety, "Sun, 31 May 2026 12:00:00 UTC") {
		t.Error(step.Safety)
	}
}

func TestATradingAgentIsApprovedAsItsVenueWants(t *testing.T) {
	l, s := newLedger(), subject(t, "perpvenue-perps", "owner")
	p, step := reach(t, l, s, "owner", "approve-trading-agent")
	approval := activation.TradingApprovalOf(s, p)
	name, until, found := strings.Cut(approval.Name, " valid_until ")
	if !found || len(name) != 16 || until != "1780228800000" || approval.Nonce/1000 != uint64(now.Unix()) || approval.Account != s.Owner || approval.Agent != s.TradingAgent ||
		approval.ChainID != 42161 || approval.Signature != nil {
		t.Errorf("%+v", approval)
	}
	var document struct {
		PrimaryType string `json:"primaryType"`
		Types       map[string][]struct{ Name, Type string }
		Domain      struct {
			Name, Version     string
			ChainID           int64  `json:"chainId"`
			VerifyingContract string `json:"verifyingContract"`
		}
		Message struct {
			Chain string `json:"hyperliquidChain"`
			Agent string `json:"agentAddress"`
			Name  string `json:"agentName"`
			Nonce uint64
		}
	}
	if err := json.Unmarshal(step.TypedData, &document, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	if document.PrimaryType != "HyperliquidTransaction:ApproveAgent" || document.Domain.Name != "HyperliquidSignTransaction" || document.Domain.Version != "1" ||
		document.Domain.ChainID != 42161 || document.Domain.VerifyingContract != "0x0000000000000000000000000000000000000000" || document.Message.Chain != "Mainnet" ||
		document.Message.Agent != s.TradingAgent.String() || document.Message.Name != approval.Name || document.Message.Nonce != approval.Nonce {
		t.Errorf("%s", step.TypedData)
	}
	var order []string
	for _, f := range document.Types["HyperliquidTransaction:ApproveAgent"] {
		order = append(order, f.Type+" "+f.Name)
	}
	if strings.Join(order, ", ") != "string hyperliquidChain, address agentAddress, string agentName, uint64 nonce" {
		t.Error(order)
	}
	// Agents have names of their own, and a new challenge a new nonce.
	other := s
	other.Agent = "ag_2"
	if activation.TradingApprovalOf(other, p).Name == approval.Name {
		t.Error("two agents of one name")
	}
	later := activation.Begin(s, "another challenge", now)
	if activation.TradingApprovalOf(s, later).Nonce == approval.Nonce {
		t.Error("two challenges of one nonce")
	}
	result := l.do(t, s, "owner", step)
	p, err := l.checker().Accept(t.Context(), s, p, []activation.Result{result}, now.Add(time.Minute))
	if err != nil || len(activation.TradingApprovalOf(s, p).Signature) != 65 {
		t.Error(err, activation.TradingApprovalOf(s, p))
	}
}

func TestTheLeverageCapIsInWhatIsSigned(t *testing.T) {
	l, s := newLedger(), subject(t, "perpvenue-perps", "owner")
	_, step := reach(t, l, s, "owner", "accept-leverage-cap")
	for _, part := range []string{"Mirrorworthy", "Highest leverage: 2.5x", "Most money: 250.5 USD", "Agent: ag_1", "Challenge: " + challenge, "Holds until: 2026-05-31T12:00:00Z", s.Leader.Checksum(), s.Owner.Checksum()} {
		if !strings.Contains(step.Message, part) {
			t.Errorf("%q is not in %q", part, step.Message)
		}
	}
	if !strings.Contains(step.Safety, "2.5x") {
		t.Error(step.Safety)
	}
}

func TestCredentialsAttestTheWalletAndNothingElse(t *testing.T) {
	l, s := newLedger(), subject(t, "predictvenue-markets", "owner")
	_, step := reach(t, l, s, "owner", "create-credentials")
	head := `{"types":{"ClobAuth":[{"name":"address","type":"address"},{"name":"timestamp","type":"string"},{"name":"nonce","type":"uint256"},{"name":"message","type":"string"}],` +
		`"EIP712Domain":[{"name":"name","type":"string"},{"name":"version","type":"string"},{"name":"chainId","type":"uint256"}]},"primaryType":"ClobAuth",` +
		`"domain":{"name":"ClobAuthDomain","version":"1","chainId":137},"message":{"address":"` + s.Owner.Checksum() + `","timestamp":"1777636800","nonce":`
	if text := string(step.TypedData); !strings.HasPrefix(text, head) || !strings.HasSuffix(text, `,"message":"This message attests that I control the given wallet"}}`) {
		t.Errorf("%s\nwant %s", text, head)
	}
}

func TestWhetherASmartAccountIsToBeMade(t *testing.T) {
	me := accountOf(wallet(t, "owner"))
	stranger := chain.Address{0x57}
	for name, c := range map[string]struct {
		prepare   func(*ledger, *activation.Subject)
		first     string // of the open steps, live; empty for a refusal
		onPaper   string
		refusedAs string
	}{
		"to be made":          {func(*ledger, *activation.Subject) {}, "deploy-smart-account", "deploy-smart-account", ""},
		"there":               {func(l *ledger, s *activation.Subject) { l.owners[s.SmartAccount] = me }, "approve-spending", "approve-spending", ""},
		"there, made by hand": {func(l *ledger, s *activation.Subject) { s.SmartAccount, l.owners[stranger] = stranger, me }, "approve-spending", "approve-spending", ""},
		"the wallet itself":   {func(_ *ledger, s *activation.Subject) { s.SmartAccount = me }, "approve-spending", "approve-spending", ""},
		"another's":           {func(l *ledger, s *activation.Subject) { l.owners[s.SmartAccount] = stranger }, "", "approve-spending", me.Checksum()},
		"no such account":     {func(_ *ledger, s *activation.Subject) { s.SmartAccount = stranger }, "", "approve-spending", promisedTo(me).Checksum()},
		"no factory":          {func(l *ledger, _ *activation.Subject) { l.noFactory = true }, "", "approve-spending", "no factory"},
	} {
		for _, live := range []bool{true, false} {
			l, s := newLedger(), subject(t, "dexvenue-spot", "owner")
			s.Live = live
			c.prepare(l, &s)
			want := c.first
			if !live {
				want = c.onPaper
			}
			steps, err := l.checker().Open(t.Context(), s, activation.Begin(s, challenge, now), now)
			var refused *activation.RefusalError
			switch {
			case want == "" && (!errors.As(err, &refused) || refused.Step != "deploy-smart-account" || !strings.Contains(refused.Reason, c.refusedAs)):
				t.Errorf("%s: %v, %v", name, steps, err)
			case want != "" && (err != nil || steps[0].Step != want):
				t.Errorf("%s, live %v: %v, %v", name, live, steps, err)
			}
		}
	}
}

func TestTimeRunsOut(t *testing.T) {
	l, s := newLedger(), subject(t, "perpvenue-perps", "owner")
	p, step := reach(t, l, s, "owner", "approve-trading-agent")
	result := []activation.Result{l.do(t, s, "owner", step)}
	if _, err := l.checker().Open(t.Context(), s, p, p.ExpiresAt); !errors.Is(err, activation.ErrLapsed) {
		t.Error(err)
	}
	if _, err := l.checker().Accept(t.Context(), s, p, result, p.ExpiresAt); !errors.Is(err, activation.ErrLapsed) || len(l.claims) > 0 {
		t.Error(err, l.claims)
	}
	if _, err := l.checker().Accept(t.Context(), s, activation.Progress{}, result, now); !errors.Is(err, activation.ErrLapsed) {
		t.Error(err)
	}
	if _, err := l.checker().Accept(t.Context(), s, p, result, p.ExpiresAt.Add(-time.Second)); err != nil {
		t.Error(err)
	}
}

func TestNothingIsOfferedWithoutLimitsOrAccounts(t *testing.T) {
	for venue := range venueSteps {
		for name, change := range map[string]func(*activation.Subject){
			"no cap": func(s *activation.Subject) { s.MaxMicroUSD = 0 }, "no executor": func(s *activation.Subject) { s.Executor = chain.Address{} },
			"no trading agent": func(s *activation.Subject) { s.TradingAgent = chain.Address{} }, "no leverage": func(s *activation.Subject) { s.MaxLeverage = 0 },
			"no chain": func(s *activation.Subject) { s.Chain = nil }, "no venue": func(s *activation.Subject) { s.Venue = "moon" }, "no wallet": func(s *activation.Subject) { s.Owner = chain.Address{} },
		} {
			s := subject(t, venue, "owner")
			change(&s)
			if steps, err := newLedger().checker().Open(t.Context(), s, activation.Begin(s, challenge, now), now); err == nil || len(steps) > 0 {
				t.Errorf("%s, %s: %v", venue, name, steps)
			}
		}
	}
}

func TestWhatFailsIsNoVerdict(t *testing.T) {
	for _, c := range []struct{ venue, step, down string }{
		{"dexvenue-spot", "deploy-smart-account", "calls"}, {"dexvenue-spot", "deploy-smart-account", "receipts"}, {"dexvenue-spot", "deploy-smart-account", "nonces"},
		{"dexvenue-spot", "approve-spending", "calls"}, {"dexvenue-spot", "approve-spending", "receipts"}, {"dexvenue-spot", "grant-session", "code"},
		{"dexvenue-spot", "grant-session", "nonces"}, {"perpvenue-perps", "approve-trading-agent", "code"}, {"perpvenue-perps", "accept-leverage-cap", "code"},
		{"predictvenue-markets", "create-credentials", "code"}, {"predictvenue-markets", "approve-spending", "calls"},
	} {
		l, s := newLedger(), subject(t, c.venue, "owner")
		p, step := reach(t, l, s, "owner", c.step)
		result := []activation.Result{l.do(t, s, "owner", step)}
		l.down[c.down] = true
		got, err := l.checker().Accept(t.Context(), s, p, result, now.Add(time.Minute))
		var refused *activation.RefusalError
		if !errors.Is(err, market.ErrUnavailable) || errors.Is(err, walletsignature.ErrSignature) || errors.As(err, &refused) || len(got.Done) != len(p.Done) {
			t.Errorf("%v: %v", c, err)
		}
		l.down[c.down] = false
		if _, err := l.checker().Accept(t.Context(), s, p, result, now.Add(time.Minute)); err != nil {
			t.Errorf("%v, once it is up again: %v", c, err)
		}
	}
}
