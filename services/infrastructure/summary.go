package main

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

// SummaryRequest is a request for the indicators of a network.
type SummaryRequest struct {
	ID           string  `path:"id" format:"uuid"`
	AsOf         *string `query:"as_of" format:"date" doc:"Day of the figures (ages, lives, renewals); today when left out."`
	HorizonYears int     `query:"horizon_years" default:"0" minimum:"0" maximum:"50" doc:"Renewals planned up to so many years after the year of as_of count as needs."`
}

// Summary is the state of a network, computed from the segments in use: neither planned nor abandoned nor removed.
type Summary struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	AssetClass   string `json:"asset_class"`
	AsOf         string `json:"as_of" format:"date"`
	HorizonYears int    `json:"horizon_years" unit:"year"`

	Counts                  Counts           `json:"counts" doc:"How many there are."`
	LengthKm                float64          `json:"length_km" unit:"km" doc:"Length of the segments."`
	LaneKm                  *float64         `json:"lane_km" unit:"km" doc:"Length times lanes; null where no lanes are known."`
	ReplacementCost         float64          `json:"replacement_cost" doc:"What replacing everything would cost today."`
	ReplacementCostBasis    Basis            `json:"replacement_cost_basis" doc:"Where replacement_cost comes from; the two add up to it."`
	DeferredMaintenanceCost float64          `json:"deferred_maintenance_cost" doc:"Maintenance that is due and was put off."`
	Need                    float64          `json:"need" doc:"Renewals due within the horizon (the greater of replacement and deferred maintenance), and the deferred maintenance of everything else."`
	FCIPct                  *float64         `json:"fci_pct" unit:"percent" doc:"Facility Condition Index: need over replacement cost. May exceed 100; null where nothing has a cost."`
	FCIGrade                *string          `json:"fci_grade" enum:"good,fair,poor,critical" doc:"good to 5 %, fair to 10 %, poor to 30 %, critical above."`
	AverageAgeYears         *float64         `json:"average_age_years" unit:"year" doc:"Mean age of the segments whose construction is known."`
	AverageConditionRating  *float64         `json:"average_condition_rating" doc:"Mean condition rating of the rated segments, 1 (very good) to 5 (very poor)."`
	Condition               map[string]Share `json:"condition_distribution" doc:"Segments by condition grade: very_good, good, fair, poor, very_poor, unknown."`
	PastUsefulLife          Share            `json:"past_useful_life" doc:"Segments whose expected useful life is over."`
	OpenWorkOrders          *int             `json:"open_work_orders" doc:"Work orders on its segments that are open, in progress or on hold; null while work orders cannot be asked."`
	OverdueWorkOrders       *int             `json:"overdue_work_orders" doc:"Those of them that are past their due date."`
	DataQuality             DataQuality      `json:"data_quality" doc:"Segments that lack what the figures are made from."`
	Currency                string           `json:"currency" doc:"Currency of every amount of money."`
}

// Counts are numbers of segments.
type Counts struct {
	Segments int `json:"segments"`
	LeftOut  int `json:"segments_left_out" doc:"Segments that are planned, abandoned or removed; in no other figure."`
}

// Basis splits a replacement cost by where it comes from.
type Basis struct {
	Given     float64 `json:"given" doc:"From segments whose replacement cost was given."`
	UnitCosts float64 `json:"unit_costs" doc:"From segments whose cost is length times cost per metre."`
}

// Share is a number of segments, how long they are and what replacing them would cost.
type Share struct {
	Segments        int     `json:"segments"`
	LengthKm        float64 `json:"length_km" unit:"km"`
	ReplacementCost float64 `json:"replacement_cost"`
}

// DataQuality counts the segments that lack a field.
type DataQuality struct {
	WithoutReplacementCost    int `json:"without_replacement_cost"`
	WithoutInstallation       int `json:"without_installation" doc:"Neither install_date nor install_year."`
	WithoutUsefulLife         int `json:"without_expected_useful_life"`
	WithoutConditionRating    int `json:"without_condition_rating"`
	WithoutPlannedRenewalYear int `json:"without_planned_renewal_year"`
	WithoutGeometry           int `json:"without_geometry"`
	WithoutLength             int `json:"without_length"`
}

// The statements take $1 the date of the indicators, $2 the horizon in years and $3 the network.
const (
	asOf    = "$1::date"
	year    = "extract(year FROM $1::date)::int"
	horizon = "$2::int"
)

