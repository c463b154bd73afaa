package hyperliquid

import (
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// The packed form is written out by hand from the MessagePack specification. The signatures are those that the sample market, which packs,
// hashes and recovers in its own way, finds to be this address's; its tests have the same requests.
const (
	knownAddress = "0x27ceacc987489d41aa21e0a21cb6f2e723b05278"
	knownPacked  = "83" + "a474797065" + "a56f72646572" + "a66f7264657273" + "91" + "87" + "a161" + "ce0001d4c1" + "a162" + "c3" +
		"a170" + "a6343038312e35" + "a173" + "a6302e30373335" + "a172" + "c2" + "a174" + "81" + "a56c696d6974" + "81" + "a3746966" + "a3496f63" +
		"a163" + "d922" + "30783031303030303030303030303030303030303030303030303030303030303066" + "a867726f7570696e67" + "a26e61"
	knownOrder    = `{"action":{"type":"order","orders":[{"a":120001,"b":true,"p":"4081.5","s":"0.0735","r":false,"t":{"limit":{"tif":"Ioc"}},"c":"0x0100000000000000000000000000000f"}],"grouping":"na"},"nonce":1788222600000,"signature":{"r":"0x2893619a03104e9ddb4d91664f916456296cead1786d70c53057faeb2394a618","s":"0x2fe694afd2d7d45a9dd8b7733f39694cf9a15e9a841df61a9c9e7be35dff9bab","v":27},"vaultAddress":null,"expiresAfter":1788222610000}`
	knownApproval = `{"action":{"type":"approveAgent","signatureChainId":"0x66eee","hyperliquidChain":"Mainnet","agentAddress":"0xa900000000000000000000000000000000000001","agentName":"mirror valid_until 1790000000000","nonce":1788222600000},"nonce":1788222600000,"signature":{"r":"0x7e30facd5325b8a80831f50a8dc8741cba0fadcd237999301ea663818b2c5b8e","s":"0x3c1453dc9de0e0083fcce19ad5e0dc513508e2f8ceab10a4e4cf8afb21b9ec9e","v":27},"vaultAddress":null}`
)

func TestKnownAnswers(t *testing.T) {
	key := keyOf(t, "known answer")
	if got := key.Address().String(); got != knownAddress {
		t.Errorf("address %s", got)
	}
	action := orderAction{Type: "order", Grouping: "na", Orders: []orderWire{{
		Asset: 120_001, Buy: true, Price: "4081.5", Size: "0.0735", Kind: orderKind{limitKind{immediateOrCancel}}, ClientID: ClientID{1, 15: 15}.String(),
	}}}
	packed, err := pack(action)
	if err != nil || hex.EncodeToString(packed) != knownPacked {
		t.Errorf("packed %x, %v", packed, err)
	}
	nonce, expires := uint64(1_788_222_600_000), uint64(1_788_222_610_000)
	s, err := key.sign(actionDigest(Mainnet, actionHash(packed, nonce, nil, &expires)))
	if err != nil {
		t.Fatal(err)
	}
	body, err := jsonv2.Marshal(envelope[orderAction]{Action: action, Nonce: nonce, Signature: s, ExpiresAfter: &expires})
	if err != nil || string(body) != knownOrder {
		t.Errorf("order %s, %v", body, err)
	}

	approval := Approval{Account: key.Address(), Agent: chain.Address{0xa9, 19: 1}, Name: "mirror valid_until 1790000000000", Nonce: nonce, SignatureChainID: 0x66eee}
	a, err := key.sign(approval.digest(Mainnet))
	if err != nil {
		t.Fatal(err)
	}
	body, err = jsonv2.Marshal(envelope[approvalAction]{Action: approvalAction{
		Type: "approveAgent", SignatureChainID: "0x66eee", Network: Mainnet, Agent: approval.Agent.String(), Name: approval.Name, Nonce: nonce,
	}, Nonce: nonce, Signature: a})
	if err != nil || string(body) != knownApproval {
		t.Errorf("approval %s, %v", body, err)
	}
	signer, err := recoverSigner(approval.digest(Mainnet), slices.Concat(a.R, a.S, []byte{a.V}))
	if err != nil || signer != key.Address() {
		t.Errorf("%v, %v", signer, err)
	}
	if fmt.Sprintf("%x", actionDigest(Mainnet, [32]byte{})) == fmt.Sprintf("%x", actionDigest(Testnet, [32]byte{})) {
		t.Error("the networks are one")
	}
}

func TestKeysAreOfTheirSeedAndName(t *testing.T) {
	seed, other := make([]byte, 32), append(make([]byte, 31), 1)
	seen := make(map[chain.Address]string)
	for _, from := range [][]byte{seed, other} {
		for _, name := range []string{"a", "b", "ab", "a\x00", "agent-1", "agent-11"} {
			first, err := DeriveTradingKey(from, name)
			again, err2 := DeriveTradingKey(slices.Clone(from), name)
			if err != nil || err2 != nil || first.Address() != again.Address() || first.Address().IsZero() || seen[first.Address()] != "" {
				t.Errorf("%q: %v %v, %v %v, before %q", name, first.Address(), again.Address(), err, err2, seen[first.Address()])
			}
			seen[first.Address()] = name
		}
	}
	if _, err := DeriveTradingKey(seed[:31], "a"); err == nil {
		t.Error("a short seed")
	}
	if _, err := DeriveTradingKey(seed, ""); err == nil {
		t.Error("no name")
	}
	if (TradingKey{}).Address() != (chain.Address{}) {
		t.Error("the zero key has an address")
	}
}
