package activation_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/activation"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/walletsignature"
)

// refused checks that a result is refused for its step and that nothing changes by it.
func refused(t failing, l *ledger, s activation.Subject, p activation.Progress, name string, kind error, results ...activation.Result) {
	t.Helper()
	claims := len(l.claims)
	got, err := l.checker().Accept(context.Background(), s, p, results, now.Add(2*time.Minute))
	var refusal *activation.RefusalError
	if !errors.As(err, &refusal) || kind != nil && !errors.Is(err, kind) || len(refusal.Reason) < 10 {
		t.Fatalf("%s: %v", name, err)
	}
	if kind == nil && (errors.Is(err, walletsignature.ErrSignature) || errors.Is(err, activation.ErrPending)) {
		t.Fatalf("%s: %v", name, err)
	}
	if len(got.Done) != len(p.Done) || len(l.claims) != claims {
		t.Fatalf("%s changed something: %+v", name, got)
	}
}

type signedStep struct{ venue, step string }

var signedSteps = []signedStep{
	{"dexvenue-spot", "grant-session"}, {"perpvenue-perps", "approve-trading-agent"}, {"perpvenue-perps", "accept-leverage-cap"}, {"predictvenue-markets", "create-credentials"},
}

func TestAnyOtherSignatureIsRefused(t *testing.T) {
	mutations := map[string]func(*rapid.T, *ledger, activation.Subject, activation.Progress, activation.Step) string{
		"another signer": func(t *rapid.T, _ *ledger, _ activation.Subject, _ activation.Progress, step activation.Step) string {
			return sign(t, wallet(t, rapid.StringN(1, 5, 5).Draw(t, "signer")+"!"), step)
		},
		"a flipped bit": func(t *rapid.T, _ *ledger, _ activation.Subject, _ activation.Progress, step activation.Step) string {
			signature, _ := hex.DecodeString(sign(t, wallet(t, "owner"), step)[2:])
			signature[rapid.IntRange(0, 64).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
			return "0x" + hex.EncodeToString(signature)
		},
		"a high s": func(t *rapid.T, _ *ledger, _ activation.Subject, _ activation.Progress, step activation.Step) string {
			signature, _ := hex.DecodeString(sign(t, wallet(t, "owner"), step)[2:])
			new(big.Int).Sub(crypto.S256().Params().N, new(big.Int).SetBytes(signature[32:64])).FillBytes(signature[32:64])
			signature[64] = 27 + 28 - signature[64]
			return "0x" + hex.EncodeToString(signature)
		},
		"cut off": func(t *rapid.T, _ *ledger, _ activation.Subject, _ activation.Progress, step activation.Step) string {
			text := sign(t, wallet(t, "owner"), step)
			return text[:rapid.IntRange(1, len(text)-1).Draw(t, "length")]
		},
		"for another agent, challenge, leader, cap, chain or time": func(t *rapid.T, l *ledger, s activation.Subject, p activation.Progress, step activation.Step) string {
			changed, begun := s, p
			kinds := []string{"challenge", "issued"}
			switch step.Step {
			case "grant-session":
				kinds = append(kinds[:1], "agent", "leader", "cap", "chain", "end", "executor", "account")
			case "approve-trading-agent":
				kinds = []string{"issued", "agent", "chain", "end", "trader"}
			case "accept-leverage-cap":
				kinds = append(kinds[:1], "agent", "leader", "cap", "leverage", "end")
			case "create-credentials":
				kinds = append(kinds, "chain")
			}
			switch rapid.SampledFrom(kinds).Draw(t, "what") {
			case "challenge":
				begun.Challenge = "another challenge"
			case "issued":
				begun.IssuedAt = begun.IssuedAt.Add(time.Duration(rapid.IntRange(1, 1e6).Draw(t, "seconds")) * time.Second)
				begun.ExpiresAt = begun.IssuedAt.Add(time.Hour)
			case "agent":
				changed.Agent = "ag_2"
			case "leader":
				changed.Leader[19] ^= 1
			case "cap":
				changed.MaxMicroUSD += rapid.Int64Range(1, 1e9).Draw(t, "more")
			case "chain":
				changed.Chain, _ = chain.Parse("eth")
				l.owners[changed.SmartAccount] = changed.Owner
			case "end":
				begun.CredentialsExpireAt = begun.CredentialsExpireAt.Add(time.Hour)
			case "executor":
				changed.Executor[3] ^= 1
			case "account":
				changed.SmartAccount[3] ^= 1
				l.owners[changed.SmartAccount] = changed.Owner
			case "trader":
				changed.TradingAgent[3] ^= 1
			case "leverage":
				changed.MaxLeverage *= 2
			}
			steps, err := l.checker().Open(t.Context(), changed, begun, begun.IssuedAt)
			if err != nil {
				t.Fatal(err)
			}
			for _, other := range steps {
				if other.Step == step.Step {
					return sign(t, wallet(t, "owner"), other)
				}
			}
			t.Fatalf("no step %s among %v", step.Step, steps)
			return ""
		},
	}
	names := slices.Sorted(maps.Keys(mutations))
	rapid.Check(t, func(t *rapid.T) {
		name, of := rapid.SampledFrom(names).Draw(t, "mutation"), rapid.SampledFrom(signedSteps).Draw(t, "step")
		l, s := newLedger(), subject(t, of.venue, "owner")
		p, step := reach(t, l, s, "owner", of.step)
		refused(t, l, s, p, name, walletsignature.ErrSignature, activation.Result{Step: step.Step, Signature: mutations[name](t, l, s, p, step)})
	})
}

type sentStep struct{ venue, step string }

var sentSteps = []sentStep{{"dexvenue-spot", "deploy-smart-account"}, {"dexvenue-spot", "approve-spending"}, {"predictvenue-markets", "approve-spending"}}

func TestAnyOtherTransactionIsRefused(t *testing.T) {
	mutations := map[string]func(*rapid.T, *market.Receipt){
		"another sender": func(t *rapid.T, r *market.Receipt) { r.From[rapid.IntRange(0, 19).Draw(t, "byte")] ^= 1 },
		"another target": func(t *rapid.T, r *market.Receipt) { r.To[rapid.IntRange(0, 19).Draw(t, "byte")] ^= 1 },
		"a contract":     func(_ *rapid.T, r *market.Receipt) { r.To = chain.Address{} },
		"other data": func(t *rapid.T, r *market.Receipt) {
			r.Input = bytes.Clone(r.Input)
			r.Input[rapid.IntRange(0, len(r.Input)-1).Draw(t, "byte")] ^= 1
		},
		"data behind": func(_ *rapid.T, r *market.Receipt) { r.Input = append(bytes.Clone(r.Input), 0) },
		"less data":   func(_ *rapid.T, r *market.Receipt) { r.Input = r.Input[:len(r.Input)-1] },
		"value":       func(_ *rapid.T, r *market.Receipt) { r.Value = []byte{1} },
		"failure":     func(_ *rapid.T, r *market.Receipt) { r.Succeeded = false },
		"age": func(t *rapid.T, r *market.Receipt) {
			r.Time = now.Add(-time.Minute - time.Duration(rapid.IntRange(1, 1e6).Draw(t, "seconds"))*time.Second)
		},
	}
	names := slices.Sorted(maps.Keys(mutations))
	rapid.Check(t, func(t *rapid.T) {
		name, of := rapid.SampledFrom(names).Draw(t, "mutation"), rapid.SampledFrom(sentSteps).Draw(t, "step")
		l, s := newLedger(), subject(t, of.venue, "owner")
		p, step := reach(t, l, s, "owner", of.step)
		hash, receipt := l.send(t, s, step)
		mutations[name](t, &receipt)
		l.put(s.Chain, receipt)
		refused(t, l, s, p, name, nil, activation.Result{Step: step.Step, TxHash: hash})
	})
}

func TestATransactionMustHaveDoneWhatItIsFor(t *testing.T) {
	for _, of := range sentSteps[1:] {
		l, s := newLedger(), subject(t, of.venue, "owner")
		p, step := reach(t, l, s, "owner", of.step)
		hash, _ := l.send(t, s, step)
		var key string
		for k := range l.allowances {
			key = k
		}
		cap := new(big.Int).SetBytes(l.allowances[key])
		for name, amount := range map[string]*big.Int{"nothing": new(big.Int), "less": new(big.Int).Sub(cap, big.NewInt(1)), "more": new(big.Int).Add(cap, big.NewInt(1)), "all": new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))} {
			l.allowances[key] = amount.FillBytes(make([]byte, 32))
			refused(t, l, s, p, name, nil, activation.Result{Step: step.Step, TxHash: hash})
		}
		l.allowances[key] = make([]byte, 31)
		refused(t, l, s, p, "no number", nil, activation.Result{Step: step.Step, TxHash: hash})
	}
	l, s := newLedger(), subject(t, "dexvenue-spot", "owner")
	p, step := reach(t, l, s, "owner", "deploy-smart-account")
	hash, _ := l.send(t, s, step)
	l.owners = map[chain.Address]chain.Address{}
	refused(t, l, s, p, "no account", nil, activation.Result{Step: step.Step, TxHash: hash})
	// A port that answers for another transaction than was asked for has answered nothing.
	l, s = newLedger(), subject(t, "predictvenue-markets", "owner")
	p, step = reach(t, l, s, "owner", "approve-spending")
	_, other := l.send(t, s, step)
	l.receipts["polygon"+strings.Repeat("cc", 32)] = other
	if _, err := l.checker().Accept(t.Context(), s, p, []activation.Result{{Step: step.Step, TxHash: "0x" + strings.Repeat("cc", 32)}}, now); !errors.Is(err, market.ErrUnavailable) || len(l.claims) > 1 {
		t.Error(err)
	}
	// A transaction on another chain is in no block of this one.
	l, s = newLedger(), subject(t, "predictvenue-markets", "owner")
	p, step = reach(t, l, s, "owner", "approve-spending")
	hash, receipt := l.send(t, s, step)
	delete(l.receipts, "polygon"+hash[2:])
	refused(t, l, s, p, "pending", activation.ErrPending, activation.Result{Step: step.Step, TxHash: hash})
	elsewhere, _ := chain.Parse("eth")
	l.put(elsewhere, receipt)
	refused(t, l, s, p, "another chain", activation.ErrPending, activation.Result{Step: step.Step, TxHash: hash})
}

