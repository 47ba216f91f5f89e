package operations

import (
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/resource/internal/read"
	"ams.internal/libs/resource/internal/record"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/resource/internal/write"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

var (
	aUUID = map[string]any{"type": "string", "format": "uuid"}

	idempotencyKey = transport.Parameter{
		Name: "Idempotency-Key", In: "header", Shared: true, Schema: map[string]any{"type": "string", "maxLength": 255},
		Description: "Up to 255 characters; the first answer is kept for 24 hours and given again.",
	}
	importID = transport.Parameter{
		Name: "Import-Id", In: "header", Shared: true, Schema: aUUID,
		Description: "Id of the import that the call is part of: what it writes has the origin import in its events.",
	}
	ifMatch = transport.Parameter{
		Name: "If-Match", In: "header", Shared: true, Schema: map[string]any{"type": "string"},
		Description: "The ETag of the version that you mean; 409 when the record has moved on.",
	}
	ifNoneMatch = transport.Parameter{
		Name: "If-None-Match", In: "header", Shared: true, Schema: map[string]any{"type": "string"},
		Description: "The ETag of what you have; 304 while it is still the same.",
	}
	onlyCreate = transport.Parameter{
		Name: "If-None-Match", In: "header", Schema: map[string]any{"type": "string"},
		Description: "*: 409 when the record is there already.",
	}
	atomic = transport.Parameter{
		Name: "atomic", In: "query", Shared: true, Schema: map[string]any{"type": "boolean", "default": true},
		Description: "true: all rows or none. false: each row on its own.",
	}
	onConflict = transport.Parameter{
		Name: "on_conflict", In: "query", Shared: true,
		Schema:      map[string]any{"type": "string", "enum": []string{"error", "skip", "update"}, "default": "error"},
		Description: "What to do with a row whose external_id, else natural key, is there already.",
	}
)

// onConflictOf is onConflict, without changes of what is only appended to.
func onConflictOf(c *write.Resource) transport.Parameter {
	if !c.Row.AppendOnly {
		return onConflict
	}
	p := onConflict
	p.Shared, p.Schema = false, map[string]any{"type": "string", "enum": []string{"error", "skip"}, "default": "error"}
	return p
}

// described are the schemas of a resource in the OpenAPI document, as references to components.
type described struct{ record, list, created, patched, upserted, bulkCreate, bulkPatch, bulkDelete, bulkResult, history any }

// describe names the schemas of a resource: Asset, AssetList, AssetWrite and so on.
func describe(api *transport.API, c *write.Resource) described {
	name := c.Schema.Name
	d := described{
		record:  api.Component(name, shown(api, c.Table)),
		created: api.Component(name+"Write", creatable(c.Schema)),
		patched: api.Component(name+"Patch", patchable(c.Schema)),
	}
	d.list = api.Component(name+"List", listOf(api, d.record, len(c.Searched) > 0, totalsOf(api, c.Table)))
	rows := func(suffix string, row any) any {
		return api.Component(name+suffix, bulkOf(api.Component(name+suffix+"Row", row)))
	}
	d.bulkCreate = rows("BulkCreate", extended(d.patched, creatableRow(c)))
	d.upserted = transport.Reference(name + "BulkCreateRow")
	if !c.Row.AppendOnly {
		d.bulkPatch = rows("BulkPatch", extended(d.patched, named(c)))
		key := api.Component("RecordKey", recordKey)
		if c.NaturalKey == "" {
			d.bulkDelete = api.Component(name+"BulkDelete", bulkOf(key))
		} else {
			d.bulkDelete = rows("BulkDelete", extended(key, object(map[string]any{c.NaturalKey: c.Schema.Field(c.NaturalKey).JSON})))
		}
	}
	d.bulkResult = api.Component(name+"BulkResult", object(map[string]any{
		"data":    map[string]any{"type": "array", "items": d.record, "description": "The records that were written or skipped, each once."},
		"results": map[string]any{"type": "array", "items": transport.Reference("BulkRowResult"), "description": "Of every row, in its order."},
		"summary": transport.Reference("BulkSummary"),
	}, "data", "results", "summary"))
	entry := schema.ForResponse(schema.Of[record.HistoryEntry]().JSON)
	entry.Required = append(entry.Required, slices.Sorted(maps.Keys(entry.Properties))...)
	entries := map[string]any{"type": "array", "items": api.Component("HistoryEntry", entry)}
	d.history = api.Component("History", object(map[string]any{
		"data": entries, "pagination": api.Component("PageNumbers", transport.PageNumbers),
	}, "data", "pagination"))
	return d
}

// shown is the schema of a record in a response. All of its fields are there unless fields= asks for some; the names that expand= adds
// are there when they are asked for.
func shown(api *transport.API, t *table.Table) *huma.Schema {
	shown := schema.ForResponse(t.Schema.JSON)
	shown.Required = t.Schema.Names(func(f *schema.Field) bool { return !f.WriteOnly })
	for _, name := range t.Schema.Names(func(f *schema.Field) bool { return f.WriteOnly }) {
		delete(shown.Properties, name)
	}
	for _, name := range read.ExpansionNames(t) {
		if list, is := t.Expansions[name]; is {
			api.Component(list.Entry.Name(), schema.Shown(list.Entry).JSON)
			shown.Properties[name] = computed(&huma.Schema{Type: huma.TypeArray, Description: "With expand=" + name + ": " + list.Doc,
				Items: &huma.Schema{Ref: "#/components/schemas/" + list.Entry.Name()}})
			continue
		}
		shown.Properties[name] = computed(&huma.Schema{
			Extensions: map[string]any{"x-collection": read.ExpandedCollection(t, name)},
			Type:       huma.TypeObject, Nullable: true, Description: "With expand=" + name + ".", Required: []string{"id", "name"},
			Properties: map[string]*huma.Schema{"id": {Type: huma.TypeString, Format: "uuid"}, "name": {Type: huma.TypeString}},
		})
	}
	for _, c := range t.Columns {
		if c.Computed && !c.Stored {
			computed(shown.Properties[c.Name])
		}
	}
	return shown
}

// computed marks a field that is worked out whenever its record is read: it may differ without a new version, and is never among what
// an event says has changed.
func computed(field *huma.Schema) *huma.Schema {
	extensions := maps.Clone(field.Extensions)
	if extensions == nil {
		extensions = map[string]any{}
	}
	extensions["x-computed"] = true
	field.Extensions = extensions
	return field
}

// creatable is the schema of the body of a create. It has no read-only fields; those that are sent are ignored, so that a record can be
// sent as it was read.
func creatable(s *schema.Schema) *huma.Schema {
	body := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{}, Required: s.JSON.Required}
	for _, f := range s.Fields {
		if !f.ReadOnly {
			body.Properties[f.Name] = sent(f)
		}
	}
	return body
}

