package mcp

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ams.internal/libs/search"
)

// maxCompletions is the number of values that one completion returns.
const maxCompletions = 20

// complete returns completions of an argument: names of records for prompts; for resources the code, or the id where there is none, with
// the name, because an id says nothing to who chooses.
func (s *server) complete(ctx context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	of, field := completionTarget(r.Params)
	result := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	typed := strings.TrimSpace(r.Params.Argument.Value)
	if of == nil || typed == "" || !of.readable(callerFrom(ctx)) {
		return result, nil
	}
	text, letter := lastLetter(shorten(typed, 200))
	found, err := s.rest.searchText(ctx, of, text, maxCompletions)
	if err != nil { // a failed completion must not interrupt the person who types
		s.logFailure(ctx, "completion", err)
		return result, nil
	}
	for _, row := range found.Data {
		value := textOf(row, of.label)
		if field == "id" {
			value = cmp.Or(textOf(row, of.code), textOf(row, "id")) + named + value
		}
		if value != "" && hasWordWith(letter, textOf(row, of.label)) {
			result.Completion.Values = append(result.Completion.Values, value)
		}
	}
	if letter == "" {
		result.Completion.Total = found.Pagination.Total
	}
	result.Completion.HasMore = found.Pagination.Total > len(found.Data)
	return result, nil
}

// lastLetter parts a last word of one letter from the words before it: the API takes it for a whole word, and who types is not done yet.
func lastLetter(typed string) (text, letter string) {
	words := search.Fold(typed)
	last := len(words) - 1
	if last < 1 || utf8.RuneCountInString(words[last]) > 1 {
		return typed, ""
	}
	return strings.Join(words[:last], " "), words[last]
}

// hasWordWith says whether a word of a name begins with a letter; "" is none, with which every name has one.
func hasWordWith(letter, name string) bool {
	return letter == "" || slices.ContainsFunc(search.Fold(name), func(word string) bool { return strings.HasPrefix(word, letter) })
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
