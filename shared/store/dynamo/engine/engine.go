// Package engine is an engine of DynamoDB inside a process, in memory: for tests, and for runs on one's own machine. It keeps nothing
// and is slow with much.
//
// It is minidyn, made up for where it differs from DynamoDB in what the store asks for: it reads key conditions as expressions only,
// takes a condition on a set of a row that is not there for a mistake, reads a row twice, does not know expiry, and must not be used
// while it makes a table. Rows that have expired stay.
package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/truora/minidyn/server"
)

// New returns an engine without tables, as a handler of DynamoDB's HTTP requests.
func New() http.Handler { return &engine{rows: server.NewServer()} }

type engine struct {
	rows http.Handler
	// tables is held for writing while tables change.
	tables sync.RWMutex
}

// ServeHTTP implements http.Handler.
func (e *engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // whoever asked went away
	}
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	switch operation {
	case "CreateTable", "DeleteTable", "UpdateTable":
		e.tables.Lock()
		defer e.tables.Unlock()
	default:
		e.tables.RLock()
		defer e.tables.RUnlock()
	}
	switch operation {
	case "Query":
		body, err = withExpression(body)
	case "BatchGetItem":
		err = checkAskedOnce(body)
	case "UpdateTimeToLive":
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		_, _ = io.WriteString(w, "{}")
		return
	}
	if err != nil {
		refuse(w, "com.amazon.coral.validate#ValidationException", err.Error())
		return
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if operation != "UpdateItem" {
		e.rows.ServeHTTP(w, r)
		return
	}
	answer := answer{header: w.Header(), status: http.StatusOK}
	e.rows.ServeHTTP(&answer, r)
	if answer.status != http.StatusOK && bytes.Contains(answer.body.Bytes(), []byte("contains is not supported for path=NULL")) {
		refuse(w, "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException", "The conditional request failed")
		return
	}
	w.WriteHeader(answer.status)
	_, _ = answer.body.WriteTo(w)
}

// answer holds back what is answered.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header            { return a.header }
func (a *answer) WriteHeader(status int)         { a.status = status }
func (a *answer) Write(text []byte) (int, error) { return a.body.Write(text) }

func refuse(w http.ResponseWriter, kind, message string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(map[string]string{"__type": kind, "message": message}) // who does not read it has gone
}

// comparisons are the key conditions that have an operator as an expression.
var comparisons = map[string]string{"EQ": "=", "GE": ">=", "GT": ">", "LE": "<=", "LT": "<"}

// withExpression writes a query's key conditions as an expression.
func withExpression(body []byte) ([]byte, error) {
	var query map[string]json.RawMessage
	var legacy struct {
		KeyConditions map[string]struct {
			AttributeValueList []json.RawMessage
			ComparisonOperator string
		}
		ExpressionAttributeNames  map[string]string
		ExpressionAttributeValues map[string]json.RawMessage
	}
	if err := json.Unmarshal(body, &query); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(body, &legacy); err != nil {
		return nil, err
	}
	if len(legacy.KeyConditions) == 0 {
		return body, nil
	}
	names, values := map[string]string{}, map[string]json.RawMessage{}
	maps.Copy(names, legacy.ExpressionAttributeNames)
	maps.Copy(values, legacy.ExpressionAttributeValues)
	var parts []string
	for i, name := range slices.Sorted(maps.Keys(legacy.KeyConditions)) {
		condition := legacy.KeyConditions[name]
		alias := fmt.Sprintf("#key%d", i)
		names[alias] = name
		var operands []string
		for j, value := range condition.AttributeValueList {
			placeholder := fmt.Sprintf(":key%dvalue%d", i, j)
			values[placeholder] = value
			operands = append(operands, placeholder)
		}
		operator := comparisons[condition.ComparisonOperator]
		switch {
		case operator != "" && len(operands) == 1:
			parts = append(parts, alias+" "+operator+" "+operands[0])
		case condition.ComparisonOperator == "BETWEEN" && len(operands) == 2:
			parts = append(parts, alias+" BETWEEN "+operands[0]+" AND "+operands[1])
		case condition.ComparisonOperator == "BEGINS_WITH" && len(operands) == 1:
			parts = append(parts, "begins_with("+alias+", "+operands[0]+")")
		default:
			return nil, fmt.Errorf("key condition %s with %d values", condition.ComparisonOperator, len(operands))
		}
	}
	delete(query, "KeyConditions")
	for field, value := range map[string]any{
		"ExpressionAttributeNames": names, "ExpressionAttributeValues": values, "KeyConditionExpression": strings.Join(parts, " AND "),
	} {
		written, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		query[field] = written
	}
	return json.Marshal(query)
}

// checkAskedOnce refuses, like DynamoDB, to be asked twice for one row.
func checkAskedOnce(body []byte) error {
	var asked struct {
		RequestItems map[string]struct{ Keys []map[string]any }
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return err
	}
	for _, table := range asked.RequestItems {
		seen := make(map[string]bool, len(table.Keys))
		for _, key := range table.Keys {
			name, err := json.Marshal(key) // in order of name
			if err != nil {
				return err
			}
			if seen[string(name)] {
				return fmt.Errorf("Provided list of item keys contains duplicates: %s", name)
			}
			seen[string(name)] = true
		}
	}
	return nil
}
