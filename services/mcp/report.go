package main

import "context"

// reported is a listing of groups with the figures of the whole beside it.
type reported struct {
	listing
	GroupBy  string `json:"group_by,omitempty"`
	FromYear any    `json:"from_year,omitempty"`
	ToYear   any    `json:"to_year,omitempty"`
	Currency string `json:"currency,omitempty"`
	Sum      record `json:"sum,omitempty"` // total is how many groups there are
}

// report reads a page of one of the API's reports.
func (u *use) report(ctx context.Context, path string, arguments any, p page) (any, error) {
	var found struct {
		envelope
		GroupBy  string `json:"group_by"`
		FromYear any    `json:"from_year"`
		ToYear   any    `json:"to_year"`
		Currency string `json:"currency"`
		Total    record `json:"total"`
	}
	if err := u.get(ctx, path, u.query(arguments), &found); err != nil {
		return nil, err
	}
	l := reported{listing: listing{Data: found.Data, Page: p.number(), Limit: p.size(), Total: found.Pagination.Total},
		GroupBy: found.GroupBy, FromYear: found.FromYear, ToYear: found.ToYear, Currency: found.Currency, Sum: withoutEmpty(found.Total)}
	for _, group := range l.Data {
		withoutEmpty(group)
	}
	l.next()
	return &l, nil
}
