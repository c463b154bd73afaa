package evmrpc

import (
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/holiman/uint256"
	"golang.org/x/crypto/sha3"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// testTradeCode is the runtime code of infra/contracts/simulator/TestTrade.sol, in hex without 0x.
//
//go:embed testtrade.hex
var testTradeCode string

var (
	trialsSelector    = selector{0xfe, 0xdd, 0x4d, 0x34} // trials((address,address,address,address,uint256,bool))
	buySelector       = selector{0x0f, 0x5d, 0x14, 0xa7} // buy(the same, uint256)
	sellShareSelector = selector{0x78, 0x44, 0x3f, 0x04} // sellShare(the same, uint256)
)

const (
	// nodeSource names this simulation in its outcome.
	nodeSource = "node"
	// simulatedPools bounds the pools that are tried, best first.
	simulatedPools = 3
	// A test purchase is worth simulatedUSD, and at most a largestShare of what the pool holds of the quote asset, so that neither it
	// nor one of ten times the size moves the price by much; unsizedShare is for pools of unknown depth.
	simulatedUSD = 50
	largestShare = 1e-3
	unsizedShare = 5e-4
	shareUnit    = 1e12
	// The test account is given 2 to the power of moneyBits in raw units: more than any trade needs, and small enough for tokens that
	// keep balances in 96 bits.
	moneyBits = 90
)

// Simulate buys a token and sells it again as an account that was never used, in a call whose effects the node forgets. It costs
// one eth_call for each pool that is tried, up to three, and for a later sale one eth_blockNumber and one eth_simulateV1.
//
// The account is given its money by a state override: native coin, which it wraps, or a balance of another quote asset written to
// the storage slots where tokens usually keep it. Its code comes the same way; tokens that refuse every account with code cannot
// be bought by it. A pool without an address of its own cannot be tried.
//
// A node that knows no overrides, and a token without a pool that could be tried, make a simulation without a source, which gives
// the reason. SellLater needs a node that knows eth_simulateV1 and is Unknown on others.
func (a *Adapter) Simulate(ctx context.Context, on *chain.Chain, request market.SimulationRequest) (*market.Simulation, error) {
	client, err := a.client(on)
	if err != nil {
		return nil, err
	}
	unsimulated := newSimulation()
	unsimulated.Reason = "no pool that a test trade could be made in"
	tried := 0
	for _, pool := range request.Pools {
		address, err := chain.ParseWireAddress(pool.ID)
		if err != nil || pool.Version == market.SingletonPool {
			continue
		}
		if tried++; tried > simulatedPools {
			break
		}
		trade := newTestTrade(client, on, request.Token, address, &pool)
		simulation, err := trade.simulate(ctx)
		if err != nil {
			return nil, err
		}
		if simulation.Buy.Done == market.Yes {
			simulation.SellLater, err = trade.sellLater(ctx, a)
			return simulation, err
		}
		if unsimulated.Source == "" {
			unsimulated = simulation
		}
	}
	return unsimulated, nil
}

// testTrade is a trade of one token in one pool that nobody makes.
type testTrade struct {
	client             *upstream.Client
	on                 *chain.Chain
	token, quote, pool chain.Address
	// buyer and partner run the code of the test trade.
	buyer, partner chain.Address
	share          uint64
}

func newTestTrade(client *upstream.Client, on *chain.Chain, token, pool chain.Address, facts *market.Pool) *testTrade {
	share := unsizedShare
	if facts.LiquidityUSD > 0 {
		share = math.Min(largestShare, simulatedUSD/(facts.LiquidityUSD/2))
	}
	// The same accounts for a day: a recorded test trade can be asked for again.
	moment := binary.BigEndian.AppendUint64(nil, uint64(client.Now().UTC().Truncate(24*time.Hour).Unix()))
	return &testTrade{
		client: client, on: on, token: token, quote: on.ERC20(facts.Quote), pool: pool, share: uint64(share * shareUnit),
		buyer: freshAccount(token, moment, "buyer"), partner: freshAccount(token, moment, "partner"),
	}
}

// freshAccount is an account that nobody has the key of, and that nobody has used.
func freshAccount(token chain.Address, moment []byte, role string) chain.Address {
	digest := keccakOf([]byte("test trade"), token[:], moment, []byte(role))
	return chain.Address(digest[12:])
}

func keccakOf(parts ...[]byte) Word {
	digest := sha3.NewLegacyKeccak256()
	for _, part := range parts {
		digest.Write(part)
	}
	return Word(digest.Sum(nil))
}

// callData is a function's call with the trade and more numbers as arguments.
func (t *testTrade) callData(function selector, numbers ...uint64) string {
	text := strings.Builder{}
	text.WriteString(callData(function, t.token, t.quote, t.pool, t.partner))
	wraps := uint64(0)
	if t.quote == t.on.WrappedNative.Address {
		wraps = 1
	}
	for _, number := range append([]uint64{t.share, wraps}, numbers...) {
		word := Word(uint256.NewInt(number).Bytes32())
		text.WriteString(word.String()[2:])
	}
	return text.String()
}

type accountOverride struct {
	Balance   string            `json:"balance,omitempty"`
	Code      string            `json:"code,omitempty"`
	StateDiff map[string]string `json:"stateDiff,omitempty"`
}

// overrides is the state that the trade pretends: code at two accounts, and money at the buyer.
func (t *testTrade) overrides() map[string]accountOverride {
	money := new(uint256.Int).Lsh(uint256.NewInt(1), moneyBits)
	overrides := map[string]accountOverride{
		t.buyer.String():   {Code: "0x" + testTradeCode, Balance: money.Hex()},
		t.partner.String(): {Code: "0x" + testTradeCode},
	}
	if t.quote != t.on.WrappedNative.Address {
		value := Word(money.Bytes32()).String()
		diff := make(map[string]string)
		for _, slot := range balanceSlots(t.buyer) {
			diff[slot.String()] = value
		}
		overrides[t.quote.String()] = accountOverride{StateDiff: diff}
	}
	return overrides
}

// mappingSlots is how many of a contract's first storage slots may be its table of balances.
const mappingSlots = 128

// balanceSlots lists where a token may keep an account's balance: Solidity hashes the account and the table's slot, Vyper the slot and
// the account; upgradeable contracts of OpenZeppelin have their table at a fixed slot (ERC-7201), and Solady hashes a seed.
func balanceSlots(holder chain.Address) []Word {
	key := addressWord(holder)
	slots := make([]Word, 0, 2*mappingSlots+2)
	for i := range uint64(mappingSlots) {
		table := Word(uint256.NewInt(i).Bytes32())
		slots = append(slots, keccakOf(key[:], table[:]), keccakOf(table[:], key[:]))
	}
	return append(slots, keccakOf(key[:], namespacedBalances[:]), keccakOf(holder[:], make([]byte, 8), []byte{0x87, 0xa2, 0x11, 0xa2}))
}

// namespacedBalances is the ERC-7201 slot of "openzeppelin.storage.ERC20".
var namespacedBalances = mustWord("0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00")

// The states of a trial, as the test trade's code reports them.
const (
	poolUnknown   = 1
	noMoney       = 2
	buyFailed     = 3
	nothingBought = 4
	sellFailed    = 5
	tradeDone     = 6
)

// outcome is what became of a trial, in raw units.
type outcome struct {
	status                                                    uint64
	bought, buyAsked, sold, sellArrived, quoteAsked, quoteGot uint256.Int
}

const outcomeWords = 7

func parseOutcomes(data []byte, count int) ([]outcome, error) {
	if len(data) != count*outcomeWords*32 {
		return nil, fmt.Errorf("%d bytes for %d outcomes", len(data), count)
	}
	outcomes := make([]outcome, count)
	for i := range outcomes {
		o := &outcomes[i]
		words := data[i*outcomeWords*32:]
		var status uint256.Int
		for j, field := range []*uint256.Int{&status, &o.bought, &o.buyAsked, &o.sold, &o.sellArrived, &o.quoteAsked, &o.quoteGot} {
			field.SetBytes32(words[32*j : 32*j+32])
		}
		o.status = status.Uint64()
	}
	return outcomes, nil
}

var untried = market.Trial{Tax: math.NaN()}

func newSimulation() *market.Simulation {
	return &market.Simulation{Buy: untried, SellAll: untried, SellHalves: untried, SellElsewhere: untried, SellLater: untried, SellLarge: untried}
}

// missing is the part of asked that did not arrive.
func missing(arrived, asked *uint256.Int) float64 {
	if asked.IsZero() || !arrived.Lt(asked) {
		return 0
	}
	return 1 - arrived.Float64()/asked.Float64()
}

func (o *outcome) buy() market.Trial {
	switch o.status {
	case buyFailed:
		return market.Trial{Done: market.No, Tax: math.NaN()}
	case nothingBought, sellFailed, tradeDone:
		return market.Trial{Done: market.Yes, Tax: missing(&o.bought, &o.buyAsked)}
	}
	return untried
}

// sell is the sale of what was bought. The tax is what is missing on either side: of the tokens on their way to the pool, and of the
// quote asset that the pool paid.
func (o *outcome) sell() market.Trial {
	switch o.status {
	case sellFailed:
		return market.Trial{Done: market.No, Tax: math.NaN()}
	case tradeDone:
		return market.Trial{Done: market.Yes, Tax: 1 - (1-missing(&o.sellArrived, &o.sold))*(1-missing(&o.quoteGot, &o.quoteAsked))}
	}
	return untried
}

// sellElsewhere is the sale by the account that the tokens were moved to; what was lost on the way counts as tax.
func (o *outcome) sellElsewhere() market.Trial {
	if o.status == nothingBought && !o.bought.IsZero() {
		return market.Trial{Done: market.No, Tax: math.NaN()}
	}
	trial := o.sell()
	if trial.Done == market.Yes {
		trial.Tax = 1 - (1-trial.Tax)*(1-missing(&o.sold, &o.bought))
	}
	return trial
}

// simulate makes the trials that need no time between purchase and sale.
func (t *testTrade) simulate(ctx context.Context) (*market.Simulation, error) {
	type message struct {
		From chain.Address `json:"from"`
		To   chain.Address `json:"to"`
		Data string        `json:"data"`
	}
	simulation := newSimulation()
	params := []any{message{t.buyer, t.buyer, t.callData(trialsSelector)}, "latest", t.overrides()}
	data, err := ask(ctx, t.client, call{"eth_call", params}, parseData)
	if _, answered := asFault(err); answered {
		simulation.Reason = "the node makes no test trades"
		return simulation, nil
	}
	if err != nil {
		return nil, err
	}
	const trials = 4
	outcomes, err := parseOutcomes(data, trials)
	if err != nil {
		simulation.Reason = "the node makes no test trades"
		return simulation, nil
	}
	whole, halves, elsewhere, large := &outcomes[0], &outcomes[1], &outcomes[2], &outcomes[3]
	switch whole.status {
	case poolUnknown:
		simulation.Reason = "the pool is of a kind that test trades are not made in"
		return simulation, nil
	case noMoney:
		simulation.Reason = "the quote asset for a test trade could not be had"
		return simulation, nil
	case buyFailed, nothingBought, sellFailed, tradeDone:
	default:
		simulation.Reason = "the test trade did not end"
		return simulation, nil
	}
	simulation.Source = nodeSource
	simulation.Buy, simulation.SellAll, simulation.SellHalves = whole.buy(), whole.sell(), halves.sell()
	simulation.SellElsewhere, simulation.SellLarge = elsewhere.sellElsewhere(), large.sell()
	return simulation, nil
}
