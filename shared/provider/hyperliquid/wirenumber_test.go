package hyperliquid

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPricesOnTheWire(t *testing.T) {
	for _, test := range []struct {
		price           float64
		sizeDecimals    int
		buying, selling string
	}{
		{1670.1, 4, "1670.1", "1670.1"}, {1670.12, 4, "1670.1", "1670.2"}, {68421.5, 5, "68421", "68422"}, {123456.7, 5, "123456", "123457"},
		{99999.95, 1, "99999", "100000"}, {100000, 0, "100000", "100000"}, {0.30000000000000004, 0, "0.3", "0.30001"}, {0.3, 0, "0.3", "0.3"},
		{0.0089147, 0, "0.008914", "0.008915"}, {0.00891, 0, "0.00891", "0.00891"}, {0.0000012, 0, "0.000001", "0.000002"},
		{0.0000002, 0, "", "0.000001"}, {9.99995, 2, "9.9999", "10"}, {9.99996, 1, "9.9999", "10"}, {3, 0, "3", "3"}, {30, 0, "30", "30"},
		{1e9, 0, "1000000000", "1000000000"}, {12.345678, 6, "12", "13"}, {12, 6, "12", "12"}, {0.5, 6, "", "1"},
		{1e-30, 0, "", "0.000001"}, {0, 0, "", ""}, {-1, 0, "", ""}, {math.NaN(), 0, "", ""}, {math.Inf(1), 0, "", ""},
	} {
		if got := wirePrice(test.price, test.sizeDecimals, true); got != test.buying {
			t.Errorf("a buyer's %v with sizes of %d decimals: %q, want %q", test.price, test.sizeDecimals, got, test.buying)
		}
		if got := wirePrice(test.price, test.sizeDecimals, false); got != test.selling {
			t.Errorf("a seller's %v with sizes of %d decimals: %q, want %q", test.price, test.sizeDecimals, got, test.selling)
		}
	}
}

func TestSizesOnTheWire(t *testing.T) {
	for _, test := range []struct {
		size     float64
		decimals int
		want     string
	}{
		{0.0147, 4, "0.0147"}, {0.01479, 4, "0.0147"}, {100, 5, "100"}, {100.0, 0, "100"}, {0.3, 1, "0.3"}, {0.29999999999999998, 1, "0.3"}, {1.999, 0, "1"},
		{0.99, 0, ""}, {0.00001, 5, "0.00001"}, {0.000009, 5, ""}, {1e21, 2, "1000000000000000000000"}, {12345678.9, 2, "12345678.9"}, {1e-300, 5, ""},
		{0, 5, ""}, {-2, 5, ""}, {math.NaN(), 5, ""}, {math.Inf(1), 5, ""},
	} {
		if got := wireSize(test.size, test.decimals); got != test.want {
			t.Errorf("%v with %d decimals: %q, want %q", test.size, test.decimals, got, test.want)
		}
	}
}

// grid is a number rounded to a multiple of 10^-decimals, with fractions of any size.
func grid(value *big.Rat, decimals int, up bool) *big.Rat {
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(decimals, 0))), nil))
	if decimals < 0 {
		scale.SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-decimals)), nil)).Inv(scale)
	}
	scaled := new(big.Rat).Mul(value, scale)
	quotient, rest := new(big.Int).QuoRem(scaled.Num(), scaled.Denom(), new(big.Int))
	if up && rest.Sign() > 0 {
		quotient.Add(quotient, big.NewInt(1))
	}
	return new(big.Rat).Quo(new(big.Rat).SetInt(quotient), scale)
}

func TestNumbersOnTheWireAreTheExactOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mantissa, power := rapid.Int64Range(1, 1<<53).Draw(t, "mantissa"), rapid.IntRange(-24, 6).Draw(t, "power")
		text := strconv.FormatInt(mantissa, 10) + "e" + strconv.Itoa(power)
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		decimals, buy := rapid.IntRange(0, 6).Draw(t, "decimals"), rapid.Bool().Draw(t, "buy")
		exact, ok := new(big.Rat).SetString(strconv.FormatFloat(value, 'g', -1, 64))
		if !ok {
			t.Fatal(value)
		}
		// So many digits stand before the point; below one so many zeros follow it, counted down from zero.
		before := int(math.Floor(math.Log10(value))) + 1
		if p := new(big.Rat).SetFloat64(math.Pow10(before)); exact.Cmp(p) >= 0 {
			before++
		}
		allowed := min(6-decimals, max(0, 5-before))
		for name, pair := range map[string][2]any{
			"price": {wirePrice(value, decimals, buy), grid(exact, allowed, !buy)}, "size": {wireSize(value, decimals), grid(exact, decimals, false)},
		} {
			got, want := pair[0].(string), pair[1].(*big.Rat)
			if got == "" {
				if want.Sign() != 0 {
					t.Fatalf("%s of %v: none, want %v", name, value, want)
				}
				continue
			}
			read, ok := new(big.Rat).SetString(got)
			if !ok || read.Cmp(want) != 0 {
				t.Fatalf("%s of %v with %d decimals: %s, want %s", name, value, decimals, got, want.FloatString(12))
			}
			if whole, rest, pointed := strings.Cut(got, "."); pointed && (rest == "" || strings.HasSuffix(rest, "0")) ||
				len(whole) > 1 && whole[0] == '0' || whole == "" {
				t.Fatalf("%s of %v is written %s", name, value, got)
			}
		}
	})
}
