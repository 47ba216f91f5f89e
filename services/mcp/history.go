package mcp

import "context"

type getHistoryArguments struct {
	Kind  string `json:"kind" required:"true" enum:"site,building,system,asset,work_order,user,network,segment,project,service_area,measure,deficiency,infrastructure_deficiency,request,pm_plan,meter,vendor,team" api:"-"`
	ID    string `json:"id" required:"true" format:"uuid" api:"-"`
	Since string `json:"since" format:"date" doc:"From this day on; all if left out."`
	Limit *int   `json:"limit" minimum:"1" maximum:"100" api:"per_page"`
	Page  *int   `json:"page" minimum:"1" maximum:"1000000"`
}

var getHistory = define("context", tool{
	name: "get_history", title: "History of a record",
	description: "Every change of a record, oldest first: when, by whom, old and new values. Also of deleted records.",
	scopes: []string{"sites:read", "buildings:read", "systems:read", "assets:read", "work_orders:read", "users:read",
		"infrastructure:read", "projects:read", "los:read", "deficiencies:read", "requests:read", "maintenance:read", "meters:read",
		"vendors:read", "teams:read"},
	operations: []string{"GET /v1/sites/{id}/history", "GET /v1/buildings/{id}/history", "GET /v1/systems/{id}/history",
		"GET /v1/assets/{id}/history",
		"GET /v1/work-orders/{id}/history", "GET /v1/users/{id}/history", "GET /v1/infrastructure/networks/{id}/history",
		"GET /v1/infrastructure/segments/{id}/history",
		"GET /v1/projects/{id}/history", "GET /v1/los/service-areas/{id}/history", "GET /v1/los/measures/{id}/history",
		"GET /v1/deficiencies/{id}/history", "GET /v1/infrastructure/deficiencies/{id}/history", "GET /v1/requests/{id}/history",
		"GET /v1/maintenance/pm-plans/{id}/history", "GET /v1/meters/{id}/history", "GET /v1/vendors/{id}/history", "GET /v1/teams/{id}/history"},
	output: pageOf(object(node{"action": text, "at": text, "version": integer, "actor": anyObject,
		"changes": anyObject})),
}, func(ctx context.Context, call *toolCall, in *getHistoryArguments) (any, error) {
	return call.list(ctx, collectionOf(in.Kind).path+"/"+in.ID+"/history", call.query(in), pageArguments{Limit: in.Limit, Page: in.Page},
		func(r record) record {
			delete(r, "id")
			delete(r, "record_id")
			delete(r, "request_id")
			return withoutEmpty(r)
		})
})