func TestResultsOfAnotherShapeAreRefused(t *testing.T) {
	l, s := newLedger(), subject(t, "dexvenue-spot", "owner")
	p, approve := reach(t, l, s, "owner", "approve-spending")
	_, grant := reach(t, l, s, "owner", "grant-session")
	sent, granted := l.do(t, s, "owner", approve), l.do(t, s, "owner", grant)
	for name, results := range map[string][]activation.Result{
		"no such step":              {{Step: "moon", Signature: granted.Signature}},
		"a step of another venue":   {{Step: "create-credentials", Signature: granted.Signature}},
		"no step":                   {{Signature: granted.Signature}},
		"neither":                   {{Step: "grant-session"}},
		"a hash for a signature":    {{Step: "grant-session", TxHash: sent.TxHash}},
		"a signature for a hash":    {{Step: "approve-spending", Signature: granted.Signature}},
		"both, signed":              {{Step: "grant-session", Signature: granted.Signature, TxHash: sent.TxHash}},
		"both, sent":                {{Step: "approve-spending", Signature: granted.Signature, TxHash: sent.TxHash}},
		"a short hash":              {{Step: "approve-spending", TxHash: sent.TxHash[:64]}},
		"a hash without 0x":         {{Step: "approve-spending", TxHash: sent.TxHash[2:] + "00"}},
		"a hash of no hex":          {{Step: "approve-spending", TxHash: "0x" + strings.Repeat("zz", 32)}},
		"one twice":                 {granted, granted},
		"one right, one wrong":      {granted, {Step: "approve-spending", TxHash: "0x" + strings.Repeat("zz", 32)}},
		"one wrong, one right":      {{Step: "moon"}, granted},
		"a right one and a strange": {sent, granted, {Step: "moon", Signature: granted.Signature}},
	} {
		refused(t, l, s, p, name, nil, results...)
	}
	early := activation.Begin(s, challenge, now)
	fresh := newLedger()
	refused(t, fresh, s, early, "a step of the next round", nil, granted)
	// A part of a round is progress, the rest can follow, and what is done is not done again.
	next, err := l.checker().Accept(t.Context(), s, p, []activation.Result{granted}, now.Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if steps := opened(t, l, s, next); len(steps) != 1 || steps[0].Step != "approve-spending" || activation.Complete(s, next) {
		t.Errorf("%+v", steps)
	}
	refused(t, l, s, next, "a step that is done", nil, granted)
	if next, err = l.checker().Accept(t.Context(), s, next, []activation.Result{sent}, now.Add(time.Minute)); err != nil || !activation.Complete(s, next) {
		t.Error(next, err)
	}
	if same, err := l.checker().Accept(t.Context(), s, p, nil, now.Add(time.Minute)); err != nil || len(same.Done) != len(p.Done) {
		t.Error(same, err)
	}
}

func TestNothingCountsForTwoActivations(t *testing.T) {
	for _, of := range sentSteps[1:] {
		l, s := newLedger(), subject(t, of.venue, "owner")
		p, step := reach(t, l, s, "owner", of.step)
		result := l.do(t, s, "owner", step)
		if _, err := l.checker().Accept(t.Context(), s, p, []activation.Result{result}, now.Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		// The same again for the same activation, as after a crash before the agent was kept, is no conflict.
		if _, err := l.checker().Accept(t.Context(), s, p, []activation.Result{result}, now.Add(time.Minute)); err != nil {
			t.Error("not to be repeated:", err)
		}
		other, again := s, p
		other.Agent = "ag_2"
		refused(t, l, other, p, "another agent", nil, result)
		again.Challenge = "another challenge"
		refused(t, l, s, again, "another activation", nil, result)
	}
	// What the venue has a wallet sign names no agent, so that two agents begun at once are asked for the same words.
	l, s := newLedger(), subject(t, "predictvenue-markets", "owner")
	p, step := reach(t, l, s, "owner", "create-credentials")
	result := l.do(t, s, "owner", step)
	if _, err := l.checker().Accept(t.Context(), s, p, []activation.Result{result}, now.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	other := s
	other.Agent = "ag_2"
	refused(t, l, other, p, "another agent", walletsignature.ErrSignature, result)
}
