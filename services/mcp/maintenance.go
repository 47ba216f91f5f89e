package main

import (
	"context"
	"net/url"
)

type maintenanceOutlookArguments struct {
	Kind    string `json:"kind" required:"true" enum:"forecast,compliance" api:"-"`
	From    string `json:"from" required:"true" format:"date"`
	To      string `json:"to" required:"true" format:"date"`
	GroupBy string `json:"group_by" enum:"month,plan,site,team"`
	Rule    string `json:"rule" enum:"due_date,one_day,grace_20,window" api:"-"`
}

var maintenanceOutlook = define(tool{
	name: "maintenance_outlook", title: "Preventive maintenance: forecast or compliance", feature: "maintenance",
	description: "Work orders, hours and cost that the plans will make; or whether the work of a period was done in time.",
	scopes:      []string{"maintenance:read"},
	operations:  []string{"GET /v1/maintenance/forecast", "GET /v1/maintenance/pm-compliance"},
	output: object(node{"data": node{"type": "array", "items": object(node{"key": text, "name": text, "work_orders": integer, "cost": number})},
		"pm_compliance_pct": number, "due": integer, "in_time": integer}),
}, func(ctx context.Context, call *toolCall, in *maintenanceOutlookArguments) (any, error) {
	path, query := "/v1/maintenance/forecast", url.Values(call.query(in))
	if in.Kind == "compliance" {
		path = "/v1/maintenance/pm-compliance"
		query.Del("group_by")
		if in.Rule != "" {
			query.Set("rule", in.Rule)
		}
	}
	found := record{}
	if err := call.get(ctx, path, query, &found); err != nil {
		return nil, err
	}
	return withoutEmpty(found), nil
})
