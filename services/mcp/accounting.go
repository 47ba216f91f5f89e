package mcp

import (
	"context"
	"encoding/json"
)

type tcaScheduleArguments struct {
	FiscalYear *int   `json:"fiscal_year" required:"true" minimum:"1900" maximum:"2300"`
	GroupBy    string `json:"group_by" enum:"class,category,service_category,department" doc:"class if left out."`
	Limit      *int   `json:"limit" minimum:"1" maximum:"100" api:"-"`
	Page       *int   `json:"page" minimum:"1" maximum:"1000000" api:"-"`
}

var tcaSchedule = define("accounting", tool{
	name: "tca_schedule", title: "Schedule of capital assets", feature: "accounting",
	description: "Cost and amortization of a fiscal year (PS 3150), in groups and in sum; what is 0 is left out. Of one asset: get_asset.",
	scopes:      []string{"accounting:read"}, operations: []string{"GET /v1/accounting/schedule"},
	output: pageOf(object(node{"name": text, "net_book_value": anyObject})).with(node{"provisional": boolean, "sum": anyObject}),
}, func(ctx context.Context, call *toolCall, in *tcaScheduleArguments) (any, error) {
	var found struct {
		scheduleHead
		Data  []record `json:"data"`
		Total record   `json:"total"`
	}
	if err := call.get(ctx, "/v1/accounting/schedule", call.query(in), &found); err != nil {
		return nil, err
	}
	p := pageArguments{Limit: in.Limit, Page: in.Page}
	shown := schedulePage{listPage{Page: p.pageNumber(), Limit: p.perPage(), Total: len(found.Data)}, found.scheduleHead,
		withoutNothing(found.Total)}
	first := min((p.pageNumber()-1)*p.perPage(), len(found.Data))
	shown.Data = found.Data[first:min(first+p.perPage(), len(found.Data))]
	for _, row := range shown.Data {
		withoutNothing(row)
	}
	shown.setMore()
	return &shown, nil
})

// scheduleHead is what a schedule says of all its rows.
type scheduleHead struct {
	FiscalYear  any    `json:"fiscal_year"`
	Label       string `json:"fiscal_year_label"`
	Provisional bool   `json:"provisional"`
	GroupBy     string `json:"group_by"`
	Currency    string `json:"currency"`
}

// schedulePage is a page of groups, which the API gives all at once, with the sum of all.
type schedulePage struct {
	listPage
	scheduleHead
	Sum record `json:"sum"`
}

// withoutNothing leaves out of a row of the schedule the columns in which nothing is: a year moves in few of them.
func withoutNothing(row record) record {
	var clear func(members map[string]any)
	clear = func(members map[string]any) {
		for name, value := range members {
			switch v := value.(type) {
			case map[string]any:
				clear(v)
			case json.Number:
				if amount, err := v.Float64(); err == nil && amount == 0 {
					delete(members, name)
				}
			}
		}
	}
	clear(row)
	return withoutEmpty(row)
}
