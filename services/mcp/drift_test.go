package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/schema"
)

// What tools name must be in the services' OpenAPI documents: the paths, the parameters, the fields, the values.

func TestToolsNameOperationsThatTheAPIHas(t *testing.T) {
	for _, each := range tools {
		for _, name := range each.operations {
			operation := operationOf(t, name)
			if operation.scope != "" && len(each.scopes) > 0 && !slices.Contains(each.scopes, operation.scope) {
				t.Errorf("%s uses %s, which needs %s; the tool says %v", each.name, name, operation.scope, each.scopes)
			}
			if each.feature != "" && operation.feature != each.feature {
				t.Errorf("%s uses %s of the feature %q; the tool says %q", each.name, name, operation.feature, each.feature)
			}
			if reads := strings.HasPrefix(name, "GET "); reads == each.writes {
				t.Errorf("%s uses %s; writes is %v", each.name, name, each.writes)
			}
			if strings.HasPrefix(name, "POST ") && !slices.Contains(operation.headers, "Idempotency-Key") {
				t.Errorf("%s: %s takes no Idempotency-Key", each.name, name)
			}
		}
	}
}

func TestArgumentsAreParametersOrFieldsOfTheAPI(t *testing.T) {
	looked := 0
	for _, each := range tools {
		operation := operationOf(t, each.operations[0])
		for _, field := range each.arguments.Fields {
			name := apiName(each.record, field)
			if name == "" {
				continue
			}
			looked++
			taken, values := operation.parameters[name], valuesOf(operation.parameters[name])
			if each.writes {
				taken = at(operation.body, "properties", name)
				values = valuesOf(taken)
			}
			if taken == nil {
				t.Errorf("%s: %s has nothing called %s any more", each.name, each.operations[0], name)
				continue
			}
			if values == nil && !each.writes { // a filter takes several values as one text; the record says which there are
				values = valuesOf(at(operation.recordOf(), "properties", name))
			}
			own := slices.Sorted(slices.Values(field.Enum))
			if !slices.Equal(own, values) {
				t.Errorf("%s: %s may be %v, and the API says %v", each.name, field.Name, own, values)
			}
			if want := typeOf(taken); want != "string" && want != typeOfField(field) {
				t.Errorf("%s: %s is %s, and the API says %s", each.name, field.Name, typeOfField(field), want)
			}
		}
	}
	if looked < 150 {
		t.Errorf("only %d arguments were looked at", looked)
	}
}

func typeOfField(f *schema.Field) string { return f.JSON.Type }

func TestRequiredFieldsAreRequiredArguments(t *testing.T) {
	for _, each := range tools {
		if !strings.HasPrefix(each.operations[0], "POST ") {
			continue
		}
		required, _ := operationOf(t, each.operations[0]).body["required"].([]any)
		for _, name := range required {
			if field := each.arguments.Field(name.(string)); field == nil || !field.Required {
				t.Errorf("%s: the API requires %s, the tool does not", each.name, name)
			}
		}
	}
}

func TestCollectionsNameFieldsThatTheirRecordsHave(t *testing.T) {
	for _, c := range collections {
		operation := operationOf(t, "GET "+c.path)
		if operation.scope != c.scope || operation.feature != c.feature {
			t.Errorf("%s: scope %s and feature %q, and the API says %s and %q", c.kind, c.scope, c.feature, operation.scope, operation.feature)
		}
		fields := append(append([]string{c.label, c.code}, c.detail...), c.brief...)
		for _, n := range c.names {
			fields = append(fields, n.field, n.field+"_id")
		}
		for _, field := range fields {
			if at(operation.recordOf(), "properties", field) == nil {
				t.Errorf("%s: records have no field %s any more", c.kind, field)
			}
		}
		if operation.parameters["q"] == nil || operation.parameters["fields"] == nil || len(c.names) > 0 && operation.parameters["expand"] == nil {
			t.Errorf("%s: the list takes q, fields or expand no more", c.kind)
		}
		for _, n := range c.names {
			for _, other := range collections {
				if strings.HasSuffix(n.field, other.kind) && (n.scope != other.scope || n.feature != other.feature) {
					t.Errorf("%s: the name of %s needs %s, not %s", c.kind, n.field, other.scope, n.scope)
				}
			}
		}
	}
}

func TestEveryReferenceOfARecordIsShownByName(t *testing.T) {
	for _, c := range collections {
		for field := range at(operationOf(t, "GET "+c.path).recordOf(), "properties") {
			if base, isID := strings.CutSuffix(field, "_id"); isID && base != "external" && !c.refers(base) {
				t.Errorf("%s: %s would be shown as a bare id", c.kind, field)
			}
		}
	}
}

