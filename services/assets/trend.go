package assets

import (
	"context"
	"slices"
	"strings"

	"ams.internal/libs/domain/contracts/infrastructure"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/endpoint"
	"ams.internal/libs/months"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// TrendRequest asks for a figure at the ends of months.
type TrendRequest struct {
	Metric       string  `query:"metric" default:"fci_pct" enum:"fci_pct,need,deferred_maintenance_cost,replacement_cost,average_condition_rating,weighted_condition_rating,pct_past_useful_life,pct_high_risk,avg_pci,avg_bci" doc:"The figure. pct_high_risk is the replacement cost of what has a risk score of 10 or more, in percent of all; avg_pci and avg_bci are of networks."`
	Subject      string  `query:"subject" default:"organization" enum:"organization,site,building,network,category,service_category" doc:"What it is a figure of. service_category has assets and networks together, as the report on the state of infrastructure; the others have one of the two."`
	ID           *string `query:"id" maxLength:"100" doc:"The site, building or network, or the category. Of the organization: leave it out."`
	From         *string `query:"from" format:"date" doc:"First day: months that end on it or later."`
	To           *string `query:"to" format:"date" doc:"Last day: months that end on it or earlier."`
	HorizonYears int     `query:"horizon_years" default:"0" minimum:"0" maximum:"50" doc:"Of fci_pct and need: 0, 1, 2, 5 or 10."`
}

// Trend is a figure at the ends of months, as it was kept six days after them.
type Trend struct {
	Metric       string       `json:"metric"`
	Subject      string       `json:"subject"`
	ID           *string      `json:"id" doc:"The site, building, network or category; null of the organization."`
	HorizonYears int          `json:"horizon_years" unit:"year"`
	RenewalBasis string       `json:"renewal_basis" enum:"typed,typed_or_life" doc:"What renewals are due by today. A month is by the organization's setting of its end; renewal_basis_changed_on says when that changed."`
	ChangedOn    []string     `json:"renewal_basis_changed_on" doc:"The days from which on renewal_basis had its other value, oldest first."`
	Currency     string       `json:"currency" doc:"Currency of figures that are amounts of money."`
	Data         []TrendPoint `json:"data" doc:"The months, oldest first. A month is there from six days after its end."`
}

// TrendPoint is a figure of one month.
type TrendPoint struct {
	months.Point
	RenewalBasis string `json:"renewal_basis" enum:"typed,typed_or_life" doc:"What renewals were due by at the end of the month."`
}

// take appends months to the trend.
func (t *Trend) take(ctx context.Context, points []months.Point) {
	for _, point := range points {
		t.Data = append(t.Data, TrendPoint{point, renewalBasis(ctx, point.MonthEnd)})
	}
}

func (f family) mountTrend() {
	transport.Get(f.registry.API, transport.Operation{
		Path: "/v1/reports/trend", ID: "get_trend", Scope: "assets:read", RowName: "TrendPoint",
		Summary: "Follow a figure over months: FCI, need, costs, condition, age and risk as they were kept at each month's end",
		Description: "Figures are kept six days after the end of a month and never changed, so that a trend stays what it was when it was " +
			"reported. A network needs the scope infrastructure:read.",
	}, f.trend)
}

func (f family) trend(ctx context.Context, in TrendRequest) (Trend, error) {
	if err := in.check(); err != nil {
		return Trend{}, err
	}
	trend := Trend{Metric: in.Metric, Subject: in.Subject, ID: in.ID, HorizonYears: in.HorizonYears, Currency: currency(ctx),
		Data:         []TrendPoint{},
		RenewalBasis: renewalBasis(ctx, resource.Today(ctx)), ChangedOn: append([]string{}, principal.From(ctx).RenewalBasisChangedOn...)}
	metric, ours := indicators.MonthEndFigures[in.Metric]
	if in.Subject == "network" || !ours {
		return f.trendOfNetworks(ctx, in, trend)
	}
	of := ""
	if in.ID != nil {
		of = strings.ToLower(*in.ID)
	}
	points, err := months.Read(ctx, f.registry.DB, months.Query{Figure: metric, Subject: in.Subject, SubjectOf: of,
		Place: slices.Index(indicators.MonthEndHorizons, in.HorizonYears) + 1, From: in.From, To: in.To})
	trend.take(ctx, points)
	return trend, err
}

func (in TrendRequest) check() error {
	var problems schema.Problems
	if !slices.Contains(indicators.MonthEndHorizons, in.HorizonYears) {
		problems.Add("horizon_years", "must be 0, 1, 2, 5 or 10: months are kept at these")
	}
	_, ours := indicators.MonthEndFigures[in.Metric]
	switch {
	case in.Subject == "organization" && in.ID != nil:
		problems.Add("id", "is not for the organization; leave it out, or name a subject")
	case in.Subject != "organization" && in.ID == nil:
		problems.Add("id", "is required: it says which %s", strings.ReplaceAll(in.Subject, "_", " "))
	case in.ID != nil && slices.Contains([]string{"site", "building", "network"}, in.Subject) && !schema.IsUUID(strings.ToLower(*in.ID)):
		problems.Add("id", "must be the id of a %s", in.Subject)
	case !ours && in.Subject != "organization" && in.Subject != "network":
		problems.Add("metric", "%s is of networks; set subject to network or organization", in.Metric)
	}
	if in.From != nil && in.To != nil && *in.To < *in.From {
		problems.Add("to", "must not be before from (%s)", *in.From)
	}
	return problems.Err()
}

// trendOfNetworks asks the infrastructure service, which keeps the months of networks.
func (f family) trendOfNetworks(ctx context.Context, in TrendRequest, trend Trend) (Trend, error) {
	p := principal.From(ctx)
	if !p.Has("infrastructure") {
		return trend, endpoint.NotInPlan("infrastructure")
	}
	if !p.Allows("infrastructure:read") {
		return trend, endpoint.ScopeMissing(p, "infrastructure:read", "Networks need the scope infrastructure:read.")
	}
	found, err := infrastructure.NetworksTrend.Call(ctx, f.registry.References, infrastructure.TrendRequest{Metric: in.Metric,
		NetworkID: in.ID, HorizonYears: in.HorizonYears, From: in.From, To: in.To})
	if err != nil {
		return trend, err
	}
	trend.take(ctx, found.Data)
	return trend, nil
}

// trendRow is a row of the trend as CSV.
type trendRow struct {
	Metric       string  `json:"metric"`
	Subject      string  `json:"subject"`
	ID           *string `json:"id"`
	HorizonYears int     `json:"horizon_years"`
	Currency     string  `json:"currency"`
	TrendPoint
}

// Table is the trend as CSV: a row for each month.
func (t Trend) Table() transport.Table {
	rows := make([]trendRow, len(t.Data))
	for i, point := range t.Data {
		rows[i] = trendRow{t.Metric, t.Subject, t.ID, t.HorizonYears, t.Currency, point}
	}
	return transport.TableOf(rows)
}
