package hyperliquid

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

func methodsOf(kind reflect.Type) []string {
	var names []string
	for i := range kind.NumMethod() {
		names = append(names, kind.Method(i).Name)
	}
	return names
}

// What can be done with a trading key is all in these lists; whatever is added to the package has to be thought of here.
func TestATradingAgentCanOnlyTradeAndNeverWithdraw(t *testing.T) {
	if got, want := methodsOf(reflect.TypeFor[*Exchange]()), []string{"ApproveAgent", "ApprovedAgents", "Cancel", "Contract", "Order", "OrderStatus", "UpdateLeverage"}; !slices.Equal(got, want) {
		t.Errorf("an exchange can %q", got)
	}
	if got, want := methodsOf(reflect.TypeFor[TradingKey]()), []string{"Address", "Format", "GoString", "MarshalText", "String"}; !slices.Equal(got, want) {
		t.Errorf("a trading key can %q", got)
	}
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.approve()
		request := d.buying("BTC", 100)
		d.order(request)
		_ = d.x.Cancel(t.Context(), d.key, "BTC", request.ClientID)
		_ = d.x.UpdateLeverage(t.Context(), d.key, "BTC", 5, true)
		_, _ = d.x.OrderStatus(t.Context(), d.owner.Address(), request.ClientID)
		_, _ = d.x.ApprovedAgents(t.Context(), d.owner.Address())
		if kinds := d.sentKinds(); !slices.Equal(kinds, []string{"approveAgent", "cancelByCloid", "order", "updateLeverage"}) {
			t.Errorf("sent were %q", kinds)
		}

		before, err := d.x.adapter.PerpAccount(t.Context(), d.owner.Address(), nil)
		if err != nil {
			t.Fatal(err)
		}
		now := uint64(d.x.adapter.client.Now().UnixMilli())
		thief := chain.Address{0xee}
		for i, kind := range []string{"usdSend", "withdraw3"} {
			nonce := now + uint64(i)
			name := map[string]string{"usdSend": "UsdSend", "withdraw3": "Withdraw"}[kind]
			s, err := d.key.sign(typedDigest(userDomain, 1, "HyperliquidTransaction:"+name, []field{
				textField("hyperliquidChain", "Mainnet"), textField("destination", thief.String()), textField("amount", "100"), numberField("uint64", "time", nonce),
			}))
			if err != nil {
				t.Fatal(err)
			}
			action := fmt.Sprintf(`{"type":"%s","hyperliquidChain":"Mainnet","signatureChainId":"0x1","amount":"100","time":%d,"destination":"%s"}`, kind, nonce, thief)
			if answer := d.post(action, fmt.Sprint(nonce), s); !strings.Contains(answer, "Must deposit before performing actions. User: "+d.key.Address().String()) {
				t.Errorf("%s by an agent: %s", kind, answer)
			}
		}
		for _, action := range []string{
			`{"type":"vaultTransfer","vaultAddress":"0x0000000000000000000000000000000000000001","isDeposit":true,"usd":1000000}`,
			`{"type":"subAccountTransfer","subAccountUser":"0x0000000000000000000000000000000000000001","isDeposit":false,"usd":1000000}`,
			`{"type":"usdClassTransfer","amount":"100","toPerp":false}`, `{"type":"spotSend"}`, `{"type":"sendAsset"}`, `{"type":"createSubAccount","name":"x"}`,
		} {
			s, err := d.key.sign(actionDigest(Mainnet, actionHash([]byte(action), now, nil, nil)))
			if err != nil {
				t.Fatal(err)
			}
			if answer := d.post(action, fmt.Sprint(now), s); !strings.HasPrefix(answer, "422 ") {
				t.Errorf("%s by an agent: %s", action, answer)
			}
		}
		// An agent approves no other one.
		approval := d.approval("second")
		approval.Agent = chain.Address{7}
		s, err := d.key.sign(approval.digest(Mainnet))
		if err != nil {
			t.Fatal(err)
		}
		action := fmt.Sprintf(`{"type":"approveAgent","signatureChainId":"0xa4b1","hyperliquidChain":"Mainnet","agentAddress":"%s","agentName":"second","nonce":%d}`,
			approval.Agent, approval.Nonce)
		if answer := d.post(action, fmt.Sprint(approval.Nonce), s); !strings.Contains(answer, `"err"`) {
			t.Errorf("an approval by an agent: %s", answer)
		}
		after, err := d.x.adapter.PerpAccount(t.Context(), d.owner.Address(), nil)
		if err != nil || after.Clearinghouses[0].ValueUSD != before.Clearinghouses[0].ValueUSD {
			t.Errorf("%+v became %+v, %v", before, after, err)
		}
	})
}

func TestATradingKeyShowsNothing(t *testing.T) {
	key := keyOf(t, "secret")
	secret := key.private.Key.Bytes()
	number := new(big.Int).SetBytes(secret[:])
	holder := struct {
		Key   TradingKey
		inner TradingKey
		Map   map[string]TradingKey
	}{key, key, map[string]TradingKey{"k": key}}
	var shown bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%o", "%b", "%c", "%U", "%e", "%t", "%p"} {
		fmt.Fprintf(&shown, verb+"\n", key)
		fmt.Fprintf(&shown, verb+"\n", &key)
		fmt.Fprintf(&shown, verb+"\n", holder)
	}
	slog.New(slog.NewJSONHandler(&shown, nil)).Info("key", "key", key, "holder", holder)
	slog.New(slog.NewTextHandler(&shown, nil)).Info("key", "key", key, "holder", holder)
	one, err := json.Marshal(holder)
	two, err2 := jsonv2.Marshal(key)
	if err != nil || err2 != nil {
		t.Error(err, err2)
	}
	shown.Write(one)
	shown.Write(two)
	for _, leak := range []string{fmt.Sprintf("%x", secret), fmt.Sprintf("%X", secret), number.String(), number.Text(8), fmt.Sprint(secret[:4])[1:9]} {
		if strings.Contains(shown.String(), leak) {
			t.Errorf("%s is shown", leak)
		}
	}
	if string(two) != `"***"` || fmt.Sprint(key) != "***" || !strings.Contains(shown.String(), "***") {
		t.Errorf("%s, %v", two, key)
	}
}
