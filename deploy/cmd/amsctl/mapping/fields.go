package mapping

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"ams.internal/libs/schema"
)

// Schema is what the service says about a collection's fields. A nil Schema knows nothing and checks nothing.
type Schema map[string]Field

// Field is one field of a collection.
type Field struct {
	Type     string // text, integer, number, boolean, list or object
	ReadOnly bool
	Required bool
	Choices  []string // the words that it takes, where there is a list of them
	Format   string   // such as date
	OneLine  bool     // a text that has no line breaks
	Parts    Schema   // of an object: what stands in it, by the names that it has there
}

// Names are the fields that can be written, sorted.
func (s Schema) Names() []string {
	var names []string
	for name, field := range s {
		if !field.ReadOnly {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Collection is what the service says about a collection.
type Collection struct {
	Path    string // with the id of a parent still to be put in: /v1/work-orders/{work_order_id}/costs
	Fields  Schema
	Parent  string // of a sub-collection: the field that says what a record belongs to, work_order_id
	Parents string // and the collection of those: work-orders
	Of      string // the id of the one whose parts are meant, where the name holds it: work-orders/ID/costs
	Flat    string // where rows of any parents go in one call, each with its own: /v1/meters/readings
	Final   bool   // what is there is never changed: the entries of a ledger
}

// document is the part of an OpenAPI 3.1 document that matters here.
type document struct {
	Paths map[string]map[string]struct {
		Parameters []struct {
			Name   string `json:"name"`
			Schema node   `json:"schema"`
		} `json:"parameters"`
		RequestBody struct {
			Content content `json:"content"`
		} `json:"requestBody"`
		Responses map[string]struct {
			Content content `json:"content"`
		} `json:"responses"`
	} `json:"paths"`
	Components struct {
		Schemas map[string]node `json:"schemas"`
	} `json:"components"`
}

type content map[string]struct {
	Schema node `json:"schema"`
}

var idPattern = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// withoutID takes the id of a parent out of the name of a collection: work-orders/ID/costs is work-orders/costs of that one.
func withoutID(given string) (name, id string) {
	parts := strings.Split(strings.Trim(given, "/"), "/")
	if at := slices.IndexFunc(parts, idPattern.MatchString); at > 0 && at < len(parts)-1 {
		id = parts[at]
		parts = slices.Delete(parts, at, at+1)
	}
	return strings.Join(parts, "/"), id
}

// FindCollection finds a collection in an OpenAPI 3.1 document, and the fields that its POST takes. Sub-collections are
// called by their path without the parent, work-orders/costs, or with the id of one: work-orders/ID/costs.
func FindCollection(text []byte, name string) (Collection, error) {
	var api document
	if err := json.Unmarshal(text, &api); err != nil {
		return Collection{}, fmt.Errorf("the API's description: %w", err)
	}
	paths, flat := api.collections()
	name, of := withoutID(name)
	path, known := paths[name]
	if !known {
		names := slices.Sorted(maps.Keys(paths))
		return Collection{}, fmt.Errorf("there is no collection %q%s; there are %s", name, Near(name, names), strings.Join(names, ", "))
	}
	found := Collection{Path: path, Of: of}
	if of == "" {
		found.Flat = flat[name]
	}
	for _, p := range api.Paths[path+"/bulk"]["post"].Parameters {
		if p.Name == "on_conflict" {
			found.Final = !slices.Contains(p.Schema.resolve(api.Components.Schemas).Enum, any("update"))
		}
	}
	post := api.Paths[path]["post"]
	body := post.RequestBody.Content["application/json"].Schema.resolve(api.Components.Schemas)
	if len(body.Properties) > 0 {
		found.Fields = Schema{}
		// What the service shows besides what it takes, it fills in itself.
		for name := range post.Responses["201"].Content["application/json"].Schema.resolve(api.Components.Schemas).Properties {
			found.Fields[name] = Field{ReadOnly: true}
		}
		for name, property := range body.Properties {
			whole := property.resolve(api.Components.Schemas)
			found.Fields[name] = Field{Type: whole.kind(), ReadOnly: property.ReadOnly, Required: slices.Contains(body.Required, name),
				Choices: whole.choices(), Format: whole.Format, OneLine: whole.MaxLength != nil && schema.TakesLine(whole.Format, *whole.MaxLength),
				Parts: property.parts(api.Components.Schemas)}
		}
	}
	if parents, rest, isPart := strings.Cut(path, "/{"); isPart {
		found.Parent, _, _ = strings.Cut(rest, "}")
		found.Parents = strings.TrimPrefix(parents, "/v1/")
		if found.Fields != nil {
			found.Fields[found.Parent] = Field{Type: "text"}
		}
	}
	return found, nil
}

// collections are the paths that records are written to in bulk, by the name of their collection; flat those besides that take parts of
// any parents.
func (d document) collections() (paths, flat map[string]string) {
	paths, flat = map[string]string{}, map[string]string{}
	for bulk, methods := range d.Paths {
		path, isBulk := strings.CutSuffix(bulk, "/bulk")
		if _, writes := methods["post"]; !isBulk || !writes {
			continue
		}
		var parts []string
		for part := range strings.SplitSeq(strings.TrimPrefix(path, "/v1/"), "/") {
			if !strings.HasPrefix(part, "{") {
				parts = append(parts, part)
			}
		}
		name := strings.Join(parts, "/")
		other, both := paths[name]
		switch {
		case !both:
			paths[name] = path
		case strings.Contains(path, "{"):
			paths[name], flat[name] = path, other
		default:
			flat[name] = path
		}
	}
	return paths, flat
}

// node is the part of a JSON Schema that matters here.
type node struct {
	Ref        string          `json:"$ref"`
	Type       json.RawMessage `json:"type"`
	Properties map[string]node `json:"properties"`
	Required   []string        `json:"required"`
	ReadOnly   bool            `json:"readOnly"`
	AnyOf      []node          `json:"anyOf"`
	AllOf      []node          `json:"allOf"`
	OneOf      []node          `json:"oneOf"`
	Enum       []any           `json:"enum"`
	Format     string          `json:"format"`
	MaxLength  *int            `json:"maxLength"`
}

// choices are the words of a list.
func (n node) choices() (words []string) {
	for _, value := range n.Enum {
		if word, is := value.(string); is {
			words = append(words, word)
		}
	}
	return words
}

func (n node) resolve(schemas map[string]node) node {
	if len(n.AnyOf) == 2 && n.AnyOf[0].Ref != "" && n.AnyOf[1].Ref == "" { // a component, or null
		n = n.AnyOf[0]
	}
	for range 8 {
		name, isRef := strings.CutPrefix(n.Ref, "#/components/schemas/")
		if !isRef {
			break
		}
		n = schemas[name]
	}
	for _, part := range n.AllOf {
		part = part.resolve(schemas)
		if n.Properties == nil {
			n.Properties = map[string]node{}
		}
		for name, property := range part.Properties {
			n.Properties[name] = property
		}
		n.Required = append(n.Required, part.Required...)
	}
	return n
}

// parts are what stands in an object.
func (n node) parts(schemas map[string]node) Schema {
	properties := n.resolve(schemas).Properties
	if len(properties) == 0 {
		return nil
	}
	parts := Schema{}
	for name, property := range properties {
		parts[name] = Field{Type: property.resolve(schemas).kind()}
	}
	return parts
}

func (n node) kind() string {
	var types []string
	if bytes.HasPrefix(n.Type, []byte("[")) {
		if json.Unmarshal(n.Type, &types) != nil {
			return "text"
		}
	} else {
		var one string
		if json.Unmarshal(n.Type, &one) == nil {
			types = []string{one}
		}
	}
	for _, alternative := range append(n.AnyOf, n.OneOf...) {
		if kind := alternative.kind(); kind != "text" {
			return kind
		}
	}
	for _, name := range types {
		switch name {
		case "integer", "number", "boolean", "object":
			return name
		case "array":
			return "list"
		}
	}
	return "text"
}
