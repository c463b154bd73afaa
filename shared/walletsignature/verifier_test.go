package walletsignature_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/walletsignature"
)

var magic = append([]byte{0x16, 0x26, 0xba, 0x7e}, make([]byte, 28)...)

func argument(t *testing.T, name string) abi.Argument {
	t.Helper()
	typ, err := abi.NewType(name, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	return abi.Argument{Type: typ}
}

func base(t *testing.T) *chain.Chain {
	t.Helper()
	on, _ := chain.Parse("base")
	return on
}

func TestAContractIsAskedAndOnlyItsMagicWordIsAYes(t *testing.T) {
	account := chain.Address{1: 7}
	arguments := abi.Arguments{argument(t, "bytes32"), argument(t, "bytes")}
	message, signature := []byte("hello"), bytes.Repeat([]byte{5}, 97)
	for name, c := range map[string]struct {
		answer market.CallResult
		err    error
		want   error
	}{
		"the magic word":          {market.CallResult{Returned: magic}, nil, nil},
		"the magic word in a row": {market.CallResult{Returned: append(slices.Clone(magic), 0)}, nil, walletsignature.ErrSignature},
		"the selector alone":      {market.CallResult{Returned: magic[:4]}, nil, walletsignature.ErrSignature},
		"right-aligned":           {market.CallResult{Returned: append(make([]byte, 28), magic[:4]...)}, nil, walletsignature.ErrSignature},
		"something behind it":     {market.CallResult{Returned: append(slices.Clone(magic[:31]), 1)}, nil, walletsignature.ErrSignature},
		"another word":            {market.CallResult{Returned: bytes.Repeat([]byte{0xff}, 32)}, nil, walletsignature.ErrSignature},
		"nothing":                 {market.CallResult{}, nil, walletsignature.ErrSignature},
		"a refusal":               {market.CallResult{Reverted: true, Returned: magic}, nil, walletsignature.ErrSignature},
		"no answer":               {market.CallResult{Returned: magic}, market.ErrUnavailable, walletsignature.ErrUnavailable},
	} {
		v, on, _ := verifier()
		on.code = map[chain.Address]market.Code{account: {}}
		on.answer = func(to chain.Address, data []byte) (market.CallResult, error) {
			digest := walletsignature.PersonalDigest(message)
			want, err := arguments.Pack(digest, signature)
			if err != nil || to != account || !bytes.Equal(data, append(slices.Clone(magic[:4]), want...)) {
				t.Errorf("%s: asked %s for %x, %v", name, to, data, err)
			}
			return c.answer, c.err
		}
		err := v.VerifyMessage(t.Context(), base(t), account, message, signature)
		if c.want == nil && err != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if errors.Is(err, walletsignature.ErrSignature) && errors.Is(err, market.ErrUnavailable) {
			t.Errorf("%s is both: %v", name, err)
		}
	}
}

func TestTheKeyOfAContractsAddressCountsForNothing(t *testing.T) {
	by := key(t, "owner")
	v, on, _ := verifier()
	on.code = map[chain.Address]market.Code{accountOf(by): {}}
	on.answer = func(chain.Address, []byte) (market.CallResult, error) { return market.CallResult{Reverted: true}, nil }
	signature := signText(t, by, "hello")
	if err := v.VerifyMessage(t.Context(), base(t), accountOf(by), []byte("hello"), signature); !errors.Is(err, walletsignature.ErrSignature) {
		t.Error(err)
	}
	// An account that delegates has both: its delegate is asked first, and its key still holds.
	on.code[accountOf(by)] = market.Code{Delegate: chain.Address{5}}
	if err := v.VerifyMessage(t.Context(), base(t), accountOf(by), []byte("hello"), signature); err != nil || on.called != 2 {
		t.Error(err, on.called)
	}
	if err := v.VerifyMessage(t.Context(), base(t), accountOf(by), []byte("hallo"), signature); !errors.Is(err, walletsignature.ErrSignature) {
		t.Error(err)
	}
	on.answer = func(chain.Address, []byte) (market.CallResult, error) { return market.CallResult{Returned: magic}, nil }
	if err := v.VerifyMessage(t.Context(), base(t), accountOf(by), []byte("hello"), []byte("whatever its delegate takes")); err != nil {
		t.Error(err)
	}
	on.answer = func(chain.Address, []byte) (market.CallResult, error) {
		return market.CallResult{}, market.ErrUnavailable
	}
	if err := v.VerifyMessage(t.Context(), base(t), accountOf(by), []byte("hello"), signature); !errors.Is(err, walletsignature.ErrUnavailable) {
		t.Error("a delegate that nobody can ask is passed over:", err)
	}
}

func TestASignatureThatCarriesADeployment(t *testing.T) {
	by := key(t, "owner")
	inner := signText(t, by, "hello")
	arguments := abi.Arguments{argument(t, "address"), argument(t, "bytes"), argument(t, "bytes")}
	encoded, err := arguments.Pack(common.Address{9}, []byte("make it"), inner)
	if err != nil {
		t.Fatal(err)
	}
	mark := bytes.Repeat([]byte{0x64, 0x92}, 16)
	wrapped := append(slices.Clone(encoded), mark...)
	account := chain.Address{1: 7}
	v, on, _ := verifier()
	if err := v.VerifyMessage(t.Context(), base(t), account, []byte("hello"), wrapped); !errors.Is(err, walletsignature.ErrSignature) || on.called > 0 {
		t.Error("not deployed:", err)
	}
	// Not even the key of the address may take the place of a contract that is still to come.
	if err := v.VerifyMessage(t.Context(), base(t), accountOf(by), []byte("hello"), wrapped); !errors.Is(err, walletsignature.ErrSignature) {
		t.Error("not deployed, at the key's own address:", err)
	}
	on.code = map[chain.Address]market.Code{account: {}}
	on.answer = func(_ chain.Address, data []byte) (market.CallResult, error) {
		digest := walletsignature.PersonalDigest([]byte("hello"))
		want, err := abi.Arguments{argument(t, "bytes32"), argument(t, "bytes")}.Pack(digest, inner)
		if err != nil || !bytes.Equal(data[4:], want) {
			t.Errorf("asked %x, want %x, %v", data, want, err)
		}
		return market.CallResult{Returned: magic}, nil
	}
	if err := v.VerifyMessage(t.Context(), base(t), account, []byte("hello"), wrapped); err != nil || on.called != 1 {
		t.Error("deployed:", err)
	}
	for cut := range encoded {
		broken := append(slices.Clone(encoded[:cut]), mark...)
		if err := v.VerifyMessage(t.Context(), base(t), account, []byte("hello"), broken); err != nil && !errors.Is(err, walletsignature.ErrSignature) {
			t.Fatal(cut, err)
		}
	}
	huge := slices.Clone(wrapped)
	for i := 64; i < 96; i++ {
		huge[i] = 0xff
	}
	if err := v.VerifyMessage(t.Context(), base(t), account, []byte("hello"), huge); !errors.Is(err, walletsignature.ErrSignature) {
		t.Error("an offset beyond the end:", err)
	}
}

func TestVerifyTypedData(t *testing.T) {
	by, other := key(t, "owner"), key(t, "other")
	document := []byte(`{"types":{"EIP712Domain":[{"name":"name","type":"string"}],"A":[{"name":"b","type":"uint8"}]},"primaryType":"A","domain":{"name":"x"},"message":{"b":1}}`)
	digest, err := walletsignature.TypedDataDigest(document)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := crypto.Sign(digest[:], by)
	if err != nil {
		t.Fatal(err)
	}
	v, _, _ := verifier()
	if err := v.VerifyTypedData(t.Context(), base(t), accountOf(by), document, signature); err != nil {
		t.Error(err)
	}
	if err := v.VerifyTypedData(t.Context(), base(t), accountOf(other), document, signature); !errors.Is(err, walletsignature.ErrSignature) {
		t.Error(err)
	}
	if err := v.VerifyTypedData(t.Context(), base(t), accountOf(by), []byte(`{}`), signature); !errors.Is(err, walletsignature.ErrTypedData) {
		t.Error(err)
	}
}
