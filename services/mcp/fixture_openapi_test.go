package mcp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// apiOperation is an operation of the REST API in the services' golden OpenAPI documents.
type apiOperation struct {
	scope, feature string
	parameters     map[string]map[string]any // name → schema, of the query
	headers        []string
	body           map[string]any // schema of the request body, without references
	response       map[string]any // schema of the successful response
	status         int
	pattern        *regexp.Regexp
}

// openAPI has all operations, as "GET /v1/assets/{id}". It reads the services' golden files, so that a change there
// fails the tests of the tools that it breaks.
var openAPI = sync.OnceValues(func() (map[string]*apiOperation, error) {
	files, err := filepath.Glob("../*/testdata/openapi.json")
	if err != nil || len(files) < 6 {
		return nil, fmt.Errorf("%d golden OpenAPI documents: %w", len(files), err)
	}
	all := map[string]*apiOperation{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var document map[string]any
		if err := json.Unmarshal(content, &document); err != nil {
			return nil, err
		}
		components := at(document, "components")
		for path, item := range at(document, "paths") {
			for method, operation := range item.(map[string]any) {
				all[strings.ToUpper(method)+" "+path] = newAPIOperation(path, operation.(map[string]any), components)
			}
		}
	}
	all["GET /v1/me"] = &apiOperation{status: 200, pattern: regexp.MustCompile(`^/v1/me$`)} // the gateway's own, see gateway/openapi/own.go
	return all, nil
})

func at(value map[string]any, path ...string) map[string]any {
	for _, name := range path {
		value, _ = value[name].(map[string]any)
	}
	return value
}

func newAPIOperation(path string, operation, components map[string]any) *apiOperation {
	schemas := at(components, "schemas")
	o := &apiOperation{parameters: map[string]map[string]any{},
		pattern: regexp.MustCompile("^" + regexp.MustCompile(`\{\w+\}`).ReplaceAllString(path, `[0-9a-f-]{36}`) + "$")}
	o.scope, _ = operation["x-scope"].(string)
	o.feature, _ = operation["x-feature"].(string)
	parameters, _ := operation["parameters"].([]any)
	for _, each := range parameters {
		p := each.(map[string]any)
		if reference, is := p["$ref"].(string); is {
			p = at(components, "parameters", strings.TrimPrefix(reference, "#/components/parameters/"))
		}
		switch p["in"] {
		case "query":
			o.parameters[p["name"].(string)] = ofOneValue(p, schemas)
		case "header":
			o.headers = append(o.headers, p["name"].(string))
		}
	}
	o.body = resolve(at(operation, "requestBody", "content", "application/json", "schema"), schemas)
	for _, status := range []int{200, 201} {
		if response := at(operation, "responses", fmt.Sprint(status), "content", "application/json", "schema"); response != nil {
			o.response, o.status = resolve(response, schemas), status
		}
	}
	return o
}

// ofOneValue is the schema of one value of a parameter, with the parameter's description. x-several is true where it takes several.
func ofOneValue(parameter, schemas map[string]any) map[string]any {
	schema := resolve(at(parameter, "schema"), schemas)
	if items := at(schema, "items"); items != nil {
		schema = items
		schema["x-several"] = true
	}
	schema["description"] = parameter["description"]
	return schema
}

// resolve replaces references by what they refer to.
func resolve(schema, schemas map[string]any) map[string]any {
	if schema == nil {
		return nil
	}
	if reference, is := schema["$ref"].(string); is {
		whole := resolve(at(schemas, strings.TrimPrefix(reference, "#/components/schemas/")), schemas)
		for name, value := range schema { // what is said of it in this place
			if name != "$ref" {
				whole[name] = value
			}
		}
		return whole
	}
	whole := map[string]any{}
	if either, _ := schema["anyOf"].([]any); len(either) == 2 && at(either[1].(map[string]any))["type"] == "null" { // a component, or null
		for name, value := range resolve(either[0].(map[string]any), schemas) {
			whole[name] = value
		}
		whole["type"] = []any{whole["type"], "null"}
	}
	for name, value := range schema {
		switch {
		case name == "properties":
			properties := map[string]any{}
			for property, of := range value.(map[string]any) {
				properties[property] = resolve(of.(map[string]any), schemas)
			}
			value = properties
		case name == "items":
			value = resolve(value.(map[string]any), schemas)
		}
		whole[name] = value
	}
	return whole
}

func operationOf(t testing.TB, name string) *apiOperation {
	t.Helper()
	all, err := openAPI()
	if err != nil {
		t.Fatal(err)
	}
	o := all[name]
	if o == nil {
		t.Fatalf("the OpenAPI documents have no operation %s any more", name)
	}
	return o
}

// recordOf is the schema of one record of the response. For a list it is a row.
func (o *apiOperation) recordOf() map[string]any {
	if data := at(o.response, "properties", "data"); data != nil {
		return at(data, "items")
	}
	return o.response
}

// typeOf is the type of a schema besides null.
func typeOf(schema map[string]any) string {
	switch kind := schema["type"].(type) {
	case string:
		return kind
	case []any:
		for _, each := range kind {
			if each != "null" {
				return each.(string)
			}
		}
	}
	return ""
}

// valuesOf are the values of a schema's enum, or of its items' enum. It is nil where any value is allowed.
func valuesOf(schema map[string]any) []string {
	if items := at(schema, "items"); items != nil {
		schema = items
	}
	list, _ := schema["enum"].([]any)
	var values []string
	for _, each := range list {
		if value, isText := each.(string); isText && value != "null" { // the word for none
			values = append(values, value)
		}
	}
	slices.Sort(values)
	return values
}
