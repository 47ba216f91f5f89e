package transport

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// nameRepeated makes components of what stands in a document more than once: each list of values, and each object that a record, its
// bodies and its rows have alike. A program that makes clients writes one type of each then. Fields, parameters and bodies refer to them.
//
// A name is that of the record and of the field: AssetCategory, PMPlanTrigger. It follows from the document alone, so that it is the same
// each time. What several records have has the name that sharedEnums and sharedObjects give it.
func nameRepeated(document map[string]any) {
	components, _ := document["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	if schemas == nil {
		return
	}
	n := &naming{schemas: schemas}
	n.find(document)
	n.nameEnums()
	n.nameObjects()
}

// sharedEnums names the lists of values that several records have, each by its values.
var sharedEnums = byValues(map[string]string{
	"AmortizationMethod":       "none straight_line",
	"BuildingOrSiteOwnership":  "owned leased licensed joint_use managed",
	"ConditionGrade":           "very_good good fair poor very_poor",
	"ConditionIndexType":       "pci bci pacp_5 iimm_5 iri other_100",
	"ConditionMethod":          "visual detailed instrument desktop age_based reported",
	"Criticality":              "low medium high critical",
	"CustomFieldType":          "text number date boolean choice",
	"DeferredMaintenanceBasis": "typed deficiencies",
	"DeficiencyCategory":       "deferred_maintenance life_safety code environmental accessibility functional renewal",
	"DeficiencySource":         "assessment inspection form request work_order import manual",
	"DeficiencyStatus":         "open planned in_work corrected waived void",
	"EffectKind":               "close_deficiency rate read_meter create_deficiency create_work_order close_request replace",
	"EffectState":              "planned pending applied refused withdrawn",
	"ElementCategory": "substructure shell interiors plumbing hvac fire_protection electrical conveying controls equipment_furnishings " +
		"special_construction sitework other",
	"EstimateClass": "A B C D",
	"FCIGrade":      "good fair poor critical",
	"FieldOperator": "eq ne lt lte gt gte",
	"FundingSourceType": "levy reserve debt development_charges user_rates ccbf " +
		"ocif provincial_grant federal_grant donation other",
	"Language":           "en fr",
	"FCIGradeReason":     "lives_unknown",
	"LifecycleActivity":  "maintenance renewal growth service_improvement disposal non_infrastructure",
	"PlannedElementType": "asset system building segment",
	"Priority":           "low medium high urgent",
	"Province":           "AB BC MB NB NL NS NT NU ON PE QC SK YT",
	"RenewalBasis":       "typed typed_or_life",
	"RiskLevel":          "very_low low moderate high very_high",
	"ServiceCategory": "roads bridges_culverts water wastewater stormwater facilities parks_recreation fleet solid_waste transit fire " +
		"library education housing natural_assets other",
	"TreatmentKind":         "maintenance rehabilitation replacement",
	"WorkTargetType":        "asset system building site segment",
	"WorkType":              "corrective preventive inspection emergency other",
	"RowConflictResolution": "error skip update",
})

func byValues(values map[string]string) map[string]string {
	names := map[string]string{}
	for name, words := range values {
		names[keyOf(strings.Fields(words))] = name
	}
	return names
}

// keyOf is the same for the same values in any order.
func keyOf(values []string) string { return strings.Join(slices.Sorted(slices.Values(values)), "\n") }

// sharedObjects names the objects that several records have, each by its content.
var sharedObjects = map[string]string{
	`[{"id":{"format":"uuid","type":"string"},"name":{"type":"string"}},["id","name"]]`:                 "NamedRecord",
	`[{"id":{"type":"string"},"name":{"type":"string"},"type":{"type":"string"}},["type","id","name"]]`: "Actor",
}

// place is where a schema stands that is to be a component.
type place struct {
	schema    map[string]any
	component string   // the component that it is in; "" of a parameter
	record    string   // the record that it is about
	path      []string // the names of the members that lead to it
}

