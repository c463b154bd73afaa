package evmrpc

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

var _ market.ContractPort = (*Adapter)(nil)

var (
	proxyCode = "0x6080f4"
	logic     = account("109c")
	admin     = account("ad31")
	owner     = account("0b0e")
	beacon    = account("bea")
)

// plainToken is a node with one token that has an owner without code.
func plainToken(code string) *fakeNode {
	n := &fakeNode{head: 100, state: map[string]string{}}
	n.has(token, code)
	n.answers(token, callData(totalSupplySelector), word("3e8"))
	n.answers(token, callData(decimalsSelector), word("12"))
	n.answers(token, callData(balanceOfSelector, anybody), word("0"))
	n.answers(token, callData(ownerSelector), topicOf(owner[2:])[2:])
	return n
}

func (n *fakeNode) has(account, code string)            { n.state["eth_getCode "+account] = code }
func (n *fakeNode) answers(account, data, value string) { n.state[account+" "+data] = "0x" + value }
func (n *fakeNode) keeps(account string, slot Word, value string) {
	n.state["eth_getStorageAt "+account+" "+slot.String()] = "0x" + word(value)
}

func codeNaming(functions ...selector) string {
	text := "0x6080"
	for _, f := range functions {
		text += callData(f)[2:]
	}
	return text
}

func supporting(wanted selector) string {
	return callData(supportsInterfaceSelector) + callData(wanted)[2:] + strings.Repeat("0", 56)
}

