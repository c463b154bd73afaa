package perpvenue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

// paperDeposit is what an account has when it first approves an agent, in millionths of a dollar: four fifths on the main exchange, the
// rest on the builder's. The real venue wants a deposit first.
const paperDeposit = 12_500 * million

// The venue's rules for nonces and agents, in milliseconds.
const (
	nonceAge       = 2 * dayMillis
	nonceAhead     = dayMillis
	keptNonces     = 100
	namedAgents    = 3
	longestName    = 16
	longestValid   = 180 * dayMillis
	usuallyValid   = 90 * dayMillis
	validUntilMark = " valid_until "
)

// guests are the accounts of those who trade here from outside. The simulated accounts know nothing of them, and none of what is
// planted depends on them.
type guests struct {
	mu       sync.Mutex // of all below, and held for the whole of each request to trade
	accounts map[string]*account
	agents   map[string]*agent
	nonces   map[string][]int64 // the greatest ones of each signer, ascending
	orders   map[string]*order  // by account and client id
}

// agent may trade for an account.
type agent struct {
	address, account, name string
	until                  int64
}

func newGuests() guests {
	return guests{accounts: map[string]*account{}, agents: map[string]*agent{}, nonces: map[string][]int64{}, orders: map[string]*order{}}
}

// account is a guest's, nil for whoever is none.
func (g *guests) account(address string) *account {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.accounts[address]
}

type exchangeRequest struct {
	Action       json.RawMessage `json:"action"`
	Nonce        uint64          `json:"nonce"`
	Signature    signatureWire   `json:"signature"`
	Vault        *string         `json:"vaultAddress"`
	ExpiresAfter *uint64         `json:"expiresAfter"`
}

type doneWire struct {
	Status   string `json:"status"`
	Response any    `json:"response"`
}

type responseWire struct {
	Type string `json:"type"`
	Data any    `json:"data,omitempty"`
}

type statusesWire struct {
	Statuses []any `json:"statuses"`
}

type errorWire struct {
	Error string `json:"error"`
}

// failure is what the venue refuses a whole request with.
type failure string

func (f failure) Error() string { return string(f) }

var defaultResponse = responseWire{Type: "default"}

// Exchange carries out the body of a POST to /exchange as of the last Advance: a status and what encoding/json writes as the venue's
// answer. Who may do what follows from the signature alone. It may be called concurrently; each request is carried out whole or not at
// all.
func (v *Venue) Exchange(body []byte) (status int, answer any) {
	v.lock.RLock()
	defer v.lock.RUnlock()
	v.guests.mu.Lock()
	defer v.guests.mu.Unlock()
	var r exchangeRequest
	var kind struct {
		Type string `json:"type"`
	}
	if !strictly(body, &r) || json.Unmarshal(r.Action, &kind) != nil || r.Nonce > 1<<52 || r.ExpiresAfter != nil && *r.ExpiresAfter > 1<<52 {
		return http.StatusUnprocessableEntity, refusal
	}
	var response responseWire
	var err error
	switch kind.Type {
	case "order":
		response, err = traded(v, &r, packOrders, v.placeOrders)
	case "cancelByCloid":
		response, err = traded(v, &r, packCancels, v.cancelOrders)
	case "updateLeverage":
		response, err = traded(v, &r, packLeverage, v.updateLeverage)
	case "approveAgent":
		response, err = v.approveAgent(&r)
	case "usdSend", "withdraw3":
		err = v.moveMoney(&r)
	default:
		return http.StatusUnprocessableEntity, refusal
	}
	if err != nil {
		return http.StatusOK, doneWire{"err", err.Error()}
	}
	return http.StatusOK, doneWire{"ok", response}
}

func strictly(data []byte, into any) bool {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into) == nil && !decoder.More()
}

// traded carries out an action that an agent signed, for the account that it belongs to.
func traded[A any](v *Venue, r *exchangeRequest, pack func(*A) (string, bool), do func(*account, *A) (responseWire, error)) (responseWire, error) {
	var action A
	if !strictly(r.Action, &action) {
		return responseWire{}, failure(refusal)
	}
	packed, ok := pack(&action)
	if !ok || r.Vault != nil && !isAddress(*r.Vault) {
		return responseWire{}, failure(refusal)
	}
	address, err := signer(actionDigest(packed, r), r.Signature)
	if err != nil {
		return responseWire{}, err
	}
	who := v.guests.agents[address]
	if who == nil || v.now >= who.until {
		return responseWire{}, failure(noAgent(address))
	}
	if r.Vault != nil {
		return responseWire{}, failure("Vault not registered: " + *r.Vault)
	}
	if err := v.useNonce(address, r); err != nil {
		return responseWire{}, err
	}
	a := v.guests.accounts[who.account]
	a.lock.Lock()
	defer a.lock.Unlock()
	a.run()
	return do(a, &action)
}