type naming struct {
	schemas        map[string]any
	enums, objects []place
}

// roles are how the components end that are made of one record.
var roles = []string{"BulkCreateRow", "BulkPatchRow", "BulkDeleteRow", "Write", "Patch", "Transition", "List"}

// recordOf gives the record that a component is made of.
func recordOf(component string) string {
	for _, role := range roles {
		if record, ends := strings.CutSuffix(component, role); ends && record != "" {
			return record
		}
	}
	return component
}

func (n *naming) find(document map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(n.schemas)) {
		schema, _ := n.schemas[name].(map[string]any)
		if schema["enum"] == nil { // a component already
			n.walk(schema, place{component: name, record: recordOf(name)}, true)
		}
	}
	components, _ := document["components"].(map[string]any)
	shared, _ := components["parameters"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(shared)) {
		n.parameter(shared[name], pascal(name))
	}
	paths, _ := document["paths"].(map[string]any)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item, _ := paths[path].(map[string]any)
		for _, method := range slices.Sorted(maps.Keys(item)) {
			operation, _ := item[method].(map[string]any)
			id, _ := operation["operationId"].(string)
			record := cmp.Or(recordOf(responseOf(operation)), pascal(id))
			parameters, _ := operation["parameters"].([]any)
			for _, p := range parameters {
				n.parameter(p, record)
			}
			for _, part := range []string{"requestBody", "responses"} {
				n.walk(operation[part], place{record: pascal(id)}, true)
			}
		}
	}
}

// responseOf names the component that an operation responds with.
func responseOf(operation map[string]any) string {
	responses, _ := operation["responses"].(map[string]any)
	for _, status := range []string{"200", "201"} {
		response, _ := responses[status].(map[string]any)
		content, _ := response["content"].(map[string]any)
		media, _ := content["application/json"].(map[string]any)
		schema, _ := media["schema"].(map[string]any)
		if reference, _ := schema["$ref"].(string); reference != "" {
			return strings.TrimPrefix(reference, "#/components/schemas/")
		}
	}
	return ""
}

func (n *naming) parameter(p any, record string) {
	described, _ := p.(map[string]any)
	if name, _ := described["name"].(string); name != "" {
		n.walk(described["schema"], place{record: record, path: []string{name}}, true)
	}
}

// walk notes the enums and the objects in a schema; outermost says that it is no member of another, which has a name already.
func (n *naming) walk(value any, at place, outermost bool) {
	schema, isObject := value.(map[string]any)
	if !isObject {
		return
	}
	here := at
	here.schema = schema
	if types, _ := typesOf(schema); schema["enum"] != nil && slices.Equal(types, []string{"string"}) {
		n.enums = append(n.enums, here)
		return
	}
	properties, _ := schema["properties"].(map[string]any)
	if len(properties) > 0 && !outermost && at.component != "" {
		n.objects = append(n.objects, here)
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		member := at
		member.path = append(slices.Clone(at.path), name)
		n.walk(properties[name], member, false)
	}
	for _, keyword := range slices.Sorted(maps.Keys(schema)) {
		switch inner := schema[keyword].(type) {
		case map[string]any:
			if keyword == "items" {
				entry := at
				if last := len(at.path) - 1; last >= 0 {
					entry.path = append(slices.Clone(at.path[:last]), singular(at.path[last]))
				}
				n.walk(inner, entry, false)
			} else if keyword != "properties" && keyword != "default" && keyword != "example" && keyword != "headers" {
				n.walk(inner, at, outermost && keyword != "additionalProperties")
			}
		case []any:
			if keyword == "allOf" || keyword == "anyOf" || keyword == "oneOf" {
				for _, part := range inner {
					n.walk(part, at, true)
				}
			}
		}
	}
}

