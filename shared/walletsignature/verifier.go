package walletsignature

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Verifier holds signatures against the accounts that are said to have made them. It is safe for concurrent use.
type Verifier struct {
	// Code tells contracts from other accounts, Calls asks contracts whether a signature is theirs, Nonces keeps which sign-in nonce
	// belongs to whom.
	Code   market.CodePort
	Calls  market.CallPort
	Nonces store.Nonces
}

// VerifyMessage tells whether an account signed a text (EIP-191). nil: it did. ErrSignature: it did not. ErrUnavailable: nobody knows.
func (v *Verifier) VerifyMessage(ctx context.Context, on *chain.Chain, signer chain.Address, message, signature []byte) error {
	return v.verify(ctx, on, signer, PersonalDigest(message), signature)
}

// VerifyTypedData tells whether an account signed the typed data of a document (EIP-712), with the errors of VerifyMessage. A document
// that is none is ErrTypedData.
func (v *Verifier) VerifyTypedData(ctx context.Context, on *chain.Chain, signer chain.Address, document, signature []byte) error {
	digest, err := TypedDataDigest(document)
	if err != nil {
		return err
	}
	return v.verify(ctx, on, signer, digest, signature)
}

var (
	// deploymentMark ends a signature that carries how its account is to be deployed (ERC-6492).
	deploymentMark = bytes.Repeat([]byte{0x64, 0x92}, 16)
	// validSignature is the selector of isValidSignature(bytes32,bytes), and what that answers when the signature is valid (ERC-1271).
	validSignature = []byte{0x16, 0x26, 0xba, 0x7e}
)

// verify follows the order of ERC-6492: a signature that carries a deployment first, then the contract at the account, and a signature
// by a key only for an account that has no code. An account that delegates (EIP-7702) still has its key, which can undo the delegation:
// its code is asked first, and what that does not take may be by the key.
func (v *Verifier) verify(ctx context.Context, on *chain.Chain, signer chain.Address, digest [32]byte, signature []byte) error {
	wrapped := bytes.HasSuffix(signature, deploymentMark)
	if wrapped {
		inner, ok := undeployed(signature[:len(signature)-len(deploymentMark)])
		if !ok {
			return refuse("it ends like one of an account that is yet to be deployed (ERC-6492), and is none")
		}
		signature = inner
	}
	code, err := v.Code.Code(ctx, on, signer)
	switch {
	case err != nil:
		return unavailable(err)
	case code.Empty && wrapped:
		return refuse("the account is not deployed yet on %s: deploy it, then sign again", on.Slug)
	case code.Empty:
		return byKey(signer, digest, signature)
	}
	err = v.byContract(ctx, on, signer, digest, signature)
	if err == nil || code.Delegate.IsZero() || !errors.Is(err, ErrSignature) {
		return err
	}
	return byKey(signer, digest, signature)
}

func byKey(signer chain.Address, digest [32]byte, signature []byte) error {
	by, err := Recover(digest, signature)
	switch {
	case err != nil:
		return err
	case by != signer:
		return refuse("it is not by %s, or of something else", signer.Checksum())
	}
	return nil
}

// byContract asks the account itself. Only the very word that ERC-1271 wants is a yes.
func (v *Verifier) byContract(ctx context.Context, on *chain.Chain, account chain.Address, digest [32]byte, signature []byte) error {
	answer, err := v.Calls.Call(ctx, on, account, signatureQuestion(digest, signature))
	if err != nil {
		return unavailable(err)
	}
	var want [32]byte
	copy(want[:], validSignature)
	if answer.Reverted || !bytes.Equal(answer.Returned, want[:]) {
		return refuse("the contract at %s does not take it (ERC-1271)", account.Checksum())
	}
	return nil
}

// signatureQuestion is the call of isValidSignature(digest, signature).
func signatureQuestion(digest [32]byte, signature []byte) []byte {
	call := append([]byte(nil), validSignature...)
	call = append(call, digest[:]...)
	call = append(call, word(64)...)
	call = append(call, word(uint64(len(signature)))...)
	call = append(call, signature...)
	return append(call, make([]byte, (32-len(signature)%32)%32)...)
}

func word(n uint64) []byte { return binary.BigEndian.AppendUint64(make([]byte, 24, 32), n) }

// undeployed takes the signature out of what ERC-6492 puts around it: the ABI encoding of (address factory, bytes calldata, bytes
// signature). ok is false for anything else.
func undeployed(encoded []byte) (signature []byte, ok bool) {
	if len(encoded) < 96 || !zero(encoded[:12]) {
		return nil, false
	}
	if _, ok := tail(encoded, encoded[32:64]); !ok {
		return nil, false
	}
	return tail(encoded, encoded[64:96])
}

// tail is the bytes value that lies at an offset.
func tail(encoded, offset []byte) ([]byte, bool) {
	at, ok := small(offset, len(encoded)-32)
	if !ok {
		return nil, false
	}
	length, ok := small(encoded[at:at+32], len(encoded)-32-at)
	if !ok {
		return nil, false
	}
	return encoded[at+32 : at+32+length], true
}

// small reads a word that is at most maximum.
func small(word []byte, maximum int) (int, bool) {
	if !zero(word[:24]) || maximum < 0 {
		return 0, false
	}
	n := binary.BigEndian.Uint64(word[24:])
	return int(min(n, uint64(maximum))), n <= uint64(maximum)
}

func zero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

func unavailable(err error) error { return fmt.Errorf("%w: %w", ErrUnavailable, err) }
