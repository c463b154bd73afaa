package walletsignature_test

import (
	"bytes"
	"crypto/ecdsa"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"
	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/walletsignature"
)

func keys() *rapid.Generator[*ecdsa.PrivateKey] {
	return rapid.Custom(func(t *rapid.T) *ecdsa.PrivateKey {
		key, err := crypto.ToECDSA(crypto.Keccak256(rapid.SliceOfN(rapid.Byte(), 1, 8).Draw(t, "key")))
		if err != nil {
			t.Fatal(err)
		}
		return key
	})
}

func accountOf(key *ecdsa.PrivateKey) chain.Address {
	return chain.Address(crypto.PubkeyToAddress(key.PublicKey))
}

func TestRecoverFindsTheSignerOfItsOneEncodingAlone(t *testing.T) {
	order := crypto.S256().Params().N
	rapid.Check(t, func(t *rapid.T) {
		key := keys().Draw(t, "key")
		digest := [32]byte(crypto.Keccak256(rapid.SliceOf(rapid.Byte()).Draw(t, "message")))
		signature, err := crypto.Sign(digest[:], key)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []byte{0, 27} {
			named := slices.Clone(signature)
			named[64] += v
			if by, err := walletsignature.Recover(digest, named); err != nil || by != accountOf(key) {
				t.Fatalf("v %d: %s, %v", named[64], by, err)
			}
		}
		mirrored := slices.Clone(signature)
		new(big.Int).Sub(order, new(big.Int).SetBytes(signature[32:64])).FillBytes(mirrored[32:64])
		mirrored[64] ^= 1
		wrong := map[string][]byte{
			"high s": mirrored, "one byte less": signature[:64], "one byte more": append(slices.Clone(signature), 0),
			"nothing": nil, "r of the order": slices.Concat(order.Bytes(), signature[32:]), "s of the order": slices.Concat(signature[:32], order.Bytes(), signature[64:]),
			"r of zero": slices.Concat(make([]byte, 32), signature[32:]), "s of zero": slices.Concat(signature[:32], make([]byte, 32), signature[64:]),
		}
		for name, s := range wrong {
			if by, err := walletsignature.Recover(digest, s); err == nil {
				t.Fatalf("%s is taken for %s", name, by)
			}
		}
		parity := rapid.ByteRange(2, 255).Filter(func(v byte) bool { return v != 27 && v != 28 }).Draw(t, "v")
		if _, err := walletsignature.Recover(digest, append(slices.Clone(signature[:64]), parity)); err == nil {
			t.Fatalf("v %d is taken", parity)
		}
		flipped := slices.Clone(signature)
		flipped[rapid.IntRange(0, 64).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		if by, err := walletsignature.Recover(digest, flipped); err == nil && by == accountOf(key) {
			t.Fatalf("%x is taken for %x", flipped, signature)
		}
	})
}

func TestPersonalDigestIsTheOneOfTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		message := rapid.SliceOf(rapid.Byte()).Draw(t, "message")
		if got := walletsignature.PersonalDigest(message); !bytes.Equal(got[:], accounts.TextHash(message)) {
			t.Fatalf("%x", got)
		}
	})
}

// document is typed data with its types, in the shape of the standard.
type document struct {
	Types       map[string][]apitypes.Type `json:"types"`
	PrimaryType string                     `json:"primaryType"`
	Domain      map[string]any             `json:"domain"`
	Message     map[string]any             `json:"message"`
}

func (d document) encode(t interface{ Fatal(...any) }) []byte {
	encoded, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

func hexText(b []byte) string { return "0x" + hex.EncodeToString(b) }

// atoms draws a type of the language and a value of it.
func atom(t *rapid.T) (string, func() any) {
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		return "address", func() any {
			return chain.Address(rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(t, "address")).Checksum()
		}
	case 1:
		return "bool", func() any { return rapid.Bool().Draw(t, "bool") }
	case 2:
		return "string", func() any { return rapid.String().Draw(t, "string") }
	case 3:
		return "bytes", func() any { return hexText(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) }
	case 4:
		n := rapid.IntRange(1, 32).Draw(t, "size")
		return "bytes" + strconv.Itoa(n), func() any { return hexText(rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "bytes")) }
	case 5:
		bits := 8 * rapid.IntRange(1, 32).Draw(t, "bits")
		return "uint" + strconv.Itoa(bits), func() any {
			return new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), bits/8, bits/8).Draw(t, "uint")).String()
		}
	default:
		bits := 8 * rapid.IntRange(1, 32).Draw(t, "bits")
		return "int" + strconv.Itoa(bits), func() any {
			n := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), bits/8, bits/8).Draw(t, "int"))
			return n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(bits-1))).String()
		}
	}
}

