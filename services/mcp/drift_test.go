package mcp

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/schema"
)

// The paths, parameters, fields and values that tools name must be in the services' OpenAPI documents.

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
			name := apiName(each.argumentsType, field)
			if name == "" {
				continue
			}
			looked++
			taken, values := operation.parameters[name], valuesOf(operation.parameters[name])
			for _, other := range each.operations[1:] { // a tool that reads several reports takes the values of each
				for _, value := range valuesOf(operationOf(t, other).parameters[name]) {
					if !slices.Contains(values, value) {
						values = append(values, value)
					}
				}
			}
			if name == "sort" { // several keys as one text
				values = nil
			}
			slices.Sort(values)
			if each.writes {
				taken = at(operation.body, "properties", name)
				values = valuesOf(taken)
			}
			if taken == nil {
				t.Errorf("%s: %s has nothing called %s any more", each.name, each.operations[0], name)
				continue
			}
			if values == nil && !each.writes { // a filter takes several values as one text, so the values are those of the record's field
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
	if looked < 120 {
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
		for _, n := range c.references {
			fields = append(fields, n.field)
			if !n.list {
				fields = append(fields, n.column())
			}
		}
		for _, field := range fields {
			if at(operation.recordOf(), "properties", field) == nil {
				t.Errorf("%s: records have no field %s any more", c.kind, field)
			}
		}
		if operation.parameters["q"] == nil || operation.parameters["fields"] == nil || len(c.references) > 0 &&
			operation.parameters["expand"] == nil {
			t.Errorf("%s: the list takes q, fields or expand no more", c.kind)
		}
		for _, n := range c.references {
			for _, other := range collections {
				if n.field != "infrastructure_deficiency" && strings.HasSuffix(n.field, other.kind) &&
					(n.scope != other.scope || n.feature != other.feature) {
					t.Errorf("%s: the name of %s needs %s, not %s", c.kind, n.field, other.scope, n.scope)
				}
			}
		}
	}
}

// What a list can show by name is shown by name.
func TestEveryReferenceOfARecordIsShownByName(t *testing.T) {
	for _, c := range collections {
		shown := 0
		for _, base := range valuesOf(operationOf(t, "GET "+c.path).parameters["expand"]) {
			if _, known := c.reference(base); !known {
				t.Errorf("%s: %s_id would be shown as a bare id", c.kind, base)
			}
			shown++
		}
		if shown != len(c.references) {
			t.Errorf("%s: the API shows %d references by name, and the tools know %d", c.kind, shown, len(c.references))
		}
	}
}

func TestPartsNameFieldsThatTheirRecordsHave(t *testing.T) {
	for parent, parts := range map[string]map[string]part{"/v1/work-orders/{work_order_id}/": workOrderParts,
		"/v1/projects/{project_id}/": projectParts} {
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
	}
	if len(getHistory.operations) != len(collections) {
		t.Errorf("get_history uses %d operations for %d kinds", len(getHistory.operations), len(collections))
	}
	var singulars []string
	for _, c := range collections {
		singulars = append(singulars, c.singular)
	}
	slices.Sort(singulars)
	if searched := valuesOf(operationOf(t, "GET /v1/search").parameters["kinds"]); !slices.Equal(searched, singulars) {
		t.Errorf("the API searches %v, find knows %v", searched, singulars)
	}
}

// A tool with one kind of record as its argument has one operation for each kind that the argument allows.
func TestKindsOfAToolAreThoseOfItsOperations(t *testing.T) {
	for suffix, each := range map[string]*tool{"": listRecords, "/{id}/summary": getSummary, "/{id}/history": getHistory} {
		var operations []string
		for _, kind := range each.arguments.Field("kind").Enum {
			operations = append(operations, "GET "+collectionOf(kind).path+suffix)
		}
		slices.Sort(operations)
		if want := slices.Sorted(slices.Values(each.operations)); !slices.Equal(operations, want) {
			t.Errorf("the kinds of %s mean the operations %v, and it has %v", each.name, operations, want)
		}
	}
}

// A view of planning_results has an operation, and its groups are those of the API.
func TestViewsAreThoseOfPlanning(t *testing.T) {
	for _, view := range planningResults.arguments.Field("view").Enum {
		if !slices.ContainsFunc(planningResults.operations, func(operation string) bool { return strings.Contains(operation, "/"+view) }) {
			t.Errorf("the view %s has no operation", view)
		}
	}
	if by := valuesOf(operationOf(t, "GET /v1/planning/runs/{id}/groups").parameters["by"]); !slices.Equal(by,
		slices.Sorted(slices.Values(planningResults.arguments.Field("by").Enum))) {
		t.Errorf("the API groups by %v", by)
	}
}

