package read

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// PageParameters are those of every list.
var PageParameters = []transport.Parameter{
	{Name: "page", In: "query", Shared: true, Description: "From 1.", Schema: map[string]any{"type": "integer", "minimum": 1, "default": 1}},
	{Name: "per_page", In: "query", Shared: true, Description: "Records per page.",
		Schema: map[string]any{"type": "integer", "minimum": 1, "maximum": table.MaxPerPage, "default": defaultPerPage}},
}

// SinceParameter is of what shows changes.
var SinceParameter = transport.Parameter{Name: "since", In: "query", Shared: true, Schema: aTime,
	Description: "Changes at this time or later; a day is from its beginning where the organization is."}

var aText = map[string]any{"type": "string"}

// oneOf is the schema of a text from a list.
func oneOf(values []string) map[string]any { return map[string]any{"type": "string", "enum": values} }

// ShowParameters are those of everything that shows records.
func ShowParameters(api *transport.API, t *table.Table) []transport.Parameter {
	var fields []string
	for _, c := range t.Columns {
		fields = append(fields, c.Name)
	}
	parameters := []transport.Parameter{
		{Name: "fields", In: "query", List: true, Schema: api.Component(t.Schema.Name+"Field", oneOf(fields)), Example: []string{"id", t.Label},
			Description: "Show these fields only. Records have no others then, although the schema of the response requires them."},
	}
	if names := ExpansionNames(t); names != nil {
		parameters = append(parameters, transport.Parameter{Name: "expand", In: "query", List: true,
			Schema: api.Component(t.Schema.Name+"Expansion", oneOf(names)), Description: showing(t)})
	}
	return append(parameters, asOfParameter(t)...)
}

// showing says what expand= shows.
func showing(t *table.Table) string {
	text := "Show {id, name} of these beside their ids."
	for _, name := range slices.Sorted(maps.Keys(t.Expansions)) {
		text += " " + name + ": " + t.Expansions[name].Doc
	}
	return text
}

// ListParameters are those of the list.
func ListParameters(api *transport.API, tbl *table.Table) []transport.Parameter {
	t := list{tbl}
	sort := "- before a key is for descending. Default: created_at, id."
	var keys []string
	for _, key := range t.sortable() {
		keys = append(keys, key, "-"+key)
	}
	if len(t.Searched) > 0 {
		sort += " With q, relevance alone: the 200 best, whole codes first, then names, then what was found elsewhere."
		keys = append(keys, relevance)
	}
	parameters := append(PageParameters[:2:2], transport.Parameter{
		Name: "cursor", In: "query", Shared: true, Schema: aText,
		Description: "The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that " +
			"stays as it is. Good for a day at least, with the same filters and sort.",
	}, transport.Parameter{
		Name: "sort", In: "query", Description: sort, List: true, Schema: api.Component(t.Schema.Name+"Sort", oneOf(keys)),
		Example: []string{"-created_at"},
	})
	parameters = append(parameters, ShowParameters(api, tbl)...)
	parameters = append(parameters, transport.CSVParameter)
	parameters = append(parameters, totalsParameter(t)...)
	for _, name := range t.filterNames() {
		parameters = append(parameters, t.filterParameter(name))
	}
	return parameters
}

// shownOnly are parameters of all lists that say how records are shown, and not which.
var shownOnly = []string{"page", "per_page", "cursor", "fields", "expand", "csv"}

// FindParameters are those of the list that say which records there are, and in which order.
func FindParameters(api *transport.API, t *table.Table) []transport.Parameter {
	return slices.DeleteFunc(ListParameters(api, t), func(p transport.Parameter) bool { return slices.Contains(list{t}.shownOnly(), p.Name) })
}

// aTime is the schema of a bound of times, which may also be a day.
var aTime = map[string]any{"type": "string", "pattern": `^\d{4}-\d{2}-\d{2}`, "examples": []string{"2026-01-31T14:00:00Z", "2026-01-31"}}

