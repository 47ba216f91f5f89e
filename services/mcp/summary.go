package main

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
)

type getSummaryArguments struct {
	Kind         string `json:"kind" required:"true" enum:"site,building,system,network" api:"-"`
	ID           string `json:"id" required:"true" format:"uuid" api:"-"`
	AsOf         string `json:"as_of" format:"date" doc:"A past day too; basis then counts what is hindsight."`
	HorizonYears *int   `json:"horizon_years" minimum:"0" maximum:"50" doc:"Renewals due within; 0 if left out. FCI is meaningful only with its horizon."`
	PricesOf     *int   `json:"prices_of" minimum:"1900" maximum:"2200" doc:"Costs in prices of this year; of as_of if left out."`
	TrendMonths  *int   `json:"trend_months" minimum:"1" maximum:"36" api:"-" doc:"Adds the trend: FCI, need, value, condition and age at so many month ends."`
}

var getSummary = define("assets", tool{
	name: "get_summary", title: "Summarize a place or network",
	description: "Counts, costs, need, FCI, condition, age, open work orders and data quality of a site, building, system or network.",
	scopes:      []string{"sites:read", "buildings:read", "systems:read", "infrastructure:read"},
	operations: []string{"GET /v1/sites/{id}/summary", "GET /v1/buildings/{id}/summary", "GET /v1/systems/{id}/summary",
		"GET /v1/infrastructure/networks/{id}/summary"},
	additions: []string{trendOperation},
	output: summarySchema.with(node{"id": text, "name": text, "as_of": text, "horizon_years": integer, "prices_of": integer,
		"basis": anyObject, "trend": anyObject, "open_work_orders": integer, "overdue_work_orders": integer}),
}, func(ctx context.Context, call *toolCall, in *getSummaryArguments) (any, error) {
	of := trendOf{subject: in.Kind, id: in.ID, months: in.TrendMonths, horizonYears: in.HorizonYears, networks: in.Kind == "network"}
	if err := of.check(call.caller); err != nil {
		return nil, err
	}
	var summary record
	if err := call.get(ctx, collectionOf(in.Kind).path+"/"+in.ID+"/summary", call.query(in), &summary); err != nil {
		return nil, err
	}
	trend, err := call.trend(ctx, of, textOf(summary, "as_of"))
	if trend != nil {
		summary["trend"] = trend
	}
	return withoutEmpty(summary), err
})

// summarySchema describes the indicators that summaries and reports have in common.
var summarySchema = object(node{
	"currency": text, "counts": anyObject, "replacement_cost": number, "deferred_maintenance_cost": number, "need": number,
	"fci_pct": number, "fci_grade": text,
	"average_condition_rating": number, "average_age_years": number, "condition_distribution": anyObject,
	"past_useful_life": anyObject, "data_quality": anyObject,
})

type stateOfAssetsArguments struct {
	Everything   *bool  `json:"everything" api:"-" doc:"true: assets and networks together, by service (O. Reg. 588/17)."`
	GroupBy      string `json:"group_by" enum:"site,site_type,ward,building,building_type,category,uniformat_group,condition_grade,service_category,network" doc:"site if left out. Of everything: service_category (default), network, building_type."`
	AsOf         string `json:"as_of" format:"date"`
	HorizonYears *int   `json:"horizon_years" minimum:"0" maximum:"50"`
	PricesOf     *int   `json:"prices_of" minimum:"1900" maximum:"2200"`
	TrendMonths  *int   `json:"trend_months" minimum:"1" maximum:"36" api:"-"`
	Limit        *int   `json:"limit" minimum:"1" maximum:"100" api:"per_page"`
	Page         *int   `json:"page" minimum:"1" maximum:"1000000"`
}

var stateOfAssets = define("assets", tool{
	name: "state_of_assets", title: "State of the assets",
	description: "get_summary across the whole organization, in groups and in total.",
	scopes:      []string{"assets:read"}, operations: []string{"GET /v1/reports/state-of-assets", "GET /v1/reports/state-of-infrastructure"},
	additions: []string{trendOperation},
	output: pageOf(object(node{"id": text, "key": text, "name": text, "replacement_cost": number, "need": number,
		"fci_pct": number, "fci_grade": text})).
		with(node{"group_by": text, "as_of": text, "horizon_years": integer, "prices_of": integer, "basis": anyObject, "sum": anyObject,
			"trend": anyObject}),
}, func(ctx context.Context, call *toolCall, in *stateOfAssetsArguments) (any, error) {
	everything := in.Everything != nil && *in.Everything
	of := trendOf{subject: "organization", months: in.TrendMonths, horizonYears: in.HorizonYears, networks: everything}
	if err := of.check(call.caller); err != nil {
		return nil, err
	}
	page, err := call.stateOf(ctx, everything, call.query(in), pageArguments{Limit: in.Limit, Page: in.Page})
	if err != nil {
		return nil, err
	}
	page.Trend, err = call.trend(ctx, of, page.AsOf)
	return page, err
})

// groupsOfEverything are the groups of assets and networks together. All but building_type are theirs alone.
var groupsOfEverything = []string{"service_category", "network", "building_type"}

// stateOf reads a page of groups: of the assets, or of everything, whose report has no pages.
func (call *toolCall) stateOf(ctx context.Context, everything bool, query url.Values, p pageArguments) (*reportPage, error) {
	by := query.Get("group_by")
	ofEverything := slices.Contains(groupsOfEverything, by)
	switch {
	case !everything && ofEverything && by != "building_type":
		return nil, problemf("group_by %s is of assets and networks together; set everything to true.", by)
	case everything && by != "" && !ofEverything:
		return nil, problemf("With everything, group_by is service_category, network or building_type; %s is of assets alone, so leave "+
			"everything out.", by)
	case !everything:
		return call.report(ctx, "/v1/reports/state-of-assets", query, p)
	}
	query.Del("per_page")
	query.Del("page")
	page, err := call.report(ctx, "/v1/reports/state-of-infrastructure", query, p)
	if err != nil {
		return nil, err
	}
	page.Total = len(page.Data)
	first := min((p.pageNumber()-1)*p.perPage(), page.Total)
	page.Data = page.Data[first:min(first+p.perPage(), page.Total)]
	withoutZeros(page.Sum)
	for _, group := range page.Data {
		withoutZeros(group)
	}
	page.setMore()
	return page, nil
}

// withoutZeros leaves out of a group what it has none of, so that a dozen groups fit into a result: counts of 0, and condition grades and
// risk levels that nothing has.
func withoutZeros(group record) {
	for _, name := range []string{"counts", "condition_distribution", "risk_distribution"} {
		members, _ := group[name].(map[string]any)
		for member, value := range members {
			if portion, isObject := value.(map[string]any); isObject {
				value = portion["count"]
			}
			if value == json.Number("0") {
				delete(members, member)
			}
		}
	}
}
