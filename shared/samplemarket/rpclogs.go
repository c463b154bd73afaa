package samplemarket

import (
	"encoding/json"
	"slices"
	"strings"
)

type rpcLog struct {
	Address          string   `json:"address"`
	Topics           []string `json:"topics"`
	Data             string   `json:"data"`
	BlockNumber      string   `json:"blockNumber"`
	BlockTimestamp   string   `json:"blockTimestamp"`
	TransactionHash  string   `json:"transactionHash"`
	TransactionIndex string   `json:"transactionIndex"`
	BlockHash        string   `json:"blockHash"`
	LogIndex         string   `json:"logIndex"`
	Removed          bool     `json:"removed"`
}

func (w *world) rpcLogs(id int32) []rpcLog {
	return w.appendLogs([]rpcLog{}, id, func(*eventLog) bool { return true })
}

// appendLogs adds those logs of a transaction that are wanted.
func (w *world) appendLogs(logs []rpcLog, id int32, wanted func(*eventLog) bool) []rpcLog {
	t := &w.txs[id]
	number := w.blockNumber(t)
	var blockHash, txHash string
	for _, l := range w.logsOf(id) {
		if !wanted(&l) {
			continue
		}
		if txHash == "" {
			blockHash, txHash = hexHash(w.blockHash(number)), hexHash(w.txHash(id))
		}
		logs = append(logs, rpcLog{
			Address: w.entities[l.address].address.String(), Topics: l.topics, Data: l.data, BlockNumber: quantity(number), BlockTimestamp: quantity(w.start + int64(t.time)),
			TransactionHash: txHash, TransactionIndex: quantity(int(t.index)), BlockHash: blockHash, LogIndex: quantity(l.index),
		})
	}
	return logs
}

const (
	maxLogBlocks  = 1_000_000
	maxLogResults = 10_000
)

type logFilter struct {
	FromBlock string            `json:"fromBlock"`
	ToBlock   string            `json:"toBlock"`
	BlockHash string            `json:"blockHash"`
	Address   json.RawMessage   `json:"address"`
	Topics    []json.RawMessage `json:"topics"`
}

// oneOrMany reads a string, a list of strings, or null.
func oneOrMany(raw json.RawMessage) (list []string, ok bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, true
	}
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{strings.ToLower(one)}, true
	}
	if json.Unmarshal(raw, &list) != nil {
		return nil, false
	}
	for i := range list {
		list[i] = strings.ToLower(list[i])
	}
	return list, true
}

// getLogs searches the smallest index that covers the filter: an address in a topic, an emitting contract, or the block range.
func (w *world) getLogs(raw json.RawMessage) (any, *rpcError) {
	var filter logFilter
	if json.Unmarshal(raw, &filter) != nil {
		return nil, errParams
	}
	from, ok1 := w.blockTag(filter.FromBlock)
	to, ok2 := w.blockTag(filter.ToBlock)
	if hash, ok := parseHash(filter.BlockHash); ok {
		number, known := w.unsealed(hash, 0x626c)
		if !known {
			return nil, &rpcError{Code: -32000, Message: "unknown block"}
		}
		from, to = int64(number), int64(number)
	}
	if !ok1 || !ok2 {
		return nil, errParams
	}
	if from > to {
		return nil, &rpcError{Code: -32000, Message: "invalid block range params"}
	}
	if to-from >= maxLogBlocks {
		return nil, &rpcError{Code: -32005, Message: "exceed maximum block range: 1000000"}
	}
	addresses, ok := oneOrMany(filter.Address)
	if !ok || len(filter.Topics) > 4 {
		return nil, errParams
	}
	topics := make([][]string, len(filter.Topics))
	for i, raw := range filter.Topics {
		if topics[i], ok = oneOrMany(raw); !ok {
			return nil, errParams
		}
	}
	logs := []rpcLog{}
	emitters := w.emitters(addresses)
	for _, id := range w.logCandidates(addresses, topics, int32(w.spec.timeOfBlock(from)-w.start), int32(w.spec.timeOfBlock(min(to, w.head()))-w.start)) {
		logs = w.appendLogs(logs, id, func(log *eventLog) bool {
			return (emitters == nil || slices.Contains(emitters, log.address)) && matches(log.topics, topics)
		})
		if len(logs) > maxLogResults {
			return nil, &rpcError{Code: -32005, Message: "query returned more than 10000 results"}
		}
	}
	return w.withSentLogs(logs, from, to, addresses, topics), nil
}

// emitters are the contracts that a filter names, nil when it names none.
func (w *world) emitters(addresses []string) []int32 {
	var list []int32
	for _, text := range addresses {
		entity := int32(-1)
		if a, ok := parseAddress(text); ok {
			if id, known := w.byAddress[a]; known {
				entity = id
			}
		}
		list = append(list, entity)
	}
	return list
}

func matches(topics []string, wanted [][]string) bool {
	if len(wanted) > len(topics) {
		return false
	}
	for i, list := range wanted {
		if len(list) > 0 && !slices.Contains(list, topics[i]) {
			return false
		}
	}
	return true
}

// logCandidates lists, oldest first, the transactions between two times that can hold a matching log.
func (w *world) logCandidates(addresses []string, topics [][]string, from, to int32) []int32 {
	var best [][]int32
	narrowed, least := false, 0
	consider := func(texts []string) {
		var touches [][]int32
		size := 0
		for _, text := range texts {
			touch, known := w.mentions(text)
			if !known {
				return
			}
			touch = w.touchBetween(touch, from, to)
			touches, size = append(touches, touch), size+len(touch)
		}
		if len(texts) > 0 && (!narrowed || size < least) {
			best, least, narrowed = touches, size, true
		}
	}
	consider(addresses)
	for i := 1; i < len(topics); i++ {
		consider(topics[i])
	}
	switch {
	case !narrowed:
		first, last := w.txsSince(from), w.txsSince(to+1)
		all := make([]int32, 0, last-first)
		for id := first; id < last; id++ {
			all = append(all, int32(id))
		}
		return all
	case len(best) == 1:
		return best[0]
	}
	merged := slices.Concat(best...)
	slices.Sort(merged)
	return slices.Compact(merged)
}

// mentions lists the transactions with the address that a filter names, as such or as a topic. The second result is false for a topic
// that is no address: a number, or the id of a pool.
func (w *world) mentions(text string) (touch []int32, isAddress bool) {
	const noAddress = "0x0000000000000000" // what would be its first eight bytes are those of a small number
	if len(text) == 66 {
		if !strings.HasPrefix(text, "0x000000000000000000000000") {
			return nil, false
		}
		text = "0x" + text[26:]
	}
	a, ok := parseAddress(text)
	if entity, known := w.byAddress[a]; ok && known {
		return w.entities[entity].touch, true
	}
	return nil, !strings.HasPrefix(text, noAddress)
}

// touchBetween cuts an index to the transactions of a time range, both ends included.
func (w *world) touchBetween(touch []int32, from, to int32) []int32 {
	low, high := 0, len(touch)
	for low < high {
		if middle := (low + high) / 2; w.txs[touch[middle]].time < from {
			low = middle + 1
		} else {
			high = middle
		}
	}
	end := low
	for end < len(touch) && w.txs[touch[end]].time <= to {
		end++
	}
	return touch[low:end]
}
