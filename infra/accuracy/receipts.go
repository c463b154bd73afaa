package accuracy

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/evmrpc"
)

// The files of recorded exchanges that hold receipts and logs, and those in which an explorer describes the same transactions.
var (
	receiptFiles  = []string{"blockscout_rpc.jsonl.gz", "evm_rpc.jsonl.gz", "etherscan_v2.jsonl.gz"}
	explorerFiles = []string{"blockscout_v2.jsonl.gz"}
)

// plainLog is a log as a second reader sees it, which shares nothing with the decoder under test.
type plainLog struct {
	Address     string   `json:"address"`
	Topics      []string `json:"topics"`
	Data        string   `json:"data"`
	LogIndex    string   `json:"logIndex"`
	Transaction string   `json:"transactionHash"`
}

// Receipts decodes every recorded receipt and log under dir/exchanges and checks the result against a second reader, against
// the transfers that pools must have made and got for the amounts they report, and against the explorer's own list.
func Receipts(dir string) ([]Row, error) {
	audit := receiptAudit{receipts: make(map[string]*evmrpc.Receipt)}
	for _, file := range receiptFiles {
		if err := eachExchange(filepath.Join(dir, "exchanges", file), audit.exchange); err != nil {
			return nil, err
		}
	}
	for _, file := range explorerFiles {
		if err := eachExchange(filepath.Join(dir, "exchanges", file), audit.explorer); err != nil {
			return nil, err
		}
	}
	return audit.rows(), nil
}

