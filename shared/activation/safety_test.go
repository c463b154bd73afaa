package activation_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var enforcement = regexp.MustCompile(`Enforced by (Test\w+) in (shared/[a-z/]+)\.`)

// Every line about safety is a commitment, which holds as long as a test holds it.
func TestEverySafetyLineIsEnforcedByATest(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "safety.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, declaration := range file.Decls {
		function, is := declaration.(*ast.FuncDecl)
		if !is {
			continue
		}
		lines++
		named := enforcement.FindAllStringSubmatch(function.Doc.Text(), -1)
		if len(named) == 0 || strings.Count(function.Doc.Text(), "Enforced by") != len(named) {
			t.Errorf("nothing enforces %s", function.Name.Name)
		}
		for _, name := range named {
			if !testsIn(t, name[2])[name[1]] {
				t.Errorf("%s: there is no %s in %s", function.Name.Name, name[1], name[2])
			}
		}
	}
	if lines != 6 {
		t.Errorf("%d safety lines", lines)
	}
}

func testsIn(t *testing.T, folder string) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			if function, is := declaration.(*ast.FuncDecl); is && function.Recv == nil && function.Type.Params.NumFields() == 1 {
				names[function.Name.Name] = true
			}
		}
	}
	return names
}
