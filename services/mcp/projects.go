package main

import "context"

// projectSchema describes a project in the results of tools.
var projectSchema = object(node{
	"id": text, "name": text, "code": text, "status": text, "health": text, "fiscal_year": integer, "site": reference, "building": reference,
	"budget_amount": number, "estimate_amount": number, "funding_gap": number,
})

type searchProjectsArguments struct {
	Q                 string   `json:"q"`
	Status            []string `json:"status" enum:"proposed,deferred,approved,in_progress,on_hold,completed,closed,cancelled"`
	ProjectType       []string `json:"project_type" enum:"renewal,replacement,rehabilitation,expansion,new_construction,upgrade,demolition,study,other"`
	LifecycleActivity []string `json:"lifecycle_activity" enum:"maintenance,renewal,growth,service_improvement,disposal,non_infrastructure"`
	Health            []string `json:"health" enum:"on_track,at_risk,off_track"`
	FiscalYearMin     *int     `json:"fiscal_year_min" minimum:"1900" maximum:"2200"`
	FiscalYearMax     *int     `json:"fiscal_year_max" minimum:"1900" maximum:"2200"`
	SiteID            string   `json:"site_id" format:"uuid"`
	BuildingID        string   `json:"building_id" format:"uuid"`
	NetworkID         string   `json:"network_id" format:"uuid"`
	Sort              string   `json:"sort"`
	pageArguments
}

var searchProjects = define("projects", tool{
	name: "search_projects", title: "Search projects", feature: "projects",
	description: "Capital projects by state, kind, year and place.",
	scopes:      []string{"projects:read"}, operations: []string{"GET /v1/projects"}, output: listOf(projectSchema),
}, func(ctx context.Context, call *toolCall, in *searchProjectsArguments) (any, error) {
	return call.search(ctx, projects, call.query(in), in.pageArguments)
})

type getProjectArguments struct {
	ID      string   `json:"id" format:"uuid" api:"-"`
	Code    string   `json:"code"`
	Include []string `json:"include" enum:"phases,funding_sources,budget_lines,links" uniqueItems:"true" api:"-" doc:"Read these as well."`
	Fields  []string `json:"fields" api:"-"`
}

var projectParts = map[string]part{
	"phases":          {"phases", "id,name,status,planned_start_date,planned_end_date"},
	"funding_sources": {"funding-sources", "id,source_type,status,amount,fiscal_year"},
	"budget_lines":    {"budget-lines", "id,fiscal_year,category,budget_amount,forecast_amount,committed_amount,actual_amount"},
	"links":           {"links", "id,target_type,target_id"},
}

var getProject = define("projects", tool{
	name: "get_project", title: "Show a project", feature: "projects",
	description: "One project, by id or code; on request with its phases, funding, budget lines and linked records.",
	scopes:      []string{"projects:read"},
	operations: []string{"GET /v1/projects", "GET /v1/projects/{id}", "GET /v1/projects/{project_id}/phases",
		"GET /v1/projects/{project_id}/funding-sources",
		"GET /v1/projects/{project_id}/budget-lines", "GET /v1/projects/{project_id}/links"},
	additions: []string{documentsOperation},
	output:    object(node{"id": text, "name": text, "code": text, "status": text, "budget_amount": number, "funding_gap": number}),
}, func(ctx context.Context, call *toolCall, in *getProjectArguments) (any, error) {
	by, value, err := exactlyOne(map[string]string{"id": in.ID, "code": in.Code})
	if err != nil {
		return nil, err
	}
	found, err := call.readWithParts(ctx, projects, by, value, in.Fields, in.Include, projectParts)
	if err != nil {
		return nil, err
	}
	return call.withDocuments(ctx, found), nil
})

type capitalPlanArguments struct {
	FromYear *int   `json:"from_year" minimum:"1900" maximum:"2200" doc:"This year if left out."`
	Years    *int   `json:"years" minimum:"1" maximum:"50" doc:"10 if left out."`
	GroupBy  string `json:"group_by" enum:"lifecycle_activity,source_type,site,status"`
	Limit    *int   `json:"limit" minimum:"1" maximum:"100" api:"per_page"`
	Page     *int   `json:"page" minimum:"1" maximum:"1000000"`
}

var capitalPlan = define("projects", tool{
	name: "capital_plan", title: "Capital plan", feature: "projects",
	description: "Cost, confirmed funding and funding gap of all projects by year, in groups and in total.",
	scopes:      []string{"projects:read"}, operations: []string{"GET /v1/projects/plan"},
	output: pageOf(object(node{"id": text, "key": text, "name": text, "projects": integer, "cost": number, "funding_gap": number})).
		with(node{"from_year": integer, "to_year": integer, "currency": text,
			"sum": anyObject}),
}, func(ctx context.Context, call *toolCall, in *capitalPlanArguments) (any, error) {
	return call.report(ctx, "/v1/projects/plan", call.query(in), pageArguments{Limit: in.Limit, Page: in.Page})
})
