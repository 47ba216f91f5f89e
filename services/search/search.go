package search

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"ams.internal/libs/fairqueue"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/search"
	"ams.internal/libs/transport"
)

// ownerTimeout is how long the owners have for their results, and the owner of the sites for their names.
const ownerTimeout = 400 * time.Millisecond

// A search asks all owners of records at once, and burdens them all. So an instance works on few, in turn of the organizations, and on two
// of one organization at most, whoever else searches: those who only read are not to wait either.
const (
	places   = 8
	ofOne    = 2
	turnWait = 2 * time.Second // for the turn
)

// searcher asks the owners of records which of them fit.
type searcher struct {
	owners *reference.Client
	log    *slog.Logger
	turns  *fairqueue.Queue
}

func newSearcher(owners *reference.Client, log *slog.Logger) searcher {
	return searcher{owners, log, fairqueue.New(places).AtMost(ofOne)}
}

func (s searcher) mount(api *transport.API) {
	transport.Get(api, transport.Operation{
		Path: "/v1/search", ID: "search", AnyKey: true,
		ResponseName: "SearchResult", RowName: "FoundRecord", Summary: "Find records by what people call them",
		Description: "Looks for a text in names, codes, serial numbers, makers, models, places and addresses of all collections that the key " +
			"may read, and shows the best records first: those whose code is the text, then those whose code begins with it, whose name is the " +
			"text or begins with it, those that have all its words in their name, or anywhere. Of equal ones those in use come first. Accents " +
			"and capitals do not matter; all words must be there, the last one may be a beginning. Where nothing has them all, one that no record " +
			"has is replaced by those that mean the same in English or French or are at one typing error from it, and corrected says so. Where " +
			"that finds nothing either and some of the words are the name of a site or building, the others are looked for there, and at says so. " +
			"A kind that cannot be searched is named in hidden " +
			"(the key or the plan does not have it) or in unavailable (its service did not answer in time, or had no time left to look for typing " +
			"errors: search again in a moment). An organization's searches have their turns, two at once: more wait, and are refused with 429 " +
			"after two seconds.",
	}, s.search)
}

// request is the query of a search.
type request struct {
	Q      string   `query:"q" required:"true" maxLength:"200" doc:"What to look for, of at most eight words." example:"hotel de ville"`
	Kinds  []string `query:"kinds" enum:"site,building,system,project,network,los_service_area,asset,segment,deficiency,infrastructure_deficiency,work_order,request,pm_plan,meter,los_measure,vendor,team,user" doc:"Only these kinds of records; comma between several. Without it: all."`
	Limit  int      `query:"limit" default:"10" minimum:"1" maximum:"50" doc:"Records at most."`
	SiteID *string  `query:"site_id" format:"uuid" doc:"Only records that are at this site. Kinds that are at no site are left out."`
}

func (s searcher) search(ctx context.Context, in request) (Result, error) {
	if _, err := search.Parse(in.Q); err != nil {
		return Result{}, fault.InvalidFields(fault.Field{Field: "q", Message: err.Error()})
	}
	about, err := wanted(in.Kinds, in.SiteID != nil)
	if err != nil {
		return Result{}, err
	}
	shown, hidden, err := readable(principal.From(ctx), about)
	if err != nil {
		return Result{}, err
	}
	var result Result
	const busy = "Too many searches are being worked on; send this again in a second."
	err = s.turns.InTurnOnly(ctx, principal.From(ctx).OrganizationID, turnWait, busy, func() error {
		ctx, cancel := context.WithTimeout(ctx, ownerTimeout)
		defer cancel()
		searched, found, err := s.find(ctx, in, shown)
		if err != nil {
			return err
		}
		result = merge(in.Limit, searched.list(), searched.kinds, found)
		result.Hidden, result.At = hidden, searched.at
		s.namePlaces(ctx, result.Data)
		return nil
	})
	return result, err
}

// round is what the owners of some kinds are asked.
type round struct {
	reference.SearchQuery
	kinds []kind
	at    *At // where it is looked for, if the places follow from the text
}

// list is the query of a list that has all of what is looked for.
func (r round) list() url.Values {
	query := url.Values{"q": {r.Text}}
	if r.SiteID != nil {
		query.Set("site_id", *r.SiteID)
	}
	for filter, ids := range map[string][]string{"site_id": r.SiteIDs, "building_id": r.BuildingIDs} {
		if len(ids) > 0 {
			query.Set(filter, strings.Join(ids, ","))
		}
	}
	return query
}

