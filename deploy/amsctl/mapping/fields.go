package mapping

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Schema is what the service says about a collection's fields. A nil Schema knows nothing and checks nothing.
type Schema map[string]Field

// Field is one field of a collection.
type Field struct {
	Type     string // text, integer, number, boolean, list or object
	ReadOnly bool
	Required bool
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

// ReadSchema finds the fields that POST of a collection takes in an OpenAPI 3.1 document.
func ReadSchema(document []byte, collection string) (Schema, error) {
	var api struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct {
					Schema node `json:"schema"`
				} `json:"content"`
			} `json:"requestBody"`
		} `json:"paths"`
		Components struct {
			Schemas map[string]node `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(document, &api); err != nil {
		return nil, fmt.Errorf("the API's description: %w", err)
	}
	if _, known := api.Paths["/v1/"+collection]["post"]; !known {
		return nil, unknownCollection(collection, api.Paths)
	}
	body := api.Paths["/v1/"+collection]["post"].RequestBody.Content["application/json"].Schema
	body = body.resolve(api.Components.Schemas)
	if len(body.Properties) == 0 {
		return nil, nil
	}
	schema := Schema{}
	for name, property := range body.Properties {
		schema[name] = Field{Type: property.resolve(api.Components.Schemas).kind(), ReadOnly: property.ReadOnly, Required: slices.Contains(body.Required, name)}
	}
	return schema, nil
}

func unknownCollection[T any](collection string, paths map[string]map[string]T) error {
	var known []string
	for path, methods := range paths {
		if name, ok := strings.CutPrefix(path, "/v1/"); ok && !strings.Contains(path, "{") && !strings.HasSuffix(path, "/bulk") {
			if _, ok := methods["post"]; ok {
				known = append(known, name)
			}
		}
	}
	slices.Sort(known)
	return fmt.Errorf("there is no collection %q%s; there are %s", collection, Near(collection, known), strings.Join(known, ", "))
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
}

func (n node) resolve(schemas map[string]node) node {
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