// documents draws typed data: structs that refer to those before them, arrays of both kinds and of arrays, and any domain.
func documents() *rapid.Generator[document] {
	return rapid.Custom(func(t *rapid.T) document {
		d := document{Types: map[string][]apitypes.Type{"EIP712Domain": {}}, Domain: map[string]any{}}
		for _, f := range []struct {
			name, typ string
			value     any
		}{
			{"name", "string", "n" + rapid.String().Draw(t, "name")}, {"version", "string", "1"}, {"chainId", "uint256", strconv.Itoa(rapid.IntRange(1, 1e9).Draw(t, "chain"))},
			{"verifyingContract", "address", "0x00000000000000000000000000000000000000cc"}, {"salt", "bytes32", hexText(bytes.Repeat([]byte{7}, 32))},
		} {
			if f.name == "name" || rapid.Bool().Draw(t, f.name) {
				d.Types["EIP712Domain"] = append(d.Types["EIP712Domain"], apitypes.Type{Name: f.name, Type: f.typ})
				d.Domain[f.name] = f.value
			}
		}
		values := map[string]func() map[string]any{}
		names := []string{}
		for i := range rapid.IntRange(1, 4).Draw(t, "structs") {
			name := fmt.Sprintf("Struct%c", 'A'+i)
			var fields []apitypes.Type
			makers := map[string]func() any{}
			for j := range rapid.IntRange(1, 4).Draw(t, "fields") {
				typ, value := atom(t)
				if len(names) > 0 && rapid.Bool().Draw(t, "refers") {
					typ = rapid.SampledFrom(names).Draw(t, "reference")
					inner := values[typ]
					value = func() any { return inner() }
				}
				for range rapid.IntRange(0, 2).Draw(t, "dimensions") {
					element, suffix, n := value, "[]", rapid.IntRange(0, 2).Draw(t, "length")
					if n > 0 && rapid.Bool().Draw(t, "fixed") {
						suffix = "[" + strconv.Itoa(n) + "]"
					}
					typ += suffix
					value = func() any {
						list := make([]any, n)
						for k := range list {
							list[k] = element()
						}
						return list
					}
				}
				field := "f" + strconv.Itoa(j)
				fields = append(fields, apitypes.Type{Name: field, Type: typ})
				makers[field] = value
			}
			d.Types[name] = fields
			values[name] = func() map[string]any {
				made := map[string]any{}
				for _, f := range fields {
					made[f.Name] = makers[f.Name]()
				}
				return made
			}
			names = append(names, name)
		}
		d.PrimaryType = names[len(names)-1]
		d.Message = values[d.PrimaryType]()
		return d
	})
}

func TestTypedDataDigestIsTheOneOfTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := documents().Draw(t, "document")
		encoded := d.encode(t)
		var reference apitypes.TypedData
		if err := json.Unmarshal(encoded, &reference); err != nil {
			t.Fatal(err)
		}
		want, _, err := apitypes.TypedDataAndHash(reference)
		if err != nil {
			t.Fatal(err)
		}
		got, err := walletsignature.TypedDataDigest(encoded)
		if err != nil || !bytes.Equal(got[:], want) {
			t.Fatalf("%x, %v, want %x, of %s", got, err, want, encoded)
		}
	})
}