// find gives what the owners found, by collection, and what it was that they found. Where nothing fits, the words may be another
// language's, or typed wrong; that takes longer, and is looked for only where half of the time is left. Where nothing fits then either,
// some of the words may be a place's. What was not looked for is not in it, as what did not come.
func (s searcher) find(ctx context.Context, in request, shown []kind) (round, map[string]reference.Found, error) {
	began := time.Now()
	first := round{reference.SearchQuery{Text: in.Q, Limit: in.Limit, SiteID: in.SiteID}, shown, nil}
	found, err := s.searchOwners(ctx, first)
	if err != nil || !nothing(found) {
		return first, found, err
	}
	if time.Since(began) > ownerTimeout/2 {
		return first, nil, nil
	}
	second := first
	second.Correct = true
	second.kinds = slices.DeleteFunc(slices.Clone(shown), func(k kind) bool { _, came := found[k.Name]; return !came })
	if found, err = s.searchOwners(ctx, second); ctx.Err() != nil { // the owners are there, and took too long
		err = nil
	}
	second.kinds = shown // those that did not come are said to be unavailable
	if err == nil && nothing(found) && time.Since(began) <= ownerTimeout/2 {
		if placed, foundAtPlaces := s.findAtPlaces(ctx, in, shown); placed != nil {
			return *placed, foundAtPlaces, nil
		}
	}
	return second, found, err
}

// nothing says whether no collection has a record that fits.
func nothing(found map[string]reference.Found) bool {
	for _, in := range found {
		if in.Count > 0 {
			return false
		}
	}
	return true
}

// searchOwners calls each owner of the kinds once, all at the same time. It gives the results by collection, without those whose owner did
// not respond. It fails where no owner responded.
func (s searcher) searchOwners(ctx context.Context, r round) (map[string]reference.Found, error) {
	queries := map[string]*reference.SearchQuery{}
	for _, k := range r.kinds {
		query := queries[k.Service]
		if query == nil {
			of := r.SearchQuery
			query = &of
			queries[k.Service] = query
		}
		query.Collections = append(query.Collections, k.Name)
	}
	var mu sync.Mutex
	var calls sync.WaitGroup
	found, responded, problems := map[string]reference.Found{}, false, []error(nil)
	for service, query := range queries {
		calls.Go(func() {
			response, err := reference.Search.Of(service).Call(ctx, s.owners, *query)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				problems = append(problems, err)
				if ctx.Err() == nil { // a caller who went away waits for none
					s.log.WarnContext(ctx, "a service did not answer a search", "owner", service, "error", err)
				}
				return
			}
			responded = true
			for _, collection := range query.Collections {
				if in, has := response.Collections[collection]; has {
					found[collection] = in
				}
			}
		})
	}
	calls.Wait()
	if responded {
		return found, nil
	}
	for _, problem := range problems {
		if e := fault.From(problem); e.Kind == fault.KindRateLimited {
			return nil, e
		}
	}
	return nil, fault.Unavailable("search_unavailable", "None of the services that have these records answers; try again in a moment.").
		WithCause(errors.Join(problems...))
}

// namePlaces gives the sites and buildings of hits their names. Those that the caller may not read, or that do not
// come in time, stay without.
func (s searcher) namePlaces(ctx context.Context, hits []Hit) {
	var lookups sync.WaitGroup
	for _, each := range []struct {
		kind kind
		of   func(Hit) *Place
	}{{kinds[0], func(hit Hit) *Place { return hit.Site }}, {kinds[1], func(hit Hit) *Place { return hit.Building }}} {
		lookups.Go(func() { s.name(ctx, each.kind, hits, each.of) })
	}
	lookups.Wait()
}

// name gives the places of one kind their names.
func (s searcher) name(ctx context.Context, k kind, hits []Hit, of func(Hit) *Place) {
	var ids []string
	for _, hit := range hits {
		if place := of(hit); place != nil && !slices.Contains(ids, place.ID) {
			ids = append(ids, place.ID)
		}
	}
	if ids == nil || !principal.From(ctx).Allows(k.Scope+":read") {
		return
	}
	entries, err := s.owners.Find(ctx, k.Name, reference.Query{IDs: ids})
	if err != nil {
		s.log.WarnContext(ctx, "the places of what was found have no names", "collection", k.Name, "error", err)
		return
	}
	for _, entry := range entries {
		for _, hit := range hits {
			if place := of(hit); place != nil && place.ID == entry.ID {
				place.Name = &entry.Name
			}
		}
	}
}
