package edm

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ams.internal/libs/odata"
)

// entity is a type with members: of the records of a set, which have a key, or of objects in them.
type entity struct {
	name    string
	key     string // "" of an object
	open    bool   // may have members that nobody declared
	members []member
	// navigation is what the records of a set refer to, in sets; sorted.
	navigation []Navigation
}

// Navigation is a property of a record that leads to the record that it refers to.
type Navigation struct {
	Name     string
	To       *Set
	required bool // no record is without it
}

type member struct {
	name, kind string // kind as in $metadata: "Edm.Date", "Collection(Edm.String)"
	required   bool
	decimals   int // of Edm.Decimal
}

// openObject is the type of objects without declared members, such as custom fields.
const openObject = "Object"

type builder struct {
	schemas  map[string]any
	sets     []described
	model    *Model
	complex  map[string]*entity
	entities map[string]bool // names of the types of records
}

// build makes the types of all sets: first the names of those with keys, so that an object of the same schema gets another one.
func (b *builder) build() {
	for _, set := range b.sets {
		b.entities[odata.TypeName(set.Name)] = true
	}
	b.model.types = append(b.model.types, &entity{name: openObject, open: true})
	expanded := make([]map[string]any, len(b.sets))
	for i, set := range b.sets {
		schema, hidden := b.record(set)
		expanded[i] = picked(schema, hidden)
		e := &entity{name: odata.TypeName(set.Name), key: "id"}
		if set.Report {
			e.key = odata.RowNumber
			e.members = append(e.members, member{name: odata.RowNumber, kind: "Edm.Int32", required: true})
		}
		b.add(e, schema, hidden)
		set.entity = e
		b.model.types = append(b.model.types, e)
		b.model.Sets = append(b.model.Sets, set.Set)
	}
	for i, set := range b.sets {
		b.navigate(set.entity, expanded[i])
	}
	slices.SortFunc(b.model.types, func(a, c *entity) int { return strings.Compare(a.name, c.name) })
}

// record gives the schema of a record of a set, and the members that it has in the API only when expand asks for them.
func (b *builder) record(set described) (schema map[string]any, hidden []string) {
	schema = set.response
	items := object(object(object(schema["properties"])["data"])["items"])
	if items == nil {
		return schema, nil
	}
	if reference, ok := items["$ref"].(string); ok {
		expansions := object(b.schemas[strings.TrimPrefix(reference, schemasPath)+"Expansion"])
		names, _ := expansions["enum"].([]any)
		for _, name := range names {
			if text, isText := name.(string); isText {
				hidden = append(hidden, text)
			}
		}
	}
	return b.resolve(items), hidden
}

// picked gives those members of a schema that have the names.
func picked(schema map[string]any, names []string) map[string]any {
	members := map[string]any{}
	for _, name := range names {
		members[name] = object(schema["properties"])[name]
	}
	return members
}

// navigate adds the properties that lead to records of other sets: what expand shows in the API, and of which collection it is. Each goes
// by the id beside it.
func (b *builder) navigate(e *entity, expanded map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(expanded)) {
		collection, _ := object(expanded[name])["x-collection"].(string)
		at := slices.IndexFunc(e.members, func(m member) bool { return m.name == name+"_id" })
		if to := b.model.Set(collection); to != nil && !to.Report && at >= 0 {
			e.navigation = append(e.navigation, Navigation{name, to, e.members[at].required})
		}
	}
}

const schemasPath = "#/components/schemas/"

// resolve follows a reference to a schema.
func (b *builder) resolve(schema map[string]any) map[string]any {
	for range 10 {
		reference, isReference := schema["$ref"].(string)
		if !isReference {
			return schema
		}
		schema = object(b.schemas[strings.TrimPrefix(reference, schemasPath)])
	}
	return schema
}

