package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"ams.internal/libs/suggest"
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
		"renewal_basis": text, "basis": anyObject, "trend": anyObject, "open_work_orders": integer, "overdue_work_orders": integer}),
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
	"fci_pct": number, "fci_grade": text, "fci_grade_reason": text, "need_basis": anyObject, "life_known_pct": number,
	"average_condition_rating": number, "average_age_years": number, "condition_distribution": anyObject,
	"past_useful_life": anyObject, "data_quality": anyObject,
})

type stateOfAssetsArguments struct {
	Everything   *bool    `json:"everything" api:"-" doc:"true: assets and networks together, by service (O. Reg. 588/17)."`
	GroupBy      string   `json:"group_by" enum:"site,site_type,ward,building,building_type,year_built,category,uniformat_group,condition_grade,service_category,network" doc:"site if left out. Of everything: service_category (default), network, building_type."`
	BuiltSince   *int     `json:"built_since" doc:"Of year_built: buildings before this year and since; left out: by decade."`
	Fields       []string `json:"fields" api:"-" doc:"Of groups and sum: data_quality, condition_distribution, past_useful_life …; the main figures if left out."`
	Sort         string   `json:"sort" api:"-" doc:"A figure of the groups, such as -need."`
	AsOf         string   `json:"as_of" format:"date"`
	HorizonYears *int     `json:"horizon_years" minimum:"0" maximum:"50"`
	PricesOf     *int     `json:"prices_of" minimum:"1900" maximum:"2200"`
	TrendMonths  *int     `json:"trend_months" minimum:"1" maximum:"36" api:"-"`
	Limit        *int     `json:"limit" minimum:"1" maximum:"100" api:"-"`
	Page         *int     `json:"page" minimum:"1" maximum:"1000000" api:"-"`
}

// stateOfAssetsName is what its figures are kept under.
const stateOfAssetsName = "state_of_assets"

var stateOfAssets = define("assets", tool{
	name: stateOfAssetsName, title: "State of the assets",
	description: "get_summary across the whole organization, in groups and in total: value, deferred maintenance, need, FCI, condition.",
	scopes:      []string{"assets:read"}, operations: []string{"GET /v1/reports/state-of-assets", "GET /v1/reports/state-of-infrastructure"},
	additions: []string{trendOperation},
	output: pageOf(object(node{"id": text, "key": text, "name": text, "site_id": text, "site_name": text,
		"replacement_cost": number, "need": number,
		"fci_pct": number, "fci_grade": text})).
		with(node{"group_by": text, "as_of": text, "horizon_years": integer, "prices_of": integer, "renewal_basis": text,
			"basis": anyObject, "sum": anyObject,
			"trend": anyObject}),
}, func(ctx context.Context, call *toolCall, in *stateOfAssetsArguments) (any, error) {
	everything := in.Everything != nil && *in.Everything
	of := trendOf{subject: "organization", months: in.TrendMonths, horizonYears: in.HorizonYears, networks: everything}
	if err := of.check(call.caller); err != nil {
		return nil, err
	}
	page, err := call.stateOf(ctx, everything, call.query(in), in.Sort, pageArguments{Limit: in.Limit, Page: in.Page})
	if err != nil {
		return nil, err
	}
	if !everything || len(in.Fields) > 0 { // of everything, what nothing is in is left out already
		if err := page.selectFigures(in.Fields); err != nil {
			return nil, err
		}
	}
	page.Trend, err = call.trend(ctx, of, page.AsOf)
	return page, err
})

// mainFigures are those of a group that are shown where nobody names others.
var mainFigures = []string{"counts", "replacement_cost", "deferred_maintenance_cost", "need", "fci_pct", "fci_grade",
	"fci_grade_reason", "average_condition_rating"}

// selectFigures leaves in the groups and in the sum the figures that are asked for. Without any, the sum has all.
func (l *reportPage) selectFigures(fields []string) error {
	keep := mainFigures
	if len(fields) > 0 {
		keep = fields
		all := knownOf[stateOfAssetsName].Figures
		for _, name := range fields {
			if _, isID := identities[name]; !isID && !slices.Contains(all, name) {
				return problemf("fields names %s, which is no figure%s They are %s.", shorten(name, 50), endSentence(suggest.DidYouMean(name, all)),
					few(nearestFirst([]string{name}, all), 300))
			}
		}
		l.Sum = selected(l.Sum, keep)
	}
	for i, group := range l.Data {
		l.Data[i] = selected(group, keep)
	}
	return nil
}

