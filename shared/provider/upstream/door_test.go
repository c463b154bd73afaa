package upstream_test

import (
	"math"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestNumbersInEveryForm(t *testing.T) {
	for body, want := range map[string]upstream.Number{
		`1.5`: "1.5", `"1.5"`: "1.5", `" 7 "`: "7", `null`: "", `""`: "", `true`: "", `{"a":1}`: "", `[1]`: "",
		`123456789012345678901234567890`: "123456789012345678901234567890", `"0x1f"`: "0x1f", `-3e2`: "-3e2",
	} {
		var got upstream.Number
		if err := upstream.Unmarshal([]byte(body), &got); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", body, got, err, want)
		}
	}
}

func TestBounds(t *testing.T) {
	type check struct {
		number upstream.Number
		ok     bool
	}
	ask := func(name string, f func(upstream.Number) bool, checks []check) {
		for _, c := range checks {
			if f(c.number) != c.ok {
				t.Errorf("%s of %q: want %v", name, c.number, c.ok)
			}
		}
	}
	ask("Price", func(n upstream.Number) bool { _, ok := n.Price(); return ok }, []check{
		{"0.000000000000000000000000012", true}, {"1e12", true}, {"1.1e12", false}, {"0", false}, {"-1", false}, {"", false},
		{"NaN", false}, {"Inf", false}, {"1e999", false}, {"1e-999", false}, {"0x10", false}, {"1_0", false}, {"abc", false},
	})
	ask("USD", func(n upstream.Number) bool { _, ok := n.USD(); return ok }, []check{
		{"0", true}, {"1e15", true}, {"1e16", false}, {"-0.01", false}, {"", false}})
	ask("Decimals", func(n upstream.Number) bool { _, ok := n.Decimals(); return ok }, []check{
		{"0", true}, {"18", true}, {"36", true}, {"37", false}, {"-1", false}, {"1.5", false}, {"18.0", true}, {"", false}})
	ask("Count", func(n upstream.Number) bool { _, ok := n.Count(); return ok }, []check{
		{"0", true}, {"12", true}, {"-1", false}, {"99999999999", false}, {"x", false}})
	ask("Amount", func(n upstream.Number) bool { _, ok := n.Amount(); return ok }, []check{
		{"0", true}, {"115792089237316195423570985008687907853269984665640564039457584007913129639935", true},
		{"115792089237316195423570985008687907853269984665640564039457584007913129639936", false},
		{"0xff", true}, {"0x", false}, {"-1", false}, {"+1", false}, {"1.5", false}, {"1_000", false}, {"0x-1", false}, {"", false}})
	ask("Seconds", func(n upstream.Number) bool { _, ok := n.Seconds(now); return ok }, []check{
		{upstream.Number("1620250931"), true}, {"1795176300", true}, {"1795176301", false}, {"0", false}, {"-5", false},
		{"1620250931000", false}, {"9223372036854775807", false}})
	ask("Milliseconds", func(n upstream.Number) bool { _, ok := n.Milliseconds(now); return ok }, []check{
		{"1620250931000", true}, {"1620250931", false}, {"9223372036854775807", false}})
}

func TestValues(t *testing.T) {
	if price, _ := upstream.Number("2701.37").Price(); price != 2701.37 {
		t.Error(price)
	}
	if amount, _ := upstream.Number("0x10").Amount(); amount.Uint64() != 16 {
		t.Error(amount)
	}
	for _, c := range []struct {
		text     upstream.Number
		decimals int
		want     string
		ok       bool
	}{
		{"1.5", 6, "1500000", true}, {"0.0000001", 6, "0", true}, {"12345678901234567890.123456789012345678", 18, "12345678901234567890123456789012345678", true},
		{"2e3", 2, "200000", true}, {"1e999999999", 18, "", false}, {"1e100", 0, "", false}, {"-1", 18, "", false}, {"1/3", 18, "", false}, {"", 18, "", false},
	} {
		amount, ok := c.text.Units(c.decimals)
		if ok != c.ok || (ok && amount.Dec() != c.want) {
			t.Errorf("%q with %d decimals: %s, %v", c.text, c.decimals, amount.Dec(), ok)
		}
	}
	if at, ok := upstream.Number("1620250931").Seconds(now); !ok || !at.Equal(time.Date(2021, 5, 5, 21, 42, 11, 0, time.UTC)) {
		t.Error(at)
	}
	if _, ok := upstream.Timestamp("2026-11-20T12:05:01Z", now); ok {
		t.Error("the future")
	}
	if at, ok := upstream.Timestamp("2026-11-20T12:04:59.123456Z", now); !ok || at.Nanosecond() != 123456000 {
		t.Error(at)
	}
}

