package endpoint

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// Whole numbers beyond this are not told apart by every JSON reader (RFC 8259, section 6).
const maximumInteger = 1<<53 - 1

// stage is a step of the checks; all parameters pass one before any is held against the next.
type stage uint8

const (
	addressStage stage = iota
	chainStage
	rangeStage
	stages
)

func stageOf(kind Kind) stage {
	switch kind {
	case AddressKind, AddressListKind:
		return addressStage
	case ChainKind, ChainIDKind:
		return chainStage
	}
	return rangeStage
}

// check holds what was given against the parameters, in the order of the checks: unknown keys, repeated keys, missing keys,
// addresses, chains, everything else. An absent parameter has no value; its default is the reader's business. within names the
// object that the parameters belong to, empty for the request itself.
func check(parameters []Parameter, all []given, within string) (map[string]any, *Problem) {
	accepted := names(parameters)
	for _, g := range all {
		if !slices.Contains(accepted, g.name) {
			name := printable(within + g.name)
			return nil, &Problem{
				Status: http.StatusBadRequest, Code: "unknown_param", Parameter: name, Accepted: accepted,
				Message: "This endpoint has no parameter " + strconv.Quote(name) + ". " + acceptedSentence(accepted),
			}
		}
	}
	for i, g := range all {
		if slices.ContainsFunc(all[:i], func(earlier given) bool { return earlier.name == g.name }) {
			return nil, Invalid(within+g.name, "Send "+within+g.name+" once.")
		}
	}
	byName := func(name string) (given, bool) {
		i := slices.IndexFunc(all, func(g given) bool { return g.name == name })
		if i < 0 {
			return given{}, false
		}
		return all[i], true
	}
	for _, p := range parameters {
		s := p.Specification()
		if !s.Required || s.InPath {
			continue
		}
		if g, found := byName(s.Name); !found || g.isNull() {
			return nil, &Problem{
				Status: http.StatusBadRequest, Code: "missing_param", Parameter: within + s.Name, Accepted: accepted,
				Message: "Add " + within + s.Name + ". " + s.Description,
			}
		}
	}
	values := make(map[string]any, len(parameters))
	for step := range stages {
		for _, p := range parameters {
			s := p.Specification()
			if s.InPath {
				continue
			}
			g, found := byName(s.Name)
			if !found {
				continue
			}
			if stageOf(s.Kind) == step {
				value, problem := convert(s, g, within)
				if problem != nil {
					return nil, problem
				}
				values[s.Name] = value
			}
			if step == rangeStage && s.Kind == AddressListKind {
				if problem := checkLength(s, len(values[s.Name].([]chain.Address)), within); problem != nil {
					return nil, problem
				}
			}
		}
	}
	return values, nil
}

func acceptedSentence(accepted []string) string {
	if len(accepted) == 0 {
		return "It accepts no parameters."
	}
	return "It accepts " + strings.Join(accepted, ", ") + "."
}

// printable shortens a name that somebody else chose.
func printable(name string) string {
	const longest = 100
	if len(name) <= longest {
		return name
	}
	cut := longest
	for cut > 0 && !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut]
}

// convert makes the parameter's value from what was given.
func convert(s Specification, g given, within string) (any, *Problem) {
	switch s.Kind {
	case AddressKind:
		text, ok := g.asText()
		if !ok {
			return nil, wrongType(s, within)
		}
		return convertAddress(text, within+s.Name, within+s.Name)
	case AddressListKind:
		return convertAddresses(s, g, within)
	case ChainKind:
		text, ok := g.asText()
		if !ok {
			return nil, wrongType(s, within)
		}
		if found, supported := chain.Parse(text); supported {
			return found, nil
		}
		return nil, unsupportedChain(within+s.Name, "Use one of the chains "+strings.Join(chain.Slugs(), ", ")+".")
	case ChainIDKind:
		return convertChainID(s, g, within)
	case IntegerKind:
		return convertInteger(s, g, within)
	case NumberKind:
		number, ok := g.number()
		if !ok || !s.Numbers.holds(number) {
			return nil, Invalid(within+s.Name, within+s.Name+" must be "+s.Numbers.String()+".")
		}
		return number, nil
	case BooleanKind:
		return convertBoolean(s, g, within)
	case TextKind:
		text, ok := g.asText()
		if !ok || !textFits(s, text) {
			return nil, wrongType(s, within)
		}
		return text, nil
	case TextListKind:
		return convertTexts(s, g, within)
	case ObjectKind:
		return convertObject(s, g, within, within+s.Name)
	case ObjectListKind:
		return convertObjects(s, g, within)
	}
	return nil, wrongType(s, within)
}