// useNonce takes a nonce that was not used before, is above the least of the last hundred, and is not far from the present.
func (v *Venue) useNonce(signer string, r *exchangeRequest) error {
	nonce := int64(r.Nonce)
	if nonce <= v.now-nonceAge || nonce >= v.now+nonceAhead {
		return failure(fmt.Sprintf("Invalid nonce: %d is out of the bounds of %d", nonce, v.now))
	}
	if r.ExpiresAfter != nil && v.now > int64(*r.ExpiresAfter) {
		return failure(fmt.Sprintf("Request expired at %d", *r.ExpiresAfter))
	}
	used := v.guests.nonces[signer]
	at, found := slices.BinarySearch(used, nonce)
	if found {
		return failure(fmt.Sprintf("Invalid nonce: duplicate nonce %d", nonce))
	}
	if at == 0 && len(used) == keptNonces {
		return failure(fmt.Sprintf("Invalid nonce: %d is too low", nonce))
	}
	used = slices.Insert(used, at, nonce)
	v.guests.nonces[signer] = used[max(0, len(used)-keptNonces):]
	return nil
}

type approvalWire struct {
	Type    string  `json:"type"`
	ChainID string  `json:"signatureChainId"`
	Network string  `json:"hyperliquidChain"`
	Agent   string  `json:"agentAddress"`
	Name    *string `json:"agentName"`
	Nonce   uint64  `json:"nonce"`
}

// approveAgent lets an agent trade for whoever signed, who has a paper balance from then on.
func (v *Venue) approveAgent(r *exchangeRequest) (responseWire, error) {
	var w approvalWire
	if !strictly(r.Action, &w) || !isAddress(w.Agent) || w.Network != chainName || w.Nonce != r.Nonce {
		return responseWire{}, failure(refusal)
	}
	name := ""
	if w.Name != nil {
		name = *w.Name
	}
	address := strings.ToLower(w.Agent)
	user, err := userSigner(w.ChainID, "ApproveAgent(string hyperliquidChain,address agentAddress,string agentName,uint64 nonce)",
		keccak256(w.Network)+word(address[2:])+keccak256(name)+numberWord(w.Nonce), r.Signature)
	if err != nil {
		return responseWire{}, err
	}
	next := &agent{address: address, account: user, name: name, until: v.now + usuallyValid}
	if plain, until, timed := strings.Cut(name, validUntilMark); timed {
		next.name = plain
		next.until, err = strconv.ParseInt(until, 10, 64)
		if err != nil || next.until <= v.now || next.until > v.now+longestValid {
			return responseWire{}, failure("Invalid agent valid_until")
		}
	}
	named := 0
	for _, other := range v.guests.agents {
		if other.account == user && other.name != "" && other.name != next.name && v.now < other.until {
			named++
		}
	}
	known, taken := v.guests.agents[address], v.byName[address] != nil || v.guests.accounts[address] != nil || address == user
	switch {
	case len(next.name) > longestName || next.name != strings.TrimSpace(next.name):
		return responseWire{}, failure("Invalid agent name")
	case taken || known != nil && (known.account != user || known.name != next.name):
		return responseWire{}, failure("Extra agent already used.")
	case next.name != "" && named >= namedAgents:
		return responseWire{}, failure("Too many extra agents.")
	case v.byName[user] != nil || v.guests.agents[user] != nil:
		return responseWire{}, failure("User is an agent: " + user)
	}
	if err := v.useNonce(user, r); err != nil {
		return responseWire{}, err
	}
	for replaced, other := range v.guests.agents {
		if other.account == user && other.name == next.name {
			delete(v.guests.agents, replaced)
		}
	}
	v.guests.agents[address] = next
	if v.guests.accounts[user] == nil {
		v.guests.accounts[user] = v.newGuest(user)
	}
	return defaultResponse, nil
}

// newGuest is an account that does nothing of its own accord: what it holds pays funding and can be liquidated, and that is all.
func (v *Venue) newGuest(address string) *account {
	key := seeded.MixAll(v.seed, seeded.HashText("perpetuals guest"), seeded.HashText(address))
	a := &account{
		venue: v, plan: plan{kind: kindGuest, role: roleDepositor, builder: 0.2}, index: len(v.guests.accounts), key: key, address: address,
		stream: seeded.NewStream(key), joined: v.now, nextHour: (v.now/hourMillis + 1) * hourMillis, positions: make([]position, len(v.coins)),
	}
	a.put(task{at: v.now, do: doDeposit, size: paperDeposit})
	return a
}

type sendingWire struct {
	Type        string `json:"type"`
	Network     string `json:"hyperliquidChain"`
	ChainID     string `json:"signatureChainId"`
	Amount      string `json:"amount"`
	Time        uint64 `json:"time"`
	Destination string `json:"destination"`
}

// moveMoney refuses to send money away: only an account can do so, and paper balances stay here.
func (v *Venue) moveMoney(r *exchangeRequest) error {
	var w sendingWire
	if !strictly(r.Action, &w) || w.Network != chainName || w.Time != r.Nonce {
		return failure(refusal)
	}
	kind := map[string]string{"usdSend": "UsdSend", "withdraw3": "Withdraw"}[w.Type]
	user, err := userSigner(w.ChainID, kind+"(string hyperliquidChain,string destination,string amount,uint64 time)",
		keccak256(w.Network)+keccak256(w.Destination)+keccak256(w.Amount)+numberWord(w.Time), r.Signature)
	if err != nil {
		return err
	}
	if v.guests.accounts[user] == nil {
		return failure("Must deposit before performing actions. User: " + user)
	}
	return failure("Paper balances cannot be withdrawn.")
}
