package walletsignature

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrTypedData is returned for a document that is not typed data as EIP-712 defines it. Its text says what is wrong, and where.
var ErrTypedData = errors.New("not typed data")

func malformed(format string, arguments ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrTypedData}, arguments...)...)
}

// How much a document may hold. Ours are far below.
const (
	maxDocument = 64 << 10 // bytes
	maxTypes    = 64
	maxFields   = 128 // of a type
	maxDepth    = 32  // of values within each other
)

const domainType = "EIP712Domain"

// domainFields are the fields that a domain may have.
var domainFields = map[string]string{
	"name": "string", "version": "string", "chainId": "uint256", "verifyingContract": "address", "salt": "bytes32",
}

var (
	// typeName is a name of a struct: an identifier, and the colon that some signers have in theirs.
	typeName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$:]*$`) })
	fieldName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`) })
	// dimensions are those of an array.
	dimensions = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\[([1-9][0-9]{0,4})?\])*$`) })
	// reserved are names that mean a type of the language, or look as if they did.
	reserved = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(u?int[0-9]*|bytes[0-9]*|u?fixed([0-9]+x[0-9]+)?|bool|address|string|function|mapping|tuple)$`)
	})
)

type field struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// typedData is a document whose types are sound.
type typedData struct {
	types  map[string][]field
	hashes map[string][32]byte // of types
}

// TypedDataDigest is what a wallet signs when it is asked to sign typed data: the digest of the standard document {types, primaryType,
// domain, message} of EIP-712, at most 64 KiB. It is strict, because a signer might have understood anything that is not plain
// otherwise: every value must be there, be of its type and in its range, and nothing may be there besides. Whole numbers beyond 2^53
// must be in quotes, addresses of mixed case must have their checksum. A document that does not declare EIP712Domain has an empty domain.
// Anything else is ErrTypedData.
func TypedDataDigest(document []byte) (digest [32]byte, err error) {
	if len(document) > maxDocument {
		return digest, malformed("%d bytes, want at most %d", len(document), maxDocument)
	}
	var wire struct {
		Types       map[string][]field `json:"types"`
		PrimaryType string             `json:"primaryType"`
		Domain      jsontext.Value     `json:"domain"`
		Message     jsontext.Value     `json:"message"`
	}
	if err := json.Unmarshal(document, &wire, json.RejectUnknownMembers(true)); err != nil {
		return digest, malformed("%w", err)
	}
	data := &typedData{types: wire.Types, hashes: make(map[string][32]byte)}
	if err := data.check(); err != nil {
		return digest, err
	}
	if _, known := data.types[wire.PrimaryType]; !known || wire.PrimaryType == domainType {
		return digest, malformed("primaryType %q is none of the message's types", wire.PrimaryType)
	}
	domain, err := data.hashStruct(domainType, wire.Domain, "domain", 0)
	if err != nil {
		return digest, err
	}
	message, err := data.hashStruct(wire.PrimaryType, wire.Message, "message", 0)
	if err != nil {
		return digest, err
	}
	return keccak([]byte{0x19, 0x01}, domain[:], message[:]), nil
}

// check looks at the types alone.
func (d *typedData) check() error {
	if len(d.types) > maxTypes {
		return malformed("%d types, want at most %d", len(d.types), maxTypes)
	}
	for _, f := range d.types[domainType] {
		if domainFields[f.Name] == "" || domainFields[f.Name] != f.Type {
			return malformed("%s has a field %s %q", domainType, f.Type, f.Name)
		}
	}
	for name, fields := range d.types {
		switch {
		case !typeName().MatchString(name) || reserved().MatchString(name):
			return malformed("a type cannot be called %q", name)
		case fields == nil || len(fields) > maxFields:
			return malformed("type %s wants a list of at most %d fields", name, maxFields)
		}
		seen := make(map[string]bool, len(fields))
		for _, f := range fields {
			if !fieldName().MatchString(f.Name) || seen[f.Name] {
				return malformed("type %s has a field called %q, or has it twice", name, f.Name)
			}
			seen[f.Name] = true
			base, suffix := splitArray(f.Type)
			if !dimensions().MatchString(suffix) {
				return malformed("%s.%s: %q is no array", name, f.Name, f.Type)
			}
			if _, isStruct := d.types[base]; (!isStruct || base == domainType) && !atomic(base) {
				return malformed("%s.%s: there is no type %q", name, f.Name, base)
			}
		}
	}
	return nil
}

// splitArray takes the dimensions off a type.
func splitArray(typ string) (base, suffix string) {
	if at := strings.IndexByte(typ, '['); at >= 0 {
		return typ[:at], typ[at:]
	}
	return typ, ""
}

// typeHash is the hash of a struct's type: itself, then the types that it refers to, in order of their names.
func (d *typedData) typeHash(name string) [32]byte {
	if hash, known := d.hashes[name]; known {
		return hash
	}
	seen := map[string]bool{name: true}
	others := d.referred(name, seen, nil)
	slices.Sort(others)
	var text strings.Builder
	for _, typ := range append([]string{name}, others...) {
		text.WriteString(typ + "(")
		for i, f := range d.types[typ] {
			if i > 0 {
				text.WriteByte(',')
			}
			text.WriteString(f.Type + " " + f.Name)
		}
		text.WriteByte(')')
	}
	d.hashes[name] = keccak([]byte(text.String()))
	return d.hashes[name]
}

func (d *typedData) referred(name string, seen map[string]bool, list []string) []string {
	for _, f := range d.types[name] {
		base, _ := splitArray(f.Type)
		if _, isStruct := d.types[base]; isStruct && !seen[base] {
			seen[base] = true
			list = d.referred(base, seen, append(list, base))
		}
	}
	return list
}

// hashStruct hashes a value of a struct; where says where in the document it stands.
func (d *typedData) hashStruct(name string, value jsontext.Value, where string, depth int) (hash [32]byte, err error) {
	if value.Kind() != '{' {
		return hash, malformed("%s: want an object", where)
	}
	if depth > maxDepth {
		return hash, malformed("%s: more than %d values within each other", where, maxDepth)
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(value, &members); err != nil {
		return hash, malformed("%s: %w", where, err)
	}
	fields := d.types[name]
	typeHash := d.typeHash(name)
	encoded := append(make([]byte, 0, 32*(1+len(fields))), typeHash[:]...)
	for _, f := range fields {
		member, there := members[f.Name]
		if !there {
			return hash, malformed("%s.%s is missing", where, f.Name)
		}
		word, err := d.encode(f.Type, member, where+"."+f.Name, depth+1)
		if err != nil {
			return hash, err
		}
		encoded = append(encoded, word[:]...)
	}
	if len(members) != len(fields) {
		return hash, malformed("%s has %d members, its type %s has %d", where, len(members), name, len(fields))
	}
	return keccak(encoded), nil
}
