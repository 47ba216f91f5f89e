package main

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxCompletions is the number of values that one completion returns.
const maxCompletions = 20

// complete returns completions of an argument: names of records for prompts, ids for resources.
func (s *server) complete(ctx context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	of, field := completionTarget(r.Params)
	result := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	typed := strings.TrimSpace(r.Params.Argument.Value)
	if of == nil || typed == "" || !of.readable(callerFrom(ctx)) {
		return result, nil
	}
	found, err := s.rest.searchText(ctx, of, shorten(typed, 200), maxCompletions)
	if err != nil { // a failed completion must not interrupt the person who types
		s.logFailure(ctx, "completion", err)
		return result, nil
	}
	if field == "" {
		field = of.label
	}
	for _, row := range found.Data {
		if value := textOf(row, field); value != "" {
			result.Completion.Values = append(result.Completion.Values, value)
		}
	}
	result.Completion.Total = found.Pagination.Total
	result.Completion.HasMore = found.Pagination.Total > len(result.Completion.Values)
	return result, nil
}

// completionTarget returns the collection whose records complete an argument, and the field. An empty field means the
// name.
func completionTarget(p *mcp.CompleteParams) (*collection, string) {
	switch p.Ref.Type {
	case "ref/prompt":
		for _, each := range prompts {
			for _, a := range each.arguments {
				if each.name == p.Ref.Name && a.name == p.Argument.Name {
					return a.completes, ""
				}
			}
		}
	case "ref/resource":
		for _, each := range resourceTemplates {
			if p.Ref.URI == each.scheme+"://{id}" && p.Argument.Name == "id" {
				return each.collection, "id"
			}
		}
	}
	return nil, ""
}