// nameEnums makes components of the lists of values.
func (n *naming) nameEnums() {
	groups := map[string][]place{} // by record and values
	records := map[string][]string{}
	for _, at := range n.enums {
		values, _ := valuesOf(at.schema)
		if at.component == "" {
			continue
		}
		key := keyOf(values)
		if !slices.Contains(records[key], at.record) {
			records[key] = append(records[key], at.record)
		}
		groups[at.record+"\n"+key] = append(groups[at.record+"\n"+key], at)
	}
	for _, at := range n.enums { // a parameter has the list of the record that is listed, else that of the one record that has it
		if at.component != "" {
			continue
		}
		values, _ := valuesOf(at.schema)
		key := keyOf(values)
		record := at.record
		if known := records[key]; !slices.Contains(known, record) && len(known) == 1 {
			record = known[0]
		}
		groups[record+"\n"+key] = append(groups[record+"\n"+key], at)
	}
	// What several records of a part call alike is one, of the record with the shortest name: Meter has the unit of MeterReading.
	alike := map[string][]place{}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		first := best(groups[group])
		values, _ := valuesOf(first.schema)
		key := first.path[len(first.path)-1] + "\n" + keyOf(values)
		alike[key] = append(alike[key], groups[group]...)
	}
	groups = alike
	named := map[string]string{} // the values of a name
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		places := groups[group]
		first := best(places)
		values, _ := valuesOf(first.schema)
		name := sharedEnums[keyOf(values)]
		if name == "" {
			name = n.free(first, func(name string) bool { return named[name] == "" || named[name] == keyOf(values) })
		}
		if named[name] = keyOf(values); n.schemas[name] == nil {
			n.schemas[name] = map[string]any{"type": "string", "enum": anyOf(values)}
		}
		for _, at := range places {
			n.refer(at.schema, name)
		}
	}
}

// refer puts a reference to an enum in the place of its values.
func (n *naming) refer(schema map[string]any, name string) {
	values, nullable := valuesOf(schema)
	all, _ := schema["enum"].([]any)
	delete(schema, "enum")
	delete(schema, "type")
	switch {
	case slices.Contains(all, any("null")): // of a filter, which is a text
		name += "OrNull"
		n.schemas[name] = map[string]any{"type": "string", "enum": append(anyOf(values), "null")}
		schema["$ref"] = referenceTo(name)
	case nullable:
		schema["anyOf"] = orNull(name)
	default:
		schema["$ref"] = referenceTo(name)
	}
}

// nameObjects makes components of the objects that stand in several places.
func (n *naming) nameObjects() {
	groups := map[string][]place{} // by record, field and content
	for _, at := range n.objects {
		key := at.record + "\n" + strings.Join(at.path, ".") + "\n" + contentOf(at.schema)
		if name := sharedObject(at); name != "" {
			key = name
		}
		groups[key] = append(groups[key], at)
	}
	// The innermost first: what refers to a component is equal where that is.
	keys := slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(groups[b][0].path), len(groups[a][0].path)), strings.Compare(a, b))
	})
	for _, key := range keys {
		places := groups[key]
		if len(places) < 2 {
			continue
		}
		first := best(places)
		name := sharedObject(first)
		if name == "" {
			name = n.free(first, func(string) bool { return true })
		}
		if known, taken := n.schemas[name].(map[string]any); taken && contentOf(known) != contentOf(first.schema) {
			continue
		}
		described := map[string]any{}
		for keyword, value := range first.schema {
			if ofObject(keyword) {
				described[keyword] = value
			}
		}
		described["type"] = "object"
		n.schemas[name] = described
		for _, at := range places {
			_, nullable := typesOf(at.schema)
			for keyword := range at.schema {
				if ofObject(keyword) || keyword == "additionalProperties" {
					delete(at.schema, keyword)
				}
			}
			if nullable {
				at.schema["anyOf"] = orNull(name)
			} else {
				at.schema["$ref"] = referenceTo(name)
			}
		}
	}
}

