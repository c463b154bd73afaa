package evmrpc

import (
	"bytes"
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
)

// The storage slots at which proxies keep what they hand their calls to, as their standards fix them.
var (
	implementationSlot = mustWord("0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc") // EIP-1967
	beaconSlot         = mustWord("0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50") // EIP-1967
	adminSlot          = mustWord("0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103") // EIP-1967
	proxiableSlot      = mustWord("0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7") // EIP-1822
	zeppelinSlot       = mustWord("0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3") // zeppelinos, before EIP-1967
	zeppelinAdminSlot  = mustWord("0x10d6a54a4754c8869d6886b5f5d7fbfa5b4522237ea5c60d11bc4e7a1ff9390b")
)

// upgradedTopic is Upgraded(address) of EIP-1967.
var upgradedTopic = mustWord("0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b")

var (
	implementationSelector   = selector{0x5c, 0x60, 0xda, 0x1b}
	upgradeToSelector        = selector{0x36, 0x59, 0xcf, 0xe6}
	upgradeToAndCallSelector = selector{0x4f, 0x1e, 0xf2, 0x86}
)

const (
	recentUpgrade = 7 * 24 * time.Hour
	// upgradeLogCalls bounds the search for upgrades of one proxy.
	upgradeLogCalls = 12
	// timedBlocks is the stretch of blocks by which a chain's block time is measured.
	timedBlocks = 50_000
)

// The standards by name.
const (
	minimalStandard  = "EIP-1167"
	slotStandard     = "EIP-1967"
	beaconStandard   = "EIP-1967 beacon"
	proxiable        = "EIP-1822"
	zeppelinStandard = "zeppelinos"
)

// The code of an EIP-1167 clone, around the twenty bytes of its implementation.
var (
	minimalHead = []byte{0x36, 0x3d, 0x3d, 0x37, 0x3d, 0x3d, 0x3d, 0x36, 0x3d, 0x73}
	minimalTail = []byte{0x5a, 0xf4, 0x3d, 0x82, 0x80, 0x3e, 0x90, 0x3d, 0x91, 0x60, 0x2b, 0x57, 0xfd, 0x5b, 0xf3}
)

// minimalTarget finds the implementation that a clone has in its code. Arguments may follow the clone's code.
func minimalTarget(code []byte) (chain.Address, bool) {
	rest, ok := bytes.CutPrefix(code, minimalHead)
	if !ok || len(rest) < 20+len(minimalTail) || !bytes.HasPrefix(rest[20:], minimalTail) {
		return chain.Address{}, false
	}
	return chain.Address(rest[:20]), true
}

