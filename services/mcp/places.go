package main

import "context"

type listPlacesArguments struct {
	Kind       string `json:"kind" required:"true" enum:"site,building,system" api:"-"`
	Q          string `json:"q" doc:"Words of name, code, address or city."`
	SiteID     string `json:"site_id" format:"uuid" doc:"Of buildings and systems."`
	BuildingID string `json:"building_id" format:"uuid" doc:"Of systems."`
	Sort       string `json:"sort" doc:"Field, - before it for descending."`
	pageArguments
}

var listPlaces = define(tool{
	name: "list_places", title: "List sites, buildings or systems",
	description: "Sites, the buildings of a site, or the systems (HVAC, roof, plumbing …) of a building.",
	scopes:      []string{"sites:read", "buildings:read", "systems:read"},
	operations:  []string{"GET /v1/systems", "GET /v1/buildings", "GET /v1/sites"},
	output: listOf(object(node{
		"id": text, "name": text, "code": text, "status": text, "site": reference, "building": reference, "city": text, "address_line1": text,
	})),
}, func(ctx context.Context, call *toolCall, in *listPlacesArguments) (any, error) {
	switch {
	case in.Kind == "site" && (in.SiteID != "" || in.BuildingID != ""):
		return nil, problemf("site_id and building_id say which buildings or systems are meant; leave them out for sites. One site by its id " +
			"is get_summary, or the resource of its building.")
	case in.Kind == "building" && in.BuildingID != "":
		return nil, problemf("building_id says which systems are meant; for one building use get_summary.")
	}
	return call.search(ctx, collectionOf(in.Kind), call.query(in), in.pageArguments)
})

type getSummaryArguments struct {
	Kind         string `json:"kind" required:"true" enum:"site,building,system,network" api:"-"`
	ID           string `json:"id" required:"true" format:"uuid" api:"-"`
	AsOf         string `json:"as_of" format:"date"`
	HorizonYears *int   `json:"horizon_years" minimum:"0" maximum:"50" doc:"Renewals due within; 0 if left out. FCI is meaningful only with its horizon."`
}

var getSummary = define(tool{
	name: "get_summary", title: "Summarize a place or network",
	description: "Counts, replacement cost, deferred maintenance, need, FCI, condition, age, open work orders and data quality of a site, " +
		"building, system or network.",
	scopes: []string{"sites:read", "buildings:read", "systems:read", "infrastructure:read"},
	operations: []string{"GET /v1/sites/{id}/summary", "GET /v1/buildings/{id}/summary", "GET /v1/systems/{id}/summary",
		"GET /v1/infrastructure/networks/{id}/summary"},
	output: summarySchema.with(node{"id": text, "name": text, "as_of": text, "horizon_years": integer, "open_work_orders": integer,
		"overdue_work_orders": integer}),
}, func(ctx context.Context, call *toolCall, in *getSummaryArguments) (any, error) {
	var summary record
	if err := call.get(ctx, collectionOf(in.Kind).path+"/"+in.ID+"/summary", call.query(in), &summary); err != nil {
		return nil, err
	}
	return withoutEmpty(summary), nil
})

// summarySchema describes the indicators that summaries and reports have in common.
var summarySchema = object(node{
	"currency": text, "counts": anyObject, "replacement_cost": number, "deferred_maintenance_cost": number, "need": number,
	"fci_pct": number, "fci_grade": text,
	"average_condition_rating": number, "average_age_years": number, "condition_distribution": anyObject,
	"past_useful_life": anyObject, "data_quality": anyObject,
})

type stateOfAssetsArguments struct {
	GroupBy      string `json:"group_by" enum:"site,site_type,ward,building,building_type,category,uniformat_group,condition_grade" doc:"site if left out."`
	AsOf         string `json:"as_of" format:"date"`
	HorizonYears *int   `json:"horizon_years" minimum:"0" maximum:"50"`
	Limit        *int   `json:"limit" minimum:"1" maximum:"100" api:"per_page"`
	Page         *int   `json:"page" minimum:"1" maximum:"1000000"`
}

var stateOfAssets = define(tool{
	name: "state_of_assets", title: "State of the assets",
	description: "The figures of get_summary across the whole organization, in groups and in total.",
	scopes:      []string{"assets:read"}, operations: []string{"GET /v1/reports/state-of-assets"},
	output: listOf(object(node{"id": text, "key": text, "name": text, "replacement_cost": number, "need": number,
		"fci_pct": number, "fci_grade": text})).
		with(node{"group_by": text, "sum": anyObject}),
}, func(ctx context.Context, call *toolCall, in *stateOfAssetsArguments) (any, error) {
	return call.report(ctx, "/v1/reports/state-of-assets", in, pageArguments{Limit: in.Limit, Page: in.Page})
})
