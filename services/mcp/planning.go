package mcp

import (
	"context"
	"net/url"
	"strconv"

	"ams.internal/libs/domain/catalogue"
)

var (
	planningRuns = newCollection("planning_runs", collection{
		kind: "planning_run", label: "name", code: "code",
		brief: []string{"id", "name", "code", "state", "progress_pct", "scenario_ids", "inventory_id", "problem", "finished_at"},
	})
	runsPath = catalogue.Product().Must("planning_runs").Path
)

type runScenariosArguments struct {
	ScenarioIDs []string `json:"scenario_ids" required:"true" format:"uuid" maxItems:"20" uniqueItems:"true"`
	InventoryID string   `json:"inventory_id" format:"uuid"`
	Name        string   `json:"name"`
	idempotencyArgument
}

var runScenarios = define("planning", tool{
	name: "run_scenarios", title: "Run scenarios", feature: "planning", writes: true,
	description: "Calculate lifecycle scenarios over one inventory; planning_results view runs says when it is completed.",
	scopes:      []string{"planning:write"}, operations: []string{"POST /v1/planning/runs"},
	output: object(node{"id": text, "state": text}),
}, func(ctx context.Context, call *toolCall, in *runScenariosArguments) (any, error) {
	return call.create(ctx, planningRuns, runsPath, in, in.idempotencyArgument)
})

type planningResultsArguments struct {
	View      string `json:"view" required:"true" enum:"scenarios,runs,years,groups,compare,element,regulation" api:"-"`
	RunID     string `json:"run_id" format:"uuid" api:"-"`
	Scenario  string `json:"scenario" api:"-" doc:"Code; of compare the baseline, of regulation that of the levels."`
	By        string `json:"by" enum:"class,category,site,building,network,kind,fund,element_type" api:"-" doc:"Of groups."`
	Year      *int   `json:"year" api:"-" doc:"Of groups."`
	ElementID string `json:"element_id" format:"uuid" api:"-"`
	Section   *int   `json:"section" minimum:"5" maximum:"6" api:"-" doc:"Of O. Reg. 588/17."`
	Funded    string `json:"funded" api:"-"`
	Limit     *int   `json:"limit" minimum:"1" maximum:"100" api:"-"`
	Page      *int   `json:"page" minimum:"1" maximum:"1000000" api:"-"`
}

// viewArguments are the arguments that some views alone have.
var viewArguments = argumentsOf{
	"run_id": {"years", "groups", "compare", "element", "regulation"}, "scenario": {"years", "groups", "compare", "element", "regulation"},
	"by": {"groups"}, "year": {"groups"}, "element_id": {"element"}, "section": {"regulation"}, "funded": {"regulation"},
}

var planningResults = define("planning", tool{
	name: "planning_results", title: "Planning results", feature: "planning",
	description: "What lifecycle scenarios spend, leave and keep up: by year, in groups, compared, for one element with the reason, " +
		"as the regulation's tables.",
	scopes: []string{"planning:read"},
	operations: []string{"GET /v1/planning/runs",
		"GET /v1/planning/scenarios", "GET /v1/planning/runs/{id}/years", "GET /v1/planning/runs/{id}/groups",
		"GET /v1/planning/runs/{id}/compare", "GET /v1/planning/runs/{id}/elements/{element_id}", "GET /v1/planning/runs/{id}/regulation"},
	output: pageOf(object(node{"year": integer})).with(node{"tables": anyObject}),
}, func(ctx context.Context, call *toolCall, in *planningResultsArguments) (any, error) {
	if err := viewArguments.check(call.tool.arguments, in, "view", in.View); err != nil {
		return nil, err
	}
	page := pageArguments{Limit: in.Limit, Page: in.Page}
	switch in.View {
	case "runs", "scenarios":
		fields := map[string]string{"runs": "id,name,code,state,progress_pct,scenario_ids,inventory_id,problem,finished_at",
			"scenarios": "id,name,code,kind,starts_on,years,basis"}[in.View]
		query := url.Values{"page": {strconv.Itoa(page.pageNumber())}, "per_page": {strconv.Itoa(page.perPage())}, "sort": {"-updated_at"},
			"fields": {fields}}
		return call.list(ctx, "/v1/planning/"+in.View, query, page, func(r record) record { return withoutEmpty(r) })
	}
	if in.RunID == "" {
		return nil, problemf("run_id is needed for view %s; view runs lists the runs.", in.View)
	}
	path, query := runsPath+"/"+in.RunID+"/"+in.View, url.Values{}
	set := func(name, value string) {
		if value != "" {
			query.Set(name, value)
		}
	}
	number := func(name string, value *int) {
		if value != nil {
			query.Set(name, strconv.Itoa(*value))
		}
	}
	switch in.View {
	case "groups":
		set("scenario", in.Scenario)
		set("by", in.By)
		number("year", in.Year)
	case "compare":
		set("baseline", in.Scenario)
	case "regulation":
		number("section", in.Section)
		set("funded", in.Funded)
		if in.Section != nil && *in.Section == 6 {
			set("proposed", in.Scenario)
		} else {
			set("current", in.Scenario)
		}
	default:
		set("scenario", in.Scenario)
	}
	if in.View == "element" {
		if in.ElementID == "" {
			return nil, problemf("element_id is needed for view element: the id of an asset, system, building or segment.")
		}
		path = runsPath + "/" + in.RunID + "/elements/" + in.ElementID
	}
	return call.planningPage(ctx, path, query, page)
})

// planningPage is a page of a result, whose API gives all rows at once.
type planningPage struct {
	listPage
	Scenario string `json:"scenario,omitempty"`
	Currency string `json:"currency,omitempty"`
	Tables   record `json:"tables,omitempty"` // of the regulation, all at once
}

func (call *toolCall) planningPage(ctx context.Context, path string, query url.Values, p pageArguments) (any, error) {
	var found record
	if err := call.get(ctx, path, query, &found); err != nil {
		return nil, err
	}
	shown := planningPage{listPage: listPage{Data: []record{}, Page: p.pageNumber(), Limit: p.perPage()}}
	shown.Scenario, _ = found["scenario"].(string)
	shown.Currency, _ = found["currency"].(string)
	rows, is := found["data"].([]any)
	if !is {
		shown.Tables = withoutEmpty(found)
		shown.setMore()
		return &shown, nil
	}
	shown.Total = len(rows)
	first := min((p.pageNumber()-1)*p.perPage(), len(rows))
	for _, row := range rows[first:min(first+p.perPage(), len(rows))] {
		if one, is := row.(map[string]any); is {
			shown.Data = append(shown.Data, withoutEmpty(one))
		}
	}
	shown.setMore()
	return &shown, nil
}
