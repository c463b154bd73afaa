package endpoint

import (
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// Kind is the type of a parameter on the wire.
type Kind uint8

// The kinds of parameters. Checks run in this order: all addresses, then the chain, then ranges.
const (
	AddressKind Kind = iota
	AddressListKind
	ChainKind
	IntegerKind
	TextKind
)

// Specification describes a parameter to the decoder and to the API document.
type Specification struct {
	Name, Description string
	Kind              Kind
	// Required parameters must be present and not null.
	Required bool
	// Minimum and Maximum bound integers (inclusive), lengths of lists, and lengths of text in bytes.
	Minimum, Maximum int
	// Default is the integer used when the parameter is absent.
	Default int
	// Clamped integers outside the range are moved to its nearest end instead of refused.
	Clamped bool
	// Choices, when set, are the only texts accepted.
	Choices []string
}

// Parameter is anything that can stand in a declaration's list of parameters.
type Parameter interface{ Specification() Specification }

// Typed is a parameter whose value has a Go type. The value is read from a request that was checked against it.
type Typed[T any] struct{ specification Specification }

// Specification describes the parameter.
func (p Typed[T]) Specification() Specification { return p.specification }

// Of reads the parameter's value; the zero value if it is optional, absent and without a default.
func (p Typed[T]) Of(r *Request) T {
	value, found := r.values[p.specification.Name]
	if !found {
		var absent T
		return absent
	}
	return value.(T)
}

// Set gives the parameter a value in a request made inside the service.
func (p Typed[T]) Set(r *Request, value T) { r.values[p.specification.Name] = value }

// Address declares a required account or contract address.
func Address(name, description string) Typed[chain.Address] {
	return Typed[chain.Address]{Specification{Name: name, Description: description, Kind: AddressKind, Required: true}}
}

// AddressList declares a list of at most so many addresses.
func AddressList(name, description string, required bool, maximum int) Typed[[]chain.Address] {
	return Typed[[]chain.Address]{Specification{Name: name, Description: description, Kind: AddressListKind, Required: required, Maximum: maximum}}
}

// Integer declares an optional whole number with a range and a default. Values out of range are refused.
func Integer(name, description string, minimum, maximum, byDefault int) Typed[int] {
	return Typed[int]{Specification{Name: name, Description: description, Kind: IntegerKind, Minimum: minimum, Maximum: maximum, Default: byDefault}}
}

// ClampedInteger is Integer, but values out of range are moved to the nearest end.
func ClampedInteger(name, description string, minimum, maximum, byDefault int) Typed[int] {
	p := Integer(name, description, minimum, maximum, byDefault)
	p.specification.Clamped = true
	return p
}

// Choice declares an optional text that must be one of the choices.
func Choice(name, description string, choices ...string) Typed[string] {
	return Typed[string]{Specification{Name: name, Description: description, Kind: TextKind, Choices: choices}}
}

// The parameters that many endpoints share.
var (
	// Wallet is the wallet an answer is about.
	Wallet = Address("wallet", "The wallet's address: 0x and 40 hexadecimal digits.")
	// Token is the token an answer is about.
	Token = Address("token", "The token contract's address: 0x and 40 hexadecimal digits.")
	// Chain is the chain both live on.
	Chain = Typed[*chain.Chain]{Specification{Name: "chain", Description: "The chain's slug, like base.", Kind: ChainKind, Required: true}}
)