// proxy finds what the contract hands its calls to; nil when it is no proxy of a known kind.
func (r *contractReader) proxy(ctx context.Context) (*market.Proxy, error) {
	if target, ok := minimalTarget(r.code); ok {
		return &market.Proxy{Standard: minimalStandard, Implementation: target, Upgradeable: market.No, ChangedRecently: market.No}, nil
	}
	if !r.delegates() {
		return nil, nil
	}
	slots := [...]Word{implementationSlot, beaconSlot, adminSlot, proxiableSlot, zeppelinSlot}
	var held [len(slots)]chain.Address
	group, groupContext := parallel.WithContext(ctx)
	for i, slot := range slots {
		group.Go(func() (err error) {
			held[i], err = r.slot(groupContext, slot)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	proxy := &market.Proxy{Admin: held[2]}
	switch none := (chain.Address{}); {
	case held[0] != none:
		proxy.Standard, proxy.Implementation = slotStandard, held[0]
	case held[1] != none:
		return r.beacon(ctx, held[1])
	case held[3] != none:
		proxy.Standard, proxy.Implementation = proxiable, held[3]
	case held[4] != none:
		proxy.Standard, proxy.Implementation = zeppelinStandard, held[4]
		var err error
		if proxy.Admin, err = r.slot(ctx, zeppelinAdminSlot); err != nil {
			return nil, err
		}
	default:
		return nil, nil
	}
	return proxy, nil
}

// slot reads an address from storage; zero for anything else that lies there.
func (r *contractReader) slot(ctx context.Context, slot Word) (chain.Address, error) {
	number, err := ask(ctx, r.client, call{"eth_getStorageAt", []any{r.account, slot.String(), "latest"}}, parseQuantity)
	if err != nil {
		return chain.Address{}, err
	}
	address, _ := Word(number.Bytes32()).address()
	return address, nil
}

// beacon asks a beacon for the implementation. Whoever owns the beacon may replace it.
func (r *contractReader) beacon(ctx context.Context, beacon chain.Address) (*market.Proxy, error) {
	proxy := &market.Proxy{Standard: beaconStandard}
	implementation, err := readAddress(ctx, r.client, beacon, implementationSelector)
	if err != nil {
		return nil, err
	}
	if implementation != nil {
		proxy.Implementation = *implementation
	}
	code, err := readCode(ctx, r.client, beacon, "latest")
	if err != nil {
		return nil, err
	}
	if mentions(code, upgradeToSelector) {
		proxy.Upgradeable = market.Yes
	}
	owner, err := readAddress(ctx, r.client, beacon, ownerSelector)
	if err != nil {
		return nil, err
	}
	switch {
	case owner == nil:
	case *owner == chain.Native || *owner == chain.Burn:
		proxy.Upgradeable = market.No
	default:
		proxy.Admin = *owner
	}
	return proxy, nil
}

// describeProxy fills in the implementation's code, who may replace it, and whether that happened lately.
//
// An admin that is a contract with an owner, as the usual ProxyAdmin is, passes the right on to that owner. Without an admin the
// right lies in the implementation (EIP-1822 and its successor), where by custom the token's owner has it.
func (r *contractReader) describeProxy(ctx context.Context, proxy *market.Proxy, contract *market.Contract) error {
	var implementation, administrator []byte
	var adminOwner *chain.Address
	group, groupContext := parallel.WithContext(ctx)
	group.SetLimit(parallelCalls)
	if proxy.Implementation != (chain.Address{}) {
		group.Go(func() (err error) {
			implementation, err = readCode(groupContext, r.client, proxy.Implementation, "latest")
			return err
		})
	}
	if proxy.Admin != (chain.Address{}) {
		group.Go(func() (err error) {
			if administrator, err = readCode(groupContext, r.client, proxy.Admin, "latest"); err != nil || len(administrator) == 0 {
				return err
			}
			adminOwner, err = readAddress(groupContext, r.client, proxy.Admin, ownerSelector)
			return err
		})
	}
	if proxy.ChangedRecently == market.Unknown && proxy.Standard != beaconStandard {
		group.Go(func() (err error) {
			proxy.ChangedRecently, err = r.upgradedRecently(groupContext)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	proxy.Code = implementation
	if proxy.Standard == minimalStandard {
		return nil
	}
	if adminOwner != nil {
		proxy.Admin, administrator = *adminOwner, nil
		if proxy.Admin == chain.Native || proxy.Admin == chain.Burn {
			proxy.Admin, proxy.Upgradeable = chain.Address{}, market.No
			return nil
		}
		var err error
		if administrator, err = readCode(ctx, r.client, proxy.Admin, "latest"); err != nil {
			return err
		}
	}
	switch {
	case proxy.Admin != (chain.Address{}):
		if proxy.Upgradeable == market.Unknown {
			proxy.Upgradeable = market.Yes
		}
		proxy.AdminContract = market.No
		if len(administrator) > 0 {
			proxy.AdminContract = market.Yes
		}
	case proxy.Upgradeable == market.Unknown && (mentions(implementation, upgradeToSelector) || mentions(implementation, upgradeToAndCallSelector)):
		switch contract.Owned {
		case market.Yes:
			proxy.Upgradeable, proxy.Admin = market.Yes, contract.Owner
			var err error
			if proxy.AdminContract, err = r.hasCode(ctx, contract.Owner); err != nil {
				return err
			}
		case market.Unknown:
			proxy.Upgradeable = market.Yes // by whoever the implementation lets
		}
	}
	return nil
}

// upgradedRecently looks for upgrades in the log of the last week. The event that comes with a proxy's own creation is none. It is
// Unknown when the node does not show as many logs, or not the state before an event.
func (r *contractReader) upgradedRecently(ctx context.Context) (market.Tristate, error) {
	logs, whole, err := r.upgrades(ctx)
	switch {
	case gone(err):
		return market.Unknown, err
	case err != nil:
		return market.Unknown, nil
	case len(logs) > 1:
		return market.Yes, nil
	case len(logs) == 1:
		return r.replaced(ctx, &logs[0])
	case whole:
		return market.No, nil
	}
	return market.Unknown, nil
}

// upgrades lists the upgrades of the last week, newest part first where it must be cut short: whole is then false.
func (r *contractReader) upgrades(ctx context.Context) (logs []Log, whole bool, err error) {
	head, err := r.adapter.head(ctx, r.client)
	if err != nil {
		return nil, false, err
	}
	from, err := r.blockBefore(ctx, head, recentUpgrade)
	if err != nil {
		return nil, false, err
	}
	scan := &logScan{
		adapter: r.adapter, client: r.client, on: r.on, from: from, to: head,
		filters: []logFilter{{[]chain.Address{r.account}, topics{{upgradedTopic}}}},
	}
	scan.callsLeft.Store(upgradeLogCalls)
	for read, total := uint64(0), head+1-from; read < total; {
		w := &window{start: read, length: min(r.adapter.span(r.on.Slug), total-read)}
		if err := scan.read(ctx, w); err != nil {
			return nil, false, err
		}
		for _, log := range w.logs {
			if !log.Removed {
				logs = append(logs, log)
			}
		}
		if w.ended || len(logs) > 1 {
			return logs, false, nil
		}
		read += w.read
	}
	return logs, true, nil
}

// blockBefore is about the block that was the newest so long before the head, by the time that the last blocks took.
func (r *contractReader) blockBefore(ctx context.Context, head uint64, before time.Duration) (uint64, error) {
	if head <= timedBlocks {
		return 0, nil
	}
	newest, err := r.adapter.blockTime(ctx, r.client, r.on, head)
	if err != nil {
		return 0, err
	}
	older, err := r.adapter.blockTime(ctx, r.client, r.on, head-timedBlocks)
	if err != nil {
		return 0, err
	}
	took := newest.Sub(older)
	if took <= 0 {
		return 0, nil
	}
	return head - min(head, uint64(timedBlocks*before.Seconds()/took.Seconds())), nil
}

// replaced tells an upgrade from the event of the proxy's creation: before that there was no code.
func (r *contractReader) replaced(ctx context.Context, log *Log) (market.Tristate, error) {
	if log.Block == 0 {
		return market.No, nil
	}
	code, err := readCode(ctx, r.client, r.account, hexBlock(log.Block-1))
	switch {
	case gone(err):
		return market.Unknown, err
	case err == nil && len(code) > 0:
		return market.Yes, nil
	case err == nil:
		return market.No, nil
	}
	created, err := ask(ctx, r.client, call{"eth_getTransactionReceipt", []any{Word(log.Transaction).String()}}, parseCreated)
	switch {
	case gone(err):
		return market.Unknown, err
	case err == nil && created == r.account:
		return market.No, nil
	}
	return market.Unknown, nil
}

// parseCreated reads which contract a transaction created directly; zero for none.
func parseCreated(result []byte) (chain.Address, error) {
	var wire struct {
		Contract *string `json:"contractAddress"`
	}
	if err := json.Unmarshal(result, &wire, lenient); err != nil || wire.Contract == nil {
		return chain.Address{}, err
	}
	return chain.ParseWireAddress(*wire.Contract)
}