func TestFlags(t *testing.T) {
	for body, want := range map[string]market.Tristate{
		`1`: market.Yes, `"1"`: market.Yes, `true`: market.Yes, `"true"`: market.Yes, `0`: market.No, `"0"`: market.No, `false`: market.No,
		`null`: market.Unknown, `""`: market.Unknown, `"2"`: market.Unknown, `{}`: market.Unknown, `[]`: market.Unknown, `"unknown"`: market.Unknown,
	} {
		var got upstream.Flag
		if err := upstream.Unmarshal([]byte(body), &got); err != nil || market.Tristate(got) != want {
			t.Errorf("%s: %v, %v", body, got, err)
		}
	}
}

func TestRowsDropTheBrokenOnes(t *testing.T) {
	var rows upstream.Rows[struct{ A int }]
	if err := upstream.Unmarshal([]byte(`[{"A":1},null,"x",{"A":"no"},{"A":2}]`), &rows); err != nil || len(rows.Good) != 2 || rows.Dropped != 3 || rows.Good[1].A != 2 {
		t.Fatal(rows, err)
	}
	if err := upstream.Unmarshal([]byte(`null`), &rows); err != nil || len(rows.Good) != 0 || rows.Dropped != 0 {
		t.Fatal(rows, err)
	}
	if err := upstream.Unmarshal([]byte(`{"rows":1}`), &rows); err == nil {
		t.Fatal("an object is no list")
	}
}

func TestHostileTextDoesNotMakeAnAnswerUnreadable(t *testing.T) {
	var row struct{ Name upstream.Text }
	if err := upstream.Unmarshal([]byte("{\"Name\":\"a\xffb\",\"Name\":\"c\xff\"}"), &row); err != nil || row.Name != "c\uFFFD" {
		t.Fatal(row, err)
	}
}

func FuzzNumber(f *testing.F) {
	for _, seed := range []string{`1`, `"1"`, `"0x1"`, `null`, `1e999`, `"1e999999999"`, `"-0"`, `[1]`, `"1/3"`, `"NaN"`, `"0x1p-2"`, `"1_000"`} {
		f.Add([]byte(seed), 18)
	}
	f.Fuzz(func(t *testing.T, body []byte, decimals int) {
		var n upstream.Number
		if upstream.Unmarshal(body, &n) != nil {
			return
		}
		if value, ok := n.Float(); ok && (math.IsNaN(value) || math.IsInf(value, 0)) {
			t.Error("not finite", value)
		}
		if value, ok := n.Price(); ok && !(value > 0 && value <= upstream.MaximumPriceUSD) {
			t.Error("price", value)
		}
		if value, ok := n.USD(); ok && (math.Signbit(value) || value > upstream.MaximumUSD) {
			t.Error("usd", value)
		}
		if value, ok := n.Count(); ok && value < 0 {
			t.Error("count", value)
		}
		if at, ok := n.Seconds(now); ok && at.After(now.Add(5*time.Minute)) {
			t.Error("time", at)
		}
		if at, ok := n.Milliseconds(now); ok && at.After(now.Add(5*time.Minute)) {
			t.Error("time", at)
		}
		n.Amount()
		n.Units(decimals)
		n.Decimals()
	})
}

func FuzzRows(f *testing.F) {
	f.Add([]byte(`[{"A":"1","B":1},null]`))
	f.Add([]byte(`[[`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var rows upstream.Rows[struct {
			A upstream.Number
			B upstream.Flag
			C upstream.Text
			D upstream.Rows[upstream.Number]
		}]
		_ = upstream.Unmarshal(body, &rows)
	})
}
