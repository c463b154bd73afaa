package perpvenue

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"
)

var testStart = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)

const testDays = 200

// played is a venue with 200 days of history that tests share and do not advance.
var played = sync.OnceValue(func() *Venue {
	v := New(Config{Seed: 1, Start: testStart})
	v.Advance(testStart.Add(testDays * 24 * time.Hour))
	return v
})

// young is one with 40 days, for what goes through every answer of many accounts.
var young = sync.OnceValue(func() *Venue {
	v := New(Config{Seed: 25, Start: testStart})
	v.Advance(testStart.Add(40 * 24 * time.Hour))
	return v
})

// ask puts a question and gives the answer's bytes.
func ask(t testing.TB, v *Venue, question string, arguments ...any) []byte {
	t.Helper()
	status, answer := v.Info([]byte(fmt.Sprintf(question, arguments...)))
	if status != http.StatusOK {
		t.Fatalf("%s: %d %v", fmt.Sprintf(question, arguments...), status, answer)
	}
	bytes, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// asked decodes the answer into a T.
func asked[T any](t testing.TB, v *Venue, question string, arguments ...any) T {
	t.Helper()
	var decoded T
	if err := json.Unmarshal(ask(t, v, question, arguments...), &decoded); err != nil {
		t.Fatal(err)
	}
	return decoded
}

// of is the addresses of a kind of account.
func of(v *Venue, kind string) []string {
	var addresses []string
	for _, a := range v.accounts {
		if a.plan.kind == kind {
			addresses = append(addresses, a.address)
		}
	}
	return addresses
}

// told is the answer before it is written.
func told[T any](t testing.TB, v *Venue, question string, arguments ...any) T {
	t.Helper()
	_, answer := v.Info([]byte(fmt.Sprintf(question, arguments...)))
	typed, ok := answer.(T)
	if !ok {
		t.Fatalf("%s: %v", fmt.Sprintf(question, arguments...), answer)
	}
	return typed
}