func convertAddress(text, name, parameter string) (chain.Address, *Problem) {
	address, err := chain.ParseAddress(text)
	if err != nil {
		return address, &Problem{
			Status: http.StatusBadRequest, Code: "invalid_address", Parameter: parameter,
			Message: name + " must be 0x and 40 hexadecimal digits, in mixed case only with a valid EIP-55 checksum.",
		}
	}
	return address, nil
}

func convertAddresses(s Specification, g given, within string) (any, *Problem) {
	elements, ok := g.elements()
	if !ok {
		return nil, wrongType(s, within)
	}
	addresses := make([]chain.Address, len(elements))
	for i, element := range elements {
		text, ok := element.asText()
		if !ok {
			return nil, wrongType(s, within)
		}
		var problem *Problem
		if addresses[i], problem = convertAddress(text, fmt.Sprintf("%s%s[%d]", within, s.Name, i), within+s.Name); problem != nil {
			return nil, problem
		}
	}
	return addresses, nil
}

func convertChainID(s Specification, g given, within string) (any, *Problem) {
	number, ok := g.number()
	if !ok && !g.inQuery {
		return nil, wrongType(s, within)
	}
	if ok && number == math.Trunc(number) && math.Abs(number) <= maximumInteger {
		if found, supported := chain.ByID(int64(number)); supported {
			return found, nil
		}
	}
	ids := make([]string, 0, len(chain.All()))
	for _, c := range chain.All() {
		ids = append(ids, fmt.Sprintf("%d (%s)", c.ID, c.Slug))
	}
	return nil, unsupportedChain(within+s.Name, "Use one of the chain ids "+strings.Join(ids, ", ")+".")
}

func unsupportedChain(parameter, message string) *Problem {
	return &Problem{Status: http.StatusBadRequest, Code: "invalid_chain", Message: message, Parameter: parameter, Supported: chain.Slugs()}
}

func convertInteger(s Specification, g given, within string) (any, *Problem) {
	number, ok := g.number()
	if !ok || number != math.Trunc(number) {
		return nil, wrongType(s, within)
	}
	if s.Clamped {
		number = min(max(number, float64(s.Minimum)), float64(s.Maximum))
	}
	if number < float64(s.Minimum) || number > float64(s.Maximum) || math.Abs(number) > maximumInteger {
		return nil, wrongType(s, within)
	}
	return int(number), nil
}

func convertBoolean(s Specification, g given, within string) (any, *Problem) {
	switch {
	case g.inQuery && (g.text == "1" || g.text == "true"), g.json.Kind() == jsontext.KindTrue:
		return true, nil
	case g.inQuery && (g.text == "0" || g.text == "false"), g.json.Kind() == jsontext.KindFalse:
		return false, nil
	}
	if g.inQuery {
		return nil, Invalid(within+s.Name, within+s.Name+" must be 1 or true, or 0 or false, or left out.")
	}
	return nil, wrongType(s, within)
}

func convertTexts(s Specification, g given, within string) (any, *Problem) {
	elements, ok := g.elements()
	if !ok {
		return nil, wrongType(s, within)
	}
	texts := make([]string, len(elements))
	for i, element := range elements {
		if texts[i], ok = element.asText(); !ok || (len(s.Choices) > 0 && !slices.Contains(s.Choices, texts[i])) {
			return nil, wrongType(s, within)
		}
	}
	return texts, checkLength(s, len(texts), within)
}

func convertObject(s Specification, g given, within, name string) (any, *Problem) {
	if g.inQuery || g.json.Kind() != jsontext.KindBeginObject {
		return nil, wrongType(s, within)
	}
	members, problem := readMembers(g.json)
	if problem != nil {
		return nil, problem
	}
	values, problem := check(s.Properties, members, name+".")
	if problem != nil {
		return nil, problem
	}
	return Fields{values: values}, nil
}