func TestPartsNameFieldsThatTheirRecordsHave(t *testing.T) {
	for parent, parts := range map[string]map[string]part{"/v1/work-orders/{work_order_id}/": workOrderParts, "/v1/projects/{project_id}/": projectParts} {
		for name, p := range parts {
			for field := range strings.SplitSeq(p.fields, ",") {
				if at(operationOf(t, "GET "+parent+p.path).recordOf(), "properties", field) == nil {
					t.Errorf("%s have no field %s any more", name, field)
				}
			}
		}
	}
}

func TestKindsAreThoseOfTheCollections(t *testing.T) {
	var kinds []string
	for _, c := range collections {
		kinds = append(kinds, c.kind)
	}
	for _, each := range []*tool{find, getHistory} {
		field := each.arguments.Field("kinds")
		if field == nil {
			field = each.arguments.Field("kind")
		}
		if !slices.Equal(field.Enum, kinds) {
			t.Errorf("%s knows the kinds %v, there are %v", each.name, field.Enum, kinds)
		}
		if len(each.operations) != len(collections) {
			t.Errorf("%s uses %d operations for %d kinds", each.name, len(each.operations), len(collections))
		}
	}
}

// ours are members of answers that the tools add to what the API says.
var ours = []string{"data", "page", "limit", "total", "more", "sum", "kind", "detail"}

func TestAnswersAreDeclaredAsTheAPIHasThem(t *testing.T) {
	for _, each := range tools {
		if each == getContext || each == find {
			continue // they say what no single operation says
		}
		declared := object(node{}).with(members(each.output))
		var answers []map[string]any
		for _, name := range each.operations {
			answers = append(answers, operationOf(t, name).recordOf(), operationOf(t, name).answer)
		}
		compare(t, each.name, declared, answers)
		if rows, isList := members(each.output)["data"].(node); isList {
			compare(t, each.name, rows["items"].(node), answers)
		}
	}
}

func members(n node) node { return n["properties"].(node) }

func compare(t *testing.T, tool string, declared node, answers []map[string]any) {
	t.Helper()
	for name, of := range members(declared) {
		if slices.Contains(ours, name) {
			continue
		}
		known := false
		for _, answer := range answers {
			if property := at(answer, "properties", name); property != nil {
				known = true
				if want := typeOf(property); want != of.(node)["type"] {
					t.Errorf("%s: %s is declared as %v, and the API answers %s", tool, name, of.(node)["type"], want)
				}
			}
		}
		if !known {
			t.Errorf("%s: the API answers no %s any more", tool, name)
		}
	}
}

func TestFeaturesAreCalledWhatTheGatewayCallsThem(t *testing.T) {
	for _, c := range collections {
		if c.feature != "" && catalogue.Product().FeatureName(c.feature) == "" {
			t.Errorf("the feature %s has no name", c.feature)
		}
	}
	for _, each := range tools {
		if each.feature != "" && catalogue.Product().FeatureName(each.feature) == "" {
			t.Errorf("the feature %s of %s has no name", each.feature, each.name)
		}
	}
}

// Every node of a schema has one type: some clients refuse lists of types, and what has none.
func TestSchemasHaveOneTypeInEachNode(t *testing.T) {
	var walk func(where string, schema any)
	walk = func(where string, schema any) {
		n, isNode := schema.(map[string]any)
		if !isNode {
			t.Errorf("%s is no schema: %v", where, schema)
			return
		}
		if kind, isText := n["type"].(string); !isText || kind == "null" {
			t.Errorf("%s has the type %v", where, n["type"])
		}
		for _, word := range []string{"$ref", "$defs", "anyOf", "oneOf", "allOf", "nullable"} {
			if n[word] != nil {
				t.Errorf("%s has %s", where, word)
			}
		}
		for name, property := range at(n, "properties") {
			walk(where+"."+name, property)
		}
		if n["items"] != nil {
			walk(where+"[]", n["items"])
		}
	}
	for _, each := range tools {
		listed := each.listed()
		for _, raw := range []any{listed.InputSchema, listed.OutputSchema} {
			var schema map[string]any
			if err := json.Unmarshal(raw.(json.RawMessage), &schema); err != nil {
				t.Fatal(err)
			}
			walk(each.name, schema)
		}
	}
}

func TestArgumentsOfToolsAreFlat(t *testing.T) {
	for _, each := range tools {
		for _, field := range each.arguments.Fields {
			if kind := field.Type.Kind(); kind == reflect.Struct || kind == reflect.Map || field.Kind == schema.Object {
				t.Errorf("%s: %s is nested", each.name, field.Name)
			}
		}
	}
}