// patchable is the schema of a JSON merge patch: nothing is required and nothing has a default, because what is left out stays.
func patchable(s *schema.Schema) *huma.Schema {
	body := creatable(s)
	body.Required = nil
	for name, property := range body.Properties {
		patched := *property
		patched.Default = nil
		if patched.Type == huma.TypeObject {
			patched.Required = nil // its members are merged as well
		}
		body.Properties[name] = &patched
	}
	return body
}

// sent is the schema of a field in a body. null is taken for everything that has something to fall back to: it clears a field that may be
// empty, a list or an object, and sets any other to its default.
func sent(f *schema.Field) *huma.Schema {
	if f.Nullable || f.Default == nil && f.Kind != schema.List && f.Kind != schema.Object {
		return f.JSON
	}
	body := *f.JSON
	body.Nullable = true
	if body.Enum != nil && !slices.Contains(body.Enum, nil) {
		body.Enum = append(slices.Clone(body.Enum), nil)
	}
	return &body
}

// creatableRow is what a row of a bulk create has besides the fields of a patch: those that it must have, and references by external id.
// A reference that must be given may be given either way.
func creatableRow(c *write.Resource) map[string]any {
	references := externalReferences(c)
	properties := maps.Clone(references)
	var required []string
	for _, name := range c.Schema.JSON.Required {
		if references[strings.TrimSuffix(name, "_id")+"_external_id"] == nil {
			required = append(required, name)
			properties[name] = c.Schema.Field(name).JSON
		}
	}
	return object(properties, required...)
}

// named is what a row of a bulk patch has besides the fields of a patch: the id of its record, and references by external id.
func named(c *write.Resource) map[string]any {
	properties := maps.Clone(externalReferences(c))
	properties["id"] = map[string]any{"type": "string", "format": "uuid",
		"description": "Of the record. Left out: external_id" + orNaturalKey(c) + " names it."}
	return object(properties)
}

