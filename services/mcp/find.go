package mcp

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

type findArguments struct {
	Text  string   `json:"text" required:"true" maxLength:"200" api:"q" doc:"Words of a name, number, tag, code, e-mail or address; the last may be cut short."`
	Kinds []string `json:"kinds" enum:"site,building,system,asset,work_order,user,network,segment,project,service_area,measure,deficiency,infrastructure_deficiency,request,pm_plan,meter,vendor,team" uniqueItems:"true" api:"-" doc:"Only these; all if left out."`
	Limit *int     `json:"limit" minimum:"1" maximum:"25" api:"limit" doc:"Of each kind; 5 if left out. 50 of all at most."`
}

// maxFound is how many records one search of the API gives.
const maxFound = 50

// find returns the ids of records by name, because people use names.
var find = define("context", tool{
	name: "find", title: "Find by name",
	description: "Turns what people call things into ids, across all collections at once. Use it before any tool that takes an id.",
	operations:  []string{"GET /v1/search"},
	output: object(node{
		"data": node{"type": "array", "items": object(node{"kind": text, "id": text, "name": text, "code": text, "place": text, "detail": text})},
		"more": text,
	}),
}, func(ctx context.Context, call *toolCall, in *findArguments) (any, error) {
	limit, kinds := 5, len(in.Kinds)
	if in.Limit != nil {
		limit = *in.Limit
	}
	if kinds == 0 {
		kinds = len(collections)
	}
	query := url.Values{"q": {in.Text}, "limit": {strconv.Itoa(min(kinds*limit, maxFound))}}
	if len(in.Kinds) > 0 {
		var names []string
		for _, kind := range in.Kinds {
			names = append(names, collectionOf(kind).singular)
		}
		query.Set("kinds", strings.Join(names, ","))
	}
	var found apiFound
	if err := call.get(ctx, "/v1/search", query, &found); err != nil {
		return nil, err
	}
	return found.result(in.Text, limit), nil
})

// apiFound is the API's response to a search. Its kinds are the singulars of the catalogue.
type apiFound struct {
	Data   []record `json:"data"`
	Totals map[string]struct {
		Count int  `json:"count"`
		Exact bool `json:"exact"`
	} `json:"totals"`
	Corrected   map[string][]string `json:"corrected"`
	At          *placeReading       `json:"at"`
	Hidden      []string            `json:"hidden"`
	Unavailable []string            `json:"unavailable"`
}

// result lists what was found, the best first, so many of each kind at most. Whatever is not shown, and why, it says in words.
func (f apiFound) result(text string, limit int) record {
	rows, shown := []record{}, map[string]int{}
	for _, hit := range f.Data {
		singular := textOf(hit, "kind")
		if shown[singular] == limit {
			continue
		}
		shown[singular]++
		rows = append(rows, withoutEmpty(record{"kind": kindOf(singular), "id": hit["id"], "name": hit["name"], "code": hit["code"],
			"place": placeOf(hit), "detail": hit["detail"]}))
	}
	var more []string
	for _, c := range collections {
		total := f.Totals[c.singular]
		if rest := total.Count - shown[c.singular]; rest > 0 && total.Exact {
			more = append(more, fmt.Sprintf("%d more %ss", rest, strings.ReplaceAll(c.kind, "_", " ")))
		} else if rest > 0 {
			more = append(more, fmt.Sprintf("at least %d more %ss", rest, strings.ReplaceAll(c.kind, "_", " ")))
		}
	}
	var notes []string
	if more != nil {
		notes = append(notes, "Not shown: "+strings.Join(more, ", ")+". Give a longer text, fewer kinds, or a higher limit.")
	}
	for _, typed := range slices.Sorted(maps.Keys(f.Corrected)) {
		notes = append(notes, fmt.Sprintf("Where nothing has %q, it was taken for %s.", typed, strings.Join(f.Corrected[typed], ", ")))
	}
	if f.At != nil && len(rows) > 0 {
		notes = append(notes, f.At.note())
	}
	if len(rows) == 0 {
		notes = append(notes, fmt.Sprintf("Nothing has %q in its name, number, code or address. Try one distinctive word of it, another "+
			"spelling, or the word of the other language (English, French).", text))
	}
	if len(f.Hidden) > 0 {
		notes = append(notes, "Not searched, because this connection may not read them: "+kindsOf(f.Hidden)+".")
	}
	if len(f.Unavailable) > 0 {
		notes = append(notes, "Not searched, because their services do not answer right now: "+kindsOf(f.Unavailable)+". Call again in a moment.")
	}
	result := record{"data": rows}
	if notes != nil {
		result["more"] = strings.Join(notes, " ")
	}
	return result
}

// placeOf is where a record is: its building and its site, as far as the caller may read them.
func placeOf(hit record) any {
	var names []string
	for _, member := range []string{"building", "site"} {
		if place, is := hit[member].(map[string]any); is && textOf(place, "name") != "" {
			names = append(names, textOf(place, "name"))
		}
	}
	if names == nil {
		return nil
	}
	return strings.Join(names, ", ")
}

// kindOf gives what the tools call a kind of the API.
func kindOf(singular string) string {
	for _, c := range collections {
		if c.singular == singular {
			return c.kind
		}
	}
	return singular
}

func kindsOf(singulars []string) string {
	var names []string
	for _, singular := range singulars {
		names = append(names, kindOf(singular))
	}
	return strings.Join(names, ", ")
}

// searchText reads the first records of a collection that a text finds.
func (r *restClient) searchText(ctx context.Context, c *collection, text string, limit int) (apiList, error) {
	query := url.Values{
		"q": {text}, "per_page": {strconv.Itoa(limit)}, "fields": {strings.Join(append([]string{"id", c.label, c.code}, c.detail...), ",")},
	}
	var found apiList
	err := r.get(ctx, c.path, query, &found)
	return found, err
}
