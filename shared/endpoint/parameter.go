package endpoint

import (
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// Kind is the type of a parameter on the wire.
type Kind uint8

// The kinds of parameters.
const (
	// AddressKind is an account or contract address.
	AddressKind Kind = iota
	// AddressListKind is a list of addresses.
	AddressListKind
	// ChainKind is a chain's slug or an alias of it.
	ChainKind
	// IntegerKind is a whole number; 5.0 and 5e0 are spellings of 5.
	IntegerKind
	// TextKind is a string.
	TextKind
	// ChainIDKind is a chain's EIP-155 number.
	ChainIDKind
	// NumberKind is a finite number.
	NumberKind
	// BooleanKind is true or false, in a query also 1 or 0.
	BooleanKind
	// TextListKind is a list of strings.
	TextListKind
	// ObjectKind is an object with parameters of its own, in bodies only.
	ObjectKind
	// ObjectListKind is a list of such objects.
	ObjectListKind
)

// Specification describes a parameter to the decoder and to the API document.
type Specification struct {
	Name, Description string
	Kind              Kind
	// Required parameters must be present and not null.
	Required bool
	// InPath parameters stand in the path, all others in the body (POST, PUT, PATCH) or the query (GET, DELETE).
	InPath bool
	// Minimum and Maximum bound integers (inclusive), lengths of lists, and lengths of text in bytes. They bound integers always,
	// and lengths where Maximum is not 0.
	Minimum, Maximum int
	// Numbers bounds a number.
	Numbers Range
	// Default is what an absent parameter is taken for; nil for nothing.
	Default any
	// Clamped integers outside the range are moved to its nearest end instead of refused.
	Clamped bool
	// Choices, when set, are the only texts accepted.
	Choices []string
	// Properties are the parameters of an object.
	Properties []Parameter
}

// Range bounds a number, ends included unless AboveMinimum is set, which leaves out the minimum itself.
type Range struct {
	Minimum, Maximum float64
	AboveMinimum     bool
}

// Parameter is anything that can stand in a declaration's list of parameters.
type Parameter interface{ Specification() Specification }

// Values holds checked values by the name of their parameter: those of a request, or of an object inside one.
type Values interface {
	value(name string) (any, bool)
	set(name string, value any)
}

// Fields are the values of an object parameter.
type Fields struct{ values map[string]any }

func (f Fields) value(name string) (any, bool) { value, found := f.values[name]; return value, found }

func (f Fields) set(name string, value any) { f.values[name] = value }

// Typed is a parameter whose value has a Go type. The value is read from a request that was checked against it.
type Typed[T any] struct{ specification Specification }

// Specification describes the parameter.
func (p Typed[T]) Specification() Specification { return p.specification }

// Of reads the parameter's value: its default when it is absent, the zero value when it has none.
func (p Typed[T]) Of(from Values) T {
	value, found := from.value(p.specification.Name)
	if !found {
		value = p.specification.Default
	}
	typed, _ := value.(T)
	return typed
}

// Has tells whether the parameter was given.
func (p Typed[T]) Has(from Values) bool {
	_, found := from.value(p.specification.Name)
	return found
}

// Set gives the parameter a value in a request made inside the service.
func (p Typed[T]) Set(to Values, value T) { to.set(p.specification.Name, value) }

// Optional is the same parameter where it may be left out.
func (p Typed[T]) Optional() Typed[T] {
	p.specification.Required = false
	return p
}

// Required is the same parameter where it must be given.
func (p Typed[T]) Required() Typed[T] {
	p.specification.Required = true
	return p
}

// Address declares a required account or contract address.
func Address(name, description string) Typed[chain.Address] {
	return Typed[chain.Address]{Specification{Name: name, Description: description, Kind: AddressKind, Required: true}}
}

// AddressList declares a list of at most so many addresses; a required one holds at least one.
func AddressList(name, description string, required bool, maximum int) Typed[[]chain.Address] {
	minimum := 0
	if required {
		minimum = 1
	}
	return Typed[[]chain.Address]{Specification{Name: name, Description: description, Kind: AddressListKind, Required: required, Minimum: minimum, Maximum: maximum}}
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

// Number declares an optional finite number within a range.
func Number(name, description string, within Range) Typed[float64] {
	return Typed[float64]{Specification{Name: name, Description: description, Kind: NumberKind, Numbers: within}}
}

// Choice declares an optional text that must be one of the choices.
func Choice(name, description string, choices ...string) Typed[string] {
	return Typed[string]{Specification{Name: name, Description: description, Kind: TextKind, Choices: choices}}
}

// Text declares an optional text of so many bytes.
func Text(name, description string, minimum, maximum int) Typed[string] {
	return Typed[string]{Specification{Name: name, Description: description, Kind: TextKind, Minimum: minimum, Maximum: maximum}}
}

// TextList declares an optional list of at most so many texts, each one of the choices where there are any.
func TextList(name, description string, maximum int, choices ...string) Typed[[]string] {
	return Typed[[]string]{Specification{Name: name, Description: description, Kind: TextListKind, Maximum: maximum, Choices: choices}}
}

// Boolean declares an optional yes or no.
func Boolean(name, description string) Typed[bool] {
	return Typed[bool]{Specification{Name: name, Description: description, Kind: BooleanKind}}
}

// Object declares an optional object with properties of its own.
func Object(name, description string, properties ...Parameter) Typed[Fields] {
	return Typed[Fields]{Specification{Name: name, Description: description, Kind: ObjectKind, Properties: properties}}
}

// ObjectList declares an optional list of at most so many objects.
func ObjectList(name, description string, maximum int, properties ...Parameter) Typed[[]Fields] {
	return Typed[[]Fields]{Specification{Name: name, Description: description, Kind: ObjectListKind, Maximum: maximum, Properties: properties}}
}

// PathValue declares the part of the path that the pattern writes as {name}: 1 to 64 lower-case letters, digits, '_' and '-'.
func PathValue(name, description string) Typed[string] {
	return Typed[string]{Specification{Name: name, Description: description, Kind: TextKind, Required: true, InPath: true, Minimum: 1, Maximum: maximumPathValue}}
}

// The parameters that many endpoints share.
var (
	// Wallet is the wallet an answer is about.
	Wallet = Address("wallet", "The wallet's address: 0x and 40 hexadecimal digits.")
	// Token is the token an answer is about.
	Token = Address("token", "The token contract's address: 0x and 40 hexadecimal digits.")
	// Chain is the chain both live on.
	Chain = Typed[*chain.Chain]{Specification{Name: "chain", Description: "The chain's slug, like base.", Kind: ChainKind, Required: true}}
	// ChainID is the optional number of the chain that a venue board is about.
	ChainID = Typed[*chain.Chain]{Specification{Name: "chainId", Description: "The chain's EIP-155 number, like 8453.", Kind: ChainIDKind}}
)

// names lists the parameters that a body or query may hold.
func names(parameters []Parameter) []string {
	all := make([]string, 0, len(parameters))
	for _, p := range parameters {
		if s := p.Specification(); !s.InPath {
			all = append(all, s.Name)
		}
	}
	return all
}

// same tells whether two specifications accept the same values.
func same(a, b Specification) bool {
	return a.Name == b.Name && a.Kind == b.Kind && a.Required == b.Required && a.InPath == b.InPath && a.Minimum == b.Minimum &&
		a.Maximum == b.Maximum && a.Numbers == b.Numbers && a.Clamped == b.Clamped && slices.Equal(a.Choices, b.Choices) &&
		slices.EqualFunc(a.Properties, b.Properties, func(p, q Parameter) bool { return same(p.Specification(), q.Specification()) })
}
