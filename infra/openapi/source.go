package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// module is the path that every package of ours begins with.
const module = "github.com/mirrorworthy/mirrorworthy/"

// sources reads what the source says of types beyond what they are: their comments, and the constants of named texts.
type sources struct {
	root     string
	packages map[string]*source
}

// source is what one package says.
type source struct {
	types  map[string]string            // a type's comment
	fields map[string]map[string]string // by type and field
	values map[string][]string          // the constants of a named text, in order
}

func newSources(root string) *sources {
	return &sources{root: root, packages: make(map[string]*source)}
}

// of gives what the package of a type says.
func (s *sources) of(t reflect.Type) (*source, error) {
	path := t.PkgPath()
	if known := s.packages[path]; known != nil {
		return known, nil
	}
	folder, ours := strings.CutPrefix(path, module)
	if !ours {
		return nil, fmt.Errorf("%s is none of our types, and nothing says how it is written", t)
	}
	read, err := readSource(filepath.Join(s.root, filepath.FromSlash(folder)))
	if err != nil {
		return nil, err
	}
	s.packages[path] = read
	return read, nil
}

func readSource(folder string) (*source, error) {
	read := &source{types: make(map[string]string), fields: make(map[string]map[string]string), values: make(map[string][]string)}
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, file.Name()), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, declared := range parsed.Decls {
			group, ok := declared.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range group.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					read.addType(spec, comment(spec.Doc, group.Doc))
				case *ast.ValueSpec:
					if err := read.addValue(group.Tok, spec); err != nil {
						return nil, fmt.Errorf("%s: %w", folder, err)
					}
				}
			}
		}
	}
	return read, nil
}

func (s *source) addType(spec *ast.TypeSpec, doc string) {
	s.types[spec.Name.Name] = doc
	structure, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	fields := make(map[string]string)
	for _, field := range structure.Fields.List {
		for _, name := range field.Names {
			fields[name.Name] = comment(field.Doc, field.Comment)
		}
	}
	s.fields[spec.Name.Name] = fields
}

// addValue keeps a constant that is declared with its type and written as a text.
func (s *source) addValue(kind token.Token, spec *ast.ValueSpec) error {
	named, ok := spec.Type.(*ast.Ident)
	if kind != token.CONST || !ok {
		return nil
	}
	for _, value := range spec.Values {
		literal, ok := value.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			continue
		}
		text, err := strconv.Unquote(literal.Value)
		if err != nil {
			return err
		}
		s.values[named.Name] = append(s.values[named.Name], text)
	}
	return nil
}

// comment is the first comment that there is, in one line for each paragraph.
func comment(groups ...*ast.CommentGroup) string {
	for _, group := range groups {
		if text := strings.TrimSpace(group.Text()); text != "" {
			paragraphs := strings.Split(text, "\n\n")
			for i, paragraph := range paragraphs {
				paragraphs[i] = strings.Join(strings.Fields(paragraph), " ")
			}
			return strings.Join(paragraphs, "\n\n")
		}
	}
	return ""
}

// described makes a description for partners of a comment: the comment's name of a field or type becomes the name on the wire.
func described(doc, goName, wireName string) string {
	if rest, found := strings.CutPrefix(doc, goName+" "); found {
		return "`" + wireName + "` " + rest
	}
	if rest, found := strings.CutPrefix(doc, goName+", "); found {
		return "`" + wireName + "`, " + rest
	}
	return doc
}

var (
	oneOf  = regexp.MustCompile(`[Oo]ne of ([\w-]+(?:, [\w-]+)*(?: or [\w-]+)?)[.;]`)
	bounds = regexp.MustCompile(`(-?\d+(?:\.\d+)?) to (\d+(?:\.\d+)?)\b`)
)

// choices reads the texts that a comment lists as "One of a, b or c."; nil where it lists none.
func choices(doc string) []any {
	found := oneOf.FindStringSubmatch(doc)
	if found == nil {
		return nil
	}
	var all []any
	for _, choice := range strings.Split(strings.Replace(found[1], " or ", ", ", 1), ", ") {
		all = append(all, choice)
	}
	return all
}

// rangeOf reads the bounds that a comment states as "0 to 100"; nil where it states none.
func rangeOf(doc string) (low, high *float64) {
	found := bounds.FindStringSubmatch(doc)
	if found == nil {
		return nil, nil
	}
	from, fromErr := strconv.ParseFloat(found[1], 64)
	to, toErr := strconv.ParseFloat(found[2], 64)
	if fromErr != nil || toErr != nil || from >= to {
		return nil, nil
	}
	return &from, &to
}

// component is the name of a type's schema: the type's own, after that of its package where it is a single word and could be anything.
func component(t reflect.Type) string {
	name, argument, generic := strings.Cut(t.Name(), "[")
	if words(name) == 1 && !generic {
		folder := t.PkgPath()[strings.LastIndex(t.PkgPath(), "/")+1:]
		name = strings.ToUpper(folder[:1]) + folder[1:] + name
	}
	if generic {
		argument = strings.TrimSuffix(argument, "]")
		name += "Of" + argument[strings.LastIndex(argument, ".")+1:]
	}
	return name
}

// words counts the words of a name in mixed case.
func words(name string) int {
	count, before := 0, false
	for _, letter := range name {
		upper := unicode.IsUpper(letter)
		if upper && !before {
			count++
		}
		before = upper
	}
	return count
}
