package walletsignature

import (
	"encoding/hex"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

var (
	wholeType = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(u?)int([1-9][0-9]{0,2})$`) })
	bytesType = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^bytes([1-9][0-9]?)$`) })
	decimal   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(0|-?[1-9][0-9]{0,77})$`) })
	hexWhole  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^0x[0-9a-fA-F]{1,64}$`) })
)

// largestPlain is the largest whole number that every reader of JSON reads exactly.
const largestPlain = 1<<53 - 1

// wholeBits is the size of intN and uintN; bits is 0 for any other type.
func wholeBits(typ string) (bits int, signed bool) {
	match := wholeType().FindStringSubmatch(typ)
	if match == nil {
		return 0, false
	}
	bits, _ = strconv.Atoi(match[2])
	if bits > 256 || bits%8 != 0 {
		return 0, false
	}
	return bits, match[1] == ""
}

// fixedBytes is the size of bytesN, 0 for any other type.
func fixedBytes(typ string) int {
	match := bytesType().FindStringSubmatch(typ)
	if match == nil {
		return 0
	}
	if n, _ := strconv.Atoi(match[1]); n <= 32 {
		return n
	}
	return 0
}

// atomic tells the types of the language from structs. The short forms int and uint are none: signers disagree on how they are written.
func atomic(typ string) bool {
	switch typ {
	case "address", "bool", "bytes", "string":
		return true
	}
	bits, _ := wholeBits(typ)
	return bits > 0 || fixedBytes(typ) > 0
}

// encode is the 32 bytes that stand for a value.
func (d *typedData) encode(typ string, value jsontext.Value, where string, depth int) (word [32]byte, err error) {
	if strings.HasSuffix(typ, "]") {
		return d.encodeArray(typ, value, where, depth)
	}
	if _, isStruct := d.types[typ]; isStruct {
		return d.hashStruct(typ, value, where, depth)
	}
	if bits, signed := wholeBits(typ); bits > 0 {
		return encodeWhole(value, bits, signed, where)
	}
	if typ == "bool" {
		switch value.Kind() {
		case 't':
			word[31] = 1
			return word, nil
		case 'f':
			return word, nil
		}
		return word, malformed("%s: want true or false", where)
	}
	var text string
	if value.Kind() != '"' {
		return word, malformed("%s: want a text for %s", where, typ)
	}
	if err := json.Unmarshal(value, &text); err != nil {
		return word, malformed("%s: %w", where, err)
	}
	switch typ {
	case "string":
		return keccak([]byte(text)), nil
	case "address":
		address, err := chain.ParseAddress(text)
		if err != nil {
			return word, malformed("%s: %w", where, err)
		}
		copy(word[12:], address[:])
		return word, nil
	}
	digits, found := strings.CutPrefix(text, "0x")
	decoded, err := hex.DecodeString(digits)
	if err != nil || !found {
		return word, malformed("%s: want 0x and pairs of hexadecimal digits for %s", where, typ)
	}
	if typ == "bytes" {
		return keccak(decoded), nil
	}
	if len(decoded) != fixedBytes(typ) {
		return word, malformed("%s: %d bytes, want %s", where, len(decoded), typ)
	}
	copy(word[:], decoded)
	return word, nil
}

func (d *typedData) encodeArray(typ string, value jsontext.Value, where string, depth int) (word [32]byte, err error) {
	open := strings.LastIndexByte(typ, '[')
	element, length := typ[:open], typ[open+1:len(typ)-1]
	if value.Kind() != '[' {
		return word, malformed("%s: want a list", where)
	}
	if depth > maxDepth {
		return word, malformed("%s: more than %d values within each other", where, maxDepth)
	}
	var elements []jsontext.Value
	if err := json.Unmarshal(value, &elements); err != nil {
		return word, malformed("%s: %w", where, err)
	}
	if length != "" && length != strconv.Itoa(len(elements)) {
		return word, malformed("%s: %d elements, want %s", where, len(elements), length)
	}
	encoded := make([]byte, 0, 32*len(elements))
	for i, e := range elements {
		one, err := d.encode(element, e, where+"["+strconv.Itoa(i)+"]", depth+1)
		if err != nil {
			return word, err
		}
		encoded = append(encoded, one[:]...)
	}
	return keccak(encoded), nil
}

// encodeWhole encodes a whole number, in the two's complement of 256 bits.
func encodeWhole(value jsontext.Value, bits int, signed bool, where string) (word [32]byte, err error) {
	text := string(value)
	quoted := value.Kind() == '"'
	if quoted {
		if err := json.Unmarshal(value, &text); err != nil {
			return word, malformed("%s: %w", where, err)
		}
	}
	number := new(big.Int)
	switch {
	case decimal().MatchString(text):
		number.SetString(text, 10)
	case quoted && hexWhole().MatchString(text):
		number.SetString(text[2:], 16)
	default:
		return word, malformed("%s: want a whole number", where)
	}
	if !quoted && number.CmpAbs(big.NewInt(largestPlain)) > 0 {
		return word, malformed("%s: want so large a number in quotes", where)
	}
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(bits))
	if signed {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	if number.Cmp(low) < 0 || number.Cmp(high) >= 0 {
		return word, malformed("%s: the number is out of the range of %d bits", where, bits)
	}
	if number.Sign() < 0 {
		number.Add(number, new(big.Int).Lsh(big.NewInt(1), 256))
	}
	number.FillBytes(word[:])
	return word, nil
}