func (t list) filterParameter(name string) transport.Parameter {
	p := transport.Parameter{Name: name, In: "query", Schema: aText}
	if f, ok := t.Filters[name]; ok {
		p.Schema, p.Description = FilterSchema(f), f.Doc
		return p
	}
	field, bound := t.filterColumn(name)
	switch {
	case name == "ids":
		p.Shared, p.Description, p.List, p.MaxItems = true, "Up to 1000 ids.", true, table.MaxPerPage
		p.Schema = map[string]any{"type": "string", "format": "uuid"}
	case name == "q":
		var names []string
		for _, c := range t.Searched {
			names = append(names, c.Name)
		}
		p.Description = "Up to 8 words, all of which are in " +
			strings.Join(names, ", ") + " together, without regard to accents and case; the last " +
			"one may be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. Where nothing has all " +
			"of them, words of the trade are taken for those that mean the same in English or French, and a word of 4 letters or more that no " +
			"record has for those that differ by one letter; search.corrected says so."
		p.Schema = map[string]any{"type": "string", "maxLength": 200}
	case name == "updated_since":
		p.Shared, p.Description, p.Schema = true, "Records that changed at this time or later; a day is from its beginning.", aTime
	case bound != "":
		p.Description = map[string]string{"_min": "At least.", "_max": "At most.", "_from": "On or after.", "_to": "On or before."}[bound]
		if p.Schema = valueSchema(field.Field); field.Kind == schema.Time {
			p.Schema = aTime
		}
	case field.Filter == "prefix":
		p.Description = "Begins with."
	case field.Filter == "contains":
		p.List, p.MaxItems, p.Description = true, maxLabels, fmt.Sprintf("Has one of these, of up to %d.", maxLabels)
		if field.JSON.Items.Enum != nil {
			p.Schema = map[string]any{"type": "string", "enum": field.JSON.Items.Enum}
		}
	default:
		p.List, p.MaxItems, p.Schema, p.Description = true, maxValues, valueSchema(field.Field),
			fmt.Sprintf("One of these, of up to %d.", maxValues)
		if field.Kind == schema.Time {
			p.Schema = aTime
		}
		if field.Nullable {
			p.Schema, p.Description = orNull(field.Field), p.Description+" null for none."
		}
	}
	return p
}

// valueSchema is the schema of a value of a field in the query. It has no bounds: a value that no record can have finds none.
func valueSchema(f *schema.Field) map[string]any {
	s := map[string]any{"type": f.JSON.Type}
	if f.Kind == schema.UUID || f.Kind == schema.Date {
		s["format"] = f.JSON.Format
	}
	if f.Enum != nil {
		s["enum"] = f.Enum
	}
	return s
}

// nullable are the patterns of values, of which one is null.
var nullable = map[schema.Kind]string{
	schema.Integer: `^(null|-?\d+)$`, schema.Number: `^(null|-?\d+(\.\d+)?([eE][-+]?\d+)?)$`, schema.Boolean: `^(null|true|false)$`,
	schema.UUID: `^(null|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$`, schema.Date: `^(null|\d{4}-\d{2}-\d{2})$`,
	schema.Time: `^(null|\d{4}-\d{2}-\d{2}.*)$`,
}

// orNull is valueSchema for a field that may be empty: the word null stands for that.
func orNull(f *schema.Field) map[string]any {
	s := map[string]any{"type": "string"}
	if f.Enum != nil {
		s["enum"] = append(slices.Clone(f.Enum), "null")
	} else if pattern := nullable[f.Kind]; pattern != "" {
		s["pattern"] = pattern
	}
	return s
}

// ExpandedCollection is the collection of the record that expand= shows under a name.
func ExpandedCollection(t *table.Table, name string) string { return list{t}.navigation(name).row.Name }

// ExpansionNames lists what expand= can add.
func ExpansionNames(t *table.Table) []string {
	var names []string
	for _, e := range expansionsOf(t) {
		names = append(names, e.name)
	}
	return names
}