func orNaturalKey(c *write.Resource) string {
	if c.NaturalKey == "" {
		return ""
	}
	return ", else " + c.NaturalKey + ","
}

// externalReferences describes the names by which rows refer to records by their external ids.
func externalReferences(c *write.Resource) map[string]any {
	properties := map[string]any{}
	for _, f := range write.ReferencesByExternalID(c.Schema) {
		properties[write.ExternalName(f)] = map[string]any{"type": []string{"string", "null"},
			"description": "In place of " + f.Name + ": the external_id of that record, which may be of an earlier row."}
	}
	return properties
}

// recordKey names a record in a row.
var recordKey = map[string]any{"type": "object", "description": "Which record a row is about, by one of its keys.",
	"properties": map[string]any{
		"id":          map[string]any{"type": "string", "format": "uuid"},
		"external_id": map[string]any{"type": "string", "description": "The record's id in the system it came from."},
	}}

// extended is an object of a component, with more members.
func extended(base any, more map[string]any) map[string]any {
	return map[string]any{"allOf": []any{base, more}}
}

func object(properties map[string]any, required ...string) map[string]any {
	described := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		described["required"] = required
	}
	return described
}

// totalsOf is the schema of what totals=true adds to a page, or nil.
func totalsOf(api *transport.API, t *table.Table) any {
	if t.Totals == nil {
		return nil
	}
	sums := func() (map[string]any, []string) {
		properties, required := map[string]any{"count": map[string]any{"type": "integer", "format": "int64",
			"description": "How many records were added up."}}, []string{"count"}
		for _, sum := range t.Totals.Sums {
			properties[sum.Name] = map[string]any{"type": "number", "format": "double", "description": sum.Doc}
			required = append(required, sum.Name)
		}
		return properties, required
	}
	properties, required := sums()
	if t.Totals.Groups != nil {
		group, members := sums()
		group["key"] = map[string]any{"type": []string{"string", "null"},
			"description": "What the records of the group have in the field, as a text; null: nothing."}
		group["name"] = map[string]any{"type": []string{"string", "null"},
			"description": "Of a reference, what it is called, where the key may read it."}
		group[catalogue.LocationField] = map[string]any{"type": "string", "format": "uuid",
			"description": "Where what the group is of is at: its site, if the key may read it."}
		group[catalogue.LocationName] = map[string]any{"type": "string", "description": "What the site is called."}
		properties["groups"] = map[string]any{"type": "array",
			"description": "With group_by: those of most records, or that group_sort puts first.",
			"items":       api.Component(t.Schema.Name+"Group", object(group, append(members, "key", "name")...))}
		properties["number_of_groups"] = map[string]any{"type": "integer", "description": "With group_by: of all groups, shown or not."}
	}
	return api.Component(t.Schema.Name+"Totals", object(properties, required...))
}

// listOf is the schema of a page; one of a list with q says which words it corrected, and one with totals has them
// where they are asked for.
func listOf(api *transport.API, record any, searched bool, totals any) any {
	properties := map[string]any{"data": map[string]any{"type": "array", "items": record},
		"pagination": api.Component("Pagination", pagination)}
	if totals != nil {
		properties["totals"] = totals
	}
	if searched {
		words := map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
		properties["search"] = api.Component("SearchCorrections", object(map[string]any{
			"corrected": map[string]any{"type": "object", "additionalProperties": words,
				"description": "By each word of q that no record has, the words that were found in its place; left out where all were found."},
			"best": map[string]any{"type": "integer", "description": "Of sort=relevance: there are pages of so many records, the best, and " +
				"total is more."}}))
	}
	return object(properties, "data", "pagination")
}

var (
	anInteger  = map[string]any{"type": "integer"}
	pagination = object(map[string]any{
		"page":     map[string]any{"type": []string{"integer", "null"}, "description": "From 1; null on a page that was asked for by cursor."},
		"per_page": anInteger, "total": map[string]any{"type": "integer", "description": "Of all pages, exactly."},
		"total_pages": map[string]any{"type": "integer", "description": "That can be reached; 1 at least."},
		"next_cursor": map[string]any{"type": []string{"string", "null"},
			"description": "For the parameter cursor of the next page; null on the last."},
	}, "page", "per_page", "total", "total_pages", "next_cursor")
)

func bulkOf(row any) any {
	return object(map[string]any{"data": map[string]any{"type": "array", "minItems": 1, "maxItems": table.MaxPerPage, "items": row}}, "data")
}
