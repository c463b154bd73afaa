package main

import (
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

func TestWhatRequestsConsumeIsAddedUp(t *testing.T) {
	var asked []string
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		asked = append(asked, string(text))
		_, _ = io.WriteString(w, map[string]string{
			"DynamoDB_20120810.GetItem":            `{"ConsumedCapacity":{"CapacityUnits":0.5,"TableName":"a"},"Item":{}}`,
			"DynamoDB_20120810.TransactWriteItems": `{"ConsumedCapacity":[{"CapacityUnits":4},{"CapacityUnits":2}]}`,
			"DynamoDB_20120810.DescribeTable":      `{"Table":{}}`,
		}[r.Header.Get("X-Amz-Target")])
	}))
	defer engine.Close()
	used := &capacity{}
	tables, err := serveBetween(engine.URL, used.count, used.read)
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	for _, action := range []string{"GetItem", "GetItem", "TransactWriteItems", "DescribeTable"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, tables.address, strings.NewReader(`{"TableName":"a"}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Amz-Target", "DynamoDB_20120810."+action)
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(answer.Body); err != nil || len(text) == 0 {
			t.Errorf("%s: %q %v", action, text, err)
		}
		_ = answer.Body.Close()
	}
	if reads, writes := used.take(); reads != 1 || writes != 6 {
		t.Errorf("%v read and %v written", reads, writes)
	}
	if reads, writes := used.take(); reads != 0 || writes != 0 {
		t.Error("units are taken twice")
	}
	if asked[0] != `{"ReturnConsumedCapacity":"TOTAL","TableName":"a"}` || asked[3] != `{"TableName":"a"}` {
		t.Errorf("%q", asked)
	}
}

// By hand: 250 ms at 1,024 MB are 0.25 GB-seconds.
func TestDollarsOfACall(t *testing.T) {
	c := cost{milliseconds: 250, reads: 2, writes: 4, logged: 500}
	want := 1.00e-6 + 0.20e-6 + 0.25*0.0000133334 + 2*0.125e-6 + 4*0.625e-6 + 500e-9*0.50
	if got := c.dollars(1024); math.Abs(got-want) > 1e-15 || math.Abs(got-7.53335e-6) > 1e-11 {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestSubjectsAreOfTheEndpoint(t *testing.T) {
	one := func(kind string) []samplemarket.Sample {
		return []samplemarket.Sample{{Kind: kind, Address: "0x" + kind}}
	}
	samples := samplemarket.Samples{Wallets: one("wallet"), Tokens: one("token"), Perps: one("perp"), Predictions: one("prediction")}
	for _, c := range [][3]string{
		{"token-risk", `{"token":"0x","chain":"base"}`, "token"}, {"perp-wallet", `{"wallet":"0x"}`, "perp"},
		{"prediction-wallet", `{"wallet":"0x"}`, "prediction"}, {"trader-score", `{"wallet":"0x","chain":"base"}`, "wallet"},
	} {
		of := subjects(c[0], c[1], samples)
		if len(of) != 1 || of[0].Kind != c[2] {
			t.Errorf("%s: %v", c[0], of)
		}
		if body, err := about(c[1], of[0]); err != nil || !strings.Contains(body, `"0x`+c[2]+`"`) {
			t.Error(body, err)
		}
	}
	for _, none := range []string{"", `{"side":"long"}`, `[`} {
		if asksAboutSample(none) != "" {
			t.Error(none)
		}
	}
}
