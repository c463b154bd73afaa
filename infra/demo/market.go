package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// market is what the sample market tells besides the API.
type market struct {
	address string
	Nodes   map[string]string `json:"nodes"`
	Factory string            `json:"accountFactory"`
	Now     time.Time         `json:"now"`
}

// openMarket asks what the sample market has.
func openMarket(ctx context.Context, address string) (*market, error) {
	m := &market{address: address}
	if err := ask(ctx, http.MethodGet, address+"/sample", nil, m); err != nil {
		return nil, err
	}
	if len(m.Nodes) == 0 || m.Now.IsZero() {
		return nil, errors.New("the service has no sample market: start it by make run, without PROVIDERS")
	}
	return m, nil
}

// advance lets time pass, and what agents do in it be done.
func (m *market) advance(ctx context.Context, by time.Duration) error {
	return ask(ctx, http.MethodPost, m.address+"/sample/advance?by="+by.String(), nil, m)
}

// smartAccount is the account that the factory of a chain makes for a wallet.
func (m *market) smartAccount(ctx context.Context, chain, wallet string) (string, error) {
	const getAddress = "0x8cb84e18" // getAddress(address,uint256)
	word := func(hexadecimal string) string { return strings.Repeat("0", 64-len(hexadecimal)) + hexadecimal }
	call := map[string]any{"jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": []any{
		map[string]string{"to": m.Factory, "data": getAddress + word(strings.ToLower(wallet[2:])) + word("0")}, "latest",
	}}
	var answer struct {
		Result string `json:"result"`
	}
	if err := ask(ctx, http.MethodPost, m.Nodes[chain], call, &answer); err != nil {
		return "", err
	}
	if len(answer.Result) != 66 {
		return "", fmt.Errorf("the factory on %s answers %.80q", chain, answer.Result)
	}
	return "0x" + answer.Result[26:], nil
}

// ask sends JSON and reads JSON.
func ask(ctx context.Context, method, address string, body, answer any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, address, sent)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 4<<20))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %d %.300s", method, address, response.StatusCode, text)
	}
	return json.Unmarshal(text, answer)
}