// add adds the declared members of a schema to a type.
func (b *builder) add(e *entity, schema map[string]any, hidden []string) {
	properties := object(schema["properties"])
	required, _ := schema["required"].([]any)
	var names []string
	for name := range properties {
		if !slices.Contains(hidden, name) && !slices.ContainsFunc(e.members, func(m member) bool { return m.name == name }) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, c string) int { return compareKeysFirst(a, c, e.key) })
	for _, name := range names {
		m := b.member(e.name+odata.TypeName(name), object(properties[name]))
		if m.kind == "" {
			e.open = true
			continue
		}
		m.name = name
		m.required = m.required && slices.Contains(required, any(name)) || name == e.key
		e.members = append(e.members, m)
	}
	if schema["additionalProperties"] != nil && schema["additionalProperties"] != false {
		e.open = true
	}
}

// compareKeysFirst orders names by the alphabet, with the key and the name of the record before the others.
func compareKeysFirst(a, b, key string) int {
	rank := func(name string) int {
		return 1 + max(slices.Index([]string{"name", key}, name), -1)
	}
	if ra, rb := rank(a), rank(b); ra != rb {
		return rb - ra
	}
	return strings.Compare(a, b)
}

// member gives the type of a value. name is that of its own type, where it is an object. One that may be of any type has
// none, and is not declared.
func (b *builder) member(name string, schema map[string]any) member {
	kind, nullable := kindOf(schema)
	m := member{required: !nullable}
	either, _ := schema["anyOf"].([]any) // a component, or null
	if len(either) == 2 && object(either[1])["type"] == "null" {
		of := b.member(name, object(either[0]))
		of.required = false
		return of
	}
	if reference, ok := schema["$ref"].(string); ok {
		name = strings.TrimPrefix(reference, schemasPath)
		schema = b.resolve(schema)
		kind, nullable = kindOf(schema)
		m.required = !nullable
		if b.entities[name] {
			name += "Value"
		}
	}
	format, _ := schema["format"].(string)
	switch kind {
	case "boolean":
		m.kind = "Edm.Boolean"
	case "integer", "number":
		var maximum *float64
		if bound, isBound := schema["maximum"].(float64); isBound {
			maximum = &bound
		}
		decimals, exact := schema["x-decimals"].(float64)
		m.kind, m.decimals = odata.NumberType(kind, maximum, exact), int(decimals)
	case "array":
		if of := b.member(name, object(schema["items"])).kind; of != "" {
			m.kind, m.required = "Collection("+of+")", true
		}
	case "object":
		m.kind = b.object(name, schema)
	case "string":
		m.kind = map[string]string{"uuid": "Edm.Guid", "date": "Edm.Date", "date-time": "Edm.DateTimeOffset"}[format]
		if m.kind == "" {
			m.kind = "Edm.String"
		}
	}
	return m
}

// object gives the type of an object: one of its own where it has declared members.
func (b *builder) object(name string, schema map[string]any) string {
	properties := object(schema["properties"])
	switch {
	case len(properties) == 0:
		return odata.Namespace + "." + openObject
	case properties["coordinates"] != nil:
		return "Edm.Geography"
	case b.complex[name] == nil:
		e := &entity{name: name}
		b.complex[name] = e
		b.model.types = append(b.model.types, e)
		b.add(e, schema, nil)
	}
	return odata.Namespace + "." + name
}

// kindOf gives the type in JSON of a schema, and whether it may be null.
func kindOf(schema map[string]any) (kind string, nullable bool) {
	switch types := schema["type"].(type) {
	case string:
		return types, false
	case []any:
		for _, entry := range types {
			if name, _ := entry.(string); name == "null" {
				nullable = true
			} else {
				kind = name
			}
		}
	}
	return kind, nullable
}

// cached is the model of one version of the document.
type cached struct {
	lock    sync.Mutex
	version string
	model   *Model
}

func (c *cached) of(document []byte, version string) (*Model, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.model != nil && c.version == version {
		return c.model, nil
	}
	model, err := NewModel(document)
	if err == nil {
		c.model, c.version = model, version
	}
	return model, err
}

// attribute is a number as the text of an attribute.
func attribute(n int) string { return strconv.Itoa(n) }