// identities are what says which group a row is.
var identities = map[string]struct{}{"id": {}, "key": {}, "name": {}, "site_id": {}, "site_name": {}, "element": {}}

func selected(from record, names []string) record {
	into := record{}
	for name, value := range from {
		if _, isID := identities[name]; isID || slices.Contains(names, name) {
			into[name] = value
		}
	}
	return into
}

// groupsOfEverything are the groups of assets and networks together. All but building_type are theirs alone.
var groupsOfEverything = []string{"service_category", "network", "building_type"}

// stateOf reads a page of groups: of the assets, or of everything, whose report has no pages.
func (call *toolCall) stateOf(ctx context.Context, everything bool, query url.Values, sort string, p pageArguments) (*reportPage, error) {
	by := query.Get("group_by")
	ofEverything := slices.Contains(groupsOfEverything, by)
	switch {
	case !everything && ofEverything && by != "building_type":
		return nil, problemf("group_by %s is of assets and networks together; set everything to true.", by)
	case query.Get("built_since") != "" && by != "year_built":
		return nil, problemf("built_since is of group_by year_built.")
	case everything && by != "" && !ofEverything:
		return nil, problemf("With everything, group_by is service_category, network or building_type; %s is of assets alone, so leave "+
			"everything out.", by)
	}
	path, read := "/v1/reports/state-of-infrastructure", call.report
	if !everything {
		path = "/v1/reports/state-of-assets"
		query.Set("page", strconv.Itoa(p.pageNumber()))
		query.Set("per_page", strconv.Itoa(p.perPage()))
		if sort != "" {
			read = call.reportOfAllGroups
		}
	}
	page, err := read(ctx, path, query, p)
	if err != nil {
		return nil, err
	}
	if err := page.sortBy(sort); err != nil || !everything && sort == "" {
		return page, err
	}
	if everything { // this report does not count its groups: all are there
		page.Total = len(page.Data)
	}
	first := min((p.pageNumber()-1)*p.perPage(), len(page.Data))
	page.Data = page.Data[first:min(first+p.perPage(), len(page.Data))]
	withoutZeros(page.Sum)
	for _, group := range page.Data {
		withoutZeros(group)
	}
	page.setMore()
	return page, nil
}

const (
	// maxGroups is how many groups a page of the report has at most.
	maxGroups = 1000
	// maxPages is how many such pages are read to be sorted. Each costs the API as much as the first.
	maxPages = 5
)

// reportOfAllGroups is report with the groups of all pages, because the report has an order of its own. Of groups that are too many it says
// so, and has those that are first by name.
func (call *toolCall) reportOfAllGroups(ctx context.Context, path string, query url.Values, p pageArguments) (*reportPage, error) {
	query.Set("per_page", strconv.Itoa(maxGroups))
	var all *reportPage
	for number := 1; number <= maxPages; number++ {
		query.Set("page", strconv.Itoa(number))
		page, err := call.report(ctx, path, query, p)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = page
		} else {
			all.Data = append(all.Data, page.Data...)
		}
		if len(page.Data) == 0 || len(all.Data) >= all.Total {
			return all, nil
		}
	}
	all.addNote(fmt.Sprintf("Sorted are the first %d of %d groups by name; the others are not looked at. Group by something larger to "+
		"have all.", len(all.Data), all.Total))
	return all, nil
}

// sortBy sorts the groups by a figure; - before it is for descending. Groups that have none are last either way: they are not at 0.
func (l *reportPage) sortBy(key string) error {
	name, descending := strings.CutPrefix(key, "-")
	if name == "" {
		return nil
	}
	if all := knownOf[stateOfAssetsName].Amounts; !slices.Contains(all, name) {
		return problemf("sort must be one of %s, - before it for descending%s", few(nearestFirst([]string{name}, all), 300),
			endSentence(suggest.DidYouMean(name, all)))
	}
	slices.SortStableFunc(l.Data, func(a, b record) int {
		of, has := a[name].(json.Number)
		other, otherHas := b[name].(json.Number)
		if has != otherHas {
			if has {
				return -1
			}
			return 1
		}
		if descending {
			of, other = other, of
		}
		left, _ := of.Float64()
		right, _ := other.Float64()
		return cmp.Compare(left, right)
	})
	return nil
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