// Arguments that some kinds or views alone have are named with those that there are; of the outlook, with those whose operation has them.
func TestArgumentsOfAKindOrViewAreThoseOfItsOperation(t *testing.T) {
	for _, c := range []struct {
		tool *tool
		by   string
		of   argumentsOf
	}{{maintenanceOutlook, "kind", outlookArguments}, {planningResults, "view", viewArguments}} {
		for name, values := range c.of {
			if c.tool.arguments.Field(name) == nil {
				t.Errorf("%s has no argument %s", c.tool.name, name)
			}
			for _, value := range values {
				if !slices.Contains(c.tool.arguments.Field(c.by).Enum, value) {
					t.Errorf("%s: %s is of %s, which is none", c.tool.name, name, value)
				}
			}
		}
	}
	for kind, path := range map[string]string{"forecast": "forecast", "compliance": "pm-compliance"} {
		operation := operationOf(t, "GET /v1/maintenance/"+path)
		for name, kinds := range outlookArguments {
			if (operation.parameters[name] != nil) != slices.Contains(kinds, kind) {
				t.Errorf("the tool and the API differ in whether %s is of %s", name, kind)
			}
		}
	}
}

// A tool that reads parts of a record allows those that it can read, and has an operation for each.
func TestIncludedPartsAreThoseOfTheTool(t *testing.T) {
	for _, c := range []struct {
		tool   *tool
		parent string
		parts  map[string]part
	}{
		{getWorkOrder, "/v1/work-orders/{work_order_id}/", workOrderParts},
		{getProject, "/v1/projects/{project_id}/", projectParts},
	} {
		allowed := slices.Sorted(slices.Values(c.tool.arguments.Field("include").Enum))
		if parts := slices.Sorted(maps.Keys(c.parts)); !slices.Equal(allowed, parts) {
			t.Errorf("%s allows %v, and can read %v", c.tool.name, allowed, parts)
		}
		for _, p := range c.parts {
			if operation := "GET " + c.parent + p.path; !slices.Contains(c.tool.operations, operation) {
				t.Errorf("%s does not name %s", c.tool.name, operation)
			}
		}
	}
}

// Every argument with an enum is held to the API by one of the tests above. This list has the ones that the API does not
// have as parameters or fields.
func TestEnumsAreHeldToTheAPI(t *testing.T) {
	own := []string{"find.kinds", "get_history.kind", "list_records.kind", "get_summary.kind", "get_work_order.include", "get_project.include",
		"list_findings.kind", "maintenance_outlook.kind", "maintenance_outlook.rule", "planning_results.view", "planning_results.by"}
	for _, each := range tools {
		for _, field := range each.arguments.Fields {
			name := each.name + "." + field.Name
			if len(field.Enum) > 0 && (apiName(each.argumentsType, field) == "") != slices.Contains(own, name) {
				t.Errorf("no test holds the values of %s to the API", name)
			}
		}
	}
}

// toolMembers are members of results that the tools add to the API's responses.
var toolMembers = []string{"data", "page", "limit", "total", "more", "next_cursor", "sum", "groups", "note", "kind", "detail",
	"trend", "tables"}

func TestAnswersAreDeclaredAsTheAPIHasThem(t *testing.T) {
	for _, each := range tools {
		if each == getContext || each == find {
			continue // their results combine several operations
		}
		declared := object(node{}).with(members(each.output))
		var responses []map[string]any
		for _, name := range each.operations {
			responses = append(responses, operationOf(t, name).recordOf(), operationOf(t, name).response)
		}
		compare(t, each.name, declared, responses)
		if rows, isList := members(each.output)["data"].(node); isList {
			compare(t, each.name, rows["items"].(node), responses)
		}
	}
}

func members(n node) node { return n["properties"].(node) }

func compare(t *testing.T, tool string, declared node, responses []map[string]any) {
	t.Helper()
	if declared["properties"] == nil { // rows that are not declared
		return
	}
	for name, of := range members(declared) {
		if slices.Contains(toolMembers, name) {
			continue
		}
		known := false
		for _, response := range responses {
			if property := at(response, "properties", name); property != nil {
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

// Every node of a schema has one type, because some clients refuse lists of types and nodes without a type.
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
		listed := each.definition()
		for _, raw := range []any{listed.InputSchema, listed.OutputSchema} {
			var schema map[string]any
			if err := json.Unmarshal(raw.(json.RawMessage), &schema); err != nil {
				t.Fatal(err)
			}
			walk(each.name, schema)
		}
	}
}

// Filters are an object, because there are too many of them for every list of tools. Nothing else is nested.
func TestArgumentsOfToolsAreFlat(t *testing.T) {
	for _, each := range tools {
		for _, field := range each.arguments.Fields {
			if field.Name == "filters" {
				continue
			}
			if kind := field.Type.Kind(); kind == reflect.Struct || kind == reflect.Map || field.Kind == schema.Object {
				t.Errorf("%s: %s is nested", each.name, field.Name)
			}
		}
	}
}
