package search

import (
	"cmp"
	"net/url"
	"slices"

	"ams.internal/libs/reference"
	"ams.internal/libs/search"
)

// Result is the response to a search.
type Result struct {
	Data        []Hit               `json:"data" doc:"The best records, the best first."`
	Totals      map[string]Total    `json:"totals" doc:"How many records of each kind fit."`
	More        map[string]string   `json:"more" doc:"Of each kind of which not all are shown: the list that has them all."`
	Corrected   map[string][]string `json:"corrected" doc:"What was looked for in place of a word, in collections where nothing has it."`
	At          *At                 `json:"at" doc:"Where nothing has all words, and some are of the name of a place: what was looked for there. Null otherwise."`
	Hidden      []string            `json:"hidden" doc:"Kinds that were not searched, because the key may not read them or the plan does not include them."`
	Unavailable []string            `json:"unavailable" doc:"Kinds that were not searched, or not for typing errors, because their service did not answer in time; search again in a moment."`
}

// At says at which places the other words of a text were looked for.
type At struct {
	Words  string  `json:"words" doc:"Those that were looked for there."`
	Kind   string  `json:"kind" enum:"site,building" doc:"What the places are."`
	Name   string  `json:"name" doc:"The words of the text that are of their names."`
	Places []Place `json:"places" doc:"The best 50 of them."`
}

// Total is how many records of a kind fit.
type Total struct {
	Count int  `json:"count" minimum:"0"`
	Exact bool `json:"exact" doc:"If not, there are so many or more."`
}

// Hit is a record that was found.
type Hit struct {
	Kind   string  `json:"kind" enum:"site,building,system,project,network,los_service_area,asset,segment,deficiency,infrastructure_deficiency,work_order,request,pm_plan,meter,los_measure,vendor,team,user"`
	ID     string  `json:"id" format:"uuid"`
	Name   string  `json:"name"`
	Code   *string `json:"code" doc:"Its number, tag, code or e-mail address."`
	Detail *string `json:"detail" doc:"What tells it from others of its name."`
	Status *string `json:"status"`
	Site   *Place  `json:"site" doc:"Where it is."`

	Building *Place `json:"building" doc:"In which building."`

	Match string `json:"match" enum:"code,code_prefix,name,name_prefix,words,anywhere,similar" doc:"How it fits; similar: only after a correction."`
	URL   string `json:"url" doc:"The record's path in this API."`
}

// Place is the site or building of a record.
type Place struct {
	ID   string  `json:"id" format:"uuid"`
	Name *string `json:"name" doc:"Null if the key may not read it, or the name did not come in time."`
}

// merge puts what the owners of the kinds found into one order: by match, then what has not ended before what has, then by kind, then as
// its owner has it. query is that of the lists that have all of it.
func merge(limit int, query url.Values, shown []kind, found map[string]reference.Found) Result {
	result := Result{Data: []Hit{}, Totals: map[string]Total{}, More: map[string]string{}, Corrected: map[string][]string{},
		Unavailable: []string{}}
	all := []ranked{}
	for _, k := range shown {
		in, responded := found[k.Name]
		if !responded {
			result.Unavailable = append(result.Unavailable, k.Singular)
			continue
		}
		result.Totals[k.Singular] = Total{in.Count, in.Exact}
		for word, meant := range in.Corrected {
			for _, each := range meant {
				if !slices.Contains(result.Corrected[word], each) {
					result.Corrected[word] = append(result.Corrected[word], each)
				}
			}
		}
		for _, hit := range in.Hits {
			all = append(all, ranked{k, hit, matchOf(hit)})
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.match, b.match), lastIf(a.hit.Ended, b.hit.Ended))
	})
	shownOf := map[string]int{}
	for _, each := range all[:min(limit, len(all))] {
		result.Data = append(result.Data, each.shown())
		shownOf[each.kind.Singular]++
	}
	for _, k := range shown {
		if total, responded := result.Totals[k.Singular]; responded && (total.Count > shownOf[k.Singular] || !total.Exact) {
			result.More[k.Singular] = k.Path + "?" + query.Encode()
		}
	}
	return result
}

// ranked is a hit with its place among those of other kinds.
type ranked struct {
	kind  kind
	hit   reference.Hit
	match int // the index in search.Matches: the lower, the better
}

// matchOf takes a match that this release does not know for the last of those it knows.
func matchOf(hit reference.Hit) int {
	if i := slices.Index(search.Matches, hit.Match); i >= 0 {
		return i
	}
	return len(search.Matches) - 1
}

// lastIf is the order in which what is so comes last.
func lastIf(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func (r ranked) shown() Hit {
	shown := Hit{Kind: r.kind.Singular, ID: r.hit.ID, Name: r.hit.Name, Code: r.hit.Code, Detail: r.hit.Detail, Status: r.hit.Status,
		Match: search.Matches[r.match], URL: r.kind.Path + "/" + r.hit.ID}
	if r.hit.SiteID != nil && r.kind.atSite {
		shown.Site = &Place{ID: *r.hit.SiteID}
	}
	if r.hit.BuildingID != nil {
		shown.Building = &Place{ID: *r.hit.BuildingID}
	}
	return shown
}
