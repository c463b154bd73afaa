package perpvenue

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

// keyholder is somebody with a key.
type keyholder struct{ key *secp256k1.PrivateKey }

func keyNumber(n byte) keyholder { return keyholder{secp256k1.PrivKeyFromBytes([]byte{1, n, 0xaa})} }

func (k keyholder) address() string {
	return "0x" + hex.EncodeToString([]byte(keccak256(string(k.key.PubKey().SerializeUncompressed()[1:]))[12:]))
}

func (k keyholder) sign(digest string) signatureWire {
	s := ecdsa.SignCompact(k.key, []byte(digest), false)
	// As the venue's own client does, without leading zeros.
	return signatureWire{"0x" + strings.TrimLeft(hex.EncodeToString(s[1:33]), "0"), "0x" + hex.EncodeToString(s[33:]), int(s[0])}
}

// signed is a request with an action that a key signed.
func (k keyholder) signed(action, packed string, nonce int64, expires *uint64) string {
	r := exchangeRequest{Action: json.RawMessage(action), Nonce: uint64(nonce), ExpiresAfter: expires}
	r.Signature = k.sign(actionDigest(packed, &r))
	return jsonOf(r)
}

func (k keyholder) orderText(asset int, buy bool, price, size string, reduce bool, id string) (action, packed string) {
	action = fmt.Sprintf(`{"type":"order","orders":[{"a":%d,"b":%t,"p":"%s","s":"%s","r":%t,"t":{"limit":{"tif":"Ioc"}},"c":"%s"}],"grouping":"na"}`,
		asset, buy, price, size, reduce, id)
	var w ordersWire
	if err := json.Unmarshal([]byte(action), &w); err != nil {
		panic(err)
	}
	packed, _ = packOrders(&w)
	return action, packed
}

func (k keyholder) approval(agent, name string, nonce int64) string {
	words := keccak256(chainName) + word(agent[2:]) + keccak256(name) + numberWord(uint64(nonce))
	digest := typedDigest("HyperliquidSignTransaction", 0xa4b1,
		keccak256(keccak256("HyperliquidTransaction:ApproveAgent(string hyperliquidChain,address agentAddress,string agentName,uint64 nonce)"), words))
	return fmt.Sprintf(`{"action":{"type":"approveAgent","hyperliquidChain":"Mainnet","signatureChainId":"0xa4b1","agentAddress":"%s","agentName":"%s","nonce":%d},"nonce":%d,"signature":%s}`,
		agent, name, nonce, nonce, jsonOf(k.sign(digest)))
}

// floor is a young venue with a guest, whose agent trades.
type floor struct {
	t     testing.TB
	v     *Venue
	owner keyholder
	agent keyholder
	nonce int64
}

func openFloor(t testing.TB) *floor {
	f := &floor{t: t, v: New(Config{Seed: 25, Start: testStart}), owner: keyNumber(1), agent: keyNumber(2)}
	f.v.Advance(testStart.Add(30 * time.Hour))
	f.nonce = f.v.now
	f.want(f.owner.approval(f.agent.address(), "main", f.next()), `{"status":"ok","response":{"type":"default"}}`)
	return f
}

func (f *floor) next() int64 {
	f.nonce++
	return f.nonce
}

func (f *floor) send(body string) string {
	f.t.Helper()
	status, answer := f.v.Exchange([]byte(body))
	if status != http.StatusOK {
		return fmt.Sprintf("%d %v", status, answer)
	}
	return jsonOf(answer)
}

func (f *floor) want(body, part string) {
	f.t.Helper()
	if got := f.send(body); !strings.Contains(got, part) {
		f.t.Errorf("%.200s: %s, want %s", body, got, part)
	}
}

func (f *floor) order(asset int, buy bool, price, size string, reduce bool) string {
	f.t.Helper()
	nonce := f.next()
	action, packed := f.agent.orderText(asset, buy, price, size, reduce, fmt.Sprintf("0x%032x", nonce))
	return f.send(f.agent.signed(action, packed, nonce, nil))
}

func floatTrim(value float64) string { return strings.TrimSuffix(floatText(value, 6), ".0") }
