package accuracy

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recordReceipt writes the files that Receipts reads, with one receipt in which a pool of version 2 takes 100 of one token
// and gives 90 of another, of which the transfers log the given amounts.
func recordReceipt(t *testing.T, in, out string) string {
	t.Helper()
	const (
		hash = "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		pool = "00000000000000000000000000000000000000b0"
		user = "00000000000000000000000000000000000000c0"
	)
	word := func(digits string) string { return strings.Repeat("0", 64-len(digits)) + digits }
	log := func(address, index, data string, topics ...string) map[string]any {
		for i := range topics[1:] {
			topics[i+1] = "0x" + word(topics[i+1])
		}
		return map[string]any{"address": "0x" + address, "topics": topics, "data": "0x" + data, "logIndex": index, "blockNumber": "0x1",
			"transactionHash": hash, "transactionIndex": "0x0"}
	}
	const transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
	receipt := map[string]any{"transactionHash": hash, "blockNumber": "0x1", "transactionIndex": "0x0", "from": "0x" + user, "to": "0x" + pool,
		"status": "0x1", "gasUsed": "0x1", "effectiveGasPrice": "0x1", "logs": []any{
			log("00000000000000000000000000000000000000d0", "0x0", word(in), transfer, user, pool),
			log("00000000000000000000000000000000000000d1", "0x1", word(out), transfer, pool, user),
			log(pool, "0x2", word("64")+word("0")+word("0")+word("5a"), "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822", user, user),
		}}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "result": receipt})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "exchanges"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i, name := range append(append([]string{}, receiptFiles...), explorerFiles...) {
		file, err := os.Create(filepath.Join(dir, "exchanges", name))
		if err != nil {
			t.Fatal(err)
		}
		zipped := gzip.NewWriter(file)
		if i == 0 {
			if err := json.NewEncoder(zipped).Encode(map[string]any{"method": "POST", "response": string(body)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := zipped.Close(); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReceiptsNoticeWhatDoesNotConserve(t *testing.T) {
	for _, c := range []struct {
		in, out string
		want    bool
	}{{"64", "5a", true}, {"64", "5b", true /* within 2 % */}, {"64", "50", false}, {"6f", "5a", false}} {
		rows, err := Receipts(recordReceipt(t, c.in, c.out))
		if err != nil {
			t.Fatal(err)
		}
		passed := make(map[string]bool)
		for _, row := range rows {
			passed[row.Name] = row.Pass
		}
		if passed["version 2 swaps conserve value"] != c.want || !passed["recorded receipts decoded"] || !passed["swaps as a second reader has them"] {
			t.Errorf("%s in, %s out: %+v", c.in, c.out, rows)
		}
	}
	if _, err := Receipts(t.TempDir()); err == nil {
		t.Error("no error without recordings")
	}
}
