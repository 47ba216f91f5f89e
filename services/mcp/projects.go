package mcp

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
)

type searchProjectsArguments struct {
	Q            string   `json:"q"`
	Status       []string `json:"status" enum:"proposed,deferred,approved,in_progress,on_hold,completed,closed,cancelled"`
	SpendingYear *int     `json:"spending_year" doc:"Money in this year. Not fiscal_year: the project's own."`
	SiteID       string   `json:"site_id" format:"uuid"`
	BuildingID   string   `json:"building_id" format:"uuid"`
	Sort         string   `json:"sort"`
	filterArguments
	pageArguments
}

var searchProjects = define("projects", tool{
	name: "search_projects", title: "Search projects", feature: "projects",
	description: "Capital projects. filters: fiscal_year, project_type, lifecycle_activity, health, network_id, " +
		"linked_to (id of what it is about), funding_gap_min …",
	scopes: []string{"projects:read"}, operations: []string{"GET /v1/projects"}, output: searchResult.with(node{"note": text}),
}, func(ctx context.Context, call *toolCall, in *searchProjectsArguments) (any, error) {
	query := url.Values(call.query(in))
	found, err := call.searchFiltered(ctx, projects, query, in.filterArguments, in.pageArguments)
	if err != nil {
		return nil, err
	}
	if found.Note, err = call.otherYears(ctx, query); err != nil {
		found.Note = "How many projects it would be if the year were read otherwise could not be counted: " + explain(ctx, err)
	}
	return found, nil
})

// readings are what people mean by the projects of a year, as filters.
var readings = []struct {
	text  string
	query func(year string) map[string]string
}{
	{"have money in %s (spending_year)", func(year string) map[string]string { return map[string]string{"spending_year": year} }},
	{"are of the fiscal year %s (fiscal_year)", func(year string) map[string]string { return map[string]string{"fiscal_year": year} }},
	{"are planned to run in %s (planned_start_date_to, planned_end_date_from)", func(year string) map[string]string {
		return map[string]string{"planned_start_date_to": year + "-12-31", "planned_end_date_from": year + "-01-01"}
	}},
}

// otherYears says, of projects that were searched by a year, how many there are when the year is read in another way.
func (call *toolCall) otherYears(ctx context.Context, query url.Values) (string, error) {
	year := cmp.Or(query.Get("spending_year"), query.Get("fiscal_year"))
	if from := query.Get("fiscal_year_min"); year == "" && from == query.Get("fiscal_year_max") {
		year = from
	}
	if _, err := strconv.Atoi(year); err != nil {
		return "", nil //nolint:nilerr // no year: there is nothing to say
	}
	counts := make([]int, len(readings))
	group, groupCtx := errgroup.WithContext(ctx)
	for i, reading := range readings {
		group.Go(func() error {
			other := url.Values{}
			for name, values := range query {
				if !slices.Contains([]string{"spending_year", "fiscal_year", "fiscal_year_min", "fiscal_year_max", "page", "cursor", "sort", "expand",
					"group_by"}, name) {
					other[name] = values
				}
			}
			for name, value := range reading.query(year) {
				other.Set(name, value)
			}
			other.Set("per_page", "1")
			other.Set("fields", "id")
			var found apiList
			err := call.get(groupCtx, projects.path, other, &found)
			counts[i] = found.Pagination.Total
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return "", err
	}
	if slices.Min(counts) == slices.Max(counts) {
		return "", nil
	}
	var parts []string
	for i, reading := range readings {
		parts = append(parts, fmt.Sprintf("%d "+reading.text, counts[i], year))
	}
	return "Say which is meant: " + strings.Join(parts, ", ") + ".", nil
}

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
