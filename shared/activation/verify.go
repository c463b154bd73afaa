package activation

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/digest"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/walletsignature"
)

// skew is how much the clock of a block may be behind ours: a transaction may be in a block that was begun a little before the
// challenge was made.
const skew = time.Minute

// scopes of what is used once.
const (
	signatureScope   = "activation"
	transactionScope = "transaction"
)

// use is something that counts for one activation alone.
type use struct{ step, scope, nonce string }

// Accept holds results against the steps that are open, and gives the progress with those steps done. All of them are taken or none:
// one that is not right is a RefusalError, and nothing changes. ErrLapsed: the time is over. An error that wraps market.ErrUnavailable:
// nobody can tell now, and the same results can be sent again. Nothing is kept but that a signature and a transaction were used, each
// for this activation of this agent and no other.
func (c Checker) Accept(ctx context.Context, s Subject, p Progress, results []Result, at time.Time) (Progress, error) {
	if p.Challenge == "" || !at.Before(p.ExpiresAt) {
		return p, ErrLapsed
	}
	open, err := c.Open(ctx, s, p, at)
	if err != nil {
		return p, err
	}
	var uses []use
	next := p
	next.Done = slices.Clone(p.Done)
	for _, result := range results {
		if result.Step == DeploySmartAccount {
			if open, err = c.withDeployment(ctx, s, next, open); err != nil {
				return p, err
			}
		}
		i := slices.IndexFunc(open, func(step Step) bool { return step.Step == result.Step })
		if i < 0 {
			return p, refuseStep(s, p, next, result.Step)
		}
		used, err := c.verify(ctx, s, p, open[i], result)
		if err != nil {
			return p, err
		}
		uses = append(uses, used)
		next.Done = append(next.Done, DoneStep{Step: result.Step, At: at.UTC().Truncate(time.Second), Signature: result.Signature, Transaction: result.TxHash})
		open = slices.Delete(open, i, i+1)
	}
	holder := digest.Of(s.Partner, s.Agent, p.Challenge)
	for _, u := range uses {
		if err := c.claim(ctx, u, holder, p.CredentialsExpireAt, at); err != nil {
			return p, err
		}
	}
	return next, nil
}

// withDeployment adds the step that makes the smart account to those that are open. It is no longer among them once its transaction is
// in a block, which is when its result comes.
func (c Checker) withDeployment(ctx context.Context, s Subject, p Progress, open []Step) ([]Step, error) {
	if s.Venue != "dexvenue-spot" || s.SmartAccount == s.Owner || p.did(DeploySmartAccount) ||
		slices.ContainsFunc(open, func(step Step) bool { return step.Step == DeploySmartAccount }) {
		return open, nil
	}
	promised, err := c.promised(ctx, s)
	if err != nil || promised != s.SmartAccount {
		return open, err
	}
	step, err := c.describe(s, p, DeploySmartAccount)
	return append(open, step), err
}

// refuseStep says why no result of a step is wanted.
func refuseStep(s Subject, before, now Progress, step string) error {
	known := slices.ContainsFunc(rounds[s.Venue], func(round []string) bool { return slices.Contains(round, step) })
	switch {
	case !known:
		return refuse(step, "There is no such step at %s.", s.Venue)
	case before.did(step):
		return refuse(step, "This step is done already.")
	case now.did(step):
		return refuse(step, "There are two results for this step.")
	}
	return refuse(step, "This step is not open: do the steps first that the activation lists.")
}

// verify holds one result against its step.
func (c Checker) verify(ctx context.Context, s Subject, p Progress, step Step, result Result) (use, error) {
	if step.Kind == SendTransaction {
		if result.Signature != "" || result.TxHash == "" {
			return use{}, refuse(step.Step, "This step wants the hash of a transaction, as txHash, and no signature.")
		}
		return c.verifyTransaction(ctx, s, p, step, result.TxHash)
	}
	if result.TxHash != "" || result.Signature == "" {
		return use{}, refuse(step.Step, "This step wants a signature, and no txHash.")
	}
	signature, err := walletsignature.ParseSignature(result.Signature)
	signed := []byte(step.Message)
	switch {
	case err != nil:
	case step.Kind == SignMessage:
		err = c.Signatures.VerifyMessage(ctx, s.Chain, s.Owner, signed, signature)
	default:
		signed = step.TypedData
		err = c.Signatures.VerifyTypedData(ctx, s.Chain, s.Owner, signed, signature)
	}
	switch {
	case errors.Is(err, walletsignature.ErrSignature):
		return use{}, &RefusalError{Step: step.Step, Reason: err.Error(), cause: walletsignature.ErrSignature}
	case err != nil:
		return use{}, err
	}
	return use{step.Step, signatureScope, digest.Of(s.Owner.String(), step.Step, string(signed))}, nil
}

