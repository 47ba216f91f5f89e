package mcp

import (
	"context"
	"net/url"
)

var pmPlans = newCollection("pm_plans", collection{
	kind: "pm_plan", label: "name", code: "code", detail: []string{"status"},
	brief:      []string{"id", "name", "code", "status", "basis", "job_plan_id", "team_id", "starts_on", "last_done_on"},
	references: []nameReference{referenceTo("job_plan", "job_plans"), referenceTo("calendar", "calendars"), referenceTo("team", "teams")},
})

var meters = newCollection("meters", collection{
	kind: "meter", label: "name", detail: []string{"unit"}, code: "external_id",
	brief: []string{"id", "name", "kind", "unit", "site_id", "building_id", "system_id", "asset_id", "segment_id", "total_usage",
		"daily_usage_90"},
	references: []nameReference{siteName, buildingName, systemName, referenceTo("asset", "assets"), referenceTo("segment", "segments")},
})

var vendors = newCollection("vendors", collection{
	kind: "vendor", label: "name", code: "code", brief: []string{"id", "name", "code"},
})

var teams = newCollection("teams", collection{
	kind: "team", label: "name", code: "code", detail: []string{"status"}, brief: []string{"id", "name", "code", "status", "lead_user_id"},
	references: []nameReference{referenceTo("lead_user", "users")},
})

type maintenanceOutlookArguments struct {
	Kind     string `json:"kind" required:"true" enum:"forecast,compliance" api:"-"`
	From     string `json:"from" required:"true" format:"date"`
	To       string `json:"to" required:"true" format:"date"`
	GroupBy  string `json:"group_by" enum:"month,plan,site,team" doc:"Of forecast."`
	Rule     string `json:"rule" enum:"due_date,one_day,grace_20,window" api:"-" doc:"Of compliance, as site_id and pm_plan_id."`
	SiteID   string `json:"site_id" format:"uuid" api:"-"`
	PMPlanID string `json:"pm_plan_id" format:"uuid" api:"-"`
}

// outlookArguments are the arguments that one kind alone has.
var outlookArguments = argumentsOf{"group_by": {"forecast"}, "rule": {"compliance"}, "site_id": {"compliance"},
	"pm_plan_id": {"compliance"}}

var maintenanceOutlook = define("work_orders", tool{
	name: "maintenance_outlook", title: "Preventive maintenance: forecast or compliance", feature: "maintenance",
	description: "Work orders, hours and cost that the plans will make; or whether the work of a period was done in time.",
	scopes:      []string{"maintenance:read"},
	operations:  []string{"GET /v1/maintenance/forecast", "GET /v1/maintenance/pm-compliance"},
	output: object(node{"data": node{"type": "array",
		"items": object(node{"key": text, "name": text, "work_orders": integer, "cost": number})},
		"pm_compliance_pct": number, "due": integer, "in_time": integer}),
}, func(ctx context.Context, call *toolCall, in *maintenanceOutlookArguments) (any, error) {
	if err := outlookArguments.check(call.tool.arguments, in, "kind", in.Kind); err != nil {
		return nil, err
	}
	path, query := "/v1/maintenance/forecast", url.Values(call.query(in))
	if in.Kind == "compliance" {
		path = "/v1/maintenance/pm-compliance"
		for name, value := range map[string]string{"rule": in.Rule, "site_id": in.SiteID, "pm_plan_id": in.PMPlanID} {
			if value != "" {
				query.Set(name, value)
			}
		}
	}
	found := record{}
	if err := call.get(ctx, path, query, &found); err != nil {
		return nil, err
	}
	return withoutEmpty(found), nil
})