// sharedObject is the name of an object that several records have.
func sharedObject(at place) string {
	return sharedObjects[contentOf(at.schema)]
}

// ofObject says whether a keyword says what an object is, and not what it is for in one place.
func ofObject(keyword string) bool {
	return keyword == "type" || keyword == "properties" || keyword == "required"
}

// contentOf is the same for objects with the same members. Bodies are open in the document as answers are.
func contentOf(schema map[string]any) string {
	content, err := json.Marshal([]any{schema["properties"], schema["required"]})
	if err != nil {
		panic(err) // it was JSON before
	}
	return string(content)
}

// best is the place by which what stands in several is named: in the record itself, else in what makes it, as far outside as there is.
func best(places []place) place {
	rank := func(p place) int {
		switch {
		case p.component == "":
			return 3
		case p.component == p.record:
			return 0
		case strings.HasSuffix(p.component, "Write"):
			return 1
		}
		return 2
	}
	return slices.MinFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(len(a.record), len(b.record)),
			cmp.Compare(len(a.path), len(b.path)), strings.Compare(strings.Join(a.path, "."), strings.Join(b.path, ".")),
			strings.Compare(a.component, b.component))
	})
}

// free gives a name of a place that no other component has.
func (n *naming) free(at place, mayHave func(name string) bool) string {
	field := ""
	for _, name := range at.path {
		field += pascal(name)
	}
	name := joined(at.record, field)
	if n.schemas[name] != nil && !mayHave(name) || isRecord(n.schemas[name]) {
		name = joined(cmp.Or(at.component, at.record), field)
	}
	if isRecord(n.schemas[name]) {
		name += "Item"
	}
	return name
}

// isRecord says that a component is no list of values.
func isRecord(schema any) bool {
	described, is := schema.(map[string]any)
	return schema != nil && (!is || described["enum"] == nil)
}

// joined puts a record and a field together, without saying twice how the one ends and the other begins: SiteType of Site and site_type.
func joined(record, field string) string {
	for i := range record {
		rest, begins := strings.CutPrefix(field, record[i:])
		if begins && unicode.IsUpper(rune(record[i])) && (rest == "" || unicode.IsUpper(rune(rest[0]))) {
			return record + rest
		}
	}
	return record + field
}

func singular(name string) string {
	switch {
	case strings.HasSuffix(name, "us"), strings.HasSuffix(name, "ss"):
		return name
	case strings.HasSuffix(name, "ies"):
		return strings.TrimSuffix(name, "ies") + "y"
	case strings.HasSuffix(name, "ses"):
		return strings.TrimSuffix(name, "es")
	}
	return strings.TrimSuffix(name, "s")
}

func pascal(name string) string {
	var all strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return strings.ContainsRune("_-. ", r) }) {
		all.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return all.String()
}

// valuesOf gives the values of an enum without null, and whether null is among them.
func valuesOf(schema map[string]any) (values []string, nullable bool) {
	all, _ := schema["enum"].([]any)
	_, nullable = typesOf(schema)
	for _, value := range all {
		if word, isText := value.(string); isText && word != "null" {
			values = append(values, word)
		} else if value == nil {
			nullable = true
		}
	}
	return values, nullable
}

func typesOf(schema map[string]any) (types []string, nullable bool) {
	switch kind := schema["type"].(type) {
	case string:
		types = []string{kind}
	case []any:
		for _, each := range kind {
			if each == "null" {
				nullable = true
			} else if name, isText := each.(string); isText {
				types = append(types, name)
			}
		}
	}
	return types, nullable
}

func anyOf(values []string) []any {
	var all []any
	for _, value := range values {
		all = append(all, value)
	}
	return all
}

func referenceTo(component string) string { return "#/components/schemas/" + component }

func orNull(component string) []any {
	return []any{map[string]any{"$ref": referenceTo(component)}, map[string]any{"type": "null"}}
}
