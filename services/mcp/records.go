package mcp

import "context"

type listRecordsArguments struct {
	Kind    string  `json:"kind" required:"true" enum:"site,building,system,network,user,team,vendor,meter,pm_plan,measure" api:"-"`
	Q       string  `json:"q"`
	Sort    string  `json:"sort"`
	Filters filters `json:"filters" api:"-"`
	pageArguments
}

var listRecords = define("context", tool{
	name: "list_records", title: "List places, people and other records",
	description: "Sites, the buildings of a site, the systems (HVAC, " +
		"roof …) of a building, networks; users and teams to assign work to, vendors; meters; plans of " +
		"preventive maintenance; measures of levels of service. filters: site_id, building_id, year_built_max, building_type, role, attainment …",
	scopes: []string{"sites:read", "buildings:read", "systems:read", "infrastructure:read", "users:read", "teams:read", "vendors:read",
		"meters:read", "maintenance:read", "los:read"},
	operations: []string{"GET /v1/sites", "GET /v1/buildings", "GET /v1/systems", "GET /v1/infrastructure/networks", "GET /v1/users",
		"GET /v1/teams", "GET /v1/vendors", "GET /v1/meters", "GET /v1/maintenance/pm-plans", "GET /v1/los/measures"},
	additions: []string{documentsOperation},
	output:    listOf(anyObject),
}, func(ctx context.Context, call *toolCall, in *listRecordsArguments) (any, error) {
	found, err := call.searchFiltered(ctx, collectionOf(in.Kind), call.query(in), filterArguments{Filters: in.Filters}, in.pageArguments)
	return call.withDocumentsOfOne(ctx, found, err)
})
