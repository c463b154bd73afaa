package openapitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mirrorworthy/mirrorworthy/shared/openapi"
)

// location is where the compiler of schemas finds the document.
const location = "document.json"

// document is the API's document as far as exchanges are held to it.
type document struct {
	Paths      map[string]map[string]*operation `json:"paths"`
	Components struct {
		Responses map[string]*response `json:"responses"`
		Headers   map[string]*header   `json:"headers"`
	} `json:"components"`

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema // by pointer
}

type operation struct {
	Parameters []struct {
		Name     string `json:"name"`
		In       string `json:"in"`
		Required bool   `json:"required"`
		Schema   struct {
			Type string `json:"type"`
		} `json:"schema"`
	} `json:"parameters"`
	RequestBody *struct {
		Required bool `json:"required"`
	} `json:"requestBody"`
	Responses map[string]*response `json:"responses"`
	// Security is nil where the document's own holds, and empty where no key is needed.
	Security []any `json:"security"`

	pointer string
}

type response struct {
	Reference   string                     `json:"$ref"`
	Description string                     `json:"description"`
	Headers     map[string]*header         `json:"headers"`
	Content     map[string]json.RawMessage `json:"content"`

	pointer string
}

type header struct {
	Reference string `json:"$ref"`
	Required  bool   `json:"required"`

	pointer string
}

// load parses the document once for each process.
var load = sync.OnceValues(func() (*document, error) { return parse(openapi.Document()) })

func parse(text []byte) (*document, error) {
	d := &document{compiler: jsonschema.NewCompiler(), compiled: make(map[string]*jsonschema.Schema)}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, err
	}
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	closeAnswers(whole)
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource(location, whole); err != nil {
		return nil, err
	}
	for name, h := range d.Components.Headers {
		h.pointer = pointer("components", "headers", name)
	}
	for name, r := range d.Components.Responses {
		if err := d.resolve(r, pointer("components", "responses", name)); err != nil {
			return nil, err
		}
	}
	for path, item := range d.Paths {
		for method, o := range item {
			o.pointer = pointer("paths", path, method)
			for status, r := range o.Responses {
				if r.Reference != "" {
					name := strings.TrimPrefix(r.Reference, "#/components/responses/")
					if o.Responses[status] = d.Components.Responses[name]; o.Responses[status] == nil {
						return nil, fmt.Errorf("%s: nothing is at %s", path, r.Reference)
					}
				} else if err := d.resolve(r, o.pointer+pointer("responses", status)); err != nil {
					return nil, err
				}
			}
		}
	}
	return d, nil
}

// resolve follows the references of a response's headers.
func (d *document) resolve(r *response, at string) error {
	r.pointer = at
	for name, h := range r.Headers {
		if h.Reference == "" {
			h.pointer = at + pointer("headers", name)
			continue
		}
		if r.Headers[name] = d.Components.Headers[strings.TrimPrefix(h.Reference, "#/components/headers/")]; r.Headers[name] == nil {
			return fmt.Errorf("%s: nothing is at %s", at, h.Reference)
		}
	}
	return nil
}

// closeAnswers lets no schema of an answer hold what it does not name. The document leaves them open, so that partners expect more
// members one day; what goes out today is all documented.
func closeAnswers(whole any) {
	components, _ := whole.(map[string]any)["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	for _, each := range schemas {
		schema, _ := each.(map[string]any)
		if _, open := schema["additionalProperties"]; schema["properties"] != nil && !open {
			schema["additionalProperties"] = false
		}
	}
}

// pointer is a JSON pointer (RFC 6901).
func pointer(names ...string) string {
	var text strings.Builder
	for _, name := range names {
		text.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	return text.String()
}

// schema gives the schema at a pointer.
func (d *document) schema(at string) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if known := d.compiled[at]; known != nil {
		return known, nil
	}
	// A pointer within a URL: a brace or a percent sign in it would be read as something else.
	made, err := d.compiler.Compile(location + "#" + strings.NewReplacer("%", "%25", "{", "%7B", "}", "%7D").Replace(at))
	if err != nil {
		return nil, err
	}
	d.compiled[at] = made
	return made, nil
}

// find gives the operations of a path, by method in lower case, and the values in the path. A path under /api is the same one.
func (d *document) find(path string) (item map[string]*operation, values map[string]string) {
	if rest, older := strings.CutPrefix(path, "/api/"); older {
		path = "/" + rest
	}
	if item := d.Paths[path]; item != nil && !strings.Contains(path, "{") {
		return item, nil
	}
	segments := strings.Split(path, "/")
	for template, item := range d.Paths {
		names := strings.Split(template, "/")
		values := make(map[string]string)
		// A path begins with a slash, so that the first segment is always empty.
		fits := len(names) == len(segments) && strings.Contains(template, "{") && !slices.Contains(segments[1:], "")
		for i := 0; fits && i < len(names); i++ {
			if name, isValue := strings.CutPrefix(names[i], "{"); isValue {
				values[strings.TrimSuffix(name, "}")] = segments[i]
			} else {
				fits = names[i] == segments[i]
			}
		}
		if fits {
			return item, values
		}
	}
	return nil, nil
}
