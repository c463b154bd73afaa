// Command openapi writes the API's OpenAPI document: what the endpoints declare, what the types of their answers say in the source, and
// examples that a service on the sample market has really answered. With -freeze it makes the document the promise that later ones are
// held to.
//
// It is run by hand when an endpoint or an answer has changed, and a test says when that was forgotten. It serves nothing: that is
// shared/openapi.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/catalogue"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
)

// The documents, from the module's folder.
const (
	currentDocument = "shared/openapi/v1.json"
	frozenDocument  = "shared/openapi/frozen/v1.json"
)

func main() {
	root := flag.String("root", ".", "the module's folder")
	freeze := flag.Bool("freeze", false, "freeze the document as it stands, unless it breaks what is frozen")
	flag.Parse()
	do := renew
	if *freeze {
		do = freezeDocument
	}
	if err := do(context.Background(), *root); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// renew writes the document anew, examples and all.
func renew(ctx context.Context, root string) error {
	shown, err := makeExamples(ctx)
	if err != nil {
		return err
	}
	document, err := generate(root, catalogue.Endpoints(host.Kept{}, copying.Copying{}), shown)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, currentDocument), document, 0o644)
}

// freezeDocument copies the document to where it is never changed again but by additions.
func freezeDocument(_ context.Context, root string) error {
	document, err := os.ReadFile(filepath.Join(root, currentDocument))
	if err != nil {
		return err
	}
	frozen, err := os.ReadFile(filepath.Join(root, frozenDocument))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		broken, err := breaking(frozen, document)
		if err != nil {
			return err
		}
		if len(broken) > 0 {
			return fmt.Errorf("%s would break what partners have been promised:\n%w", currentDocument, errors.Join(broken...))
		}
	}
	if err := os.MkdirAll(filepath.Join(root, filepath.Dir(frozenDocument)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, frozenDocument), document, 0o644)
}
