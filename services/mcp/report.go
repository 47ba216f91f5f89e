package mcp

import (
	"context"
	"net/url"
)

// reportHead is what a report says of all its figures: of which day, horizon and currency they are, and in whose prices.
type reportHead struct {
	GroupBy         string   `json:"group_by,omitempty"`
	AsOf            string   `json:"as_of,omitempty"`
	HorizonYears    any      `json:"horizon_years,omitempty"`
	PricesOf        any      `json:"prices_of,omitempty"`
	RenewalBasis    any      `json:"renewal_basis,omitempty"`
	IndexedThrough  any      `json:"indexed_through,omitempty"` // the last year of the price indexes
	Basis           record   `json:"basis,omitempty"`           // how much of a past day is hindsight
	FromYear        any      `json:"from_year,omitempty"`
	ToYear          any      `json:"to_year,omitempty"`
	Currency        string   `json:"currency,omitempty"`
	LeftOut         []string `json:"left_out,omitempty"` // what the key may not read
	ApproachUnknown bool     `json:"approach_unknown,omitempty"`
	ToBeCategorized []record `json:"to_be_categorized,omitempty"`
}

// reportPage is a page of groups with the indicators of the whole.
type reportPage struct {
	listPage
	reportHead
	Sum   record `json:"sum,omitempty"` // the field total is the number of groups; listPage has another for lists
	Trend record `json:"trend,omitempty"`
}

// report reads one of the API's reports, a page of it where it has pages.
func (call *toolCall) report(ctx context.Context, path string, query url.Values, p pageArguments) (*reportPage, error) {
	var found struct {
		apiList
		reportHead
		Total record `json:"total"`
	}
	if err := call.get(ctx, path, query, &found); err != nil {
		return nil, err
	}
	l := reportPage{listPage: listPage{Data: found.Data, Page: p.pageNumber(), Limit: p.perPage(), Total: found.Pagination.Total},
		reportHead: found.reportHead, Sum: withoutEmpty(found.Total)}
	for _, group := range l.Data {
		withoutEmpty(group)
	}
	l.setMore()
	return &l, nil
}