// The reference passes over much that ours refuses, so these are held against the rules of EIP-712.
func TestTypedDataIsReadStrictly(t *testing.T) {
	const good = `{"types":{"EIP712Domain":[{"name":"name","type":"string"},{"name":"chainId","type":"uint256"}],"Order":[{"name":"to","type":"address"},{"name":"amount","type":"uint8"},{"name":"delta","type":"int8"},{"name":"tag","type":"bytes4"},{"name":"ok","type":"bool"},{"name":"legs","type":"Leg[2]"}],"Leg":[{"name":"text","type":"string"}]},"primaryType":"Order","domain":{"name":"x","chainId":1},"message":{"to":"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed","amount":255,"delta":-128,"tag":"0x01020304","ok":true,"legs":[{"text":"a"},{"text":"b"}]}}`
	want, err := walletsignature.TypedDataDigest([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	for _, same := range [][2]string{{`"amount":255`, `"amount":"255"`}, {`"amount":255`, `"amount":"0xff"`}, {`"delta":-128`, `"delta":"-128"`}, {"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"}} {
		if got, err := walletsignature.TypedDataDigest([]byte(strings.Replace(good, same[0], same[1], 1))); err != nil || got != want {
			t.Errorf("%s: %x, %v", same[1], got, err)
		}
	}
	for name, change := range map[string][2]string{
		"a number out of range":             {`"amount":255`, `"amount":256`},
		"a negative number without sign":    {`"amount":255`, `"amount":-1`},
		"a number below the range":          {`"delta":-128`, `"delta":-129`},
		"a number above the range":          {`"delta":-128`, `"delta":128`},
		"a fraction":                        {`"amount":255`, `"amount":25.5`},
		"an exponent":                       {`"amount":255`, `"amount":2e1`},
		"a leading zero":                    {`"amount":255`, `"amount":"0255"`},
		"an empty number":                   {`"amount":255`, `"amount":""`},
		"a space":                           {`"amount":255`, `"amount":" 255"`},
		"a number as true":                  {`"amount":255`, `"amount":true`},
		"a value that is null":              {`"amount":255`, `"amount":null`},
		"a missing value":                   {`"amount":255,`, ``},
		"a value too many":                  {`"amount":255`, `"amount":255,"more":1`},
		"a value twice":                     {`"amount":255`, `"amount":255,"amount":255`},
		"a wrong checksum":                  {"0x5aAeb6", "0x5AAeb6"},
		"a short address":                   {"E7Ef1BeAed", "E7Ef1BeAe"},
		"bytes too long":                    {`"0x01020304"`, `"0x0102030405"`},
		"bytes too short":                   {`"0x01020304"`, `"0x010203"`},
		"bytes without 0x":                  {`"0x01020304"`, `"01020304"`},
		"true in quotes":                    {`"ok":true`, `"ok":"true"`},
		"a list too long":                   {`{"text":"b"}]`, `{"text":"b"},{"text":"c"}]`},
		"a list too short":                  {`,{"text":"b"}`, ``},
		"an object for a list":              {`[{"text":"a"},{"text":"b"}]`, `{}`},
		"a list for a struct":               {`{"text":"a"}`, `["a"]`},
		"a number for a text":               {`"text":"a"`, `"text":1`},
		"half a surrogate":                  {`"text":"a"`, `"text":"\ud800"`},
		"a type that is not there":          {`"Leg[2]"`, `"Lag[2]"`},
		"no type of the language":           {`"uint8"`, `"uint7"`},
		"a type that is too wide":           {`"uint8"`, `"uint264"`},
		"the short form of a type":          {`"uint8"`, `"uint"`},
		"no such bytes":                     {`"bytes4"`, `"bytes33"`},
		"an array of no length":             {`Leg[2]`, `Leg[0]`},
		"an array that is not closed":       {`Leg[2]`, `Leg[2`},
		"a struct with the name of a type":  {`"Leg":[`, `"uint8":[],"Leg":[`},
		"a field twice":                     {`[{"name":"text","type":"string"}]`, `[{"name":"text","type":"string"},{"name":"text","type":"string"}]`},
		"a struct of null":                  {`"Leg":[{"name":"text","type":"string"}]`, `"Leg":null`},
		"a field of the domain":             {`{"name":"chainId","type":"uint256"}`, `{"name":"chainId","type":"uint8"}`},
		"a domain field that is none":       {`{"name":"chainId","type":"uint256"}`, `{"name":"chain","type":"uint256"}`},
		"a domain value that is not said":   {`"domain":{`, `"domain":{"version":"1",`},
		"a domain value that is missing":    {`,"chainId":1}`, `}`},
		"no domain":                         {`"domain":{"name":"x","chainId":1},`, ``},
		"no message of the type":            {`"primaryType":"Order"`, `"primaryType":"Ordre"`},
		"the domain for a message":          {`"primaryType":"Order"`, `"primaryType":"EIP712Domain"`},
		"another member":                    {`"primaryType":`, `"extra":1,"primaryType":`},
		"another letter case":               {`"primaryType":`, `"PrimaryType":`},
		"something behind":                  {`]}}`, `]}}{}`},
		"a large number without quotes":     {`"chainId":1}`, `"chainId":9007199254740992}`},
		"the domain among the message's":    {`"type":"Leg[2]"`, `"type":"EIP712Domain[2]"`},
		"a number of the wrong hexadecimal": {`"amount":255`, `"amount":"0xfg"`},
	} {
		changed := strings.Replace(good, change[0], change[1], 1)
		if changed == good {
			t.Fatalf("%s: %s is not in the document", name, change[0])
		}
		if _, err := walletsignature.TypedDataDigest([]byte(changed)); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	deep := `{"types":{"EIP712Domain":[],"N":[{"name":"n","type":"N[]"}]},"primaryType":"N","domain":{},"message":` + strings.Repeat(`{"n":[`, 200) + strings.Repeat(`]}`, 200) + `}`
	if _, err := walletsignature.TypedDataDigest([]byte(deep)); err == nil {
		t.Error("200 values within each other are taken")
	}
	shallow := `{"types":{"EIP712Domain":[],"N":[{"name":"n","type":"N[]"}]},"primaryType":"N","domain":{},"message":` + strings.Repeat(`{"n":[`, 10) + strings.Repeat(`]}`, 10) + `}`
	if _, err := walletsignature.TypedDataDigest([]byte(shallow)); err != nil {
		t.Error(err)
	}
}

func FuzzTypedDataDigest(f *testing.F) {
	f.Add([]byte(`{"types":{"EIP712Domain":[{"name":"name","type":"string"}],"A":[{"name":"b","type":"A[]"},{"name":"c","type":"int8[2][]"}]},"primaryType":"A","domain":{"name":""},"message":{"b":[],"c":[[1,-1]]}}`))
	f.Fuzz(func(t *testing.T, encoded []byte) {
		once, err := walletsignature.TypedDataDigest(encoded)
		again, errAgain := walletsignature.TypedDataDigest(encoded)
		if once != again || (err == nil) != (errAgain == nil) || err != nil && once != [32]byte{} {
			t.Errorf("%x %v, then %x %v", once, err, again, errAgain)
		}
	})
}
