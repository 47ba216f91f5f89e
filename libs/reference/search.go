package reference

// SearchQuery asks the owner of some collections which of their records fit a text.
type SearchQuery struct {
	Text        string   `json:"text" required:"true" maxLength:"200" doc:"As it was typed; the owner reads it with libs/search."`
	Collections []string `json:"collections" required:"true" maxItems:"20" doc:"Of the owner's own, by their names in the catalogue."`
	Limit       int      `json:"limit" required:"true" minimum:"1" maximum:"50" doc:"Hits of each collection at most."`
	Correct     bool     `json:"correct" doc:"Words that no record of a collection has are taken for those at one typing error from them."`
	SiteID      *string  `json:"site_id" format:"uuid" doc:"Only records that are there, as the list's filter site_id has them."`

	// Only records that are at one of these. They are left out where there are none: owners of the last release do not know them.
	SiteIDs     []string `json:"site_ids,omitempty" format:"uuid" maxItems:"50"`
	BuildingIDs []string `json:"building_ids,omitempty" format:"uuid" maxItems:"50"`
}

// SearchResponse has an entry for each collection of a query.
type SearchResponse struct {
	Collections map[string]Found `json:"collections"`
}

// Found is what was found in one collection.
type Found struct {
	Count     int                 `json:"count" doc:"Records that fit."`
	Exact     bool                `json:"exact" doc:"Without it there are count or more."`
	Corrected map[string][]string `json:"corrected" doc:"What was looked for instead, by the word that nothing had."`
	Hits      []Hit               `json:"hits" doc:"The best first."`
}

// Hit is a record that fits.
type Hit struct {
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Code   *string `json:"code" doc:"Its number, tag or code."`
	Detail *string `json:"detail" doc:"What tells it from others of its name."`
	Status *string `json:"status"`
	SiteID *string `json:"site_id"`

	BuildingID *string `json:"building_id"`

	Match string `json:"match" doc:"How it fits, as libs/search.Matches has it."`
	Ended bool   `json:"ended" doc:"It is no longer in use, or no longer worked on."`
}

// Search is which records of a service's collections fit a text, for the caller's organization: one call for all of them. Whether the
// caller may read the collections is checked by whoever calls.
var Search = Contract[SearchQuery, SearchResponse]{Path: "/search", Repeatable: true}
