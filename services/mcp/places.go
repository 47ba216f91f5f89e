package mcp

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// placeReading is how the API read a text of which nothing has all words: some are the name of places, and the others were looked for
// there.
type placeReading struct {
	Words  string `json:"words"`
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Places []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"places"`
}

// note is that for an assistant.
func (a placeReading) note() string {
	var names []string
	for _, place := range a.Places {
		names = append(names, place.Name)
	}
	return fmt.Sprintf("Nothing has all words; this has %q at the %ss that are called %q: %s.", a.Words, a.Kind, a.Name, few(names, 200))
}

// atPlaces gives, for a search by words that found nothing, the query of what some of the words find at the places that the others name,
// and what it did. There is none where the words name no place, or the records are at none.
func (call *toolCall) atPlaces(ctx context.Context, c *collection, query url.Values) (at url.Values, note string) {
	filters := knownOf[c.kind].Filters
	if len(strings.Fields(query.Get("q"))) < 2 || query.Has("site_id") || query.Has("building_id") || !slices.Contains(filters, "site_id") {
		return nil, ""
	}
	var found apiFound
	if err := call.get(ctx, "/v1/search", url.Values{"q": {query.Get("q")}, "kinds": {c.singular}, "limit": {"1"}}, &found); err != nil ||
		found.At == nil {
		return nil, "" // what was asked for has its answer: nothing
	}
	filter := found.At.Kind + "_id"
	if !slices.Contains(filters, filter) {
		return nil, ""
	}
	var ids []string
	for _, place := range found.At.Places {
		ids = append(ids, place.ID)
	}
	at = maps.Clone(query)
	at.Set("q", found.At.Words)
	at.Set(filter, strings.Join(ids, ","))
	return at, found.At.note()
}

// otherWords says what else to try where words found nothing.
func otherWords(q string) string {
	switch words := len(strings.Fields(q)); {
	case words == 0:
		return ""
	case words > 1:
		return fmt.Sprintf("Nothing has all words of %q. Try one, the other language's word, or find for a place's id with q for the rest.",
			shorten(q, 60))
	}
	return fmt.Sprintf("Nothing has %q. Try another word for it, in English or French.", shorten(q, 60))
}
