package main

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
)

type findArguments struct {
	Text  string   `json:"text" required:"true" maxLength:"200" api:"q" doc:"Part of a name, number, tag, code, e-mail or street address. One distinctive word finds more than a sentence."`
	Kinds []string `json:"kinds" enum:"site,building,system,asset,work_order,user,network,segment,project,service_area,measure" uniqueItems:"true" api:"-" doc:"Only these; all if left out."`
	Limit *int     `json:"limit" minimum:"1" maximum:"25" api:"per_page" doc:"Of each kind; 5 if left out."`
}

// find returns the ids of records by name, because people use names.
var find = define(tool{
	name: "find", title: "Find by name",
	description: "Turns what people call things into ids, across all collections at once. Use it before any tool that takes an id.",
	operations: []string{"GET /v1/sites", "GET /v1/buildings", "GET /v1/systems", "GET /v1/assets", "GET /v1/work-orders", "GET /v1/users",
		"GET /v1/infrastructure/networks", "GET /v1/infrastructure/segments", "GET /v1/projects",
		"GET /v1/los/service-areas", "GET /v1/los/measures"},
	output: object(node{
		"data": node{"type": "array", "items": object(node{"kind": text, "id": text, "name": text, "code": text, "detail": text})},
		"more": text,
	}),
}, func(ctx context.Context, call *toolCall, in *findArguments) (any, error) {
	wanted, hidden := call.searchable(in.Kinds)
	if len(wanted) == 0 {
		return nil, problemf("The API key of this connection may read none of what you look for: %s. Do not retry; tell the user.",
			strings.Join(hidden, ", "))
	}
	limit := 5
	if in.Limit != nil {
		limit = *in.Limit
	}
	found := make([]apiList, len(wanted))
	group, groupCtx := errgroup.WithContext(ctx)
	for i, c := range wanted {
		group.Go(func() error {
			var err error
			found[i], err = call.searchText(groupCtx, c, in.Text, limit)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return findResult(wanted, found, hidden, in.Text), nil
})

// searchable returns the collections to search, and the kinds that the caller may not read.
func (call *toolCall) searchable(kinds []string) (wanted []*collection, hidden []string) {
	named := map[string]bool{}
	for _, kind := range kinds {
		named[kind] = true
	}
	for _, c := range collections {
		switch {
		case len(kinds) > 0 && !named[c.kind]:
		case c.readable(call.caller):
			wanted = append(wanted, c)
		default:
			hidden = append(hidden, c.kind)
		}
	}
	return wanted, hidden
}

// searchText reads the first records of a collection that contain a text.
func (r *restClient) searchText(ctx context.Context, c *collection, text string, limit int) (apiList, error) {
	query := url.Values{
		"q": {text}, "per_page": {strconv.Itoa(limit)}, "fields": {strings.Join(append([]string{"id", c.label, c.code}, c.detail...), ",")},
	}
	var found apiList
	err := r.get(ctx, c.path, query, &found)
	return found, err
}

// findResult lists the records that were found, in the order of the collections.
func findResult(wanted []*collection, found []apiList, hidden []string, text string) record {
	rows := []record{}
	var more []string
	for i, c := range wanted {
		for _, r := range found[i].Data {
			hit := record{"kind": c.kind, "id": r["id"], "name": r[c.label], "code": r[c.code]}
			var details []string
			for _, field := range c.detail {
				if r[field] != nil {
					details = append(details, fmt.Sprint(r[field]))
				}
			}
			if details != nil {
				hit["detail"] = strings.Join(details, ", ")
			}
			rows = append(rows, withoutEmpty(hit))
		}
		if rest := found[i].Pagination.Total - len(found[i].Data); rest > 0 {
			more = append(more, fmt.Sprintf("%d more %ss", rest, strings.ReplaceAll(c.kind, "_", " ")))
		}
	}
	result := record{"data": rows}
	var notes []string
	if more != nil {
		notes = append(notes, "Not shown: "+strings.Join(more, ", ")+". Give a longer text, fewer kinds, or a higher limit.")
	}
	if len(rows) == 0 {
		notes = append(notes, fmt.Sprintf("Nothing has %q in its name, number, code or address. Try one distinctive word of it, without "+
			"accents left out, or another spelling.", text))
	}
	if hidden != nil {
		notes = append(notes, "Not searched, because this connection may not read them: "+strings.Join(hidden, ", ")+".")
	}
	if notes != nil {
		result["more"] = strings.Join(notes, " ")
	}
	return result
}
