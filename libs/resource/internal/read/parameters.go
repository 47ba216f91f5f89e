package read

import (
	"fmt"
	"strings"

	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/transport"
)

// PageParameters are those of every list.
var PageParameters = []transport.Parameter{
	{Name: "page", In: "query", Description: "From 1.", Schema: map[string]any{"type": "integer", "minimum": 1, "default": 1}},
	{Name: "per_page", In: "query", Description: "Records per page.",
		Schema: map[string]any{"type": "integer", "minimum": 1, "maximum": table.MaxPerPage, "default": defaultPerPage}},
}

// ShowParameters are those of everything that shows records.
func ShowParameters(t *table.Table) []transport.Parameter {
	var names []string
	for _, e := range expansionsOf(t) {
		names = append(names, e.name)
	}
	parameters := []transport.Parameter{
		{Name: "fields", In: "query", Schema: map[string]any{"type": "string"}, Example: "id," + t.Label,
			Description: "Show these fields only, comma between them."},
	}
	if names != nil {
		parameters = append(parameters, transport.Parameter{Name: "expand", In: "query", Schema: map[string]any{"type": "string"},
			Description: "Show {id, name} beside the ids of: " + strings.Join(names, ", ") + "."})
	}
	return parameters
}

// ListParameters are those of the list.
func ListParameters(tbl *table.Table) []transport.Parameter {
	t := list{tbl}
	sort := "Comma between keys, - before a key for descending: " + strings.Join(t.sortable(), ", ") + ". Default: created_at, id."
	if len(t.Searched) > 0 {
		sort += " With q, relevance alone: the 200 best, whole codes first, then names, then what was found elsewhere."
	}
	parameters := append(PageParameters[:2:2], transport.Parameter{
		Name: "cursor", In: "query", Schema: map[string]any{"type": "string"},
		Description: "The next_cursor of the page before, in place of page: costs the same at any depth, and repeats and loses no record that " +
			"stays as it is. Good for 24 hours, with the same filters and sort.",
	}, transport.Parameter{
		Name: "sort", In: "query", Description: sort,
		Schema: map[string]any{"type": "string"}, Example: "-created_at",
	})
	parameters = append(parameters, ShowParameters(tbl)...)
	parameters = append(parameters, transport.Parameter{
		Name: "csv", In: "query", Schema: map[string]any{"type": "string", "enum": []string{"excel"}},
		Description: "With Accept: text/csv, a file that Excel opens: byte order mark, CRLF, " +
			"an apostrophe before texts that would be formulas; with Accept-Language: fr, semicolons and decimal commas.",
	})
	for _, name := range t.filterNames() {
		parameters = append(parameters, t.filterParameter(name))
	}
	return parameters
}

func (t list) filterParameter(name string) transport.Parameter {
	p := transport.Parameter{Name: name, In: "query", Schema: map[string]any{"type": "string"}}
	if f, ok := t.Filters[name]; ok {
		p.Schema, p.Description = FilterSchema(f), f.Doc
		return p
	}
	field, bound := t.filterColumn(name)
	switch {
	case name == "ids":
		p.Description = "Up to 1000 ids, comma between them."
	case name == "q":
		var names []string
		for _, c := range t.Searched {
			names = append(names, c.Name)
		}
		p.Description = "Up to 8 words, all of which are in " + strings.Join(names, ", ") + " together, without regard to accents and case; the last " +
			"one may be the beginning of a word. A code is found by the whole, its beginning, its parts and its number. A word of 4 letters or more that " +
			"no record has is taken for those that differ by one letter; search.corrected says so."
		p.Schema = map[string]any{"type": "string", "maxLength": 200}
	case name == "updated_since":
		p.Description, p.Schema = "Records that changed at this time or later.", map[string]any{"type": "string", "format": "date-time"}
	case bound != "":
		p.Description = map[string]string{"_min": "At least.", "_max": "At most.", "_from": "On or after.", "_to": "On or before."}[bound]
		p.Schema = map[string]any{"type": field.JSON.Type}
	case field.Filter == "prefix":
		p.Description = "Begins with."
	case field.Filter == "contains":
		p.Description = fmt.Sprintf("Has one of these; comma between up to %d values.", maxLabels)
	default:
		p.Description = fmt.Sprintf("Exactly; comma between up to %d values.", maxValues)
		if field.Nullable {
			p.Description += " null for none."
		}
	}
	return p
}

// ExpansionNames lists what expand= can add.
func ExpansionNames(t *table.Table) []string {
	var names []string
	for _, e := range expansionsOf(t) {
		names = append(names, e.name)
	}
	return names
}