func convertObjects(s Specification, g given, within string) (any, *Problem) {
	elements, ok := g.elements()
	if !ok {
		return nil, wrongType(s, within)
	}
	if problem := checkLength(s, len(elements), within); problem != nil {
		return nil, problem
	}
	objects := make([]Fields, len(elements))
	for i, element := range elements {
		object, problem := convertObject(s, element, within, fmt.Sprintf("%s%s[%d]", within, s.Name, i))
		if problem != nil {
			return nil, problem
		}
		objects[i] = object.(Fields)
	}
	return objects, nil
}

// checkLength holds the length of a list against its bounds.
func checkLength(s Specification, length int, within string) *Problem {
	if length >= s.Minimum && (s.Maximum == 0 || length <= s.Maximum) {
		return nil
	}
	problem := wrongType(s, within)
	if length > s.Maximum && s.Kind == AddressListKind {
		problem.Code = "too_many_wallets"
	}
	return problem
}

func textFits(s Specification, text string) bool {
	if len(s.Choices) > 0 {
		return slices.Contains(s.Choices, text)
	}
	return len(text) >= s.Minimum && (s.Maximum == 0 || len(text) <= s.Maximum)
}

// wrongType is the refusal of a value that is not what the parameter accepts, and says what is.
func wrongType(s Specification, within string) *Problem {
	message := within + s.Name + " must be " + acceptance(s)
	if !s.Required {
		message += ", or left out"
	}
	return Invalid(within+s.Name, message+".")
}

// acceptance says what a parameter accepts.
func acceptance(s Specification) string {
	oneOf := ""
	if len(s.Choices) > 0 {
		oneOf = "one of " + strings.Join(s.Choices, ", ")
	}
	switch s.Kind {
	case AddressKind:
		return "a string with an address"
	case AddressListKind:
		return "a list of " + lengths(s) + "addresses"
	case ChainKind:
		return "a string with a chain's slug"
	case ChainIDKind:
		return "a chain's number"
	case IntegerKind:
		return fmt.Sprintf("a whole number from %d to %d", s.Minimum, s.Maximum)
	case NumberKind:
		return s.Numbers.String()
	case BooleanKind:
		return "true or false"
	case TextKind:
		switch {
		case oneOf != "":
			return oneOf
		case s.Maximum > 0:
			return fmt.Sprintf("a string of %d to %d bytes", s.Minimum, s.Maximum)
		}
		return "a string"
	case TextListKind:
		if oneOf != "" {
			return "a list of " + lengths(s) + "strings, each " + oneOf
		}
		return "a list of " + lengths(s) + "strings"
	case ObjectKind:
		return "an object"
	case ObjectListKind:
		return "a list of " + lengths(s) + "objects"
	}
	return "left out"
}

func lengths(s Specification) string {
	if s.Maximum == 0 {
		return ""
	}
	return fmt.Sprintf("%d to %d ", s.Minimum, s.Maximum)
}

// String says what the range holds.
func (r Range) String() string {
	from := "from"
	if r.AboveMinimum {
		from = "above"
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	return "a number " + from + " " + number(r.Minimum) + " to " + number(r.Maximum)
}

func (r Range) holds(x float64) bool {
	return x <= r.Maximum && (x > r.Minimum || (x == r.Minimum && !r.AboveMinimum))
}

// number gives the finite number that was given, if it is one. In a query that is JSON's own spelling of a number.
func (g given) number() (float64, bool) {
	raw := g.json
	if g.inQuery {
		if raw = jsontext.Value(g.text); !raw.IsValid() {
			return 0, false
		}
	}
	if raw.Kind() != jsontext.KindNumber || len(raw) > 400 {
		return 0, false
	}
	number, err := strconv.ParseFloat(string(raw), 64)
	return number, err == nil
}

// elements splits a list that was given in a body.
func (g given) elements() ([]given, bool) {
	if g.inQuery || g.json.Kind() != jsontext.KindBeginArray {
		return nil, false
	}
	decoder := jsontext.NewDecoder(strings.NewReader(string(g.json)))
	if _, err := decoder.ReadToken(); err != nil {
		return nil, false
	}
	var all []given
	for decoder.PeekKind() != jsontext.KindEndArray {
		value, err := decoder.ReadValue()
		if err != nil {
			return nil, false
		}
		all = append(all, given{name: g.name, json: value.Clone()})
	}
	return all, true
}
