package search

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/search"
)

const (
	maxPlaceWords = 4  // of a text in which a place is looked for: each way to divide it is a query
	maxPlaces     = 50 // at which something is looked for
	maxDivisions  = 2  // of which what is there is looked for
)

// division is a text divided into the name of a place and what is there, with the places that have the name.
type division struct {
	place, thing string
	words        int // of the place
	kind         kind
	found        reference.Found
}

// findAtPlaces takes the first or the last words of a text for the name of a site or a building, and looks for the others there: "roof
// lincoln school". It gives what it looked for and what was found, or nothing.
func (s searcher) findAtPlaces(ctx context.Context, in request, shown []kind) (*round, map[string]reference.Found) {
	words := search.Fold(in.Q)
	var places []kind
	for _, k := range kinds[:2] { // sites and buildings
		if principal.From(ctx).Allows(k.Scope + ":read") {
			places = append(places, k)
		}
	}
	if in.SiteID != nil || len(words) < 2 || len(words) > maxPlaceWords || places == nil {
		return nil, nil
	}
	divisions := divide(words)
	var searching sync.WaitGroup
	for i := range divisions {
		searching.Go(func() { s.findPlaces(ctx, &divisions[i], places) })
	}
	searching.Wait()
	divisions = slices.DeleteFunc(divisions, func(d division) bool { return d.found.Count == 0 })
	slices.SortStableFunc(divisions, func(a, b division) int { return lastIf(a.found.Corrected != nil, b.found.Corrected != nil) })
	for _, d := range divisions[:min(maxDivisions, len(divisions))] {
		r := d.round(in, shown)
		found, err := s.searchOwners(ctx, r)
		if err != nil || nothing(found) {
			continue
		}
		for collection, of := range found {
			of.Exact = of.Exact && d.found.Count == len(d.found.Hits) // at more places there may be more
			found[collection] = of
		}
		return &r, found
	}
	return nil, nil
}

// divide gives the ways to divide words into a place and a thing, those with the longest name of a place first.
func divide(words []string) []division {
	var all []division
	for i := 1; i < len(words); i++ {
		first, last := strings.Join(words[:i], " "), strings.Join(words[i:], " ")
		all = append(all, division{place: last, thing: first, words: len(words) - i}, division{place: first, thing: last, words: i})
	}
	slices.SortStableFunc(all, func(a, b division) int { return cmp.Compare(b.words, a.words) })
	return all
}

// findPlaces looks for the places of a division: sites or buildings, whichever fit better.
func (s searcher) findPlaces(ctx context.Context, d *division, places []kind) {
	query := reference.SearchQuery{Text: d.place, Limit: maxPlaces, Correct: true}
	for _, k := range places {
		query.Collections = append(query.Collections, k.Name)
	}
	response, err := reference.Search.Of(places[0].Service).Call(ctx, s.owners, query)
	if err != nil {
		s.log.WarnContext(ctx, "a service did not answer a search for places", "owner", places[0].Service, "error", err)
		return
	}
	for _, k := range places {
		found := response.Collections[k.Name]
		if len(found.Hits) > 0 && (d.found.Count == 0 || matchOf(found.Hits[0]) < matchOf(d.found.Hits[0])) {
			d.kind, d.found = k, found
		}
	}
}

// round is what is looked for at the places of a division.
func (d division) round(in request, shown []kind) round {
	r := round{SearchQuery: reference.SearchQuery{Text: d.thing, Limit: in.Limit, Correct: true}}
	r.at = &At{Words: d.thing, Kind: d.kind.Singular, Name: d.place, Places: []Place{}}
	var ids []string
	for _, hit := range d.found.Hits {
		ids = append(ids, hit.ID)
		r.at.Places = append(r.at.Places, Place{ID: hit.ID, Name: &hit.Name})
	}
	for _, k := range shown {
		if d.kind.Name == "sites" && k.atSite || d.kind.Name == "buildings" && k.inBuilding {
			r.kinds = append(r.kinds, k)
		}
	}
	if r.SiteIDs = ids; d.kind.Name == "buildings" {
		r.SiteIDs, r.BuildingIDs = nil, ids
	}
	return r
}