// summarySQL gives one row, in the order in which scan reads it.
var summarySQL = func() string {
	value, need := "sum(t.replacement_cost)", "sum("+
		indicators.Need("t", year, horizon, "t.deferred_maintenance_cost", "t.replacement_cost")+")"
	fci := indicators.FCI(need, value)
	lacking := func(column string) string { return "count(*) - count(" + column + "), " }
	return "SELECT count(*), (SELECT count(*) FROM segment o WHERE o.organization_id = current_organization() AND " +
		"o.network_id = $3::uuid AND NOT " + indicators.Counts("o") + "), " +
		"coalesce(" + indicators.Km("sum(t.length_m)") + ", 0), " + indicators.Km("sum(t.length_m * t.lanes)") + ", coalesce(" + value +
		", 0), " +
		"coalesce(sum(t.replacement_cost) FILTER (WHERE NOT t.replacement_cost_computed), 0), " +
		"coalesce(sum(t.replacement_cost) FILTER (WHERE t.replacement_cost_computed), 0), " +
		"coalesce(sum(t.deferred_maintenance_cost), 0), coalesce(" + need + ", 0), " + fci + ", " + indicators.FCIGrade(fci) + ", " +
		indicators.Years("avg("+indicators.AgeDays("t", asOf)+")") + ", round(avg(t.condition_rating), 2), " +
		lacking("t.replacement_cost") + lacking(indicators.Installed("t")) + lacking("t.expected_useful_life_years") +
		lacking("t.condition_rating") +
		lacking("t.planned_renewal_year") + lacking("t.bbox") + lacking("t.length_m") + shareSQL(indicators.PastUsefulLife("t", asOf)) +
		" FROM segment t WHERE t.organization_id = current_organization() AND t.network_id = $3::uuid AND " + indicators.Counts("t")
}()

// gradesSQL gives a row per condition grade that occurs.
var gradesSQL = "SELECT coalesce(" + indicators.ConditionGrade("t") + ", 'unknown'), " + shareSQL("true") +
	" FROM segment t WHERE t.organization_id = current_organization() AND t.network_id = $1::uuid AND " + indicators.Counts("t") +
	" GROUP BY 1"

// shareSQL is the columns that a Share is read from, over the rows t with a condition.
func shareSQL(condition string) string {
	where := " FILTER (WHERE " + condition + ")"
	return "count(*)" + where + ", coalesce(" + indicators.Km("sum(t.length_m)"+where) + ", 0), coalesce(sum(t.replacement_cost)" +
		where + ", 0)"
}

func (s *Summary) scan(row pgx.Row) error {
	q := &s.DataQuality
	return row.Scan(&s.Counts.Segments, &s.Counts.LeftOut, &s.LengthKm, &s.LaneKm, &s.ReplacementCost, &s.ReplacementCostBasis.Given,
		&s.ReplacementCostBasis.UnitCosts,
		&s.DeferredMaintenanceCost, &s.Need, &s.FCIPct, &s.FCIGrade, &s.AverageAgeYears, &s.AverageConditionRating,
		&q.WithoutReplacementCost, &q.WithoutInstallation, &q.WithoutUsefulLife, &q.WithoutConditionRating, &q.WithoutPlannedRenewalYear,
		&q.WithoutGeometry, &q.WithoutLength,
		&s.PastUsefulLife.Segments, &s.PastUsefulLife.LengthKm, &s.PastUsefulLife.ReplacementCost)
}

func (s *Summary) scanGrades(rows pgx.Rows) error {
	s.Condition = map[string]Share{"unknown": {}}
	for _, grade := range indicators.Grades {
		s.Condition[grade] = Share{}
	}
	var grade string
	var share Share
	_, err := pgx.ForEachRow(rows, []any{&grade, &share.Segments, &share.LengthKm, &share.ReplacementCost}, func() error {
		s.Condition[grade] = share
		return nil
	})
	return err
}

func (f family) mountSummary() {
	transport.Get(f.registry.API, transport.Operation{
		Path: "/v1/infrastructure/networks/{id}/summary", ID: "get_network_summary", Scope: scope + ":read", Feature: feature,
		Summary:     "Summarize a network: length, replacement cost, needs, FCI, age and condition",
		Description: "From the segments in use: neither planned nor abandoned nor removed.",
	}, f.summarize)
}

func (f family) summarize(ctx context.Context, in SummaryRequest) (Summary, error) {
	summary := Summary{ID: strings.ToLower(in.ID), AsOf: resource.Today(), HorizonYears: in.HorizonYears,
		Currency: principal.From(ctx).Currency}
	if in.AsOf != nil {
		summary.AsOf = *in.AsOf
	}
	orders, err := f.activeWorkOrders(ctx)
	if err != nil {
		return summary, err
	}
	found := false
	err = f.registry.DB.Snapshot(ctx, func(batch *pgx.Batch) {
		batch.Queue("SELECT name, asset_class FROM network WHERE organization_id = current_organization() AND id = $1::uuid",
			summary.ID).Query(func(rows pgx.Rows) error {
			for rows.Next() {
				found = true
				if err := rows.Scan(&summary.Name, &summary.AssetClass); err != nil {
					return err
				}
			}
			return rows.Err()
		})
		batch.Queue(summarySQL, summary.AsOf, in.HorizonYears, summary.ID).QueryRow(summary.scan)
		batch.Queue(gradesSQL, summary.ID).Query(summary.scanGrades)
		if orders != nil {
			batch.Queue(`SELECT coalesce(sum(o.open), 0)::bigint, coalesce(sum(o.overdue), 0)::bigint
				FROM unnest($1::uuid[], $2::int[], $3::int[]) o (id, open, overdue)
				JOIN segment s ON s.organization_id = current_organization() AND s.id = o.id WHERE s.network_id = $4::uuid`,
				orders.ids, orders.open, orders.overdue, summary.ID).QueryRow(func(row pgx.Row) error {
				return row.Scan(&summary.OpenWorkOrders, &summary.OverdueWorkOrders)
			})
		}
	})
	if err == nil && !found {
		err = fault.NotFound("network", summary.ID)
	}
	return summary, err
}
