package main

import "context"

type listPlacesArguments struct {
	Kind       string `json:"kind" required:"true" enum:"site,building,system" api:"-"`
	Q          string `json:"q"`
	SiteID     string `json:"site_id" format:"uuid" doc:"Of buildings and systems."`
	BuildingID string `json:"building_id" format:"uuid" doc:"Of systems."`
	Sort       string `json:"sort"`
	pageArguments
}

var listPlaces = define("assets", tool{
	name: "list_places", title: "List sites, buildings or systems",
	description: "Sites, the buildings of a site, or the systems (HVAC, roof, plumbing …) of a building.",
	scopes:      []string{"sites:read", "buildings:read", "systems:read"},
	operations:  []string{"GET /v1/systems", "GET /v1/buildings", "GET /v1/sites"}, additions: []string{documentsOperation},
	output: listOf(object(node{
		"id": text, "name": text, "code": text, "status": text, "site": reference, "building": reference, "city": text,
	})),
}, func(ctx context.Context, call *toolCall, in *listPlacesArguments) (any, error) {
	switch {
	case in.Kind == "site" && (in.SiteID != "" || in.BuildingID != ""):
		return nil, problemf("site_id and building_id say which buildings or systems are meant; leave them out for sites. One site by its id " +
			"is get_summary, or the resource of its building.")
	case in.Kind == "building" && in.BuildingID != "":
		return nil, problemf("building_id says which systems are meant; for one building use get_summary.")
	}
	found, err := call.search(ctx, collectionOf(in.Kind), call.query(in), in.pageArguments)
	return call.withDocumentsOfOne(ctx, found, err)
})
