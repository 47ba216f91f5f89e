package main

import "context"

// reportPage is a page of groups with the indicators of the whole.
type reportPage struct {
	listPage
	GroupBy  string `json:"group_by,omitempty"`
	FromYear any    `json:"from_year,omitempty"`
	ToYear   any    `json:"to_year,omitempty"`
	Currency string `json:"currency,omitempty"`
	Sum      record `json:"sum,omitempty"` // the field total is the number of groups
}

// report reads a page of one of the API's reports.
func (call *toolCall) report(ctx context.Context, path string, arguments any, p pageArguments) (any, error) {
	var found struct {
		apiList
		GroupBy  string `json:"group_by"`
		FromYear any    `json:"from_year"`
		ToYear   any    `json:"to_year"`
		Currency string `json:"currency"`
		Total    record `json:"total"`
	}
	if err := call.get(ctx, path, call.query(arguments), &found); err != nil {
		return nil, err
	}
	l := reportPage{listPage: listPage{Data: found.Data, Page: p.pageNumber(), Limit: p.perPage(), Total: found.Pagination.Total},
		GroupBy: found.GroupBy, FromYear: found.FromYear, ToYear: found.ToYear, Currency: found.Currency, Sum: withoutEmpty(found.Total)}
	for _, group := range l.Data {
		withoutEmpty(group)
	}
	l.setMore()
	return &l, nil
}