// verifyTransaction looks whether the transaction is in a block, is the one that was asked for, and did what it was for.
func (c Checker) verifyTransaction(ctx context.Context, s Subject, p Progress, step Step, text string) (use, error) {
	hash, ok := parseHash(text)
	if !ok {
		return use{}, refuse(step.Step, "The txHash wants 0x and 64 hexadecimal digits.")
	}
	receipt, found, err := c.Receipts.Receipt(ctx, s.Chain, hash)
	if err != nil {
		return use{}, unavailable(err)
	}
	if !found {
		return use{}, &RefusalError{
			Step: step.Step, cause: ErrPending,
			Reason: fmt.Sprintf("The transaction is in no block of %s yet. Send the same again in a moment.", s.Chain.Slug),
		}
	}
	data, err := hex.DecodeString(strings.TrimPrefix(step.Transaction.Data, "0x"))
	if err != nil {
		return use{}, fmt.Errorf("step %s: %w", step.Step, err)
	}
	switch {
	case receipt.Transaction != hash:
		return use{}, fmt.Errorf("%w: a receipt of another transaction", market.ErrUnavailable)
	case receipt.From != s.Owner:
		return use{}, refuse(step.Step, "The transaction was sent by %s, and not by your wallet %s.", receipt.From.Checksum(), s.Owner.Checksum())
	case receipt.To != step.Transaction.To || !bytes.Equal(receipt.Input, data) || len(bytes.Trim(receipt.Value, "\x00")) > 0:
		return use{}, refuse(step.Step, "The transaction is not the one of this step: send exactly its to, data and value.")
	case !receipt.Succeeded:
		return use{}, refuse(step.Step, "The transaction failed on %s. Send it again, and then the hash of the new one.", s.Chain.Slug)
	case receipt.Time.Before(p.IssuedAt.Add(-skew)):
		return use{}, refuse(step.Step, "The transaction is older than this activation. Send it again, and then the hash of the new one.")
	}
	if err := c.effect(ctx, s, step); err != nil {
		return use{}, err
	}
	return use{step.Step, transactionScope, string(s.Chain.Slug) + ":" + hex.EncodeToString(hash[:])}, nil
}

// effect reads from the chain what the transaction was for, as it is now.
func (c Checker) effect(ctx context.Context, s Subject, step Step) error {
	if step.Step == DeploySmartAccount {
		owned, _, err := c.ownerOf(ctx, s)
		if err != nil {
			return err
		}
		if !owned {
			return refuse(step.Step, "There is no account at %s that names your wallet as its owner.", s.SmartAccount.Checksum())
		}
		return nil
	}
	token, spender := dollarOf(s.Chain), s.Executor
	if s.Venue == "predictvenue-markets" {
		token, spender = bridgedDollarOf(s.Chain), exchange
	}
	answer, err := c.Calls.Call(ctx, s.Chain, token.Address, callOf("allowance(address,address)", addressWord(s.Owner), addressWord(spender)))
	if err != nil {
		return unavailable(err)
	}
	want := wholeWord(raw(s.MaxMicroUSD, token.Decimals))
	if answer.Reverted || !bytes.Equal(answer.Returned, want[:]) {
		return refuse(step.Step, "The spending cap on %s is not %s %s now. Send the transaction of this step again.", s.Chain.Slug, dollars(s.MaxMicroUSD), token.Symbol)
	}
	return nil
}

// claim uses something up for a holder.
func (c Checker) claim(ctx context.Context, u use, holder string, until, at time.Time) error {
	switch err := c.Nonces.Claim(ctx, u.scope, u.nonce, holder, until, at); {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrConflict) && u.scope == signatureScope:
		return &RefusalError{Step: u.step, Reason: "This signature was used for another activation.", cause: walletsignature.ErrSignature}
	case errors.Is(err, store.ErrConflict):
		return refuse(u.step, "This transaction was used for another activation. Send it again, and then the hash of the new one.")
	case errors.Is(err, store.ErrInvalid):
		return fmt.Errorf("use up a result of %s: %w", u.step, err)
	default:
		return unavailable(err)
	}
}

// parseHash reads a transaction's hash.
func parseHash(text string) (hash market.Hash, ok bool) {
	digits, found := strings.CutPrefix(text, "0x")
	decoded, err := hex.DecodeString(digits)
	if err != nil || !found || len(decoded) != len(hash) {
		return hash, false
	}
	return market.Hash(decoded), true
}