// eachExchange hands the response of every recorded exchange of a file on.
func eachExchange(path string, visit func(response []byte) error) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("recorded exchanges: %w", err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	lines := bufio.NewReader(unzipped)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var exchange struct {
				Response string `json:"response"`
			}
			if err := json.Unmarshal(line, &exchange); err != nil {
				return fmt.Errorf("%s line %d: %w", path, number, err)
			}
			if err := visit([]byte(exchange.Response)); err != nil {
				return fmt.Errorf("%s line %d: %w", path, number, err)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
}

type matched struct{ right, all int }

func (t *matched) add(right bool) {
	t.all++
	if right {
		t.right++
	}
}

func (t matched) String() string { return fmt.Sprintf("%d of %d", t.right, t.all) }

func (t matched) perfect() bool { return t.all > 0 && t.right == t.all }

type receiptAudit struct {
	receipts            map[string]*evmrpc.Receipt
	decoded, logAnswers matched
	transfers, swaps    matched
	explorerTransfers   matched
	events              [5]int // transfers, non-fungible, wraps, approvals, operator approvals
	// conserved and legs are by version of the pool.
	conserved [5]matched
	legs      [5]map[string]int
}

// exchange takes one answer of a node, or of an explorer that passes a node's answers on.
func (a *receiptAudit) exchange(response []byte) error {
	var envelope struct {
		Result json.RawMessage `json:"result"`
	}
	if json.Unmarshal(response, &envelope) != nil {
		return nil // refusals in plain text
	}
	var receipt struct {
		Hash    string      `json:"transactionHash"`
		GasUsed string      `json:"gasUsed"`
		Logs    *[]plainLog `json:"logs"`
	}
	if json.Unmarshal(envelope.Result, &receipt) == nil && receipt.Logs != nil && receipt.GasUsed != "" {
		if a.receipts[receipt.Hash] != nil {
			return nil
		}
		decoded, err := evmrpc.ParseReceipt(envelope.Result)
		a.decoded.add(err == nil)
		if err != nil {
			return nil
		}
		a.receipts[receipt.Hash] = decoded
		a.compare(*receipt.Logs, decoded.Events)
		a.conserve(decoded)
		return nil
	}
	var logs []plainLog
	if json.Unmarshal(envelope.Result, &logs) == nil && len(logs) > 0 && len(logs[0].Topics) > 0 && logs[0].Transaction != "" {
		decoded, err := evmrpc.ParseLogs(envelope.Result)
		a.logAnswers.add(err == nil)
		if err == nil {
			a.compare(logs, evmrpc.DecodeLogs(decoded))
		}
	}
	return nil
}

// compare holds the decoded transfers and swaps against the second reader's, as text.
func (a *receiptAudit) compare(logs []plainLog, events evmrpc.Events) {
	a.events[0] += len(events.Transfers)
	a.events[1] += len(events.NonFungible)
	a.events[2] += len(events.Wraps)
	a.events[3] += len(events.Approvals)
	a.events[4] += len(events.OperatorApprovals)
	transfers, swaps := make(map[string]bool), make(map[string]bool)
	for i := range events.Transfers {
		t := &events.Transfers[i]
		transfers[fmt.Sprintln(t.LogIndex, t.Token, t.From, t.To, t.Amount.Dec())] = true
	}
	for i := range events.Swaps {
		s := &events.Swaps[i]
		net := func(in, out *big.Int) *big.Int { return in.Sub(in, out) }
		swaps[fmt.Sprintln(s.LogIndex, s.Version, s.Pool(), s.Sender,
			net(s.Amount0In.ToBig(), s.Amount0Out.ToBig()), net(s.Amount1In.ToBig(), s.Amount1Out.ToBig()))] = true
	}
	expectedTransfers, expectedSwaps := 0, 0
	for _, log := range logs {
		if text, ok := log.transfer(); ok {
			expectedTransfers++
			a.transfers.add(transfers[text])
		}
		if text, ok := log.swap(); ok {
			expectedSwaps++
			a.swaps.add(swaps[text])
		}
	}
	// What the decoder made up counts as wrong too.
	for range len(events.Transfers) - expectedTransfers {
		a.transfers.add(false)
	}
	for range len(events.Swaps) - expectedSwaps {
		a.swaps.add(false)
	}
}

func (l *plainLog) index() int64 {
	index, err := strconv.ParseInt("0"+strings.TrimPrefix(l.LogIndex, "0x"), 16, 64)
	if err != nil {
		return -1
	}
	return index
}

func plainAddress(topic string) string { return "0x" + strings.ToLower(topic[len(topic)-40:]) }

func plainNumber(digits string, signed bool) *big.Int {
	number, ok := new(big.Int).SetString(digits, 16)
	if !ok {
		return big.NewInt(-1)
	}
	if signed && number.Bit(255) == 1 {
		number.Sub(number, new(big.Int).Lsh(big.NewInt(1), 256))
	}
	return number
}

func (l *plainLog) transfer() (string, bool) {
	const topic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
	if len(l.Topics) != 3 || l.Topics[0] != topic || len(l.Data) != 66 {
		return "", false
	}
	return fmt.Sprintln(l.index(), strings.ToLower(l.Address), plainAddress(l.Topics[1]), plainAddress(l.Topics[2]), plainNumber(l.Data[2:], false)), true
}

// swap gives a swap's net amounts into the pool.
func (l *plainLog) swap() (string, bool) {
	if len(l.Topics) != 3 || len(l.Data) < 130 {
		return "", false
	}
	number := func(word int, signed bool) *big.Int { return plainNumber(l.Data[2+64*word:66+64*word], signed) }
	version, pool, sender := 3, strings.ToLower(l.Address), plainAddress(l.Topics[1])
	var net0, net1 *big.Int
	switch l.Topics[0] {
	case "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822",
		"0xb3e2773606abfd36b5bd91394b3a54d1398336c65005baf7bf7a05efeffaf75b":
		version = 2
		net0, net1 = number(0, false), number(1, false)
		net0.Sub(net0, number(2, false))
		net1.Sub(net1, number(3, false))
	case "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67",
		"0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83":
		net0, net1 = number(0, true), number(1, true)
	case "0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f":
		version, pool, sender = 4, l.Topics[1], plainAddress(l.Topics[2])
		net0, net1 = number(0, true), number(1, true)
		net0.Neg(net0)
		net1.Neg(net1)
	default:
		return "", false
	}
	return fmt.Sprintln(l.index(), version, pool, sender, net0, net1), true
}

// explorer takes one answer of an explorer about a transaction and finds its transfers among the decoded ones.
func (a *receiptAudit) explorer(response []byte) error {
	var transaction struct {
		Hash      string `json:"hash"`
		Transfers []struct {
			From     struct{ Hash string } `json:"from"`
			To       struct{ Hash string } `json:"to"`
			LogIndex int                   `json:"log_index"`
			Type     string                `json:"token_type"`
			Token    struct {
				Address string `json:"address_hash"`
			} `json:"token"`
			Total struct {
				Value string `json:"value"`
			} `json:"total"`
		} `json:"token_transfers"`
	}
	if json.Unmarshal(response, &transaction) != nil {
		return nil
	}
	receipt := a.receipts[transaction.Hash]
	if receipt == nil {
		return nil
	}
	known := make(map[string]bool)
	for i := range receipt.Transfers {
		t := &receipt.Transfers[i]
		known[fmt.Sprintln(t.LogIndex, t.Token, t.From, t.To, t.Amount.Dec())] = true
	}
	// The explorer shows wrapping and unwrapping of the native coin as transfers from and to the zero address.
	for i := range receipt.Wraps {
		w := &receipt.Wraps[i]
		from, to := chain.Address{}, w.Account
		if w.Unwrap {
			from, to = to, from
		}
		known[fmt.Sprintln(w.LogIndex, w.Token, from, to, w.Amount.Dec())] = true
	}
	for _, t := range transaction.Transfers {
		if t.Type == "ERC-20" {
			a.explorerTransfers.add(known[fmt.Sprintln(t.LogIndex, strings.ToLower(t.Token.Address), strings.ToLower(t.From.Hash), strings.ToLower(t.To.Hash), t.Total.Value)])
		}
	}
	return nil
}

func (a *receiptAudit) rows() []Row {
	row := func(name string, t matched, more string) Row {
		return Row{Name: name, Goal: "all", Measured: t.String() + more, Pass: t.perfect()}
	}
	rows := []Row{
		row("recorded receipts decoded", a.decoded, fmt.Sprintf("; %d ERC-20 and %d ERC-721 transfers, %d wraps, %d approvals, %d operator approvals",
			a.events[0], a.events[1], a.events[2], a.events[3], a.events[4])),
		row("recorded log answers decoded", a.logAnswers, ""),
		row("ERC-20 transfers as a second reader has them", a.transfers, ""),
		row("swaps as a second reader has them", a.swaps, ""),
		row("ERC-20 transfers as the explorer lists them", a.explorerTransfers, ""),
	}
	for version := 2; version <= 4; version++ {
		var kinds []string
		for kind, count := range a.legs[version] {
			kinds = append(kinds, fmt.Sprintf("%d %s", count, kind))
		}
		sort.Strings(kinds)
		rows = append(rows, row(fmt.Sprintf("version %d swaps conserve value", version), a.conserved[version], "; amounts: "+strings.Join(kinds, ", ")))
	}
	return rows
}