func contractOf(t *testing.T, n *fakeNode) *market.Contract {
	t.Helper()
	got, err := n.on(chain.Ethereum).Contract(context.Background(), mustChain(t, chain.Ethereum), mustParse(t, token))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestContractOfATokenWithAnOwner(t *testing.T) {
	n := plainToken(codeNaming(ownerSelector))
	got := contractOf(t, n)
	if got.AnswersSupply != market.Yes || got.AnswersDecimals != market.Yes || got.AnswersBalance != market.Yes || got.Decimals != 18 || got.TotalSupply.Uint64() != 1000 {
		t.Errorf("%+v", got)
	}
	if got.Owned != market.Yes || got.Owner != mustParse(t, owner) || got.OwnerContract != market.No || got.NonFungible != market.No || got.PoolShare != market.No || got.Proxy != nil {
		t.Errorf("%+v", got)
	}
	if n.calls["eth_call"] != 4 || n.calls["eth_getCode"] != 2 || n.calls["eth_getStorageAt"] != 0 {
		t.Errorf("a plain token costs %v", n.calls)
	}
	n.has(owner, "0x60")
	if got := contractOf(t, n); got.OwnerContract != market.Yes {
		t.Error("an owner with code is a contract")
	}
}

func TestContractOfAnAccountWithoutCode(t *testing.T) {
	for _, code := range []string{"0x", "0xef0100" + strings.Repeat("ab", 20)} {
		n := &fakeNode{head: 100, state: map[string]string{}}
		n.has(token, code)
		if got := contractOf(t, n); len(got.Code) != 0 || got.AnswersSupply != market.Unknown || n.calls["eth_call"] != 0 {
			t.Errorf("%s: %+v after %v", code, got, n.calls)
		}
	}
}

func TestWhatAContractAnswers(t *testing.T) {
	address := func(text string) string { return topicOf(text[2:])[2:] }
	for name, c := range map[string]struct {
		code    string
		prepare func(n *fakeNode)
		right   func(c *market.Contract) bool
	}{
		"nothing": {"0x6080", func(n *fakeNode) { clear(n.state); n.has(token, "0x6080") },
			func(c *market.Contract) bool {
				return c.AnswersSupply == market.No && c.AnswersDecimals == market.No && c.AnswersBalance == market.No && c.Owned == market.Unknown
			}},
		"decimals beyond reason": {"0x6080", func(n *fakeNode) { n.answers(token, callData(decimalsSelector), word("ffff")) },
			func(c *market.Contract) bool { return c.AnswersDecimals == market.No && c.Decimals == 0 }},
		"a text for a supply": {"0x6080", func(n *fakeNode) { n.answers(token, callData(totalSupplySelector), word("20")+word("0")) },
			func(c *market.Contract) bool { return c.AnswersSupply == market.No && c.TotalSupply.IsZero() }},
		"renounced": {codeNaming(ownerSelector), func(n *fakeNode) { n.answers(token, callData(ownerSelector), word("0")) },
			func(c *market.Contract) bool { return c.Owned == market.No && c.OwnerContract == market.Unknown }},
		"given to the burn address": {codeNaming(ownerSelector), func(n *fakeNode) { n.answers(token, callData(ownerSelector), word("dead")) },
			func(c *market.Contract) bool { return c.Owned == market.No }},
		"an owner by the other name": {codeNaming(getOwnerSelector), func(n *fakeNode) { n.answers(token, callData(getOwnerSelector), word("77")) },
			func(c *market.Contract) bool { return c.Owned == market.Yes && c.Owner == chain.Address{19: 0x77} }},
		"no owner function": {"0x6080", func(*fakeNode) {},
			func(c *market.Contract) bool { return c.Owned == market.Unknown }},
		"a collection": {codeNaming(supportsInterfaceSelector), func(n *fakeNode) { n.answers(token, supporting(erc721Interface), word("1")) },
			func(c *market.Contract) bool { return c.NonFungible == market.Yes }},
		"a collection of many": {codeNaming(supportsInterfaceSelector), func(n *fakeNode) { n.answers(token, supporting(erc1155Interface), word("1")) },
			func(c *market.Contract) bool { return c.NonFungible == market.Yes }},
		"yes to every interface": {codeNaming(supportsInterfaceSelector), func(n *fakeNode) {
			n.answers(token, supporting(erc721Interface), word("1"))
			n.answers(token, supporting(selector{0xff, 0xff, 0xff, 0xff}), word("1"))
		}, func(c *market.Contract) bool { return c.NonFungible == market.No }},
		"a pair": {codeNaming(getReservesSelector), func(n *fakeNode) {
			n.answers(token, callData(getReservesSelector), word("5")+word("6")+word("7"))
			n.answers(token, callData(token0Selector), address(second))
			n.answers(token, callData(token1Selector), address(wbnb))
		}, func(c *market.Contract) bool { return c.PoolShare == market.Yes }},
		"reserves alone": {codeNaming(getReservesSelector), func(n *fakeNode) { n.answers(token, callData(getReservesSelector), word("5")+word("6")+word("7")) },
			func(c *market.Contract) bool { return c.PoolShare == market.No }},
	} {
		n := plainToken(c.code)
		c.prepare(n)
		if got := contractOf(t, n); !c.right(got) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestProxies(t *testing.T) {
	clone := "0x363d3d373d3d3d363d73" + logic[2:] + "5af43d82803e903d91602b57fd5bf3"
	upgradeable := codeNaming(upgradeToAndCallSelector)
	for name, c := range map[string]struct {
		code    string
		prepare func(n *fakeNode)
		want    market.Proxy
	}{
		"a clone": {clone, func(*fakeNode) {}, market.Proxy{Standard: minimalStandard, Upgradeable: market.No, ChangedRecently: market.No}},
		"an admin who is a person": {proxyCode, func(n *fakeNode) { n.keeps(token, implementationSlot, logic[2:]); n.keeps(token, adminSlot, admin[2:]) },
			market.Proxy{Standard: slotStandard, Upgradeable: market.Yes, Admin: mustParse(t, admin), AdminContract: market.No, ChangedRecently: market.No}},
		"an admin that is a contract": {proxyCode, func(n *fakeNode) {
			n.keeps(token, implementationSlot, logic[2:])
			n.keeps(token, adminSlot, admin[2:])
			n.has(admin, "0x60")
		}, market.Proxy{Standard: slotStandard, Upgradeable: market.Yes, Admin: mustParse(t, admin), AdminContract: market.Yes, ChangedRecently: market.No}},
		"an admin contract that somebody owns": {proxyCode, func(n *fakeNode) {
			n.keeps(token, implementationSlot, logic[2:])
			n.keeps(token, adminSlot, admin[2:])
			n.has(admin, "0x60")
			n.answers(admin, callData(ownerSelector), word("e0a"))
		}, market.Proxy{Standard: slotStandard, Upgradeable: market.Yes, Admin: chain.Address{18: 0x0e, 19: 0x0a}, AdminContract: market.No, ChangedRecently: market.No}},
		"an admin contract that nobody owns": {proxyCode, func(n *fakeNode) {
			n.keeps(token, implementationSlot, logic[2:])
			n.keeps(token, adminSlot, admin[2:])
			n.has(admin, "0x60")
			n.answers(admin, callData(ownerSelector), word("0"))
		}, market.Proxy{Standard: slotStandard, Upgradeable: market.No, ChangedRecently: market.No}},
		"upgraded by the implementation": {proxyCode, func(n *fakeNode) { n.keeps(token, implementationSlot, logic[2:]); n.has(logic, upgradeable) },
			market.Proxy{Standard: slotStandard, Upgradeable: market.Yes, Admin: mustParse(t, owner), AdminContract: market.No, ChangedRecently: market.No}},
		"nothing says how it is upgraded": {proxyCode, func(n *fakeNode) { n.keeps(token, proxiableSlot, logic[2:]) },
			market.Proxy{Standard: proxiable, ChangedRecently: market.No}},
		"the old slots": {proxyCode, func(n *fakeNode) {
			n.keeps(token, zeppelinSlot, logic[2:])
			n.keeps(token, zeppelinAdminSlot, admin[2:])
		},
			market.Proxy{Standard: zeppelinStandard, Upgradeable: market.Yes, Admin: mustParse(t, admin), AdminContract: market.No, ChangedRecently: market.No}},
		"a beacon": {proxyCode, func(n *fakeNode) {
			n.keeps(token, beaconSlot, beacon[2:])
			n.has(beacon, codeNaming(upgradeToSelector))
			n.answers(beacon, callData(implementationSelector), topicOf(logic[2:])[2:])
			n.answers(beacon, callData(ownerSelector), topicOf(admin[2:])[2:])
		}, market.Proxy{Standard: beaconStandard, Upgradeable: market.Yes, Admin: mustParse(t, admin), AdminContract: market.No}},
	} {
		n := plainToken(c.code)
		n.has(logic, "0x6001")
		c.prepare(n)
		got := contractOf(t, n).Proxy
		if got == nil || len(got.Code) == 0 || got.Implementation != mustParse(t, logic) {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		shown := *got
		shown.Code, shown.Implementation = nil, chain.Address{}
		if shown.Standard != c.want.Standard || shown.Upgradeable != c.want.Upgradeable || shown.Admin != c.want.Admin || shown.AdminContract != c.want.AdminContract || shown.ChangedRecently != c.want.ChangedRecently {
			t.Errorf("%s: %+v, want %+v", name, shown, c.want)
		}
	}
	n := plainToken(proxyCode)
	n.keeps(token, implementationSlot, strings.Repeat("f", 64))
	if got := contractOf(t, n).Proxy; got != nil {
		t.Errorf("a slot that holds no address makes %+v", got)
	}
}

func TestUpgradesOfTheLastWeek(t *testing.T) {
	const head = 2_000_000 // seconds
	upgrade := func(block uint64) fakeTransaction {
		return fakeTransaction{block: block, from: admin, to: token, logs: []rawLog{{Address: token, Topics: []string{upgradedTopic.String(), topicOf(logic[2:])}, Data: "0x"}}}
	}
	week := uint64(7 * 24 * 3600)
	for name, c := range map[string]struct {
		transactions []fakeTransaction
		prepare      func(n *fakeNode)
		want         market.Tristate
	}{
		"never":             {nil, func(*fakeNode) {}, market.No},
		"long ago":          {[]fakeTransaction{upgrade(head - week - 100)}, func(*fakeNode) {}, market.No},
		"just now":          {[]fakeTransaction{upgrade(head - 100)}, func(*fakeNode) {}, market.Yes},
		"made and replaced": {[]fakeTransaction{upgrade(head - 100), upgrade(head - 50)}, func(*fakeNode) {}, market.Yes},
		"made just now": {[]fakeTransaction{upgrade(head - 100)}, func(n *fakeNode) {
			n.state["eth_getCode "+token+" "+hexBlock(head-101)] = "0x"
		}, market.No},
		"the node shows no logs": {[]fakeTransaction{upgrade(head - 100)}, func(n *fakeNode) {
			n.refuse = func(uint64, uint64, int) *fakeFault { return &fakeFault{-32000, "getLogs is disabled"} }
		}, market.Unknown},
		"ranges too short to reach a week": {nil, func(n *fakeNode) {
			n.refuse = func(from, to uint64, _ int) *fakeFault {
				if to-from >= 1000 {
					return &fakeFault{-32005, "block range too large"}
				}
				return nil
			}
		}, market.Unknown},
	} {
		n := plainToken(proxyCode)
		n.head, n.transactions = head, c.transactions
		n.keeps(token, implementationSlot, logic[2:])
		c.prepare(n)
		if got := contractOf(t, n).Proxy.ChangedRecently; got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if n.calls["eth_getLogs"] > upgradeLogCalls {
			t.Errorf("%s: %d calls for logs", name, n.calls["eth_getLogs"])
		}
	}
}

func TestANodeThatFailsIsAnErrorAndNotAnAnswer(t *testing.T) {
	n := plainToken(codeNaming(ownerSelector))
	n.answer = map[string]string{"eth_call": `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"header not found"}}`}
	if _, err := n.on(chain.Ethereum).Contract(context.Background(), mustChain(t, chain.Ethereum), mustParse(t, token)); !errors.Is(err, market.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}
